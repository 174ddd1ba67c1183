use super::*;
use crate::error::Error;
use arrow_array::types::Int32Type;
use arrow_array::*;
use parquet::basic::{BrotliLevel, Compression as Codec, GzipLevel, ZstdLevel};
use std::sync::Arc;

fn strings(count: usize) -> Vec<String> {
    (0..count).map(|row| format!("text {row} äöü {}", "x".repeat(row % 50))).collect()
}

#[test]
fn every_kind_of_string_column_reads_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let words = vec![Some("alpha"), None, Some("beta"), Some(""), Some("alpha")];
    let bytes: Vec<Option<&[u8]>> = words.iter().map(|word| word.map(str::as_bytes)).collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(words.clone())),
        Arc::new(LargeStringArray::from(words.clone())),
        Arc::new(StringViewArray::from(words.clone())),
        Arc::new(BinaryArray::from(bytes.clone())),
        Arc::new(LargeBinaryArray::from(bytes.clone())),
        Arc::new(BinaryViewArray::from(bytes)),
        Arc::new(words.iter().copied().collect::<DictionaryArray<Int32Type>>()),
    ];
    for column in columns {
        let kind = column.data_type().clone();
        let batch = batch(vec![("text", Arc::clone(&column)), ("id", column)]);
        let source = write(&folder.path().join("a"), &batch, groups_of(2));
        let lines = read_lines(&source, &Fields::default(), 0);
        let expected =
            ["alpha|-|-|-|alpha", "missing-field", "beta|-|-|-|beta", "|-|-|-|", "alpha|-|-|-|alpha"];
        assert_eq!(lines, expected, "{kind}");
    }
}

#[test]
fn every_codec_and_row_group_size_reads_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let words = strings(1000);
    let batch = batch(vec![("text", Arc::new(StringArray::from(words.clone())))]);
    let codecs = [
        Codec::UNCOMPRESSED,
        Codec::SNAPPY,
        Codec::GZIP(GzipLevel::default()),
        Codec::BROTLI(BrotliLevel::default()),
        Codec::LZ4,
        Codec::LZ4_RAW,
        Codec::ZSTD(ZstdLevel::default()),
    ];
    for codec in codecs {
        for rows in [7, 1000, 5000] {
            let properties =
                WriterProperties::builder().set_compression(codec).set_max_row_group_row_count(Some(rows));
            let source = write(&folder.path().join("a"), &batch, properties.build());
            assert_eq!(texts(&source), words, "{codec:?}, {rows} rows a group");
        }
    }
}

#[test]
fn numbers_and_moments_become_text_and_scores() {
    let folder = tempfile::tempdir().unwrap();
    let fields = Fields { score: Some("score".into()), ..Fields::default() };
    let check = |id: ArrayRef, date: ArrayRef, score: ArrayRef, expected: &str| {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["t"]));
        let rows = batch(vec![("score", score), ("text", text), ("date", date), ("id", id)]);
        let source = write(&folder.path().join("a"), &rows, groups_of(10));
        assert_eq!(read_lines(&source, &fields, 0), [expected]);
    };
    check(
        Arc::new(Int64Array::from(vec![-5])),
        Arc::new(TimestampSecondArray::from(vec![1_700_000_000])),
        Arc::new(Float32Array::from(vec![0.5])),
        "-5|-|2023-11-14T22:13:20Z|0.5|t",
    );
    check(
        Arc::new(Int64Array::from(vec![-5])),
        Arc::new(TimestampSecondArray::from(vec![1_700_000_000])),
        Arc::new(Int64Array::from(vec![-9_007_199_254_740_993])),
        "-5|-|2023-11-14T22:13:20Z|-9007199254740993|t",
    );
    check(
        Arc::new(UInt8Array::from(vec![200])),
        Arc::new(TimestampMicrosecondArray::from(vec![1_700_000_000_000_001]).with_timezone("+02:00")),
        Arc::new(Int16Array::from(vec![-3])),
        "200|-|2023-11-14T22:13:20.000001Z|-3|t",
    );
    check(
        Arc::new(Float64Array::from(vec![1.25])),
        Arc::new(Date32Array::from(vec![19_675])),
        Arc::new(Decimal128Array::from(vec![125]).with_precision_and_scale(10, 2).unwrap()),
        "1.25|-|2023-11-14|1.25|t",
    );
    check(
        Arc::new(BooleanArray::from(vec![true])),
        Arc::new(TimestampNanosecondArray::from(vec![None])),
        Arc::new(StringArray::from(vec!["high"])),
        "-|-|-|-|t",
    );
    check(
        Arc::new(Decimal128Array::from(vec![12_500]).with_precision_and_scale(20, 3).unwrap()),
        Arc::new(Date64Array::from(vec![1_700_000_000_000])),
        Arc::new(StringArray::from(vec!["-2.5"])),
        "12.500|-|2023-11-14|-2.5|t",
    );
    let uuid: Vec<u8> = (0..16).map(|byte| byte * 17).collect();
    check(
        Arc::new(FixedSizeBinaryArray::try_from_iter([uuid].into_iter()).unwrap()),
        Arc::new(NullArray::new(1)),
        Arc::new(
            Decimal256Array::from(vec![<types::Decimal256Type as ArrowPrimitiveType>::Native::from(70)])
                .with_precision_and_scale(50, 1)
                .unwrap(),
        ),
        "00112233-4455-6677-8899-aabbccddeeff|-|-|7|t",
    );
    check(
        Arc::new(FixedSizeBinaryArray::try_from_iter([vec![0xab, 0x01]].into_iter()).unwrap()),
        Arc::new(NullArray::new(1)),
        Arc::new(NullArray::new(1)),
        "ab01|-|-|-|t",
    );
    check(
        Arc::new(UInt64Array::from(vec![u64::MAX])),
        Arc::new(TimestampMillisecondArray::from(vec![i64::MAX])),
        Arc::new(Float64Array::from(vec![f64::NAN])),
        "18446744073709551615|-|-|-|t",
    );
}

