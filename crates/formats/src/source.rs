//! One input file: what it is, told by its content.

use crate::bad::BadRecord;
use crate::compress::Compression;
use crate::error::Error;
use crate::sniff;
use fs_err::os::unix::fs::FileExt;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// WARC 0.17 to 1.1, and so WET and WAT.
    Warc,
    /// Internet Archive ARC 1.
    Arc,
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated values with a header.
    Csv,
    /// Tab-separated values with a header.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// One HTML page.
    Html,
    /// One plain text or Markdown document.
    Text,
    /// One file of another type.
    File,
}

impl Format {
    /// Whether a file of it says once what its columns are, so that two files one behind the other are none.
    pub fn is_table(self) -> bool {
        matches!(self, Format::Parquet | Format::Csv | Format::Tsv)
    }
}

/// Where records have their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// In the file, which is not compressed.
    Plain,
    /// In the file, a gzip with one member a record.
    Members,
    /// In the decompressed stream.
    Stream,
    /// By row number.
    Rows,
}

/// One input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Where it is.
    pub path: PathBuf,
    /// Its name in evidence: the path as the user would write it.
    pub name: String,
    /// Its name below the output folder.
    pub relative: PathBuf,
    /// Bytes.
    pub size: u64,
    /// What it holds.
    pub format: Format,
    /// How it is compressed.
    pub compression: Compression,
    /// Where its records have their addresses.
    pub layout: Layout,
    /// Of a table: whether a row counts only if all of it can be read, and not what is compared alone.
    pub all_columns: bool,
}

/// What a look at a file finds.
#[derive(Debug)]
pub enum Look {
    /// A source to read.
    Source(Source),
    /// Nothing in it.
    Empty,
    /// Nothing but blanks in it.
    Blank,
    /// Not to be read.
    Bad(BadRecord),
}

/// Names of the columns a document's parts are in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fields {
    /// Of the identity.
    pub id: String,
    /// Of the text.
    pub text: String,
    /// Of the URL.
    pub url: String,
    /// Of the date.
    pub date: String,
    /// Of the score, where the keep rule asks for one.
    pub score: Option<String>,
    /// Of the group within which documents are compared, where there is one; in WARC a record header.
    #[serde(default)]
    pub group: Option<String>,
}

impl Default for Fields {
    fn default() -> Self {
        Fields {
            id: "id".into(),
            text: "text".into(),
            url: "url".into(),
            date: "date".into(),
            score: None,
            group: None,
        }
    }
}

impl Source {
    /// Looks at a file. Trouble with the file is a bad record; trouble with the machine an error.
    pub fn look(path: &Path, name: &str, relative: &Path, fields: &Fields) -> Result<Look, Error> {
        sniff::look(path, name, relative, fields)
    }

    /// Opens the file for reading from the start.
    pub fn open(&self) -> io::Result<OpenFile> {
        OpenFile::open(&self.path)
    }
}

/// An open file that remembers its own errors, so that a decoder's error can be told from the disk's, and that
/// digests what is read of it in order.
#[derive(Clone)]
pub struct OpenFile {
    file: Arc<fs_err::File>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    position: u64,
    error: Option<io::Error>,
    /// Digest of the first `digested` bytes, where one is wanted.
    digest: Option<Box<xxhash_rust::xxh3::Xxh3>>,
    digested: u64,
    /// No more is read once this is set: a record may go on for longer than anybody waits.
    stop: Option<&'static AtomicBool>,
}

impl State {
    fn check(&self) -> io::Result<()> {
        let stops = self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stops { Err(io::Error::other("reading was called off")) } else { Ok(()) }
    }
}

impl OpenFile {
    /// Opens a file.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(OpenFile { file: Arc::new(fs_err::File::open(path)?), state: Arc::default() })
    }

    /// Fails once this is set, instead of reading more.
    pub fn stop_on(&self, stop: &'static AtomicBool) {
        self.state().stop = Some(stop);
    }

    /// Digests from now on what is read.
    pub fn start_digest(&self) {
        self.state().digest = Some(Box::default());
    }

    /// XXH3-128 of the whole file; what has not passed by in order is read for it.
    pub fn finish_digest(&self) -> io::Result<u128> {
        let mut state = self.state();
        let mut digest = state.digest.take().unwrap_or_default();
        let mut buffer = vec![0; 1 << 18];
        let mut at = std::mem::take(&mut state.digested);
        loop {
            state.check()?;
            let count = self.fill_at(&mut buffer, at)?;
            if count == 0 {
                return Ok(digest.digest128());
            }
            digest.update(&buffer[..count]);
            at += count as u64;
        }
    }

    /// Fills the buffer with the file from `at` on, as far as that goes; gives how far.
    pub fn fill_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read_at(&mut buffer[filled..], at + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Another handle on the same file and position.
    pub fn share(&self) -> Self {
        self.clone()
    }

    /// The file behind it.
    pub fn file(&self) -> &fs_err::File {
        &self.file
    }

    /// Moves to an offset.
    pub fn seek_to(&self, offset: u64) -> io::Result<()> {
        self.share().seek(SeekFrom::Start(offset)).map(|_| ())
    }

    /// How far the file has been read.
    pub fn position(&self) -> u64 {
        self.state().position
    }

    /// The last error, once.
    pub fn take_error(&self) -> Option<io::Error> {
        self.state().error.take()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let offset = (&mut &*self.file).seek(to)?;
        self.state().position = offset;
        Ok(offset)
    }
}

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let outcome = self.state().check().and_then(|()| (&mut &*self.file).read(buffer));
        let mut state = self.state();
        match outcome {
            Ok(count) => {
                let at = state.position;
                state.position += count as u64;
                if at == state.digested
                    && let Some(digest) = &mut state.digest
                {
                    digest.update(&buffer[..count]);
                    state.digested += count as u64;
                }
                Ok(count)
            }
            Err(error) => {
                let copy = io::Error::new(error.kind(), error.to_string());
                state.error = Some(error);
                Err(copy)
            }
        }
    }
}
