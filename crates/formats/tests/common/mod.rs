//! A file as the library reads it: its records by type, its pages, its faults, and whether it copies unchanged.

#![allow(dead_code, unreachable_pub, reason = "every test uses its own part of this module")]

use onefold_formats::compress::Decoder;
use onefold_formats::copy::{Edit, copy_edited};
use onefold_formats::document::{Body, Parsed, Parser};
use onefold_formats::reader::{Progress, Reader};
use onefold_formats::source::{Fields, Format, Layout, Look, Source};
use onefold_formats::warc::{ArcHeader, WarcHeader};
use onefold_formats::{BadKind, Block, Frame, FrameKind};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

/// Largest document, as the command has it by default.
pub const LIMIT: usize = 32 << 20;

/// What is in a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// How the file is laid out.
    pub layout: String,
    /// Records by type.
    pub types: BTreeMap<String, usize>,
    /// Documents that are HTML.
    pub pages: usize,
    /// Bytes of them, codings undone.
    pub page_bytes: usize,
    /// Faults: kind and address.
    pub bad: Vec<(String, u64)>,
}

impl Found {
    /// The types as `request 2, response 3`.
    pub fn types_text(&self) -> String {
        types_text(&self.types)
    }

    /// The faults as `header 0, truncated 812`.
    pub fn bad_text(&self) -> String {
        let parts: Vec<_> = self.bad.iter().map(|(kind, at)| format!("{kind} {at}")).collect();
        parts.join(", ")
    }
}

/// Counts by name as one line.
pub fn types_text(types: &BTreeMap<String, usize>) -> String {
    types.iter().fold(String::new(), |mut out, (name, count)| {
        let separator = if out.is_empty() { "" } else { ", " };
        write!(out, "{separator}{name} {count}").expect("strings take all that is written");
        out
    })
}

/// Counts by name as Python prints them.
pub fn parse_types(text: &str) -> BTreeMap<String, usize> {
    let entry = |entry: &str| {
        let (name, count) = entry.split_once(": ").expect("a name and a count");
        (name.trim_matches('\'').to_owned(), count.parse().expect("a count"))
    };
    text.trim_matches(['{', '}']).split(", ").filter(|part| !part.is_empty()).map(entry).collect()
}

/// Looks at a file.
pub fn look(path: &Path) -> Look {
    let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
    Source::look(path, &name, Path::new(&name), &Fields::default()).expect("the machine works")
}

/// Reads a file from end to end, checks that its frames tile it and that a copy of it is the same.
pub fn read(path: &Path, limit: usize) -> Found {
    match open(path, limit) {
        Ok((source, frames, found)) => {
            check_copy(&source, &frames);
            found
        }
        Err(found) => found,
    }
}

/// What can be said of a frame without its bytes: address, row, fault.
pub type Place = (u64, u64, u64, Option<BadKind>);

/// Reads a file from end to end; a file that is not to be read gives its fault alone.
pub fn open(path: &Path, limit: usize) -> Result<(Source, Vec<Place>, Found), Found> {
    let mut source = match look(path) {
        // Rows have no addresses; their tests are beside their code.
        Look::Source(source) if source.layout == Layout::Rows => {
            return Err(Found { layout: "rows".into(), ..Found::default() });
        }
        Look::Source(source) => source,
        Look::Empty | Look::Blank => return Err(Found { layout: "empty".into(), ..Found::default() }),
        Look::Bad(bad) => {
            let bad = vec![(bad.kind.name().to_owned(), 0)];
            return Err(Found { layout: "bad".into(), bad, ..Found::default() });
        }
    };
    let (frames, found) = match read_source(&source, limit) {
        Some(read) => read,
        None => {
            source.layout = Layout::Stream;
            read_source(&source, limit).expect("a stream has no members to be wrong")
        }
    };
    Ok((source, frames, found))
}

/// The frames of a source from an address and row on; `None` if a member is not a record.
pub fn frames_from(
    source: &Source,
    limit: usize,
    from: (u64, u64),
    seen: &mut dyn FnMut(&Block, &Frame),
) -> Option<Vec<Place>> {
    let mut reader = Reader::open(source, &Fields::default(), limit, from).expect("the file opens");
    let mut places = Vec::new();
    let (mut block, (mut end, mut row)) = (Block::default(), from);
    loop {
        match reader.next_block(&mut block).expect("the file is read") {
            Progress::Block => {}
            Progress::End => break,
            Progress::NotMembers => return None,
        }
        assert!(!block.frames.is_empty(), "a block has a frame");
        assert!(block.bytes.len() <= 2 * limit.min(1 << 40) + (8 << 20), "blocks are bounded");
        for frame in &block.frames {
            assert_eq!((frame.offset, frame.row), (end, row), "frames follow each other");
            assert!(frame.start <= frame.end && frame.end <= block.bytes.len(), "frames are in their block");
            end += frame.length;
            row += u64::from(!matches!(frame.kind, FrameKind::Filler { .. }));
            let bad = if let FrameKind::Bad(bad) = &frame.kind { Some(bad.kind) } else { None };
            assert!(frame.length > 0 || bad.is_some(), "only a fault may have no bytes of its own");
            places.push((frame.offset, frame.length, frame.row, bad));
            seen(&block, frame);
        }
        assert_eq!(reader.position(), (end, row), "the position is behind the last frame");
    }
    if source.layout != Layout::Stream {
        assert_eq!(end, source.size, "frames tile the whole file");
    }
    Some(places)
}

