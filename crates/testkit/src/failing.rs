//! Readers and writers that fail after a given number of bytes, as a full disk, a broken connection or a crash would.

use std::io::{self, ErrorKind, Read, Write};

/// What becomes of the call that crosses the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The bytes up to the limit go through, the rest does not: a torn write, a short read and then the error.
    Torn(ErrorKind),
    /// A write that would cross the limit leaves nothing behind; reads behave as with `Torn`.
    Refused(ErrorKind),
    /// No error at all: a reader meets the end of the file there, a writer loses what comes after, as a crash before
    /// the flush would.
    Silent,
}

impl Failure {
    fn error(self, limit: u64) -> Option<io::Error> {
        match self {
            Self::Torn(kind) | Self::Refused(kind) => {
                Some(io::Error::new(kind, format!("planned failure after {limit} bytes")))
            }
            Self::Silent => None,
        }
    }
}

/// Wraps a reader or a writer and lets `limit` bytes through.
#[derive(Clone, Debug)]
pub struct Failing<T> {
    inner: T,
    limit: u64,
    passed: u64,
    failure: Failure,
    failed: bool,
}

impl<T> Failing<T> {
    /// Fails once more than `limit` bytes are asked of it.
    pub fn after(limit: u64, failure: Failure, inner: T) -> Self {
        Self { inner, limit, passed: 0, failure, failed: false }
    }

    /// Whether the limit has been met.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// What was wrapped.
    pub fn into_inner(self) -> T {
        self.inner
    }

    fn left(&self) -> u64 {
        self.limit - self.passed
    }
}

impl<W: Write> Write for Failing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = self.left().min(bytes.len() as u64) as usize;
        if fits == bytes.len() && !self.failed {
            let written = self.inner.write(bytes)?;
            self.passed += written as u64;
            return Ok(written);
        }
        if !self.failed && !matches!(self.failure, Failure::Refused(_)) {
            self.inner.write_all(&bytes[..fits])?;
            self.passed += fits as u64;
        }
        self.failed = true;
        self.failure.error(self.limit).map_or(Ok(bytes.len()), Err)
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.failure.error(self.limit) {
            Some(error) if self.failed => Err(error),
            _ => self.inner.flush(),
        }
    }
}

impl<R: Read> Read for Failing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let fits = self.left().min(buffer.len() as u64) as usize;
        if fits == 0 {
            self.failed = true;
            return self.failure.error(self.limit).map_or(Ok(0), Err);
        }
        let read = self.inner.read(&mut buffer[..fits])?;
        self.passed += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_write_leaves_the_bytes_before_the_limit_and_every_later_call_fails() {
        let mut writer = Failing::after(5, Failure::Torn(ErrorKind::StorageFull), Vec::new());
        writer.write_all(b"abc").unwrap();
        writer.flush().unwrap();
        assert_eq!(writer.write_all(b"defg").unwrap_err().kind(), ErrorKind::StorageFull);
        assert_eq!(writer.write_all(b"h").unwrap_err().kind(), ErrorKind::StorageFull);
        assert_eq!(writer.flush().unwrap_err().to_string(), "planned failure after 5 bytes");
        assert!(writer.has_failed());
        assert_eq!(writer.into_inner(), b"abcde");
    }

    #[test]
    fn a_refused_write_leaves_nothing_of_itself() {
        let mut writer = Failing::after(5, Failure::Refused(ErrorKind::PermissionDenied), Vec::new());
        writer.write_all(b"abc").unwrap();
        assert_eq!(writer.write_all(b"defg").unwrap_err().kind(), ErrorKind::PermissionDenied);
        assert_eq!(writer.into_inner(), b"abc");
    }

    #[test]
    fn a_silent_writer_loses_what_comes_after_the_limit() {
        let mut writer = Failing::after(5, Failure::Silent, Vec::new());
        writer.write_all(b"abcdefg").unwrap();
        writer.write_all(b"h").unwrap();
        writer.flush().unwrap();
        assert_eq!(writer.into_inner(), b"abcde");
    }

    #[test]
    fn a_reader_gives_the_bytes_before_the_limit_and_then_the_error() {
        let mut reader = Failing::after(4, Failure::Torn(ErrorKind::ConnectionReset), &b"abcdefg"[..]);
        let mut read = Vec::new();
        assert_eq!(reader.read_to_end(&mut read).unwrap_err().kind(), ErrorKind::ConnectionReset);
        assert_eq!(read, b"abcd");
    }

    #[test]
    fn a_silent_reader_ends_at_the_limit() {
        let mut read = Vec::new();
        Failing::after(4, Failure::Silent, &b"abcdefg"[..]).read_to_end(&mut read).unwrap();
        assert_eq!(read, b"abcd");
    }

    #[test]
    fn nothing_fails_at_exactly_the_limit() {
        let mut writer = Failing::after(3, Failure::Torn(ErrorKind::StorageFull), Vec::new());
        writer.write_all(b"abc").unwrap();
        assert!(!writer.has_failed());
    }
}
