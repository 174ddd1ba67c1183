//! A finished piece, read again.

use super::handles::Handles;
use super::{HEADER_BYTES, KEY_BYTES, MAGIC, Meta, Names, ROW_BYTES, Row};
use crate::error::Error;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// A finished piece on disk. It is opened when it is read: a run may have more pieces than a process may have files.
#[derive(Debug)]
pub(crate) struct PieceFile {
    path: PathBuf,
    /// The bytes of the file, while the budget lasts.
    held: Option<Vec<u8>>,
    pub(crate) meta: Meta,
    pub(crate) documents: u32,
    names_at: u64,
    keys_at: u64,
    /// Where each slice of keys starts, counted in keys.
    slice_starts: Vec<u32>,
}

impl PieceFile {
    /// Opens a piece and reads its rows; `None` if there is none, or a damaged one.
    pub(crate) fn open(path: &Path) -> Result<Option<(Self, Vec<Row>)>, Error> {
        Self::open_and_hold(path, &mut 0)
    }

    /// The same, holding the piece in memory if it fits what is left of a budget.
    pub(crate) fn open_and_hold(path: &Path, left: &mut u64) -> Result<Option<(Self, Vec<Row>)>, Error> {
        match fs_err::read(path) {
            Ok(bytes) => Ok(Self::of(path, bytes, left)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A piece whose bytes are at hand, held if they fit what is left of a budget.
    pub(crate) fn of(path: &Path, bytes: Vec<u8>, left: &mut u64) -> Option<(Self, Vec<Row>)> {
        let parsed = Self::parse(&bytes);
        let held = (bytes.len() as u64 <= *left).then(|| {
            *left -= bytes.len() as u64;
            bytes
        });
        parsed.map(|(meta, rows, names_at, keys_at)| {
            let mut sum = 0;
            let starts = meta.slices.iter().map(|count| {
                sum += count;
                sum - count
            });
            let slice_starts = starts.collect();
            let documents = rows.len() as u32;
            (
                PieceFile { path: path.to_owned(), held, meta, documents, names_at, keys_at, slice_starts },
                rows,
            )
        })
    }

    fn parse(bytes: &[u8]) -> Option<(Meta, Vec<Row>, u64, u64)> {
        let (body, checksum) = bytes.split_last_chunk::<8>()?;
        if !body.starts_with(MAGIC) || xxh3_64(body) != u64::from_le_bytes(*checksum) {
            return None;
        }
        let len = |index: usize| -> Option<usize> {
            let at = 8 + index * 8;
            Some(u64::from_le_bytes(body.get(at..at + 8)?.try_into().ok()?) as usize)
        };
        let (meta_len, rows_len, names_len) = (len(0)?, len(1)?, len(2)?);
        let meta: Meta = serde_json::from_slice(body.get(HEADER_BYTES..HEADER_BYTES + meta_len)?).ok()?;
        let rows_at = HEADER_BYTES + meta_len;
        let rows = body.get(rows_at..rows_at + rows_len)?.chunks_exact(ROW_BYTES).map(|row| {
            let (digest, row) = row.split_first_chunk::<16>()?;
            let (offset, row) = row.split_first_chunk::<8>()?;
            let (length, row) = row.split_first_chunk::<4>()?;
            let (rank, row) = row.split_first_chunk::<8>()?;
            Some(Row {
                digest: u128::from_le_bytes(*digest),
                offset: u64::from_le_bytes(*offset),
                length: u32::from_le_bytes(*length),
                rank: u64::from_le_bytes(*rank),
                empty: *row.first()? != 0,
            })
        });
        let rows = rows.collect::<Option<Vec<Row>>>()?;
        let names_at = (rows_at + rows_len) as u64;
        Some((meta, rows, names_at, names_at + names_len as u64))
    }

    /// Keys of one slice, appended as bytes.
    pub(crate) fn slice(&self, slice: usize, handles: &Handles, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let (start, count) = (u64::from(self.slice_starts[slice]), self.meta.slices[slice] as usize);
        if count == 0 {
            return Ok(());
        }
        let from = bytes.len();
        bytes.resize(from + count * KEY_BYTES, 0);
        self.read_at(handles, &mut bytes[from..], self.keys_at + start * KEY_BYTES as u64)
    }

    /// Names of a document.
    pub(crate) fn names(&self, document: u32, handles: &Handles) -> Result<Names, Error> {
        let mut ends = [0; 8];
        let (from, at) = match document {
            0 => (4, self.names_at),
            _ => (0, self.names_at + u64::from(document - 1) * 4),
        };
        self.read_at(handles, &mut ends[from..], at)?;
        let value = u64::from_le_bytes(ends);
        let (start, end) = (value as u32, (value >> 32) as u32);
        let mut bytes = vec![0; (end - start) as usize];
        let at = self.names_at + u64::from(self.documents) * 4 + u64::from(start);
        self.read_at(handles, &mut bytes, at)?;
        let mut rest = bytes.as_slice();
        let mut parts: [Option<String>; 4] = Default::default();
        let mut id_is_url = false;
        for part in &mut parts {
            let Some((len, tail)) = rest.split_first_chunk::<4>() else { break };
            let len = u32::from_le_bytes(*len);
            rest = tail;
            id_is_url |= len == u32::MAX;
            if len != 0 && len != u32::MAX {
                let (name, tail) = rest.split_at((len as usize - 1).min(rest.len()));
                *part = Some(String::from_utf8_lossy(name).into_owned());
                rest = tail;
            }
        }
        let [id, url, record_id, date] = parts;
        let id = if id_is_url { url.clone() } else { id };
        Ok(Names { id: id.unwrap_or_default(), url, record_id, date })
    }

    fn read_at(&self, handles: &Handles, bytes: &mut [u8], at: u64) -> Result<(), Error> {
        let from = at as usize;
        match self.held.as_ref().and_then(|held| held.get(from..from + bytes.len())) {
            Some(held) => bytes.copy_from_slice(held),
            None => handles.read_at(&self.path, bytes, at)?,
        }
        Ok(())
    }

    fn records_at(&self) -> u64 {
        self.keys_at + self.meta.slices.iter().map(|&count| u64::from(count) * KEY_BYTES as u64).sum::<u64>()
    }

    /// The record of a document's sketches.
    pub(crate) fn record(&self, document: u32, handles: &Handles, bytes: &mut Vec<u8>) -> Result<(), Error> {
        bytes.resize(self.meta.record, 0);
        let at = self.records_at() + u64::from(document) * self.meta.record as u64;
        self.read_at(handles, bytes, at)
    }

    /// The records of all documents, one behind the other.
    pub(crate) fn records(&self, handles: &Handles) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; self.documents as usize * self.meta.record];
        self.read_at(handles, &mut bytes, self.records_at())?;
        Ok(bytes)
    }

    /// All keys of the piece, in order of slice.
    pub(crate) fn keys(&self, handles: &Handles, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let count: usize = self.meta.slices.iter().map(|&count| count as usize).sum();
        bytes.resize(count * KEY_BYTES, 0);
        self.read_at(handles, bytes, self.keys_at)
    }
}
