//! Office files of before 2007: streams in a compound file, each a format of its own.
//!
//! Spec: [MS-CFB].

mod doc;
mod ppt;
mod xls;

use std::io::{Cursor, Read};

use super::{FileError, FileType, MAX_UNPACKED_BYTES};

/// The text of a DOC, XLS or PPT file.
pub(super) fn text(bytes: &[u8], kind: FileType) -> Result<String, FileError> {
    let error = |reason: String| FileError::Damaged { kind, reason };
    let mut file = cfb::CompoundFile::open(Cursor::new(bytes)).map_err(|found| error(found.to_string()))?;
    let mut stream = |name: &str| -> Result<Vec<u8>, FileError> {
        let mut stream = Vec::new();
        let opened = file.open_stream(name).map_err(|found| error(found.to_string()))?;
        // No stream is larger than its file.
        opened
            .take(bytes.len() as u64)
            .read_to_end(&mut stream)
            .map_err(|found| error(format!("{name}: {found}")))?;
        Ok(stream)
    };
    let text = match kind {
        FileType::Doc => {
            let main = stream("WordDocument")?;
            doc::text(&main, |number| stream(if number == 0 { "0Table" } else { "1Table" }))?
        }
        FileType::Xls => xls::text(&stream("Workbook").or_else(|_| stream("Book"))?)?,
        _ => ppt::text(&stream("PowerPoint Document")?)?,
    };
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    Ok(lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n"))
}

/// Text that may not grow without bound.
struct Bounded {
    text: String,
    kind: FileType,
}

impl Bounded {
    fn new(kind: FileType) -> Self {
        Bounded { text: String::new(), kind }
    }

    fn push(&mut self, text: &str) -> Result<(), FileError> {
        if (self.text.len() + text.len()) as u64 > MAX_UNPACKED_BYTES {
            return Err(FileError::TooLarge(self.kind));
        }
        self.text.push_str(text);
        Ok(())
    }

    fn wide(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.push(&encoding_rs::UTF_16LE.decode_without_bom_handling(bytes).0)
    }

    fn narrow(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.push(&encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0)
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn f64_at(bytes: &[u8], at: usize) -> Option<f64> {
    bytes.get(at..)?.first_chunk().map(|bytes| f64::from_le_bytes(*bytes))
}
