//! A finished piece, read again.

use super::handles::Handles;
use super::{HEADER_BYTES, KEY_BYTES, MAGIC, Meta, NAMES, Names, Notes, ROW_BYTES, Row};
use crate::error::Error;
use onefold_run::Rank;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// A finished piece on disk. It is opened when it is read: a run may have more pieces than a process may have files.
#[derive(Debug)]
pub(crate) struct PieceFile {
    path: PathBuf,
    /// The bytes of the file, while the budget lasts.
    held: Option<Vec<u8>>,
    /// Its notes, while the budget lasts.
    held_notes: Option<Notes>,
    pub(crate) meta: Meta,
    pub(crate) documents: u32,
    names_at: u64,
    keys_at: u64,
    records_at: u64,
    notes_at: u64,
    notes_len: usize,
    /// The slices that have keys. A piece of a small file has few of all there are.
    slices: Box<[Slice]>,
}

/// A slice of keys, with where it starts, counted in keys.
#[derive(Clone, Copy, Debug)]
struct Slice {
    number: u16,
    start: u32,
    count: u32,
}

/// Bytes left to hold what could be read again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Room {
    pub(crate) pieces: u64,
    pub(crate) notes: u64,
}

impl PieceFile {
    /// Opens a piece and reads its rows; `None` if there is none, or a damaged one.
    pub(crate) fn open(path: &Path) -> Result<Option<(Self, Vec<Row>)>, Error> {
        Self::open_and_hold(path, &mut Room::default())
    }

