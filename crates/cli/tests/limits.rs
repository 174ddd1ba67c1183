//! Giant buckets, guards, and what they say.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::{Place, edited, line, prose, text_of};
use onefold_testkit::{Compression, Format, giant_bucket, write_documents};

/// Enough to be hopeless for code that looks at all pairs.
const GIANT: u64 = 100_000;

#[test]
fn a_giant_bucket_near_one_keeper_is_linear_and_named() {
    let place = Place::new();
    write_documents(giant_bucket(GIANT), place.path("a.jsonl"), Format::Jsonl, Compression::None).unwrap();
    let run = place.dedup("a.jsonl --max-removed 1");
    run.counted(GIANT + 1, 1, GIANT, 0);
    assert_eq!(run.count("removed_near"), GIANT);
    let compared = run.count("compared");
    assert!(compared <= 2 * GIANT, "{compared} pairs compared for {GIANT} documents");
    let buckets = run.manifest()["buckets"].clone();
    let buckets = buckets.as_array().expect("buckets in the manifest");
    let largest = buckets.iter().map(|bucket| bucket["size"].as_u64().unwrap()).max().expect("a bucket");
    assert!(largest > GIANT / 4, "{largest}");
    assert!(buckets.iter().all(|bucket| bucket["cut"] == false));
    assert_eq!(text_of(&buckets[0]["first"]["id"]), "d00000000");
    assert_eq!(run.clusters()[0]["size"], GIANT + 1);
}

#[test]
fn a_hundred_thousand_copies_are_linear_too() {
    let place = Place::new();
    let text = prose("alpha", 12);
    let lines: String = (0..GIANT).map(|n| line(&format!("d{n}"), &text)).collect();
    place.write("a.jsonl", lines);
    let run = place.dedup("a.jsonl --max-removed 1");
    run.counted(GIANT, 1, GIANT - 1, 0);
    assert!(run.count("compared") <= GIANT);
}

#[test]
fn a_bucket_over_the_cap_is_cut_and_named() {
    let place = Place::new();
    let lines: String = (0..30).map(|n| line(&format!("d{n}"), &edited("alpha", 200, &[n * 6]))).collect();
    let pair = line("p1", &prose("beta", 100)) + &line("p2", &edited("beta", 100, &[99]));
    place.write("a.jsonl", lines + &pair);
    place.dedup_to("a.jsonl", "free").counted(32, 2, 30, 0);
    let run = place.dedup_to("a.jsonl --max-bucket 5", "cut");
    assert!(run.count("removed") < 30, "{}", run.count("removed"));
    assert!(run.removed_ids().contains(&"p2".to_owned()), "small buckets are looked into");
    let buckets = run.manifest()["buckets"].clone();
    let cut: Vec<_> = buckets.as_array().unwrap().iter().filter(|bucket| bucket["cut"] == true).collect();
    assert!(!cut.is_empty(), "{buckets}");
    assert!(cut.iter().all(|bucket| bucket["size"].as_u64() > Some(5)));
    let run = place.dedup_to("a.jsonl --max-bucket 1000", "wide");
    run.counted(32, 2, 30, 0);
}

