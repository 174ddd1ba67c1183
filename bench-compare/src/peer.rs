//! Other people's crates. gaoya, driven as its documentation suggests: MinHash signatures of 128 values in 16 bands of 8 rows, each
//! document looked up among those before it and then added. Its pairs are candidates whose *estimated* resemblance
//! reaches the threshold; nothing is verified and no file is deduplicated, so it does less than onefold does.

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use fs_err::File;
use gaoya::minhash::{MinHashIndex, MinHasher, MinHasher32, SmallVecContainer};
use rustc_hash::FxBuildHasher;
use txtfp::{Canonicalizer, Fingerprinter, ShingleTokenizer, SimHashFingerprinter, WordTokenizer};

use crate::error::Error;

const BANDS: usize = 16;
const ROWS: usize = 8;
const THRESHOLD: f64 = 0.8;
const SHINGLE: usize = 5;

#[derive(serde::Deserialize)]
struct Record {
    id: String,
    text: String,
}

/// Writes `idA idB estimate` for every pair gaoya finds.
pub(crate) fn gaoya_minhash(input: &Path, output: &Path) -> Result<(), Error> {
    let mut index: MinHashIndex<u32, u32, SmallVecContainer<u32, 2>> =
        MinHashIndex::new_index(BANDS, ROWS, THRESHOLD);
    let hasher: MinHasher32<FxBuildHasher> = MinHasher32::new_with_hasher(BANDS * ROWS, FxBuildHasher);
    let mut reader = BufReader::with_capacity(1 << 20, File::open(input)?);
    let mut writer = BufWriter::new(File::create(output)?);
    let mut ids: Vec<String> = Vec::new();
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 {
        let record: Record = serde_json::from_str(&line).map_err(|error| Error::Line {
            path: input.to_owned(),
            line: ids.len() + 1,
            problem: error.to_string(),
        })?;
        let lower = record.text.to_lowercase();
        let signature = hasher.create_signature(shingles(&lower).into_iter());
        for (earlier, estimate) in index.query_owned_return_similarity(&signature) {
            writeln!(writer, "{}\t{}\t{estimate:.4}", ids[earlier as usize], record.id)?;
        }
        index.insert(ids.len() as u32, signature);
        ids.push(record.id);
        line.clear();
    }
    Ok(writer.flush()?)
}

/// Writes `id fingerprint` for every document: the crate txtfp's SimHash of five-word shingles weighted by frequency, its
/// defaults otherwise.
pub(crate) fn txtfp_simhash(input: &Path, output: &Path) -> Result<(), Error> {
    let tokenizer = ShingleTokenizer { k: SHINGLE, inner: WordTokenizer };
    let fingerprinter = SimHashFingerprinter::new(Canonicalizer::default(), tokenizer);
    let mut reader = BufReader::with_capacity(1 << 20, File::open(input)?);
    let mut writer = BufWriter::new(File::create(output)?);
    let (mut line, mut number) = (String::new(), 0);
    while reader.read_line(&mut line)? > 0 {
        number += 1;
        let problem = |problem: String| Error::Line { path: input.to_owned(), line: number, problem };
        let record: Record = serde_json::from_str(&line).map_err(|error| problem(error.to_string()))?;
        let fingerprint =
            fingerprinter.fingerprint(&record.text).map_err(|error| problem(error.to_string()))?;
        writeln!(writer, "{}\t{:016x}", record.id, fingerprint.0)?;
        line.clear();
    }
    Ok(writer.flush()?)
}

/// Windows of five words as slices of the text, the cheapest form to hash; a shorter text is one window.
fn shingles(text: &str) -> Vec<&str> {
    let bounds: Vec<(usize, usize)> = text
        .split_ascii_whitespace()
        .map(|word| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            (start, start + word.len())
        })
        .collect();
    if bounds.len() < SHINGLE {
        return vec![text];
    }
    bounds.windows(SHINGLE).map(|window| &text[window[0].0..window[SHINGLE - 1].1]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shingles_are_windows_of_five_words() {
        assert_eq!(shingles("a bb c d e f"), ["a bb c d e", "bb c d e f"]);
        assert_eq!(shingles("a b"), ["a b"]);
    }

    #[test]
    fn equal_texts_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in"), folder.path().join("out"));
        let line = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
        let text = "one two three four five six seven eight nine ten";
        fs_err::write(
            &input,
            line("a", text) + &line("b", "something else altogether here now then") + &line("c", text),
        )
        .unwrap();
        gaoya_minhash(&input, &output).unwrap();
        assert_eq!(fs_err::read_to_string(&output).unwrap(), "a\tc\t1.0000\n");
    }
}
