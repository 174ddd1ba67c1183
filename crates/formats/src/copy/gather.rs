//! Stretches of a file gathered into large writes.
//!
//! A file written in parts of some hundred kilobytes costs about half the processor time of one that the kernel splices
//! together from stretches of some records each: its pages come in large folios, not one by one. Larger parts cost no less,
//! and at times several times as much, where the kernel has to make room for folios of their size.
//!
//! A large file is written past the kernel's cache, where the file system lets it: nobody reads all of it at once, what
//! others have in the cache stays there, and no fresh memory is needed, which on a virtual machine may cost four times
//! the copy.

use crate::error::Error;
use crate::source::OpenFile;
use fs_err::os::unix::fs::FileExt;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::io::{self, Write};

/// Bytes of a write through the cache.
const WRITE_BYTES: usize = 1 << 18;
/// Bytes of a write past it.
const DIRECT_BYTES: usize = 1 << 20;
/// Files that may become as large as this are written past it.
const LARGE: u64 = 1 << 25;
/// Addresses and lengths of such writes are multiples of this.
const ALIGNED: usize = 1 << 12;

/// Gathers what goes into a file.
pub(super) struct Gather {
    memory: Vec<u8>,
    /// Where in memory the buffer begins.
    start: usize,
    size: usize,
    filled: usize,
    written: u64,
    /// Whether writes go past the cache.
    direct: bool,
    out: fs_err::File,
}

impl Gather {
    /// For an empty file that will have about so many bytes.
    pub(super) fn new(out: fs_err::File, expected: u64) -> Self {
        let direct = expected >= LARGE && set_direct(&out, true).is_ok();
        let size = if direct { DIRECT_BYTES } else { WRITE_BYTES };
        let memory = vec![0; size + ALIGNED];
        let start = memory.as_ptr().align_offset(ALIGNED).min(ALIGNED);
        Gather { memory, start, size, filled: 0, written: 0, direct, out }
    }

    /// What is free of the buffer.
    fn rest(&mut self) -> &mut [u8] {
        &mut self.memory[self.start + self.filled..self.start + self.size]
    }

    /// Appends a stretch of another file.
    pub(super) fn take(&mut self, input: &OpenFile, mut offset: u64, length: u64) -> Result<(), Error> {
        let end = offset + length;
        while offset < end {
            let rest = self.rest();
            let wanted = rest.len().min(usize::try_from(end - offset).unwrap_or(usize::MAX));
            match input.file().read_at(&mut rest[..wanted], offset) {
                Ok(0) => return Err(Error::Changed { path: input.file().path().to_owned(), offset }),
                Ok(count) => {
                    self.filled += count;
                    offset += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
            self.write_if_full()?;
        }
        Ok(())
    }

    /// Whether nothing was taken or written so far.
    pub(super) fn is_empty(&self) -> bool {
        self.filled == 0 && self.written == 0
    }

    fn write_if_full(&mut self) -> io::Result<()> {
        if self.filled == self.size { self.write_out() } else { Ok(()) }
    }

    fn write_out(&mut self) -> io::Result<()> {
        let mut bytes = &self.memory[self.start..self.start + std::mem::take(&mut self.filled)];
        self.written += bytes.len() as u64;
        while !bytes.is_empty() {
            if self.direct && !bytes.len().is_multiple_of(ALIGNED) {
                // The end of the file.
                set_direct(&self.out, false)?;
                self.direct = false;
            }
            match self.out.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // This file system wants something else.
                Err(error) if self.direct && error.kind() == io::ErrorKind::InvalidInput => {
                    set_direct(&self.out, false)?;
                    self.direct = false;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The file, once everything is in it.
    pub(super) fn finish(mut self) -> io::Result<fs_err::File> {
        self.write_out()?;
        if self.direct {
            set_direct(&self.out, false)?;
        }
        Ok(self.out)
    }
}

/// Sets whether writes to a file go past the cache.
fn set_direct(file: &fs_err::File, direct: bool) -> io::Result<()> {
    let mut flags = fcntl_getfl(file.file())?;
    flags.set(OFlags::DIRECT, direct);
    Ok(fcntl_setfl(file.file(), flags)?)
}

impl Write for Gather {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let rest = self.rest();
        let taken = bytes.len().min(rest.len());
        rest[..taken].copy_from_slice(&bytes[..taken]);
        self.filled += taken;
        self.write_if_full()?;
        Ok(taken)
    }

    /// Nothing is written before a buffer is full, or all is there.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Read;

    #[test]
    fn what_goes_past_the_cache_is_what_was_written() {
        let bytes: Vec<u8> = (0..3 * DIRECT_BYTES as u64 + 17).map(|n| ((n * n) >> 7) as u8).collect();
        for (expected, length) in [
            (LARGE, bytes.len()),
            (LARGE, DIRECT_BYTES),
            (LARGE, 5),
            (LARGE, 0),
            (0, bytes.len()),
            (0, WRITE_BYTES + 1),
        ] {
            let file = tempfile::NamedTempFile::new().unwrap();
            let mut gather = Gather::new(fs_err::File::create(file.path()).unwrap(), expected);
            assert!(gather.is_empty());
            // Parts of odd sizes.
            bytes[..length].chunks(99_991).for_each(|part| gather.write_all(part).unwrap());
            let mut out = gather.finish().unwrap();
            // What is appended later goes through the cache again.
            out.write_all(b"end").unwrap();
            let mut found = Vec::new();
            fs_err::File::open(file.path()).unwrap().read_to_end(&mut found).unwrap();
            assert!(found == [&bytes[..length], b"end"].concat(), "{expected} {length}");
        }
    }
}
