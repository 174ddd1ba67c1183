//! Buckets: documents of distinct texts that share a band key, found a slice of the key space at a time.

use crate::error::Error;
use crate::exact::Representatives;
use crate::meet::Meeting;
use crate::piece::{ALL_SLICES, KEY_BYTES, SLICES};
use crate::sketcher::ShingleKey;
use crate::table::{DocId, Table};
use crate::workdir::Workdir;
use onefold_detect::mix;
use std::os::unix::fs::FileExt;

/// From this many pieces on, their keys are gathered first: a slice of each would be too many small reads.
const MANY_PIECES: usize = 1024;
/// Bytes of a slice written at a time while keys are gathered, at most.
const GATHER_BYTES: usize = 1 << 15;
/// Keys of the gathered file read at a time.
const READ_KEYS: usize = 1 << 14;
/// Bytes a key takes while its slice is sorted: as it is read, sorted, and counted by place.
const SORT_BYTES: u64 = 2 * size_of::<(u64, DocId)>() as u64 + 4;

/// The band keys of all pieces, slice by slice, with the numbers documents have in the table.
pub(crate) struct Keys {
    gathered: Option<fs_err::File>,
    /// Where each slice starts in the gathered file, and where the last one ends.
    starts: Vec<u64>,
}

impl Keys {
    /// Gathers the keys into one file, where there are many pieces.
    pub(crate) fn of(table: &Table<'_>, workdir: &Workdir, budget_bytes: u64) -> Result<Self, Error> {
        if table.pieces().len() < MANY_PIECES {
            return Ok(Keys { gathered: None, starts: Vec::new() });
        }
        let mut starts = vec![0u64; ALL_SLICES + 1];
        for piece in table.pieces() {
            for (slice, count) in piece.file.slices() {
                starts[slice + 1] += u64::from(count) * KEY_BYTES as u64;
            }
        }
        for slice in 0..ALL_SLICES {
            starts[slice + 1] += starts[slice];
        }
        let path = workdir.file("keys");
        let file =
            fs_err::OpenOptions::new().create(true).truncate(true).read(true).write(true).open(path)?;
        let gather_bytes = (budget_bytes as usize / ALL_SLICES).clamp(KEY_BYTES, GATHER_BYTES);
        let mut next = starts.clone();
        let mut buffers: Vec<Vec<u8>> = vec![Vec::new(); ALL_SLICES];
        let mut write = |slice: usize, buffer: &mut Vec<u8>| -> Result<(), Error> {
            file.file().write_all_at(buffer, next[slice])?;
            next[slice] += buffer.len() as u64;
            buffer.clear();
            Ok(())
        };
        let mut bytes = Vec::new();
        for piece in table.pieces() {
            piece.file.keys(&table.handles, &mut bytes)?;
            let mut chunks = bytes.as_chunks::<KEY_BYTES>().0.iter();
            for (slice, count) in piece.file.slices() {
                let buffer = &mut buffers[slice];
                for chunk in chunks.by_ref().take(count as usize) {
                    let (key, document) = decode(chunk);
                    buffer.extend_from_slice(&key.to_le_bytes());
                    buffer.extend_from_slice(&(document + piece.first).to_le_bytes());
                    if buffer.len() >= gather_bytes {
                        write(slice, buffer)?;
                    }
                }
            }
        }
        for (slice, buffer) in buffers.iter_mut().enumerate() {
            write(slice, buffer)?;
        }
        Ok(Keys { gathered: Some(file), starts })
    }

    /// The number of keys in a slice.
    fn count(&self, table: &Table<'_>, slice: usize) -> u64 {
        match &self.gathered {
            Some(_) => (self.starts[slice + 1] - self.starts[slice]) / KEY_BYTES as u64,
            None => table.pieces().iter().map(|piece| u64::from(piece.file.count(slice))).sum(),
        }
    }

    /// Hands over the keys of a slice.
    pub(crate) fn each(
        &self,
        table: &Table<'_>,
        slice: usize,
        bytes: &mut Vec<u8>,
        mut take: impl FnMut(u64, DocId),
    ) -> Result<(), Error> {
        if let Some(file) = &self.gathered {
            let (mut at, end) = (self.starts[slice], self.starts[slice + 1]);
            while at < end {
                bytes.resize(((end - at) as usize).min(READ_KEYS * KEY_BYTES), 0);
                file.file().read_exact_at(bytes, at)?;
                for chunk in bytes.as_chunks::<KEY_BYTES>().0 {
                    let (key, document) = decode(chunk);
                    take(key, document);
                }
                at += bytes.len() as u64;
            }
            return Ok(());
        }
        for piece in table.pieces() {
            bytes.clear();
            piece.file.slice(slice, &table.handles, bytes)?;
            for chunk in bytes.as_chunks::<KEY_BYTES>().0 {
                let (key, document) = decode(chunk);
                take(key, document + piece.first);
            }
        }
        Ok(())
    }
}

