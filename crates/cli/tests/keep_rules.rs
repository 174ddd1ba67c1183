//! Who survives is stated by a rule, never left to chance.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::archive::{self, Record, html};
use common::{Place, line, prose};
use serde_json::{Value, json};

/// Writes these documents, all of one text, in each of several orders, and gives the id that is kept.
#[track_caller]
fn survivor(documents: &[Value], arguments: &str) -> String {
    let place = Place::new();
    let mut kept = Vec::new();
    let count = documents.len();
    for turn in 0..count {
        let text = prose("alpha", 40);
        let lines: String = (0..count)
            .map(|at| &documents[(at + turn) % count])
            .map(|document| {
                let mut document = document.clone();
                let object = document.as_object_mut().unwrap();
                object.entry("text").or_insert_with(|| text.clone().into());
                format!("{document}\n")
            })
            .collect();
        place.write("a.jsonl", lines);
        let run = place.dedup(&format!("a.jsonl --force {arguments}"));
        run.counted(count as u64, 1, count as u64 - 1, 0);
        kept.extend(run.kept_ids("a.jsonl"));
    }
    kept.dedup();
    assert_eq!(kept.len(), 1, "the order of the input does not matter under {arguments}: {kept:?}");
    kept.remove(0)
}

#[test]
fn first_is_the_order_of_the_input() {
    let place = Place::new();
    let text = prose("alpha", 40);
    place.write("2.jsonl", line("z", &text) + &line("a", &text));
    place.write("1.jsonl", line("b", &text));
    for rule in ["", "--keep first"] {
        let run = place.dedup(&format!("2.jsonl 1.jsonl --force {rule}"));
        assert_eq!(run.kept_ids("2.jsonl"), ["z"]);
        assert_eq!(run.removed_ids(), ["a", "b"]);
        assert_eq!(run.manifest()["plan"]["keep"], "first");
    }
}

#[test]
fn longest_has_the_most_bytes_of_normalised_text() {
    let words = common::words("alpha", 60);
    let documents = [
        json!({"id": "a", "text": words[..58].join(" ")}),
        json!({"id": "b", "text": words.join(" ")}),
        // More bytes as written, fewer when normalised.
        json!({"id": "c", "text": words[..59].join(" ...  ---  ")}),
    ];
    assert_eq!(survivor(&documents, "--keep longest"), "b");
}

#[test]
fn shortest_url_and_a_missing_one_last() {
    let documents = [
        json!({"id": "a"}),
        json!({"id": "b", "url": "https://example.org/long"}),
        json!({"id": "c", "url": "http://example.org/"}),
    ];
    assert_eq!(survivor(&documents, "--keep shortest-url"), "c");
    assert_eq!(survivor(&documents[..2], "--keep shortest-url"), "b");
}

#[test]
fn https_comes_before_length() {
    let documents = [
        json!({"id": "a"}),
        json!({"id": "b", "url": "http://x/"}),
        json!({"id": "c", "url": "HTTPS://example.org/a/rather/long/one"}),
        json!({"id": "d", "url": "https://example.org/short"}),
    ];
    assert_eq!(survivor(&documents, "--keep https-then-shortest-url"), "d");
    assert_eq!(survivor(&documents[..3], "--keep https-then-shortest-url"), "c");
    assert_eq!(survivor(&documents[..2], "--keep https-then-shortest-url"), "b");
}

#[test]
fn newest_and_oldest_read_dates_of_many_forms_and_missing_ones_last() {
    let documents = [
        json!({"id": "none"}),
        json!({"id": "nonsense", "date": "yesterday"}),
        json!({"id": "old", "date": "2019-12-31T23:59:59Z"}),
        json!({"id": "mid", "date": "20210704120000"}),
        json!({"id": "new", "date": "2024-02-01"}),
    ];
    assert_eq!(survivor(&documents, "--keep newest"), "new");
    assert_eq!(survivor(&documents, "--keep oldest"), "old");
    assert_eq!(survivor(&documents[..4], "--keep newest"), "mid");
    assert_eq!(survivor(&documents[..3], "--keep newest"), "old");
}

