//! An open Parquet file with its metadata checked.

use super::claims::Limits;
use super::handle::{Handle, Trouble};
use crate::compress::Compression;
use crate::source::{OpenFile, Source};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Type as PhysicalType;
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataBuilder, ParquetMetaDataReader, RowGroupMetaData,
};
use parquet::file::reader::Length;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

/// An open Parquet file.
pub(super) struct RowFile {
    pub(super) handle: Handle,
    /// As in the file.
    pub(super) metadata: Arc<ParquetMetaData>,
    /// The Arrow schema as in the file.
    pub(super) schema: SchemaRef,
    /// The types columns are read as, with views for bytes.
    read_as: ArrowReaderMetadata,
    /// The first row of each row group, and behind them the number of rows.
    starts: Vec<u64>,
    /// What the footer says of each row group that cannot be true.
    faults: Vec<Option<String>>,
}

impl RowFile {
    pub(super) fn open(source: &Source) -> Result<Self, Trouble> {
        Self::of(source.open().map_err(Trouble::Disk)?, source)
    }

    /// Reads the metadata of a file already open.
    pub(super) fn of(file: OpenFile, source: &Source) -> Result<Self, Trouble> {
        if source.compression != Compression::None {
            let message = "a Parquet file compressed as a whole: expected it decompressed".to_string();
            return Err(Trouble::Data(message));
        }
        let mut handle = Handle::new(file).map_err(Trouble::Disk)?;
        let metadata = handle.guard(|| ParquetMetaDataReader::new().parse_and_finish(&handle))?;
        let starts = group_starts(&metadata).map_err(Trouble::Data)?;
        let faults = group_faults(&metadata, handle.len());
        handle.limit(Limits::of(&metadata));
        let metadata = Arc::new(metadata);
        let inferred =
            handle.guard(|| ArrowReaderMetadata::try_new(Arc::clone(&metadata), Default::default()))?;
        let read_as = handle.guard(|| read_as_views(&metadata, inferred.schema()))?;
        Ok(RowFile { handle, schema: Arc::clone(inferred.schema()), metadata, read_as, starts, faults })
    }

    pub(super) fn rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or_default()
    }

    /// The first row of each row group, and behind them the number of rows.
    pub(super) fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// The row group that a row is in.
    pub(super) fn group_of(&self, row: u64) -> usize {
        // The last group that starts at or before the row; groups without rows share their start with the next.
        self.starts.partition_point(|&start| start <= row) - 1
    }

    /// Why a row group is not to be read, by the footer alone.
    pub(super) fn fault(&self, group: usize) -> Option<&str> {
        self.faults.get(group)?.as_deref()
    }

    /// Whether the file is large enough for the rows it claims to have, of which each takes a byte and more.
    pub(super) fn may_have_its_rows(&self) -> bool {
        self.rows() <= self.handle.len()
    }

    /// The schema of what is read.
    pub(super) fn read_schema(&self) -> &SchemaRef {
        self.read_as.schema()
    }

    pub(super) fn builder(&self) -> ParquetRecordBatchReaderBuilder<Handle> {
        ParquetRecordBatchReaderBuilder::new_with_metadata(self.handle.clone(), self.read_as.clone())
    }
}

/// Where row groups start, if the numbers of rows in the footer can be true.
fn group_starts(metadata: &ParquetMetaData) -> Result<Vec<u64>, String> {
    let (mut starts, mut rows) = (vec![0], 0u64);
    for (index, group) in metadata.row_groups().iter().enumerate() {
        let count = u64::try_from(group.num_rows()).ok();
        rows = count
            .and_then(|count| rows.checked_add(count))
            .filter(|&rows| rows <= i64::MAX as u64)
            .ok_or_else(|| format!("row group {index}: {} rows", group.num_rows()))?;
        starts.push(rows);
    }
    let told = metadata.file_metadata().num_rows();
    if u64::try_from(told) != Ok(rows) {
        return Err(format!("expected {told} rows, found {rows} in the row groups"));
    }
    Ok(starts)
}

/// What the footer says of row groups that cannot be true.
fn group_faults(metadata: &ParquetMetaData, size: u64) -> Vec<Option<String>> {
    let leaves = metadata.file_metadata().schema_descr().num_columns();
    let fault = |group: &RowGroupMetaData| {
        if group.num_columns() != leaves {
            return Some(format!("expected {leaves} columns, found {}", group.num_columns()));
        }
        let outside = group.columns().iter().find(|column| {
            let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
            let end = start.checked_add(column.compressed_size()).and_then(|end| u64::try_from(end).ok());
            start < 0 || column.compressed_size() < 0 || end.is_none_or(|end| end > size)
        })?;
        Some(format!("column {}: outside the file of {size} bytes", outside.column_path()))
    };
    metadata.row_groups().iter().map(fault).collect()
}

/// What a column is read as: bytes as views, dictionaries as what they hold.
fn plain_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, values) => plain_type(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DataType::BinaryView,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        other => other.clone(),
    }
}

/// Metadata that makes the reader give bytes as views. The reader insists on strings where the file says so, hence
/// its copy of the schema does not say so.
fn read_as_views(metadata: &ParquetMetaData, schema: &Schema) -> Result<ArrowReaderMetadata, ParquetError> {
    let file = metadata.file_metadata();
    let root = file.schema_descr().root_schema();
    let (mut types, mut fields) = (Vec::new(), Vec::new());
    for (parquet, arrow) in root.get_fields().iter().zip(schema.fields()) {
        let data_type = plain_type(arrow.data_type());
        let is_bytes = data_type == DataType::BinaryView && parquet.is_primitive();
        if is_bytes && parquet.get_physical_type() == PhysicalType::BYTE_ARRAY {
            types.push(without_annotation(parquet)?);
        } else {
            types.push(Arc::clone(parquet));
        }
        fields.push(Field::clone(arrow).with_data_type(data_type));
    }
    let root = Type::group_type_builder(root.name()).with_fields(types).build()?;
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        None,
        Arc::new(SchemaDescriptor::new(Arc::new(root))),
        None,
    );
    let groups = metadata.row_groups().to_vec();
    let metadata = ParquetMetaDataBuilder::new(file).set_row_groups(groups).build();
    let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
    ArrowReaderMetadata::try_new(Arc::new(metadata), options)
}

fn without_annotation(column: &Type) -> Result<TypePtr, ParquetError> {
    let info = column.get_basic_info();
    let id = info.has_id().then(|| info.id());
    let bare = Type::primitive_type_builder(column.name(), PhysicalType::BYTE_ARRAY)
        .with_repetition(info.repetition())
        .with_id(id)
        .build()?;
    Ok(Arc::new(bare))
}
