//! Pieces: what reading a stretch of a source leaves behind, on disk.
//!
//! A piece is the checkpoint of its stretch and the input of the stages behind. Layout, little-endian:
//!
//! ```text
//! 8  magic "ONEFOLD\x01"
//! 8  length of the meta section, then of rows, names, keys (four u64)
//! …  meta: JSON, see `Meta`
//! …  rows: one of 37 bytes a document
//! …  names: id, url, record id and date of each document
//! …  keys: keys with their document, in 256 slices by their first byte; behind those, shingle keys in 256 more
//! …  records: what is kept of the sketches of each document, see `record`
//! 8  XXH3-64 of all before
//! ```

use crate::error::Error;
use crate::sketcher::Sketches;
use onefold_formats::BadRecord;
use onefold_run::PageCounts;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"ONEFOLD\x01";
/// Slices of each key space.
pub(crate) const SLICES: usize = 256;
/// Slices of both key spaces: keys, then shingle keys.
pub(crate) const ALL_SLICES: usize = 2 * SLICES;
/// Bytes of a key with its document.
pub(crate) const KEY_BYTES: usize = 12;
const ROW_BYTES: usize = 37;
const HEADER_BYTES: usize = 40;

/// One document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) digest: u128,
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) rank: u64,
    pub(crate) empty: bool,
}

/// A record that is left out of the output although it is no document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gap {
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// A bad record and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BadEntry {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) bad: BadRecord,
}

/// A WARC record tied to others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LinkEntry {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// The document it is, by its number in the piece, if it is one.
    pub(crate) document: Option<u32>,
    pub(crate) record_id: Option<String>,
    pub(crate) revisit: bool,
    pub(crate) to: Vec<String>,
    pub(crate) target: Option<(String, String)>,
    /// Of a revisit: hash of its URL.
    pub(crate) url: Option<u64>,
    /// Of a revisit: hash of the URL it refers to, where it names one.
    pub(crate) leads_to: Option<u64>,
}

/// What a piece says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Meta {
    /// Where reading goes on behind this piece: address and number of records.
    pub(crate) end: (u64, u64),
    /// Digest of the whole source, if this is its last piece.
    pub(crate) last: Option<String>,
    /// Whether the source had to be read as a stream although it looked like members.
    pub(crate) as_stream: bool,
    pub(crate) passed: u64,
    /// Bytes of the texts of all documents.
    pub(crate) text_bytes: u64,
    /// Documents without a group, where they are compared within groups.
    #[serde(default)]
    pub(crate) ungrouped: u64,
    pub(crate) bad: Vec<BadEntry>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) links: Vec<LinkEntry>,
    /// Hashes of the URLs that redirects lead from and to.
    pub(crate) redirects: Vec<(u64, u64)>,
    #[serde(default)]
    pub(crate) pages: PageCounts,
    /// Pages that need something to show their content, by number in the piece, and what.
    #[serde(default)]
    pub(crate) needs: Vec<(u32, String)>,
    /// Bytes of a record of sketches.
    pub(crate) record: usize,
    /// Keys in each slice.
    pub(crate) slices: Vec<u32>,
}

/// A piece in the making; also what one block of it leaves.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) meta: Meta,
    pub(crate) rows: Vec<Row>,
    name_ends: Vec<u32>,
    names: Vec<u8>,
    keys: [Vec<(u64, u32)>; 2],
    records: Vec<u8>,
}

/// Names of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) id: String,
    pub(crate) url: Option<String>,
    pub(crate) record_id: Option<String>,
    pub(crate) date: Option<String>,
}

impl Piece {
    pub(crate) fn push(&mut self, row: Row, names: [Option<&str>; 4]) {
        self.rows.push(row);
        let [id, url, ..] = names;
        for (index, name) in names.into_iter().enumerate() {
            // An id that is the URL is written once.
            let len = match name {
                None => 0,
                Some(_) if index == 0 && id == url => u32::MAX,
                Some(name) => name.len() as u32 + 1,
            };
            self.names.extend_from_slice(&len.to_le_bytes());
            if len != u32::MAX {
                self.names.extend_from_slice(name.unwrap_or_default().as_bytes());
            }
        }
        self.name_ends.push(self.names.len() as u32);
    }

