//! Bad input in tables: what costs a row of CSV, TSV or Parquet, and what does not.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod common;

use common::{Place, line, prose, table, text_of};
use serde_json::Value;

#[test]
fn a_parquet_file_with_damage() {
    let place = Place::new();
    let texts: Vec<String> = (0..40).map(|n| prose(&format!("t{n}x"), 60)).collect();
    let texts: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
    let bytes = table::table_of(&[("text", texts)], true);
    place.write("cut.parquet", &bytes[..bytes.len() / 2]);
    let mut holed = bytes.clone();
    let at = holed.len() / 3;
    holed[at..at + 200].fill(0xaa);
    place.write("holed.parquet", &holed);
    place.write("none.parquet", table::table(&[("other", vec![Some("x")])]));
    place.write(
        "mixed.parquet",
        table::table(&[("text", vec![Some("fine words"), None, Some("more words")])]),
    );
    let run = place.dedup("cut.parquet holed.parquet none.parquet mixed.parquet");
    let bad = run.bad();
    for name in ["cut.parquet", "holed.parquet", "none.parquet", "mixed.parquet"] {
        assert!(bad.iter().any(|line| line["source"] == name), "{name} is not in {bad:?}");
    }
    assert_eq!(run.count("read"), run.count("kept") + run.count("removed") + run.count("bad"));
    assert!(run.count("kept") >= 22, "row groups without damage are read: {}", run.manifest()["counts"]);
    assert_eq!(table::height(&run.kept("mixed.parquet")), 2);
}

#[test]
fn text_of_a_table_that_is_not_utf8_costs_its_row_in_whatever_column() {
    // With so many columns that they are written some at a time, too.
    let wide: Vec<String> = (0..400).map(|number| format!("c{number}")).collect();
    let wide: Vec<&str> =
        std::iter::once("text").chain(wide.iter().map(String::as_str)).chain(["note"]).collect();
    let cases: [(&[&str], &str, &str); 8] = [
        (&["text", "id"], "(STRING)", ""),
        (&["text", "url"], "(STRING)", ""),
        (&["text", "date"], "(STRING)", ""),
        (&["text", "rank"], "(STRING)", "--keep field:rank"),
        (&["text", "note"], "(UTF8)", ""),
        (&["text", "note"], "(JSON)", "--annotate"),
        (&["text", "note"], "(ENUM)", ""),
        (&wide, "(STRING)", ""),
    ];
    for (names, column_type, flags) in cases {
        let place = Place::new();
        place.write("a.parquet", table::not_utf8(names, column_type));
        let run = place.dedup(&format!("a.parquet {flags}"));
        let column = names.last().unwrap();
        run.counted(3, 2, 0, 1);
        let bad = &run.named(&["utf8"])[0];
        assert_eq!((&bad["offset"], &bad["length"]), (&1.into(), &1.into()), "{column}");
        assert!(text_of(&bad["message"]).starts_with(&format!("column {column:?}: ")), "{bad}");
        let kept = run.kept("a.parquet");
        let texts: Vec<String> = table::rows(&kept).iter().map(|row| text_of(&row["text"])).collect();
        assert_eq!(texts, [prose("textfirst", 30), prose("textthird", 30)], "{column}");
        assert_eq!(table::height(&kept), 2, "{column} can be read by others");
    }
}

#[test]
fn damage_beside_what_is_compared_is_found_in_all_tables() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.write(format!("in/{name}.parquet"), table::not_utf8(&["text", "note"], "(STRING)"));
    }
    place.write("in/d.jsonl", line("d", &prose("d", 30)));
    let run = place.dedup("in --annotate");
    // Two rows of each table are left, and those of the first stand for the others.
    run.counted(10, 3, 4, 3);
    let sources: Vec<String> = run.bad().iter().map(|bad| text_of(&bad["source"])).collect();
    assert_eq!(sources, ["in/a.parquet", "in/b.parquet", "in/c.parquet"]);
    for name in ["a", "b", "c"] {
        assert_eq!(table::height(&run.kept(&format!("{name}.parquet"))), 2);
    }
}

