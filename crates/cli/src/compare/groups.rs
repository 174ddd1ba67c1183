//! Groups of words from a file, a line a group; words are read as those of the texts are.

use anyhow::{Result, bail};
use onefold_detect::measure::Groups;
use onefold_detect::text::{Choices, Normaliser};
use std::collections::BTreeMap;
use std::path::Path;

pub(super) fn read(path: &Path, choices: &Choices) -> Result<Groups> {
    let text = fs_err::read_to_string(path)?;
    let mut normaliser = Normaliser::new(choices);
    let mut lines: BTreeMap<u64, usize> = BTreeMap::new();
    let mut groups: Vec<Vec<u64>> = Vec::new();
    for (words, line) in text.lines().zip(1..) {
        normaliser.read(words);
        for (&hash, word) in normaliser.token_hashes().iter().zip(normaliser.tokens()) {
            let first = *lines.entry(hash).or_insert(line);
            if first != line {
                let word = String::from_utf8_lossy(word);
                bail!(
                    "{}: {word:?} is in line {first} and in line {line}; a word is of one group",
                    path.display()
                );
            }
        }
        groups.push(normaliser.token_hashes().to_vec());
    }
    if lines.is_empty() {
        bail!("{}: no word in it; expected a line of words a group", path.display());
    }
    Ok(Groups::new(groups)?)
}
