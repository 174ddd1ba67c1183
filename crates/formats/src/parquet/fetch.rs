//! Some rows again, by number.

use super::file::RowFile;
use super::handle::Trouble;
use super::scan::{batch_rows, in_words};
use super::value::Columns;
use crate::error::Error;
use crate::source::{Fields, Source};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowSelection, RowSelectionPolicy};
use std::ops::Range;

/// Rows in a batch at most. Rows far apart each hold the page they are on in memory.
const SPARSE_BATCH_ROWS: usize = 16;

/// Takes a row's number and its encoded bytes.
pub type TakeRow<'a> = dyn FnMut(u64, &[u8]) -> Result<(), Error> + 'a;

/// Hands over the encoded bytes of some rows, given in ascending order, in one pass. Pages without any of them are
/// not decoded.
///
/// # Errors
/// [`Error::Changed`] if one of the rows is not there or cannot be read, since it was before.
pub fn fetch_rows(
    source: &Source,
    fields: &Fields,
    limit: usize,
    rows: &[u64],
    take: &mut TakeRow<'_>,
) -> Result<(), Error> {
    let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else { return Ok(()) };
    let changed = |row: u64| Error::Changed { path: source.path.clone(), offset: row };
    let file = RowFile::open(source).map_err(|trouble| trouble.into_changed(&source.path, first))?;
    if last >= file.rows() {
        return Err(changed(last));
    }
    let columns = Columns::find(&file, fields, limit).map_err(|_| changed(first))?;
    let mut reader =
        open(&file, &columns, rows).map_err(|trouble| trouble.into_changed(&source.path, first))?;
    let (mut wanted, mut bytes) = (rows.iter().copied(), Vec::new());
    let mut next = wanted.next();
    while let Some(first) = next {
        let batch = file.handle.guard(|| reader.next().transpose().map_err(in_words));
        let batch = batch.map_err(|trouble| trouble.into_changed(&source.path, first))?;
        let batch = batch.filter(|batch| batch.num_rows() > 0).ok_or_else(|| changed(first))?;
        for at in 0..batch.num_rows() {
            let Some(row) = next else { break };
            bytes.clear();
            columns.encode(&batch, at, &mut bytes).map_err(|_| changed(row))?;
            // A row asked for twice is read once.
            while next == Some(row) {
                take(row, &bytes)?;
                next = wanted.next();
            }
        }
    }
    Ok(())
}

fn open(file: &RowFile, columns: &Columns, rows: &[u64]) -> Result<ParquetRecordBatchReader, Trouble> {
    let (groups, ranges, total) = selection(file.starts(), rows);
    file.handle.guard(|| {
        let builder = file.builder();
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns.roots.iter().copied());
        builder
            .with_projection(mask)
            .with_row_groups(groups)
            .with_row_selection(RowSelection::from_consecutive_ranges(ranges.into_iter(), total))
            // A mask would decode the rows between as well.
            .with_row_selection_policy(RowSelectionPolicy::Selectors)
            .with_batch_size(batch_rows(file, &columns.roots).min(SPARSE_BATCH_ROWS))
            .build()
    })
}

/// The row groups that hold the rows, where the rows are in these groups put one behind the other, and the number
/// of rows in them.
fn selection(starts: &[u64], rows: &[u64]) -> (Vec<usize>, Vec<Range<usize>>, usize) {
    let (mut groups, mut ranges, mut total) = (Vec::new(), Vec::<Range<usize>>::new(), 0);
    let mut base = 0;
    for &row in rows {
        let group = starts.partition_point(|&start| start <= row) - 1;
        if groups.last() != Some(&group) {
            groups.push(group);
            base = total;
            total += (starts[group + 1] - starts[group]) as usize;
        }
        let at = base + (row - starts[group]) as usize;
        match ranges.last_mut() {
            Some(range) if at < range.end => {}
            Some(range) if at == range.end => range.end += 1,
            _ => ranges.push(at..at + 1),
        }
    }
    (groups, ranges, total)
}

#[cfg(test)]
mod tests {
    use super::selection;

    #[test]
    fn rows_are_placed_in_the_groups_that_hold_them() {
        let starts = [0, 10, 10, 30, 35];
        let (groups, ranges, total) = selection(&starts, &[0, 1, 1, 9, 30, 34]);
        assert_eq!(groups, [0, 3]);
        assert_eq!(ranges, [0..2, 9..11, 14..15]);
        assert_eq!(total, 15);
    }
}
