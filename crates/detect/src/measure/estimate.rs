//! Resemblance from signatures whose values are cut to b bits (Li and König 2010).
//!
//! Values that differ still agree in b bits with probability C = 2⁻ᵇ, so a share p of agreeing positions stands for
//!
//! ```text
//! Ĵ = (p − C) / (1 − C)      standard error √(p(1−p)/N) / (1 − C)
//! ```
//!
//! Eight bits take an eighth of the memory of whole values and at J = 0.8 raise the error by a quarter of a percent.

use crate::mix;
use serde::{Deserialize, Serialize};

/// How many bits of each value a signature keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
pub enum ValueBits {
    /// One byte a value.
    B8,
    /// Two bytes a value.
    B16,
    /// Four bytes a value.
    B32,
    /// The whole value, eight bytes.
    #[default]
    B64,
}

/// A number of bits that values are not cut to.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("expected 8, 16, 32 or 64 bits, found {0}")]
pub struct ValueBitsError(String);

impl ValueBits {
    /// All lengths.
    pub const ALL: [ValueBits; 4] = [ValueBits::B8, ValueBits::B16, ValueBits::B32, ValueBits::B64];

    /// The number of bits.
    pub fn count(self) -> u32 {
        match self {
            ValueBits::B8 => 8,
            ValueBits::B16 => 16,
            ValueBits::B32 => 32,
            ValueBits::B64 => 64,
        }
    }

    /// A value cut to so many bits. It is mixed first: the smallest of many is no uniform number, and its lowest bits
    /// are all zero where the number of bins is a power of two.
    pub fn cut(self, value: u64) -> u64 {
        match self {
            ValueBits::B64 => value,
            _ => mix::fold(value ^ mix::K[0], mix::K[3]) & (u64::MAX >> (64 - self.count())),
        }
    }

    /// Probability that two values that differ agree when cut, 2⁻ᵇ; taken as none for whole values.
    pub fn chance(self) -> f64 {
        match self {
            ValueBits::B64 => 0.0,
            _ => 1.0 / (1u64 << self.count()) as f64,
        }
    }

    /// Estimate of the resemblance from the share of positions that agree; 0 where fewer agree than by chance.
    pub fn resemblance(self, agreement: f64) -> f64 {
        ((agreement - self.chance()) / (1.0 - self.chance())).max(0.0)
    }

    /// Share of positions that is expected to agree at a resemblance: J + (1 − J)·C.
    pub fn agreement(self, resemblance: f64) -> f64 {
        resemblance + (1.0 - resemblance) * self.chance()
    }

    /// Standard error of [`resemblance`](Self::resemblance) from signatures of `len` values, for a pair of this
    /// resemblance.
    pub fn standard_error(self, resemblance: f64, len: usize) -> f64 {
        let p = self.agreement(resemblance.clamp(0.0, 1.0));
        (p * (1.0 - p) / len.max(1) as f64).sqrt() / (1.0 - self.chance())
    }
}

impl From<ValueBits> for u32 {
    fn from(bits: ValueBits) -> u32 {
        bits.count()
    }
}

impl TryFrom<u32> for ValueBits {
    type Error = ValueBitsError;

    fn try_from(count: u32) -> Result<Self, ValueBitsError> {
        let known = ValueBits::ALL.into_iter().find(|bits| bits.count() == count);
        known.ok_or_else(|| ValueBitsError(count.to_string()))
    }
}

impl std::str::FromStr for ValueBits {
    type Err = ValueBitsError;

    fn from_str(text: &str) -> Result<Self, ValueBitsError> {
        text.parse::<u32>().map_err(|_| ValueBitsError(format!("{text:?}")))?.try_into()
    }
}

impl std::fmt::Display for ValueBits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_undoes_what_chance_adds() {
        for bits in ValueBits::ALL {
            for resemblance in [0.0, 0.3, 0.8, 1.0] {
                let back = bits.resemblance(bits.agreement(resemblance));
                assert!((back - resemblance).abs() < 1e-12, "{bits} {resemblance}");
            }
            assert_eq!(bits.resemblance(0.0), 0.0);
        }
    }

    #[test]
    fn errors_at_128_values() {
        let error = |bits: ValueBits, j| (bits.standard_error(j, 128) * 1e5).round() / 1e5;
        assert_eq!(error(ValueBits::B64, 0.8), 0.03536);
        assert_eq!(error(ValueBits::B32, 0.8), 0.03536);
        assert_eq!(error(ValueBits::B16, 0.8), 0.03536);
        assert_eq!(error(ValueBits::B8, 0.8), 0.03544);
        assert_eq!(error(ValueBits::B64, 0.0), 0.0);
        // Pairs with nothing in common agree by chance.
        assert_eq!(error(ValueBits::B8, 0.0), 0.00554);
    }

    #[test]
    fn cut_values_fill_their_bits_evenly_though_the_lowest_are_zero() {
        let mut seen = [0u32; 256];
        for i in 0..256_000u64 {
            seen[ValueBits::B8.cut(mix::pair(i, 3) >> 7 << 7) as usize] += 1;
        }
        // Binomial(256000, 1/256): mean 1000, standard deviation 31.6
        assert!(seen.iter().all(|n| (840..1160).contains(n)), "{seen:?}");
        assert_eq!(ValueBits::B64.cut(5), 5);
        assert!(ValueBits::B32.cut(5) <= u64::from(u32::MAX));
    }

    #[test]
    fn lengths_are_read_and_written_as_numbers() {
        for bits in ValueBits::ALL {
            assert_eq!(bits.to_string().parse(), Ok(bits));
            let json = serde_json::to_string(&bits).unwrap();
            assert_eq!(serde_json::from_str::<ValueBits>(&json).unwrap(), bits);
        }
        assert!("12".parse::<ValueBits>().is_err() && "x".parse::<ValueBits>().is_err());
    }
}
