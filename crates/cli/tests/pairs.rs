//! `onefold pairs` lists verified pairs and removes nothing.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::{Place, edited, four_documents, line, prose, table, words};
use serde_json::json;
use std::collections::BTreeSet;

/// Two copies of a text, three of a near one, and a stranger.
fn copies() -> String {
    let near = edited("alpha", 80, &[79]);
    [
        line("a1", &prose("alpha", 80)),
        line("b1", &near),
        line("a2", &prose("alpha", 80)),
        line("b2", &near),
        line("s", &prose("stranger", 80)),
        line("b3", &near),
    ]
    .concat()
}

fn rows(text: &str) -> BTreeSet<(String, String, String)> {
    text.lines()
        .skip(1)
        .map(|row| row.split('\t').map(str::to_owned).collect::<Vec<_>>())
        .map(|cells| (cells[0].clone(), cells[1].clone(), cells[3].clone()))
        .collect()
}

fn set(pairs: &[(&str, &str, &str)]) -> BTreeSet<(String, String, String)> {
    pairs.iter().map(|(a, b, kind)| ((*a).into(), (*b).into(), (*kind).into())).collect()
}

#[test]
fn each_near_pair_of_texts_once_and_each_copy_with_its_first() {
    let place = Place::new();
    place.write("a.jsonl", copies());
    let ran = place.run("pairs a.jsonl").ok();
    assert_eq!(ran.text().lines().next(), Some("id_a\tid_b\tsimilarity\tkind"));
    assert_eq!(ran.text().lines().count(), 5);
    let expected =
        set(&[("a1", "a2", "exact"), ("b1", "b2", "exact"), ("b1", "b3", "exact"), ("a1", "b1", "near")]);
    assert_eq!(rows(ran.text()), expected);
    let near = ran.text().lines().find(|row| row.ends_with("near")).unwrap();
    let similarity: f64 = near.split('\t').nth(2).unwrap().parse().unwrap();
    assert!((similarity - 75.0 / 77.0).abs() < 1e-6);
    assert_eq!(common::tree(&place.path("")).len(), 1, "nothing is written");
    assert!(ran.stderr.contains('4'), "{}", ran.stderr);
}

#[test]
fn expanded_it_is_every_pair_of_documents() {
    let place = Place::new();
    place.write("a.jsonl", copies());
    let ran = place.run("pairs a.jsonl --expand").ok();
    let mut expected =
        set(&[("a1", "a2", "exact"), ("b1", "b2", "exact"), ("b1", "b3", "exact"), ("b2", "b3", "exact")]);
    for (a, b) in [("a1", "b1"), ("a1", "b2"), ("a1", "b3"), ("b1", "a2"), ("a2", "b2"), ("a2", "b3")] {
        expected.insert((a.into(), b.into(), "near".into()));
    }
    assert_eq!(rows(ran.text()), expected);
    assert_eq!(ran.text().lines().count(), 11, "each once");
}

#[test]
fn chains_are_listed_pair_by_pair() {
    let place = Place::new();
    let lines = [
        line("A", &prose("alpha", 100)),
        line("B", &edited("alpha", 100, &[20, 21])),
        line("C", &edited("alpha", 100, &[20, 21, 60, 61])),
    ];
    place.write("a.jsonl", lines.concat());
    let ran = place.run("pairs a.jsonl --threshold 0.85").ok();
    assert_eq!(rows(ran.text()), set(&[("A", "B", "near"), ("B", "C", "near")]));
    let ran = place.run("pairs a.jsonl --threshold 0.7").ok();
    assert_eq!(rows(ran.text()).len(), 3);
    assert_eq!(rows(place.run("pairs a.jsonl --method exact").ok().text()).len(), 0);
}

#[test]
fn pairs_come_as_json_lines_and_as_parquet() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    let lines = place.run("pairs a.jsonl --format jsonl").ok().json();
    assert_eq!(lines.len(), 2);
    assert!(
        lines.contains(&json!({"id_a": "a", "id_b": "a2", "similarity": 1.0, "kind": "exact"})),
        "{lines:?}"
    );
    let bytes = place.run("pairs a.jsonl --format parquet --quiet").ok().stdout;
    assert_eq!(table::columns(&bytes), ["id_a", "id_b", "similarity", "kind"]);
    let rows = table::rows(&bytes);
    for row in &lines {
        assert!(rows.contains(row), "{row} in {rows:?}");
    }
    assert_eq!(rows.len(), 2);
    let same = place.run("pairs a.jsonl --format tsv").ok();
    assert_eq!(same.text(), place.run("pairs a.jsonl").ok().text());
}

