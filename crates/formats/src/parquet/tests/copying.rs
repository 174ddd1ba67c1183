use super::*;
use arrow_array::builder::{Int32Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::schema::types::ColumnPath;
use proptest::prelude::*;
use std::sync::Arc;

fn open(path: &Path) -> ParquetRecordBatchReaderBuilder<std::fs::File> {
    ParquetRecordBatchReaderBuilder::try_new(fs_err::File::open(path).unwrap().into_parts().0).unwrap()
}

fn everything(path: &Path) -> RecordBatch {
    let builder = open(path);
    let schema = Arc::clone(builder.schema());
    let batches: Vec<RecordBatch> = builder.build().unwrap().map(Result::unwrap).collect();
    let batches: Vec<_> =
        batches.iter().map(|batch| batch.clone().with_schema(Arc::clone(&schema)).unwrap()).collect();
    concat_batches(&schema, &batches).unwrap()
}

/// Columns of many kinds, nested ones among them.
fn varied(rows: usize) -> RecordBatch {
    let mut tags = ListBuilder::new(StringBuilder::new());
    let mut counts = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    for row in 0..rows {
        for tag in 0..row % 3 {
            tags.values().append_value(format!("tag {tag}"));
        }
        tags.append(row % 5 != 0);
        counts.keys().append_value("n");
        counts.values().append_value(row as i32);
        counts.append(true).unwrap();
    }
    let inner: ArrayRef =
        Arc::new(Float64Array::from_iter((0..rows).map(|row| (row % 2 == 0).then_some(row as f64))));
    let nested = StructArray::from(vec![(Arc::new(Field::new("inner", DataType::Float64, true)), inner)]);
    let moments =
        TimestampMillisecondArray::from_iter_values((0..rows).map(|row| row as i64)).with_timezone("UTC");
    let languages: DictionaryArray<Int32Type> = (0..rows).map(|row| ["de", "en"][row % 2]).collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("text", Arc::new(StringArray::from_iter_values((0..rows).map(|row| format!("text {row}"))))),
        ("tags", Arc::new(tags.finish())),
        ("counts", Arc::new(counts.finish())),
        ("nested", Arc::new(nested)),
        ("moment", Arc::new(moments)),
        ("lang", Arc::new(languages)),
        ("raw", Arc::new(LargeBinaryArray::from_iter_values((0..rows).map(|row| [row as u8, 0xff])))),
        ("price", Arc::new(Decimal128Array::from_iter_values((0..rows).map(|row| row as i128)))),
    ];
    batch(columns)
}

#[test]
fn a_copy_keeps_schema_metadata_codecs_and_group_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a"), folder.path().join("b"));
    let rows = varied(100);
    let metadata: std::collections::HashMap<_, _> = [("made".to_string(), "here".to_string())].into();
    let schema = Arc::new(Schema::new_with_metadata(rows.schema().fields().clone(), metadata));
    let rows = rows.with_schema(schema).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(Codec::SNAPPY)
        .set_column_compression(ColumnPath::from("text"), Codec::ZSTD(ZstdLevel::default()))
        .set_key_value_metadata(Some(vec![KeyValue::new("owner".into(), "someone".to_string())]))
        .set_max_row_group_row_count(Some(30));
    let source = write(&from, &rows, properties.build());
    let out = fs_err::File::create(&to).unwrap();
    copy_rows(&source, &mut |row| if row % 2 == 0 { RowEdit::Drop } else { RowEdit::Keep }, false, out)
        .unwrap();
    let (before, after) = (open(&from), open(&to));
    assert_eq!(before.schema(), after.schema());
    let (old, new) = (before.metadata(), after.metadata());
    assert_eq!(old.file_metadata().schema(), new.file_metadata().schema());
    assert_eq!(old.file_metadata().key_value_metadata(), new.file_metadata().key_value_metadata());
    let sizes: Vec<i64> = new.row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(sizes, [30, 20]);
    for (old, new) in old.row_group(0).columns().iter().zip(new.row_group(1).columns()) {
        assert_eq!(old.compression(), new.compression(), "{}", old.column_path());
    }
    let odd: BooleanArray = (0..100).map(|row| Some(row % 2 == 1)).collect();
    assert_eq!(everything(&to), filter_record_batch(&everything(&from), &odd).unwrap());
}

