//! A Parquet file again, without some of its rows or with a column on them.
//!
//! Bytes go from view to writer as they are, and each column keeps its Parquet type wherever the writer can produce it. It
//! cannot for timestamps of 96 bits, lists of two levels and short decimals in byte arrays: they come out with the same
//! values in the form the writer gives them. A row whose text is not UTF-8 is not copied: others could not read the copy.

use super::annotation::{COLUMN, RowEdit, annotation_fields, annotations};
use super::file::RowFile;
use super::handle::Trouble;
use super::scan::Scan;
use super::spill::Spill;
use super::strips::{copy_strips, strips};
use super::table::{GROUP_BYTES, write_error};
use super::text::TextColumns;
use crate::error::Error;
use crate::source::Source;
use arrow_array::cast::AsArray;
use arrow_array::{BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Field, Fields, Schema};
use arrow_select::filter::filter_record_batch;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, ArrowWriter, encode_arrow_schema};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

/// Bytes handed to the writer at once.
const PIECE_BYTES: usize = 4 << 20;

/// Copies a source to `out` as `verdict`, asked for each row once and in order, says. With `annotate` a column
/// `onefold` is added, in place of one already there.
///
/// # Errors
/// [`Error::DamagedColumn`] where a row group is damaged, unless every row from there on to its end is dropped, and where a row that
/// is not dropped has text that is not UTF-8: a row not dropped is copied, or the copy fails.
pub fn copy_rows(
    source: &Source,
    verdict: &mut dyn FnMut(u64) -> RowEdit,
    annotate: bool,
    out: fs_err::File,
) -> Result<fs_err::File, Error> {
    let file = RowFile::open(source).map_err(|trouble| trouble.into_unsupported(&source.path, 0))?;
    let fields = file.read_schema().fields();
    let roots: Vec<usize> =
        (0..fields.len()).filter(|&root| !annotate || fields[root].name() != COLUMN).collect();
    let path = out.path().to_owned();
    let failed = |error| write_error(&path, error);
    let output = Output::new(&file, &roots, annotate).map_err(failed)?;
    let strips = strips(&file, &roots);
    if strips.len() > 1 && file.may_have_its_rows() {
        return copy_strips(source, (file, strips, output), verdict, annotate, out);
    }
    let schema = Arc::clone(&output.schema);
    let mut options = ArrowWriterOptions::new()
        .with_properties(output.properties)
        .with_skip_arrow_metadata(true)
        .with_parquet_schema(output.parquet);
    if let Some(spill) = Spill::beside(&path) {
        options = options.with_page_store_factory(spill);
    }
    let mut writer = ArrowWriter::try_new_with_options(out, output.schema, options).map_err(failed)?;
    let texts = TextColumns::among(&file, &roots);
    let mut scan = Scan::new(file, roots, 0);
    loop {
        let first = scan.row();
        let batch = match scan.next() {
            Ok(Some(batch)) => batch,
            Ok(None) => break,
            Err(Trouble::Data(message)) => {
                let first = scan.row();
                match (first..scan.skip_group()).find(|&row| verdict(row) != RowEdit::Drop) {
                    Some(row) => {
                        return Err(Error::DamagedColumn { path: source.path.clone(), row, message });
                    }
                    None => continue,
                }
            }
            Err(Trouble::Disk(error)) => return Err(error.into()),
        };
        let edits: Vec<RowEdit> = (first..first + batch.num_rows() as u64).map(&mut *verdict).collect();
        if let Some((at, message)) = texts.first_fault(&batch, |at| edits[at] != RowEdit::Drop) {
            return Err(Error::DamagedColumn { path: source.path.clone(), row: first + at as u64, message });
        }
        let batch =
            apply(&batch, &edits, annotate.then_some(&schema)).map_err(|error| failed(error.into()))?;
        for piece in pieces(&batch) {
            writer.write(&piece).map_err(failed)?;
        }
    }
    writer.into_inner().map_err(failed)
}