#[test]
fn bytes_that_need_not_be_text_cost_no_row() {
    for column in ["id", "note"] {
        let place = Place::new();
        place.write("a.parquet", table::not_utf8(&["text", column], ""));
        let run = place.dedup("a.parquet");
        run.counted(3, 3, 0, 0);
        assert_eq!(table::height(&run.kept("a.parquet")), 3);
    }
}

#[test]
fn a_row_of_csv_that_is_not_utf8_is_bad_in_whatever_column() {
    let columns = ["id", "url", "text", "note"];
    for (ending, delimiter) in [("csv", ","), ("tsv", "\t")] {
        for broken in columns {
            let place = Place::new();
            let row = |n: &str| columns.map(|column| prose(&format!("{column}{n}"), 20)).join(delimiter);
            let whole = columns.map(|column| match column == broken {
                true => b"in\xffvalid".to_vec(),
                false => prose(&format!("{column}b"), 20).into_bytes(),
            });
            let bad = whole.join(delimiter.as_bytes());
            let rows = [columns.join(delimiter).into_bytes(), row("a").into(), bad, row("c").into()];
            let name = format!("a.{ending}");
            place.write(&name, rows.join(&b'\n'));
            let run = place.dedup(&name);
            run.counted(3, 2, 0, 1);
            run.named(&["utf8"]);
            let kept = String::from_utf8(run.kept(&name)).unwrap();
            assert_eq!(kept.lines().count(), 3, "{broken}: {kept}");
        }
        let place = Place::new();
        let name = format!("a.{ending}");
        place.write(
            &name,
            [b"text", delimiter.as_bytes(), b"n\xff\nwords of a row", delimiter.as_bytes(), b"x\n"].concat(),
        );
        place.dedup(&name).counted(1, 1, 0, 0);
    }
}

#[test]
fn rows_of_csv_that_do_not_fit() {
    let place = Place::new();
    let (alpha, beta) = (prose("alpha", 20), prose("beta", 20));
    place.write(
        "a.csv",
        format!("id,text\na,{alpha}\nb\nc,{beta},more,still more\nd,\"{beta}\nover two lines\"\n"),
    );
    let run = place.dedup("a.csv");
    assert_eq!(run.count("read"), 4);
    assert!(run.bad_kinds().iter().all(|kind| kind == "csv" || kind == "missing-field"));
    assert_eq!(run.count("bad"), 2, "{:?}", run.bad());
    assert!(run.kept_text("a.csv").contains("over two lines"));
}

#[test]
fn a_text_that_begins_with_a_quotation_mark_takes_no_other_rows_along() {
    let place = Place::new();
    let texts =
        ["\"Hello one two three four five", "a b c d e f", "g h i j k l", "\"World m n o p q", "a b c d e f"];
    let rows = |mark: char| -> Vec<String> {
        texts.iter().zip(1..).map(|(text, id)| format!("{id}{mark}{text}\n")).collect()
    };
    let tabs = rows('\t');
    place.write("a.tsv", format!("id\ttext\n{}", tabs.concat()));
    let run = place.dedup_to("a.tsv", "tabs");
    run.counted(5, 4, 1, 0);
    assert_eq!(run.removed_ids(), ["5"]);
    assert_eq!(run.kept_text("a.tsv"), format!("id\ttext\n{}", tabs[..4].concat()));
    let commas = rows(',');
    place.write("a.csv", format!("id,text\n{}", commas.concat()));
    let run = place.dedup_to("a.csv", "commas");
    run.counted(5, 2, 1, 2);
    let bad = run.named(&["csv", "csv"]);
    let offset = |row: usize| 8 + commas[..row].concat().len();
    assert_eq!([&bad[0]["offset"], &bad[1]["offset"]], [&offset(0), &offset(3)]);
    assert_eq!(run.kept_text("a.csv"), format!("id,text\n{}", commas[1..3].concat()));
}

