//! From the cells of a row to its encoded bytes.

use super::file::RowFile;
use super::text::TextColumns;
use crate::bad::{BadKind, BadRecord};
use crate::row::{self, Row};
use crate::score::Score;
use crate::source::Fields;
use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{as_date, as_datetime};
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, TimeUnit};
use std::fmt::{Display, Write};

/// The columns a document's parts are in.
#[derive(Debug)]
pub(super) struct Columns {
    /// Their numbers in the file, ascending.
    pub(super) roots: Vec<usize>,
    /// Of id, url, date, text, group and score: the number among `roots`.
    parts: [Option<usize>; 6],
    /// What has to be text beside the text, which is looked at anyway.
    texts: TextColumns,
    names: [String; 5],
    limit: usize,
}

/// The places of the text and the group among the columns.
const TEXT: usize = 3;
const GROUP: usize = 4;

impl Columns {
    /// Finds the columns by name; without one for the text there are no documents.
    pub(super) fn find(file: &RowFile, fields: &Fields, limit: usize) -> Result<Self, BadRecord> {
        let schema = file.read_schema();
        let find = |name: &str| schema.fields().iter().position(|field| field.name() == name);
        let Some(text) = find(&fields.text) else {
            return Err(BadRecord::new(
                BadKind::MissingField,
                format!("column {:?} is missing", fields.text),
            ));
        };
        if !matches!(schema.field(text).data_type(), DataType::BinaryView | DataType::Null) {
            let found = file.schema.field(text).data_type();
            let message = format!("column {:?}: expected strings, found {found}", fields.text);
            return Err(BadRecord::new(BadKind::FieldType, message));
        }
        let score = fields.score.as_deref().and_then(find);
        let group = fields.group.as_deref().and_then(find);
        let found = [find(&fields.id), find(&fields.url), find(&fields.date), Some(text), group, score];
        let mut roots: Vec<usize> = found.iter().flatten().copied().collect();
        roots.sort_unstable();
        roots.dedup();
        let parts = found.map(|root| root.and_then(|root| roots.binary_search(&root).ok()));
        let texts = TextColumns::among(file, &roots).without(parts[TEXT]);
        let group = fields.group.clone().unwrap_or_default();
        let names = [&fields.id, &fields.url, &fields.date, &fields.text, &group].map(Clone::clone);
        // A length is stored as one more than it is, in 32 bits.
        Ok(Columns { roots, parts, texts, names, limit: limit.min(u32::MAX as usize - 1) })
    }

    /// The same among all columns of the file.
    pub(super) fn beside_all(self, file: &RowFile) -> Self {
        let parts = self.parts.map(|part| part.map(|part| self.roots[part]));
        let roots: Vec<usize> = (0..file.read_schema().fields().len()).collect();
        let texts = TextColumns::among(file, &roots).without(parts[TEXT]);
        Columns { roots, parts, texts, ..self }
    }

    /// Appends a row of a batch in its encoded form, or nothing if it is bad.
    pub(super) fn encode(&self, batch: &RecordBatch, row: usize, out: &mut Vec<u8>) -> Result<(), BadRecord> {
        if let Some(message) = self.texts.fault(batch, row) {
            return Err(BadRecord::new(BadKind::Utf8, message));
        }
        let mut scratch = [const { String::new() }; 5];
        let mut parts = [None; 5];
        for (index, buffer) in scratch.iter_mut().enumerate() {
            let Some(column) = self.parts[index] else { continue };
            let array = batch.column(column);
            let bytes = match array.as_binary_view_opt() {
                _ if array.is_null(row) || array.data_type() == &DataType::Null => continue,
                Some(views) => views.value(row),
                None if index == GROUP && array.data_type() == &DataType::Boolean => {
                    if array.as_boolean().value(row) { b"true".as_slice() } else { b"false" }
                }
                None => match render(array, row) {
                    Some(text) => {
                        *buffer = text;
                        buffer.as_bytes()
                    }
                    None => continue,
                },
            };
            let name = &self.names[index];
            if bytes.len() > self.limit {
                let message =
                    format!("column {name:?}: expected at most {} bytes, found {}", self.limit, bytes.len());
                return Err(BadRecord::new(BadKind::TooLarge, message));
            }
            match simdutf8::compat::from_utf8(bytes) {
                Ok(text) => parts[index] = Some(text),
                // Bytes that need not be text and are none make no name and no date.
                Err(_) if index != TEXT => {}
                Err(error) => {
                    let message = format!("column {name:?}: {error}");
                    return Err(BadRecord::new(BadKind::Utf8, message));
                }
            }
        }
        let [id, url, date, text, group] = parts;
        let score = self.parts[5].and_then(|column| number(batch.column(column), row));
        row::encode(Row { id, url, date, text, group, score }, out);
        Ok(())
    }
}

