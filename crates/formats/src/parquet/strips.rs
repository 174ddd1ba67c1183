//! Tables of many columns, written some columns at a time.
//!
//! A column that is read has a page in memory, one that is written a page, a dictionary and its hash table: at 4,000 columns
//! together, that is half a gigabyte. So of each row group neighbouring columns are copied together, a *strip* of them, and the next
//! strip behind it.

use super::annotation::{RowEdit, annotations};
use super::copy::{Output, pieces};
use super::file::RowFile;
use super::handle::Trouble;
use super::scan::Scan;
use super::spill::Spill;
use super::table::write_error;
use super::text::TextColumns;
use crate::error::Error;
use crate::source::Source;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{FieldRef, Schema};
use arrow_select::filter::filter_record_batch;
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// What the columns of a strip may take while they are written, about.
const STRIP_BYTES: u64 = 16 << 20;
/// What a column takes, however few its values: the table of its dictionary, above all.
const COLUMN_BYTES: u64 = 100 << 10;
/// What its values take at most: a page is packed when it is full.
const PAGE_BYTES: u64 = 1 << 20;
/// Rows asked for a verdict at a time.
const VERDICT_ROWS: u64 = 8192;

/// What a column of annotations takes while it is written at most, of which there are four.
pub(super) const ANNOTATION_BYTES: u64 = 4 * (COLUMN_BYTES + PAGE_BYTES);

/// What each column takes while it is written, about.
fn weights(file: &RowFile) -> Vec<u64> {
    let mut weights = vec![0; file.schema.fields().len()];
    let columns = file.metadata.file_metadata().schema_descr();
    for leaf in 0..columns.num_columns() {
        let chunks = file.metadata.row_groups().iter().filter_map(|group| group.columns().get(leaf));
        let largest = chunks.map(|chunk| chunk.uncompressed_size().max(0) as u64).max().unwrap_or(0);
        weights[columns.get_column_root_idx(leaf)] += COLUMN_BYTES + largest.min(PAGE_BYTES);
    }
    weights
}

/// What the columns take that are written together, about.
pub(super) fn written_at_once(file: &RowFile) -> u64 {
    let weights = weights(file);
    let roots: Vec<usize> = (0..weights.len()).collect();
    let strips = strips(file, &roots).into_iter().map(|strip| strip.iter().map(|&root| weights[root]).sum());
    strips.max().unwrap_or(0)
}

/// The strips of a table, each of columns by ascending number.
pub(super) fn strips(file: &RowFile, roots: &[usize]) -> Vec<Vec<usize>> {
    let weights = weights(file);
    let (mut strips, mut weight) = (vec![Vec::new()], 0);
    for &root in roots {
        weight += weights[root];
        match strips.last_mut() {
            Some(strip) if weight <= STRIP_BYTES || strip.is_empty() => strip.push(root),
            _ => {
                strips.push(vec![root]);
                weight = weights[root];
            }
        }
    }
    strips
}

/// Columns that are written together.
struct Strip {
    roots: Vec<usize>,
    texts: TextColumns,
    fields: Vec<FieldRef>,
    factory: ArrowRowGroupWriterFactory,
}

impl Strip {
    /// Some columns of the output, by their place in it.
    fn new(
        output: &Output,
        (roots, places): (Vec<usize>, std::ops::Range<usize>),
        (path, properties): (&Path, &WriterPropertiesPtr),
    ) -> Result<Self, ParquetError> {
        let fields = output.schema.fields()[places.clone()].to_vec();
        let root = output.parquet.root_schema();
        let types = root.get_fields()[places].to_vec();
        let own = Arc::new(Type::group_type_builder(root.name()).with_fields(types).build()?);
        // Only a writer knows how to make those of its columns; what it would write itself is nothing.
        let writer = SerializedFileWriter::new(io::sink(), own, Arc::clone(properties))?;
        let mut factory = ArrowRowGroupWriterFactory::new(&writer, Arc::new(Schema::new(fields.clone())));
        if let Some(spill) = Spill::beside(path) {
            factory = factory.with_page_store_factory(spill);
        }
        Ok(Strip { roots, texts: TextColumns::default(), fields, factory })
    }

