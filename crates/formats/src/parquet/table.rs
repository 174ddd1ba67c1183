//! A writer for tables of evidence: the same rows always give the same bytes.

use super::spill::Spill;
use crate::error::Error;
use arrow_array::builder::{Float64Builder, ListBuilder, StringBuilder, StructBuilder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields, Schema};
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
/// Records of their lists likewise, but for those of one row.
const BATCH_RECORDS: usize = 8192;
/// Bytes of texts that are written at a time, about.
const BATCH_BYTES: usize = 1 << 20;
/// A row group waits on disk, encoded, until it is whole. The same whatever memory there is: so are the bytes.
pub(super) const GROUP_BYTES: usize = 16 << 20;

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
    /// Lists of records, each with these fields of texts or numbers from 0.
    RecordList(&'static [(&'static str, ColumnType)]),
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
    /// For [`ColumnType::RecordList`]: the records that were pushed since the row before.
    Pushed,
}

impl Cell<'_> {
    fn text_bytes(&self) -> usize {
        match self {
            Cell::Text(text) => text.len(),
            Cell::TextList(texts) => texts.iter().map(String::len).sum(),
            Cell::Null | Cell::UInt(_) | Cell::Float(_) | Cell::UIntList(_) | Cell::Pushed => 0,
        }
    }
}

/// Writes a table row by row.
pub struct TableWriter {
    path: PathBuf,
    schema: Arc<Schema>,
    writer: ArrowWriter<fs_err::File>,
    columns: Vec<Column>,
    pending: usize,
    /// Records of lists among what is pending.
    records: usize,
    /// Bytes of the texts in the rows that wait, and of those of the next.
    bytes: usize,
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
        let mut options =
            ArrowWriterOptions::new().with_properties(properties.build()).with_skip_arrow_metadata(true);
        if let Some(spill) = Spill::beside(&path) {
            options = options.with_page_store_factory(spill);
        }
        let writer = ArrowWriter::try_new_with_options(file, Arc::clone(&schema), options)
            .map_err(|error| write_error(&path, error))?;
        let columns = columns.iter().map(|(_, kind)| Column::new(*kind)).collect();
        Ok(TableWriter { path, schema, writer, columns, pending: 0, records: 0, bytes: 0 })
    }

    /// Appends a record to the list that a column has in the next row: a list may be longer than one would hold.
    pub fn push_record(&mut self, column: usize, record: &[Cell<'_>]) -> Result<(), Error> {
        match self.columns.get_mut(column) {
            Some(Column::RecordList(list, fields)) if fits_fields(fields, record) => {
                append_record(list.values(), fields, record);
                self.records += 1;
                self.bytes += record.iter().map(Cell::text_bytes).sum::<usize>();
                Ok(())
            }
            _ => {
                let message = format!("expected a record of {:?}, found {record:?}", self.schema.fields());
                Err(Error::Unsupported { path: self.path.clone(), message })
            }
        }
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
            self.bytes += cell.text_bytes();
        }
        self.pending += 1;
        let is_full =
            self.pending == BATCH_ROWS || self.records >= BATCH_RECORDS || self.bytes >= BATCH_BYTES;
        if is_full { self.flush() } else { Ok(()) }
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
        (self.pending, self.records, self.bytes) = (0, 0, 0);
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
            ColumnType::RecordList(fields) => {
                DataType::new_list(DataType::Struct(record_fields(fields)), true)
            }
        }
    }
}

fn record_fields(fields: &[(&str, ColumnType)]) -> Fields {
    fields.iter().map(|(name, kind)| Field::new(*name, kind.data_type(), true)).collect()
}

enum Column {
    Text(StringBuilder),
    UInt(UInt64Builder),
    Float(Float64Builder),
    TextList(ListBuilder<StringBuilder>),
    UIntList(ListBuilder<UInt64Builder>),
    RecordList(ListBuilder<StructBuilder>, &'static [(&'static str, ColumnType)]),
}

impl Column {
    fn new(kind: ColumnType) -> Self {
        match kind {
            ColumnType::Text => Column::Text(StringBuilder::new()),
            ColumnType::UInt => Column::UInt(UInt64Builder::new()),
            ColumnType::Float => Column::Float(Float64Builder::new()),
            ColumnType::TextList => Column::TextList(ListBuilder::new(StringBuilder::new())),
            ColumnType::UIntList => Column::UIntList(ListBuilder::new(UInt64Builder::new())),
            ColumnType::RecordList(fields) => {
                let records = StructBuilder::from_fields(record_fields(fields), 0);
                Column::RecordList(ListBuilder::new(records), fields)
            }
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
                | (Column::RecordList(..), Cell::Pushed)
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
            (Column::RecordList(column, _), Cell::Pushed) => column.append(true),
            (Column::Text(column), _) => column.append_null(),
            (Column::UInt(column), _) => column.append_null(),
            (Column::Float(column), _) => column.append_null(),
            (Column::TextList(column), _) => column.append_null(),
            (Column::UIntList(column), _) => column.append_null(),
            (Column::RecordList(column, _), _) => column.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Column::Text(column) => Arc::new(column.finish()),
            Column::UInt(column) => Arc::new(column.finish()),
            Column::Float(column) => Arc::new(column.finish()),
            Column::TextList(column) => Arc::new(column.finish()),
            Column::UIntList(column) => Arc::new(column.finish()),
            Column::RecordList(column, _) => Arc::new(column.finish()),
        }
    }
}

fn fits_fields(fields: &[(&str, ColumnType)], record: &[Cell<'_>]) -> bool {
    let fits = |((_, kind), cell): (&(&str, ColumnType), &Cell<'_>)| {
        matches!((kind, cell), (ColumnType::Text, Cell::Text(_)) | (ColumnType::UInt, Cell::UInt(_)))
            || *cell == Cell::Null
    };
    record.len() == fields.len() && fields.iter().zip(record).all(fits)
}

fn append_record(records: &mut StructBuilder, fields: &[(&str, ColumnType)], record: &[Cell<'_>]) {
    const KNOWN: &str = "a builder of this type because it was made for these fields";
    for (at, ((_, kind), cell)) in fields.iter().zip(record).enumerate() {
        match kind {
            ColumnType::UInt => {
                let number = if let Cell::UInt(number) = cell { Some(*number) } else { None };
                records.field_builder::<UInt64Builder>(at).expect(KNOWN).append_option(number);
            }
            _ => {
                let text = if let Cell::Text(text) = cell { Some(*text) } else { None };
                records.field_builder::<StringBuilder>(at).expect(KNOWN).append_option(text);
            }
        }
    }
    records.append(true);
}
