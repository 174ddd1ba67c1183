//! Tests against files made by the Arrow writer.

mod copying;
mod damage;
mod reading;

use super::*;
use crate::block::{Block, FrameKind};
use crate::compress::Compression;
use crate::document::{Body, Parsed, Parser};
use crate::reader::Progress;
use crate::source::{Fields, Format, Layout, Source};
use arrow_array::{ArrayRef, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::path::Path;

pub(super) const LIMIT: usize = 1 << 20;

pub(super) fn source(path: &Path) -> Source {
    Source {
        path: path.to_owned(),
        name: "a.parquet".into(),
        relative: "a.parquet".into(),
        size: fs_err::metadata(path).unwrap().len(),
        format: Format::Parquet,
        compression: Compression::None,
        layout: Layout::Rows,
        all_columns: false,
    }
}

pub(super) fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

pub(super) fn write(path: &Path, batch: &RecordBatch, properties: WriterProperties) -> Source {
    let file = fs_err::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    source(path)
}

pub(super) fn groups_of(rows: usize) -> WriterProperties {
    WriterProperties::builder().set_max_row_group_row_count(Some(rows)).build()
}

/// What a frame says, in one line: `id|url|date|score|text` or the kind of a bad one with its row and length.
pub(super) fn read_lines(source: &Source, fields: &Fields, from: u64) -> Vec<String> {
    let mut reader = ParquetReader::open(source, fields, LIMIT, from).unwrap();
    let parser = Parser::new(Format::Parquet, fields, LIMIT, None);
    let (mut block, mut lines, mut next) = (Block::default(), Vec::new(), from);
    while reader.next_block(&mut block).unwrap() == Progress::Block {
        assert!(!block.frames.is_empty());
        for frame in &block.frames {
            assert_eq!((frame.offset, frame.row), (next, next));
            next += frame.length.max(1);
            lines.push(match (parser.parse(block.bytes_of(frame), &frame.kind), &frame.kind) {
                (_, FrameKind::Bad(bad)) => format!("{}@{}+{}", bad.kind.name(), frame.row, frame.length),
                (parsed, _) => line(parsed),
            });
        }
    }
    assert_eq!(reader.position().0, reader.position().1);
    lines
}

pub(super) fn line(parsed: Parsed<'_>) -> String {
    match parsed {
        Parsed::Document(document) => {
            let Body::Text(text) = &document.body else { panic!("a row is text") };
            let shown = |part: &Option<std::borrow::Cow<'_, str>>| part.as_deref().unwrap_or("-").to_owned();
            let score = document.score.map_or("-".into(), |score| score.to_string());
            format!(
                "{}|{}|{}|{score}|{text}",
                shown(&document.id),
                shown(&document.url),
                shown(&document.date)
            )
        }
        Parsed::Bad(bad) => bad.kind.name().into(),
        Parsed::Passed(_) | Parsed::Skipped(_) => "passed".into(),
    }
}

pub(super) fn texts(source: &Source) -> Vec<String> {
    let lines = read_lines(source, &Fields::default(), 0);
    lines.iter().map(|line| line.rsplit('|').next().unwrap_or_default().to_owned()).collect()
}
