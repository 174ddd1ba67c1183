//! Files that are written and get their names when they are on the disk: large ones one by one, small ones many at a time, for
//! those that wait together are written together. The whole disk is not waited for: temporary files that are soon to go
//! would be written, too.

use crate::error::Error;
use fs_err::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Larger files are waited for one by one.
const SMALL: u64 = 1 << 20;
/// So many small files are waited for at once.
const MANY: usize = 512;
/// Threads that wait at once, and for how many files each is worth its while.
const WAITING: usize = 16;
const FEW: usize = 4;

/// Small files without their names yet.
#[derive(Default)]
pub(super) struct Settling {
    /// What each is called, and what it will be.
    files: Vec<(PathBuf, PathBuf)>,
}

impl Settling {
    /// Takes a file that is written: it gets its name now or when others do.
    pub(super) fn add(&mut self, file: File, temporary: PathBuf, path: PathBuf) -> Result<(), Error> {
        if file.metadata()?.len() >= SMALL {
            file.sync_data()?;
            return Ok(fs_err::rename(temporary, path)?);
        }
        drop(file);
        self.files.push((temporary, path));
        if self.files.len() == MANY { self.settle() } else { Ok(()) }
    }

    /// Gives all files their names.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        let next = AtomicUsize::new(0);
        let sync = || -> std::io::Result<()> {
            while let Some((temporary, _)) = self.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                File::open(temporary)?.sync_data()?;
            }
            Ok(())
        };
        let waiting = self.files.len().div_ceil(FEW).min(WAITING);
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..waiting).map(|_| scope.spawn(sync)).collect();
            let mut synced = sync();
            for other in others {
                synced =
                    synced.and(other.join().expect("syncing does not panic because it returns its errors"));
            }
            synced
        })?;
        for (temporary, path) in self.files.drain(..) {
            fs_err::rename(temporary, path)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_files_get_their_names_when_all_are_there() {
        for count in [1, FEW - 1, FEW, MANY, MANY + 3] {
            let dir = tempfile::tempdir().unwrap();
            let mut settling = Settling::default();
            for i in 0..count {
                let [temporary, path] = ["tmp", "txt"].map(|ending| dir.path().join(format!("{i}.{ending}")));
                fs_err::write(&temporary, i.to_string()).unwrap();
                settling.add(File::open(&temporary).unwrap(), temporary, path).unwrap();
            }
            settling.settle().unwrap();
            assert_eq!(fs_err::read_dir(dir.path()).unwrap().count(), count);
            for i in 0..count {
                assert_eq!(
                    fs_err::read_to_string(dir.path().join(format!("{i}.txt"))).unwrap(),
                    i.to_string()
                );
            }
        }
    }

    #[test]
    fn a_large_file_has_its_name_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let [temporary, path] = ["tmp", "txt"].map(|name| dir.path().join(name));
        fs_err::write(&temporary, vec![b'x'; SMALL as usize]).unwrap();
        let mut settling = Settling::default();
        settling.add(File::open(&temporary).unwrap(), temporary, path.clone()).unwrap();
        assert!(path.exists());
    }
}
