//! Bands: slices of a signature used as bucket keys, and the S-curve they cut.
//!
//! With b bands of r rows two documents of resemblance s share a bucket with probability 1 − (1 − sʳ)ᵇ. More rows
//! are stricter, more bands are looser.

use crate::mix;
use serde::{Deserialize, Serialize};

/// How a signature is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bands {
    /// Number of bands.
    pub bands: usize,
    /// Signature values in each band.
    pub rows: usize,
}

/// Why bands cannot be had.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum BandsError {
    /// None asked for.
    #[error("--bands and --rows: expected 1 or more of each, found {bands} bands of {rows} rows")]
    None {
        /// Bands asked for.
        bands: usize,
        /// Rows asked for.
        rows: usize,
    },
    /// More values asked for than a signature has.
    #[error("--bands {bands} of --rows {rows} need {} values, --signature has {signature}", bands.saturating_mul(*rows))]
    TooLong {
        /// Bands asked for.
        bands: usize,
        /// Rows asked for.
        rows: usize,
        /// Values there are.
        signature: usize,
    },
    /// Not even bands of one row reach the recall.
    #[error(
        "no bands over the {signature} values of --signature reach --recall {recall} at --threshold {threshold}"
    )]
    Unreachable {
        /// Values there are.
        signature: usize,
        /// Recall asked for.
        recall: f64,
        /// Threshold asked for.
        threshold: f64,
    },
}

impl Bands {
    /// Bands as given.
    pub fn new(bands: usize, rows: usize, signature: usize) -> Result<Self, BandsError> {
        if bands == 0 || rows == 0 {
            return Err(BandsError::None { bands, rows });
        }
        if bands.saturating_mul(rows) > signature {
            return Err(BandsError::TooLong { bands, rows, signature });
        }
        Ok(Bands { bands, rows })
    }

    /// The strictest bands that still find a pair at `threshold` with probability `recall`: the largest r with
    /// 1 − (1 − tʳ)^⌊N/r⌋ ≥ recall.
    pub fn tune(signature: usize, threshold: f64, recall: f64) -> Result<Self, BandsError> {
        (1..=signature)
            .rev()
            .map(|rows| Bands { bands: signature / rows, rows })
            .find(|bands| bands.probability(threshold) >= recall)
            .ok_or(BandsError::Unreachable { signature, recall, threshold })
    }

    /// Probability that a pair of this resemblance shares a bucket.
    pub fn probability(&self, resemblance: f64) -> f64 {
        1.0 - (1.0 - resemblance.powi(self.rows as i32)).powi(self.bands as i32)
    }

    /// Bucket keys of a signature, one a band; equal slices in different bands get different keys.
    pub fn keys<'a>(&self, signature: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
        let rows = self.rows;
        signature.chunks_exact(rows).take(self.bands).enumerate().map(|(band, values)| {
            let key = values.iter().fold(mix::K[2] ^ band as u64, |key, &value| {
                mix::fold(key ^ value ^ mix::K[0], mix::K[1] ^ key.rotate_left(32))
            });
            mix::fold(key ^ mix::K[3], mix::K[1])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_plan_is_21_bands_of_6_rows() {
        assert_eq!(Bands::tune(128, 0.8, 0.99), Ok(Bands { bands: 21, rows: 6 }));
    }

    #[test]
    fn tuned_bands_are_the_strictest_that_reach_the_recall() {
        for (n, t, recall) in [(128, 0.5, 0.95), (256, 0.8, 0.99), (64, 0.9, 0.999), (1, 0.9, 0.5)] {
            let tuned = Bands::tune(n, t, recall).unwrap();
            assert!(tuned.probability(t) >= recall);
            for rows in tuned.rows + 1..=n {
                assert!(Bands { bands: n / rows, rows }.probability(t) < recall);
            }
        }
    }

    #[test]
    fn impossible_recall_is_an_error() {
        assert!(matches!(Bands::tune(1, 0.5, 0.99), Err(BandsError::Unreachable { .. })));
        assert!(matches!(Bands::new(20, 7, 128), Err(BandsError::TooLong { .. })));
    }

    #[test]
    fn equal_slices_of_two_bands_do_not_meet() {
        let signature = vec![7; 128];
        let mut keys: Vec<u64> = Bands { bands: 21, rows: 6 }.keys(&signature).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 21);
    }
}
