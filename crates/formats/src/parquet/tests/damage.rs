use super::*;
use crate::error::Error;
use arrow_array::*;
use parquet::file::metadata::{
    FileMetaData, ParquetMetaDataBuilder, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;
use std::sync::Arc;

fn plain() -> parquet::file::properties::WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_data_page_row_count_limit(10)
        .set_write_batch_size(1)
}

fn numbered(rows: usize) -> RecordBatch {
    let texts: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|row| format!("text number {row}"))));
    let extra: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..rows).map(|row| format!("extra {row}"))));
    batch(vec![("text", texts), ("extra", extra)])
}

/// Start of the bytes of a column in a row group.
fn column_start(source: &Source, group: usize, column: usize) -> usize {
    let file = fs_err::File::open(&source.path).unwrap().into_parts().0;
    let reader = SerializedFileReader::new(file).unwrap();
    reader.metadata().row_group(group).column(column).byte_range().0 as usize
}

fn overwrite(source: &Source, at: usize, bytes: &[u8]) {
    let mut all = fs_err::read(&source.path).unwrap();
    all[at..at + bytes.len()].copy_from_slice(bytes);
    fs_err::write(&source.path, all).unwrap();
}

#[test]
fn a_file_without_rows_is_at_its_end() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["text", "other"] {
        let batch = batch(vec![(name, Arc::new(StringArray::from(Vec::<&str>::new())) as ArrayRef)]);
        let source = write(&folder.path().join("a"), &batch, WriterProperties::default());
        assert!(read_lines(&source, &Fields::default(), 0).is_empty());
    }
}

#[test]
fn a_column_missing_or_of_another_type_makes_every_row_bad() {
    let folder = tempfile::tempdir().unwrap();
    let other = batch(vec![("body", Arc::new(StringArray::from(vec!["a", "b"])) as ArrayRef)]);
    let missing = write(&folder.path().join("a"), &other, WriterProperties::default());
    assert_eq!(read_lines(&missing, &Fields::default(), 0), ["missing-field@0+1", "missing-field@1+1"]);
    assert_eq!(read_lines(&missing, &Fields::default(), 1), ["missing-field@1+1"]);
    assert!(
        read_lines(&missing, &Fields::default(), 2).is_empty(),
        "not named again where reading continues"
    );
    let numbers = batch(vec![("text", Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef)]);
    let typed = write(&folder.path().join("b"), &numbers, WriterProperties::default());
    assert_eq!(read_lines(&typed, &Fields::default(), 0), ["field-type@0+1", "field-type@1+1"]);
}

#[test]
fn a_row_too_large_or_not_utf8_is_bad_alone() {
    let folder = tempfile::tempdir().unwrap();
    let large = vec![b'a'; LIMIT + 1];
    let rows: Vec<&[u8]> = vec![b"one", &large, b"bad \xff", &large[..LIMIT], b"five"];
    let binary = batch(vec![("text", Arc::new(BinaryArray::from(rows)) as ArrayRef)]);
    let source = write(&folder.path().join("a"), &binary, WriterProperties::default());
    let lines = read_lines(&source, &Fields::default(), 0);
    assert_eq!((lines[1].as_str(), lines[2].as_str()), ("too-large@1+1", "utf8@2+1"));
    assert_eq!((lines[0].as_str(), lines[4].as_str(), lines.len()), ("-|-|-|-|one", "-|-|-|-|five", 5));
}

#[test]
fn a_string_that_is_not_utf8_is_bad_alone_and_not_copied() {
    let folder = tempfile::tempdir().unwrap();
    let source = write(&folder.path().join("a"), &numbered(5), plain().build());
    let bytes = fs_err::read(&source.path).unwrap();
    let at = memchr::memmem::find(&bytes, b"text number 2").unwrap();
    overwrite(&source, at, b"\xff");
    let lines = read_lines(&source, &Fields::default(), 0);
    assert_eq!(lines[2], "utf8@2+1");
    assert_eq!((lines[3].as_str(), lines.len()), ("-|-|-|-|text number 3", 5));
    let out = fs_err::File::create(folder.path().join("b")).unwrap();
    let copied = copy_rows(&source, &mut |_| RowEdit::Keep, false, out);
    assert!(matches!(copied, Err(Error::DamagedColumn { row: 2, .. })), "{copied:?}");
    let out = fs_err::File::create(folder.path().join("b")).unwrap();
    let mut verdict = |row: u64| if row == 2 { RowEdit::Drop } else { RowEdit::Keep };
    copy_rows(&source, &mut verdict, false, out).unwrap();
    assert_eq!(texts(&super::source(&folder.path().join("b"))).len(), 4);
}

