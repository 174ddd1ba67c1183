//! A store's file that can be written to without being changed: what is written is kept in memory.
//!
//! The engine compares checksums of all pages only where it would repair them as well. It is let loose on this.

use crate::error::Error;
use crate::folder::Folder;
use crate::{engine::failed, engine::guard};
use fs_err as fs;
use redb::Database;
use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Memory for the engine's look at all pages, one after another.
const CACHE_BYTES: usize = 16 << 20;
/// What is kept of what is written is kept in blocks of so many bytes.
const BLOCK: u64 = 4096;

/// What is wrong with the pages of a store as they lie on disk. Nobody must be writing to it.
pub(crate) fn fault(folder: &Folder) -> Result<Option<String>, Error> {
    let path = folder.store_path();
    let overlay = Overlay::new(fs::File::open(&path)?)?;
    let checked = guard(&path, || {
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE_BYTES);
        let mut database = builder.create_with_backend(overlay).map_err(failed(&path))?;
        database.check_integrity().map_err(failed(&path))
    });
    Ok(match checked {
        Ok(true) => None,
        Ok(false) => {
            Some(format!("{}: pages and their checksums or their lists do not agree", path.display()))
        }
        Err(error) => Some(error.to_string()),
    })
}

#[derive(Debug)]
struct Overlay {
    file: fs::File,
    written: Mutex<Written>,
}

#[derive(Debug)]
struct Written {
    blocks: BTreeMap<u64, [u8; BLOCK as usize]>,
    len: u64,
    /// Bytes of the file that count: what was cut off is zero when it comes back.
    file_len: u64,
}

impl Overlay {
    fn new(file: fs::File) -> io::Result<Self> {
        let len = file.metadata()?.len();
        let written = Mutex::new(Written { blocks: BTreeMap::new(), len, file_len: len });
        Ok(Overlay { file, written })
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from the file, and zeroes behind its end.
    fn read_file(&self, file_len: u64, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let there = file_len.saturating_sub(offset).min(out.len() as u64) as usize;
        let (from_file, behind) = out.split_at_mut(there);
        behind.fill(0);
        self.file.file().read_exact_at(from_file, offset)
    }
}

/// The blocks that a stretch of bytes lies in: each with where it begins there, and which bytes of the stretch those are.
fn blocks(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = offset + done as u64;
        let within = (at % BLOCK) as usize;
        let range = done..len.min(done + BLOCK as usize - within);
        done = range.end;
        (!range.is_empty()).then_some((at / BLOCK, within, range))
    })
}

impl redb::StorageBackend for Overlay {
    fn len(&self) -> io::Result<u64> {
        Ok(self.written().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let written = self.written();
        if offset.checked_add(out.len() as u64).is_none_or(|end| end > written.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read_file(written.file_len, offset, out)?;
        if !written.blocks.is_empty() {
            for (block, within, range) in blocks(offset, out.len()) {
                if let Some(bytes) = written.blocks.get(&block) {
                    let len = range.len();
                    out[range].copy_from_slice(&bytes[within..within + len]);
                }
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut written = self.written();
        written.len = len;
        written.file_len = written.file_len.min(len);
        // Of the last block the end is zero when it comes back.
        drop(written.blocks.split_off(&len.div_ceil(BLOCK)));
        if let Some(last) = written.blocks.get_mut(&(len / BLOCK)) {
            last[(len % BLOCK) as usize..].fill(0);
        }
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut written = self.written();
        let file_len = written.file_len;
        for (block, within, range) in blocks(offset, data.len()) {
            let bytes = match written.blocks.entry(block) {
                std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
                std::collections::btree_map::Entry::Vacant(entry) => {
                    let mut bytes = [0; BLOCK as usize];
                    self.read_file(file_len, block * BLOCK, &mut bytes)?;
                    entry.insert(bytes)
                }
            };
            bytes[within..within + range.len()].copy_from_slice(&data[range]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use redb::StorageBackend;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// What is read is what a file would have, and the file stays as it is.
        #[test]
        fn an_overlay_is_like_a_file(steps in proptest::collection::vec((0u64..20_000, 1usize..9_000, 1u8.., any::<bool>()), 1..12)) {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            let before: Vec<u8> = (0..10_000u32).map(|i| i as u8).collect();
            io::Write::write_all(&mut file, &before).unwrap();
            let overlay = Overlay::new(fs::File::open(file.path()).unwrap()).unwrap();
            let mut expected = before.clone();
            for (offset, len, byte, cut) in steps {
                if cut {
                    expected.resize(offset as usize, 0);
                    overlay.set_len(offset).unwrap();
                } else if offset as usize + len <= expected.len() {
                    expected[offset as usize..][..len].fill(byte);
                    overlay.write(offset, &vec![byte; len]).unwrap();
                }
                let mut read = vec![0; expected.len()];
                overlay.read(0, &mut read).unwrap();
                prop_assert!(read == expected);
                prop_assert!(overlay.read(1, &mut read).is_err() || read.is_empty());
            }
            prop_assert!(fs::read(file.path()).unwrap() == before);
        }
    }
}
