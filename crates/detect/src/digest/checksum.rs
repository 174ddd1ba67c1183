//! Checksums of a stream of bytes, from the byte sum to SHA-3, in the form coreutils prints.
//!
//! The simple ones are for comparison with what others made, and to show why they are not enough: a byte sum does not
//! see the order of bytes, and 16 or 32 bits are shared by chance among 10⁵ texts.

use super::algorithm::hex;
use serde::{Deserialize, Serialize};
use sha2::Digest as _;
use xxhash_rust::xxh3::Xxh3;

/// Which checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Kind {
    /// BSD sum: 16 bits, turned right by one before each byte is added.
    Sum,
    /// Plain sum of all bytes.
    ByteSum,
    /// CRC-32 of IEEE 802.3, as in gzip and zip.
    Crc32,
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA3-256.
    Sha3_256,
    /// RIPEMD-160.
    Ripemd160,
    /// BLAKE3 with 256 bits.
    Blake3,
    /// XXH3 with 128 bits and seed 0.
    Xxh3_128,
}

/// A checksum that is not known.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error(
    "expected sum, byte-sum, crc32, md5, sha1, sha256, sha3-256, ripemd160, blake3 or xxh3-128, found {0:?}"
)]
pub struct KindError(String);

impl Kind {
    /// All checksums.
    pub const ALL: [Kind; 10] = [
        Kind::Sum,
        Kind::ByteSum,
        Kind::Crc32,
        Kind::Md5,
        Kind::Sha1,
        Kind::Sha256,
        Kind::Sha3_256,
        Kind::Ripemd160,
        Kind::Blake3,
        Kind::Xxh3_128,
    ];

    /// The name in flags and files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Sum => "sum",
            Kind::ByteSum => "byte-sum",
            Kind::Crc32 => "crc32",
            Kind::Md5 => "md5",
            Kind::Sha1 => "sha1",
            Kind::Sha256 => "sha256",
            Kind::Sha3_256 => "sha3-256",
            Kind::Ripemd160 => "ripemd160",
            Kind::Blake3 => "blake3",
            Kind::Xxh3_128 => "xxh3-128",
        }
    }
}

impl std::str::FromStr for Kind {
    type Err = KindError;

    fn from_str(text: &str) -> Result<Self, KindError> {
        Kind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| KindError(text.into()))
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> String {
        kind.to_string()
    }
}

impl TryFrom<String> for Kind {
    type Error = KindError;

    fn try_from(text: String) -> Result<Self, KindError> {
        text.parse()
    }
}

/// A checksum of bytes that come in pieces.
#[derive(Clone)]
pub struct Checksum(State);

#[derive(Clone)]
enum State {
    Sum { sum: u16, bytes: u64 },
    ByteSum(u64),
    Crc32(crc32fast::Hasher),
    Md5(md5::Md5),
    Sha1(sha1::Sha1),
    Sha256(sha2::Sha256),
    Sha3(sha3::Sha3_256),
    Ripemd(ripemd::Ripemd160),
    Blake3(Box<blake3::Hasher>),
    Xxh3(Box<Xxh3>),
}

/// A finished checksum; displayed as coreutils prints it, without the name of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChecksumValue {
    /// BSD sum: five decimal digits, and the blocks of 1,024 bytes in a field of five.
    Sum {
        /// The checksum.
        sum: u16,
        /// Blocks of 1,024 bytes, a part of one counted as one.
        blocks: u64,
    },
    /// Sum of bytes, decimal.
    ByteSum(u64),
    /// CRC-32, eight hexadecimal digits.
    Crc32(u32),
    /// A digest, in hexadecimal digits.
    Hex(String),
}

impl Checksum {
    /// Begins a checksum.
    pub fn new(kind: Kind) -> Self {
        Checksum(match kind {
            Kind::Sum => State::Sum { sum: 0, bytes: 0 },
            Kind::ByteSum => State::ByteSum(0),
            Kind::Crc32 => State::Crc32(crc32fast::Hasher::new()),
            Kind::Md5 => State::Md5(md5::Md5::new()),
            Kind::Sha1 => State::Sha1(sha1::Sha1::new()),
            Kind::Sha256 => State::Sha256(sha2::Sha256::new()),
            Kind::Sha3_256 => State::Sha3(sha3::Sha3_256::new()),
            Kind::Ripemd160 => State::Ripemd(ripemd::Ripemd160::new()),
            Kind::Blake3 => State::Blake3(Box::default()),
            Kind::Xxh3_128 => State::Xxh3(Box::default()),
        })
    }

