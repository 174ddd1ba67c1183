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

/// Rows of a row group that are named one by one where they cannot be read. More are named at once, since their number is
/// a claim of the footer.
const MOST_NAMED: u64 = 1 << 24;

/// Reads the rows of a Parquet file. A row's address is its number.
///
/// Where a row group is damaged the rows from there on to its end are bad. A bad frame of length 0 stands for a file of
/// which no row can be read because of the footer.
pub struct ParquetReader {
    file: OpenFile,
    size: u64,
    state: State,
    next: u64,
}

enum State {
    Rows(Box<Rows>),
    /// A bad frame stands for the file.
    Bad(BadRecord),
    End,
}

struct Rows {
    scan: Scan,
    /// Why there is no document in any row, or where its parts are.
    columns: Result<Columns, BadRecord>,
    /// Rows already decoded, and how many of them have been in blocks.
    batch: Option<(RecordBatch, usize)>,
    /// Why the rows before this one cannot be read.
    unreadable: Option<(BadRecord, u64)>,
}

impl ParquetReader {
    /// Opens a source to read from a row on. A row with a part over `limit` bytes is bad.
    pub fn open(source: &Source, fields: &Fields, limit: usize, from_row: u64) -> Result<Self, Error> {
        let file = source.open()?;
        let state = match RowFile::of(file.share(), source) {
            Ok(rows) if from_row >= rows.rows() => State::End,
            Ok(rows) => {
                let columns = Columns::find(&rows, fields, limit)
                    .map(|columns| if source.all_columns { columns.beside_all(&rows) } else { columns });
                let roots = columns.as_ref().map(|columns| columns.roots.clone()).unwrap_or_default();
                // From the start of the row group, since behind damage another start would find other rows.
                let start = rows.starts()[rows.group_of(from_row)];
                let scan = Scan::new(rows, roots, start);
                State::Rows(Box::new(Rows { scan, columns, batch: None, unreadable: None }))
            }
            Err(Trouble::Disk(error)) => return Err(error.into()),
            // The bad frame is the one record of the file, and has been read where reading continues behind it.
            Err(Trouble::Data(_)) if from_row == 1 => State::End,
            Err(Trouble::Data(message)) => State::Bad(BadRecord::new(BadKind::Parquet, message)),
        };
        Ok(ParquetReader { file, size: source.size, state, next: from_row })
    }

    /// Fills `block` with the next rows.
    pub fn next_block(&mut self, block: &mut Block) -> Result<Progress, Error> {
        block.clear();
        let row = self.next;
        match &mut self.state {
            State::End => return Ok(Progress::End),
            State::Bad(bad) => {
                let kind = FrameKind::Bad(bad.clone());
                block.frames.push(Frame { offset: row, length: 0, row, start: 0, end: 0, kind });
                self.next += 1;
                self.state = State::End;
            }
            State::Rows(rows) => {
                self.next = rows.next_block(block, row)?;
                if block.frames.is_empty() {
                    self.state = State::End;
                    return Ok(Progress::End);
                }
            }
        }
        Ok(Progress::Block)
    }

    /// The next row, twice: it is an address and a number of records.
    pub fn position(&self) -> (u64, u64) {
        (self.next, self.next)
    }

    /// The part of the file that the rows so far make, were all of one size: columns are read here and there.
    pub fn bytes_read(&self) -> u64 {
        match &self.state {
            State::Rows(rows) => {
                let part =
                    u128::from(self.size) * u128::from(self.next) / u128::from(rows.scan.file.rows().max(1));
                u64::try_from(part).map_or(self.size, |part| part.min(self.size))
            }
            State::Bad(_) => 0,
            State::End => self.size,
        }
    }

    /// XXH3-128 of the whole file.
    pub fn digest(&self) -> Result<u128, Error> {
        Ok(self.file.finish_digest()?)
    }
}

impl Rows {
    /// Fills a block with rows from `row` on, with none at the end; gives the first row behind them.
    fn next_block(&mut self, block: &mut Block, row: u64) -> Result<u64, Error> {
        loop {
            if let Some((bad, until)) = &self.unreadable {
                let at_once = until - row > MOST_NAMED || !self.scan.file.may_have_its_rows();
                let next = fill_bad(block, bad, row, *until, at_once);
                if next == *until {
                    self.unreadable = None;
                }
                return Ok(next);
            }
            if let (Some((batch, at)), Ok(columns)) = (&mut self.batch, &self.columns)
                && *at < batch.num_rows()
            {
                let from = *at;
                *at = fill(block, columns, batch, from, row);
                return Ok(row + (*at - from) as u64);
            }
            // The old batch goes before the next one comes.
            self.batch = None;
            let trouble = match &self.columns {
                Err(bad) => bad.clone(),
                Ok(_) => match self.scan.next() {
                    Ok(Some(batch)) => {
                        let first = self.scan.row() - batch.num_rows() as u64;
                        let passed = row.saturating_sub(first).min(batch.num_rows() as u64);
                        self.batch = Some((batch, passed as usize));
                        continue;
                    }
                    Ok(None) => return Ok(row),
                    Err(Trouble::Disk(error)) => return Err(error.into()),
                    Err(Trouble::Data(message)) => BadRecord::new(BadKind::Parquet, message),
                },
            };
            let until = self.scan.skip_group();
            if until == row {
                return Ok(row);
            }
            self.unreadable = Some((trouble, until));
        }
    }
}

/// Appends rows of a batch until the block is full; says how far it came.
fn fill(block: &mut Block, columns: &Columns, batch: &RecordBatch, from: usize, first: u64) -> usize {
    let mut at = from;
    let most = BLOCK_ROWS.min(block.most_frames);
    while at < batch.num_rows() && block.bytes.len() < BLOCK && block.frames.len() < most {
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

/// Appends rows that cannot be read until the block is full, or all of them `at_once`; says how far it came.
fn fill_bad(block: &mut Block, bad: &BadRecord, from: u64, until: u64, at_once: bool) -> u64 {
    let (end, length) =
        if at_once { (from + 1, until - from) } else { (until.min(from + BLOCK_ROWS as u64), 1) };
    for row in from..end {
        let kind = FrameKind::Bad(bad.clone());
        block.frames.push(Frame { offset: row, length, row, start: 0, end: 0, kind });
    }
    if at_once { until } else { end }
}
