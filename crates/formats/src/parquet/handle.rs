//! The bytes of a Parquet file for the decoder, and what goes wrong with it.

use super::claims::{HEADER, Limits};
use crate::error::Error;
use crate::source::OpenFile;
use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread would be caught and told as damage of a Parquet file, so that a panic hook need not.
pub fn catches_panics() -> bool {
    GUARDED.get()
}

/// Why rows cannot be had.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The disk's fault.
    Disk(io::Error),
    /// The file's own.
    Data(String),
}

impl Trouble {
    /// As an error, where damage has no place: the file was readable before.
    pub(super) fn into_changed(self, path: &Path, row: u64) -> Error {
        match self {
            Trouble::Disk(error) => error.into(),
            Trouble::Data(_) => Error::Changed { path: path.to_owned(), offset: row },
        }
    }

    /// As an error that says what the damage is.
    pub(super) fn into_unsupported(self, path: &Path, row: u64) -> Error {
        match self {
            Trouble::Disk(error) => error.into(),
            Trouble::Data(message) => {
                Error::Unsupported { path: path.to_owned(), message: format!("row {row}: {message}") }
            }
        }
    }
}

/// The file as the decoder reads it. Errors of the disk are kept aside, since the decoder turns them into words.
#[derive(Clone)]
pub(super) struct Handle {
    file: OpenFile,
    size: u64,
    /// Known once the footer is read.
    limits: Option<Arc<Limits>>,
    error: Arc<Mutex<Option<io::Error>>>,
}

impl Handle {
    pub(super) fn new(file: OpenFile) -> io::Result<Self> {
        let size = file.file().metadata()?.len();
        Ok(Handle { file, size, limits: None, error: Arc::default() })
    }

    /// From here on the headers of pages are checked before the decoder believes them.
    pub(super) fn limit(&mut self, limits: Limits) {
        self.limits = Some(Arc::new(limits));
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.file.file().file().read_at(buffer, offset).map_err(|error| {
            let path = self.file.file().path().display();
            let named = io::Error::new(error.kind(), format!("{path}: {error}"));
            *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(named);
            error
        })
    }

    /// Runs the decoder, catching its panics.
    pub(super) fn guard<T, E: ToString>(&self, decode: impl FnOnce() -> Result<T, E>) -> Result<T, Trouble> {
        let outer = GUARDED.replace(true);
        let outcome = catch_unwind(AssertUnwindSafe(decode));
        GUARDED.set(outer);
        let fatal = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (outcome, fatal) {
            (Ok(Ok(value)), _) => Ok(value),
            (_, Some(error)) => Err(Trouble::Disk(error)),
            (Ok(Err(error)), None) => Err(Trouble::Data(error.to_string())),
            (Err(_), None) => Err(Trouble::Data("damaged in a way the decoder does not expect".into())),
        }
    }
}

impl Length for Handle {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Handle {
    type T = BufReader<HandleAt>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        // The decoder reads nothing but headers in this way. It may ask for a reader behind a header it knows and not use it.
        let at = HandleAt { handle: self.clone(), offset: start, limits: self.limits.clone() };
        Ok(BufReader::with_capacity(HEADER, at))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let end = start.checked_add(length as u64);
        if end.is_none_or(|end| end > self.size) {
            let message = format!("expected {length} bytes at byte {start}, found a file of {}", self.size);
            return Err(ParquetError::EOF(message));
        }
        let mut bytes = Vec::with_capacity(length);
        let mut reader = HandleAt { handle: self.clone(), offset: start, limits: None }.take(length as u64);
        if reader.read_to_end(&mut bytes)? != length {
            return Err(ParquetError::EOF(format!("expected {length} bytes, found {}", bytes.len())));
        }
        Ok(bytes.into())
    }
}

/// The file from an offset on, with a position of its own.
pub(super) struct HandleAt {
    handle: Handle,
    offset: u64,
    /// For the header of a page, until it is checked.
    limits: Option<Arc<Limits>>,
}

impl Read for HandleAt {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.handle.read_at(buffer, self.offset)?;
        if count == 0 && !buffer.is_empty() {
            // The decoder does not ask for what is behind the end, but where it skips what a damaged header claims to
            // hold, and that goes on for billions of items if it is not told.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(fault) = self.limits.take().and_then(|limits| limits.fault(self.offset, &buffer[..count]))
        {
            return Err(io::Error::other(fault));
        }
        self.offset += count as u64;
        Ok(count)
    }
}
