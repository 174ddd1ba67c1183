//! The first bytes of a file, decompressed, from the first on that is not blank.

use crate::compress::{Compression, Decoder};
use crate::sniff::is_one_document;
use crate::source::{Format, OpenFile};
use std::io::{self, Read};

/// Decompressed bytes looked at.
const HEAD: usize = 1 << 16;
/// Decompressed bytes looked at where the first are of no use: twice a document of the largest size, by default.
const FURTHEST: usize = 1 << 26;

/// The start of a file.
#[derive(Default)]
pub(super) struct Head {
    /// The first decompressed bytes that are not blank.
    pub(super) head: Vec<u8>,
    /// Those behind the gap that ended them, if one did.
    pub(super) behind: Vec<u8>,
    /// The first error.
    pub(super) fault: Option<io::Error>,
}

/// The start of a compressed file.
pub(super) fn decode(file: OpenFile, compression: Compression) -> io::Result<Head> {
    let mut decoder = Decoder::new(file, compression)?;
    let mut found = Head::default();
    loop {
        let mut stretch = Vec::new();
        let ended = read_head(&mut decoder, &mut stretch);
        let is_blank = found.head.trim_ascii().is_empty();
        *(if is_blank { &mut found.head } else { &mut found.behind }) = stretch;
        let Err(error) = ended else { return Ok(found) };
        let goes_on = decoder.resume(&error)?.is_some();
        found.fault = found.fault.or(Some(error));
        if !goes_on || !is_blank {
            return Ok(found);
        }
    }
}

/// What `tell` makes of one of the stretches behind the first, where that is no file of one document.
pub(super) fn later(mut decoder: Decoder, tell: impl Fn(&[u8]) -> Format) -> io::Result<Option<Format>> {
    let (mut stretch, mut left) = (Vec::new(), FURTHEST / HEAD);
    while left > 0 {
        left -= 1;
        stretch.clear();
        let outcome = (&mut decoder).take(HEAD as u64).read_to_end(&mut stretch);
        let format = if stretch.is_empty() { Format::File } else { tell(&stretch) };
        if !is_one_document(format) {
            return Ok(Some(format));
        }
        match outcome {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(error) => {
                if decoder.resume(&error)?.is_none() {
                    return Ok(None);
                }
            }
        }
    }
    Ok(None)
}

/// Reads the start of a file. Where blanks fill it, they are passed over, however many they are; one is left of a file of
/// nothing else.
pub(super) fn read_head(reader: &mut impl Read, head: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let missing = HEAD - head.len();
        reader.take(missing as u64).read_to_end(head)?;
        let blanks = head.len() - head.trim_ascii_start().len();
        if head.len() < HEAD || blanks == 0 {
            return Ok(());
        }
        head.drain(..blanks.min(HEAD - 1));
    }
}

/// The first bytes as they are.
pub(super) fn read_up_to(reader: &mut impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(limit as u64).read_to_end(&mut head)?;
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_passed_over_and_never_all_of_them() {
        let head = |blanks: usize, words: &str| {
            let mut head = Vec::new();
            read_head(&mut ("\n".repeat(blanks) + words).as_bytes(), &mut head).unwrap();
            String::from_utf8(head).unwrap()
        };
        assert_eq!(head(3, "words"), "\n\n\nwords");
        for blanks in [HEAD - 5, HEAD - 1, HEAD, HEAD + 1, 3 * HEAD - 2, 5 * HEAD] {
            assert_eq!(head(blanks, "words").trim_start(), "words", "{blanks}");
            assert_eq!(head(blanks, &"x".repeat(2 * HEAD)).trim_start().len(), HEAD, "{blanks}");
            let only = head(blanks, "");
            assert!(!only.is_empty() && only.trim_start().is_empty(), "{blanks}");
        }
        assert_eq!(head(0, ""), "");
    }
}