#[test]
fn a_file_that_would_nearly_vanish_stops_the_run_before_writing() {
    let place = Place::new();
    let lines = |copies: usize, others: usize| -> String {
        let copies = (0..copies).map(|n| line(&format!("c{n}"), &prose("alpha", 20)));
        let others = (0..others).map(|n| line(&format!("o{n}"), &prose(&format!("t{n}x"), 20)));
        copies.chain(others).collect()
    };
    // 1,000 documents of which 950 would go.
    place.write("a.jsonl", lines(951, 49));
    let ran = place.run("dedup a.jsonl --output out");
    let ran = ran.fails(2, &["a.jsonl", "950", "1000", "--max-removed"]);
    assert!(ran.stderr.contains("hint"), "{}", ran.stderr);
    let left = common::tree(&place.path("out"));
    assert!(left.keys().all(|path| path.starts_with(".onefold")), "{:?}", left.keys());
    place.dedup_to("a.jsonl --max-removed 1", "all").counted(1000, 50, 950, 0);
    place.dedup_to("a.jsonl --max-removed 0.95", "equal").counted(1000, 50, 950, 0);
    place.run("dedup a.jsonl --output other --max-removed 0.94").fails(2, &["0.94"]);
    // 999 documents are too few to judge, and 900 of 1,000 are not more than 0.9.
    place.write("b.jsonl", lines(998, 1));
    place.dedup_to("b.jsonl", "small").counted(999, 2, 997, 0);
    place.write("c.jsonl", lines(901, 99));
    place.dedup_to("c.jsonl", "even").counted(1000, 100, 900, 0);
    // One file among several is enough.
    place.write("in/good.jsonl", lines(1, 3000));
    place.write("in/worse.jsonl", lines(1000, 0));
    place.run("dedup in --output several").fails(2, &["in/worse.jsonl"]);
}

#[test]
fn a_stopped_run_goes_on_when_it_is_told_to() {
    let place = Place::new();
    let lines: String = (0..1200).map(|n| line(&format!("c{n}"), &prose("alpha", 20))).collect();
    place.write("a.jsonl", lines);
    place.run("dedup a.jsonl --output out").fails(2, &["--max-removed"]);
    // The guard is no part of the plan: the work done is used.
    place.run("dedup a.jsonl --output out --max-removed 1 --resume").ok();
    place.finished("out").counted(1200, 1, 1199, 0);
}

#[test]
fn a_share_that_is_none_is_refused() {
    let place = Place::new();
    place.write("b.jsonl", line("a", "words"));
    for wrong in ["-1", "1.5", "x", "nan"] {
        place.run(&format!("dedup b.jsonl --output none --max-removed={wrong}")).fails(2, &["--max-removed"]);
    }
}

#[test]
fn every_bucket_that_is_cut_is_named() {
    let place = Place::new();
    let copies = |group: usize| {
        (0..4).map(move |n| line(&format!("g{group}n{n}"), &edited(&format!("t{group}x"), 60, &[n])))
    };
    place.write("a.jsonl", (0..120).flat_map(copies).collect::<String>());
    let buckets = place.dedup("a.jsonl --max-bucket 3").manifest()["buckets"].clone();
    let cut = buckets.as_array().unwrap().iter().filter(|bucket| bucket["cut"] == true);
    let groups: std::collections::BTreeSet<String> = cut
        .map(|bucket| common::text_of(&bucket["first"]["id"]).split('n').next().unwrap().to_owned())
        .collect();
    assert_eq!(groups.len(), 120);
}

#[test]
fn of_very_many_buckets_that_are_cut_the_largest_are_named_and_the_others_counted() {
    let place = Place::new();
    let copies = |group: usize| {
        let count = if group < 3 { 4 } else { 2 };
        (0..count).map(move |n| line(&format!("g{group}n{n}"), &edited(&format!("t{group}x"), 60, &[n * 15])))
    };
    place.write("a.jsonl", (0..1500).flat_map(copies).collect::<String>());
    let manifest = place.dedup("a.jsonl --max-bucket 1 --threads 2").manifest();
    let buckets = manifest["buckets"].as_array().unwrap().clone();
    assert_eq!(buckets.len(), 1000);
    assert!(buckets.is_sorted_by_key(|bucket| std::cmp::Reverse(bucket["size"].as_u64())));
    assert_eq!(buckets[0]["size"], 4);
    let notes = manifest["notes"].to_string();
    assert!(notes.contains("buckets more than the 1000"), "{notes}");
    let again = place.dedup("a.jsonl --max-bucket 1 --threads 1 --force").manifest();
    assert_eq!((&again["buckets"], &again["notes"]), (&manifest["buckets"], &manifest["notes"]));
}
