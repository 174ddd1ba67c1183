//! Compression, told by content: gzip, zstd, lz4 or none.

mod decoder;
mod dictionary;
mod encoder;
mod frames;
mod gzip;
mod members;
mod search;
mod window;

#[cfg(test)]
mod tests;

pub use decoder::{Decoder, Gap};
pub use encoder::Encoder;
pub use members::{MemberError, MemberInflater};
pub use window::window_bytes;

use crate::source::OpenFile;
use serde::{Deserialize, Serialize};
use std::io;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not at all.
    None,
    /// RFC 1952, one member or many.
    Gzip,
    /// RFC 8878, one frame or many.
    Zstd,
    /// LZ4 frames.
    Lz4,
}

impl Compression {
    /// Told by the first bytes of a file.
    pub fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, 0x08, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            [0x04, 0x22, 0x4d, 0x18, ..] => Compression::Lz4,
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::behind_skippable(head),
            _ => Compression::None,
        }
    }

    /// The name of a compression that is known and not read.
    pub(crate) fn unread(head: &[u8]) -> Option<&'static str> {
        match head {
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some("xz"),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some("bzip2"),
            [b'L', b'Z', b'I', b'P', ..] => Some("lzip"),
            [0x1f, 0x9d, ..] => Some("compress"),
            [0x02, 0x21, 0x4c, 0x18, ..] => Some("LZ4 of its first format"),
            [b'P', b'K', 3, 4, ..] => Some("zip"),
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Some("7-Zip"),
            _ => None,
        }
    }

    /// Zstd and LZ4 have skippable frames in common. Zstd is the likelier one of a file that begins with a long one: its
    /// WARC files begin with their dictionary.
    fn behind_skippable(head: &[u8]) -> Self {
        let mut rest = head;
        while let Some(length) = skippable(rest) {
            let length = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(8);
            rest = rest.get(length..).unwrap_or_default();
        }
        match Self::of(rest) {
            Compression::Lz4 => Compression::Lz4,
            _ => Compression::Zstd,
        }
    }

    /// What the parts of such a file are called.
    fn part(self) -> &'static str {
        match self {
            Compression::None => "file",
            Compression::Gzip => "gzip member",
            Compression::Zstd => "zstd frame",
            Compression::Lz4 => "LZ4 frame",
        }
    }
}

/// Where the first member or frame starts from `offset` on.
pub(crate) fn member_behind(
    file: OpenFile,
    compression: Compression,
    offset: u64,
) -> io::Result<Option<u64>> {
    search::Search::new(file, compression, None)?.next(offset, false)
}

/// Bytes of the skippable frame that starts here, behind its magic number and its length.
fn skippable(bytes: &[u8]) -> Option<u64> {
    match *bytes {
        [0x50..=0x5f, 0x2a, 0x4d, 0x18, a, b, c, d, ..] => Some(u32::from_le_bytes([a, b, c, d]).into()),
        _ => None,
    }
}
