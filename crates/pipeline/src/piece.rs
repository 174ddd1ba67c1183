//! Pieces: what reading a stretch of a source leaves behind, on disk.
//!
//! A piece is the checkpoint of its stretch and the input of the stages behind. Layout, little-endian:
//!
//! ```text
//! 8  magic "ONEFOLD\x05"
//! 40 length of the meta section, then of rows, names, keys, records (five u64)
//! …  meta: JSON, see `Meta`
//! …  rows: one of 39 bytes a document
//! …  names: id, url, record id, date and payload digest of each document
//! …  keys: keys with their document, in 256 slices by their first byte; behind those, shingle keys in 256 more
//! …  records: what is kept of the sketches of each document, see `record`
//! …  notes: JSON, see `Notes`
//! 8  XXH3-64 of all before
//! ```

mod file;
mod handles;
mod notes;

use crate::error::Error;
use crate::sketcher::Sketches;
pub(crate) use file::{PieceFile, Room};
pub(crate) use handles::Handles;
pub(crate) use notes::{BadEntry, Gap, LinkEntry, Notes};
use onefold_run::{PageCounts, Rank};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"ONEFOLD\x05";
/// Slices of each key space.
pub(crate) const SLICES: usize = 256;
/// Slices of both key spaces: keys, then shingle keys.
pub(crate) const ALL_SLICES: usize = 2 * SLICES;
/// Bytes of a key with its document.
pub(crate) const KEY_BYTES: usize = 12;
const ROW_BYTES: usize = 39;
/// Names of a document: id, url, and what a WARC record is known by.
const NAMES: usize = 5;
const HEADER_BYTES: usize = 48;

/// One document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) digest: u128,
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) rank: Rank,
    pub(crate) empty: bool,
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
    /// Bad records, and the first of them.
    pub(crate) bad: u64,
    pub(crate) first_bad: Option<BadEntry>,
    #[serde(default)]
    pub(crate) pages: PageCounts,
    /// Bytes of a record of sketches.
    pub(crate) record: usize,
    /// Keys in each slice, on disk.
    pub(crate) slices: Vec<u32>,
}

/// A piece in the making; also what one block of it leaves.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) meta: Meta,
    pub(crate) notes: Notes,
    notes_bytes: u64,
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
    pub(crate) payload_digest: Option<String>,
}

impl Piece {
    pub(crate) fn push(&mut self, row: Row, names: [Option<&str>; NAMES]) {
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
        let rows = self.rows.len() * size_of::<Row>();
        (keys + rows + self.names.len() + self.records.len()) as u64 + self.notes_bytes
    }

    /// The same for the memory they are in.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let keys = self.keys.iter().map(Vec::capacity).sum::<usize>() * size_of::<(u64, u32)>();
        let rows = self.rows.capacity() * size_of::<Row>();
        (keys + rows + self.names.capacity() + self.records.capacity()) as u64
    }

    /// Empties the piece and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.meta = Meta::default();
        self.notes.clear();
        self.notes_bytes = 0;
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
        self.meta.pages.add(&std::mem::take(&mut next.meta.pages));
        self.notes_bytes += next.notes.bytes();
        self.notes.append(&mut next.notes, documents);
    }

    /// Writes the piece under its name, all or nothing, and gives its bytes back.
    pub(crate) fn write(&mut self, path: &Path) -> Result<Vec<u8>, Error> {
        let mut counts = [0u32; ALL_SLICES];
        let slice_of = |space: usize, key: u64| space * SLICES + (key >> 56) as usize;
        for (space, keys) in self.keys.iter().enumerate() {
            keys.iter().for_each(|&(key, _)| counts[slice_of(space, key)] += 1);
        }
        self.meta.slices = counts.to_vec();
        self.meta.bad = self.notes.bad.len() as u64;
        self.meta.first_bad = self.notes.bad.first().cloned();
        let meta = serde_json::to_vec(&self.meta).map_err(std::io::Error::other)?;
        let notes = match self.notes.is_empty() {
            true => Vec::new(),
            false => serde_json::to_vec(&self.notes).map_err(std::io::Error::other)?,
        };
        let lens = [
            meta.len(),
            self.rows.len() * ROW_BYTES,
            self.name_ends.len() * 4 + self.names.len(),
            self.keys.iter().map(Vec::len).sum::<usize>() * KEY_BYTES,
            self.records.len(),
        ];
        let mut out = Vec::with_capacity(HEADER_BYTES + lens.iter().sum::<usize>() + notes.len() + 8);
        out.extend_from_slice(MAGIC);
        lens.iter().for_each(|len| out.extend_from_slice(&(*len as u64).to_le_bytes()));
        out.extend_from_slice(&meta);
        for row in &self.rows {
            out.extend_from_slice(&row.digest.to_le_bytes());
            out.extend_from_slice(&row.offset.to_le_bytes());
            out.extend_from_slice(&row.length.to_le_bytes());
            out.extend_from_slice(&row.rank.coarse.to_le_bytes());
            out.extend_from_slice(&row.rank.fine.to_le_bytes());
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
        out.extend_from_slice(&notes);
        out.extend_from_slice(&xxh3_64(&out).to_le_bytes());
        let temporary = path.with_extension("tmp");
        let mut file = fs_err::File::create(&temporary)?;
        file.write_all(&out)?;
        drop(file);
        fs_err::rename(&temporary, path)?;
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(offset: u64) -> Row {
        Row {
            digest: u128::MAX - 7,
            offset,
            length: 9,
            rank: Rank { coarse: 3, fine: 500 },
            empty: offset == 2,
        }
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
        whole.push(row(1), [Some("a"), None, None, None, None]);
        part.push_sketches(&sketches(&[5 << 56, 255 << 56], &[5 << 56], 8));
        part.push(row(2), [Some("u"), Some("u"), Some("r"), Some(""), Some("d")]);
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
        assert_eq!(names.payload_digest.as_deref(), Some("d"));
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
    fn the_layout_is_the_one_in_the_documents() {
        let formats = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md");
        let formats = fs_err::read_to_string(formats).unwrap();
        for said in [
            format!("magic \"ONEFOLD\" 0x{:02x}", MAGIC[7]),
            format!("rows, {ROW_BYTES} bytes each"),
            format!("keys, {KEY_BYTES} bytes each"),
            format!("in each of the {ALL_SLICES} slices"),
            format!("of five sections: meta, rows, names, keys, records (u64 each)\n{HEADER_BYTES}"),
        ] {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words(&formats).contains(&words(&said)), "{said}");
        }
        let meta = serde_json::to_value(Meta::default()).unwrap();
        for field in ["end", "last", "as_stream", "text_bytes", "ungrouped"] {
            assert!(meta.get(field).is_some() && formats.contains(&format!("({field})")), "{field}");
        }
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
