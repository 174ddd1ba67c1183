//! Stretches of a file gathered into large writes.
//!
//! A file written in parts of some hundred kilobytes costs about half the processor time of one that the kernel splices
//! together from stretches of some records each: its pages come in large folios, not one by one. Larger parts cost no less,
//! and at times several times as much, where the kernel has to make room for folios of their size.

use crate::error::Error;
use crate::source::OpenFile;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

/// Bytes of a write.
const WRITE_BYTES: usize = 1 << 18;

/// Gathers what goes into a file.
pub(super) struct Gather {
    buffer: Vec<u8>,
    filled: usize,
    written: u64,
    out: fs_err::File,
}

impl Gather {
    pub(super) fn new(out: fs_err::File) -> Self {
        Gather { buffer: vec![0; WRITE_BYTES], filled: 0, written: 0, out }
    }

    /// Appends a stretch of another file.
    pub(super) fn take(&mut self, input: &OpenFile, mut offset: u64, length: u64) -> Result<(), Error> {
        let end = offset + length;
        while offset < end {
            let wanted =
                (self.buffer.len() - self.filled).min(usize::try_from(end - offset).unwrap_or(usize::MAX));
            let place = &mut self.buffer[self.filled..self.filled + wanted];
            match input.file().file().read_at(place, offset) {
                Ok(0) => return Err(Error::Changed { path: input.file().path().to_owned(), offset }),
                Ok(count) => {
                    self.filled += count;
                    offset += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let message = format!("{}: {error}", input.file().path().display());
                    return Err(io::Error::new(error.kind(), message).into());
                }
            }
            self.flush_if_full()?;
        }
        Ok(())
    }

    /// Whether nothing was taken or written so far.
    pub(super) fn is_empty(&self) -> bool {
        self.filled == 0 && self.written == 0
    }

    fn flush_if_full(&mut self) -> io::Result<()> {
        if self.filled == self.buffer.len() { self.flush() } else { Ok(()) }
    }

    /// The file, once everything is in it.
    pub(super) fn finish(mut self) -> io::Result<fs_err::File> {
        self.flush()?;
        Ok(self.out)
    }
}

impl Write for Gather {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.buffer.len() - self.filled);
        self.buffer[self.filled..self.filled + taken].copy_from_slice(&bytes[..taken]);
        self.filled += taken;
        self.flush_if_full()?;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        let filled = std::mem::take(&mut self.filled);
        self.written += filled as u64;
        self.out.write_all(&self.buffer[..filled])
    }
}
