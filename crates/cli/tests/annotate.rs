//! `--annotate` keeps every document and says what it found in it.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::archive::{self, Record, html, uuid};
use common::{Place, compressed, four_documents, line, prose, table, text_of};
use serde_json::{Value, json};

#[test]
fn json_lines_get_a_field_and_keep_their_bytes() {
    let place = Place::new();
    let odd = format!("{{\"text\" : \"{}\" , \"id\":\"e\",\"n\":1.50 }}\r\n", prose("gamma", 30));
    let input = four_documents() + &odd;
    for how in compressed::ALL {
        place.write("a.jsonl", compressed::compress(how, &[&input]));
        let run = place.dedup("a.jsonl --annotate --force");
        let text = String::from_utf8(compressed::decompress(how, &run.kept("a.jsonl"))).unwrap();
        assert_eq!(text.lines().count(), 5);
        let verdicts: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("still JSON")["onefold"].clone())
            .collect();
        assert_eq!(verdicts[2]["duplicate_of"], "a");
        assert_eq!(verdicts[2]["kind"], "exact");
        assert_eq!(verdicts[2]["similarity"], 1.0);
        assert_eq!(verdicts[2]["cluster"], verdicts[0]["cluster"]);
        assert_eq!(verdicts[3]["duplicate_of"], "b");
        assert_eq!(verdicts[3]["kind"], "near");
        let similarity = verdicts[3]["similarity"].as_f64().unwrap();
        assert!((similarity - 75.0 / 77.0).abs() < 1e-9, "{similarity}");
        for kept in [0, 1, 4] {
            assert!(verdicts[kept]["duplicate_of"].is_null() && verdicts[kept]["kind"].is_null());
        }
        for (before, after) in input.split_inclusive('\n').zip(text.split_inclusive('\n')) {
            let object = before.trim_end().trim_end_matches('}').trim_end();
            assert!(after.starts_with(object), "{after} starts as {before}");
            assert_eq!(before.ends_with("\r\n"), after.ends_with("\r\n"));
        }
    }
}

#[test]
fn nothing_is_removed_and_the_evidence_is_the_same() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    let plain = place.dedup_to("a.jsonl", "plain");
    let marked = place.dedup_to("a.jsonl --annotate", "marked");
    assert_eq!(marked.kept_ids("a.jsonl"), ["a", "b", "a2", "b2"]);
    for name in ["removed.jsonl", "clusters.jsonl", "bad.jsonl"] {
        assert_eq!(marked.bytes(name), plain.bytes(name), "{name}");
    }
    let counts = ["read", "kept", "removed", "bad"].map(|name| marked.count(name));
    assert_eq!(counts[0], counts[1] + counts[2] + counts[3]);
}

#[test]
fn annotating_twice_leaves_one_verdict() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    place.dedup_to("a.jsonl --annotate", "once");
    let run = place.dedup_to("once/kept/a.jsonl --annotate", "twice");
    for line in run.kept_text("a.jsonl").lines() {
        assert_eq!(line.matches("\"onefold\"").count(), 1, "{line}");
    }
}

#[test]
fn a_field_of_that_name_that_is_no_verdict_is_not_overwritten() {
    let place = Place::new();
    let text = prose("alpha", 30);
    let with = |value: &str| format!("{{\"id\":\"b\",\"onefold\":{value},\"text\":\"{text}\"}}\n");
    let first = line("a", &text);
    for foreign in ["\"my own\"", "7", "[]", "{}", "{\"kind\":\"mine\",\"colour\":1}"] {
        place.write("a.jsonl", first.clone() + &with(foreign));
        let place_of = format!("at {}", first.len());
        let said = ["a.jsonl", &place_of, "\"onefold\"", "--annotate"];
        let ran = place.run("dedup a.jsonl --annotate --output out").fails(2, &said);
        assert!(!ran.stderr.contains("--resume"), "{}", ran.stderr);
        assert!(
            common::tree(&place.path("out")).keys().all(|name| !name.ends_with("a.jsonl")),
            "no half output"
        );
        fs_err::remove_dir_all(place.path("out")).unwrap();
    }
    // A verdict, and what holds nothing, give way; so do two of them, behind a mark of byte order.
    let ours = with("{\"kind\":null,\"cluster\":3}").replace("\"id\"", "\"onefold\": null ,\"id\"");
    place.write("a.jsonl", format!("\u{feff}{ours}") + &first);
    let kept = place.dedup("a.jsonl --annotate").kept_text("a.jsonl");
    assert_eq!(kept.matches("\"onefold\"").count(), 2, "{kept}");
    let own = table::table_of(&[("text", vec![Some(&*text)]), ("onefold", vec![Some("my own")])], true);
    place.write("t.parquet", own);
    place.run("dedup t.parquet --annotate --output p").fails(2, &["t.parquet", "\"onefold\"", "--annotate"]);
    assert!(common::tree(&place.path("p")).is_empty());
}

#[test]
fn a_damaged_table_is_a_bad_record_all_the_same() {
    let place = Place::new();
    let text = prose("alpha", 30);
    let whole = table::table_of(&[("text", vec![Some(&*text)])], true);
    place.write("t.parquet", &whole[..whole.len() - 20]);
    place.write("a.jsonl", line("a", &text));
    place.dedup("t.parquet a.jsonl --annotate").counted(2, 1, 0, 1);
}

#[test]
fn a_column_of_verdicts_is_written_anew() {
    let place = Place::new();
    let text = prose("alpha", 30);
    place.write(
        "t.parquet",
        table::table_of(
            &[("id", vec![Some("a"), Some("b")]), ("text", vec![Some(&*text), Some(&*text)])],
            true,
        ),
    );
    place.dedup_to("t.parquet --annotate", "once");
    let run = place.dedup_to("once/kept/t.parquet --annotate", "twice");
    assert_eq!(run.kept("t.parquet"), place.finished("once").kept("t.parquet"));
}

