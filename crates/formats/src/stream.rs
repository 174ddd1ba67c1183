//! A buffered byte stream that hands out its buffer whole.
//!
//! Framers look at the unread bytes in place; when they have enough records the buffer itself becomes the block
//! and only the unread tail is copied.
//!
//! At a gap in the compressed file the stream ends for the time being, so that nothing is framed across it. The gap takes
//! one byte of the addresses: what is on either side of it, and the record that names it, then have addresses of their own.

use crate::bad::{BadKind, BadRecord};
use crate::compress::Decoder;
use std::io::{self, Read};

/// Bytes read at a time.
const READ: usize = 1 << 20;

/// A buffered, possibly decompressing, stream.
pub(crate) struct Stream {
    reader: Decoder,
    buffer: Vec<u8>,
    /// Unread bytes are `buffer[start..filled]`.
    start: usize,
    filled: usize,
    /// Offset of `buffer[start]` in the stream.
    offset: u64,
    /// Whether the data or the stretch before a gap has been read to its end.
    ended: bool,
    /// Why it ended early, if it did.
    fault: Option<BadRecord>,
    /// Where it ended at a gap: whether what is lost began a line.
    gap: Option<bool>,
}

/// Bytes that a gap takes of the addresses.
pub(crate) const GAP: u64 = 1;

impl Stream {
    pub(crate) fn new(reader: Decoder) -> Self {
        Stream {
            reader,
            buffer: Vec::new(),
            start: 0,
            filled: 0,
            offset: 0,
            ended: false,
            fault: None,
            gap: None,
        }
    }

    /// Declares that the stream starts at this offset.
    pub(crate) fn at(mut self, offset: u64) -> Self {
        self.offset = offset;
        self
    }

    pub(crate) fn unread(&self) -> &[u8] {
        &self.buffer[self.start..self.filled]
    }

    /// How much of the file what was consumed took, in proportion to what was decompressed of it.
    pub(crate) fn bytes_taken(&self) -> u64 {
        let (packed, waiting) = self.reader.bytes_taken();
        let made = self.offset + self.unread().len() as u64 + waiting as u64;
        (packed as f64 * (self.offset as f64 / made.max(1) as f64)) as u64
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    pub(crate) fn has_fault(&self) -> bool {
        self.fault.is_some()
    }

    /// The reason of an early end, once.
    pub(crate) fn take_fault(&mut self) -> Option<BadRecord> {
        self.fault.take()
    }

    /// Goes on behind a gap, once all before it is read; says whether what is lost began a line.
    pub(crate) fn cross_gap(&mut self) -> Option<bool> {
        debug_assert!(self.unread().is_empty());
        let starts_line = self.gap.take()?;
        self.offset += GAP;
        (self.ended, self.fault) = (false, None);
        Some(starts_line)
    }

    /// Where the unread bytes start in the buffer that [`swap_out`](Self::swap_out) will hand out.
    pub(crate) fn position(&self) -> usize {
        self.start
    }

    pub(crate) fn consume(&mut self, count: usize) {
        debug_assert!(self.start + count <= self.filled);
        self.start += count;
        self.offset += count as u64;
    }

    /// Reads more; does nothing at the end. Positions in the buffer stay as they are.
    pub(crate) fn fill(&mut self) -> io::Result<()> {
        let wanted = self.filled + READ;
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        while !self.ended && self.filled < wanted {
            match self.reader.read(&mut self.buffer[self.filled..wanted]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.ended = true;
                    self.fault = Some(match self.reader.resume(&error)? {
                        Some(gap) => {
                            self.gap = Some(gap.starts_line);
                            BadRecord::new(BadKind::Corrupt, gap.message)
                        }
                        None => {
                            let mut bad = damage(&error);
                            bad.message += &self.reader.unread();
                            bad
                        }
                    });
                }
            }
        }
        Ok(())
    }

    /// Drops what was consumed, so that the buffer does not grow while records are passed over.
    pub(crate) fn compact(&mut self) {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
    }

    /// Gives the buffer away in exchange for `spare`, which gets the unread tail.
    pub(crate) fn swap_out(&mut self, spare: &mut Vec<u8>) {
        let unread = self.filled - self.start;
        if spare.len() < unread {
            spare.resize(unread.max(READ), 0);
        }
        spare[..unread].copy_from_slice(&self.buffer[self.start..self.filled]);
        std::mem::swap(spare, &mut self.buffer);
        self.start = 0;
        self.filled = unread;
    }
}

/// What is said of damage behind which nothing can be read.
pub(crate) fn damage(error: &io::Error) -> BadRecord {
    match error.kind() {
        // Decoders say in words of their own that they wanted more.
        io::ErrorKind::UnexpectedEof => BadRecord::new(BadKind::Truncated, "compressed data: ends early"),
        _ => BadRecord::new(BadKind::Corrupt, format!("compressed data: {error}")),
    }
}
