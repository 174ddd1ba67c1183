#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_formats::compress::Compression;
use onefold_formats::document::Parser;
use onefold_formats::parquet::{ParquetReader, RowEdit, copy_rows, fetch_rows};
use onefold_formats::reader::Progress;
use onefold_formats::source::{Fields, Format, Layout, Source};
use onefold_formats::{Block, FrameKind};
use onefold_fuzz::catching;
use std::path::Path;

const LIMIT: usize = 1 << 16;
/// A damaged file may claim any number of rows; some blocks of them tell enough.
const BLOCKS: usize = 4;

fn source(path: &Path) -> Source {
    Source {
        path: path.to_owned(),
        name: "fuzz".into(),
        relative: "fuzz".into(),
        size: path.metadata().expect("the file is there").len(),
        format: Format::Parquet,
        compression: Compression::None,
        layout: Layout::Rows,
        all_columns: false,
    }
}

/// The rows of a file, nothing for a bad one, and whether these are all.
fn rows(source: &Source, fields: &Fields) -> (Vec<Option<Vec<u8>>>, bool) {
    let mut reader = ParquetReader::open(source, fields, LIMIT, 0).expect("the file opens");
    let parser = Parser::new(Format::Parquet, fields, LIMIT, None);
    let (mut block, mut rows) = (Block::default(), Vec::new());
    for _ in 0..BLOCKS {
        match reader.next_block(&mut block).expect("the file is read") {
            Progress::Block => {}
            Progress::End => return (rows, true),
            Progress::NotMembers => unreachable!("rows are no members"),
        }
        for frame in &block.frames {
            assert_eq!(
                (frame.row, frame.offset),
                (rows.len() as u64, rows.len() as u64),
                "rows follow each other"
            );
            let bytes = block.bytes_of(frame);
            let _ = parser.parse(bytes, &frame.kind);
            match frame.kind {
                FrameKind::Bad(_) if frame.length != 1 => return (rows, false),
                FrameKind::Bad(_) => rows.push(None),
                _ => rows.push(Some(bytes.to_vec())),
            }
        }
    }
    (rows, false)
}

fuzz_target!(|bytes: &[u8]| {
    catching(|| {
        let file = onefold_fuzz::file_of(bytes);
        let fields = Fields { score: Some("score".into()), ..Fields::default() };
        let source_file = source(file.path());
        let (found, all) = rows(&source_file, &fields);
        let wanted: Vec<u64> =
            (0..found.len() as u64).filter(|&row| found[row as usize].is_some()).step_by(3).collect();
        let mut asked = wanted.iter().copied();
        let _ = fetch_rows(&source_file, &fields, LIMIT, &wanted, &mut |row, _| {
            assert_eq!(Some(row), asked.next(), "rows are handed over as they were asked for");
            Ok(())
        });
        if !all || found.is_empty() {
            return;
        }
        let copy = onefold_fuzz::file_of(b"");
        let out = fs_err::File::create(copy.path()).expect("a file is made");
        if copy_rows(&source_file, &mut |_| RowEdit::Keep, false, out).is_ok() {
            assert_eq!(
                rows(&source(copy.path()), &fields),
                (found, true),
                "a copy has the rows of its source"
            );
        }
    });
});
