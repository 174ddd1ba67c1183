//! Sampled sets: only the shingles whose hash is 0 modulo P (Broder 1997).
//!
//! Every document keeps the same part of all possible shingles, about one in P of its own, so counts of shared and of
//! all shingles shrink alike: resemblance and containment of the samples estimate those of the whole sets. Unlike a
//! sketch of fixed length a sample grows with its document, which is what containment of a small text in a very large
//! one needs. A set with no shingle in the sample has no estimate.

use crate::mix;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// A sample of one shingle in P.
///
/// The hash is mixed once more before it is divided, because other parts use its bits for bins, orderings and
/// fingerprints, which must stay uniform over the shingles that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Sample(NonZeroU32);

/// A sample that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("expected mod:P with P from 1 to 4294967295, found {0:?}")]
pub struct SampleError(String);

impl Sample {
    /// One shingle in `modulus`; 1 keeps all.
    pub fn new(modulus: NonZeroU32) -> Self {
        Sample(modulus)
    }

    /// The P of one in P.
    pub fn modulus(&self) -> u32 {
        self.0.get()
    }

    /// Whether the shingle of this well-mixed hash is in the sample.
    #[inline]
    pub fn keeps(&self, hash: u64) -> bool {
        mix::fold(hash ^ mix::K[2], mix::K[0] ^ mix::K[3]) % u64::from(self.0.get()) == 0
    }

    /// Estimate of the size of a set of which `kept` shingles are in the sample: P·kept.
    pub fn size(&self, kept: u64) -> u64 {
        kept.saturating_mul(u64::from(self.0.get()))
    }

    /// Standard error of [`size`](Self::size): P·√(kept·(1 − 1/P)).
    pub fn size_error(&self, kept: u64) -> f64 {
        let modulus = f64::from(self.0.get());
        modulus * (kept as f64 * (1.0 - 1.0 / modulus)).sqrt()
    }
}

impl std::str::FromStr for Sample {
    type Err = SampleError;

    fn from_str(text: &str) -> Result<Self, SampleError> {
        let modulus = text.strip_prefix("mod:").and_then(|digits| digits.parse().ok());
        modulus.map(Sample).ok_or_else(|| SampleError(text.into()))
    }
}

impl std::fmt::Display for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "mod:{}", self.0)
    }
}

impl From<Sample> for String {
    fn from(sample: Sample) -> String {
        sample.to_string()
    }
}

impl TryFrom<String> for Sample {
    type Error = SampleError;

    fn try_from(text: String) -> Result<Self, SampleError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_the_same() {
        for name in ["mod:1", "mod:25", "mod:4294967295"] {
            assert_eq!(name.parse::<Sample>().unwrap().to_string(), name);
        }
        for bad in ["25", "mod:0", "mod:", "mod:-1", "mod:4294967296", "div:2"] {
            assert!(bad.parse::<Sample>().is_err(), "{bad}");
        }
    }

    #[test]
    fn one_in_one_keeps_all() {
        let all: Sample = "mod:1".parse().unwrap();
        assert!((0..100).all(|i| all.keeps(mix::pair(i, 3))));
        assert_eq!((all.size(7), all.size_error(7)), (7, 0.0));
    }

    #[test]
    fn what_is_kept_is_spread_evenly_over_the_bits_that_others_use() {
        let sample: Sample = "mod:16".parse().unwrap();
        let kept: Vec<u64> =
            (0..1_600_000).map(|i| mix::pair(i, 7)).filter(|&hash| sample.keeps(hash)).collect();
        // Binomial(1600000, 1/16): standard deviation 306; a bit of those kept: 158.
        assert!((100_000i64 - kept.len() as i64).abs() < 1500, "{}", kept.len());
        for bit in 0..64 {
            let ones = kept.iter().filter(|&hash| hash >> bit & 1 == 1).count() as i64;
            assert!((ones - kept.len() as i64 / 2).abs() < 800, "bit {bit}: {ones} of {}", kept.len());
        }
    }
}
