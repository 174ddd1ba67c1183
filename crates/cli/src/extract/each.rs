//! The records of a source, one after the other, with their places.

use anyhow::Result;
use onefold_formats::block::FrameKind;
use onefold_formats::document::{Document, Parsed};
use onefold_formats::reader::{Progress, Reader};
use onefold_formats::source::{Fields, Format, Layout, Source};
use onefold_formats::{BadRecord, Block};
use onefold_pipeline::parser_for;
use std::fmt;

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
    mut source: Source,
    fields: &Fields,
    max_document_bytes: u64,
    take: &mut Take<'_>,
) -> Result<()> {
    let limit = usize::try_from(max_document_bytes).unwrap_or(usize::MAX);
    let mut block = Block::default();
    let mut reader = Reader::open(&source, fields, limit, (0, 0))?;
    let mut parser = parser_for(source.format, fields, limit, None);
    let mut header_read = !matches!(source.format, Format::Csv | Format::Tsv);
    // Records before this row were handed over when the source was read as members.
    let (mut from_row, mut next_row) = (0, 0);
    loop {
        match reader.next_block(&mut block)? {
            Progress::End => return Ok(()),
            Progress::NotMembers => {
                source.layout = Layout::Stream;
                from_row = next_row;
                reader = Reader::open(&source, fields, limit, (0, 0))?;
                continue;
            }
            Progress::Block => {}
        }
        for frame in &block.frames {
            if !header_read && frame.end > frame.start {
                parser = parser_for(source.format, fields, limit, Some(block.bytes_of(frame)));
                header_read = true;
                continue;
            }
            if frame.row < from_row {
                continue;
            }
            // A gap has the row of the record behind it.
            next_row = frame.row + u64::from(!matches!(frame.kind, FrameKind::Filler { .. }));
            let place = Place { source: &source, offset: frame.offset, row: frame.row };
            match parser.parse(block.bytes_of(frame), &frame.kind) {
                Parsed::Document(document) => take(place, Found::Document(document))?,
                Parsed::Bad(bad) => take(place, Found::Bad(bad))?,
                Parsed::Skipped(what) => take(place, Found::Skipped(what))?,
                Parsed::Passed(_) => {}
            }
        }
    }
}