    /// Takes the next bytes.
    pub fn update(&mut self, piece: &[u8]) {
        match &mut self.0 {
            State::Sum { sum, bytes } => {
                *sum =
                    piece.iter().fold(*sum, |sum, &byte| sum.rotate_right(1).wrapping_add(u16::from(byte)));
                *bytes += piece.len() as u64;
            }
            State::ByteSum(sum) => {
                *sum = sum.wrapping_add(piece.iter().map(|&byte| u64::from(byte)).sum());
            }
            State::Crc32(state) => state.update(piece),
            State::Md5(state) => state.update(piece),
            State::Sha1(state) => state.update(piece),
            State::Sha256(state) => state.update(piece),
            State::Sha3(state) => state.update(piece),
            State::Ripemd(state) => state.update(piece),
            State::Blake3(state) => {
                state.update(piece);
            }
            State::Xxh3(state) => state.update(piece),
        }
    }

    /// The checksum of all bytes taken.
    pub fn finish(self) -> ChecksumValue {
        match self.0 {
            State::Sum { sum, bytes } => ChecksumValue::Sum { sum, blocks: bytes.div_ceil(1024) },
            State::ByteSum(sum) => ChecksumValue::ByteSum(sum),
            State::Crc32(state) => ChecksumValue::Crc32(state.finalize()),
            State::Md5(state) => ChecksumValue::Hex(hex(&state.finalize())),
            State::Sha1(state) => ChecksumValue::Hex(hex(&state.finalize())),
            State::Sha256(state) => ChecksumValue::Hex(hex(&state.finalize())),
            State::Sha3(state) => ChecksumValue::Hex(hex(&state.finalize())),
            State::Ripemd(state) => ChecksumValue::Hex(hex(&state.finalize())),
            State::Blake3(state) => ChecksumValue::Hex(state.finalize().to_hex().to_string()),
            State::Xxh3(state) => ChecksumValue::Hex(format!("{:032x}", state.digest128())),
        }
    }
}

impl std::fmt::Debug for Checksum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Checksum").field(&self.clone().finish()).finish()
    }
}

impl std::fmt::Display for ChecksumValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ChecksumValue::Sum { sum, blocks } => write!(f, "{sum:05} {blocks:5}"),
            ChecksumValue::ByteSum(sum) => write!(f, "{sum}"),
            ChecksumValue::Crc32(sum) => write!(f, "{sum:08x}"),
            ChecksumValue::Hex(digits) => f.write_str(digits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(kind: Kind, bytes: &[u8]) -> String {
        let mut checksum = Checksum::new(kind);
        checksum.update(bytes);
        checksum.finish().to_string()
    }

    #[test]
    fn published_vectors() {
        // Of the empty input and of "abc", from the standards and the reference implementations.
        for (kind, empty, abc) in [
            (Kind::Crc32, "00000000", "352441c2"),
            (Kind::Md5, "d41d8cd98f00b204e9800998ecf8427e", "900150983cd24fb0d6963f7d28e17f72"),
            (
                Kind::Sha1,
                "da39a3ee5e6b4b0d3255bfef95601890afd80709",
                "a9993e364706816aba3e25717850c26c9cd0d89d",
            ),
            (
                Kind::Sha256,
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            (
                Kind::Sha3_256,
                "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a",
                "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532",
            ),
            (
                Kind::Ripemd160,
                "9c1185a5c5e9fc54612808977ee8f548b2258d31",
                "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc",
            ),
            (
                Kind::Blake3,
                "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
                "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
            ),
            (Kind::Xxh3_128, "99aa06d3014798d86001c324468d497f", "06b05ab6733a618578af5f94892f3950"),
        ] {
            assert_eq!(of(kind, b""), empty, "{kind}");
            assert_eq!(of(kind, b"abc"), abc, "{kind}");
        }
        assert_eq!(of(Kind::Crc32, b"123456789"), "cbf43926");
    }

    #[test]
    fn the_byte_sum_of_tropical_fish_is_508_and_does_not_see_order() {
        assert_eq!(of(Kind::ByteSum, b"Tropical fish"), (0x508).to_string());
        assert_eq!(of(Kind::ByteSum, b"fish Tropical"), of(Kind::ByteSum, b"Tropical fish"));
        assert_ne!(of(Kind::Sum, b"fish Tropical"), of(Kind::Sum, b"Tropical fish"));
    }

    #[test]
    fn sum_is_five_digits_and_blocks_of_1024_bytes() {
        assert_eq!(of(Kind::Sum, b""), "00000     0");
        // 97; 48 + 32768 + 98 = 32914; 16457 + 99 = 16556
        assert_eq!(of(Kind::Sum, b"abc"), "16556     1");
        assert_eq!(of(Kind::Sum, &[0; 1025]), "00000     2");
    }

    #[test]
    fn names_are_read_and_written_the_same() {
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        assert!("sha512".parse::<Kind>().is_err());
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(bytes: Vec<u8>, at: prop::sample::Index) {
            let at = at.index(bytes.len() + 1);
            for kind in Kind::ALL {
                let mut pieces = Checksum::new(kind);
                pieces.update(&bytes[..at]);
                pieces.update(&bytes[at..]);
                prop_assert_eq!(pieces.finish().to_string(), of(kind, &bytes));
            }
        }
    }
}