#[test]
fn the_number_of_pairs_is_guarded() {
    let place = Place::new();
    let lines: String = (0..200).map(|n| line(&format!("d{n}"), &edited("alpha", 400, &[n * 2]))).collect();
    place.write("a.jsonl", lines);
    place.run("pairs a.jsonl --max-pairs 1000").fails(2, &["1000", "--max-pairs"]);
    let ran = place.run("pairs a.jsonl --max-pairs 19900").ok();
    assert_eq!(ran.text().lines().count(), 19901);
    // Copies count when they are listed with each other.
    let lines: String = (0..200).map(|n| line(&format!("d{n}"), &prose("alpha", 40))).collect();
    place.write("b.jsonl", lines);
    place.run("pairs b.jsonl --max-pairs 1000").ok();
    place.run("pairs b.jsonl --max-pairs 1000 --expand").fails(2, &["1000", "--max-pairs"]);
    // Ten copies of either of two similar texts: 2 * 45 pairs of copies, 100 across. All are counted before one is listed.
    let lines: String = (0..20).map(|n| line(&format!("d{n}"), &edited("alpha", 80, &[n % 2]))).collect();
    place.write("c.jsonl", lines);
    for (most, code) in [(0, 2), (89, 2), (90, 2), (189, 2), (190, 0)] {
        let ran = place.run(&format!("pairs c.jsonl --expand --max-pairs {most}"));
        assert_eq!(ran.code, Some(code), "{most}: {}", ran.stderr);
        assert_eq!(ran.text().lines().count(), if code == 0 { 191 } else { 0 }, "{most}");
    }
}

#[test]
fn ids_with_tabs_and_line_ends_stay_in_their_cell() {
    let place = Place::new();
    place.write("a.jsonl", line("a\tb\nc", "some words") + &line("d\\", "some words"));
    let ran = place.run("pairs a.jsonl").ok();
    let row = ran.text().lines().nth(1).unwrap();
    assert_eq!(row.split('\t').collect::<Vec<_>>(), ["a\\tb\\nc", "d\\\\", "1", "exact"]);
}

#[test]
fn pairs_of_all_inputs_and_from_standard_input() {
    let place = Place::new();
    place.write("in/1.jsonl", line("one", &prose("alpha", 40)));
    place.write("in/2.csv", format!("id,text\ntwo,{}\n", prose("alpha", 40)));
    let ran = place.run("pairs in").ok();
    assert_eq!(rows(ran.text()), set(&[("one", "two", "exact")]));
    let ran = place.run_with_input("pairs -", four_documents().as_bytes()).ok();
    assert_eq!(rows(ran.text()), set(&[("a", "a2", "exact"), ("b", "b2", "near")]));
    assert_eq!(place.run("pairs in --quiet").ok().stderr, "");
    assert_eq!(place.run("pairs in --text-field nothing -q").ok().text().lines().count(), 1);
}

#[test]
fn empty_documents_pair_with_nobody() {
    let place = Place::new();
    place.write("a.jsonl", line("a", "") + &line("b", "") + &line("c", " . "));
    for arguments in ["", "--expand", "--raw", "--method exact"] {
        assert_eq!(
            place.run(&format!("pairs a.jsonl {arguments}")).ok().text().lines().count(),
            1,
            "{arguments}"
        );
    }
}

#[test]
fn pairs_are_the_same_for_any_threads_and_memory() {
    let place = Place::new();
    let corpus = onefold_testkit::Corpus {
        mean_words: 120.0,
        vocabulary: 5_000,
        ..onefold_testkit::Corpus::new(1500)
    };
    onefold_testkit::write_jsonl(&corpus, place.path("a.jsonl")).unwrap();
    let one = place.run("pairs a.jsonl --threads 1").ok();
    assert!(one.text().lines().count() > 100);
    for arguments in ["--threads 2", "--threads 5", "--threads 2 --memory 64MiB"] {
        assert_eq!(place.run(&format!("pairs a.jsonl {arguments}")).ok().text(), one.text(), "{arguments}");
    }
}

