//! Reads a table of evidence back, row by row.

use super::table::write_error;
use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;

/// One value of a row that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnedCell {
    /// None.
    Null,
    /// A string.
    Text(String),
    /// A number from 0.
    UInt(u64),
    /// A floating-point number.
    Float(f64),
    /// A list of strings.
    TextList(Vec<String>),
}

/// Hands over the column names with each row.
pub type TakeCells<'a> = dyn FnMut(&[String], Vec<OwnedCell>) + 'a;

/// Reads a table that [`TableWriter`](super::TableWriter) wrote; columns of other types read as null.
pub fn read_table(file: fs_err::File, take: &mut TakeCells<'_>) -> Result<(), Error> {
    let path = file.path().to_owned();
    let failed = |error: ParquetError| write_error(&path, error);
    let builder = ParquetRecordBatchReaderBuilder::try_new(file.into_file()).map_err(failed)?;
    for batch in builder.build().map_err(failed)? {
        let batch = batch.map_err(|error| failed(error.into()))?;
        let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
        for row in 0..batch.num_rows() {
            take(&names, (0..batch.num_columns()).map(|column| cell(&batch, column, row)).collect());
        }
    }
    Ok(())
}

fn cell(batch: &RecordBatch, column: usize, row: usize) -> OwnedCell {
    let array = batch.column(column);
    if array.is_null(row) {
        return OwnedCell::Null;
    }
    match array.data_type() {
        DataType::Utf8 => OwnedCell::Text(array.as_string::<i32>().value(row).to_owned()),
        DataType::UInt64 => OwnedCell::UInt(array.as_primitive::<UInt64Type>().value(row)),
        DataType::Float64 => OwnedCell::Float(array.as_primitive::<Float64Type>().value(row)),
        DataType::List(_) => {
            let list = array.as_list::<i32>().value(row);
            let texts = list.as_string_opt::<i32>();
            OwnedCell::TextList(
                texts.map(|t| t.iter().flatten().map(str::to_owned).collect()).unwrap_or_default(),
            )
        }
        _ => OwnedCell::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cell, ColumnType, TableWriter};
    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.parquet");
        let columns = [("a.b", ColumnType::Text), ("n", ColumnType::UInt), ("l", ColumnType::TextList)];
        let mut writer = TableWriter::create(fs_err::File::create(&path).unwrap(), &columns).unwrap();
        let list = ["x".to_owned(), "y".to_owned()];
        writer.push(&[Cell::Text("t"), Cell::Null, Cell::TextList(&list)]).unwrap();
        writer.finish().unwrap();
        let mut rows = Vec::new();
        read_table(fs_err::File::open(&path).unwrap(), &mut |names, row| rows.push((names.to_vec(), row)))
            .unwrap();
        assert_eq!(rows[0].0, ["a.b", "n", "l"]);
        assert_eq!(
            rows[0].1,
            [OwnedCell::Text("t".into()), OwnedCell::Null, OwnedCell::TextList(list.to_vec())]
        );
    }
}
