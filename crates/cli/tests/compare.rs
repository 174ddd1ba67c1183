//! `onefold compare` measures two texts in every way and shows what differs.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::{Place, close, data, edited, line, prose};
use serde_json::Value;
use std::time::Instant;

fn json(place: &Place, arguments: &str) -> Value {
    place.run(&format!("compare --json {arguments}")).ok().json().remove(0)
}

/// Two texts of 80 words of which the last differs.
fn near(place: &Place) {
    place.write("a.txt", prose("alpha", 80));
    place.write("b.txt", edited("alpha", 80, &[79]));
}

/// The edit distance by the whole table, where a replacement costs so much.
fn edits(a: &[u8], b: &[u8], replacement: usize) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + if x == y { 0 } else { replacement };
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[test]
fn every_measure_of_two_near_texts() {
    let place = Place::new();
    near(&place);
    let found = json(&place, "a.txt b.txt");
    assert_eq!(found["version"], 1);
    assert_eq!((&found["a"]["name"], &found["b"]["words"]), (&"a.txt".into(), &80.into()));
    assert_eq!((&found["shared"], &found["union"]), (&75.into(), &77.into()));
    close(&found["resemblance"], 75.0 / 77.0);
    close(&found["containment_a_in_b"], 75.0 / 76.0);
    close(&found["containment_b_in_a"], 75.0 / 76.0);
    close(&found["weighted"]["resemblance"], 75.0 / 77.0);
    close(&found["cosine"], 79.0 / 80.0);
    close(&found["euclidean"], 2f64.sqrt());
    assert_eq!(found["word_edits"]["levenshtein"]["distance"], 1);
    assert_eq!(found["word_edits"]["indel"]["distance"], 2);
    close(&found["word_edits"]["levenshtein"]["similarity"], 79.0 / 80.0);
    close(&found["word_edits"]["indel"]["similarity"], 79.0 / 80.0);
    let [a, b] = [prose("alpha", 80), edited("alpha", 80, &[79])].map(String::into_bytes);
    assert_eq!(found["character_edits"]["levenshtein"]["distance"], edits(&a, &b, 1));
    assert_eq!(found["character_edits"]["indel"]["distance"], edits(&a, &b, 2));
    let [a, b] = ["a", "b"].map(|side| found[side]["fingerprint"].as_str().unwrap());
    let bits = u64::from_str_radix(a, 16).unwrap() ^ u64::from_str_radix(b, 16).unwrap();
    assert_eq!(found["hamming"], bits.count_ones());
    let truth: f64 = 75.0 / 77.0;
    let error = (truth * (1.0 - truth) / 128.0).sqrt();
    close(&found["sketches"]["standard_error"], error);
    for sketch in ["fast", "classic"] {
        let estimate = found["sketches"][sketch].as_f64().unwrap();
        assert!((estimate - truth).abs() < 4.0 * error, "{sketch}: {estimate}");
    }
    assert_eq!((&found["equal_normalised"], &found["equal_raw"]), (&false.into(), &false.into()));
    assert_eq!(found["diff"].as_array().unwrap().len(), 1);
    assert_eq!(found["diff"][0]["at"], 79);
}

#[test]
fn fingerprints_are_those_of_the_verb_of_that_name() {
    let place = Place::new();
    near(&place);
    for features in ["word:1", "word:2", "char:4"] {
        let found = json(&place, &format!("a.txt b.txt --features {features}"));
        let listed = place.run(&format!("fingerprints a.txt b.txt --features {features} --quiet")).ok();
        let rows: Vec<Vec<&str>> =
            listed.text().lines().skip(1).map(|row| row.split('\t').collect()).collect();
        for (side, row) in ["a", "b"].iter().zip(&rows) {
            assert_eq!(
                (found[side]["digest"].as_str(), found[side]["fingerprint"].as_str()),
                (Some(row[1]), Some(row[2]))
            );
        }
    }
}

#[test]
fn groups_of_words_count_as_one() {
    let place = Place::new();
    place.write("a.txt", "0 1 2 5 6");
    place.write("b.txt", "0 2 3 5 7 9");
    place.write("groups", "0 1 2\n\n3, 4\n5 6\n7 8 9\n");
    let found = json(&place, "a.txt b.txt --groups groups");
    close(&found["words"]["resemblance"], 0.375);
    close(&found["groups"]["resemblance"], 0.5);
    let text = place.run("compare a.txt b.txt --groups groups").ok();
    assert!(text.text().contains("groups of words                0.5000  2 shared of 4"), "{}", text.text());
    assert_eq!(json(&place, "a.txt b.txt")["groups"], Value::Null);
    place.write("twice", "one two\nTWO three\n");
    place.run("compare a.txt b.txt --groups twice").fails(2, &["twice", "\"two\"", "line 1", "line 2"]);
    place.write("none", "…\n");
    place.run("compare a.txt b.txt --groups none").fails(2, &["none", "no word"]);
    place.run("compare a.txt b.txt --groups nowhere").fails(2, &["nowhere"]);
}

