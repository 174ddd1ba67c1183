//! Open files of pieces.

use crate::error::Error;
use std::collections::HashMap;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Files held open for reading, so many and no more.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    open: Mutex<HashMap<PathBuf, Arc<fs_err::File>>>,
}

impl Handles {
    const MOST: usize = 256;

    pub(super) fn read_at(&self, path: &Path, bytes: &mut [u8], at: u64) -> Result<(), Error> {
        let file = self.get(path)?;
        file.file()
            .read_exact_at(bytes, at)
            .map_err(|error| std::io::Error::new(error.kind(), format!("{}: {error}", path.display())).into())
    }

    fn get(&self, path: &Path) -> Result<Arc<fs_err::File>, Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = open.get(path) {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(fs_err::File::open(path)?);
        // Pieces are gone through one after the other, again and again: those that are open stay so.
        if open.len() < Self::MOST {
            open.insert(path.to_owned(), Arc::clone(&file));
        }
        Ok(file)
    }
}
