//! Pages of a row group in the making, on disk instead of in memory: the columns of a group lie one behind the other in a
//! file, while their rows come together.

use bytes::Bytes;
use parquet::arrow::arrow_writer::{PageKey, PageStore, PageStoreArgs, PageStoreFactory};
use parquet::errors::{ParquetError, Result};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where the pages of a table that is written wait.
#[derive(Clone, Debug)]
pub(super) struct Spill(Arc<Mutex<Pages>>);

#[derive(Debug)]
struct Pages {
    file: fs_err::File,
    end: u64,
    /// Columns that have pages here; without one, the file is filled from its start again.
    columns: usize,
}

impl Spill {
    /// Makes a file beside that of the table, without a name, so that it is gone with the process however that ends. `None`
    /// where there is no place for one, as beside a pipe: pages then wait in memory.
    pub(super) fn beside(table: &Path) -> Option<Arc<dyn PageStoreFactory>> {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = table.parent()?.join(format!(".onefold-pages-{}-{number}", std::process::id()));
        let file = fs_err::OpenOptions::new().read(true).write(true).create_new(true).open(&path).ok()?;
        fs_err::remove_file(path).ok()?;
        Some(Arc::new(Spill(Arc::new(Mutex::new(Pages { file, end: 0, columns: 0 })))))
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PageStoreFactory for Spill {
    fn create(&self, _: &PageStoreArgs<'_>) -> Result<Box<dyn PageStore>> {
        self.pages().columns += 1;
        Ok(Box::new(ColumnPages { spill: self.clone(), places: Vec::new() }))
    }
}

/// The pages of one column.
struct ColumnPages {
    spill: Spill,
    /// Where each is, and its length.
    places: Vec<(u64, usize)>,
}

impl PageStore for ColumnPages {
    fn put(&mut self, page: Bytes) -> Result<PageKey> {
        let mut pages = self.spill.pages();
        let start = pages.end;
        pages.file.seek(SeekFrom::Start(start)).map_err(of_disk)?;
        pages.file.write_all(&page).map_err(of_disk)?;
        pages.end += page.len() as u64;
        self.places.push((start, page.len()));
        Ok(PageKey::new(self.places.len() as u64 - 1))
    }

    fn take(&mut self, key: PageKey) -> Result<Bytes> {
        let place = usize::try_from(key.get()).ok().and_then(|number| self.places.get(number));
        let &(start, length) = place.ok_or_else(|| ParquetError::General("no such page".into()))?;
        let mut page = vec![0; length];
        let mut pages = self.spill.pages();
        pages.file.seek(SeekFrom::Start(start)).map_err(of_disk)?;
        pages.file.read_exact(&mut page).map_err(of_disk)?;
        Ok(page.into())
    }
}

impl Drop for ColumnPages {
    fn drop(&mut self) {
        let mut pages = self.spill.pages();
        pages.columns -= 1;
        if pages.columns == 0 {
            pages.end = 0;
        }
    }
}

fn of_disk(error: io::Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}