#[test]
fn dates_are_instants_whatever_their_zone() {
    let documents = [
        json!({"id": "later", "date": "2024-05-01T10:00:00-05:00"}),
        json!({"id": "earlier", "date": "2024-05-01T12:00:00Z"}),
    ];
    assert_eq!(survivor(&documents, "--keep newest"), "later");
    assert_eq!(survivor(&documents, "--keep oldest"), "earlier");
}

#[test]
fn the_date_has_the_field_given() {
    let documents = [
        json!({"id": "a", "date": "2024-01-01", "seen": "2020-01-01"}),
        json!({"id": "b", "date": "2020-01-01", "seen": "2024-01-01"}),
    ];
    assert_eq!(survivor(&documents, "--keep newest"), "a");
    assert_eq!(survivor(&documents, "--keep newest --date-field seen"), "b");
}

#[test]
fn archives_have_their_own_date() {
    let place = Place::new();
    let page = |id: &str, date: &str| {
        Record::response(id, &format!("http://x/{id}"), &html(&prose("alpha", 60))).instead("WARC-Date", date)
    };
    let records = [
        page("mid", "2021-01-01T00:00:00Z"),
        page("new", "2024-01-01T00:00:00Z"),
        page("old", "2011-01-01T00:00:00Z"),
    ];
    place.write("a.warc", archive::bytes_of(&records).concat());
    for (rule, kept) in [("first", "mid"), ("newest", "new"), ("oldest", "old")] {
        let run = place.dedup(&format!("a.warc --force --keep {rule}"));
        assert_eq!(archive::ids(&archive::parse(&run.kept("a.warc"))), [kept], "{rule}");
    }
}

#[test]
fn the_highest_of_a_field_wins_and_a_missing_one_is_last() {
    let documents = [
        json!({"id": "none"}),
        json!({"id": "text", "quality": "high"}),
        json!({"id": "low", "quality": -2.5}),
        json!({"id": "mid", "quality": "9.5"}),
        json!({"id": "high", "quality": 10}),
    ];
    assert_eq!(survivor(&documents, "--keep field:quality"), "high");
    assert_eq!(survivor(&documents[..3], "--keep field:quality"), "low");
    assert_eq!(
        survivor(&[json!({"id": "z", "other": 5}), json!({"id": "y", "other": 4})], "--keep field:other"),
        "z"
    );
}

#[test]
fn whole_numbers_of_64_bits_are_told_apart() {
    let pairs = [
        (json!(9_007_199_254_740_992_u64), json!(9_007_199_254_740_993_u64)),
        (json!("9007199254740993"), json!(9_007_199_254_740_994_u64)),
        (json!(u64::MAX - 1), json!(u64::MAX)),
        (json!(i64::MIN), json!(i64::MIN + 1)),
        (json!(i64::MAX), json!(1e19)),
    ];
    for (low, high) in pairs {
        // A tie would go to the first id.
        let documents = [json!({"id": "a", "n": low}), json!({"id": "b", "n": high})];
        assert_eq!(survivor(&documents, "--keep field:n"), "b", "{documents:?}");
    }
}

#[test]
fn ties_are_broken_by_id() {
    let documents = [
        json!({"id": "b", "url": "http://x/2", "date": "2024-01-01", "q": 1}),
        json!({"id": "a", "url": "http://x/1", "date": "2024-01-01", "q": 1}),
        json!({"id": "c", "url": "http://x/3", "date": "2024-01-01", "q": 1}),
    ];
    for rule in
        ["longest", "shortest-url", "https-then-shortest-url", "newest", "oldest", "field:q", "field:none"]
    {
        assert_eq!(survivor(&documents, &format!("--keep {rule}")), "a", "{rule}");
    }
}

#[test]
fn ties_of_ids_are_broken_by_digest_then_by_place() {
    let words = common::words("alpha", 80);
    let near =
        [json!({"id": "a", "text": words.join(" ")}), json!({"id": "a", "text": words[..79].join(" ")})];
    let place = Place::new();
    let kept = |documents: [&Value; 2]| {
        place.write("a.jsonl", documents.map(|document| format!("{document}\n")).concat());
        let run = place.dedup("a.jsonl --keep newest --force");
        run.counted(2, 1, 1, 0);
        run.kept_text("a.jsonl")
    };
    // Texts that differ: the same one stays in either order.
    assert_eq!(kept([&near[0], &near[1]]), kept([&near[1], &near[0]]));
    // Equal texts: the first one stays.
    let copies =
        [json!({"id": "a", "n": 1, "text": "one text"}), json!({"id": "a", "n": 2, "text": "one text"})];
    assert!(kept([&copies[0], &copies[1]]).contains("\"n\":1"));
    assert!(kept([&copies[1], &copies[0]]).contains("\"n\":2"));
}

