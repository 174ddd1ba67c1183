//! Buckets: documents of distinct texts that share a band key, found a slice of the key space at a time.

use crate::error::Error;
use crate::exact::Representatives;
use crate::piece::KEY_BYTES;
use crate::table::{DocId, Table};

/// Lists of documents, one behind the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    members: Vec<DocId>,
    ends: Vec<usize>,
}

impl Buckets {
    pub(crate) fn push(&mut self, bucket: &[DocId]) {
        self.members.extend_from_slice(bucket);
        self.ends.push(self.members.len());
    }

    pub(crate) fn append(&mut self, other: &Buckets) {
        let before = self.members.len();
        self.members.extend_from_slice(&other.members);
        self.ends.extend(other.ends.iter().map(|end| end + before));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, index: usize) -> &[DocId] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.members[start..self.ends[index]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[DocId]> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        (self.members.len() * 4 + self.ends.len() * 8) as u64
    }
}

/// Working space of one worker.
#[derive(Default)]
pub(crate) struct SliceScratch {
    bytes: Vec<u8>,
    keys: Vec<(u64, DocId)>,
    sorted: Vec<(u64, DocId)>,
    counts: Vec<u32>,
}

impl SliceScratch {
    /// The buckets of one slice, each in order of documents.
    pub(crate) fn buckets(
        &mut self,
        table: &Table<'_>,
        representatives: &Representatives,
        slice: usize,
        mut take: impl FnMut(&[DocId]),
    ) -> Result<(), Error> {
        self.keys.clear();
        for piece in table.pieces() {
            self.bytes.clear();
            piece.file.slice(slice, &mut self.bytes)?;
            let (chunks, _) = self.bytes.as_chunks::<KEY_BYTES>();
            for chunk in chunks {
                let both = chunk.split_first_chunk::<8>();
                let Some((key, document)) = both else { continue };
                let document = u32::from_le_bytes(document.try_into().unwrap_or_default()) + piece.first;
                if representatives.is_one(document) {
                    self.keys.push((u64::from_le_bytes(*key), document));
                }
            }
        }
        self.sort();
        let mut bucket = Vec::new();
        for run in self.sorted.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
            bucket.clear();
            bucket.extend(run.iter().map(|&(_, document)| document));
            // Two bands of one document may agree on a key by chance.
            bucket.dedup();
            if bucket.len() > 1 {
                take(&bucket);
            }
        }
        Ok(())
    }

    /// Sorts by key, then document. Keys are uniform, so a scatter by the bits behind the slice's leaves runs of
    /// one or two.
    fn sort(&mut self) {
        let bits = self.keys.len().max(2).ilog2().min(20);
        let place = |key: u64| (key << 8 >> (64 - bits)) as usize;
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