#[test]
fn planted_pairs_are_found_and_no_others() {
    let place = Place::new();
    let corpus = onefold_testkit::Corpus {
        mean_words: 120.0,
        vocabulary: 20_000,
        ..onefold_testkit::Corpus::new(8000)
    };
    onefold_testkit::write_jsonl(&corpus, place.path("a.jsonl")).unwrap();
    let name = |number: u64| format!("d{number:08}");
    let ordered = |a: String, b: String| if a < b { (a, b) } else { (b, a) };
    let found: BTreeSet<(String, String)> = rows(place.run("pairs a.jsonl --expand").ok().text())
        .into_iter()
        .map(|(a, b, _)| ordered(a, b))
        .collect();
    let truth: BTreeSet<(String, String)> = corpus
        .truth()
        .unwrap()
        .filter(|pair| pair.jaccard >= 0.8)
        .map(|pair| ordered(name(pair.first), name(pair.second)))
        .collect();
    assert!(truth.len() > 800, "{}", truth.len());
    let missed: Vec<_> = truth.difference(&found).collect();
    assert!(missed.len() * 200 <= truth.len(), "of {} planted pairs: {missed:?}", truth.len());
    assert_eq!(found.difference(&truth).collect::<Vec<_>>(), Vec::<&(String, String)>::new());
}

#[test]
fn a_reader_that_has_enough_ends_the_listing_quietly() {
    let place = Place::new();
    place.write(
        "a.jsonl",
        (0..400).map(|n| line(&format!("copy-{n}"), "one text of all")).collect::<String>(),
    );
    let mut child = place.start(&mut place.command("pairs a.jsonl --expand"));
    drop(child.stdout.take());
    let output = common::ended(child);
    assert_eq!(
        (output.status.code(), String::from_utf8_lossy(&output.stderr).contains("error")),
        (Some(0), false)
    );
}

/// Twelve texts that differ in their last word.
fn alike() -> String {
    let text = common::prose("alpha", 60);
    (0..12).map(|n| line(&format!("d{n}"), &format!("{text} end{n}"))).collect()
}

#[test]
fn what_a_cap_on_buckets_cuts_is_told() {
    let place = Place::new();
    place.write("a.jsonl", alike());
    let ran = place.run("pairs a.jsonl").ok();
    assert_eq!(ran.text().lines().count(), 1 + 66);
    assert!(!ran.stderr.contains("not looked into"), "{}", ran.stderr);
    let ran = place.run("pairs a.jsonl --max-bucket 3").ok();
    assert_eq!(ran.text().lines().count(), 1);
    assert!(
        ran.stderr.contains(" buckets of more than 3 documents were not looked into (the largest has 12)"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.lines().any(|line| line.starts_with("note: ") && line.contains("looked into")));
    assert_eq!(place.run("pairs a.jsonl --max-bucket 3 --quiet").ok().stderr, "");
}

#[test]
fn a_cap_on_buckets_does_not_cut_the_truth_of_an_oracle() {
    let place = Place::new();
    place.write("a.jsonl", alike());
    let ran = place.run("evaluate a.jsonl --oracle --max-bucket 3 --methods minhash --json").ok();
    let told = &ran.json()[0];
    assert_eq!(told["truth_pairs"], 66);
    assert_eq!(told["methods"][0]["recall"], 0.0, "{told}");
    assert!(ran.stderr.contains("not looked into"), "{}", ran.stderr);
    place
        .run("evaluate a.jsonl --oracle --max-bucket 3 --methods exact")
        .fails(2, &["--max-bucket goes with --methods minhash"]);
}

#[test]
fn hundredths_are_those_that_a_pair_reaches() {
    let place = Place::new();
    // 29 of 100 words shared.
    let texts = [words("w", 64), [words("w", 29), words("v", 36)].concat()].map(|words| words.join(" "));
    place.write("a.jsonl", line("a", &texts[0]) + &line("b", &texts[1]));
    let ran = place.run("pairs a.jsonl --method join --shingle word:1 --threshold 0.29").ok();
    assert_eq!(ran.text().lines().nth(1), Some("a\tb\t0.29\tnear"));
    assert!(ran.stderr.contains("similarity 0.29  1"), "{}", ran.stderr);
}

#[test]
fn ids_cannot_steer_a_terminal() {
    let place = Place::new();
    place.write("a.jsonl", line("a\u{1b}[31m", &prose("alpha", 60)) + &line("b", &prose("alpha", 60)));
    let piped = place.run("pairs a.jsonl --quiet").ok();
    assert!(piped.text().contains("a\u{1b}[31m\tb"), "data is as it is");
    let command = format!("{} pairs a.jsonl --quiet", env!("CARGO_BIN_EXE_onefold"));
    let mut script = std::process::Command::new("script");
    script
        .args(["-qec", &command, "/dev/null"])
        .current_dir(place.path(""))
        .stdin(std::process::Stdio::null());
    match script.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            onefold_testkit::skip("no script to make a terminal")
        }
        shown => {
            let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
            assert!(shown.contains("a\\u{1b}[31m\tb") && !shown.contains('\u{1b}'), "{shown:?}");
        }
    }
}