#[test]
fn the_rule_chooses_among_near_copies_too() {
    let words = common::words("alpha", 80);
    let documents = [
        json!({"id": "a", "text": words[..78].join(" ")}),
        json!({"id": "b", "text": words.join(" ")}),
        json!({"id": "c", "text": words[..79].join(" ")}),
    ];
    assert_eq!(survivor(&documents, "--keep longest"), "b");
}

#[test]
fn a_rule_that_is_none_is_refused() {
    let place = Place::new();
    place.write("a.jsonl", line("a", "words"));
    for rule in ["best", "field:", "Field:x"] {
        place.run(&format!("dedup a.jsonl --output out --keep {rule}")).fails(2, &["--keep", "field:NAME"]);
    }
    assert!(!place.path("out").exists());
}

#[test]
fn a_rule_that_nothing_has_a_value_for_says_so() {
    let place = Place::new();
    let text = prose("alpha", 40);
    let scored = |id: &str, score: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\",\"q\":{score}}}\n");
    place.write("a.jsonl", scored("b", "\"high\"") + &scored("a", "null"));
    for (rule, what) in [
        ("field:q", "a number in a field \"q\""),
        ("field:none", "a number in a field \"none\""),
        ("newest", "a date"),
        ("shortest-url", "a URL"),
    ] {
        let run = place.dedup(&format!("a.jsonl --force --keep {rule}"));
        assert_eq!(run.kept_ids("a.jsonl"), ["a"]);
        let note = run.manifest()["notes"][0].as_str().unwrap().to_owned();
        assert!(note.contains(&format!("--keep {rule}")) && note.contains(what), "{note}");
        assert!(run.stderr.contains(&note), "{}", run.stderr);
    }
    place.write("a.jsonl", scored("b", "2") + &scored("a", "null"));
    for rule in ["field:q", "first", "longest"] {
        let run = place.dedup(&format!("a.jsonl --force --keep {rule}"));
        assert_eq!(run.manifest()["notes"], json!([]), "{rule}");
    }
}

#[test]
fn the_newest_of_versions_without_dates_is_told_to_be_the_first() {
    let place = Place::new();
    let page = |id: &str, topic: &str, seen: &str| {
        let text = prose(topic, 40);
        format!("{}\n", json!({"id": id, "url": "http://x/page", "text": text, "seen": seen}))
    };
    place.write("a.jsonl", page("older", "alpha", "2023-01-01") + &page("newer", "beta", "2024-01-01"));
    let run = place.dedup("a.jsonl --versions newest");
    assert_eq!(run.kept_ids("a.jsonl"), ["older"]);
    let note = run.manifest()["notes"][0].as_str().unwrap().to_owned();
    assert!(note.starts_with("--versions newest: no document has a date"), "{note}");
    assert!(run.stderr.contains(&note), "{}", run.stderr);
    let run = place.dedup_to("a.jsonl --versions newest --date-field seen", "dated");
    assert_eq!(run.kept_ids("a.jsonl"), ["newer"]);
    assert_eq!(run.manifest()["notes"], json!([]));
}

#[test]
fn dates_of_every_century_are_told_apart() {
    let text = prose("quixote", 20);
    let dated = |id: &str, date: &str| serde_json::json!({"id": id, "date": date, "text": text}).to_string();
    let documents =
        [dated("b", "1605"), dated("a", "1650"), dated("d", "2284-06-03"), dated("c", "2284-02-24")];
    let place = Place::new();
    place.write("a.jsonl", documents.map(|line| line + "\n").concat());
    for (rule, id) in [("oldest", "b"), ("newest", "d")] {
        let kept = place.run(&format!("dedup a.jsonl --output - --quiet --keep {rule}")).ok();
        assert_eq!(common::ids(kept.text().as_bytes()), [id], "{rule}");
    }
}
