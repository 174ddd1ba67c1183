//! A source again, without some of its records or with others in their place.
//!
//! Where addresses are in the file, the stretches between edits are copied as they are, compressed members included. A
//! compressed stream is decompressed, edited and compressed anew, in members or frames that begin where its own did.

mod again;
mod gather;

use crate::compress::{Compression, Encoder};
use crate::error::Error;
use crate::fetch::Fetcher;
use crate::source::{Layout, Source};
use again::copy_stream;
use gather::Gather;
use std::io::Write;

/// What happens to one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Address of the record.
    pub offset: u64,
    /// Its length.
    pub length: u64,
    /// Whether other bytes take its place; else it is left out.
    pub replace: bool,
}

/// Gets an edit and the bytes of its record and appends what takes its place.
pub type Replacement<'a> = dyn FnMut(&Edit, &[u8], &mut Vec<u8>) -> Result<(), Error> + 'a;

/// Copies a source to `out` with `edits`, which are in order of address.
pub fn copy_edited(
    source: &Source,
    edits: &mut dyn Iterator<Item = Edit>,
    replacement: &mut Replacement<'_>,
    out: fs_err::File,
) -> Result<fs_err::File, Error> {
    match source.layout {
        Layout::Plain | Layout::Members => copy_file(source, edits, replacement, out),
        Layout::Stream => copy_stream(source, edits, replacement, out),
        Layout::Rows => Err(Error::Unsupported {
            path: source.path.clone(),
            message: "rows are not copied by address".into(),
        }),
    }
}

fn copy_file(
    source: &Source,
    edits: &mut dyn Iterator<Item = Edit>,
    replacement: &mut Replacement<'_>,
    out: fs_err::File,
) -> Result<fs_err::File, Error> {
    let mut fetcher = Fetcher::open(source)?.ok_or_else(|| Error::NotFound(source.path.clone()))?;
    let input = source.open()?;
    let (mut at, mut record, mut new) = (0, Vec::new(), Vec::new());
    let mut out = Gather::new(out, source.size);
    for edit in edits {
        out.take(&input, at, edit.offset - at)?;
        if edit.replace {
            fetcher.fetch(edit.offset, edit.length, &mut record)?;
            new.clear();
            replacement(&edit, &record, &mut new)?;
            if source.layout == Layout::Members {
                let mut member = Encoder::new(&mut out, Compression::Gzip)?;
                member.write_all(&new)?;
                member.finish()?;
            } else {
                out.write_all(&new)?;
            }
        }
        at = edit.offset + edit.length;
    }
    out.take(&input, at, source.size.saturating_sub(at))?;
    // A gzip file of no members is none.
    if source.layout == Layout::Members && out.is_empty() {
        Encoder::new(&mut out, Compression::Gzip)?.finish()?;
    }
    Ok(out.finish()?)
}
