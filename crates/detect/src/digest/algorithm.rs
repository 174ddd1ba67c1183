//! Which digest tells equal texts: the fast one, or one that archives carry or that nobody can forge.

use super::Digest;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;
use xxhash_rust::xxh3;

/// A digest algorithm.
///
/// MD5 and SHA-1 are here because archives carry them: texts that collide can be made on purpose. SHA-256 and BLAKE3
/// withstand that, and so do their first 128 bits up to 2⁶⁴ trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Algorithm {
    /// XXH3 with 128 bits and seed 0.
    #[default]
    Xxh3_128,
    /// BLAKE3 with 256 bits.
    Blake3,
    /// SHA-256.
    Sha256,
    /// SHA-1.
    Sha1,
    /// MD5.
    Md5,
}

/// An algorithm that is not known.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("expected xxh3-128, blake3, sha256, sha1 or md5, found {0:?}")]
pub struct AlgorithmError(String);

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Algorithm; 5] =
        [Algorithm::Xxh3_128, Algorithm::Blake3, Algorithm::Sha256, Algorithm::Sha1, Algorithm::Md5];

    /// The name in flags and files.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Xxh3_128 => "xxh3-128",
            Algorithm::Blake3 => "blake3",
            Algorithm::Sha256 => "sha256",
            Algorithm::Sha1 => "sha1",
            Algorithm::Md5 => "md5",
        }
    }

    /// The first 128 bits of the digest, the first byte as the highest; all of them for XXH3-128 and MD5.
    pub fn short(self, bytes: &[u8]) -> Digest {
        match self {
            Algorithm::Xxh3_128 => Digest::of(bytes),
            Algorithm::Blake3 => first(blake3::hash(bytes).as_bytes()),
            Algorithm::Sha256 => first(&sha2::Sha256::digest(bytes)),
            Algorithm::Sha1 => first(&sha1::Sha1::digest(bytes)),
            Algorithm::Md5 => first(&md5::Md5::digest(bytes)),
        }
    }

    /// The whole digest in hexadecimal digits.
    pub fn hex(self, bytes: &[u8]) -> String {
        match self {
            Algorithm::Xxh3_128 => format!("{:032x}", xxh3::xxh3_128(bytes)),
            Algorithm::Blake3 => blake3::hash(bytes).to_hex().to_string(),
            Algorithm::Sha256 => hex(&sha2::Sha256::digest(bytes)),
            Algorithm::Sha1 => hex(&sha1::Sha1::digest(bytes)),
            Algorithm::Md5 => hex(&md5::Md5::digest(bytes)),
        }
    }
}

/// Bytes in hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn first(bytes: &[u8]) -> Digest {
    Digest(bytes.iter().take(16).fold(0, |all, &byte| all << 8 | u128::from(byte)))
}

impl std::str::FromStr for Algorithm {
    type Err = AlgorithmError;

    fn from_str(text: &str) -> Result<Self, AlgorithmError> {
        let known = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == text);
        known.ok_or_else(|| AlgorithmError(text.into()))
    }
}

impl std::fmt::Display for Algorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl From<Algorithm> for String {
    fn from(algorithm: Algorithm) -> String {
        algorithm.to_string()
    }
}

impl TryFrom<String> for Algorithm {
    type Error = AlgorithmError;

    fn try_from(text: String) -> Result<Self, AlgorithmError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::checksum::{Checksum, Kind};

    #[test]
    fn names_are_read_and_written_the_same() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
            let json = serde_json::to_string(&algorithm).unwrap();
            assert_eq!(serde_json::from_str::<Algorithm>(&json).unwrap(), algorithm);
        }
        assert!("xxh3".parse::<Algorithm>().is_err());
    }

    #[test]
    fn short_digests_are_the_beginning_of_the_whole() {
        for algorithm in Algorithm::ALL {
            for text in ["", "abc", "Tropical fish"] {
                let whole = algorithm.hex(text.as_bytes());
                assert_eq!(algorithm.short(text.as_bytes()).to_string(), whole[..32], "{algorithm}");
            }
        }
    }

    #[test]
    fn a_digest_at_once_is_the_checksum_of_a_stream() {
        for algorithm in Algorithm::ALL {
            let kind: Kind = algorithm.name().parse().unwrap();
            let mut stream = Checksum::new(kind);
            stream.update(b"Tropical ");
            stream.update(b"fish");
            assert_eq!(stream.finish().to_string(), algorithm.hex(b"Tropical fish"));
        }
    }
}
