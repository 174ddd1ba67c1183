//! Runs that become indexes, and what such indexes go together with.
#![allow(clippy::unwrap_used, reason = "a test fails by them")]

mod common;

use common::archive::{self, Record};
use common::{Place, edited, line, prose, text_of};
use serde_json::{Value, json};

/// Edits that leave of 96 shingles a resemblance of 0.59.
const SOME: [usize; 5] = [10, 30, 50, 70, 90];

fn naming(id: &str, url: &str, canonical: &str, text: &str) -> Record {
    let head = format!("<link rel=canonical href='{canonical}'>");
    Record::response(id, url, &format!("<html><head>{head}</head><body><p>{text}</p></body></html>"))
}

#[test]
fn pages_that_are_one_by_their_urls_are_members() {
    let place = Place::new();
    let canonical = "http://example.org/a";
    // The page that is kept comes last.
    let records = [
        naming("print", "http://example.org/a/print", canonical, &edited("alpha", 100, &SOME)),
        naming("other", "http://example.org/b", "http://example.org/b", &prose("beta", 100)),
        naming("whole", canonical, canonical, &prose("alpha", 100)),
    ];
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc");
    let removed = run.removed();
    assert_eq!(removed.len(), 1);
    assert_eq!(removed[0]["kind"], "url");
    let summary = place.run("index import pages out").ok().json();
    assert_eq!((&summary[0]["keepers"], &summary[0]["members"]), (&json!(2), &json!(1)));
    place.run("index verify pages").ok();
    let stored = place.run(&format!("index get pages {}", text_of(&removed[0]["id"]))).ok().json();
    assert_eq!(stored[0]["keeper"], removed[0]["keeper"]["id"]);
    assert_eq!(stored[0]["similarity"], removed[0]["similarity"]);
    // The order of arrival is that of the input, though the keeper comes last.
    let numbers: Vec<u64> = place
        .run("index export pages")
        .ok()
        .json()
        .iter()
        .map(|line| line["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [0, 1, 2]);
}

#[test]
fn versions_of_a_page_are_members_of_the_newest() {
    let place = Place::new();
    let page = |id: &str, text: &str, date: &str| {
        Record::response(id, "http://example.org/a", &format!("<html><body><p>{text}</p></body></html>"))
            .instead("WARC-Date", &format!("2024-{date}T00:00:00Z"))
    };
    let records = [page("old", &prose("alpha", 100), "01-01"), page("new", &prose("beta", 100), "02-01")];
    place.write("a.warc", archive::bytes_of(&records).concat());
    place.dedup("a.warc --versions newest");
    let summary = place.run("index import pages out").ok().json();
    assert_eq!((&summary[0]["keepers"], &summary[0]["members"]), (&json!(1), &json!(1)));
    place.run("index verify pages").ok();
}

#[test]
fn an_imported_index_goes_into_a_created_one() {
    let place = Place::new();
    place.write("old.jsonl", line("a", &prose("alpha", 60)) + &line("b", &prose("beta", 60)));
    place.write("new.jsonl", line("c", &edited("alpha", 60, &[50])) + &line("d", &prose("delta", 60)));
    place.run("index create seen").ok();
    place.run("index add seen old.jsonl").ok();
    place.dedup("new.jsonl --keep longest --id-field id");
    place.run("index import fresh out").ok();
    assert_eq!(place.run("index merge seen fresh").ok().json(), [json!({"new": 1, "documents": 4})]);
    assert_eq!(place.run("index get seen c").ok().json()[0]["keeper"], "a");
    place.run("index merge seen seen").fails(2, &["not merged into itself"]);
    place.run("index create finer --threshold 0.7").ok();
    place.run("index merge finer fresh").fails(2, &["threshold is 0.7 in the index and 0.8 here"]);
}

#[test]
fn texts_are_stored_and_told_on_request() {
    let place = Place::new();
    let text = prose("alpha", 60);
    place.write("pages.jsonl", line("a", &text));
    place.dedup("pages.jsonl");
    place.run("index import pages out --store text").ok();
    let brief = place.run("index get pages a").ok().json().remove(0);
    assert_eq!((&brief["text"], &brief["shingle_set"]), (&Value::Null, &Value::Null));
    let full = place.run("index get pages a --full").ok().json().remove(0);
    assert_eq!(full["text"], text);
    assert_eq!(full["shingle_set"].as_array().unwrap().len() as u64, brief["shingles"].as_u64().unwrap());
    assert_eq!(full["signature"].as_str().unwrap().len(), 2 * 128);
    assert_eq!(place.run("index export pages --full").ok().json(), [full]);
    let stats = place.run("index stats pages").ok();
    assert!(stats.text().contains("minhash at 0.8; shingle sets stored; texts stored"), "{}", stats.text());
}

#[test]
fn spikes_are_named_by_how_their_texts_begin() {
    let place = Place::new();
    let error = format!("Page not found {}", prose("sorry", 60));
    let mut lines: String = (0..8).map(|n| line(&format!("err{n}"), &error)).collect();
    lines += &line("blank", "");
    place.write("pages.jsonl", lines);
    place.run("index create pages --distance 3 --store text").ok();
    place.run("index add pages pages.jsonl").ok();
    place.run("index pictures pages --output drawn").ok();
    let table = fs_err::read_to_string(place.path("drawn/spikes.tsv")).unwrap();
    assert!(table.contains("\t1\t\t1\tempty pages\t\n"), "{table}");
    assert!(table.contains("\terr0\tPage not found "), "{table}");
    let drawn = fs_err::read_to_string(place.path("drawn/buckets.svg")).unwrap();
    assert!(drawn.contains("8 like Page not found"), "{drawn}");
}

#[test]
fn what_an_import_would_destroy_is_left() {
    let place = Place::new();
    place.write("pages.jsonl", line("a", &prose("alpha", 60)));
    place.dedup("pages.jsonl");
    for name in ["thesis.txt", "thesis.new"] {
        let file = place.path("pages.importing").join(name);
        place.write(format!("pages.importing/{name}"), "years of work");
        place.run("index import pages out").fails(2, &["pages.importing", "already holds something"]);
        assert_eq!(fs_err::read(&file).unwrap(), b"years of work");
        fs_err::remove_file(file).unwrap();
    }
    place.run("index import pages out").ok();
}

#[test]
fn an_emptied_store_is_no_new_one() {
    let place = Place::new();
    place.write("pages.jsonl", line("a", &prose("alpha", 60)));
    place.run("index create seen").ok();
    place.run("index add seen pages.jsonl").ok();
    place.write("seen/store.redb", "");
    for verb in ["stats seen", "add seen pages.jsonl"] {
        place.run(&format!("index {verb}")).fails(2, &["store.redb", "empty, and no store"]);
    }
    assert_eq!(fs_err::metadata(place.path("seen/store.redb")).unwrap().len(), 0);
}

#[test]
fn what_an_index_does_not_go_by_is_refused() {
    let place = Place::new();
    place.write("pages.jsonl", line("a", &prose("alpha", 60)));
    place.run("index create no --templates").fails(2, &["--templates is for batch runs"]);
    place.dedup("pages.jsonl --templates");
    place.run("index import no out").fails(2, &["--templates is for batch runs"]);
    place.run("index create seen").ok();
    place
        .run("dedup pages.jsonl --against seen --templates --output no")
        .fails(2, &["another plan", "templates"]);
    place
        .run("index create no --distance 3 --method minhash")
        .fails(2, &["--distance goes with --method simhash"]);
    place.run("index create no --distance 3 --threshold 0.5").fails(2, &["--threshold"]);
    assert!(!place.path("no").exists());
    place.run("index create words --distance 3 --features word:1").ok();
    for verb in ["remove", "touch", "get"] {
        place.run(&format!("index {verb} seen nobody")).fails(1, &[]);
    }
}