#[test]
fn reading_continues_at_any_row() {
    let folder = tempfile::tempdir().unwrap();
    let words = strings(50);
    let batch = batch(vec![("text", Arc::new(StringArray::from(words.clone())))]);
    let source = write(&folder.path().join("a"), &batch, groups_of(7));
    for from in 0..=51 {
        let lines = read_lines(&source, &Fields::default(), from as u64);
        let expected: Vec<String> = words.iter().skip(from).map(|word| format!("-|-|-|-|{word}")).collect();
        assert_eq!(lines, expected, "from {from}");
    }
}

#[test]
fn a_block_is_bounded_where_one_text_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let word = "z".repeat(300_000);
    let batch = batch(vec![("text", Arc::new(StringArray::from(vec![word.as_str(); 400])))]);
    let source = write(&folder.path().join("a"), &batch, WriterProperties::default());
    assert!(source.size < 1 << 20, "the writer makes a dictionary");
    let mut reader = ParquetReader::open(&source, &Fields::default(), LIMIT, 0).unwrap();
    let (mut block, mut rows) = (Block::default(), 0);
    while reader.next_block(&mut block).unwrap() == Progress::Block {
        assert!(block.bytes.len() < 2 << 20);
        rows += block.frames.len();
    }
    assert_eq!(rows, 400);
}

#[test]
fn rows_are_fetched_by_number() {
    let folder = tempfile::tempdir().unwrap();
    let words = strings(300);
    let ids: ArrayRef = Arc::new(Int32Array::from_iter_values(0..300));
    let batch = batch(vec![("text", Arc::new(StringArray::from(words.clone()))), ("id", ids)]);
    let source = write(&folder.path().join("a"), &batch, groups_of(37));
    let fields = Fields::default();
    let parser = Parser::new(Format::Parquet, &fields, LIMIT, None);
    let fetch = |rows: &[u64]| {
        let mut found = Vec::new();
        let outcome = fetch_rows(&source, &fields, LIMIT, rows, &mut |row, bytes| {
            found.push((row, line(parser.parse(bytes, &FrameKind::Record))));
            Ok(())
        });
        outcome.map(|()| found)
    };
    for rows in
        [vec![], vec![0], vec![299], vec![36, 37, 38, 200], (0..300).collect(), (0..300).step_by(3).collect()]
    {
        let expected: Vec<_> =
            rows.iter().map(|&row| (row, format!("{row}|-|-|-|{}", words[row as usize]))).collect();
        assert_eq!(fetch(&rows).unwrap(), expected);
    }
    assert!(matches!(fetch(&[5, 300]), Err(Error::Changed { offset: 300, .. })));
}

#[test]
fn a_table_comes_back_and_its_bytes_are_stable() {
    let folder = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        let file = fs_err::File::create(folder.path().join(name)).unwrap();
        let columns = [
            ("text", ColumnType::Text),
            ("id", ColumnType::UInt),
            ("score", ColumnType::Float),
            ("members", ColumnType::TextList),
        ];
        let mut table = TableWriter::create(file, &columns).unwrap();
        let members = ["a".to_string(), "b".to_string()];
        for row in 0..20_000u64 {
            let text = format!("row {row}");
            let cells = [Cell::Text(&text), Cell::UInt(row), Cell::Float(0.5), Cell::TextList(&members)];
            table.push(&cells).unwrap();
        }
        table.push(&[Cell::Text("last"), Cell::Null, Cell::Null, Cell::Null]).unwrap();
        assert!(table.push(&[Cell::UInt(1), Cell::Null, Cell::Null, Cell::Null]).is_err());
        assert!(table.push(&[Cell::Null]).is_err());
        table.finish().unwrap();
        fs_err::read(folder.path().join(name)).unwrap()
    };
    assert_eq!(make("a"), make("b"));
    let fields = Fields { score: Some("score".into()), ..Fields::default() };
    let lines = read_lines(&source(&folder.path().join("a")), &fields, 0);
    assert_eq!(lines.len(), 20_001);
    assert_eq!((lines[12_345].as_str(), lines[20_000].as_str()), ("12345|-|-|0.5|row 12345", "-|-|-|-|last"));
}