/// What is left of a batch, with annotations where there is a schema with a place for them.
fn apply(
    batch: &RecordBatch,
    edits: &[RowEdit],
    annotated: Option<&Arc<Schema>>,
) -> Result<RecordBatch, ArrowError> {
    let kept: BooleanArray = edits.iter().map(|edit| Some(*edit != RowEdit::Drop)).collect();
    let kept = filter_record_batch(batch, &kept)?;
    let Some(schema) = annotated else { return Ok(kept) };
    let mut columns = kept.columns().to_vec();
    columns.push(annotations(edits));
    let options = RecordBatchOptions::new().with_row_count(Some(kept.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

/// A batch in slices of few bytes each. What views share takes little memory here and much in the writer.
pub(super) fn pieces(batch: &RecordBatch) -> Vec<RecordBatch> {
    let mut sizes = vec![0usize; batch.num_rows()];
    for views in batch.columns().iter().filter_map(|column| column.as_binary_view_opt()) {
        for (size, length) in sizes.iter_mut().zip(views.lengths()) {
            *size += length as usize;
        }
    }
    let (mut pieces, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (row, size) in sizes.into_iter().enumerate() {
        bytes += size;
        if bytes >= PIECE_BYTES {
            pieces.push(batch.slice(start, row + 1 - start));
            (start, bytes) = (row + 1, 0);
        }
    }
    if start < batch.num_rows() {
        pieces.push(batch.slice(start, batch.num_rows() - start));
    }
    pieces
}

/// How the copy is written.
pub(super) struct Output {
    pub(super) schema: Arc<Schema>,
    pub(super) parquet: SchemaDescriptor,
    pub(super) properties: WriterProperties,
}

impl Output {
    fn new(file: &RowFile, roots: &[usize], annotate: bool) -> Result<Self, ParquetError> {
        let annotation = annotate.then(|| Arc::new(Field::new_struct(COLUMN, annotation_fields(), true)));
        let with_annotation = |schema: &Schema| {
            let kept = roots.iter().map(|&root| Arc::clone(&schema.fields()[root]));
            Schema::new_with_metadata(
                kept.chain(annotation.clone()).collect::<Fields>(),
                schema.metadata().clone(),
            )
        };
        let schema = Arc::new(with_annotation(file.read_schema()));
        let parquet = parquet_schema(file, roots, &schema)?;
        let metadata = file.metadata.file_metadata();
        let mut pairs: Vec<KeyValue> = metadata.key_value_metadata().cloned().unwrap_or_default();
        for pair in pairs.iter_mut().filter(|pair| annotate && pair.key == ARROW_SCHEMA_META_KEY) {
            pair.value = Some(encode_arrow_schema(&with_annotation(&file.schema)));
        }
        let group_rows = file.starts().windows(2).map(|pair| (pair[1] - pair[0]) as usize).max();
        let mut properties = WriterProperties::builder()
            .set_key_value_metadata((!pairs.is_empty()).then_some(pairs))
            .set_max_row_group_row_count(Some(group_rows.unwrap_or_default().max(1)))
            .set_max_row_group_bytes(Some(GROUP_BYTES));
        if let Some(group) = file.metadata.row_groups().first() {
            if let Some(column) = group.columns().first() {
                properties = properties.set_compression(column.compression());
            }
            for column in group.columns() {
                properties =
                    properties.set_column_compression(column.column_path().clone(), column.compression());
            }
            if roots.len() == file.schema.fields().len() {
                properties = properties.set_sorting_columns(group.sorting_columns().cloned());
            }
        }
        Ok(Output { schema, parquet, properties: properties.build() })
    }
}

/// The Parquet schema: a column's own type where the writer would lay it out the same way, else the writer's.
fn parquet_schema(
    file: &RowFile,
    roots: &[usize],
    schema: &Schema,
) -> Result<SchemaDescriptor, ParquetError> {
    let own = file.metadata.file_metadata().schema_descr().root_schema();
    let written = ArrowSchemaConverter::new().convert(schema)?;
    let mut fields = written.root_schema().get_fields().to_vec();
    for (field, &root) in fields.iter_mut().zip(roots) {
        let kept = &own.get_fields()[root];
        if layout(kept)? == layout(field)? {
            *field = Arc::clone(kept);
        }
    }
    let root = Type::group_type_builder(own.name()).with_fields(fields).build()?;
    Ok(SchemaDescriptor::new(Arc::new(root)))
}

/// Of each leaf of a column: physical type, length and levels.
fn layout(column: &TypePtr) -> Result<Vec<impl PartialEq + use<>>, ParquetError> {
    let root = Type::group_type_builder("schema").with_fields(vec![Arc::clone(column)]).build()?;
    let columns = SchemaDescriptor::new(Arc::new(root));
    let leaf = |leaf: &parquet::schema::types::ColumnDescPtr| {
        (leaf.physical_type(), leaf.type_length(), leaf.max_def_level(), leaf.max_rep_level())
    };
    Ok(columns.columns().iter().map(leaf).collect())
}
