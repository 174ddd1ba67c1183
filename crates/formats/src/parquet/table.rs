//! A writer for tables of evidence: the same rows always give the same bytes.

use crate::error::Error;
use arrow_array::builder::{Float64Builder, ListBuilder, StringBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows handed to the encoder at once.
const BATCH_ROWS: usize = 8192;
/// A row group is held in memory until it is written.
const GROUP_BYTES: usize = 64 << 20;

/// What a column holds. Every column may hold nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Strings.
    Text,
    /// Numbers from 0.
    UInt,
    /// Floating-point numbers.
    Float,
    /// Lists of strings.
    TextList,
    /// Lists of numbers from 0.
    UIntList,
}

/// One value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// None.
    Null,
    /// For [`ColumnType::Text`].
    Text(&'a str),
    /// For [`ColumnType::UInt`].
    UInt(u64),
    /// For [`ColumnType::Float`].
    Float(f64),
    /// For [`ColumnType::TextList`].
    TextList(&'a [String]),
    /// For [`ColumnType::UIntList`].
    UIntList(&'a [u64]),
}

/// Writes a table row by row.
pub struct TableWriter {
    path: PathBuf,
    schema: Arc<Schema>,
    writer: ArrowWriter<fs_err::File>,
    columns: Vec<Column>,
    pending: usize,
}

impl TableWriter {
    /// Starts a table with these columns.
    pub fn create(file: fs_err::File, columns: &[(&str, ColumnType)]) -> Result<Self, Error> {
        let path = file.path().to_owned();
        let fields: Vec<Field> =
            columns.iter().map(|(name, kind)| Field::new(*name, kind.data_type(), true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by("onefold".into())
            .set_max_row_group_bytes(Some(GROUP_BYTES));
        let options =
            ArrowWriterOptions::new().with_properties(properties.build()).with_skip_arrow_metadata(true);
        let writer = ArrowWriter::try_new_with_options(file, Arc::clone(&schema), options)
            .map_err(|error| write_error(&path, error))?;
        let columns = columns.iter().map(|(_, kind)| Column::new(*kind)).collect();
        Ok(TableWriter { path, schema, writer, columns, pending: 0 })
    }

    /// Appends a row: one cell a column, in their order.
    pub fn push(&mut self, row: &[Cell<'_>]) -> Result<(), Error> {
        let fits = |(column, cell): (&Column, &Cell<'_>)| column.takes(cell);
        if row.len() != self.columns.len() || !self.columns.iter().zip(row).all(fits) {
            let message = format!("expected a row of {:?}, found {row:?}", self.schema.fields());
            return Err(Error::Unsupported { path: self.path.clone(), message });
        }
        for (column, cell) in self.columns.iter_mut().zip(row) {
            column.push(cell);
        }
        self.pending += 1;
        if self.pending == BATCH_ROWS { self.flush() } else { Ok(()) }
    }

    /// Writes what is left and the footer.
    pub fn finish(mut self) -> Result<fs_err::File, Error> {
        self.flush()?;
        let path = self.path;
        self.writer.into_inner().map_err(|error| write_error(&path, error))
    }

    fn flush(&mut self) -> Result<(), Error> {
        if self.pending == 0 {
            return Ok(());
        }
        self.pending = 0;
        let columns = self.columns.iter_mut().map(Column::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(ParquetError::from);
        batch.and_then(|batch| self.writer.write(&batch)).map_err(|error| write_error(&self.path, error))
    }
}

/// An error of writing: the disk's, or what the format has no place for.
pub(super) fn write_error(path: &Path, error: ParquetError) -> Error {
    let error = match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(error) => return Error::Io(*error),
            Err(cause) => ParquetError::External(cause),
        },
        other => other,
    };
    Error::Unsupported { path: path.to_owned(), message: error.to_string() }
}

impl ColumnType {
    fn data_type(self) -> DataType {
        match self {
            ColumnType::Text => DataType::Utf8,
            ColumnType::UInt => DataType::UInt64,
            ColumnType::Float => DataType::Float64,
            ColumnType::TextList => DataType::new_list(DataType::Utf8, true),
            ColumnType::UIntList => DataType::new_list(DataType::UInt64, true),
        }
    }
}

enum Column {
    Text(StringBuilder),
    UInt(UInt64Builder),
    Float(Float64Builder),
    TextList(ListBuilder<StringBuilder>),
    UIntList(ListBuilder<UInt64Builder>),
}

impl Column {
    fn new(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Text => Column::Text(StringBuilder::new()),
            ColumnType::UInt => Column::UInt(UInt64Builder::new()),
            ColumnType::Float => Column::Float(Float64Builder::new()),
            ColumnType::TextList => Column::TextList(ListBuilder::new(StringBuilder::new())),
            ColumnType::UIntList => Column::UIntList(ListBuilder::new(UInt64Builder::new())),
        }
    }

    fn takes(&self, cell: &Cell<'_>) -> bool {
        matches!(
            (self, cell),
            (_, Cell::Null)
                | (Column::Text(_), Cell::Text(_))
                | (Column::UInt(_), Cell::UInt(_))
                | (Column::Float(_), Cell::Float(_))
                | (Column::TextList(_), Cell::TextList(_))
                | (Column::UIntList(_), Cell::UIntList(_))
        )
    }

    /// Appends a cell of its own type or, for any other, a null.
    fn push(&mut self, cell: &Cell<'_>) {
        match (self, cell) {
            (Column::Text(column), Cell::Text(text)) => column.append_value(text),
            (Column::UInt(column), Cell::UInt(number)) => column.append_value(*number),
            (Column::Float(column), Cell::Float(number)) => column.append_value(*number),
            (Column::TextList(column), Cell::TextList(texts)) => {
                texts.iter().for_each(|text| column.values().append_value(text));
                column.append(true);
            }
            (Column::UIntList(column), Cell::UIntList(numbers)) => {
                column.values().append_slice(numbers);
                column.append(true);
            }
            (Column::Text(column), _) => column.append_null(),
            (Column::UInt(column), _) => column.append_null(),
            (Column::Float(column), _) => column.append_null(),
            (Column::TextList(column), _) => column.append_null(),
            (Column::UIntList(column), _) => column.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Column::Text(column) => Arc::new(column.finish()),
            Column::UInt(column) => Arc::new(column.finish()),
            Column::Float(column) => Arc::new(column.finish()),
            Column::TextList(column) => Arc::new(column.finish()),
            Column::UIntList(column) => Arc::new(column.finish()),
        }
    }
}