#[test]
fn bad_lines_are_not_annotated() {
    let place = Place::new();
    place.write("a.jsonl", line("a", &prose("alpha", 30)) + "no json\n" + &line("b", &prose("alpha", 30)));
    let run = place.dedup("a.jsonl --annotate");
    assert_eq!(run.kept_ids("a.jsonl"), ["a", "b"]);
    assert_eq!((run.count("read"), run.count("bad")), (3, 1));
}

#[test]
fn parquet_gets_a_column() {
    let place = Place::new();
    let (alpha, beta) = (prose("alpha", 80), common::edited("alpha", 80, &[79]));
    let bytes = table::table_of(
        &[
            ("id", vec![Some("a"), Some("b"), Some("c"), Some("d")]),
            ("text", vec![Some(&alpha), Some(&alpha), Some("some other thing"), Some(&beta)]),
            ("more", vec![None, Some("x"), None, Some("y")]),
        ],
        true,
    );
    place.write("t.parquet", &bytes);
    let run = place.dedup("t.parquet --annotate");
    let kept = run.kept("t.parquet");
    assert_eq!(table::columns(&kept), ["id", "text", "more", "onefold"]);
    let rows = table::rows(&kept);
    assert_eq!(rows.len(), 4);
    for (before, after) in table::rows(&bytes).iter().zip(&rows) {
        for name in ["id", "text", "more"] {
            assert_eq!(before[name], after[name]);
        }
    }
    assert_eq!(
        rows[1]["onefold"],
        json!({"duplicate_of": "a", "kind": "exact", "similarity": 1.0, "cluster": 1})
    );
    assert_eq!(text_of(&rows[3]["onefold"]["duplicate_of"]), "a");
    assert_eq!(rows[3]["onefold"]["kind"], "near");
    assert!(rows[0]["onefold"]["duplicate_of"].is_null() && rows[2]["onefold"]["duplicate_of"].is_null());
}

#[test]
fn in_warc_a_duplicate_becomes_a_revisit_of_its_keeper() {
    let place = Place::new();
    let page = |id: &str, date: &str| {
        Record::response(id, &format!("http://x/{id}"), &html(&prose("alpha", 60)))
            .instead("WARC-Date", date)
            .with("WARC-Block-Digest", "sha1:OLD")
    };
    let records = [
        Record::warcinfo(),
        page("one", "2024-05-01T00:00:01Z"),
        Record::request("q2", "http://x/two", Some("two")),
        page("two", "2024-05-01T00:00:02Z"),
        Record::metadata("m2", "http://x/two", "two"),
    ];
    for how in compressed::ALL {
        place.write("a.warc", compressed::compress(how, &archive::bytes_of(&records)));
        let run = place.dedup("a.warc --annotate --force");
        let kept = archive::parse(&compressed::decompress(how, &run.kept("a.warc")));
        assert_eq!(archive::ids(&kept), ["info", "one", "q2", "two", "m2"], "{how}");
        for same in [0, 1, 2, 4] {
            assert_eq!(kept[same], records[same]);
        }
        let revisit = &kept[3];
        assert_eq!(revisit.kind(), "revisit");
        assert_eq!(revisit.get("WARC-Refers-To"), Some(&*uuid("one")));
        assert_eq!(revisit.get("WARC-Refers-To-Target-URI"), Some("http://x/one"));
        assert_eq!(revisit.get("WARC-Refers-To-Date"), Some("2024-05-01T00:00:01Z"));
        assert_eq!(revisit.get("WARC-Target-URI"), Some("http://x/two"));
        assert_eq!(revisit.get("WARC-Date"), Some("2024-05-01T00:00:02Z"));
        assert!(revisit.get("WARC-Profile").is_some_and(|profile| profile.contains("/revisit/")));
        // A lookup by digest leads to the keeper, and a digest of the old block would be false.
        assert_eq!(revisit.get("WARC-Payload-Digest"), Some("sha1:ONE"));
        assert_ne!(revisit.get("WARC-Block-Digest"), Some("sha1:OLD"));
        let head = archive::find(&records[3].body, b"\r\n\r\n").unwrap() + 4;
        assert_eq!(revisit.body, records[3].body[..head], "the HTTP header stays, the page does not");
        if how == "gzip-members" {
            assert_eq!(compressed::members(&run.kept("a.warc")), 5);
        }
    }
}

#[test]
fn text_records_become_revisits_too() {
    let place = Place::new();
    let text = prose("alpha", 60);
    let records =
        [Record::conversion("one", "http://x/1", &text), Record::conversion("two", "http://x/2", &text)];
    place.write("a.wet", archive::bytes_of(&records).concat());
    let kept = archive::parse(&place.dedup("a.wet --annotate").kept("a.wet"));
    assert_eq!(kept[0], records[0]);
    assert_eq!((kept[1].kind(), kept[1].get("WARC-Refers-To")), ("revisit", Some(&*uuid("one"))));
}

#[test]
fn a_format_without_a_place_for_a_verdict_is_refused() {
    let place = Place::new();
    place.write("a.csv", "id,text\na,some words\n");
    place.run("dedup a.csv --annotate --output out").fails(2, &["a.csv", "--annotate"]);
    assert!(common::tree(&place.path("out")).is_empty());
}

#[test]
fn a_file_that_would_vanish_may_be_annotated() {
    let place = Place::new();
    let lines: String = (0..1200).map(|n| line(&format!("d{n}"), &prose("alpha", 30))).collect();
    place.write("a.jsonl", lines);
    place.dedup("a.jsonl --annotate").counted(1200, 1, 1199, 0);
}
