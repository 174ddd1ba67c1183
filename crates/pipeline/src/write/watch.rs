//! Files as they grow, for the progress of writing: a copy takes long, and what it does inside is no business of this. A table
//! grows a row group at a time, and is known by the rows that it asked about, too.

use crate::job::Job;
use crate::scan::lock;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often a look is taken.
const EVERY: Duration = Duration::from_millis(200);
/// The part of a source that is not done before its file is on the disk.
const SETTLED: f64 = 0.1;

/// The files that are being written.
#[derive(Default)]
pub(super) struct Watch {
    files: Mutex<Vec<Growing>>,
    over: Mutex<bool>,
    told: Condvar,
}

/// Ends the looks where the work ends, however it does: they would be waited for.
struct Over<'w>(&'w Watch);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        *lock(&self.0.over) = true;
        self.0.told.notify_all();
    }
}

struct Growing {
    index: usize,
    path: PathBuf,
    size: u64,
    documents: u64,
    /// Documents that are known to be done.
    passed: Arc<AtomicU64>,
    told: Told,
}

/// Progress of a source that is told before it is written.
#[derive(Clone, Copy, Default)]
pub(super) struct Told {
    pub(super) bytes: u64,
    pub(super) documents: u64,
}

impl Growing {
    /// What is done when the file has so many bytes: the same part of the source's bytes and of its documents.
    fn done(&self, length: u64) -> Told {
        let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
        let passed = share(self.passed.load(Ordering::Relaxed), self.documents);
        let done = share(length, self.size).max(passed).min(1.0 - SETTLED);
        Told { bytes: (self.size as f64 * done) as u64, documents: (self.documents as f64 * done) as u64 }
    }
}

impl Watch {
    /// Takes a look now and then while `work` goes on.
    pub(super) fn during<T>(&self, job: &Job<'_>, work: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            scope.spawn(|| self.look_on(job));
            let _over = Over(self);
            work()
        })
    }

    fn look_on(&self, job: &Job<'_>) {
        let mut over = lock(&self.over);
        while !*over {
            (over, _) = self.told.wait_timeout(over, EVERY).unwrap_or_else(PoisonError::into_inner);
            for file in lock(&self.files).iter_mut() {
                // What is not there yet has not grown.
                let length = fs_err::metadata(&file.path).map_or(0, |meta| meta.len());
                let (done, told) = (file.done(length), file.told);
                if done.bytes > told.bytes {
                    file.told = done;
                    job.progress.advance(done.bytes - told.bytes, done.documents - told.documents);
                }
            }
        }
    }

    /// A source of so many bytes and documents is about to be written. What is given counts the documents that are done, where
    /// that is known before the file has grown.
    pub(super) fn begin(&self, index: usize, (size, documents): (u64, u64), path: &Path) -> Arc<AtomicU64> {
        let (path, passed, told) = (path.to_owned(), Arc::default(), Told::default());
        lock(&self.files).push(Growing { index, path, size, documents, passed: Arc::clone(&passed), told });
        passed
    }

    /// A source is written, or nothing of it; tells what of its progress is known already.
    pub(super) fn end(&self, index: usize) -> Told {
        let mut files = lock(&self.files);
        let found = files.iter().position(|file| file.index == index);
        found.map_or(Told::default(), |at| files.swap_remove(at).told)
    }
}