#[test]
fn a_quoted_field_beyond_the_largest_document_is_one_bad_row() {
    let lines = "Dear reader, this line is in the middle of one quoted field\n".repeat(40_000);
    let (name, place) = ("a.csv", Place::new());
    let row = |id: &str, text: &str| format!("{id},{text}\n");
    let good = [row("a", "first good row of words"), row("c", "\"last good row\nof other words\"")];
    let header = row("id", "text");
    let before = format!("{header}{}", good[0]);
    place.write(name, format!("{before}{}{}", row("b", &format!("\"{lines}end\"")), good[1]));
    let run = place.dedup_to(&format!("{name} --max-document 1MiB"), "closed");
    run.counted(3, 2, 0, 1);
    let bad = &run.named(&["too-large"])[0];
    assert_eq!(bad["offset"], before.len());
    let length = row("b", &format!("\"{lines}end\"")).len();
    assert_eq!(bad["length"], length);
    assert!(text_of(&bad["message"]).ends_with(&format!("found {length}")), "{bad}");
    assert_eq!(run.kept_text(name), format!("{before}{}", good[1]));
    // The next quote tells that this one closes nothing, and the rows between them are not lost unsaid.
    place.write(name, format!("{before}{}{lines}{}", row("b", "\"stray"), good[1]));
    let run = place.dedup_to(&format!("{name} --max-document 1MiB"), "open");
    run.counted(4, 2, 0, 2);
    let bad = run.named(&["too-large", "csv"]);
    let end = |bad: &Value| bad["offset"].as_u64().unwrap() + bad["length"].as_u64().unwrap();
    assert_eq!(end(&bad[0]), bad[1]["offset"].as_u64().unwrap());
    let bad = &bad[1];
    let lost = format!("found none in {} bytes", "stray\n".len() + lines.len());
    assert!(text_of(&bad["message"]).contains(&lost), "{bad}");
    assert_eq!(run.kept_text(name), format!("{before}{}", good[1]));
}

#[test]
fn a_page_whose_checksum_does_not_fit_is_damaged() {
    let place = Place::new();
    let mut bytes = fs_err::read(common::data("tables/checksums.parquet")).unwrap();
    place.write("a.parquet", &bytes);
    place.dedup("a.parquet").counted(2, 2, 0, 0);
    let at = bytes.windows(5).position(|part| part == b"seven").unwrap();
    bytes[at] ^= 1;
    place.write("a.parquet", bytes);
    let run = place.dedup("a.parquet --force");
    assert_eq!(run.bad_kinds(), ["parquet"; 2]);
    assert!(text_of(&run.bad()[0]["message"]).contains("checksum"), "{:?}", run.bad());
}

#[test]
fn a_table_of_bad_rows_alone_is_kept_without_rows() {
    let place = Place::new();
    place.write("nulls.parquet", table::table(&[("text", vec![None; 3]), ("other", vec![Some("x"); 3])]));
    place.write("column.parquet", table::table(&[("other", vec![Some("x"); 3])]));
    for name in ["nulls.parquet", "column.parquet"] {
        for flags in ["", "--annotate"] {
            let run = place.dedup(&format!("{name} --force {flags}"));
            run.counted(3, 0, 0, 3);
            assert_eq!(table::height(&run.kept(name)), 0, "{name} {flags}");
            assert_eq!(run.manifest()["inputs"][0]["output"], name);
        }
        let stream = place.run(&format!("dedup {name} --output -")).ok();
        assert_eq!(table::height(&stream.stdout), 0, "{name}");
    }
}

#[test]
fn a_table_whose_first_bytes_are_damaged_is_read_from_its_end() {
    let place = Place::new();
    let texts = [prose("alpha", 60), prose("beta", 60), prose("alpha", 60)];
    let table = table::table(&[("text", texts.iter().map(|text| Some(text.as_str())).collect())]);
    for at in 0..4 {
        let mut bytes = table.clone();
        bytes[at] ^= 0x80;
        place.write("a.parquet", bytes);
        let run = place.dedup("a.parquet --force");
        run.counted(3, 2, 1, 0);
        assert_eq!(table::height(&run.kept("a.parquet")), 2);
    }
}
