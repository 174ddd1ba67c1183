//! `--templates`: what recurs on most pages of a site does not make them alike.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::archive::{self, Record};
use common::{Place, assert_same_output, edited, prose, rounded};

/// Long notices that stand among the words of every page, where no extractor can tell them from content.
fn page(host: &str, number: usize, text: &str) -> Record {
    let notice = |topic: &str| format!("<p>{}</p>", prose(&format!("{}{topic}", host.replace('.', "")), 120));
    let html = format!(
        "<!DOCTYPE html><html><body><article>{}<p>{text}</p>{}{}</article></body></html>",
        notice("warranty"),
        notice("delivery"),
        notice("returns")
    );
    Record::response(
        &format!("{}{number}", host.replace('.', "")),
        &format!("http://{host}/p{number}"),
        &html,
    )
}

fn shop(host: &str, pages: usize) -> Vec<Record> {
    let text = |number: usize| prose(&format!("{}item{number}", host.replace('.', "")), 30);
    let mut records: Vec<Record> = (0..pages).map(|number| page(host, number, &text(number))).collect();
    // The same item again, with a word changed.
    records.push(page(host, 100, &text(0)));
    let almost = edited(&format!("{}item1", host.replace('.', "")), 30, &[29]);
    records.push(page(host, 101, &almost));
    records
}

#[test]
fn pages_of_one_template_are_told_apart_and_their_copies_found() {
    let place = Place::new();
    place.write("a.warc", archive::bytes_of(&shop("shop.example", 12)).concat());
    let without = place.dedup_to("a.warc --max-removed 1", "without");
    assert_eq!(without.count("kept"), 1, "the template makes them alike");
    let with = place.dedup_to("a.warc --templates", "with");
    let removed: Vec<_> = with.removed().iter().map(|line| line["url"].to_string()).collect();
    assert_eq!(removed, ["\"http://shop.example/p100\"", "\"http://shop.example/p101\""]);
    assert_eq!(with.manifest()["notes"][0], "3 lines of 1 sites are template");
    let told = place.run("explain with http://shop.example/p101").ok();
    assert!(told.text().contains("lines on more than 0.1 of a site's pages"), "{}", told.text());
    assert!(told.text().contains("0.9259: 25 shingles shared of 26 here"), "{}", told.text());
    // What is template is learned anew, and in no passage.
    let told = &place.run("explain with http://shop.example/p101 --json").ok().json()[0];
    assert_eq!(rounded(&told["measured"]["similarity"]), rounded(&with.removed()[1]["similarity"]));
    let words = |side: &str| -> usize {
        let of_side = told["passages"].as_array().unwrap().iter().filter(|passage| passage["side"] == side);
        of_side.map(|passage| passage["text"].as_str().unwrap().split(' ').count()).sum()
    };
    assert_eq!((words("shared"), words("document"), words("keeper")), (29, 1, 1), "{told}");
    let pairs = place.run("pairs a.warc --templates --quiet").ok();
    assert_eq!(pairs.text().lines().count(), 3, "{}", pairs.text());
}

#[test]
fn small_sites_have_no_template_and_another_sites_does_not_count() {
    let place = Place::new();
    let mut records = shop("small.example", 4);
    records.extend(shop("large.example", 12));
    // One page of another site that quotes the large one's notice.
    records.push(page("large.example", 7, "quoted").instead("WARC-Target-URI", "http://quote.example/"));
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc --templates --max-removed 1");
    let kept = archive::ids(&archive::parse(&run.kept("a.warc")));
    assert_eq!(kept.iter().filter(|id| id.starts_with("small")).count(), 1);
    assert_eq!(kept.iter().filter(|id| id.starts_with("large")).count(), 13, "{kept:?}");
}

#[test]
fn what_is_template_depends_on_neither_threads_nor_memory() {
    let place = Place::new();
    let records: Vec<Record> =
        (0..6).flat_map(|site| shop(&format!("site{site}.example"), 10 + site)).collect();
    place.write("a.warc", archive::bytes_of(&records).concat());
    place.dedup_to("a.warc --templates=0.4 --threads 1 --memory 100MiB", "one");
    place.dedup_to("a.warc --templates=0.4 --threads 4 --memory 1GiB", "many");
    assert_same_output(&place.path("one"), &place.path("many"));
    assert_eq!(place.finished("one").count("removed"), 12);
}

#[test]
fn the_flag_says_what_it_goes_with() {
    let place = Place::new();
    place.write("a.jsonl", common::four_documents());
    place.run("dedup a.jsonl --templates --content all --output x").fails(2, &["--content main"]);
    place.run("dedup a.jsonl --templates=1.5 --output x").fails(2, &["--templates"]);
    place.run("dedup a.jsonl --templates --unit paragraph --output x").fails(2, &["--templates"]);
}