#[test]
fn html_is_what_a_reader_sees_unless_it_is_plain() {
    let place = Place::new();
    place.write("a.html", "<!doctype html><title>Fish</title><p>Tropical <b>fish</b> swim");
    place.write("b.txt", "Fish\nTropical fish swim");
    let found = json(&place, "a.html b.txt");
    assert_eq!((&found["equal_normalised"], &found["equal_raw"]), (&true.into(), &false.into()));
    assert_eq!(found["word_edits"]["indel"]["distance"], 0);
    assert_eq!(json(&place, "a.html b.txt --plain")["equal_normalised"], false);
    let ran = place.run_with_input("compare - b.txt --json", b"Fish\nTropical fish swim").ok();
    assert_eq!((&ran.json()[0]["equal_raw"], &ran.json()[0]["a"]["name"]), (&true.into(), &"-".into()));
}

#[test]
fn two_documents_of_a_corpus_by_id() {
    let place = Place::new();
    place.write("c/a.jsonl", [line("one", &prose("alpha", 80)), line("two", "other words")].concat());
    place.write("c/b.jsonl", line("three", &edited("alpha", 80, &[79])));
    close(&json(&place, "three one --in c")["resemblance"], 75.0 / 77.0);
    close(&json(&place, "one one --in c/a.jsonl c/b.jsonl")["resemblance"], 1.0);
    place.run("compare one four --in c").fails(2, &["four", "no document"]);
    place.run("compare c/a.jsonl c/b.jsonl").fails(2, &["c/a.jsonl", "--in"]);
    place.write("d.tsv", "key\tbody\nx\tone two three\ny\tone two four\n");
    let found = json(&place, "x y --in d.tsv --id-field key --text-field body");
    assert_eq!(found["word_edits"]["levenshtein"]["distance"], 1);
    // A URL names a document that has an id as well; an id comes before a URL.
    place.write("u.jsonl", "{\"id\":\"1\",\"url\":\"http://x.org/\",\"text\":\"a b c\"}\n{\"id\":\"2\",\"url\":\"1\",\"text\":\"a b\"}\n");
    assert_eq!(json(&place, "http://x.org/ 1 --in u.jsonl")["resemblance"], 1.0);
    let input = [line("p", "a b"), line("q", "a c")].concat();
    let ran = place.run_with_input("compare p q --json --in -", input.as_bytes()).ok();
    assert_eq!(ran.json()[0]["word_edits"]["indel"]["distance"], 2);
}

#[test]
fn the_resemblance_is_that_of_the_pairs_that_are_known() {
    let place = Place::new();
    let page = "files/en-us/web/api/htmlmediaelement/mediakeys/index.md";
    let corpus = data("mdn/docs.jsonl.gz");
    let found = json(&place, &format!("{page}@2024-06-01 {page}@2023-06-01 --in {}", corpus.display()));
    assert_eq!(format!("{:.4}", found["resemblance"].as_f64().unwrap()), "0.9020");
}

#[test]
fn pages_of_an_archive_are_found_by_url() {
    let place = Place::new();
    let corpus = data("warc/blackbook.warc.gz");
    let [robots, index] = ["robots.txt", "index.php"].map(|page| format!("http://www.archive.org/{page}"));
    let found = json(&place, &format!("{robots} {index} --in {}", corpus.display()));
    let listed = place.run(&format!("fingerprints {} --quiet", corpus.display())).ok();
    for (side, url) in [("a", robots), ("b", index)] {
        let row = listed.text().lines().find(|row| row.starts_with(&format!("{url}\t"))).unwrap();
        assert!(row.contains(found[side]["digest"].as_str().unwrap()), "{row}");
        assert_eq!(row.split('\t').nth(3).unwrap(), found[side]["words"].to_string());
    }
}