#[inline(always)]
fn decode(chunk: &[u8; KEY_BYTES]) -> (u64, DocId) {
    let [a, b, c, d, e, f, g, h, document @ ..] = *chunk;
    (u64::from_le_bytes([a, b, c, d, e, f, g, h]), DocId::from_le_bytes(document))
}

/// The part of its slice that a key is in, and its place there. Equal shingles are at one place, whatever is below them.
#[inline(always)]
fn place(key: u64, parts: u64) -> (usize, u64) {
    mix::split(key >> ShingleKey::BELOW << (ShingleKey::BELOW + 8), parts)
}

/// Working space of one worker, within a budget.
pub(crate) struct SliceScratch {
    budget_bytes: u64,
    bytes: Vec<u8>,
    keys: Vec<(u64, DocId)>,
    sorted: Vec<(u64, DocId)>,
    counts: Vec<u32>,
}

impl SliceScratch {
    pub(crate) fn new(budget_bytes: u64) -> Self {
        let (bytes, counts) = (Vec::new(), Vec::new());
        SliceScratch { budget_bytes, bytes, keys: Vec::new(), sorted: Vec::new(), counts }
    }

    /// The buckets of one slice, each in order of documents. A slice of more keys than the budget holds is read once
    /// for each part of it.
    pub(crate) fn buckets(
        &mut self,
        (table, keys): (&Table<'_>, &Keys),
        representatives: &Representatives,
        meeting: &mut Meeting<'_>,
        slice: usize,
        mut take: impl FnMut(&[DocId]),
    ) -> Result<(), Error> {
        let parts = (keys.count(table, slice) * SORT_BYTES).div_ceil(self.budget_bytes.max(1)).max(1);
        for part in 0..parts as usize {
            self.keys.clear();
            let SliceScratch { bytes, keys: found, .. } = self;
            keys.each(table, slice, bytes, |key, document| {
                if representatives.is_one(document) && (parts == 1 || place(key, parts).0 == part) {
                    found.push((key, document));
                }
            })?;
            self.sort(parts);
            if slice >= SLICES {
                self.shingle_buckets(meeting, &mut take)?;
            } else {
                self.key_buckets(meeting, &mut take);
            }
        }
        Ok(())
    }

    fn key_buckets(&self, meeting: &mut Meeting<'_>, take: &mut impl FnMut(&[DocId])) {
        let mut bucket = Vec::new();
        for run in self.sorted.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
            bucket.clear();
            bucket.extend(run.iter().map(|&(_, document)| document));
            // Two bands of one document may agree on a key by chance.
            bucket.dedup();
            if bucket.len() > 1 {
                meeting.by_key(&bucket, take);
            }
        }
    }

    fn shingle_buckets(
        &mut self,
        meeting: &mut Meeting<'_>,
        take: &mut impl FnMut(&[DocId]),
    ) -> Result<(), Error> {
        let shingle = |entry: &(u64, DocId)| entry.0 >> ShingleKey::BELOW;
        let mut bucket: Vec<(DocId, ShingleKey)> = Vec::new();
        for run in self.sorted.chunk_by(|a, b| shingle(a) == shingle(b)).filter(|run| run.len() > 1) {
            bucket.clear();
            bucket.extend(run.iter().map(|&(key, document)| (document, ShingleKey(key))));
            bucket.sort_unstable_by_key(|entry| entry.0);
            // Two shingles of one document may agree in their leading bits: the one that promises more stays.
            bucket.dedup_by(|next, first| {
                let same = next.0 == first.0;
                if same {
                    first.1 = first.1.or(next.1);
                }
                same
            });
            meeting.by_shingle(&bucket, take)?;
        }
        Ok(())
    }

    /// Sorts by key, then document. Keys are uniform, so a scatter by the bits behind the slice's, or the part's,
    /// leaves runs of one or two.
    fn sort(&mut self, parts: u64) {
        let bits = self.keys.len().max(2).ilog2().min(20);
        let place = |key: u64| (place(key, parts).1 >> (64 - bits)) as usize;
        self.counts.clear();
        self.counts.resize((1 << bits) + 1, 0);
        for &(key, _) in &self.keys {
            self.counts[place(key) + 1] += 1;
        }
        for index in 1..self.counts.len() {
            self.counts[index] += self.counts[index - 1];
        }
        self.sorted.clear();
        self.sorted.resize(self.keys.len(), (0, 0));
        for &(key, document) in &self.keys {
            let at = &mut self.counts[place(key)];
            self.sorted[*at as usize] = (key, document);
            *at += 1;
        }
        // Behind the scatter, counts[i] is where place i ends.
        let mut start = 0;
        for &end in &self.counts[..1 << bits] {
            let run = &mut self.sorted[start as usize..end as usize];
            if run.len() > 1 {
                run.sort_unstable();
            }
            start = end;
        }
    }
}