    /// What the next document leaves for matching.
    #[inline]
    pub(crate) fn push_sketches(&mut self, sketches: &Sketches) {
        let document = self.documents();
        self.keys[0].extend(sketches.keys.iter().map(|&key| (key, document)));
        self.keys[1].extend(sketches.shingle_keys.iter().map(|&key| (key, document)));
        self.records.extend_from_slice(&sketches.record);
        self.meta.record = sketches.record.len();
    }

    pub(crate) fn documents(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Bytes of what grows with documents and their keys.
    pub(crate) fn held_bytes(&self) -> u64 {
        let keys = self.keys.iter().map(Vec::len).sum::<usize>() * size_of::<(u64, u32)>();
        (keys + self.rows.len() * size_of::<Row>() + self.names.len() + self.records.len()) as u64
    }

    /// Empties the piece and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.meta = Meta::default();
        self.rows.clear();
        self.name_ends.clear();
        self.names.clear();
        self.keys.iter_mut().for_each(Vec::clear);
        self.records.clear();
    }

    /// Appends what the next block left, and empties that.
    pub(crate) fn append(&mut self, next: &mut Piece) {
        let (documents, names) = (self.documents(), self.names.len() as u32);
        self.rows.append(&mut next.rows);
        self.name_ends.extend(next.name_ends.drain(..).map(|end| end + names));
        self.names.append(&mut next.names);
        self.records.append(&mut next.records);
        self.meta.record = self.meta.record.max(next.meta.record);
        for (keys, next) in self.keys.iter_mut().zip(&mut next.keys) {
            keys.extend(next.drain(..).map(|(key, document)| (key, document + documents)));
        }
        self.meta.end = next.meta.end;
        self.meta.passed += std::mem::take(&mut next.meta.passed);
        self.meta.text_bytes += std::mem::take(&mut next.meta.text_bytes);
        self.meta.ungrouped += std::mem::take(&mut next.meta.ungrouped);
        self.meta.bad.append(&mut next.meta.bad);
        self.meta.gaps.append(&mut next.meta.gaps);
        self.meta.redirects.append(&mut next.meta.redirects);
        self.meta.pages.add(&std::mem::take(&mut next.meta.pages));
        let needs = next.meta.needs.drain(..).map(|(document, needs)| (document + documents, needs));
        self.meta.needs.extend(needs);
        for mut link in next.meta.links.drain(..) {
            link.document = link.document.map(|document| document + documents);
            self.meta.links.push(link);
        }
    }

    /// Writes the piece under its name, all or nothing, and gives its bytes back.
    pub(crate) fn write(&mut self, path: &Path) -> Result<Vec<u8>, Error> {
        let mut counts = [0u32; ALL_SLICES];
        let slice_of = |space: usize, key: u64| space * SLICES + (key >> 56) as usize;
        for (space, keys) in self.keys.iter().enumerate() {
            keys.iter().for_each(|&(key, _)| counts[slice_of(space, key)] += 1);
        }
        self.meta.slices = counts.to_vec();
        let meta = serde_json::to_vec(&self.meta).map_err(std::io::Error::other)?;
        let lens = [
            meta.len(),
            self.rows.len() * ROW_BYTES,
            self.name_ends.len() * 4 + self.names.len(),
            self.keys.iter().map(Vec::len).sum::<usize>() * KEY_BYTES,
        ];
        let mut out = Vec::with_capacity(HEADER_BYTES + lens.iter().sum::<usize>() + self.records.len() + 8);
        out.extend_from_slice(MAGIC);
        lens.iter().for_each(|len| out.extend_from_slice(&(*len as u64).to_le_bytes()));
        out.extend_from_slice(&meta);
        for row in &self.rows {
            out.extend_from_slice(&row.digest.to_le_bytes());
            out.extend_from_slice(&row.offset.to_le_bytes());
            out.extend_from_slice(&row.length.to_le_bytes());
            out.extend_from_slice(&row.rank.to_le_bytes());
            out.push(row.empty.into());
        }
        self.name_ends.iter().for_each(|end| out.extend_from_slice(&end.to_le_bytes()));
        out.extend_from_slice(&self.names);
        let keys_at = out.len();
        out.resize(keys_at + lens[3], 0);
        let mut next = [0usize; ALL_SLICES];
        let mut sum = keys_at;
        for (slice, count) in counts.iter().enumerate() {
            next[slice] = sum;
            sum += *count as usize * KEY_BYTES;
        }
        for (space, keys) in self.keys.iter().enumerate() {
            for &(key, document) in keys {
                let at = &mut next[slice_of(space, key)];
                out[*at..*at + 8].copy_from_slice(&key.to_le_bytes());
                out[*at + 8..*at + KEY_BYTES].copy_from_slice(&document.to_le_bytes());
                *at += KEY_BYTES;
            }
        }
        out.extend_from_slice(&self.records);
        out.extend_from_slice(&xxh3_64(&out).to_le_bytes());
        let temporary = path.with_extension("tmp");
        let mut file = fs_err::File::create(&temporary)?;
        file.write_all(&out)?;
        drop(file);
        fs_err::rename(&temporary, path)?;
        Ok(out)
    }
}

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

