//! How long a fingerprint is.

use serde::{Deserialize, Serialize};

/// Bits of a fingerprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "u32", try_from = "u32")]
pub enum Bits {
    /// 32 bits.
    B32,
    /// 64 bits.
    #[default]
    B64,
    /// 128 bits.
    B128,
}

/// A length no fingerprint has.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("expected 32, 64 or 128 bits, found {0}")]
pub struct BitsError(String);

impl Bits {
    /// All lengths.
    pub const ALL: [Bits; 3] = [Bits::B32, Bits::B64, Bits::B128];

    /// The number of bits.
    pub fn count(self) -> u32 {
        match self {
            Bits::B32 => 32,
            Bits::B64 => 64,
            Bits::B128 => 128,
        }
    }

    /// A fingerprint in hexadecimal digits, all of them: 16 at 64 bits.
    pub fn hex(self, fingerprint: u128) -> String {
        format!("{fingerprint:0width$x}", width = self.count() as usize / 4)
    }
}

impl From<Bits> for u32 {
    fn from(bits: Bits) -> u32 {
        bits.count()
    }
}

impl TryFrom<u32> for Bits {
    type Error = BitsError;

    fn try_from(count: u32) -> Result<Self, BitsError> {
        Bits::ALL.into_iter().find(|bits| bits.count() == count).ok_or_else(|| BitsError(count.to_string()))
    }
}

impl std::str::FromStr for Bits {
    type Err = BitsError;

    fn from_str(text: &str) -> Result<Self, BitsError> {
        let count = text.parse::<u32>().map_err(|_| BitsError(format!("{text:?}")))?;
        count.try_into()
    }
}

impl std::fmt::Display for Bits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_and_written_as_numbers() {
        for bits in Bits::ALL {
            assert_eq!(bits.to_string().parse(), Ok(bits));
            let json = serde_json::to_string(&bits).unwrap();
            assert_eq!(json, bits.count().to_string());
            assert_eq!(serde_json::from_str::<Bits>(&json).unwrap(), bits);
        }
        assert!("48".parse::<Bits>().is_err());
        assert!("".parse::<Bits>().is_err());
        assert!(serde_json::from_str::<Bits>("16").is_err());
    }

    #[test]
    fn all_digits_are_written() {
        assert_eq!(Bits::B64.hex(0xab), "00000000000000ab");
        assert_eq!(Bits::B32.hex(1), "00000001");
        assert_eq!(Bits::B128.hex(u128::MAX).len(), 32);
    }
}
