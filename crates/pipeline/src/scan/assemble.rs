//! What blocks leave, put back in order into pieces.

use crate::piece::{BadEntry, Piece};
use std::collections::BTreeMap;

/// Bytes of records in a piece. Small enough that a killed run loses seconds, large enough that pieces are few.
const PIECE_BYTES: usize = 32 << 20;

/// What a block left is kept for the next if it takes one in so many of what a piece may: under a small budget memory is
/// worth more than the time to ask for it.
const SPARE_SHARE: u64 = 4;

/// Assembles the pieces of one source.
pub(super) struct Assembler {
    /// Number of the next block to go into a piece.
    next: u64,
    waiting: BTreeMap<u64, (Piece, usize)>,
    /// What blocks before these left, emptied: their memory is filled again instead of asked for anew.
    spare: Vec<Piece>,
    current: Piece,
    current_bytes: usize,
    written: usize,
    as_stream: bool,
    /// Bytes in memory from which on a piece is whole, however little was read for it.
    most_held: u64,
    /// Bad records of the blocks put in order since they were counted last.
    uncounted_bad: u64,
    /// The first of all.
    first_bad: Option<BadEntry>,
    /// Number of blocks and digest, once the source has ended.
    end: Option<(u64, String)>,
}

impl Assembler {
    pub(super) fn new(written: usize, as_stream: bool, most_held: u64) -> Self {
        Assembler {
            next: 0,
            waiting: BTreeMap::new(),
            spare: Vec::new(),
            current: Piece::default(),
            current_bytes: 0,
            written,
            as_stream,
            most_held,
            uncounted_bad: 0,
            first_bad: None,
            end: None,
        }
    }

    /// Takes what a block left, in any order, and leaves an empty piece in its place.
    pub(super) fn add(&mut self, number: u64, piece: &mut Piece, bytes: usize) {
        let piece = std::mem::replace(piece, self.spare.pop().unwrap_or_default());
        self.waiting.insert(number, (piece, bytes));
    }

    /// Tells that there are this many blocks.
    pub(super) fn end(&mut self, blocks: u64, digest: String) {
        self.end = Some((blocks, digest));
    }

    /// A finished piece, if there is one; the last is one even if it is empty.
    pub(super) fn take(&mut self) -> Option<Piece> {
        while !self.is_whole()
            && let Some((mut piece, bytes)) = self.waiting.remove(&self.next)
        {
            self.uncounted_bad += piece.notes.bad.len() as u64;
            if self.first_bad.is_none() {
                self.first_bad = piece.notes.bad.first().cloned();
            }
            self.current.append(&mut piece);
            if piece.memory_bytes() <= self.most_held / SPARE_SHARE {
                self.spare.push(piece);
            }
            self.current_bytes += bytes;
            self.next += 1;
        }
        let last = self.end.as_ref().is_some_and(|(blocks, _)| *blocks == self.next);
        if !self.is_whole() && !last {
            return None;
        }
        let mut piece = std::mem::take(&mut self.current);
        piece.meta.as_stream = self.as_stream;
        if last {
            piece.meta.last = self.end.take().map(|(_, digest)| digest);
        }
        self.current_bytes = 0;
        self.written += 1;
        Some(piece)
    }

    /// How many bad records were put in order since this was asked last, with the first of all: in the order of the input, so
    /// that which is named does not hang on who was faster.
    pub(super) fn count_bad(&mut self) -> Option<(u64, &BadEntry)> {
        let new = std::mem::take(&mut self.uncounted_bad);
        self.first_bad.as_ref().filter(|_| new > 0).map(|first| (new, first))
    }

    /// Takes back a piece that was written, for the next.
    pub(super) fn give_back(&mut self, mut piece: Piece) {
        if piece.memory_bytes() <= self.most_held {
            piece.clear();
            self.current = piece;
        }
    }

    fn is_whole(&self) -> bool {
        self.current_bytes >= PIECE_BYTES || self.current.held_bytes() >= self.most_held
    }

    /// Pieces taken so far, those of an earlier run included.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    pub(super) fn clear(&mut self) {
        *self = Assembler::new(0, false, self.most_held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketcher::Sketches;

    #[test]
    fn blocks_in_any_order_make_pieces_in_order() {
        let mut assembler = Assembler::new(0, false, u64::MAX);
        let piece = |end| {
            let mut piece = Piece::default();
            piece.meta.end = (end, 0);
            piece
        };
        assembler.add(1, &mut piece(20), PIECE_BYTES);
        assert!(assembler.take().is_none());
        assembler.add(0, &mut piece(10), 5);
        assert_eq!(assembler.take().unwrap().meta.end, (20, 0));
        assembler.add(2, &mut piece(30), 5);
        assert!(assembler.take().is_none());
        assembler.end(3, "d".into());
        let last = assembler.take().unwrap();
        assert_eq!((last.meta.end.0, last.meta.last.as_deref()), (30, Some("d")));
        assert!(assembler.take().is_none());
        assert_eq!(assembler.written(), 2);
    }

    #[test]
    fn a_piece_that_holds_much_is_whole_early() {
        let mut assembler = Assembler::new(0, false, 1000);
        let piece = |keys| {
            let mut piece = Piece::default();
            piece.push_sketches(&Sketches { shingle_keys: vec![7; keys], ..Sketches::default() });
            piece
        };
        assembler.add(0, &mut piece(10), 5);
        assert!(assembler.take().is_none());
        assembler.add(1, &mut piece(100), 5);
        assert!(assembler.take().is_some());
        assert!(assembler.take().is_none());
    }
}
