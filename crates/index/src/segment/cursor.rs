//! A section from its first entry to its last, for merging.

use super::Section;
use crate::error::Error;
use crate::section::Entry;
use std::ops::ControlFlow;

/// Goes through the entries of a section.
pub(crate) struct Cursor<'a> {
    pub(super) section: &'a Section,
    pub(super) file: &'a fs_err::File,
    pub(super) block: usize,
    pub(super) entries: Vec<Entry>,
    pub(super) at: usize,
}

impl Cursor<'_> {
    /// The next entry, which stays the next until it is taken.
    pub(crate) fn peek(&mut self) -> Result<Option<Entry>, Error> {
        if self.at == self.entries.len() {
            let directory = &self.section.directory;
            if self.block == directory.blocks() {
                return Ok(None);
            }
            self.entries.clear();
            self.at = 0;
            let (count, first) = (directory.count(self.block), directory.first_key(self.block));
            let entries = &mut self.entries;
            self.section.block(self.file, self.block, &mut |bytes| {
                let _ = self.section.layout.read(bytes, count, first, |key, place| {
                    entries.push((key, place.number()));
                    ControlFlow::Continue(())
                });
            })?;
            self.block += 1;
            if self.entries.len() != count {
                return Err(Error::damaged(self.file.path(), "a block is cut short"));
            }
        }
        Ok(Some(self.entries[self.at]))
    }

    pub(crate) fn take(&mut self) {
        self.at += 1;
    }
}
