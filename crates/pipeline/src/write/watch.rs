//! Files as they grow, for the progress of writing: a copy takes long, and what it does inside is no business of this.

use crate::job::Job;
use crate::scan::lock;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often a look is taken.
const EVERY: Duration = Duration::from_millis(200);
/// The part of a source, one in so many, that is not done before its file is on the disk.
const SETTLED: u64 = 10;

/// The files that are being written.
#[derive(Default)]
pub(super) struct Watch {
    files: Mutex<Vec<Growing>>,
    over: Mutex<bool>,
    told: Condvar,
}

struct Growing {
    index: usize,
    path: PathBuf,
    /// Bytes of progress that it may make, and has made.
    most: u64,
    told: u64,
}

impl Watch {
    /// Takes a look now and then while `work` goes on.
    pub(super) fn during<T>(&self, job: &Job<'_>, work: impl FnOnce() -> T) -> T {
        std::thread::scope(|scope| {
            scope.spawn(|| self.look_on(job));
            let done = work();
            *lock(&self.over) = true;
            self.told.notify_all();
            done
        })
    }

    fn look_on(&self, job: &Job<'_>) {
        let mut over = lock(&self.over);
        while !*over {
            (over, _) = self.told.wait_timeout(over, EVERY).unwrap_or_else(PoisonError::into_inner);
            for file in lock(&self.files).iter_mut() {
                // What is not there yet has not grown.
                let length = fs_err::metadata(&file.path).map_or(0, |meta| meta.len());
                let more = length.min(file.most).saturating_sub(file.told);
                file.told += more;
                job.progress.advance(more, 0);
            }
        }
    }

    /// A source of so many bytes is about to be written.
    pub(super) fn begin(&self, index: usize, size: u64, path: &Path) {
        let most = size - size / SETTLED;
        lock(&self.files).push(Growing { index, path: path.to_owned(), most, told: 0 });
    }

    /// A source is written, or nothing of it; tells how many bytes of its progress are known already.
    pub(super) fn end(&self, index: usize) -> u64 {
        let mut files = lock(&self.files);
        let found = files.iter().position(|file| file.index == index);
        found.map_or(0, |at| files.swap_remove(at).told)
    }
}