#[test]
fn each_choice_of_text_counts() {
    let place = Place::new();
    place.write("a.txt", "The price is 12 euros, the Price was 10 euros");
    place.write("b.txt", "the price is 15 euros the price was 11 euros");
    let same = |flags: &str| json(&place, &format!("a.txt b.txt {flags}"))["equal_normalised"] == true;
    assert!(!same(""));
    assert!(same("--digits fold"));
    assert!(!same("--digits fold --case keep"));
    assert!(!same("--digits fold --punctuation keep"));
    let words = |flags: &str| json(&place, &format!("a.txt b.txt {flags}"))["a"]["words"].clone();
    assert_eq!((words(""), words("--stop-words en")), (10.into(), 6.into()));
    assert_eq!(words("--space keep"), 19);
    let shingles =
        |flags: &str| json(&place, &format!("a.txt b.txt --shingle word:1 {flags}"))["a"]["shingles"].clone();
    assert_eq!((shingles(""), shingles("--bag")), (7.into(), 10.into()));
    let bag = json(&place, "a.txt b.txt --shingle word:1 --bag");
    assert_eq!(bag["resemblance"], bag["weighted"]["resemblance"]);
    place.write("c.txt", "e\u{301}t\u{e9}");
    place.write("d.txt", "\u{e9}te\u{301}");
    assert_eq!(json(&place, "c.txt d.txt")["equal_normalised"], true);
    assert_eq!(json(&place, "c.txt d.txt --form none")["equal_normalised"], false);
    place.run("compare a.txt b.txt --shingle words").fails(2, &["--shingle", "word:N"]);
}

#[test]
fn words_that_differ_are_marked_or_coloured() {
    let place = Place::new();
    place.write("a.txt", "the red fish swims\nin the sea\n");
    place.write("b.txt", "the blue fish swims\nin the deep sea\n");
    let plain = place.run("compare a.txt b.txt").ok();
    let diff =
        "diff  1 word removed, 2 added, in 2 places\n\nthe [-red-]{+blue+} fish swims\nin the {+deep+} sea\n";
    assert!(plain.text().ends_with(diff), "{}", plain.text());
    let colored = place.run("compare a.txt b.txt --color always").ok();
    let diff =
        "the \u{1b}[31mred\u{1b}[m\u{1b}[32mblue\u{1b}[m fish swims\nin the \u{1b}[32mdeep\u{1b}[m sea\n";
    assert!(colored.text().ends_with(diff), "{}", colored.text());
    assert!(!place.run("compare a.txt b.txt --no-diff").ok().text().contains("fish"));
    let short = place.run("compare a.txt b.txt --context 1").ok();
    assert!(short.text().ends_with("the [-red-]{+blue+} fish … the {+deep+} sea\n"), "{}", short.text());
    let same = place.run("compare a.txt a.txt").ok();
    assert!(same.text().contains("no word differs"));
}

#[test]
fn texts_without_a_word_have_no_sketch() {
    let place = Place::new();
    place.write("empty.txt", "");
    place.write("dots.txt", "… !");
    place.write("a.txt", "one two");
    let found = json(&place, "empty.txt a.txt");
    assert_eq!((&found["hamming"], &found["sketches"]), (&Value::Null, &Value::Null));
    assert_eq!(found["word_edits"]["levenshtein"]["distance"], 2);
    close(&found["resemblance"], 0.0);
    let both = json(&place, "empty.txt dots.txt");
    assert_eq!((&both["equal_normalised"], &both["equal_raw"]), (&true.into(), &false.into()));
    place.run("compare empty.txt dots.txt").ok();
}

#[test]
fn long_texts_with_nothing_in_common_are_bounded_and_not_waited_for() {
    let place = Place::new();
    // No two words alike, and a megabyte of each.
    let text = |salt: u64| -> String {
        let number = |i: u64| (i * 2 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (0..60_000).map(|i| format!("{:016x} ", number(i))).collect()
    };
    place.write("a.txt", text(0));
    place.write("b.txt", text(1));
    let started = Instant::now();
    let ran = place.run("compare a.txt b.txt --no-diff").ok();
    // A whole table would be ten times as much.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    let line = ran.text().lines().find(|line| line.starts_with("levenshtein, characters")).unwrap();
    assert!(line.contains("> ") && line.contains("--full-edit"), "{line}");
    let line = ran.text().lines().find(|line| line.starts_with("levenshtein, words")).unwrap();
    assert_eq!(line.split_whitespace().nth(2), Some("60000"));
}

#[test]
fn what_cannot_be_read_is_named() {
    let place = Place::new();
    place.write("a.txt", "one two");
    place.write("binary", [0u8, 1, 2, 3, 255, 0].repeat(100));
    fs_err::create_dir(place.path("folder")).unwrap();
    place.run("compare a.txt nowhere.txt").fails(2, &["nowhere.txt"]);
    place.run("compare a.txt binary").fails(2, &["binary"]);
    place.run("compare a.txt folder").fails(2, &["folder"]);
    place.run("compare - -").fails(2, &["standard input", "once"]);
    place.run("compare a.txt").fails(2, &["<B>"]);
    place.write("long.txt", "word ".repeat(1000));
    place.run("compare a.txt long.txt --max-document 1kB").fails(2, &["long.txt"]);
}
