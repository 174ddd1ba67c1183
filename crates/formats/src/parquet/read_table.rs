//! Reads a table of evidence back, row by row.

use super::table::write_error;
use crate::error::Error;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
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
    /// A list of records: names and values of their fields.
    RecordList(Vec<Vec<(String, OwnedCell)>>),
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
            take(&names, batch.columns().iter().map(|column| cell(column, row)).collect());
        }
    }
    Ok(())
}

fn cell(array: &ArrayRef, row: usize) -> OwnedCell {
    if array.is_null(row) {
        return OwnedCell::Null;
    }
    match array.data_type() {
        DataType::Utf8 => OwnedCell::Text(array.as_string::<i32>().value(row).to_owned()),
        DataType::UInt64 => OwnedCell::UInt(array.as_primitive::<UInt64Type>().value(row)),
        DataType::Float64 => OwnedCell::Float(array.as_primitive::<Float64Type>().value(row)),
        DataType::List(_) => {
            let list = array.as_list::<i32>().value(row);
            if let Some(records) = list.as_struct_opt() {
                let record = |at: usize| {
                    let columns = records.columns().iter().map(|column| cell(column, at));
                    records.fields().iter().map(|field| field.name().clone()).zip(columns).collect()
                };
                return OwnedCell::RecordList((0..records.len()).map(record).collect());
            }
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
        const FIELDS: &[(&str, ColumnType)] = &[("x", ColumnType::Text), ("y", ColumnType::UInt)];
        let columns = [
            ("a.b", ColumnType::Text),
            ("n", ColumnType::UInt),
            ("l", ColumnType::TextList),
            ("r", ColumnType::RecordList(FIELDS)),
        ];
        let mut writer = TableWriter::create(fs_err::File::create(&path).unwrap(), &columns).unwrap();
        let list = ["x".to_owned(), "y".to_owned()];
        for record in [[Cell::Text("u"), Cell::UInt(1)], [Cell::Null, Cell::UInt(2)]] {
            writer.push_record(3, &record).unwrap();
        }
        writer.push(&[Cell::Text("t"), Cell::Null, Cell::TextList(&list), Cell::Pushed]).unwrap();
        writer.push(&[Cell::Null, Cell::Null, Cell::Null, Cell::Pushed]).unwrap();
        assert!(writer.push_record(3, &[Cell::Text("u")]).is_err());
        assert!(writer.push_record(0, &[Cell::Text("u"), Cell::UInt(1)]).is_err());
        assert!(writer.push(&[Cell::Pushed, Cell::Null, Cell::Null, Cell::Null]).is_err());
        writer.finish().unwrap();
        let mut rows = Vec::new();
        read_table(fs_err::File::open(&path).unwrap(), &mut |names, row| rows.push((names.to_vec(), row)))
            .unwrap();
        assert_eq!(rows[0].0, ["a.b", "n", "l", "r"]);
        let record = |x: OwnedCell, y| vec![("x".to_owned(), x), ("y".to_owned(), OwnedCell::UInt(y))];
        let records = vec![record(OwnedCell::Text("u".into()), 1), record(OwnedCell::Null, 2)];
        let expected = [
            OwnedCell::Text("t".into()),
            OwnedCell::Null,
            OwnedCell::TextList(list.to_vec()),
            OwnedCell::RecordList(records),
        ];
        assert_eq!(rows[0].1, expected);
        assert_eq!(rows[1].1[3], OwnedCell::RecordList(Vec::new()));
    }
}