    fn write(&self, writers: &mut [ArrowColumnWriter], columns: &[ArrayRef]) -> Result<(), ParquetError> {
        let mut writers = writers.iter_mut();
        for (field, column) in self.fields.iter().zip(columns) {
            for leaf in compute_leaves(field, column)? {
                let writer = writers.next().ok_or_else(|| ParquetError::General("no such column".into()))?;
                writer.write(&leaf)?;
            }
        }
        Ok(())
    }
}

/// What [`copy_rows`](super::copy_rows) does, a strip at a time; row groups are those of the source.
pub(super) fn copy_strips(
    source: &Source,
    (file, strips, output): (RowFile, Vec<Vec<usize>>, Output),
    verdict: &mut dyn FnMut(u64) -> RowEdit,
    annotate: bool,
    out: fs_err::File,
) -> Result<fs_err::File, Error> {
    let path = out.path().to_owned();
    let failed = |error| write_error(&path, error);
    let properties: WriterPropertiesPtr = Arc::new(output.properties.clone());
    let root = output.parquet.root_schema_ptr();
    let mut writer = SerializedFileWriter::new(out, root, Arc::clone(&properties)).map_err(failed)?;
    let (mut parts, mut place) = (Vec::new(), 0);
    for roots in strips {
        let places = place..place + roots.len();
        place = places.end;
        let texts = TextColumns::among(&file, &roots);
        let strip = Strip::new(&output, (roots, places), (&path, &properties)).map_err(failed)?;
        parts.push(Strip { texts, ..strip });
    }
    let annotated = place..place + usize::from(annotate);
    let annotation = Strip::new(&output, (Vec::new(), annotated), (&path, &properties)).map_err(failed)?;
    let starts = file.starts().to_vec();
    let mut scan = Scan::new(file, Vec::new(), 0);
    for (index, group) in starts.windows(2).enumerate() {
        let (start, end) = (group[0], group[1]);
        let mut said = annotation.factory.create_column_writers(index).map_err(failed)?;
        let mut kept = Vec::with_capacity((end - start) as usize);
        for from in (start..end).step_by(VERDICT_ROWS as usize) {
            let edits: Vec<RowEdit> = (from..end.min(from + VERDICT_ROWS)).map(&mut *verdict).collect();
            kept.extend(edits.iter().map(|edit| *edit != RowEdit::Drop));
            if annotate {
                annotation.write(&mut said, &[annotations(&edits)]).map_err(failed)?;
            }
        }
        if !kept.contains(&true) {
            continue;
        }
        let mut group_writer = writer.next_row_group().map_err(failed)?;
        for part in &parts {
            let mut writers = part.factory.create_column_writers(index).map_err(failed)?;
            scan = Scan::new(scan.file, part.roots.clone(), start);
            while scan.row() < end {
                let first = (scan.row() - start) as usize;
                let batch = match scan.next() {
                    Ok(Some(batch)) => batch,
                    Ok(None) => break,
                    Err(Trouble::Data(message)) => {
                        let from = scan.row();
                        match (from..end).find(|&row| kept[(row - start) as usize]) {
                            Some(row) => {
                                return Err(Error::DamagedColumn { path: source.path.clone(), row, message });
                            }
                            None => break,
                        }
                    }
                    Err(Trouble::Disk(error)) => return Err(error.into()),
                };
                if let Some((at, message)) = part.texts.first_fault(&batch, |at| kept[first + at]) {
                    let row = start + (first + at) as u64;
                    return Err(Error::DamagedColumn { path: source.path.clone(), row, message });
                }
                let batch = filtered(&batch, &kept[first..]).map_err(failed)?;
                for piece in pieces(&batch) {
                    part.write(&mut writers, piece.columns()).map_err(failed)?;
                }
            }
            for writer in writers {
                let chunk = writer.close().map_err(failed)?;
                chunk.append_to_row_group(&mut group_writer).map_err(failed)?;
            }
        }
        for writer in said {
            let chunk = writer.close().map_err(failed)?;
            chunk.append_to_row_group(&mut group_writer).map_err(failed)?;
        }
        group_writer.close().map_err(failed)?;
    }
    writer.into_inner().map_err(failed)
}

fn filtered(batch: &RecordBatch, kept: &[bool]) -> Result<RecordBatch, ParquetError> {
    let kept = BooleanArray::from(kept[..batch.num_rows()].to_vec());
    Ok(filter_record_batch(batch, &kept)?)
}
