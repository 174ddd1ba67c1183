//! What two texts share and what not, by their shingles.

use onefold_detect::text::{Normaliser, ShingleSet, Shingling};
use serde::Serialize;

/// Where a passage stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// In both texts.
    Shared,
    /// In the document alone.
    Document,
    /// In the keeper alone.
    Keeper,
}

/// A run of words, normalised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Passage {
    /// Where it stands.
    pub side: Side,
    /// Its words.
    pub text: String,
}

/// Runs of the document that shingles shared with the keeper cover, or none does; then the keeper's that none does.
pub(super) fn passages(
    document: &Normaliser,
    keeper: &Normaliser,
    first: &ShingleSet,
    second: &ShingleSet,
    shingling: Shingling,
) -> Vec<Passage> {
    let mut all = runs(document, second, shingling, Side::Document);
    all.extend(runs(keeper, first, shingling, Side::Keeper).into_iter().filter(|p| p.side == Side::Keeper));
    all
}

fn runs(text: &Normaliser, other: &ShingleSet, shingling: Shingling, alone: Side) -> Vec<Passage> {
    let normalised = String::from_utf8_lossy(text.normalised()).into_owned();
    let (items, separator, len): (Vec<String>, &str, usize) = match shingling {
        Shingling::Words(len) => (normalised.split(' ').map(str::to_owned).collect(), " ", len),
        Shingling::Chars(len) => (normalised.chars().map(String::from).collect(), "", len),
    };
    let mut covered = vec![false; items.len()];
    let mut at = 0;
    shingling.each(text, |hash| {
        if other.hashes().binary_search(&hash).is_ok() {
            let end = (at + len).min(covered.len());
            covered[at..end].fill(true);
        }
        at += 1;
    });
    let mut passages = Vec::new();
    let mut start = 0;
    for run in covered.chunk_by(|a, b| a == b) {
        let end = start + run.len();
        let side = if run[0] { Side::Shared } else { alone };
        passages.push(Passage { side, text: items[start..end].join(separator) });
        start = end;
    }
    passages.retain(|passage| !passage.text.is_empty());
    passages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shared_shingles_cover_is_shared() {
        let read = |text: &str| {
            let mut read = Normaliser::default();
            read.read(text);
            read
        };
        let (a, b) = (read("one two three four extra"), read("zero One two, three four"));
        let shingling = Shingling::Words(3);
        let set = |read: &Normaliser| ShingleSet::of(read, shingling, &mut Vec::new());
        let found = passages(&a, &b, &set(&a), &set(&b), shingling);
        let as_pairs: Vec<_> = found.iter().map(|p| (p.side, p.text.as_str())).collect();
        assert_eq!(
            as_pairs,
            [(Side::Shared, "one two three four"), (Side::Document, "extra"), (Side::Keeper, "zero")]
        );
    }
}