#[test]
fn a_truncated_file_or_garbage_is_one_bad_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let bytes = fs_err::read(write(&path, &numbered(100), WriterProperties::default()).path).unwrap();
    let garbage = [b"PAR1".as_slice(), &[0xa5; 5000], b"\xff\xff\xff\x7fPAR1"].concat();
    let nonsense = [b"PAR1".as_slice(), &[0x19; 5000], b"\x80\x13\0\0PAR1"].concat();
    for bad in [&bytes[..bytes.len() - 5], &bytes[..bytes.len() / 2], b"PAR1", &garbage, &nonsense] {
        fs_err::write(&path, bad).unwrap();
        let source = source(&path);
        assert_eq!(read_lines(&source, &Fields::default(), 0), ["parquet@0+0"]);
        assert!(read_lines(&source, &Fields::default(), 1).is_empty());
        let out = fs_err::File::create(folder.path().join("b")).unwrap();
        let copied = copy_rows(&source, &mut |_| RowEdit::Keep, false, out);
        assert!(matches!(copied, Err(Error::Unsupported { .. })));
    }
}

#[test]
fn a_damaged_row_group_does_not_take_the_others_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let properties = plain().set_max_row_group_row_count(Some(50)).build();
    let source = write(&folder.path().join("a"), &numbered(200), properties);
    overwrite(&source, column_start(&source, 1, 0), &[0xee; 40]);
    // The second page of the last group: the rows of the first are read.
    let bytes = fs_err::read(&source.path).unwrap();
    let page = memchr::memmem::find(&bytes, b"text number 160").unwrap();
    overwrite(&source, page - 4, &[0xee; 4]);
    let lines = read_lines(&source, &Fields::default(), 0);
    let bad: Vec<_> = (50..100).chain(160..200).map(|row| format!("parquet@{row}+1")).collect();
    assert_eq!(
        lines.iter().filter(|line| line.starts_with("parquet")).collect::<Vec<_>>(),
        bad.iter().collect::<Vec<_>>()
    );
    let good: Vec<_> = (0..50).chain(100..160).map(|row| format!("-|-|-|-|text number {row}")).collect();
    assert_eq!(
        lines.iter().filter(|line| line.starts_with('-')).collect::<Vec<_>>(),
        good.iter().collect::<Vec<_>>()
    );
    for from in [49, 50, 51, 99, 100, 160, 199, 200] {
        assert_eq!(read_lines(&source, &Fields::default(), from), lines[from as usize..], "from {from}");
    }
    let copy = |verdict: &mut dyn FnMut(u64) -> RowEdit| {
        let out = fs_err::File::create(folder.path().join("b")).unwrap();
        copy_rows(&source, verdict, false, out)
    };
    copy(&mut |row| if matches!(row, 50..100 | 160..200) { RowEdit::Drop } else { RowEdit::Keep }).unwrap();
    assert_eq!(read_lines(&super::source(&folder.path().join("b")), &Fields::default(), 0), good);
    let refused = copy(&mut |row| if row == 50 { RowEdit::Drop } else { RowEdit::Keep });
    assert!(refused.unwrap_err().to_string().contains("row 51: row group 1: "));
}

/// Numbers in the footer, changed by `change`, with the rows left as they are.
fn with_footer(source: &Source, change: impl Fn(usize, RowGroupMetaData) -> RowGroupMetaData) {
    let mut bytes = fs_err::read(&source.path).unwrap();
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes::Bytes::from(bytes.clone())).unwrap();
    let groups: Vec<_> =
        metadata.row_groups().iter().cloned().enumerate().map(|(at, group)| change(at, group)).collect();
    let rows = groups.iter().fold(0i64, |rows, group| rows.wrapping_add(group.num_rows()));
    let file = metadata.file_metadata();
    let file = FileMetaData::new(file.version(), rows, None, None, file.schema_descr_ptr(), None);
    let metadata = ParquetMetaDataBuilder::new(file).set_row_groups(groups).build();
    let length = u32::from_le_bytes(bytes[bytes.len() - 8..][..4].try_into().unwrap()) as usize;
    bytes.truncate(bytes.len() - 8 - length);
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().unwrap();
    fs_err::write(&source.path, bytes).unwrap();
}

