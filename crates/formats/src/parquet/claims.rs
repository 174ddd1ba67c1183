//! What the header of a Parquet page claims the page to hold. The decoder makes room for it before it has seen any, so what
//! cannot be true is refused here.
//!
//! A header is Thrift in its compact form
//! (<https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>); the decoder's own reader of it is
//! not open to others, and all that counts here are its first fields, in the order every writer puts them.

use parquet::basic::Type as PhysicalType;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use std::ops::Range;

/// Pages up to this size are believed whatever the footer says: some writers leave its sizes at zero.
const ALWAYS: i64 = 16 << 20;
/// A header that has not told its sizes by here is none.
pub(super) const HEADER: usize = 4096;
const DICTIONARY: i64 = 2;
const INT: u8 = 5;
const STRUCT: u8 = 12;

/// What pages of each column of each row group may hold, by where they are in the file.
pub(super) struct Limits(Vec<Limit>);

struct Limit {
    place: Range<u64>,
    /// Bytes of all pages, decompressed.
    bytes: i64,
    /// Bytes of the smallest value.
    value: i64,
}

impl Limits {
    pub(super) fn of(metadata: &ParquetMetaData) -> Self {
        let columns = metadata.row_groups().iter().flat_map(|group| group.columns());
        let mut limits: Vec<_> = columns.filter_map(limit).collect();
        limits.sort_by_key(|limit| limit.place.start);
        Limits(limits)
    }

    /// Why the page whose header starts at this offset cannot be, if it cannot.
    pub(super) fn fault(&self, offset: u64, header: &[u8]) -> Option<String> {
        let at = self.0.partition_point(|limit| limit.place.start <= offset).checked_sub(1)?;
        let limit = self.0.get(at).filter(|limit| limit.place.contains(&offset))?;
        let Some(Claims { bytes, values }) = Claims::read(header) else {
            return Some(format!("byte {offset}: expected the header of a page"));
        };
        if bytes > limit.bytes.max(ALWAYS) {
            let held = limit.bytes;
            return Some(format!("byte {offset}: a page of {bytes} bytes in a column of {held}"));
        }
        let fits = values.is_none_or(|values| {
            values.checked_mul(limit.value).is_some_and(|all| (0..=bytes).contains(&all))
        });
        let values = values.unwrap_or_default();
        (!fits).then(|| format!("byte {offset}: a dictionary of {values} values in {bytes} bytes"))
    }
}

/// `None` for a column that is not in the file at all, which is a fault of its row group.
fn limit(column: &ColumnChunkMetaData) -> Option<Limit> {
    let start = column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset());
    let start = u64::try_from(start).ok()?;
    let end = start.checked_add(u64::try_from(column.compressed_size()).ok()?)?;
    let value = match column.column_type() {
        PhysicalType::BOOLEAN => 1,
        PhysicalType::INT32 | PhysicalType::FLOAT | PhysicalType::BYTE_ARRAY => 4,
        PhysicalType::INT64 | PhysicalType::DOUBLE => 8,
        PhysicalType::INT96 => 12,
        PhysicalType::FIXED_LEN_BYTE_ARRAY => i64::from(column.column_descr().type_length()).max(1),
    };
    Some(Limit { place: start..end, bytes: column.uncompressed_size(), value })
}

/// The size of a page decompressed, and the values of a dictionary.
#[derive(Debug, PartialEq, Eq)]
struct Claims {
    bytes: i64,
    values: Option<i64>,
}

impl Claims {
    /// `None` if this is not the header of a page as writers write it, which is field by field.
    fn read(header: &[u8]) -> Option<Self> {
        let mut fields = FieldReader { rest: header, last: 0 };
        let (mut page, mut bytes) = (None, None);
        loop {
            match fields.next()? {
                (1, INT) => page = Some(fields.number()?),
                (2, INT) => bytes = Some(fields.number()?),
                (3 | 4, INT) => _ = fields.number()?,
                (7, STRUCT) if page? == DICTIONARY => {
                    let mut inner = FieldReader { rest: fields.rest, last: 0 };
                    let values = (inner.next()? == (1, INT)).then(|| inner.number())??;
                    return Some(Claims { bytes: bytes?, values: Some(values) });
                }
                (5..=8, STRUCT) if page? != DICTIONARY => {
                    return Some(Claims { bytes: bytes?, values: None });
                }
                _ => return None,
            }
        }
    }
}

struct FieldReader<'a> {
    rest: &'a [u8],
    last: i64,
}

impl FieldReader<'_> {
    /// Number and type of the next field; `None` at the end and where numbers do not ascend.
    fn next(&mut self) -> Option<(i64, u8)> {
        let head = self.byte()?;
        let step = i64::from(head >> 4);
        let id = if step > 0 { self.last + step } else { self.number()? };
        (id > self.last && head & 15 != 0).then(|| {
            self.last = id;
            (id, head & 15)
        })
    }

    /// A number of 32 bits.
    fn number(&mut self) -> Option<i64> {
        let mut bits = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            bits |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some((bits >> 1) as i64 ^ -((bits & 1) as i64));
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_field_by_field() {
        // A dictionary of 3 values in 100 bytes, 60 compressed, with a checksum.
        let dictionary = [0x15, 4, 0x15, 0xc8, 1, 0x15, 120, 0x15, 9, 0x3c, 0x15, 6, 0x15, 0, 0, 0];
        assert_eq!(Claims::read(&dictionary), Some(Claims { bytes: 100, values: Some(3) }));
        let data = [0x15, 0, 0x15, 0xc8, 1, 0x15, 120, 0x2c, 0x15, 6, 0x15, 0, 0, 0];
        assert_eq!(Claims::read(&data), Some(Claims { bytes: 100, values: None }));
        let again = [0x15, 4, 0x15, 2, 0x05, 4, 8, 0x15, 2, 0x3c, 0x15, 6, 0];
        assert_eq!(Claims::read(&again), None, "a field told twice");
        for end in 0..11 {
            assert_eq!(Claims::read(&dictionary[..end]), None, "cut after {end}");
        }
    }
}
