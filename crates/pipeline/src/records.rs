//! The records of one source, one after the other, for those who need few of them or all but once.

use crate::error::Error;
use crate::payload::parser_for;
use onefold_formats::Block;
use onefold_formats::block::{Frame, FrameKind};
use onefold_formats::document::Parsed;
use onefold_formats::reader::{Progress, Reader};
use onefold_formats::source::{Fields, Format, Layout, Source};
use std::ops::ControlFlow;

/// Takes a record of a source, and says whether it wants more.
pub type TakeRecord<'a, E> = dyn FnMut(&Source, &Frame, Parsed<'_>) -> Result<ControlFlow<()>, E> + 'a;

/// Hands over the records of a source from an address on, with what each is, until `take` breaks or fails. Each comes
/// once, even where the source turns out to be another kind of stream on the way; the source says which it is by then.
pub fn each_record<E: From<Error>>(
    mut source: Source,
    fields: &Fields,
    max_document_bytes: u64,
    from: u64,
    take: &mut TakeRecord<'_, E>,
) -> Result<(), E> {
    let limit = usize::try_from(max_document_bytes).unwrap_or(usize::MAX);
    let has_header = matches!(source.format, Format::Csv | Format::Tsv);
    // CSV parsers need the header, which is the first row.
    let start = if has_header { 0 } else { from };
    let open = |source: &Source| Reader::open(source, fields, limit, (start, 0)).map_err(Error::from);
    let mut reader = open(&source)?;
    let mut parser = parser_for(&source, fields, limit, None);
    let mut header_read = !has_header;
    let mut block = Block::default();
    // Records before this row were handed over when the source was read as members.
    let (mut from_row, mut next_row) = (0, 0);
    loop {
        match reader.next_block(&mut block).map_err(Error::from)? {
            Progress::End => return Ok(()),
            Progress::NotMembers => {
                source.layout = Layout::Stream;
                from_row = next_row;
                reader = open(&source)?;
                continue;
            }
            Progress::Block => {}
        }
        for frame in &block.frames {
            if !header_read && frame.end > frame.start {
                parser = parser_for(&source, fields, limit, Some(block.bytes_of(frame)));
                header_read = true;
                continue;
            }
            if frame.row < from_row {
                continue;
            }
            // A gap has the row of the record behind it.
            next_row = frame.row + u64::from(!matches!(frame.kind, FrameKind::Filler { .. }));
            let parsed = parser.parse(block.bytes_of(frame), &frame.kind);
            if take(&source, frame, parsed)?.is_break() {
                return Ok(());
            }
        }
    }
}