/// A cell that is not text, as text; nothing for types that do not make a name or a date.
fn render(array: &ArrayRef, row: usize) -> Option<String> {
    fn shown<T: ArrowPrimitiveType<Native: Display>>(array: &ArrayRef, row: usize) -> Option<String> {
        Some(array.as_primitive::<T>().value(row).to_string())
    }
    fn moment<T: ArrowTimestampType>(array: &ArrayRef, row: usize) -> Option<String> {
        // Without a zone it is taken for UTC; with one, the value is in UTC anyway.
        let moment = as_datetime::<T>(array.as_primitive::<T>().value(row))?;
        Some(moment.format("%Y-%m-%dT%H:%M:%S%.fZ").to_string())
    }
    match array.data_type() {
        DataType::Int8 => shown::<Int8Type>(array, row),
        DataType::Int16 => shown::<Int16Type>(array, row),
        DataType::Int32 => shown::<Int32Type>(array, row),
        DataType::Int64 => shown::<Int64Type>(array, row),
        DataType::UInt8 => shown::<UInt8Type>(array, row),
        DataType::UInt16 => shown::<UInt16Type>(array, row),
        DataType::UInt32 => shown::<UInt32Type>(array, row),
        DataType::UInt64 => shown::<UInt64Type>(array, row),
        DataType::Float16 => shown::<Float16Type>(array, row),
        DataType::Float32 => shown::<Float32Type>(array, row),
        DataType::Float64 => shown::<Float64Type>(array, row),
        DataType::Timestamp(TimeUnit::Second, _) => moment::<TimestampSecondType>(array, row),
        DataType::Timestamp(TimeUnit::Millisecond, _) => moment::<TimestampMillisecondType>(array, row),
        DataType::Timestamp(TimeUnit::Microsecond, _) => moment::<TimestampMicrosecondType>(array, row),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => moment::<TimestampNanosecondType>(array, row),
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().value(row);
            Some(as_date::<Date32Type>(i64::from(days))?.to_string())
        }
        DataType::Date64 => {
            Some(as_date::<Date64Type>(array.as_primitive::<Date64Type>().value(row))?.to_string())
        }
        DataType::Decimal128(..) => Some(array.as_primitive::<Decimal128Type>().value_as_string(row)),
        DataType::Decimal256(..) => Some(array.as_primitive::<Decimal256Type>().value_as_string(row)),
        DataType::FixedSizeBinary(_) => Some(hexadecimal(array.as_fixed_size_binary().value(row))),
        _ => None,
    }
}

/// Bytes in hexadecimal, sixteen of them as a UUID is written.
fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len() + 4);
    for (at, byte) in bytes.iter().enumerate() {
        if bytes.len() == 16 && matches!(at, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A cell as a number.
fn number(array: &ArrayRef, row: usize) -> Option<Score> {
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Int64 => Some(Score::from_whole(array.as_primitive::<Int64Type>().value(row).into())),
        DataType::UInt64 => Some(Score::from_whole(array.as_primitive::<UInt64Type>().value(row).into())),
        DataType::Float16 => Score::from_float(array.as_primitive::<Float16Type>().value(row).to_f64()),
        DataType::Float32 => Score::from_float(array.as_primitive::<Float32Type>().value(row).into()),
        DataType::Float64 => Score::from_float(array.as_primitive::<Float64Type>().value(row)),
        DataType::Decimal128(..) | DataType::Decimal256(..) => Score::parse(&render(array, row)?),
        DataType::Int8 | DataType::Int16 | DataType::Int32 => Score::parse(&render(array, row)?),
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => Score::parse(&render(array, row)?),
        _ => Score::parse(std::str::from_utf8(array.as_binary_view_opt()?.value(row)).ok()?),
    }
}
