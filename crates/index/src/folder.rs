//! The files of an index, and the one place through which all bytes are written.
//!
//! ```text
//! lock          held by the process that has the index open
//! store.redb    all rows, and which segments count; `store.new` until it is whole
//! N.segment     sorted keys, see `segment`; written under another name, synced, then renamed
//! ```

use crate::error::Error;
use fs_err as fs;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Name of a store that is being made.
pub(crate) const NEW_STORE: &str = "store.new";

/// Decides what becomes of writes; for tests of what a failing disk does.
pub trait Gate: std::fmt::Debug + Send + Sync {
    /// Told before each operation on a file. An error tells how many bytes of a write still go through.
    fn pass(&self, operation: Operation) -> Result<(), (usize, io::Error)>;
}

/// What is about to be done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Bytes are written at a place.
    Write {
        /// Where.
        offset: u64,
        /// How many.
        bytes: usize,
    },
    /// The length is set.
    Resize {
        /// What to.
        length: u64,
    },
    /// What was written goes to disk.
    Sync,
}

/// A folder that this process has locked.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    gate: Option<Arc<dyn Gate>>,
    /// Unlocked when the last clone goes.
    _lock: Arc<fs::File>,
}

impl Folder {
    /// Locks an index's folder, or says at once that another process has it.
    pub(crate) fn lock(path: &Path, gate: Option<Arc<dyn Gate>>) -> Result<Self, Error> {
        let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(path.join("lock"))?;
        match file.file().try_lock() {
            Ok(()) => Ok(Folder { path: path.to_owned(), gate, _lock: Arc::new(file) }),
            Err(std::fs::TryLockError::WouldBlock) => Err(Error::Locked(path.to_owned())),
            Err(std::fs::TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Whether a folder holds nothing but what an index has.
    pub(crate) fn is_of_an_index(path: &Path) -> io::Result<bool> {
        for entry in fs::read_dir(path)? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            let numbered = name.strip_suffix(".segment").or_else(|| name.strip_suffix(".new"));
            let is_segment = numbered.is_some_and(|number| number.parse::<u64>().is_ok());
            if !is_segment && !["lock", "store.redb", NEW_STORE].contains(&name.as_ref()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn store_path(&self) -> PathBuf {
        self.path.join("store.redb")
    }

    /// The store's file, for the engine to write through the gate.
    pub(crate) fn store_file(&self) -> io::Result<StoreFile> {
        let file = fs::OpenOptions::new().read(true).write(true).open(self.store_path())?;
        Ok(StoreFile { file, gate: self.gate.clone(), fence: Fence::default() })
    }

    /// The file of a store that is being made.
    pub(crate) fn new_store_file(&self) -> io::Result<StoreFile> {
        let path = self.path.join(NEW_STORE);
        let file = fs::OpenOptions::new().create_new(true).read(true).write(true).open(path)?;
        Ok(StoreFile { file, gate: self.gate.clone(), fence: Fence::default() })
    }

    /// Gives a store its name.
    pub(crate) fn finish_store(&self) -> io::Result<()> {
        fs::rename(self.path.join(NEW_STORE), self.store_path())?;
        fs::File::open(&self.path)?.sync_all()
    }

    pub(crate) fn segment_path(&self, number: u64) -> PathBuf {
        self.path.join(format!("{number}.segment"))
    }

    /// Writes a file so that it is there whole or not at all.
    pub(crate) fn write_whole(
        &self,
        path: &Path,
        write: impl FnOnce(&mut Output) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let temporary = path.with_extension("new");
        let file = fs::File::create(&temporary)?;
        let mut output = Output { file, gate: self.gate.clone(), buffer: Vec::new(), written: 0 };
        let written = write(&mut output).and_then(|()| Ok(output.finish()?));
        if let Err(error) = written {
            // What is left of it would be removed at the next opening.
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
        fs::rename(&temporary, path)?;
        Ok(fs::File::open(&self.path)?.sync_all()?)
    }

    /// Removes the segments and leftovers that are not among `live`.
    pub(crate) fn sweep(&self, live: &[u64]) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let dead = match name.strip_suffix(".segment") {
                Some(number) => number.parse().is_ok_and(|number: u64| !live.contains(&number)),
                None => name.ends_with(".new"),
            };
            if dead {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }
}

/// Buffered output that knows how much was written.
pub(crate) struct Output {
    file: fs::File,
    gate: Option<Arc<dyn Gate>>,
    buffer: Vec<u8>,
    written: u64,
}

impl Output {
    /// Bytes written so far.
    pub(crate) fn position(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    fn send(&mut self) -> io::Result<()> {
        let operation = Operation::Write { offset: self.written, bytes: self.buffer.len() };
        let (passing, outcome) = gated(self.gate.as_deref(), operation);
        self.file.write_all(&self.buffer[..passing])?;
        self.written += passing as u64;
        self.buffer.clear();
        outcome
    }

    fn finish(mut self) -> io::Result<()> {
        self.send()?;
        gated(self.gate.as_deref(), Operation::Sync).1?;
        self.file.sync_all()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= 1 << 18 {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send()
    }
}

fn gated(gate: Option<&dyn Gate>, operation: Operation) -> (usize, io::Result<()>) {
    let bytes = match operation {
        Operation::Write { bytes, .. } => bytes,
        _ => 0,
    };
    match gate.map(|gate| gate.pass(operation)) {
        Some(Err((passing, error))) => (passing.min(bytes), Err(error)),
        _ => (bytes, Ok(())),
    }
}

/// Once closed, nothing is written to a store's file any more: another opening of it has taken over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fence(Arc<AtomicBool>);

impl Fence {
    pub(crate) fn close(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn pass(&self) -> io::Result<()> {
        if self.0.load(Ordering::Acquire) {
            Err(io::Error::other("the store was opened anew"))
        } else {
            Ok(())
        }
    }
}

/// The store's file. The folder's lock keeps other processes out.
#[derive(Debug)]
pub(crate) struct StoreFile {
    file: fs::File,
    gate: Option<Arc<dyn Gate>>,
    fence: Fence,
}

impl StoreFile {
    pub(crate) fn is_empty(&self) -> io::Result<bool> {
        Ok(self.file.metadata()?.len() == 0)
    }

    pub(crate) fn fence(&self) -> Fence {
        self.fence.clone()
    }
}

impl redb::StorageBackend for StoreFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        crate::segment::read_exact_at(&self.file, out, offset)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.fence.pass()?;
        gated(self.gate.as_deref(), Operation::Resize { length: len }).1?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.fence.pass()?;
        gated(self.gate.as_deref(), Operation::Sync).1?;
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.fence.pass()?;
        let operation = Operation::Write { offset, bytes: data.len() };
        let (passing, outcome) = gated(self.gate.as_deref(), operation);
        self.file.file().write_all_at(&data[..passing], offset)?;
        outcome
    }
}
