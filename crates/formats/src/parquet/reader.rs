//! The rows of a Parquet file as blocks of frames.

use super::file::RowFile;
use super::handle::Trouble;
use super::scan::Scan;
use super::value::Columns;
use crate::bad::{BadKind, BadRecord};
use crate::block::{Block, Frame, FrameKind};
use crate::error::Error;
use crate::reader::Progress;
use crate::source::{Fields, OpenFile, Source};
use arrow_array::RecordBatch;

/// Bytes of rows in a block, unless one row is larger.
const BLOCK: usize = 1 << 20;
/// Rows in a block at most.
const BLOCK_ROWS: usize = 4096;

/// Reads the rows of a Parquet file. A row's address is its number.
///
/// Where the file is damaged one bad frame covers the rows from there on, and its length is their number. It is 0
/// where no row can be read at all, because of the footer or the schema.
pub struct ParquetReader {
    file: OpenFile,
    state: State,
    next: u64,
}

enum State {
    Rows(Box<Rows>),
    /// A bad frame stands for the rows up to `then`.
    Bad {
        bad: BadRecord,
        length: u64,
        then: u64,
    },
    End,
}

struct Rows {
    scan: Scan,
    columns: Columns,
    /// Rows already decoded, and how many of them have been in blocks.
    batch: Option<(RecordBatch, usize)>,
}

impl ParquetReader {
    /// Opens a source to read from a row on. A row with a part over `limit` bytes is bad.
    pub fn open(source: &Source, fields: &Fields, limit: usize, from_row: u64) -> Result<Self, Error> {
        let file = source.open()?;
        let state = match RowFile::of(file.share(), source) {
            Ok(rows) if from_row >= rows.rows() => State::End,
            Ok(rows) => match Columns::find(&rows, fields, limit) {
                Ok(columns) => {
                    let scan = Scan::new(rows, columns.roots.clone(), from_row);
                    State::Rows(Box::new(Rows { scan, columns, batch: None }))
                }
                Err(bad) => State::Bad { bad, length: 0, then: rows.rows() },
            },
            Err(Trouble::Disk(error)) => return Err(error.into()),
            // The bad frame is the one record of the file, and has been read where reading continues behind it.
            Err(Trouble::Data(_)) if from_row == 1 => State::End,
            Err(Trouble::Data(message)) => {
                State::Bad { bad: BadRecord::new(BadKind::Parquet, message), length: 0, then: from_row + 1 }
            }
        };
        Ok(ParquetReader { file, state, next: from_row })
    }

    /// Fills `block` with the next rows.
    pub fn next_block(&mut self, block: &mut Block) -> Result<Progress, Error> {
        block.clear();
        loop {
            let row = self.next;
            match &mut self.state {
                State::End => return Ok(Progress::End),
                State::Bad { bad, length, then } => {
                    let (kind, length) = (FrameKind::Bad(bad.clone()), *length);
                    block.frames.push(Frame { offset: row, length, row, start: 0, end: 0, kind });
                    self.next = *then;
                    self.state = State::End;
                    return Ok(Progress::Block);
                }
                State::Rows(rows) => {
                    if let Some((batch, at)) = &mut rows.batch
                        && *at < batch.num_rows()
                    {
                        let from = *at;
                        *at = fill(block, &rows.columns, batch, from, row);
                        self.next += (*at - from) as u64;
                        return Ok(Progress::Block);
                    }
                    // The old batch goes before the next one comes.
                    rows.batch = None;
                    match rows.scan.next() {
                        Ok(Some(batch)) => rows.batch = Some((batch, 0)),
                        Ok(None) => self.state = State::End,
                        Err(Trouble::Disk(error)) => return Err(error.into()),
                        Err(Trouble::Data(message)) => {
                            let (bad, then) =
                                (BadRecord::new(BadKind::Parquet, message), rows.scan.file.rows());
                            self.state = State::Bad { bad, length: then - row, then };
                        }
                    }
                }
            }
        }
    }

    /// The next row, twice: it is an address and a number of records.
    pub fn position(&self) -> (u64, u64) {
        (self.next, self.next)
    }

    /// XXH3-128 of the whole file.
    pub fn digest(&self) -> Result<u128, Error> {
        Ok(self.file.finish_digest()?)
    }
}

/// Appends rows of a batch until the block is full; says how far it came.
fn fill(block: &mut Block, columns: &Columns, batch: &RecordBatch, from: usize, first: u64) -> usize {
    let mut at = from;
    while at < batch.num_rows() && block.bytes.len() < BLOCK && block.frames.len() < BLOCK_ROWS {
        let (row, start) = (first + (at - from) as u64, block.bytes.len());
        let kind = match columns.encode(batch, at, &mut block.bytes) {
            Ok(()) => FrameKind::Record,
            Err(bad) => FrameKind::Bad(bad),
        };
        block.frames.push(Frame { offset: row, length: 1, row, start, end: block.bytes.len(), kind });
        at += 1;
    }
    at
}
