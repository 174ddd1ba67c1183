//! Shingles of documents that will probably be compared, held since they were read.
//!
//! A document one of whose keys was seen before has met its like. Its shingles are held then, so that deciding need not
//! read, inflate and cut it again; the first of its like, and what the share of the budget does not hold, is read again
//! by its address, with the same result. One whose digest was seen is a copy, of which nothing is compared; but the evidence
//! tells how many shingles it has, so these are counted. Nothing of this is written: a resumed run has none.

use crate::recipe::BYTES_A_PAGE;
use onefold_detect::mix;
use onefold_detect::text::ShingleSet;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The share of the memory budget that held shingles may take: one in so many.
const SHARE: u64 = 8;
/// The same for the marks of keys.
const SHARE_OF_MARKS: u64 = 64;
/// Keys of a page that are marked. Of default ones these let nine in ten pairs at the threshold meet, and all that are more
/// alike; each is a cache line that the workers take from each other.
const MARKED_KEYS: usize = 8;
/// Marks for every page expected.
const MARKS_A_PAGE: u64 = 2 * MARKED_KEYS as u64;

/// Shingles that are got from the system at a time: piecemeal they cost more than to write them.
const CHUNK: usize = 1 << 17;

/// Bytes that the count of a document's shingles takes.
const BYTES_A_COUNT: u64 = 64;

/// Shingles by the digest of their document, in the order of its text and with repeats.
#[derive(Debug, Default)]
pub(crate) struct HeldShingles {
    chunks: Vec<Vec<u64>>,
    /// Chunk, place in it and number of the shingles of a document.
    places: HashMap<u128, (u32, u32, u32)>,
    /// How many there are, without repeats, of documents with copies.
    counts: HashMap<u128, u32>,
}

impl HeldShingles {
    pub(crate) fn get(&self, digest: u128) -> Option<&[u64]> {
        let &(chunk, from, len) = self.places.get(&digest)?;
        self.chunks.get(chunk as usize)?.get(from as usize..(from + len) as usize)
    }

    /// Lets go of them where they take more than their share of what the documents left of the budget.
    pub(crate) fn keep_within(&mut self, spare_bytes: u64) {
        let chunks: usize = self.chunks.iter().map(|chunk| chunk.capacity() * size_of::<u64>()).sum();
        if chunks as u64 > spare_bytes / SHARE {
            *self = HeldShingles { counts: std::mem::take(&mut self.counts), ..HeldShingles::default() };
        }
    }

    pub(crate) fn count(&self, digest: u128) -> Option<u32> {
        self.counts.get(&digest).copied()
    }

    fn add(&mut self, digest: u128, hashes: &[u64]) {
        let has_room = |chunk: &Vec<u64>| chunk.capacity() - chunk.len() >= hashes.len();
        if !self.chunks.last().is_some_and(has_room) {
            self.chunks.push(Vec::with_capacity(CHUNK.max(hashes.len())));
        }
        let at = self.chunks.len() - 1;
        let chunk = &mut self.chunks[at];
        self.places.entry(digest).or_insert_with(|| {
            let place = (at as u32, chunk.len() as u32, hashes.len() as u32);
            chunk.extend_from_slice(hashes);
            place
        });
    }
}

/// Shingles of documents on their way into the hold.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    hashes: Vec<u64>,
    documents: Vec<(u128, usize)>,
}

impl Wanted {
    pub(crate) fn push(&mut self, digest: u128, hashes: &[u64]) {
        self.hashes.extend_from_slice(hashes);
        self.documents.push((digest, hashes.len()));
    }
}

/// What a document has met among those that were read before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    /// Nothing, or nothing of it can be held.
    Nothing,
    /// One with a key of its own.
    Like,
    /// One with its digest.
    Copy,
}

/// What all workers hold while they read.
#[derive(Debug, Default)]
pub(crate) struct Hold {
    /// The last key seen at each place: sixteen bits of it, of which 0 is none.
    marks: Vec<AtomicU16>,
    bytes_left: AtomicU64,
    held: Mutex<HeldShingles>,
}

impl Hold {
    /// For an input of so many bytes.
    pub(crate) fn new(memory_bytes: u64, input_bytes: u64) -> Self {
        let wanted = (input_bytes / BYTES_A_PAGE + 1) * MARKS_A_PAGE;
        let marks = wanted.min(memory_bytes / SHARE_OF_MARKS / 2).max(1).next_power_of_two();
        let mut hold = Hold { bytes_left: AtomicU64::new(memory_bytes / SHARE), ..Hold::default() };
        hold.marks.resize_with(marks as usize, AtomicU16::default);
        hold
    }