/// Files held open for reading, so many and no more.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    open: Mutex<HashMap<PathBuf, Arc<fs_err::File>>>,
}

impl Handles {
    const MOST: usize = 256;

    fn read_at(&self, path: &Path, bytes: &mut [u8], at: u64) -> Result<(), Error> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(offset: u64) -> Row {
        Row { digest: u128::MAX - 7, offset, length: 9, rank: 3, empty: offset == 2 }
    }

    #[test]
    fn a_piece_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p");
        let (mut whole, mut part) = (Piece::default(), Piece::default());
        let sketches = |keys: &[u64], shingle_keys: &[u64], record: u8| Sketches {
            keys: keys.to_vec(),
            shingle_keys: shingle_keys.to_vec(),
            record: vec![record; 3],
        };
        whole.push_sketches(&sketches(&[5 << 56 | 1], &[], 7));
        whole.push(row(1), [Some("a"), None, None, None]);
        part.push_sketches(&sketches(&[5 << 56, 255 << 56], &[5 << 56], 8));
        part.push(row(2), [Some("u"), Some("u"), Some("r"), Some("")]);
        whole.append(&mut part);
        whole.write(&path).unwrap();
        let (file, rows) = PieceFile::open(&path).unwrap().unwrap();
        let handles = Handles::default();
        assert_eq!(rows, [row(1), row(2)]);
        assert_eq!(file.names(0, &handles).unwrap(), Names { id: "a".into(), ..Names::default() });
        let names = file.names(1, &handles).unwrap();
        assert_eq!(
            (names.id.as_str(), names.url.as_deref(), names.date.as_deref()),
            ("u", Some("u"), Some(""))
        );
        let mut keys = Vec::new();
        file.slice(5, &handles, &mut keys).unwrap();
        assert_eq!(keys.len(), 2 * KEY_BYTES);
        assert_eq!(keys[20..], 1u32.to_le_bytes());
        keys.clear();
        file.slice(SLICES + 5, &handles, &mut keys).unwrap();
        assert_eq!(keys.len(), KEY_BYTES);
        file.record(1, &handles, &mut keys).unwrap();
        assert_eq!(keys, [8; 3]);
        assert_eq!(file.records(&handles).unwrap(), [7, 7, 7, 8, 8, 8]);
    }

    #[test]
    fn a_torn_piece_is_no_piece() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p");
        Piece::default().write(&path).unwrap();
        let bytes = fs_err::read(&path).unwrap();
        for cut in [0, 10, bytes.len() - 1] {
            fs_err::write(&path, &bytes[..cut]).unwrap();
            assert!(PieceFile::open(&path).unwrap().is_none());
        }
        assert!(PieceFile::open(&dir.path().join("none")).unwrap().is_none());
    }
}