    /// The same, holding the piece in memory if there is room.
    pub(crate) fn open_and_hold(path: &Path, room: &mut Room) -> Result<Option<(Self, Vec<Row>)>, Error> {
        match fs_err::read(path) {
            Ok(bytes) => Ok(Self::of(path, bytes, room)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// A piece whose bytes are at hand, held if there is room.
    pub(crate) fn of(path: &Path, bytes: Vec<u8>, room: &mut Room) -> Option<(Self, Vec<Row>)> {
        let (mut file, rows) = Self::parse(path, &bytes)?;
        let notes = &bytes[file.notes_at as usize..][..file.notes_len];
        // What is parsed takes some three times the room.
        if 3 * notes.len() as u64 <= room.notes {
            room.notes -= 3 * notes.len() as u64;
            file.held_notes = Some(parse_notes(notes).ok()?);
        }
        if bytes.len() as u64 <= room.pieces {
            room.pieces -= bytes.len() as u64;
            file.held = Some(bytes);
        }
        Some((file, rows))
    }

    fn parse(path: &Path, bytes: &[u8]) -> Option<(Self, Vec<Row>)> {
        let (body, checksum) = bytes.split_last_chunk::<8>()?;
        if !body.starts_with(MAGIC) || xxh3_64(body) != u64::from_le_bytes(*checksum) {
            return None;
        }
        let mut at = HEADER_BYTES;
        let mut section = |index: usize| -> Option<(usize, &[u8])> {
            let len = 8 + index * 8;
            let len = u64::from_le_bytes(body.get(len..len + 8)?.try_into().ok()?) as usize;
            let from = at;
            at = from.checked_add(len)?;
            Some((from, body.get(from..at)?))
        };
        let (_, meta) = section(0)?;
        let (_, rows) = section(1)?;
        let ((names_at, _), (keys_at, _), (records_at, records)) = (section(2)?, section(3)?, section(4)?);
        let mut meta: Meta = serde_json::from_slice(meta).ok()?;
        let rows = rows.chunks_exact(ROW_BYTES).map(|row| {
            let (digest, row) = row.split_first_chunk::<16>()?;
            let (offset, row) = row.split_first_chunk::<8>()?;
            let (length, row) = row.split_first_chunk::<4>()?;
            let (coarse, row) = row.split_first_chunk::<8>()?;
            let (fine, row) = row.split_first_chunk::<2>()?;
            Some(Row {
                digest: u128::from_le_bytes(*digest),
                offset: u64::from_le_bytes(*offset),
                length: u32::from_le_bytes(*length),
                rank: Rank { coarse: u64::from_le_bytes(*coarse), fine: u16::from_le_bytes(*fine) },
                empty: *row.first()? != 0,
            })
        });
        let rows = rows.collect::<Option<Vec<Row>>>()?;
        let mut sum = 0;
        let all = std::mem::take(&mut meta.slices).into_iter().zip(0..).map(|(count, number)| {
            sum += count;
            Slice { number, start: sum - count, count }
        });
        let slices = all.filter(|slice| slice.count > 0).collect();
        let notes_at = records_at + records.len();
        let file = PieceFile {
            path: path.to_owned(),
            held: None,
            held_notes: None,
            documents: rows.len() as u32,
            names_at: names_at as u64,
            keys_at: keys_at as u64,
            records_at: records_at as u64,
            notes_at: notes_at as u64,
            notes_len: body.len() - notes_at,
            slices,
            meta,
        };
        Some((file, rows))
    }

    /// The notes of the piece.
    pub(crate) fn notes(&self, handles: &Handles) -> Result<Cow<'_, Notes>, Error> {
        if let Some(notes) = &self.held_notes {
            return Ok(Cow::Borrowed(notes));
        }
        let mut bytes = vec![0; self.notes_len];
        self.read_at(handles, &mut bytes, self.notes_at)?;
        Ok(Cow::Owned(parse_notes(&bytes).map_err(std::io::Error::other)?))
    }

    /// The slices that have keys, in order, with their numbers of keys.
    pub(crate) fn slices(&self) -> impl Iterator<Item = (usize, u32)> {
        self.slices.iter().map(|slice| (slice.number.into(), slice.count))
    }

    /// Keys in a slice.
    pub(crate) fn count(&self, slice: usize) -> u32 {
        self.find(slice).map_or(0, |slice| slice.count)
    }

    fn find(&self, number: usize) -> Option<&Slice> {
        let at = self.slices.binary_search_by_key(&number, |slice| slice.number.into()).ok()?;
        self.slices.get(at)
    }

    /// Keys of one slice, appended as bytes.
    pub(crate) fn slice(&self, slice: usize, handles: &Handles, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let Some(&Slice { start, count, .. }) = self.find(slice) else { return Ok(()) };
        let (start, count) = (u64::from(start), count as usize);
        let from = bytes.len();
        bytes.resize(from + count * KEY_BYTES, 0);
        self.read_at(handles, &mut bytes[from..], self.keys_at + start * KEY_BYTES as u64)
    }

    /// Bytes of the names of all its documents, and a little more.
    pub(crate) fn names_bytes(&self) -> u64 {
        self.keys_at - self.names_at
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
        let mut parts: [Option<String>; NAMES] = Default::default();
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
        let [id, url, record_id, date, payload_digest] = parts;
        let id = if id_is_url { url.clone() } else { id };
        Ok(Names { id: id.unwrap_or_default(), url, record_id, date, payload_digest })
    }

    fn read_at(&self, handles: &Handles, bytes: &mut [u8], at: u64) -> Result<(), Error> {
        let from = at as usize;
        match self.held.as_ref().and_then(|held| held.get(from..from + bytes.len())) {
            Some(held) => bytes.copy_from_slice(held),
            None => handles.read_at(&self.path, bytes, at)?,
        }
        Ok(())
    }

    /// The record of a document's sketches.
    pub(crate) fn record(&self, document: u32, handles: &Handles, bytes: &mut Vec<u8>) -> Result<(), Error> {
        bytes.resize(self.meta.record, 0);
        let at = self.records_at + u64::from(document) * self.meta.record as u64;
        self.read_at(handles, bytes, at)
    }

    /// The records of all documents, one behind the other.
    pub(crate) fn records(&self, handles: &Handles) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; self.documents as usize * self.meta.record];
        self.read_at(handles, &mut bytes, self.records_at)?;
        Ok(bytes)
    }

    /// All keys of the piece, in order of slice.
    pub(crate) fn keys(&self, handles: &Handles, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let count: u64 = self.slices().map(|(_, count)| u64::from(count)).sum();
        bytes.resize(count as usize * KEY_BYTES, 0);
        self.read_at(handles, bytes, self.keys_at)
    }
}

fn parse_notes(bytes: &[u8]) -> serde_json::Result<Notes> {
    if bytes.is_empty() { Ok(Notes::default()) } else { serde_json::from_slice(bytes) }
}
