//! `onefold url learn`: what never changes a page is learned from a run, what does is not, and the rules are used.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::archive::{self, Record};
use common::{Place, edited, prose};
use serde_json::Value;

fn page(url: &str, text: &str) -> Record {
    let html = format!("<!DOCTYPE html><html><body><p>{text}</p></body></html>");
    Record::response(&url.replace(|c: char| !c.is_alphanumeric(), "-"), url, &html)
}

/// A site with session ids, print views and index files that show the same page, and orders that do not.
fn site(host: &str) -> Vec<Record> {
    let mut records = Vec::new();
    for number in 0..5 {
        let text = prose(&format!("{}article{number}", host.replace('.', "")), 100);
        let list = |order: usize| edited(&format!("{}list{number}", host.replace('.', "")), 100, &[order; 1]);
        for visit in 0..3 {
            records.push(page(&format!("http://{host}/a{number}.php?visit={visit}{number}"), &text));
        }
        records.push(page(&format!("http://{host}/a{number}.php"), &text));
        records.push(page(&format!("http://{host}/print/a{number}.php"), &text));
        records.push(page(&format!("http://{host}/d{number}/"), &format!("{text} of a folder")));
        records.push(page(&format!("http://{host}/d{number}/index.php"), &format!("{text} of a folder")));
        for order in ["name", "price", "date"] {
            let words: Vec<String> = list(0).split(' ').map(|word| format!("{word}{order}")).collect();
            records.push(page(&format!("http://{host}/list{number}?sort={order}"), &words.join(" ")));
        }
    }
    records
}

fn learned(place: &Place, arguments: &str) -> Value {
    serde_json::from_str(place.run(&format!("url learn out {arguments}")).ok().text()).unwrap()
}

fn rules(file: &Value) -> Vec<String> {
    let rule = |rule: &Value| {
        let (host, kind) = (rule["host"].as_str().unwrap(), rule["kind"].as_str().unwrap());
        format!("{host} {kind} {} {}/{}", rule["text"].as_str().unwrap(), rule["support"], rule["refuted"])
    };
    file["rules"].as_array().unwrap().iter().map(rule).collect()
}

#[test]
fn what_never_changes_a_page_is_learned_with_its_support() {
    let place = Place::new();
    place.write("a.warc", archive::bytes_of(&site("www.shop.example")).concat());
    place.dedup("a.warc");
    let file = learned(&place, "");
    assert_eq!(
        rules(&file),
        [
            "example,shop parameter visit 5/0",
            "example,shop substring /print 5/0",
            "example,shop suffix /index.php 5/0",
        ]
    );
    assert_eq!((&file["version"], &file["keys"], &file["unstable"]), (&1.into(), &50.into(), &0.into()));
    assert_eq!(file["rules"][0]["confidence"], 1.0);
    assert!(rules(&learned(&place, "--min-support 6")).is_empty());
    place.write("rules.json", file.to_string());
    let url = "url --url-rules rules.json --key http://shop.example/print/x.php?visit=9&b=1 \
               http://shop.example/a/index.php http://else.example/x?visit=9 http://shop.example/list?sort=a";
    assert_eq!(
        place.run(url).ok().text(),
        "example,shop)/x.php?b=1\nexample,shop)/a\nexample,else)/x?visit=9\nexample,shop)/list?sort=a\n"
    );
    // What is fetched never follows a rule.
    place.run("url --url-rules rules.json --canonical http://shop.example/").fails(2, &["--url-rules"]);
}

#[test]
fn different_contents_refute_a_rule_and_a_page_of_one_text_proves_none() {
    let place = Place::new();
    let mut records = site("a.example");
    for number in 0..2 {
        for visit in 0..2 {
            let text = prose(&format!("own{number}x{visit}"), 60);
            records.push(page(&format!("http://a.example/own{number}?visit={visit}"), &text));
        }
    }
    // Whatever is asked, the answer is the same.
    for number in 0..10 {
        for visit in 0..2 {
            let text = prose("sorry", 60);
            records.push(page(&format!("http://b.example/x{number}?id={visit}"), &text));
        }
    }
    place.write("a.warc", archive::bytes_of(&records).concat());
    place.dedup("a.warc");
    let found = rules(&learned(&place, ""));
    assert!(!found.iter().any(|rule| rule.contains("visit") || rule.contains("b.example")), "{found:?}");
    let lenient = rules(&learned(&place, "--min-confidence 0.7"));
    assert!(lenient.contains(&"example,a parameter visit 5/2".to_owned()), "{lenient:?}");
}

#[test]
fn rules_tie_documents_of_one_key_whose_texts_agree() {
    let place = Place::new();
    place.write("a.warc", archive::bytes_of(&site("shop.example")).concat());
    place.dedup("a.warc");
    place.write("rules.json", learned(&place, "").to_string());
    let base = prose("fresh", 100);
    let some = edited("fresh", 100, &[10, 30, 50, 70, 90]);
    let records = [
        page("http://shop.example/fresh?visit=77", &base),
        page("http://shop.example/fresh?visit=78", &some),
        // Another scheme, another content, another host.
        page("https://shop.example/fresh?visit=79", &edited("fresh", 100, &[3, 23, 43, 63, 83])),
        page("http://shop.example/fresh?visit=80", &prose("other", 100)),
        page("http://else.example/fresh?visit=81", &edited("fresh", 100, &[7, 27, 47, 67, 87])),
    ];
    place.write("b.warc", archive::bytes_of(&records).concat());
    assert_eq!(place.dedup_to("b.warc", "without").count("removed"), 0);
    let run = place.dedup_to("b.warc --url-rules rules.json", "with");
    let lines = run.removed();
    assert_eq!(lines.len(), 1);
    assert_eq!((&lines[0]["kind"], &lines[0]["rule"]), (&"url".into(), &"key".into()));
    assert_eq!(lines[0]["url"], "http://shop.example/fresh?visit=78");
    assert!(run.manifest()["plan"]["urls"]["rules"].is_string());
    // A run that a rule decided does not prove the rule.
    let again = place.run("url learn with --min-support 1").ok();
    assert!(!again.text().contains("visit"), "{}", again.text());
}

#[test]
fn a_file_that_holds_no_rules_and_a_folder_that_is_no_run_are_named() {
    let place = Place::new();
    place.write("a.jsonl", common::four_documents());
    place.write("rules.json", "{}");
    place.run("dedup a.jsonl --url-rules rules.json --output x").fails(2, &["rules.json", "URL rules"]);
    place.write(
        "rules.json",
        r#"{"version":9,"keys":0,"unstable":0,"min_support":1,"min_confidence":1,"rules":[]}"#,
    );
    place.run("url --key --url-rules rules.json http://a.example").fails(2, &["version 1", "found 9"]);
    place.run("url learn nowhere").fails(2, &["nowhere"]);
    place.dedup("a.jsonl --annotate");
    place.run("url learn out").fails(2, &["--annotate"]);
}
