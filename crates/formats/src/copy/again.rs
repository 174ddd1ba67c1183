//! A compressed stream that is decompressed, edited and compressed again.
//!
//! Where a member or frame of the source begins, one begins in the copy, so that records which could be read one by one still
//! can be. Those of which nothing is left are left out.

use super::gather::Gather;
use super::{Edit, Replacement};
use crate::compress::{Decoder, Encoder};
use crate::error::Error;
use crate::source::Source;
use crate::stream::GAP;
use std::io::{self, Read, Write};

pub(super) fn copy_stream(
    source: &Source,
    edits: &mut dyn Iterator<Item = Edit>,
    replacement: &mut Replacement<'_>,
    out: fs_err::File,
) -> Result<fs_err::File, Error> {
    let decoder = Decoder::new(source.open()?, source.compression)?;
    let mut input = Input { member: decoder.member(), decoder, is_next: false };
    let encoder = Encoder::new(Gather::new(out, source.size), source.compression)?;
    let mut output = Output { encoder: Some(encoder), is_begun: false };
    let (mut at, mut record, mut new) = (0, Vec::new(), Vec::new());
    let changed = |offset| Error::Changed { path: source.path.clone(), offset };
    for edit in edits {
        let length = edit.offset - at;
        if input.pump(length, |bytes, is_next| output.write(bytes, is_next))? < length {
            return Err(changed(at));
        }
        if edit.replace {
            record.clear();
            // The new record begins a member if the old one did.
            let mut begins = false;
            let read = input.pump(edit.length, |bytes, is_next| {
                begins |= is_next && record.is_empty();
                record.extend_from_slice(bytes);
                Ok(())
            })?;
            if read < edit.length {
                return Err(changed(edit.offset));
            }
            new.clear();
            replacement(&edit, &record, &mut new)?;
            output.write(&new, begins)?;
        } else {
            // What is left out may be of any size, and may end in the damage it was left out for.
            let mut begins = false;
            input.pump(edit.length, |_, is_next| {
                begins |= is_next;
                Ok(())
            })?;
            input.is_next |= begins;
        }
        at = edit.offset + edit.length;
    }
    input.pump(u64::MAX, |bytes, is_next| output.write(bytes, is_next))?;
    output.finish()
}

struct Input {
    decoder: Decoder,
    /// Where the member starts that was read from last.
    member: u64,
    /// Whether a member began since bytes were last used.
    is_next: bool,
}

impl Input {
    /// Hands over up to `limit` bytes, gaps counted as addresses count them, with whether they are the first of a member; fewer
    /// where the stream ends or is damaged to its end. Damage has been named when the stream was first read. Errors of the
    /// disk and of the writer are errors.
    fn pump(
        &mut self,
        limit: u64,
        mut use_bytes: impl FnMut(&[u8], bool) -> io::Result<()>,
    ) -> Result<u64, Error> {
        let mut buffer = [0; 1 << 14];
        let mut pumped = 0;
        while pumped < limit {
            let wanted = buffer.len().min(usize::try_from(limit - pumped).unwrap_or(usize::MAX));
            match self.decoder.read(&mut buffer[..wanted]) {
                Ok(0) => break,
                Ok(count) => {
                    let is_next = self.is_next || self.decoder.member() != self.member;
                    (self.member, self.is_next) = (self.decoder.member(), false);
                    use_bytes(&buffer[..count], is_next)?;
                    pumped += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => match self.decoder.resume(&error)? {
                    Some(_) => pumped += GAP,
                    None => break,
                },
            }
        }
        Ok(pumped)
    }
}

struct Output {
    /// Always there but for a moment between two members.
    encoder: Option<Encoder<Gather>>,
    /// Whether the member that is being written holds anything.
    is_begun: bool,
}

impl Output {
    fn write(&mut self, bytes: &[u8], is_next: bool) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        if is_next && self.is_begun {
            self.encoder = self.encoder.take().map(Encoder::restart).transpose()?;
        }
        self.is_begun = true;
        self.encoder.as_mut().map_or(Ok(()), |encoder| encoder.write_all(bytes))
    }

    fn finish(self) -> Result<fs_err::File, Error> {
        let encoder = self.encoder.ok_or_else(|| io::Error::other("a writer that failed is not finished"))?;
        Ok(encoder.finish()?.finish()?)
    }
}