    /// One that holds nothing.
    pub(crate) fn nothing() -> Self {
        Hold::default()
    }

    /// Marks the digest and some keys of a document, and tells what it has met, probably, while there is room to hold
    /// something of it. A key that another has overwritten since is forgotten.
    pub(crate) fn meets(&self, digest: u128, keys: &[u64]) -> Met {
        if self.marks.is_empty() {
            return Met::Nothing;
        }
        let copy = self.mark(digest as u64);
        let like = !copy && keys.iter().take(MARKED_KEYS).fold(false, |seen, &key| self.mark(key) | seen);
        match self.bytes_left.load(Ordering::Relaxed) {
            0 => Met::Nothing,
            _ if copy => Met::Copy,
            _ if like => Met::Like,
            _ => Met::Nothing,
        }
    }

    /// Whether shingles of documents with this digest are still to be counted.
    pub(crate) fn is_uncounted(&self, digest: u128) -> bool {
        self.held().count(digest).is_none()
    }

    /// Counts the shingles of a document that has copies.
    pub(crate) fn count(&self, digest: u128, hashes: &[u64]) {
        let count = ShingleSet::from_hashes(hashes).len() as u32;
        self.held().counts.insert(digest, count);
        self.take_room(BYTES_A_COUNT);
    }

    fn held(&self) -> MutexGuard<'_, HeldShingles> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_room(&self, bytes: u64) {
        let left = self.bytes_left.load(Ordering::Relaxed);
        self.bytes_left.store(left.saturating_sub(bytes), Ordering::Relaxed);
    }

    /// Marks a key, and tells whether it was there.
    #[inline(always)]
    fn mark(&self, key: u64) -> bool {
        let mixed = mix::pair(key, 0);
        let mark = mixed as u16 | 1;
        let place = &self.marks[(mixed >> 16) as usize & (self.marks.len() - 1)];
        let seen = place.load(Ordering::Relaxed) == mark;
        if !seen {
            place.store(mark, Ordering::Relaxed);
        }
        seen
    }

    /// Holds the shingles of some documents; several workers may overdraw the share by a block each.
    pub(crate) fn add(&self, wanted: &mut Wanted) {
        if wanted.documents.is_empty() {
            return;
        }
        let mut held = self.held();
        let bytes = wanted.hashes.len() as u64 * 8;
        let mut from = 0;
        for (digest, len) in wanted.documents.drain(..) {
            held.add(digest, &wanted.hashes[from..from + len]);
            from += len;
        }
        wanted.hashes.clear();
        self.take_room(bytes);
    }

    pub(crate) fn into_held(self) -> HeldShingles {
        self.held.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_meet_by_their_keys_and_copies_by_their_digests() {
        let hold = Hold::new(1 << 20, 100_000);
        assert_eq!(hold.meets(1, &[10, 11]), Met::Nothing);
        assert_eq!(hold.meets(2, &[12, 11]), Met::Like);
        assert_eq!(hold.meets(1, &[10, 11]), Met::Copy);
        assert_eq!(hold.meets(3, &[14]), Met::Nothing);
        assert_eq!(Hold::nothing().meets(1, &[10, 10]), Met::Nothing);
        assert!(hold.is_uncounted(1));
        hold.count(1, &[7, 3, 7]);
        assert!(!hold.is_uncounted(1));
        assert_eq!(hold.into_held().count(1), Some(2));
    }

    #[test]
    fn the_share_ends() {
        let hold = Hold::new(1 << 14, 100_000);
        let shingles = vec![5; (1 << 14) / SHARE as usize / 8 / 2];
        assert_eq!(hold.meets(1, &[7]), Met::Nothing);
        let mut wanted = Wanted::default();
        for digest in [2, 3] {
            assert_eq!(hold.meets(digest, &[7]), Met::Like);
            wanted.push(digest, &shingles);
            hold.add(&mut wanted);
        }
        assert_eq!(hold.meets(4, &[7]), Met::Nothing);
        assert_eq!(hold.into_held().get(2), Some(&shingles[..]));
    }

    #[test]
    fn documents_longer_than_a_chunk_are_held_whole() {
        let mut held = HeldShingles::default();
        let of = |n: u64, len: usize| vec![n; len];
        for (n, len) in [(1, 10), (2, CHUNK + 1), (3, CHUNK - 5), (4, 0), (5, 6)] {
            held.add(n.into(), &of(n, len));
        }
        held.add(1, &[9]);
        for (n, len) in [(1, 10), (2, CHUNK + 1), (3, CHUNK - 5), (4, 0), (5, 6)] {
            assert_eq!(held.get(n.into()), Some(&of(n, len)[..]));
        }
        assert_eq!(held.get(6), None);
    }
}
