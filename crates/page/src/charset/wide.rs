//! UTF-16 and UTF-32 without a byte order mark, and UTF-32 at all.
//!
//! Text in other encodings has no NUL. So where there are NULs the order of bytes is sought by which all units
//! are characters of text, most of them ASCII, or nearly all of Chinese, Japanese or Korean; images and programs
//! have units that are not of a text.

use std::borrow::Cow;

use encoding_rs::{REPLACEMENT, UTF_16BE, UTF_16LE};
use memchr::memchr;

use super::{Decoded, decode_as};

/// How much of the input is looked at.
const SAMPLE_BYTES: usize = 4096;

/// Encodings in units of two or four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide {
    Utf16Le,
    Utf16Be,
    Utf32Le,
    Utf32Be,
}

impl Wide {
    /// UTF-32 by its byte order mark, and the mark's length. UTF-16 is left to the standard's rule: its mark
    /// followed by a NUL character would be no text.
    pub(super) fn for_bom(bytes: &[u8]) -> Option<(Wide, usize)> {
        match bytes {
            [0xff, 0xfe, 0, 0, ..] => Some((Wide::Utf32Le, 4)),
            [0, 0, 0xfe, 0xff, ..] => Some((Wide::Utf32Be, 4)),
            _ => None,
        }
    }

    /// Finds out by the first bytes, which must have a NUL among them.
    pub(crate) fn detect(bytes: &[u8]) -> Option<Wide> {
        let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
        memchr(0, sample)?;
        if is_text_with_nul(sample) {
            return None;
        }
        let all = [Wide::Utf32Le, Wide::Utf32Be, Wide::Utf16Le, Wide::Utf16Be];
        let mut best = None;
        for wide in all {
            let score = wide.score(sample);
            if score > best.map_or((0, 0), |(score, _)| score) {
                best = Some((score, wide));
            }
        }
        best.map(|(_, wide)| wide)
    }

    /// How many units are ASCII, and how many of the scripts that do without; nothing if some unit is not of a text.
    fn score(self, sample: &[u8]) -> (usize, usize) {
        let (mut ascii, mut spaceless, mut units) = (0, 0, 0);
        let mut check = |char: char| {
            let is_ascii = matches!(char, '\t' | '\n' | '\r' | ' '..='~');
            ascii += usize::from(is_ascii);
            spaceless += usize::from(is_spaceless(char));
            units += 1;
            is_ascii || (char >= '\u{a0}' && !is_no_text(char))
        };
        let is_text = match self {
            Wide::Utf32Le | Wide::Utf32Be => {
                sample.len().is_multiple_of(4)
                    && sample
                        .chunks_exact(4)
                        .all(|unit| char::from_u32(self.utf32_unit(unit)).is_some_and(&mut check))
            }
            Wide::Utf16Le | Wide::Utf16Be => {
                let is_big = self == Wide::Utf16Be;
                let number = |unit: &[u8]| {
                    let unit = [unit[0], unit[1]];
                    if is_big { u16::from_be_bytes(unit) } else { u16::from_le_bytes(unit) }
                };
                let mut chars = char::decode_utf16(sample.chunks_exact(2).map(number)).peekable();
                let mut is_text = sample.len().is_multiple_of(2);
                while let Some(char) = chars.next() {
                    // The sample may end inside a pair.
                    is_text &= char.map_or(chars.peek().is_none(), &mut check);
                }
                is_text
            }
        };
        if is_text && (ascii > 0 || spaceless * 5 >= units * 4) { (ascii, spaceless) } else { (0, 0) }
    }

    fn utf32_unit(self, unit: &[u8]) -> u32 {
        let unit = [unit[0], unit[1], unit[2], unit[3]];
        if self == Wide::Utf32Be { u32::from_be_bytes(unit) } else { u32::from_le_bytes(unit) }
    }

    pub(crate) fn decode(self, bytes: &[u8]) -> Decoded<'_> {
        let charset = match self {
            Wide::Utf16Le => return decode_as(UTF_16LE, bytes),
            Wide::Utf16Be => return decode_as(UTF_16BE, bytes),
            Wide::Utf32Le => "UTF-32LE",
            Wide::Utf32Be => "UTF-32BE",
        };
        let mut replaced = 0;
        let mut text = String::with_capacity(bytes.len() / 4);
        let units = bytes.chunks_exact(4);
        let is_cut = !units.remainder().is_empty();
        for unit in units {
            match char::from_u32(self.utf32_unit(unit)) {
                Some(char) => text.push(char),
                None => {
                    replaced += 1;
                    text.push('\u{fffd}');
                }
            }
        }
        if is_cut {
            replaced += 1;
            text.push('\u{fffd}');
        }
        Decoded { text: Cow::Owned(text), encoding: REPLACEMENT, charset, malformed: replaced > 0, replaced }
    }
}

/// Whether bytes are text in UTF-8, as far as they go, but for a few NULs in it: two letters of ASCII are one of Chinese. What
/// has units of two bytes has control characters or bytes beyond ASCII, too, or is half NUL.
fn is_text_with_nul(bytes: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < 0x20 && *byte != 0 && !byte.is_ascii_whitespace();
    let is_utf8 = std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_utf8 && !bytes.iter().any(is_control) && memchr::memchr_iter(0, bytes).count() * 8 < bytes.len()
}

/// Noncharacters and private use.
const fn is_no_text(char: char) -> bool {
    let number = char as u32;
    number & 0xfffe == 0xfffe || matches!(number, 0xfdd0..=0xfdef | 0xe000..=0xf8ff | 0xf0000..)
}

/// Han, kana, hangul and their punctuation, which may go for long without a blank.
const fn is_spaceless(char: char) -> bool {
    matches!(char, '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff00}'..='\u{ffef}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;

    fn in_all(text: &str) -> [(Wide, &'static str, Vec<u8>); 4] {
        [
            (Wide::Utf16Le, "UTF-16LE", text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            (Wide::Utf16Be, "UTF-16BE", text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            (
                Wide::Utf32Le,
                "UTF-32LE",
                text.chars().flat_map(|char| u32::from(char).to_le_bytes()).collect(),
            ),
            (
                Wide::Utf32Be,
                "UTF-32BE",
                text.chars().flat_map(|char| u32::from(char).to_be_bytes()).collect(),
            ),
        ]
    }

    #[test]
    fn wide_text_is_told_without_a_mark() {
        for text in
            ["plain", "<p>Größe</p>", "吾輩は猫である。\n名前はまだ無い。", "👍 ok", &"猫\n".repeat(3000)]
        {
            for (wide, charset, bytes) in in_all(text) {
                assert_eq!(Wide::detect(&bytes), Some(wide), "{text:.20}");
                let decoded = decode(&bytes, None, true);
                assert_eq!((decoded.charset, decoded.replaced, &*decoded.text), (charset, 0, text));
            }
        }
    }

    #[test]
    fn other_bytes_are_not_wide() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0";
        for bytes in [
            &b"plain"[..],
            b"a\0b",
            b"text with \0 a NUL or two \0 in it",
            "caf\u{e9} au \0 lait.".as_bytes(),
            b"nul at the end\0\0",
            png,
            b"\0\0\0\0",
            b"",
        ] {
            assert_eq!(Wide::detect(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn a_mark_of_utf32_is_not_taken_for_utf16() {
        let decoded = decode(b"\xff\xfe\0\0a\0\0\0\xff\xff\xff\xffb", None, false);
        assert_eq!((&*decoded.text, decoded.charset, decoded.replaced), ("a\u{fffd}\u{fffd}", "UTF-32LE", 2));
    }
}
