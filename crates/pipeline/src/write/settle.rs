//! Files that are written and get their names when they are on the disk: large ones one by one, small ones many at a time,
//! for a disk takes about as long over a file of a page as over a thousand of them.

use crate::error::Error;
use fs_err::File;
use std::path::{Path, PathBuf};

/// Larger files are waited for one by one.
const SMALL: u64 = 1 << 20;
/// So many small files are waited for at once.
const MANY: usize = 512;
/// Fewer are waited for one by one: all that waits on a disk may be much more than they.
const FEW: usize = 16;

/// Small files without their names yet.
pub(super) struct Settling<'f> {
    folder: &'f Path,
    /// What each is called, and what it will be.
    files: Vec<(PathBuf, PathBuf)>,
}

impl<'f> Settling<'f> {
    /// Of files in and below a folder, all on one disk.
    pub(super) fn in_folder(folder: &'f Path) -> Self {
        Settling { folder, files: Vec::new() }
    }

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
        if self.files.len() < FEW || !sync_disk_of(self.folder)? {
            for (temporary, _) in &self.files {
                File::open(temporary)?.sync_data()?;
            }
        }
        for (temporary, path) in self.files.drain(..) {
            fs_err::rename(temporary, path)?;
        }
        Ok(())
    }
}

/// Waits until all that was written to a disk is there; false where the system has no call for it.
#[cfg(target_os = "linux")]
fn sync_disk_of(folder: &Path) -> Result<bool, Error> {
    match rustix::fs::syncfs(File::open(folder)?.file()) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::NOSYS) => Ok(false),
        Err(error) => Err(std::io::Error::new(
            std::io::Error::from(error).kind(),
            format!("failed to sync the file system of {}: {error}", folder.display()),
        )
        .into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn sync_disk_of(_: &Path) -> Result<bool, Error> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_files_get_their_names_when_all_are_there() {
        for count in [1, FEW - 1, FEW, MANY, MANY + 3] {
            let dir = tempfile::tempdir().unwrap();
            let mut settling = Settling::in_folder(dir.path());
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
        let mut settling = Settling::in_folder(dir.path());
        settling.add(File::open(&temporary).unwrap(), temporary, path.clone()).unwrap();
        assert!(path.exists());
    }
}
