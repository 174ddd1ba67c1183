//! Numbers that documents are ranked by.

use std::fmt;

/// A number, with whole ones of 64 bits told apart although floats are not as fine: the nearest float, and how far above it
/// the number is.
///
/// Rounding keeps the order, so of two numbers with one nearest float the distance decides. Half the gap between floats
/// below 2⁶⁴ is 2¹⁰, and below 2⁶⁸ it still fits; of larger numbers those farther off are alike. Fractions count as far as floats
/// go.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Score {
    nearest: f64,
    above: i16,
}

/// From here on no float has a fraction.
const WHOLE: f64 = (1_u64 << 53) as f64;

impl Score {
    /// Reads a number.
    pub fn parse(text: &str) -> Option<Self> {
        let value: f64 = text.parse().ok()?;
        if value.abs() < WHOLE || value.is_infinite() {
            return Score::from_float(value);
        }
        let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
        // With an exponent the digits before the point are not the whole part.
        let exponent = text.contains(['e', 'E']);
        match whole.parse().ok().filter(|_| !exponent) {
            Some(whole) => Some(Score::from_whole(whole)),
            None => Score::from_float(value),
        }
    }

    /// A float, unless it is none.
    pub fn from_float(value: f64) -> Option<Self> {
        (!value.is_nan()).then_some(Score { nearest: value, above: 0 })
    }

    /// A whole number.
    pub fn from_whole(value: i128) -> Self {
        let nearest = value as f64;
        let above = value.saturating_sub(nearest as i128);
        Score { nearest, above: above.clamp(i16::MIN.into(), i16::MAX.into()) as i16 }
    }

    /// The nearest float.
    pub fn nearest(self) -> f64 {
        self.nearest
    }

    /// How far the number is above the nearest float.
    pub fn above(self) -> i16 {
        self.above
    }

    /// Bytes of its stored form.
    pub(crate) const BYTES: usize = 10;

    /// The stored form of a score, or of none.
    pub(crate) fn to_bytes(score: Option<Self>) -> [u8; Self::BYTES] {
        let Score { nearest, above } = score.unwrap_or(Score { nearest: f64::NAN, above: 0 });
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&nearest.to_le_bytes());
        bytes[8..].copy_from_slice(&above.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let [a, b, c, d, e, f, g, h, above @ ..] = *bytes;
        let score = Score::from_float(f64::from_le_bytes([a, b, c, d, e, f, g, h]))?;
        Some(Score { above: i16::from_le_bytes(above), ..score })
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.above {
            0 => self.nearest.fmt(f),
            above => (self.nearest as i128 + i128::from(above)).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_their_order() {
        let ascending = [
            "-inf",
            "-1e300",
            "-18446744073709551616",
            "-9223372036854775808",
            "-9223372036854775807",
            "-9007199254740993",
            "-9007199254740992",
            "-2.5",
            "-2",
            "0",
            "1e-300",
            "0.1",
            "2",
            "9007199254740991",
            "9007199254740992",
            "9007199254740993",
            "9007199254740994.0",
            "9007199254740995",
            "9223372036854775806",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551614",
            "18446744073709551615",
            "18446744073709551616",
            "1e300",
            "inf",
        ];
        let scores = ascending.map(|text| Score::parse(text).unwrap());
        assert!(scores.is_sorted_by(|a, b| a < b), "{scores:?}");
        assert_eq!(Score::parse("0"), Score::parse("-0"));
        assert_eq!(Score::parse("9007199254740992"), Score::parse("9.007199254740992E15"));
        assert_eq!(Score::parse("1.5e400"), Score::parse("inf"));
        for none in ["nan", "", "x", "1_000"] {
            assert_eq!(Score::parse(none), None, "{none}");
        }
    }

    #[test]
    fn what_is_stored_is_what_is_read() {
        for score in [None, Score::parse("-2.5"), Score::parse("18446744073709551615")] {
            assert_eq!(Score::from_bytes(&Score::to_bytes(score)), score);
        }
        assert_eq!(Score::from_whole(u64::MAX.into()).to_string(), u64::MAX.to_string());
    }
}
