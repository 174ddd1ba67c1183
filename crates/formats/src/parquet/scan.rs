//! All rows of some columns, batch by batch, but for those that cannot be read.

use super::file::RowFile;
use super::handle::Trouble;
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

/// Bytes in a batch, roughly.
const BATCH_BYTES: u64 = 4 << 20;
/// Rows in a batch at most: buffers are made for this many before the file is believed.
const BATCH_ROWS: u64 = 8192;

pub(super) struct Scan {
    pub(super) file: RowFile,
    roots: Vec<usize>,
    batch_rows: usize,
    reader: Option<ParquetRecordBatchReader>,
    next: u64,
    /// Up to this row, rows are read one by one: among them is one that cannot be read.
    careful_until: u64,
}

impl Scan {
    /// Reads some of the columns, by ascending number, from a row on.
    pub(super) fn new(file: RowFile, roots: Vec<usize>, from_row: u64) -> Self {
        let batch_rows = batch_rows(&file, &roots);
        Scan { file, roots, batch_rows, reader: None, next: from_row, careful_until: 0 }
    }

    /// The next row.
    pub(super) fn row(&self) -> u64 {
        self.next
    }

    /// The next rows; after trouble, [`row`](Self::row) is the first that cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>, Trouble> {
        loop {
            if self.next >= self.file.rows() {
                return Ok(None);
            }
            let group = self.file.group_of(self.next);
            let end = self.file.starts()[group + 1];
            match self.read(group) {
                Ok(Some(batch)) => {
                    // Pages may hold more rows than they should.
                    let rows = batch.num_rows().min(usize::try_from(end - self.next).unwrap_or(usize::MAX));
                    self.next += rows as u64;
                    if self.next == self.careful_until || self.next == end {
                        self.reader = None;
                    }
                    return Ok(Some(batch.slice(0, rows)));
                }
                Ok(None) => {
                    let start = self.file.starts()[group];
                    let (expected, found) = (end - start, self.next - start);
                    let message = format!("row group {group}: expected {expected} rows, found {found}");
                    return Err(Trouble::Data(message));
                }
                Err(Trouble::Data(_)) if self.next >= self.careful_until && self.batch_rows > 1 => {
                    self.careful_until = end.min(self.next + self.batch_rows as u64);
                    self.reader = None;
                }
                Err(Trouble::Data(message)) => {
                    return Err(Trouble::Data(format!("row group {group}: {message}")));
                }
                Err(trouble) => return Err(trouble),
            }
        }
    }

    /// Passes over the rest of a row group; gives the first row behind it.
    pub(super) fn skip_group(&mut self) -> u64 {
        if self.next < self.file.rows() {
            self.next = self.file.starts()[self.file.group_of(self.next) + 1];
        }
        self.reader = None;
        self.next
    }

    fn read(&mut self, group: usize) -> Result<Option<RecordBatch>, Trouble> {
        if self.reader.is_none() {
            self.reader = Some(self.open(group)?);
        }
        let reader = self.reader.as_mut();
        let batch =
            self.file.handle.guard(|| reader.and_then(Iterator::next).transpose().map_err(in_words))?;
        Ok(batch.filter(|batch| batch.num_rows() > 0))
    }

    /// A row group at a time, so that one with fewer rows than it should have does not go on with those of the next.
    fn open(&self, group: usize) -> Result<ParquetRecordBatchReader, Trouble> {
        if let Some(fault) = self.file.fault(group) {
            return Err(Trouble::Data(fault.to_owned()));
        }
        let skip = (self.next - self.file.starts()[group]) as usize;
        let careful = self.next < self.careful_until;
        let batch_rows = if careful { 1 } else { self.batch_rows };
        self.file.handle.guard(|| {
            let builder = self.file.builder();
            let mask = ProjectionMask::roots(builder.parquet_schema(), self.roots.iter().copied());
            builder
                .with_projection(mask)
                .with_row_groups(vec![group])
                .with_batch_size(batch_rows)
                .with_offset(skip)
                .build()
        })
    }
}

/// Rows for a batch, by the row group with the largest rows.
pub(super) fn batch_rows(file: &RowFile, roots: &[usize]) -> usize {
    let schema = file.metadata.file_metadata().schema_descr();
    let mask = ProjectionMask::roots(schema, roots.iter().copied());
    let groups = file.metadata.row_groups().iter().enumerate();
    let sound = groups.filter(|(index, group)| group.num_rows() > 0 && file.fault(*index).is_none());
    let largest = sound.map(|(_, group)| {
        let columns = group.columns().iter().enumerate().filter(|(leaf, _)| mask.leaf_included(*leaf));
        let sizes = columns.map(|(_, column)| column.uncompressed_size().max(0) as u64);
        sizes.fold(0u64, u64::saturating_add) / group.num_rows() as u64
    });
    (BATCH_BYTES / largest.max().unwrap_or(1).max(1)).clamp(1, BATCH_ROWS) as usize
}

/// The message of an error without the layers it came through.
pub(super) fn in_words(error: ArrowError) -> String {
    match error {
        ArrowError::ParquetError(message) => message,
        other => other.to_string(),
    }
}
