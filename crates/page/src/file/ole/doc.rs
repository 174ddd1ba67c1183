//! Word documents: a text in pieces, which a table puts in order.
//!
//! Spec: [MS-DOC], 2.4.1 "Retrieving Text".

use super::{Bounded, u16_at, u32_at};
use crate::file::{FileError, FileType};

/// From this number on the text is in pieces: Word 97.
const WORD_97: u16 = 0xc1;
/// A piece with this bit has a byte a character.
const NARROW: u32 = 1 << 30;

/// The text of a document; `table` gives the stream of tables with that number.
pub(super) fn text(
    main: &[u8],
    table: impl FnOnce(u16) -> Result<Vec<u8>, FileError>,
) -> Result<String, FileError> {
    let damaged = |reason: &str| FileError::Damaged { kind: FileType::Doc, reason: reason.to_owned() };
    let (Some(version), Some(flags)) = (u16_at(main, 2), u16_at(main, 0x0a)) else {
        return Err(damaged("too short for its header"));
    };
    if flags & 0x100 != 0 {
        return Err(FileError::Encrypted(FileType::Doc));
    }
    let mut out = Bounded::new(FileType::Doc);
    if version < WORD_97 {
        let range = u32_at(main, 0x18).zip(u32_at(main, 0x1c));
        let text = range.and_then(|(start, end)| main.get(start as usize..end as usize));
        out.narrow(text.ok_or_else(|| damaged("its text is outside of it"))?)?;
        return Ok(plain(&out.text));
    }
    let table = table(flags >> 9 & 1)?;
    let place = u32_at(main, 0x1a2).zip(u32_at(main, 0x1a6));
    let pieces = place.and_then(|(start, len)| table.get(start as usize..)?.get(..len as usize));
    let pieces = pieces.and_then(piece_table).ok_or_else(|| damaged("no table of pieces"))?;
    // The main text, then the notes; headers and comments come behind them.
    let wanted = u64::from(u32_at(main, 0x4c).unwrap_or(0)) + u64::from(u32_at(main, 0x50).unwrap_or(0));
    let count = pieces.len().saturating_sub(4) / 12;
    for piece in 0..count {
        let (Some(from), Some(to)) = (u32_at(pieces, 4 * piece), u32_at(pieces, 4 * piece + 4)) else {
            break;
        };
        let to = u64::from(to).min(wanted) as usize;
        let Some(place) = u32_at(pieces, 4 * (count + 1) + 8 * piece + 2) else { break };
        let len = to.saturating_sub(from as usize);
        let start = (place & !NARROW) as usize;
        if place & NARROW != 0 {
            out.narrow(cut(main, start / 2, len))?;
        } else {
            out.wide(cut(main, start, len.saturating_mul(2)))?;
        }
    }
    Ok(plain(&out.text))
}

fn cut(bytes: &[u8], start: usize, len: usize) -> &[u8] {
    let rest = bytes.get(start..).unwrap_or_default();
    &rest[..rest.len().min(len)]
}

/// The table of pieces, which comes behind changes of format.
fn piece_table(mut bytes: &[u8]) -> Option<&[u8]> {
    loop {
        match bytes.first()? {
            1 => bytes = bytes.get(3 + usize::from(u16_at(bytes, 1)?)..)?,
            2 => return bytes.get(5..)?.get(..u32_at(bytes, 1)? as usize),
            _ => return None,
        }
    }
}

/// Text without the characters that stand for something else.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Fields: what they ask for is hidden, what they show is not.
    let mut hidden = 0usize;
    let mut ended_cell = false;
    for char in text.chars() {
        let ends_cell = char == '\x07';
        match char {
            '\x13' => hidden += 1,
            '\x14' | '\x15' if hidden > 0 => hidden -= 1,
            _ if hidden > 0 => {}
            '\x07' => out.push(if ended_cell { '\n' } else { ' ' }),
            '\r' | '\x0b' | '\x0c' => out.push('\n'),
            '\x1e' => out.push('-'),
            '\t' => out.push(' '),
            _ if char.is_control() => {}
            _ => out.push(char),
        }
        ended_cell = ends_cell;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_show_their_result_only() {
        assert_eq!(plain("see \x13 HYPERLINK \"x\" \x14here\x15.\rA\x07B\x07\x07C"), "see here.\nA B \nC");
    }

    #[test]
    fn pieces_may_be_anywhere_and_still_give_bounded_text() {
        let mut main = vec![0u8; 0x200];
        main[2..4].copy_from_slice(&0xc1u16.to_le_bytes());
        main[0x4c..0x50].copy_from_slice(&u32::MAX.to_le_bytes());
        main[0x1a6..0x1aa].copy_from_slice(&1000u32.to_le_bytes());
        assert!(text(&main, |_| Ok(vec![2, 0xff, 0xff, 0xff, 0xff])).is_err());
        assert!(text(&main[..20], |_| Ok(Vec::new())).is_err());
    }
}
