//! Blocks: the unit of work handed from a reader to a worker.

use crate::bad::BadRecord;

/// Bytes of some consecutive records, and where each of them is.
#[derive(Debug)]
pub struct Block {
    /// Decompressed bytes; the frames say what is what.
    pub bytes: Vec<u8>,
    /// The records, in order.
    pub frames: Vec<Frame>,
    /// How many of them a reader puts in at most.
    pub most_frames: usize,
}

impl Default for Block {
    fn default() -> Self {
        Block { bytes: Vec::new(), frames: Vec::new(), most_frames: Block::MOST_FRAMES }
    }
}

/// One record of a block.
#[derive(Debug)]
pub struct Frame {
    /// Address in the source: where the record starts.
    pub offset: u64,
    /// Address in the source: how many bytes it takes, separators included.
    pub length: u64,
    /// Number of the record in its source, from 0; gaps and blank lines do not count.
    pub row: u64,
    /// Where its bytes start in the block.
    pub start: usize,
    /// Where its bytes end in the block.
    pub end: usize,
    /// What it is.
    pub kind: FrameKind,
}

/// What a frame holds.
#[derive(Debug)]
pub enum FrameKind {
    /// A whole record.
    Record,
    /// The header of a record whose body was passed over because it is too large to be a document.
    HeaderOnly,
    /// Not a record: blank lines, a CSV header.
    Filler {
        /// Whether it belongs to the output (a CSV header does, blank lines do not).
        keep: bool,
    },
    /// A record that cannot be read.
    Bad(BadRecord),
}

impl Block {
    /// Records in a block unless fewer are asked for: the smallest lines would fill memory with what is noted of them.
    pub const MOST_FRAMES: usize = 1 << 14;

    /// Empties the block, keeping its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.frames.clear();
    }

    /// Bytes of a frame.
    pub fn bytes_of(&self, frame: &Frame) -> &[u8] {
        &self.bytes[frame.start..frame.end]
    }
}
