//! Parquet, written and read with the `parquet` crate.

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::{Field as RowField, Row};
use serde_json::Value;
use std::sync::Arc;

/// A table of columns of text.
pub(crate) fn table(columns: &[(&str, Vec<Option<&str>>)]) -> Vec<u8> {
    table_of(columns, false)
}

/// The same, in row groups of two rows.
pub(crate) fn table_of(columns: &[(&str, Vec<Option<&str>>)], small_groups: bool) -> Vec<u8> {
    let fields: Vec<Field> =
        columns.iter().map(|(name, _)| Field::new(*name, DataType::Utf8, true)).collect();
    let arrays: Vec<ArrayRef> =
        columns.iter().map(|(_, values)| Arc::new(StringArray::from(values.clone())) as ArrayRef).collect();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
    let mut out = Vec::new();
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_compression(parquet::basic::Compression::SNAPPY)
        .set_max_row_group_row_count(small_groups.then_some(2))
        .build();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut out, schema, Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    out
}

/// A table of texts in one row group, with pages of so many bytes.
pub(crate) fn one_group(texts: impl Iterator<Item = String>, page_bytes: usize) -> Vec<u8> {
    one_group_in(parquet::basic::Compression::SNAPPY, texts, page_bytes)
}

/// The same in gzip, which takes long to write.
pub(crate) fn slow_group(texts: impl Iterator<Item = String>) -> Vec<u8> {
    one_group_in(parquet::basic::Compression::GZIP(Default::default()), texts, 1 << 20)
}

fn one_group_in(
    compression: parquet::basic::Compression,
    texts: impl Iterator<Item = String>,
    page_bytes: usize,
) -> Vec<u8> {
    let schema = Arc::new(Schema::new(vec![Field::new("text", DataType::Utf8, true)]));
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(false)
        .set_max_row_group_row_count(None)
        .set_data_page_row_count_limit(usize::MAX)
        .set_data_page_size_limit(page_bytes)
        .build();
    let mut out = Vec::new();
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(&mut out, schema.clone(), Some(properties)).unwrap();
    for text in texts {
        let column: ArrayRef = Arc::new(StringArray::from(vec![text]));
        writer.write(&RecordBatch::try_new(schema.clone(), vec![column]).unwrap()).unwrap();
    }
    writer.close().unwrap();
    out
}

/// A table of so many texts, with columns of numbers beside them.
pub(crate) fn many_columns(rows: usize, columns: usize) -> Vec<u8> {
    let texts = (0..rows).map(|row| super::prose(&format!("topic {row}"), 20));
    let number = |row: usize, column: usize| ((row * columns + column) as f64).sqrt();
    let text: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    let numbers = (0..columns).map(|column| {
        let values = (0..rows).map(|row| number(row, column));
        (format!("c{column}"), Arc::new(Float64Array::from_iter_values(values)) as ArrayRef)
    });
    let batch =
        RecordBatch::try_from_iter(std::iter::once(("text".to_owned(), text)).chain(numbers)).unwrap();
    let mut out = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut out, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    out
}

/// A table of texts whose ids are bytes and no text.
pub(crate) fn binary_ids(texts: &[String]) -> Vec<u8> {
    let ids: Vec<[u8; 3]> = (0..texts.len()).map(|number| [0xff, number as u8, 0xfe]).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(arrow_array::BinaryArray::from_iter_values(ids))),
        ("text", Arc::new(StringArray::from_iter_values(texts))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut out = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut out, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    out
}

/// A table of three rows; of the last of these columns the second value is not UTF-8.
pub(crate) fn not_utf8(names: &[&str], column_type: &str) -> Vec<u8> {
    use parquet::data_type::{ByteArray, ByteArrayType};
    let column = |name: &&str| format!("required binary {name} (STRING);");
    let (last, before) = names.split_last().unwrap();
    let columns: String = before.iter().map(column).collect();
    let schema = format!("message root {{ {columns} required binary {last} {column_type}; }}");
    let schema = Arc::new(parquet::schema::parser::parse_message_type(&schema).unwrap());
    let mut out = Vec::new();
    let mut writer =
        parquet::file::writer::SerializedFileWriter::new(&mut out, schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for name in names {
        let mut values = ["first", "second", "third"]
            .map(|row| ByteArray::from(super::prose(&format!("{name}{row}"), 30).as_str()));
        if name == last {
            values[1] = b"in\xffvalid".to_vec().into();
        }
        let mut leaf = group.next_column().unwrap().unwrap();
        leaf.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
        leaf.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    out
}

/// The rows of a table as JSON objects.
pub(crate) fn rows(bytes: &[u8]) -> Vec<Value> {
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes)).expect("a Parquet file");
    reader.get_row_iter(None).unwrap().map(|row| object(&row.unwrap())).collect()
}

fn object(row: &Row) -> Value {
    Value::Object(row.get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect())
}

fn value(field: &RowField) -> Value {
    match field {
        RowField::Null => Value::Null,
        RowField::Str(text) => text.clone().into(),
        RowField::Int(number) => (*number).into(),
        RowField::Long(number) => (*number).into(),
        RowField::UInt(number) => (*number).into(),
        RowField::ULong(number) => (*number).into(),
        RowField::Float(number) => f64::from(*number).into(),
        RowField::Double(number) => (*number).into(),
        RowField::Group(row) => object(row),
        RowField::ListInternal(list) => list.elements().iter().map(value).collect(),
        other => other.to_string().into(),
    }
}

/// Names of a table's columns.
pub(crate) fn columns(bytes: &[u8]) -> Vec<String> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::copy_from_slice(bytes)).unwrap();
    reader.schema().fields().iter().map(|field| field.name().clone()).collect()
}

/// Rows of a table, counted by reading it.
pub(crate) fn height(bytes: &[u8]) -> usize {
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::copy_from_slice(bytes)).unwrap();
    reader.build().unwrap().map(|batch| batch.unwrap().column(0).len()).sum()
}
