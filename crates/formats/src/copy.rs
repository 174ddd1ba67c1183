//! A source again, without some of its records or with others in their place.
//!
//! Where addresses are in the file, the stretches between edits are copied as they are, compressed members
//! included, by the kernel where it can. A compressed stream is decompressed, edited and compressed anew.

use crate::compress::{Compression, Decoder, Encoder};
use crate::error::Error;
use crate::fetch::Fetcher;
use crate::source::{Layout, Source};
use std::io::{self, BufWriter, Read, Write};

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
    let mut out = BufWriter::with_capacity(1 << 16, out);
    for edit in edits {
        copy_range(&input, &mut out, at, edit.offset - at)?;
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
    copy_range(&input, &mut out, at, source.size.saturating_sub(at))?;
    out.into_inner().map_err(|error| error.into_error().into())
}

/// Shorter stretches go through the buffer, longer ones from file to file.
const DIRECT: u64 = 1 << 15;

fn copy_range(
    input: &crate::source::OpenFile,
    out: &mut BufWriter<fs_err::File>,
    offset: u64,
    length: u64,
) -> Result<(), Error> {
    if length == 0 {
        return Ok(());
    }
    input.seek_to(offset)?;
    let file = input.file().file();
    let copied = if length < DIRECT {
        io::copy(&mut file.take(length), out)?
    } else {
        out.flush()?;
        let path = out.get_ref().path().to_owned();
        io::copy(&mut file.take(length), &mut out.get_ref().file())
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?
    };
    if copied < length {
        return Err(Error::Changed { path: input.file().path().to_owned(), offset });
    }
    Ok(())
}

fn copy_stream(
    source: &Source,
    edits: &mut dyn Iterator<Item = Edit>,
    replacement: &mut Replacement<'_>,
    out: fs_err::File,
) -> Result<fs_err::File, Error> {
    let file = source.open()?;
    let mut decoder = Decoder::new(file.share(), source.compression)?;
    let mut out = Encoder::new(BufWriter::with_capacity(1 << 16, out), source.compression)?;
    let (mut at, mut record, mut new) = (0, Vec::new(), Vec::new());
    let copy = |decoder: &mut Decoder, out: &mut dyn Write, length: u64| -> Result<u64, Error> {
        io::copy(&mut decoder.take(length), out).map_err(|error| file.take_error().unwrap_or(error).into())
    };
    let changed = |offset| Error::Changed { path: source.path.clone(), offset };
    for edit in edits {
        let length = edit.offset - at;
        if copy(&mut decoder, &mut out, length)? < length {
            return Err(changed(at));
        }
        record.clear();
        match copy(&mut decoder, &mut record, edit.length) {
            Ok(count) if count == edit.length => {}
            // The last record of damaged data, left out, ends in the damage.
            _ if !edit.replace => {
                at = u64::MAX;
                break;
            }
            Ok(_) => return Err(changed(edit.offset)),
            Err(error) => return Err(error),
        }
        if edit.replace {
            new.clear();
            replacement(&edit, &record, &mut new)?;
            out.write_all(&new)?;
        }
        at = edit.offset + edit.length;
    }
    if at != u64::MAX {
        match io::copy(&mut decoder, &mut out) {
            Ok(_) => {}
            Err(error) => {
                if let Some(fatal) = file.take_error() {
                    return Err(fatal.into());
                }
                // Damage behind the last record has been named as bad; the writer's own errors are not of its kinds.
                if !matches!(
                    error.kind(),
                    io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
                ) {
                    return Err(error.into());
                }
            }
        }
    }
    out.finish()?.into_inner().map_err(|error| error.into_error().into())
}
