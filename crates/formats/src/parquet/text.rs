//! Columns that are text by their type, and rows in which one of them is not.
//!
//! Writers put any bytes there, and most readers refuse a whole file for one value that is not UTF-8. A column of bytes
//! without such a type may hold any.

use super::file::RowFile;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::schema::types::Type;

/// Columns of text among those of a batch.
#[derive(Debug, Default)]
pub(super) struct TextColumns(Vec<TextColumn>);

#[derive(Debug)]
struct TextColumn {
    /// Its place in the batch.
    place: usize,
    name: String,
}

impl TextColumns {
    /// Those among the columns that are read, given by their numbers in the file. What is nested the decoder checks.
    pub(super) fn among(file: &RowFile, roots: &[usize]) -> Self {
        let own = file.metadata.file_metadata().schema_descr().root_schema();
        let column = |(place, &root): (usize, &usize)| {
            let kind = &own.get_fields()[root];
            is_text(kind).then(|| TextColumn { place, name: kind.name().to_owned() })
        };
        TextColumns(roots.iter().enumerate().filter_map(column).collect())
    }

    /// The same without the column at this place.
    pub(super) fn without(mut self, place: Option<usize>) -> Self {
        self.0.retain(|column| Some(column.place) != place);
        self
    }

    /// What is wrong with a row.
    pub(super) fn fault(&self, batch: &RecordBatch, row: usize) -> Option<String> {
        self.0.iter().find_map(|column| column.fault(batch, row))
    }

    /// A row among these with something wrong, and what.
    pub(super) fn first_fault(
        &self,
        batch: &RecordBatch,
        stays: impl Fn(usize) -> bool,
    ) -> Option<(usize, String)> {
        // By column, for its values lie beside each other.
        let rows = || (0..batch.num_rows()).filter(|&row| stays(row));
        self.0.iter().find_map(|column| rows().find_map(|row| Some((row, column.fault(batch, row)?))))
    }
}

impl TextColumn {
    fn fault(&self, batch: &RecordBatch, row: usize) -> Option<String> {
        let views = batch.column(self.place).as_binary_view_opt().filter(|views| views.is_valid(row))?;
        let bytes = views.value(row);
        if simdutf8::basic::from_utf8(bytes).is_ok() {
            return None;
        }
        let error = std::str::from_utf8(bytes).err()?;
        Some(format!("column {:?}: {error}", self.name))
    }
}

fn is_text(column: &Type) -> bool {
    if !column.is_primitive() || column.get_physical_type() != PhysicalType::BYTE_ARRAY {
        return false;
    }
    let info = column.get_basic_info();
    matches!(info.logical_type_ref(), Some(LogicalType::String | LogicalType::Json | LogicalType::Enum))
        || matches!(info.converted_type(), ConvertedType::UTF8 | ConvertedType::JSON | ConvertedType::ENUM)
}