#[test]
fn numbers_that_cannot_be_true_cost_their_row_group_or_are_one_bad_record() {
    let folder = tempfile::tempdir().unwrap();
    let make = || {
        write(&folder.path().join("a"), &numbered(100), plain().set_max_row_group_row_count(Some(50)).build())
    };
    let kinds = |source: &Source| {
        let mut kinds: Vec<(String, usize)> = Vec::new();
        for line in read_lines(&super::source(&source.path), &Fields::default(), 0) {
            let kind = line.split(['@', '|']).next().unwrap_or_default().to_owned();
            match kinds.last_mut() {
                Some(last) if last.0 == kind => last.1 += 1,
                _ => kinds.push((kind, 1)),
            }
        }
        kinds.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect::<Vec<_>>().join(", ")
    };
    let rows = |rows: i64| {
        move |at: usize, group: RowGroupMetaData| {
            if at == 0 { group.into_builder().set_num_rows(rows).build().unwrap() } else { group }
        }
    };
    let source = make();
    with_footer(&source, rows(60));
    assert_eq!(kinds(&source), "50 -, 10 parquet, 50 -", "fewer rows than there should be");
    let source = make();
    with_footer(&source, rows(40));
    assert_eq!(kinds(&source), "90 -", "more rows than there should be");
    for (claim, found) in [
        (1 << 25, "50 -, 1 parquet, 50 -"),
        (1 << 50, "50 -, 1 parquet, 50 -"),
        (-1, "1 parquet"),
        (i64::MAX - 100, "50 -, 1 parquet, 50 -"),
    ] {
        let source = make();
        with_footer(&source, rows(claim));
        assert_eq!(kinds(&source), found, "{claim} rows");
    }
    let source = make();
    with_footer(&source, |at, group| {
        if at == 1 {
            return group;
        }
        let column = group.column(0).clone().into_builder().set_data_page_offset(1 << 40).build().unwrap();
        let columns = vec![column, group.column(1).clone()];
        group.into_builder().set_column_metadata(columns).build().unwrap()
    });
    assert_eq!(kinds(&source), "50 parquet, 50 -", "a column outside the file");
}

#[test]
fn a_page_header_that_claims_billions_of_items_ends_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let source = write(&folder.path().join("a.parquet"), &numbered(20), plain().build());
    // An unknown field, a list of as many numbers of eight bytes as can be told.
    overwrite(&source, column_start(&source, 0, 0), &[0x99, 0xf7, 0xff, 0xff, 0xff, 0xff, 0x07]);
    let start = std::time::Instant::now();
    let lines = read_lines(&source, &Fields::default(), 0);
    assert_eq!((lines.len(), lines[19].as_str()), (20, "parquet@19+1"));
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn a_page_header_that_claims_more_than_there_can_be_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let snappy = WriterProperties::builder().set_compression(parquet::basic::Compression::SNAPPY).build();
    for (claim, told) in [
        (
            &[0x15, 4, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 2, 0x4c, 0x15],
            "a page of 2147483647 bytes in",
        ),
        (
            &[0x15, 4, 0x15, 0xc8, 1, 0x15, 120, 0x4c, 0x15, 0xfe, 0xff, 0x0f],
            "a dictionary of 131071 values in",
        ),
    ] {
        let source = write(&folder.path().join("a.parquet"), &numbered(300), snappy.clone());
        overwrite(&source, column_start(&source, 0, 0), claim);
        let lines = read_lines(&source, &Fields::default(), 0);
        assert_eq!((lines.len(), lines[299].as_str()), (300, "parquet@299+1"));
        let out = fs_err::File::create(folder.path().join("b")).unwrap();
        let refused = copy_rows(&source, &mut |_| RowEdit::Keep, false, out).unwrap_err().to_string();
        assert!(refused.contains(told), "{refused}");
    }
}

#[test]
fn damage_in_a_column_not_asked_for_does_not_stop_reading_but_copying() {
    let folder = tempfile::tempdir().unwrap();
    let source = write(&folder.path().join("a"), &numbered(20), plain().build());
    overwrite(&source, column_start(&source, 0, 1), &[0xee; 40]);
    assert_eq!(read_lines(&source, &Fields::default(), 0).len(), 20);
    let out = fs_err::File::create(folder.path().join("b")).unwrap();
    assert!(copy_rows(&source, &mut |_| RowEdit::Keep, false, out).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_damage_makes_the_reader_panic_or_fail(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        footer in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let properties = plain().set_compression(parquet::basic::Compression::SNAPPY).build();
        let source = write(&folder.path().join("a"), &numbered(40), properties);
        let mut bytes = fs_err::read(&source.path).unwrap();
        let from = if footer { bytes.len() / 2 } else { 0 };
        for (at, byte) in edits {
            let at = from + at.index(bytes.len() - from);
            bytes[at] = byte;
        }
        fs_err::write(&source.path, bytes).unwrap();
        let lines = read_lines(&source, &Fields::default(), 0);
        prop_assert!(lines.len() <= 41);
        let out = fs_err::File::create(folder.path().join("b")).unwrap();
        let _ = copy_rows(&source, &mut |_| RowEdit::Keep, true, out);
        let _ = fetch_rows(&source, &Fields::default(), LIMIT, &[3, 17], &mut |_, _| Ok(()));
    }
}