#[test]
fn a_copy_of_all_or_no_rows_is_a_valid_file() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a"), folder.path().join("b"));
    let source = write(&from, &varied(40), groups_of(9));
    copy_rows(&source, &mut |_| RowEdit::Keep, false, fs_err::File::create(&to).unwrap()).unwrap();
    assert_eq!(everything(&to), everything(&from));
    copy_rows(&source, &mut |_| RowEdit::Drop, true, fs_err::File::create(&to).unwrap()).unwrap();
    assert_eq!(everything(&to).num_rows(), 0);
}

#[test]
fn annotations_are_a_struct_column_that_replaces_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to, again) = (folder.path().join("a"), folder.path().join("b"), folder.path().join("c"));
    let source = write(&from, &varied(10), groups_of(4));
    let mut verdict = |row: u64| match row {
        3 => RowEdit::Drop,
        5 => RowEdit::Annotate(Annotation {
            duplicate_of: Some("a.parquet#1".into()),
            kind: Some("near"),
            similarity: Some(0.9),
            cluster: Some(7),
        }),
        6 => RowEdit::Annotate(Annotation { cluster: Some(8), ..Annotation::default() }),
        _ => RowEdit::Keep,
    };
    copy_rows(&source, &mut verdict, true, fs_err::File::create(&to).unwrap()).unwrap();
    let rows = everything(&to);
    assert_eq!(rows.num_columns(), 9);
    let column = rows.column_by_name("onefold").unwrap().as_struct();
    let present: Vec<usize> = (0..9).filter(|&row| column.is_valid(row)).collect();
    assert_eq!(present, [4, 5]);
    assert_eq!(column.column(0).as_string::<i32>().value(4), "a.parquet#1");
    assert_eq!(column.column(1).as_string::<i32>().value(4), "near");
    assert_eq!(column.column(2).as_primitive::<types::Float64Type>().value(4), 0.9);
    assert_eq!(column.column(3).as_primitive::<types::UInt64Type>().value(5), 8);
    assert!(column.column(0).is_null(5));

    let second = super::source(&to);
    copy_rows(&second, &mut |_| RowEdit::Keep, true, fs_err::File::create(&again).unwrap()).unwrap();
    let rows = everything(&again);
    assert_eq!((rows.num_rows(), rows.num_columns()), (9, 9));
    assert_eq!(rows.column_by_name("onefold").unwrap().null_count(), 9);
    assert_eq!(rows.column_by_name("tags"), everything(&to).column_by_name("tags"));
}

