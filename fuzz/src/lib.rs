//! What the targets share: bytes read as a file of a given format, with every frame accounted for; and an index to damage.

pub mod index;

use onefold_formats::compress::Compression;
use onefold_formats::document::Parser;
use onefold_formats::reader::{Progress, Reader};
use onefold_formats::source::{Fields, Format, Layout, Source};
use onefold_formats::{Block, FrameKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Mutex, Once, PoisonError};

/// Runs a target of what catches panics of a library it is built on: only a panic that it lets through ends the run.
pub fn catching(run: impl FnOnce()) {
    static HOOK: Once = Once::new();
    static LAST: Mutex<String> = Mutex::new(String::new());
    let last = || LAST.lock().unwrap_or_else(PoisonError::into_inner);
    // In place of libFuzzer's own, which ends the run at once.
    HOOK.call_once(|| std::panic::set_hook(Box::new(move |panic| *last() = panic.to_string())));
    if catch_unwind(AssertUnwindSafe(run)).is_err() {
        eprintln!("{}", last());
        std::process::abort();
    }
}

/// A temporary file with these bytes, in memory where the system has such a folder.
pub fn file_of(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new_in(folder()).expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("the file is written");
    file
}

fn folder() -> &'static str {
    if std::path::Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" }
}

/// Reads bytes as a file of that format; gives whether its members were records.
pub fn read_as(bytes: &[u8], format: Format, layout: Layout, limit: usize) -> bool {
    let file = file_of(bytes);
    let source = Source {
        path: file.path().to_owned(),
        name: "fuzz".into(),
        relative: PathBuf::from("fuzz"),
        size: bytes.len() as u64,
        format,
        compression: if layout == Layout::Plain { Compression::None } else { Compression::of(bytes) },
        layout,
        all_columns: bytes.len() % 2 == 1,
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
