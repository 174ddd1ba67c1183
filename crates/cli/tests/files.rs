//! Files that are not HTML: their text is compared, what has none is skipped, what is damaged is counted.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use common::archive::Record;
use common::{Place, Run, prose, text_of};
use serde_json::json;

/// A real file of the tests of the page crate.
fn file(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../page/tests/data/files").join(name);
    fs_err::read(path).unwrap()
}

/// A response with this type and body.
fn fetched(id: &str, content_type: &str, body: &[u8]) -> Record {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n", body.len());
    Record::response(id, &format!("http://x/{id}"), "").body([head.as_bytes(), body].concat())
}

fn pages(run: &Run) -> serde_json::Value {
    run.manifest()["pages"].clone()
}

const IMAGE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0";

/// All formats, a picture, a script, damaged files and pages of the deep web.
fn crawl() -> Vec<Record> {
    let pdf = file("story.pdf");
    let words = prose("story", 80);
    vec![
        Record::warcinfo(),
        fetched("pdf", "application/pdf", &pdf),
        fetched("pdf-again", "text/html", &pdf),
        fetched("doc", "application/octet-stream", &file("story.doc")),
        fetched("rtf", "application/rtf", &file("story.rtf")),
        fetched("xls", "application/vnd.ms-excel", &file("ships.xls")),
        fetched("docx", "application/zip", &file("par-hyperlinks.docx")),
        fetched("image", "text/html", IMAGE),
        fetched("script", "text/javascript", b"var words = 'of a program';"),
        fetched("style", "text/css", b"p { color: red }"),
        fetched("cut", "application/pdf", b"%PDF-1.4 and nothing else"),
        fetched("text", "application/octet-stream", words.as_bytes()),
        fetched("app", "text/html", b"<title>Shop</title><div id=root></div><script src=app.js></script>"),
        fetched("app2", "text/html", b"<title>Shop</title><div id=root></div><script src=app.js></script>"),
        fetched("login", "text/html", b"<form>Name <input type=email> <input type=password> Sign in</form>"),
        fetched(
            "bytes",
            "text/html; charset=utf-8",
            &[b"<p>caf\xe9 ".as_slice(), prose("bytes", 80).as_bytes()].concat(),
        ),
    ]
}

fn warc(records: &[Record]) -> Vec<u8> {
    records.iter().flat_map(Record::bytes).collect()
}

#[test]
fn files_of_a_crawl_are_compared_skipped_and_counted() {
    let place = Place::new();
    place.write("in.warc", warc(&crawl()));
    let run = place.dedup("in.warc --threshold 0.7");
    // The same text as PDF, DOC and RTF; headers lie about two of them.
    let mut removed = run.removed_ids();
    removed.sort();
    assert_eq!(removed, ["http://x/doc", "http://x/pdf-again", "http://x/rtf"]);
    run.counted(12, 8, 3, 1);
    assert_eq!((run.count("empty"), run.count("passed")), (3, 4));
    assert_eq!(
        pages(&run),
        json!({
            "types": {"doc": 1, "docx": 1, "html": 4, "pdf": 2, "rtf": 1, "text": 1, "xls": 1},
            "skipped": {"image": 1, "script": 2},
            "needs": {"login": 1, "script": 2},
            "fallback": 1,
            "replaced": 1,
        })
    );
    assert_eq!(text_of(&run.bad()[0]["kind"]), "file");
    assert!(text_of(&run.bad()[0]["message"]).contains("damaged pdf file"));
    let needs = String::from_utf8(run.bytes("needs.jsonl")).unwrap();
    let needs: Vec<serde_json::Value> =
        needs.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let listed: Vec<String> =
        needs.iter().map(|line| format!("{} {}", text_of(&line["id"]), text_of(&line["needs"]))).collect();
    assert_eq!(listed, ["http://x/app script", "http://x/app2 script", "http://x/login login"]);
    assert!(run.stderr.contains("skipped") && run.stderr.contains("see needs.jsonl"), "{}", run.stderr);
    // What was skipped passes through.
    let kept = run.kept("in.warc");
    assert!(
        memchr_find(&kept, IMAGE)
            && memchr_find(&kept, b"of a program")
            && !memchr_find(&kept, b"nothing else")
    );
}

fn memchr_find(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[test]
fn needs_come_as_parquet_too_and_whatever_is_taken_of_a_page() {
    let place = Place::new();
    place.write("in.warc", warc(&crawl()));
    for content in ["main", "plateau", "all"] {
        let run = place.dedup_to(&format!("in.warc --content {content} --evidence parquet"), content);
        assert_eq!(pages(&run)["needs"], json!({"login": 1, "script": 2}), "{content}");
        assert_eq!(common::table::rows(&run.bytes("needs.parquet")).len(), 3);
    }
}

#[test]
fn files_of_a_folder_are_compared_and_those_without_text_pass() {
    let place = Place::new();
    place.write("in/a.pdf", file("story.pdf"));
    place.write("in/b.doc", file("story.doc"));
    place.write("in/c.png", IMAGE);
    place.write("in/d.bin", [0u8, 1, 2, 3].repeat(99));
    place.write("in/e.epub", file("story.epub"));
    place.write(
        "in/feed.xml",
        b"<?xml version='1.0'?><rss><item><title>News of the harbour</title></item></rss>",
    );
    place.write("in/f.rtf", b"{\\rtf1 A short note on ships.}");
    let run = place.dedup("in --threshold 0.7 --max-removed 1");
    run.counted(6, 3, 2, 1);
    assert_eq!(run.bad_kinds(), ["unrecognised"]);
    assert_eq!(pages(&run)["types"], json!({"doc": 1, "epub": 1, "pdf": 1, "rtf": 1, "xml": 1}));
    assert_eq!(pages(&run)["skipped"], json!({"image": 1}));
    assert_eq!(run.kept("c.png"), IMAGE);
    assert_eq!(run.kept("a.pdf"), file("story.pdf"));
    assert!(!run.folder.join("kept/b.doc").exists() && !run.folder.join("kept/d.bin").exists());
    assert_eq!(place.run("extract in/feed.xml").ok().text(), "News of the harbour\n");
    let listed = place.run("pairs in --threshold 0.7").ok();
    assert!(listed.text().contains("b.doc"), "{}", listed.text());
}

#[test]
fn extract_reads_files_and_says_what_it_skipped() {
    let place = Place::new();
    place.write("in.warc", warc(&crawl()));
    let ran = place.run("extract --as json in.warc").ok();
    let lines = ran.json();
    assert_eq!(lines.len(), 11);
    assert!(text_of(&lines[0]["text"]).starts_with("The lighthouse at Nørre Vorupør\n"));
    assert_eq!(text_of(&lines[0]["title"]), "The lighthouse");
    assert!(ran.stderr.contains("skipped 1 image, 2 script"), "{}", ran.stderr);
    assert!(ran.stderr.contains("damaged pdf file: no page found"), "{}", ran.stderr);
}

#[test]
fn threads_do_not_change_what_files_come_to() {
    let place = Place::new();
    place.write("in.warc", warc(&crawl()));
    let one = place.dedup_to("in.warc --threads 1", "one");
    let many = place.dedup_to("in.warc --threads 4", "many");
    for name in ["removed.jsonl", "needs.jsonl", "bad.jsonl", "kept/in.warc"] {
        assert_eq!(one.bytes(name), many.bytes(name), "{name}");
    }
    assert_eq!(pages(&one), pages(&many));
}
