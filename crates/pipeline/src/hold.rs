//! Shingles of documents that will probably be compared, held since they were read.
//!
//! A document one of whose keys was seen before has met its like. Its shingles are held then, so that deciding need not
//! read, inflate and cut it again; the first of its like, and what the share of the budget does not hold, is read again
//! by its address, with the same result. One whose digest was seen is a copy, of which nothing is compared. Nothing of
//! this is written: a resumed run has none.

use crate::recipe::BYTES_A_PAGE;
use onefold_detect::mix;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The share of the memory budget that held shingles may take: one in so many.
const SHARE: u64 = 8;
/// The same for the marks of keys.
const SHARE_OF_MARKS: u64 = 64;
/// Marks for every page expected: about as many as it has keys.
const MARKS_A_PAGE: u64 = 16;

/// Shingles that are got from the system at a time: piecemeal they cost more than to write them.
const CHUNK: usize = 1 << 17;

/// Shingles by the digest of their document, in the order of its text and with repeats.
#[derive(Debug, Default)]
pub(crate) struct HeldShingles {
    chunks: Vec<Vec<u64>>,
    /// Chunk, place in it and number of the shingles of a document.
    places: HashMap<u128, (u32, u32, u32)>,
}

impl HeldShingles {
    pub(crate) fn get(&self, digest: u128) -> Option<&[u64]> {
        let &(chunk, from, len) = self.places.get(&digest)?;
        self.chunks.get(chunk as usize)?.get(from as usize..(from + len) as usize)
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

    /// Marks the digest and the keys of a document, and tells whether it is worth holding: the digest was not there, one
    /// of the keys was, probably, and there is room. A key that another has overwritten since is forgotten.
    pub(crate) fn is_wanted(&self, digest: u128, keys: &[u64]) -> bool {
        if self.marks.is_empty() || self.mark(digest as u64) {
            return false;
        }
        let seen = keys.iter().fold(false, |seen, &key| self.mark(key) | seen);
        seen && self.bytes_left.load(Ordering::Relaxed) > 0
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
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = wanted.hashes.len() as u64 * 8;
        let mut from = 0;
        for (digest, len) in wanted.documents.drain(..) {
            held.add(digest, &wanted.hashes[from..from + len]);
            from += len;
        }
        wanted.hashes.clear();
        let left = self.bytes_left.load(Ordering::Relaxed);
        self.bytes_left.store(left.saturating_sub(bytes), Ordering::Relaxed);
    }

    pub(crate) fn into_held(self) -> HeldShingles {
        self.held.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_wanted_once_a_key_was_seen_unless_it_is_a_copy() {
        let hold = Hold::new(1 << 20, 100_000);
        assert!(!hold.is_wanted(1, &[10, 11]));
        assert!(hold.is_wanted(2, &[12, 11]));
        assert!(!hold.is_wanted(1, &[10, 11]));
        assert!(!hold.is_wanted(3, &[14]));
        assert!(!Hold::nothing().is_wanted(1, &[10, 10]));
    }

    #[test]
    fn the_share_ends() {
        let hold = Hold::new(1 << 14, 100_000);
        let shingles = vec![5; (1 << 14) / SHARE as usize / 8 / 2];
        assert!(!hold.is_wanted(1, &[7]));
        let mut wanted = Wanted::default();
        for digest in [2, 3] {
            assert!(hold.is_wanted(digest, &[7]));
            wanted.push(digest, &shingles);
            hold.add(&mut wanted);
        }
        assert!(!hold.is_wanted(4, &[7]));
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