#[test]
fn a_type_the_writer_does_not_produce_by_itself_is_kept() {
    use parquet::data_type::ByteArrayType;
    use parquet::file::writer::SerializedFileWriter;
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a"), folder.path().join("b"));
    let message = "message root { required binary text (STRING) = 4; optional binary state (ENUM); optional int96 at; }";
    let schema = Arc::new(parquet::schema::parser::parse_message_type(message).unwrap());
    let mut writer =
        SerializedFileWriter::new(fs_err::File::create(&from).unwrap(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = 0;
    while let Some(mut leaf) = group.next_column().unwrap() {
        if column < 2 {
            let levels = (column == 1).then_some([1i16].as_slice());
            leaf.typed::<ByteArrayType>().write_batch(&["word".into()], levels, None).unwrap();
        } else {
            leaf.typed::<parquet::data_type::Int96Type>().write_batch(&[], Some(&[0]), None).unwrap();
        }
        leaf.close().unwrap();
        column += 1;
    }
    group.close().unwrap();
    writer.close().unwrap();
    copy_rows(&source(&from), &mut |_| RowEdit::Keep, false, fs_err::File::create(&to).unwrap()).unwrap();
    let (before, after) = (open(&from), open(&to));
    let (before, after) = (before.parquet_schema().root_schema(), after.parquet_schema().root_schema());
    assert_eq!(before.get_fields()[..2], after.get_fields()[..2]);
    assert_eq!(after.get_fields()[2].get_physical_type(), parquet::basic::Type::INT64);
    assert_eq!(texts(&source(&to)), ["word"]);
}

/// So many columns that they are written in several strips.
fn wide(rows: usize) -> RecordBatch {
    let one = varied(rows);
    let names: Vec<String> = (0..400)
        .map(|n| if n < 8 { one.schema().field(n).name().clone() } else { format!("c{n}") })
        .collect();
    batch(names.iter().enumerate().map(|(n, name)| (name.as_str(), Arc::clone(one.column(n % 8)))).collect())
}

#[test]
fn a_table_of_many_columns_is_copied_some_at_a_time_to_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a"), folder.path().join("b"));
    let source = write(&from, &wide(50), groups_of(20));
    let file = crate::parquet::file::RowFile::open(&source).unwrap_or_else(|_| panic!("a table"));
    assert!(crate::parquet::strips::strips(&file, &(0..400).collect::<Vec<_>>()).len() > 2);
    let odd: BooleanArray = (0..50).map(|row| Some(row % 2 == 1 && row < 40)).collect();
    let mut verdict = |row: u64| match row {
        5 => RowEdit::Annotate(Annotation { cluster: Some(7), ..Annotation::default() }),
        row if row % 2 == 1 && row < 40 => RowEdit::Keep,
        _ => RowEdit::Drop,
    };
    copy_rows(&source, &mut verdict, false, fs_err::File::create(&to).unwrap()).unwrap();
    let expected = filter_record_batch(&everything(&from), &odd).unwrap();
    assert_eq!(everything(&to), expected);
    assert_eq!(open(&to).schema(), open(&from).schema());
    let metadata = Arc::clone(open(&to).metadata());
    let rows: Vec<i64> = metadata.row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(rows, [10, 10], "the groups of the source, but for the one that nothing is left of");
    copy_rows(&source, &mut verdict, true, fs_err::File::create(&to).unwrap()).unwrap();
    let annotated = everything(&to);
    assert_eq!(annotated.columns()[..400], expected.columns()[..]);
    let column = annotated.column(400).as_struct();
    assert_eq!((0..20).filter(|&row| column.is_valid(row)).collect::<Vec<_>>(), [2]);
    assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 2, "pages that waited are gone");
}

#[test]
fn damage_in_one_of_many_columns_stops_a_copy_unless_its_rows_go() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a"), folder.path().join("b"));
    let source = write(&from, &wide(40), groups_of(20));
    let chunk = open(&from).metadata().row_group(1).column(300).byte_range();
    let mut bytes = fs_err::read(&from).unwrap();
    bytes[chunk.0 as usize..][..20].fill(0xee);
    fs_err::write(&from, bytes).unwrap();
    let copied = copy_rows(&source, &mut |_| RowEdit::Keep, false, fs_err::File::create(&to).unwrap());
    assert!(matches!(copied, Err(crate::Error::DamagedColumn { row: 20, .. })), "{copied:?}");
    let mut first = |row: u64| if row < 20 { RowEdit::Keep } else { RowEdit::Drop };
    copy_rows(&source, &mut first, false, fs_err::File::create(&to).unwrap()).unwrap();
    assert_eq!(everything(&to).num_rows(), 20);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_copy_holds_exactly_the_kept_rows(
        rows in prop::collection::vec((".{0,12}", any::<bool>()), 1..200),
        group in 1usize..80,
        annotate in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("b");
        let words = StringArray::from_iter_values(rows.iter().map(|(word, _)| format!("{}.", word.replace(['|', '\0'], ""))));
        let expected: Vec<&str> = words.iter().flatten().zip(&rows).filter(|(_, row)| row.1).map(|(word, _)| word).collect();
        let rows_in = batch(vec![("text", Arc::new(words.clone()) as ArrayRef)]);
        let source = write(&folder.path().join("a"), &rows_in, groups_of(group));
        let mut verdict = |row: u64| if rows[row as usize].1 { RowEdit::Keep } else { RowEdit::Drop };
        copy_rows(&source, &mut verdict, annotate, fs_err::File::create(&to).unwrap()).unwrap();
        prop_assert_eq!(texts(&super::source(&to)), expected);
    }
}
