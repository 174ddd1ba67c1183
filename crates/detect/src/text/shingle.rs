//! Shingles: n consecutive tokens, or characters of the normalised text, as one 64-bit hash.
//!
//! A polynomial in the hashes of the items, modulo 2⁶⁴, rolled one item at a time and then mixed. A document
//! shorter than n is one shingle, the whole of it; one with no token has none.

use super::hash;
use super::normalise::Normaliser;
use crate::mix::{self, K, fold};
use serde::{Deserialize, Serialize};

/// What shingles are made of, and how many of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Shingling {
    /// Consecutive tokens.
    Words(usize),
    /// Consecutive characters of the normalised text.
    Chars(usize),
}

/// A shingling that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("expected word:N or char:N with N from 1 to 1000, found {0:?}")]
pub struct ShinglingError(String);

impl Default for Shingling {
    fn default() -> Self {
        Shingling::Words(5)
    }
}

impl std::str::FromStr for Shingling {
    type Err = ShinglingError;

    fn from_str(text: &str) -> Result<Self, ShinglingError> {
        let (kind, len) = text.split_once(':').ok_or_else(|| ShinglingError(text.into()))?;
        match (kind, len.parse::<usize>()) {
            ("word", Ok(len @ 1..=1000)) => Ok(Shingling::Words(len)),
            ("char", Ok(len @ 1..=1000)) => Ok(Shingling::Chars(len)),
            _ => Err(ShinglingError(text.into())),
        }
    }
}

impl std::fmt::Display for Shingling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Shingling::Words(len) => write!(f, "word:{len}"),
            Shingling::Chars(len) => write!(f, "char:{len}"),
        }
    }
}

impl From<Shingling> for String {
    fn from(shingling: Shingling) -> String {
        shingling.to_string()
    }
}

impl TryFrom<String> for Shingling {
    type Error = ShinglingError;

    fn try_from(text: String) -> Result<Self, ShinglingError> {
        text.parse()
    }
}

impl Shingling {
    /// Hands the shingles of the text that was read to `take`, counted or not: as [`Self::each`] does, or, with
    /// `bag`, the n-th occurrence of a shingle as another shingle for every n, in no promised order.
    ///
    /// A shingle that occurs p times in one text and q times in another gives them min(p, q) in common out of
    /// max(p, q), so the Jaccard resemblance of the sets is Σmin/Σmax of the counts. `scratch` is working space.
    #[inline]
    pub fn each_with(&self, read: &Normaliser, bag: bool, scratch: &mut Vec<u64>, mut take: impl FnMut(u64)) {
        if !bag {
            return self.each(read, take);
        }
        scratch.clear();
        self.each(read, |hash| scratch.push(hash));
        scratch.sort_unstable();
        for same in scratch.chunk_by(|a, b| a == b) {
            take(same[0]);
            for n in 2..=same.len() as u64 {
                take(mix::pair(same[0], n));
            }
        }
    }

    /// Hands the hash of every shingle of the text that was read to `take`, in order and with repeats.
    #[inline]
    pub fn each(&self, read: &Normaliser, take: impl FnMut(u64)) {
        match self {
            Shingling::Words(len) => roll(read.token_hashes(), *len).for_each(take),
            Shingling::Chars(len) => {
                let text = String::from_utf8_lossy(read.normalised());
                let chars: Vec<u64> =
                    text.chars().map(|c| hash::token(c.encode_utf8(&mut [0; 4]).as_bytes())).collect();
                roll(&chars, *len).for_each(take);
            }
        }
    }
}

/// The shingles of `len` consecutive tokens of the text that was read, in order and with repeats.
#[inline(always)]
pub fn word_shingles(read: &Normaliser, len: usize) -> impl Iterator<Item = u64> {
    roll(read.token_hashes(), len)
}

/// Odd, and 5 modulo 8, so that no power within a shingle comes close to another.
const BASE: u64 = K[0] << 3 | 5;

#[inline(always)]
fn finish(sum: u64) -> u64 {
    fold(sum ^ K[2], K[1])
}

/// The shingles of some items, in order. Where it ends is known from the start, so a vector is filled without asking at
/// every shingle whether there is room.
#[inline(always)]
fn roll(items: &[u64], len: usize) -> impl Iterator<Item = u64> {
    let first = len.min(items.len());
    let (begun, rest) = items.split_at(first.saturating_sub(1));
    let mut sum = begun.iter().fold(0u64, |sum, &item| sum.wrapping_mul(BASE).wrapping_add(item));
    let drop = BASE.wrapping_pow(first as u32);
    let mut leaving = 0u64;
    rest.iter().zip(items).map(move |(&coming, &oldest)| {
        sum = sum.wrapping_mul(BASE).wrapping_add(coming.wrapping_sub(leaving.wrapping_mul(drop)));
        leaving = oldest;
        finish(sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shingles(shingling: Shingling, text: &str) -> Vec<u64> {
        let mut read = Normaliser::default();
        read.read(text);
        let mut all = Vec::new();
        shingling.each(&read, |hash| all.push(hash));
        all
    }

    #[test]
    fn n_tokens_make_m_minus_n_plus_one_shingles() {
        assert_eq!(shingles(Shingling::Words(5), "a b c d e f g").len(), 3);
        assert_eq!(shingles(Shingling::Chars(3), "abcde").len(), 3);
    }

    #[test]
    fn a_text_shorter_than_a_shingle_is_one_and_an_empty_one_none() {
        assert_eq!(shingles(Shingling::Words(5), "a b").len(), 1);
        assert_ne!(shingles(Shingling::Words(5), "a b"), shingles(Shingling::Words(5), "b a"));
        assert_eq!(shingles(Shingling::Words(5), " ,. ").len(), 0);
    }

    #[test]
    fn a_shingle_depends_on_its_tokens_alone() {
        let a = shingles(Shingling::Words(3), "x one two three y");
        let b = shingles(Shingling::Words(3), "a b c one two three");
        assert_eq!(a[1], *b.last().unwrap());
    }

    #[test]
    fn permuted_tokens_are_other_shingles() {
        let orders = ["a b c d e", "b a c d e", "a b c e d", "e d c b a", "a a b c d", "b c d a a"];
        let mut all: Vec<u64> = orders.iter().flat_map(|text| shingles(Shingling::Words(5), text)).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), orders.len());
    }

    #[test]
    fn names_are_read_and_written_the_same() {
        for name in ["word:5", "char:9"] {
            assert_eq!(name.parse::<Shingling>().unwrap().to_string(), name);
        }
        for bad in ["word", "word:0", "char:x", "line:3", "word:1001"] {
            assert!(bad.parse::<Shingling>().is_err(), "{bad}");
        }
    }
}
