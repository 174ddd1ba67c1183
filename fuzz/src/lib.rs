//! What the targets share: bytes read as a file of a given format, with every frame accounted for.

use onefold_formats::compress::Compression;
use onefold_formats::document::Parser;
use onefold_formats::reader::{Progress, Reader};
use onefold_formats::source::{Fields, Format, Layout, Source};
use onefold_formats::{Block, FrameKind};
use std::path::PathBuf;

/// Reads bytes as a file of that format; gives whether its members were records.
pub fn read_as(bytes: &[u8], format: Format, layout: Layout, limit: usize) -> bool {
    let folder = if std::path::Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" };
    let file = tempfile::NamedTempFile::new_in(folder).expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("the file is written");
    let source = Source {
        path: file.path().to_owned(),
        name: "fuzz".into(),
        relative: PathBuf::from("fuzz"),
        size: bytes.len() as u64,
        format,
        compression: if layout == Layout::Plain { Compression::None } else { Compression::of(bytes) },
        layout,
    };
    let fields = Fields::default();
    let mut reader = Reader::open(&source, &fields, limit, (0, 0)).expect("the file opens");
    let mut parser = Parser::new(format, &fields, limit, None);
    let (mut block, mut end) = (Block::default(), 0);
    loop {
        match reader.next_block(&mut block).expect("the file is read") {
            Progress::Block => {}
            Progress::End => break,
            Progress::NotMembers => return false,
        }
        for frame in &block.frames {
            assert_eq!(frame.offset, end, "frames follow each other");
            end += frame.length;
            let bytes = block.bytes_of(frame);
            if matches!(frame.kind, FrameKind::Filler { keep: true }) && format == Format::Csv {
                parser = Parser::new(format, &fields, limit, Some(bytes));
            }
            let _ = parser.parse(bytes, &frame.kind);
        }
    }
    assert!(layout == Layout::Stream || end == source.size, "frames tile the file");
    true
}
