//! The records of a source, one after the other, with their places.

use anyhow::Result;
use onefold_formats::BadRecord;
use onefold_formats::document::{Document, Parsed};
use onefold_formats::source::{Fields, Layout, Source};
use std::fmt;
use std::ops::ControlFlow;

/// Where a record is.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) source: &'a Source,
    pub(super) offset: u64,
    pub(super) row: u64,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, offset) = (&self.source.name, self.offset);
        match self.source.layout {
            Layout::Plain | Layout::Members => write!(f, "{name}: record at byte {offset}"),
            Layout::Stream => write!(f, "{name}: record at byte {offset} of what is compressed"),
            Layout::Rows => write!(f, "{name}: row {}", self.row),
        }
    }
}

/// What a record is, where it is not passed over.
pub(super) enum Found<'a> {
    Document(Box<Document<'a>>),
    Skipped(&'static str),
    Bad(BadRecord),
}

type Take<'a> = dyn FnMut(Place<'_>, Found<'_>) -> Result<()> + 'a;

/// Hands over the documents of a source and its bad records, in order.
pub(super) fn each_record(
    source: Source,
    fields: &Fields,
    max_document_bytes: u64,
    take: &mut Take<'_>,
) -> Result<()> {
    onefold_pipeline::each_record(source, fields, max_document_bytes, 0, &mut |source, frame, parsed| {
        let place = Place { source, offset: frame.offset, row: frame.row };
        match parsed {
            Parsed::Document(document) => take(place, Found::Document(document))?,
            Parsed::Bad(bad) => take(place, Found::Bad(bad))?,
            Parsed::Skipped(what) => take(place, Found::Skipped(what))?,
            Parsed::Passed(_) => {}
        }
        Ok(ControlFlow::Continue(()))
    })
}