fn read_source(source: &Source, limit: usize) -> Option<(Vec<Place>, Found)> {
    let layout = format!("{:?} {:?}", source.format, source.layout);
    let mut found = Found { layout, ..Found::default() };
    let mut parser = Parser::new(source.format, &Fields::default(), limit, None);
    let places = frames_from(source, limit, (0, 0), &mut |block, frame| {
        let bytes = block.bytes_of(frame);
        if let (FrameKind::Filler { keep: true }, Format::Csv | Format::Tsv) = (&frame.kind, source.format) {
            parser = Parser::new(source.format, &Fields::default(), limit, Some(bytes));
        }
        if matches!(frame.kind, FrameKind::Record | FrameKind::HeaderOnly) {
            *found.types.entry(record_type(source.format, bytes)).or_default() += 1;
        }
        match parser.parse(bytes, &frame.kind) {
            Parsed::Bad(bad) => found.bad.push((bad.kind.name().to_owned(), frame.offset)),
            Parsed::Document(document) => {
                if let Body::Page { bytes, html: true, .. } = &document.body {
                    found.pages += 1;
                    found.page_bytes += bytes.len();
                }
            }
            Parsed::Passed(_) | Parsed::Skipped(_) => {}
        }
    })?;
    Some((places, found))
}

fn record_type(format: Format, bytes: &[u8]) -> String {
    match format {
        Format::Warc => {
            let header = WarcHeader::parse(bytes).expect("a framed record has a header");
            header.text("WARC-Type").unwrap_or("none").to_owned()
        }
        Format::Arc => {
            let header = ArcHeader::parse(bytes).expect("a framed record has a header");
            if header.url.starts_with(b"filedesc:") { "warcinfo".into() } else { "response".into() }
        }
        _ => "record".into(),
    }
}

/// A copy without edits holds the same bytes, that of a compressed stream the same once decompressed; and a copy
/// without the bad records holds all the others.
fn check_copy(source: &Source, frames: &[Place]) {
    let folder = tempfile::tempdir().expect("a folder for the copy");
    let copy = |name: &str, edits: &mut dyn Iterator<Item = Edit>| {
        let path = folder.path().join(name);
        let out = fs_err::File::create(&path).expect("the copy is created");
        copy_edited(source, edits, &mut |_, _, _| Ok(()), out).expect("the source is copied");
        let size = fs_err::metadata(&path).expect("the copy is there").len();
        Source { path, size, ..source.clone() }
    };
    let same = copy("same", &mut std::iter::empty());
    if source.layout == Layout::Stream {
        assert!(decompressed(source).0 == decompressed(&same).0, "{}: another stream", source.name);
        assert!(decompressed(&same).1, "{}: the copy is whole", source.name);
    } else {
        let (original, copied) = (fs_err::read(&source.path), fs_err::read(&same.path));
        assert!(original.expect("read") == copied.expect("read"), "{}: other bytes", source.name);
    }
    let bad = frames.iter().filter(|frame| frame.3.is_some());
    let without =
        copy("without", &mut bad.map(|&(offset, length, ..)| Edit { offset, length, replace: false }));
    let left: u64 = frames.iter().filter(|frame| frame.3.is_none()).map(|frame| frame.1).sum();
    let size = match source.layout {
        Layout::Stream => decompressed(&without).0.len() as u64,
        // A gzip of no members is none.
        Layout::Members if left == 0 => decompressed(&without).0.len() as u64,
        _ => without.size,
    };
    assert_eq!(size, left, "{}: all but the bad records are copied", source.name);
}

/// The stream behind a compressed file, gaps left out, and whether it ends as it should.
fn decompressed(source: &Source) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let mut decoder =
        Decoder::new(source.open().expect("the file opens"), source.compression).expect("a decoder");
    loop {
        match decoder.read_to_end(&mut bytes) {
            Ok(_) => return (bytes, true),
            Err(error) if decoder.resume(&error).expect("the file is read").is_some() => {}
            Err(_) => return (bytes, false),
        }
    }
}
