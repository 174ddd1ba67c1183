//! PDF to text.
//!
//! A reader of our own over `flate2` and `weezl`: what a hostile file can ask for must be bounded as a whole, and the
//! libraries bound a stream at most (docs/decisions/0012-file-types.md). Objects are found by their `n g obj` marks
//! and not by the table of the file, which is wrong or cut often enough; each is parsed within its own bytes. All
//! that is parsed or unpacked is paid from one [`Budget`], so cycles and repetitions end in an error.
//!
//! Lines are put together from the places the text is shown at. Text that is only a picture is not read, and
//! encrypted files are not opened.
//!
//! Spec: ISO 32000-1:2008.

mod cmap;
mod content;
mod document;
mod filter;
mod font;
mod glyphs;
mod object;

use document::Document;

use super::{FileError, FileType};

/// Bytes that may be parsed and unpacked for one file.
const MAX_WORK_BYTES: usize = 192 << 20;

/// What is left of the work one file may cause.
struct Budget {
    left: usize,
}

impl Budget {
    /// Pays for bytes.
    fn pay(&mut self, bytes: usize) -> Result<(), FileError> {
        self.left = self.left.checked_sub(bytes).ok_or(FileError::TooLarge(FileType::Pdf))?;
        Ok(())
    }
}

/// Text and title of a PDF file.
pub(super) fn text(bytes: &[u8]) -> Result<(String, String), FileError> {
    let mut budget = Budget { left: MAX_WORK_BYTES };
    let document = Document::open(bytes, &mut budget)?;
    let mut reader = content::Reader::new(&document);
    let mut pages = 0;
    document.each_page(&mut budget, |page, resources, budget| {
        pages += 1;
        reader.page(page, resources, budget)
    })?;
    if pages == 0 {
        return Err(damaged("no page found"));
    }
    let title = document.title(&mut budget)?;
    let lines = reader.out.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok((lines.collect::<Vec<_>>().join("\n"), title))
}

fn damaged(reason: &str) -> FileError {
    FileError::Damaged { kind: FileType::Pdf, reason: reason.to_owned() }
}

#[cfg(test)]
mod tests;
