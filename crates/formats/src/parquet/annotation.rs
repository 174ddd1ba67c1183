//! What happens to a row, and the column that says so.

use super::file::RowFile;
use super::handle::Trouble;
use crate::error::Error;
use crate::source::Source;
use arrow_array::ArrayRef;
use arrow_array::builder::{Float64Builder, StringBuilder, StructBuilder, UInt64Builder};
use arrow_schema::{DataType, Field, Fields};
use std::sync::Arc;

/// Name of the column that annotations are in.
pub(super) const COLUMN: &str = "onefold";

/// What happens to a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowEdit {
    /// It stays; its annotation, if the others have one, is null.
    Keep,
    /// It is left out.
    Drop,
    /// It stays with an annotation, where annotations are written.
    Annotate(Annotation),
}

/// What is said about a row in the column `onefold`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotation {
    /// The document that stands for it.
    pub duplicate_of: Option<String>,
    /// How it is a duplicate.
    pub kind: Option<&'static str>,
    /// How similar it is to that document.
    pub similarity: Option<f64>,
    /// The cluster both are in.
    pub cluster: Option<u64>,
}

pub(super) fn annotation_fields() -> Fields {
    let field = |name, data_type| Field::new(name, data_type, true);
    Fields::from(vec![
        field("duplicate_of", DataType::Utf8),
        field("kind", DataType::Utf8),
        field("similarity", DataType::Float64),
        field("cluster", DataType::UInt64),
    ])
}

/// Fails if a source has a column in the place of annotations that is no annotation: it would be lost. A damaged one has
/// nothing to lose here; its reader tells the damage.
pub fn check_annotated(source: &Source) -> Result<(), Error> {
    let file = match RowFile::open(source) {
        Ok(file) => file,
        Err(Trouble::Data(_)) => return Ok(()),
        Err(Trouble::Disk(error)) => return Err(error.into()),
    };
    let ours = annotation_fields();
    let is_ours = |field: &Field| match field.data_type() {
        DataType::Struct(inner) => inner.iter().all(|field| ours.find(field.name()).is_some()),
        _ => false,
    };
    match file.schema.fields().iter().find(|field| field.name() == COLUMN && !is_ours(field)) {
        Some(_) => {
            let message = format!("has a column {COLUMN:?} of its own, which --annotate would overwrite");
            Err(Error::Unsupported { path: source.path.clone(), message })
        }
        None => Ok(()),
    }
}

/// The annotations of the rows that stay.
pub(super) fn annotations(edits: &[RowEdit]) -> ArrayRef {
    let (mut duplicate_of, mut kind) = (StringBuilder::new(), StringBuilder::new());
    let (mut similarity, mut cluster) = (Float64Builder::new(), UInt64Builder::new());
    let none = Annotation::default();
    let mut present = Vec::new();
    for edit in edits {
        let annotation = match edit {
            RowEdit::Drop => continue,
            RowEdit::Keep => &none,
            RowEdit::Annotate(annotation) => annotation,
        };
        present.push(matches!(edit, RowEdit::Annotate(_)));
        duplicate_of.append_option(annotation.duplicate_of.as_deref());
        kind.append_option(annotation.kind);
        similarity.append_option(annotation.similarity);
        cluster.append_option(annotation.cluster);
    }
    let mut column = StructBuilder::new(
        annotation_fields(),
        vec![Box::new(duplicate_of), Box::new(kind), Box::new(similarity), Box::new(cluster)],
    );
    present.into_iter().for_each(|present| column.append(present));
    Arc::new(column.finish())
}
