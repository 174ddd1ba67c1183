//! What URLs say beside the texts: versions of one page, and pages that archives and pages themselves call one.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::archive::{self, Record, uuid};
use common::{Place, Run, assert_same_output, edited, prose, text_of};

/// Edits that leave of 96 shingles a resemblance of 0.59, of 0.32.
const SOME: [usize; 5] = [10, 30, 50, 70, 90];
const MANY: [usize; 10] = [5, 15, 25, 35, 45, 55, 65, 75, 85, 95];

fn html(head: &str, text: &str) -> String {
    format!("<!DOCTYPE html><html><head>{head}</head><body><p>{text}</p></body></html>")
}

fn page(id: &str, url: &str, text: &str) -> Record {
    Record::response(id, url, &html("", text))
}

/// A page that names another as canonical.
fn naming(id: &str, url: &str, canonical: &str, text: &str) -> Record {
    Record::response(id, url, &html(&format!("<link rel=canonical href='{canonical}'>"), text))
}

fn redirect(id: &str, url: &str, status: u16, to: &str) -> Record {
    let head = format!("HTTP/1.1 {status} Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
    Record::new("response", id)
        .with("WARC-Target-URI", url)
        .with("Content-Type", "application/http; msgtype=response")
        .body(head.into_bytes())
}

fn on(record: Record, date: &str) -> Record {
    record.instead("WARC-Date", &format!("2024-{date}T00:00:00Z"))
}

fn run(place: &Place, records: &[Record], arguments: &str) -> Run {
    place.write("a.warc", archive::bytes_of(records).concat());
    place.dedup(&format!("a.warc --force {arguments}"))
}

fn kept(run: &Run) -> Vec<String> {
    archive::ids(&archive::parse(&run.kept("a.warc")))
}

/// Kind, rule and URL of keeper and document of each line of evidence.
fn evidence(run: &Run) -> Vec<String> {
    let line = |line: serde_json::Value| {
        let rule = line["rule"].as_str().unwrap_or("-").to_owned();
        let (url, keeper) = (text_of(&line["url"]), text_of(&line["keeper"]["url"]));
        format!("{} {rule} {url} {keeper}", text_of(&line["kind"]))
    };
    run.removed().into_iter().map(line).collect()
}

#[test]
fn versions_that_differ_stay_unless_only_the_newest_is_wanted() {
    let place = Place::new();
    let records = [
        on(page("old", "http://example.org/a", &prose("alpha", 100)), "01-01"),
        on(page("new", "HTTP://EXAMPLE.org:80/x/../a#top", &prose("beta", 100)), "03-01"),
        on(page("middle", "http://example.org/a", &edited("beta", 100, &SOME)), "02-01"),
        on(page("other", "http://www.example.org/a", &prose("gamma", 100)), "01-01"),
        on(page("secure", "https://example.org/a", &prose("delta", 100)), "04-01"),
    ];
    assert_eq!(kept(&run(&place, &records, "")), ["old", "new", "middle", "other", "secure"]);
    let newest = run(&place, &records, "--versions newest");
    assert_eq!(kept(&newest), ["new", "other", "secure"]);
    let (old, new) = ("http://example.org/a", "HTTP://EXAMPLE.org:80/x/../a#top");
    assert_eq!(evidence(&newest), [format!("url version {old} {new}"), format!("url version {old} {new}")]);
    assert_eq!((newest.count("removed_url"), newest.count("removed")), (2, 2));
    assert_eq!(newest.manifest()["urls"]["versions"], 2);
    // How alike they are is measured all the same.
    assert_eq!(newest.removed()[0]["similarity"], 0.0);
    assert!(newest.removed()[1]["similarity"].as_f64().unwrap() > 0.5);
    let told = place.run(&format!("explain out {old}")).ok();
    assert!(told.text().contains("one page by its URL"), "{}", told.text());
    assert!(told.text().contains("version: the keeper stands for a newer version"), "{}", told.text());
}

#[test]
fn what_has_no_url_or_text_or_success_is_no_version() {
    let place = Place::new();
    let url = "http://example.org/a";
    let missing = |id: &str, date| {
        let record = page(id, url, &prose("missing", 100));
        let body = String::from_utf8(record.body.clone()).unwrap().replace("200 OK", "404 Not Found");
        on(record.body(body.into_bytes()), date)
    };
    let nameless = |id: &str, topic| {
        let mut record = page(id, url, &prose(topic, 100));
        record.fields.retain(|(name, _)| name != "WARC-Target-URI");
        record
    };
    let records = [
        on(page("first", url, &prose("alpha", 100)), "01-01"),
        on(page("same-day", url, &prose("beta", 100)), "01-01"),
        missing("gone", "05-01"),
        on(page("empty", url, "…"), "06-01"),
        nameless("one", "gamma"),
        nameless("two", "delta"),
    ];
    let run = run(&place, &records, "--versions newest");
    assert_eq!(kept(&run), ["first", "gone", "empty", "one", "two"]);
}

#[test]
fn an_older_version_goes_to_whom_its_newest_went() {
    let place = Place::new();
    let records = [
        page("mirror", "http://mirror.example/a", &prose("alpha", 100)),
        on(page("old", "http://example.org/a", &prose("beta", 100)), "01-01"),
        on(page("new", "http://example.org/a", &prose("alpha", 100)), "02-01"),
        // The text of the old version lives on where it stands alone.
        page("copy", "http://copy.example/a", &prose("beta", 100)),
    ];
    let run = run(&place, &records, "--versions newest");
    assert_eq!(kept(&run), ["mirror", "copy"]);
    assert_eq!(
        evidence(&run),
        [
            "url version http://example.org/a http://mirror.example/a",
            "exact - http://example.org/a http://mirror.example/a",
        ]
    );
    assert_eq!(run.clusters().len(), 1);
}

#[test]
fn versions_work_on_json_lines_and_with_equal_texts_alone() {
    let place = Place::new();
    let line = |id: &str, url: &str, date: &str, topic: &str| {
        let text = prose(topic, 50);
        format!("{}\n", serde_json::json!({"id": id, "url": url, "date": date, "text": text}))
    };
    let lines = [
        line("a", "http://x.example/?b=1", "2020", "alpha"),
        line("b", "http://x.example/?b=1", "2021-05-05", "beta"),
        line("c", "http://x.example/?b=2", "2020", "gamma"),
        line("d", "http://x.example/?b=1", "", "delta"),
    ];
    place.write("a.jsonl", lines.concat());
    let run = place.dedup("a.jsonl --versions newest --method exact");
    assert_eq!(run.kept_ids("a.jsonl"), ["b", "c"]);
    assert_eq!(run.count("removed_url"), 2);
}

#[test]
fn canonical_links_count_where_the_texts_agree_and_the_site_is_one() {
    let place = Place::new();
    let (main, some, many) = (prose("alpha", 100), edited("alpha", 100, &SOME), edited("alpha", 100, &MANY));
    let records = [
        page("main", "https://example.org/a", &main),
        naming("print", "http://www.example.org/a?print=1", "https://example.org/a", &some),
        // Says so, but reads otherwise.
        naming("liar", "https://example.org/b", "/a", &many),
        naming(
            "stranger",
            "https://example.net/a",
            "https://example.org/a",
            &edited("alpha", 100, &[7, 27, 47, 67, 87]),
        ),
        // No claim, no tie.
        page("silent", "http://example.org/a", &edited("alpha", 100, &[9, 29, 49, 69, 89])),
    ];
    for content in ["main", "plateau", "all"] {
        let run = run(&place, &records, &format!("--content {content}"));
        assert_eq!(kept(&run), ["main", "liar", "stranger", "silent"], "{content}");
        assert_eq!(
            evidence(&run),
            ["url canonical http://www.example.org/a?print=1 https://example.org/a"],
            "{content}"
        );
    }
    let manifest = place.finished("out").manifest();
    assert_eq!(manifest["urls"]["canonicals"], 2);
    assert_eq!((&manifest["urls"]["groups"], &manifest["urls"]["agreed"]), (&1.into(), &1.into()));
    let looser = run(&place, &records, "--url-threshold 0.3");
    assert_eq!(kept(&looser), ["main", "stranger", "silent"]);
    assert_eq!(kept(&run(&place, &records, "--url-threshold 0.9")).len(), 5);
    let told = place.run("explain out http://www.example.org/a?print=1").ok();
    assert!(told.text().contains("kept"), "{}", told.text());
}

#[test]
fn redirects_and_revisits_tie_pages_over_several_steps() {
    let place = Place::new();
    let variant = |from: usize| {
        let places: Vec<usize> = (0..5).map(|step| from + 20 * step).collect();
        edited("alpha", 100, &places)
    };
    let revisit = |id: &str, url: &str| {
        Record::new("revisit", id)
            .with("WARC-Target-URI", url)
            .with("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest")
    };
    let records = [
        page("target", "https://www.example.org/", &prose("alpha", 100)),
        redirect("r1", "http://example.org/", 301, "http://example.org/home"),
        redirect("r2", "http://example.org/home", 302, "//www.example.org/"),
        redirect("r3", "http://www.example.org/", 308, "https://www.example.org/"),
        page("start", "http://example.org/", &variant(3)),
        revisit("v1", "http://again.example/").with("WARC-Refers-To-Target-URI", "https://www.example.org/"),
        page("again", "http://again.example/", &variant(8)),
        revisit("v2", "http://byid.example/").with("WARC-Refers-To", &uuid("target")),
        page("by-id", "http://byid.example/", &variant(13)),
        // Not modified: it leads nowhere.
        redirect("r4", "http://else.example/", 304, "https://www.example.org/"),
        page("else", "http://else.example/", &variant(17)),
    ];
    let run = run(&place, &records, "");
    let target = "https://www.example.org/";
    assert_eq!(
        evidence(&run),
        [
            format!("url redirect http://example.org/ {target}"),
            format!("url revisit http://again.example/ {target}"),
            format!("url revisit http://byid.example/ {target}"),
        ]
    );
    assert_eq!(kept(&run), ["target", "r1", "r2", "r3", "v1", "v2", "r4", "else"]);
    assert_eq!(run.manifest()["urls"]["redirects"], 3);
    assert_eq!([run.count("read"), run.count("kept"), run.count("removed_url")], [5, 2, 3]);
    let told = place.run("explain out http://example.org/").ok();
    assert!(told.text().contains("redirect: one leads to the other"), "{}", told.text());
    assert!(told.text().contains("tied by URLs and a resemblance of at least 0.5"), "{}", told.text());
}

#[test]
fn a_tie_of_near_duplicates_is_told_beside_their_likeness() {
    let place = Place::new();
    let records = [
        page("a", "http://example.org/a", &prose("alpha", 100)),
        naming("b", "http://example.org/b", "a", &edited("alpha", 100, &[99])),
        naming("c", "http://example.org/c", "a", &prose("alpha", 100)),
    ];
    let run = run(&place, &records, "");
    assert_eq!(
        evidence(&run),
        [
            "near canonical http://example.org/b http://example.org/a",
            "exact - http://example.org/c http://example.org/a",
        ]
    );
}

#[test]
fn a_tie_is_no_verdict_whatever_the_method() {
    let place = Place::new();
    let records = [
        page("main", "https://example.org/a", &prose("alpha", 100)),
        naming("print", "https://example.org/p", "/a", &edited("alpha", 100, &SOME)),
        naming("liar", "https://example.org/b", "/a", &prose("beta", 100)),
    ];
    for method in [
        "--verify none",
        "--verify sketch:100/128",
        "--verify edit:0.99",
        "--method simhash --verify none",
        "--method combined",
        "--method join",
        "--containment 0.95",
        "--cluster components",
        "--within site",
    ] {
        let run = run(&place, &records, method);
        assert_eq!(kept(&run), ["main", "liar"], "{method}");
        assert_eq!(run.removed()[0]["rule"], "canonical", "{method}");
    }
    assert_eq!(kept(&run(&place, &records, "--method exact")).len(), 3);
    place.run("dedup a.warc --method exact --url-threshold 0.4 --output x").fails(2, &["--url-threshold"]);
    place.run("dedup a.warc --url-threshold 0 --output x").fails(2, &["--url-threshold"]);
}

#[test]
fn ties_and_versions_do_not_depend_on_threads_or_memory() {
    let place = Place::new();
    let mut records = Vec::new();
    for number in 0..60 {
        let (topic, url) = (format!("topic{}", number % 7), format!("http://site{}.example/", number % 7));
        let text = edited(&topic, 100, &[number % 19, 50 + number % 23]);
        let (own, hub) = (format!("{url}{}", number % 5), format!("{url}hub{}", number % 3));
        records.push(on(
            naming(&format!("d{number}"), &own, &hub, &text),
            &format!("01-{:02}", 1 + number % 28),
        ));
        records.push(redirect(&format!("r{number}"), &own, 301, &format!("{url}{}", number % 3)));
    }
    place.write("a.warc", archive::bytes_of(&records).concat());
    place.dedup_to("a.warc --versions newest --threads 1", "one");
    place.dedup_to("a.warc --versions newest --threads 8 --memory 128MiB", "many");
    assert_same_output(&place.path("one"), &place.path("many"));
    let run = place.finished("one");
    assert!(run.manifest()["urls"]["versions"].as_u64().unwrap() > 0);
    assert!(run.manifest()["urls"]["agreed"].as_u64().unwrap() > 0, "{}", run.manifest()["urls"]);
}
