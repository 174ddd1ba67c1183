//! Parts of a ZIP, unpacked within a bound.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::{FileError, FileType, MAX_UNPACKED_BYTES};

/// A file of parts, and how much of it may still be unpacked.
pub(super) struct Zipped<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    kind: FileType,
    left_bytes: u64,
}

impl<'a> Zipped<'a> {
    pub(super) fn open(bytes: &'a [u8], kind: FileType) -> Result<Zipped<'a>, FileError> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(kind, error))?;
        Ok(Zipped { archive, kind, left_bytes: MAX_UNPACKED_BYTES })
    }

    /// Names of all parts, sorted so that `slide10` comes after `slide9`.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.archive.file_names().flatten().map(|name| name.into_owned()).collect();
        names.sort_by_key(|name| (name.len(), name.clone()));
        names
    }

    /// A part's bytes; `None` if there is no such part.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, FileError> {
        let part = match self.archive.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(damaged(self.kind, error)),
        };
        let mut bytes = Vec::new();
        // What the header says of its size is not believed.
        part.take(self.left_bytes + 1).read_to_end(&mut bytes).map_err(|error| damaged(self.kind, error))?;
        self.left_bytes =
            self.left_bytes.checked_sub(bytes.len() as u64).ok_or(FileError::TooLarge(self.kind))?;
        Ok(Some(bytes))
    }

    /// A part that must be there.
    pub(super) fn needed(&mut self, name: &str) -> Result<Vec<u8>, FileError> {
        let kind = self.kind;
        self.part(name)?.ok_or_else(|| FileError::Damaged { kind, reason: format!("no part {name}") })
    }
}

pub(super) fn damaged(kind: FileType, error: impl std::fmt::Display) -> FileError {
    FileError::Damaged { kind, reason: error.to_string() }
}
