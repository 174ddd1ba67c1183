//! Excel workbooks: records of cells, strings in a table of their own.
//!
//! Spec: [MS-XLS]; for the strings 2.5.293 `XLUnicodeRichExtendedString` and 2.4.265 `SST`.

use super::{Bounded, f64_at, u16_at, u32_at};
use crate::file::{FileError, FileType};

const FORMULA: u16 = 0x0006;
const FILE_PASS: u16 = 0x002f;
const CONTINUE: u16 = 0x003c;
const MUL_RK: u16 = 0x00bd;
const SST: u16 = 0x00fc;
const LABEL_SST: u16 = 0x00fd;
const NUMBER: u16 = 0x0203;
const LABEL: u16 = 0x0204;
const STRING: u16 = 0x0207;
const RK: u16 = 0x027e;
const BOF: u16 = 0x0809;

/// The cells of all sheets, a row a line.
pub(super) fn text(stream: &[u8]) -> Result<String, FileError> {
    let mut out = Bounded::new(FileType::Xls);
    let mut strings: Vec<String> = Vec::new();
    let mut row = None;
    // Before Excel 97 strings had a byte a character.
    let mut is_wide = true;
    let mut at = 0;
    while let (Some(kind), Some(len)) = (u16_at(stream, at), u16_at(stream, at + 2)) {
        let start = at + 4;
        let end = (start + usize::from(len)).min(stream.len());
        let record = &stream[start..end];
        at = end;
        match kind {
            BOF => {
                is_wide = u16_at(record, 0).unwrap_or(0) >= 0x0600;
                row = None;
                out.push("\n")?;
            }
            FILE_PASS => return Err(FileError::Encrypted(FileType::Xls)),
            SST => {
                let mut segments = vec![record];
                while let (Some(CONTINUE), Some(len)) = (u16_at(stream, at), u16_at(stream, at + 2)) {
                    let end = (at + 4 + usize::from(len)).min(stream.len());
                    segments.push(&stream[at + 4..end]);
                    at = end;
                }
                strings = Strings { segments, segment: 0, at: 8 }.all();
            }
            LABEL_SST | NUMBER | RK | MUL_RK | LABEL | FORMULA => {
                if row != u16_at(record, 0) {
                    row = u16_at(record, 0);
                    out.push("\n")?;
                }
                cell(kind, record, &strings, is_wide, &mut out)?;
                out.push(" ")?;
            }
            STRING => {
                let mut reader = Strings { segments: vec![record], segment: 0, at: 0 };
                out.push(&if is_wide { reader.string().unwrap_or_default() } else { narrow(record, 0) })?;
                out.push(" ")?;
            }
            _ => {}
        }
    }
    Ok(out.text)
}

fn cell(
    kind: u16,
    record: &[u8],
    strings: &[String],
    is_wide: bool,
    out: &mut Bounded,
) -> Result<(), FileError> {
    match kind {
        LABEL_SST => {
            let string = u32_at(record, 6).and_then(|index| strings.get(index as usize));
            out.push(string.map_or("", String::as_str))
        }
        LABEL if is_wide => {
            let mut reader = Strings { segments: vec![record], segment: 0, at: 6 };
            out.push(&reader.string().unwrap_or_default())
        }
        LABEL => out.push(&narrow(record, 6)),
        NUMBER => out.push(&number(f64_at(record, 6))),
        // A formula whose result is no number says so, and its text comes in a record of its own.
        FORMULA if u16_at(record, 12) == Some(0xffff) => Ok(()),
        FORMULA => out.push(&number(f64_at(record, 6))),
        RK => out.push(&number(u32_at(record, 6).map(rk))),
        _ => {
            let mut at = 4;
            while at + 8 <= record.len() {
                out.push(&number(u32_at(record, at + 2).map(rk)))?;
                out.push(" ")?;
                at += 6;
            }
            Ok(())
        }
    }
}

/// A number as it is packed into four bytes.
fn rk(packed: u32) -> f64 {
    let value = match packed & 2 {
        0 => f64::from_bits(u64::from(packed & !3) << 32),
        _ => f64::from(packed as i32 >> 2),
    };
    if packed & 1 == 0 { value } else { value / 100.0 }
}

/// A number in at most 15 digits, as Excel shows it.
fn number(value: Option<f64>) -> String {
    match value {
        Some(value) if value != 0.0 && !(1e-5..1e15).contains(&value.abs()) => format!("{value:e}"),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

fn narrow(record: &[u8], at: usize) -> String {
    let len = usize::from(u16_at(record, at).unwrap_or(0));
    let rest = record.get(at + 2..).unwrap_or_default();
    let bytes = &rest[..rest.len().min(len)];
    encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()
}

/// Reads strings, which may go on in the next record.
struct Strings<'a> {
    segments: Vec<&'a [u8]>,
    segment: usize,
    at: usize,
}

impl Strings<'_> {
    fn all(mut self) -> Vec<String> {
        std::iter::from_fn(|| self.string()).collect()
    }

    fn string(&mut self) -> Option<String> {
        let chars = usize::from(u16::from_le_bytes([self.byte()?, self.byte()?]));
        let flags = self.byte()?;
        let runs =
            if flags & 8 != 0 { usize::from(u16::from_le_bytes([self.byte()?, self.byte()?])) } else { 0 };
        let mut extra = 4 * runs;
        if flags & 4 != 0 {
            let len = [self.byte()?, self.byte()?, self.byte()?, self.byte()?];
            extra = extra.saturating_add(u32::from_le_bytes(len) as usize);
        }
        let mut units: Vec<u16> = Vec::new();
        let mut is_wide = flags & 1 != 0;
        while units.len() < chars {
            if self.at >= self.segments.get(self.segment)?.len() {
                // The rest starts with a flag of its own, which says how wide it is.
                self.segment += 1;
                self.at = 0;
                is_wide = self.byte()? & 1 != 0;
            }
            let low = self.byte()?;
            let high = if is_wide { self.byte()? } else { 0 };
            units.push(u16::from_le_bytes([low, high]));
        }
        while extra > 0 {
            let left = self.segments.get(self.segment)?.len().saturating_sub(self.at);
            let step = left.min(extra);
            self.at += step;
            extra -= step;
            if extra > 0 {
                self.segment += 1;
                self.at = 0;
            }
        }
        Some(String::from_utf16_lossy(&units))
    }

    fn byte(&mut self) -> Option<u8> {
        while self.at >= self.segments.get(self.segment)?.len() {
            self.segment += 1;
            self.at = 0;
        }
        self.at += 1;
        Some(self.segments[self.segment][self.at - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_numbers_are_read() {
        assert_eq!((rk(0x3ff0_0000), rk(4 * 7 + 2), rk((-4i32 as u32) | 3)), (1.0, 7.0, -0.01));
        assert_eq!(number(Some(677.5)), "677.5");
        assert_eq!(number(Some(3.0)), "3");
        assert_eq!(number(Some(1e300)), "1e300");
    }

    #[test]
    fn a_string_goes_on_in_the_next_record_with_a_flag_of_its_own() {
        let first = [3, 0, 0, b'a'];
        let second = [1, 0x41, 0x04, 0x42, 0x04, 1, 0, 0, b'z'];
        let strings = Strings { segments: vec![&first, &second], segment: 0, at: 0 };
        assert_eq!(strings.all(), ["a\u{441}\u{442}", "z"]);
    }
}
