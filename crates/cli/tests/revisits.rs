//! Revisits tell the truth: what they say of a payload holds for the one they refer to, which is shown behind their header.
#![allow(clippy::unwrap_used, reason = "a test fails by them")]

mod common;

use common::archive::{self, Record, html, uuid};
use common::warcio::Warcio;
use common::{Place, compressed, edited, prose};

const IDENTICAL: &str = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest";

/// A page fetched with this header, without a digest that a checker would find wrong.
fn fetched(id: &str, head: &str, body: &[u8]) -> Record {
    Record::new("response", id)
        .with("WARC-Target-URI", &format!("http://x/{id}"))
        .with("Content-Type", "application/http; msgtype=response")
        .body([format!("HTTP/1.1 200 OK\r\n{head}\r\n").as_bytes(), body].concat())
}

fn plain(id: &str, page: &str) -> Record {
    let head = format!(
        "Date: Wed, 01 May 2024 00:00:01 GMT\r\nContent-Type: text/html; charset=utf-8\r\n\
         ETag: \"keeper\"\r\nContent-Length: {}\r\n",
        page.len()
    );
    fetched(id, &head, page.as_bytes())
}

/// The body in two chunks.
fn chunks(body: &[u8]) -> Vec<u8> {
    let (first, second) = body.split_at(body.len() / 2);
    let chunk = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    [chunk(first), chunk(second), b"0\r\n\r\n".to_vec()].concat()
}

const CODED: &str = "Server: test\r\nContent-Type: text/html;\r\n  charset=iso-8859-1\r\nContent-Encoding: gzip\r\n\
                     Transfer-Encoding: chunked\r\nETag: \"duplicate\"\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n";

fn coded(id: &str, page: &str) -> Record {
    fetched(id, CODED, &chunks(&compressed::gzip(page.as_bytes())))
}

/// Lines of the HTTP header that a record holds and nothing else.
fn head(record: &Record) -> Vec<String> {
    let text = String::from_utf8(record.body.clone()).unwrap();
    let lines = text.strip_suffix("\r\n\r\n").expect("a header ends in a blank line, and nothing follows");
    lines.split("\r\n").map(str::to_owned).collect()
}

fn annotated(place: &Place, how: &str, records: &[Record], arguments: &str) -> Vec<Record> {
    place.write("a.warc", compressed::compress(how, &archive::bytes_of(records)));
    let run = place.dedup(&format!("a.warc --annotate --force {arguments}"));
    if let Some(warcio) = Warcio::find().filter(|_| ["plain", "gzip-members"].contains(&how)) {
        warcio.finds_no_fault(&run.folder.join("kept/a.warc"));
    }
    archive::parse(&compressed::decompress(how, &run.kept("a.warc")))
}

#[test]
fn a_near_duplicate_is_shown_with_the_coding_of_its_keeper() {
    let place = Place::new();
    let page = html(&prose("alpha", 60));
    let records = [plain("one", &page), coded("two", &html(&edited("alpha", 60, &[59])))];
    for how in compressed::ALL {
        let kept = annotated(&place, how, &records, "");
        assert_eq!(kept[0], records[0]);
        let revisit = &kept[1];
        assert_eq!(revisit.kind(), "revisit", "{how}");
        assert_eq!(revisit.get("WARC-Profile"), Some("urn:onefold:revisit:near-duplicate"));
        assert_eq!(revisit.get("WARC-Refers-To"), Some(&*uuid("one")));
        assert_eq!(revisit.get("WARC-Refers-To-Target-URI"), Some("http://x/one"));
        assert_eq!(revisit.get("WARC-Target-URI"), Some("http://x/two"));
        let length = format!("Content-Length: {}", page.len());
        let expected = [
            "HTTP/1.1 200 OK",
            "Server: test",
            "Set-Cookie: a=1",
            "Set-Cookie: b=2",
            "Content-Type: text/html; charset=utf-8",
            "ETag: \"keeper\"",
            &length,
        ];
        assert_eq!(head(revisit), expected, "{how}");
    }
    // The other way about, the plain one is shown with the codings of the one that was kept.
    let records = [coded("one", &page), plain("two", &html(&edited("alpha", 60, &[59])))];
    let revisit = &annotated(&place, "plain", &records, "")[1];
    let expected = [
        "HTTP/1.1 200 OK",
        "Date: Wed, 01 May 2024 00:00:01 GMT",
        "Content-Type: text/html;",
        "  charset=iso-8859-1",
        "Content-Encoding: gzip",
        "Transfer-Encoding: chunked",
        "ETag: \"duplicate\"",
    ];
    assert_eq!(head(revisit), expected);
}

#[test]
fn only_equal_bytes_are_called_identical() {
    let place = Place::new();
    let page = html(&prose("alpha", 60));
    let same_text = page.replace("<p>", "<p class=x>");
    // Wrong digests: what counts are the bytes.
    let one = plain("one", &page).with("WARC-Payload-Digest", "sha1:ONE");
    let equal =
        |id: &str, head: &str, body: &[u8]| fetched(id, head, body).with("WARC-Payload-Digest", "sha1:ONE");
    let records = [
        one,
        equal("same-text", "Content-Type: text/html\r\n", same_text.as_bytes()),
        equal("as-stored", "Content-Type: text/html\r\nETag: \"own\"\r\n", page.as_bytes()),
        equal(
            "chunked",
            "Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n",
            &chunks(page.as_bytes()),
        ),
    ];
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc --annotate");
    let kept = archive::parse(&run.kept("a.warc"));
    let profiles: Vec<_> = kept[1..].iter().map(|record| record.get("WARC-Profile").unwrap()).collect();
    assert_eq!(profiles, ["urn:onefold:revisit:same-text", IDENTICAL, IDENTICAL]);
    for revisit in &kept[1..] {
        assert_eq!(revisit.get("WARC-Payload-Digest"), Some("sha1:ONE"), "the payload is looked up by it");
    }
    assert_eq!(head(&kept[2]), ["HTTP/1.1 200 OK", "Content-Type: text/html", "ETag: \"own\""]);
    assert!(!head(&kept[3]).iter().any(|line| line.contains("chunked")), "{:?}", head(&kept[3]));
}

#[test]
fn the_profile_says_why_it_was_taken_for_a_duplicate() {
    let place = Place::new();
    let whole = prose("alpha", 200);
    let part: String = whole.split(' ').take(100).map(|word| format!("{word} ")).collect();
    let records = [plain("whole", &html(&whole)), plain("part", &html(&part))];
    let kept = annotated(&place, "plain", &records, "--containment 0.9");
    assert_eq!(kept[1].get("WARC-Profile"), Some("urn:onefold:revisit:contained"));
}

#[test]
fn a_duplicate_of_what_no_replay_would_find_stays_as_it_is() {
    let place = Place::new();
    let text = prose("alpha", 60);
    place.write("1.jsonl", common::line("one", &text));
    let revisit = Record::new("revisit", "three")
        .with("WARC-Target-URI", "http://x/two")
        .with("WARC-Refers-To", &uuid("two"))
        .with("WARC-Profile", IDENTICAL);
    let records = [coded("two", &html(&text)), revisit];
    for how in compressed::ALL {
        place.write("2.warc", compressed::compress(how, &archive::bytes_of(&records)));
        let run = place.dedup("1.jsonl 2.warc --annotate --force");
        assert_eq!(run.removed_ids(), ["http://x/two"], "the verdict is in the evidence");
        assert_eq!(archive::parse(&compressed::decompress(how, &run.kept("2.warc"))), records, "{how}");
    }
    // A page is not replaced by what a page was made into, nor the other way about.
    let records = [Record::conversion("one", "http://x/one", &text), plain("two", &html(&text))];
    assert_eq!(annotated(&place, "plain", &records, ""), records);
    let records = [plain("one", &html(&text)), Record::conversion("two", "http://x/two", &text)];
    assert_eq!(annotated(&place, "plain", &records, ""), records);
    let records = ["one", "two"].map(|id| Record::conversion(id, &format!("http://x/{id}"), &text));
    assert_eq!(annotated(&place, "plain", &records, "")[1].kind(), "revisit");
}

/// A page removed in favour of another, and one that is kept, under one URL and of one second.
fn fetched_twice() -> [Record; 3] {
    let page = |id: &str, topic: &str, url: &str| Record::response(id, url, &html(&prose(topic, 60)));
    [
        page("login", "alpha", "http://x/login"),
        page("refused", "alpha", "http://x/page"),
        page("page", "beta", "http://x/page"),
    ]
}

fn revisit_of(fields: &[(&str, &str)]) -> Record {
    let revisit = Record::new("revisit", "r").with("WARC-Target-URI", "http://x/page");
    fields.iter().fold(revisit, |record, (name, value)| record.with(name, value))
}

/// What a revisit refers to behind a run over it and the pages.
fn turned(pages: &[Record], revisit: Record) -> Record {
    let place = Place::new();
    let records = [pages, &[revisit]].concat();
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc");
    archive::parse(&run.kept("a.warc")).pop().unwrap()
}

#[test]
fn a_revisit_of_a_page_that_was_kept_stays_as_it_is() {
    let (date, page) = (("WARC-Refers-To-Date", "2024-05-01T00:00:00Z"), ("WARC-Refers-To", &*uuid("page")));
    let target = ("WARC-Refers-To-Target-URI", "http://x/page");
    let digest = ("WARC-Payload-Digest", "sha1:PAGE");
    for fields in [&[target, date, digest][..], &[target, date], &[page, target, date], &[digest]] {
        let revisit = revisit_of(fields);
        assert_eq!(turned(&fetched_twice(), revisit.clone()), revisit, "{fields:?}");
    }
    // By its digest it is one of the page that went, whatever else has the URL and date.
    let revisit = revisit_of(&[target, date, ("WARC-Payload-Digest", "sha1:REFUSED")]);
    let turned = turned(&fetched_twice(), revisit);
    assert_eq!(turned.get("WARC-Refers-To"), Some(&*uuid("login")));
    assert_eq!(turned.get("WARC-Payload-Digest"), Some("sha1:LOGIN"));
}

#[test]
fn a_revisit_is_turned_however_it_names_the_page_that_went() {
    let [keeper, removed, _] = fetched_twice();
    let pages = [keeper, removed];
    let target = ("WARC-Refers-To-Target-URI", "http://x/page");
    let bracketed = ("WARC-Refers-To-Target-URI", "<http://x/page>");
    let date = ("WARC-Refers-To-Date", "2024-05-01T00:00:00Z");
    let finer = ("WARC-Refers-To-Date", "2024-05-01T00:00:00.000Z");
    let digest = ("WARC-Payload-Digest", "sha1:REFUSED");
    for fields in [
        &[("WARC-Refers-To", "<urn:test:refused>")][..],
        &[("WARC-Refers-To", "urn:test:refused")],
        &[target, date],
        &[bracketed, date],
        &[target, finer],
        &[target, ("WARC-Refers-To-Date", "2024-05-01T00:00:00.987654Z")],
        &[target, ("WARC-Refers-To-Date", "20240501000000")],
        &[("WARC-Refers-To-Target-URI", "HTTP://X/page"), date],
        &[digest],
        &[target, digest],
    ] {
        let turned = turned(&pages, revisit_of(fields));
        assert_eq!(turned.get("WARC-Refers-To"), Some(&*uuid("login")), "{fields:?}");
        assert_eq!(turned.get("WARC-Refers-To-Target-URI"), Some("http://x/login"), "{fields:?}");
    }
    // The same payload stands elsewhere, where a replay by digest finds it.
    let elsewhere = Record::response("kept", "http://x/kept", &html(&prose("gamma", 60)))
        .instead("WARC-Payload-Digest", "sha1:REFUSED");
    let pages = [&pages[..], &[elsewhere]].concat();
    let own = revisit_of(&[digest]);
    assert_eq!(
        turned(&pages, own.clone()).get("WARC-Refers-To"),
        Some(&*uuid("login")),
        "its own URL comes first"
    );
    let other = own.instead("WARC-Target-URI", "http://x/other");
    assert_eq!(turned(&pages, other.clone()), other);
}

#[test]
fn a_page_without_a_record_id_is_named_by_its_url_and_date() {
    let place = Place::new();
    let page = html(&prose("alpha", 60));
    place.write("a.arc", archive::arc(&[("http://x/old", &page)]).concat());
    let nameless = |id: &str| {
        let mut record = Record::response(id, &format!("http://x/{id}"), &page);
        record.fields.retain(|(name, _)| name != "WARC-Record-ID");
        record
    };
    let target =
        [("WARC-Refers-To-Target-URI", "http://x/one"), ("WARC-Refers-To-Date", "2024-05-01T00:00:00Z")];
    place.write("b.warc", archive::bytes_of(&[nameless("one"), revisit_of(&target)]).concat());
    let run = place.dedup("a.arc b.warc");
    run.counted(2, 1, 1, 0);
    let revisit = archive::parse(&run.kept("b.warc")).pop().unwrap();
    assert_eq!(revisit.get("WARC-Refers-To-Target-URI"), Some("http://x/old"));
    assert_eq!(revisit.get("WARC-Refers-To-Date"), Some("2008-04-30T20:48:26Z"));
}

#[test]
fn records_of_a_file_follow_the_page_of_that_file_when_its_copy_has_the_same_ids() {
    let place = Place::new();
    let records = [
        plain("one", &html(&prose("alpha", 60))),
        Record::request("q", "http://x/one", Some("one")),
        Record::new("continuation", "c")
            .with("WARC-Segment-Origin-ID", &uuid("one"))
            .with("WARC-Segment-Number", "2"),
    ];
    for name in ["1.warc", "2.warc"] {
        place.write(name, archive::bytes_of(&records).concat());
    }
    let run = place.dedup("1.warc 2.warc");
    assert_eq!(archive::ids(&archive::parse(&run.kept("1.warc"))), ["one", "q", "c"]);
    assert!(archive::parse(&run.kept("2.warc")).is_empty());
}

#[test]
fn what_a_kept_page_names_stays_though_a_removed_one_names_it_too() {
    let place = Place::new();
    let naming = |id: &str, named: &str| {
        plain(id, &html(&prose("alpha", 60))).with("WARC-Concurrent-To", &uuid(named))
    };
    // A page that names its request, and what is tied to the request; all of it twice.
    let records = [
        Record::request("q", "http://x/one", None),
        naming("one", "q"),
        Record::metadata("m", "http://x/one", "q"),
    ];
    for name in ["1.warc", "2.warc"] {
        place.write(name, archive::bytes_of(&records).concat());
    }
    let run = place.dedup("1.warc 2.warc");
    assert_eq!(archive::ids(&archive::parse(&run.kept("1.warc"))), ["q", "one", "m"]);
    assert!(archive::parse(&run.kept("2.warc")).is_empty());
    // The same where the request names its page.
    let records = [
        Record::request("q", "http://x/one", Some("one")),
        plain("one", &html(&prose("alpha", 60))),
        Record::metadata("m", "http://x/one", "q"),
    ];
    for name in ["3.warc", "4.warc"] {
        place.write(name, archive::bytes_of(&records).concat());
    }
    let run = place.dedup_to("3.warc 4.warc", "chained");
    assert_eq!(archive::ids(&archive::parse(&run.kept("3.warc"))), ["q", "one", "m"]);
    assert!(archive::parse(&run.kept("4.warc")).is_empty());
    // One record of two pages in one file.
    let records =
        [naming("one", "m"), naming("two", "m"), Record::new("metadata", "m").body(b"x: y\r\n".to_vec())];
    place.write("5.warc", archive::bytes_of(&records).concat());
    let run = place.dedup_to("5.warc", "shared");
    assert_eq!(archive::ids(&archive::parse(&run.kept("5.warc"))), ["one", "m"]);
}

#[test]
fn a_revisit_turned_to_another_page_is_shown_with_its_coding_and_claims_no_more() {
    let place = Place::new();
    let page = html(&prose("alpha", 60));
    let near = coded("near", &html(&edited("alpha", 60, &[59])));
    let revisit = |id: &str, of: &str, profile: &str| {
        Record::new("revisit", id)
            .with("WARC-Target-URI", &format!("http://x/{of}"))
            .with("WARC-Profile", profile)
            .with("WARC-Block-Digest", "sha1:OLD")
            .with("WARC-Refers-To", &uuid(of))
            .with("Content-Type", "application/http; msgtype=response")
            .body(format!("HTTP/1.1 200 OK\r\n{CODED}\r\n").into_bytes())
    };
    let records = [
        plain("one", &page),
        near,
        coded("same", &page),
        plain("equal", &page),
        revisit("of-near", "near", IDENTICAL),
        revisit("of-same", "same", IDENTICAL),
        revisit("of-equal", "equal", IDENTICAL),
        revisit("near-same", "same", "urn:onefold:revisit:near-duplicate"),
    ];
    for how in ["plain", "gzip-members", "zstd"] {
        place.write("a.warc", compressed::compress(how, &archive::bytes_of(&records)));
        let run = place.dedup("a.warc --force");
        run.counted(4, 1, 3, 0);
        let kept = archive::parse(&compressed::decompress(how, &run.kept("a.warc")));
        let profiles: Vec<_> = kept[1..].iter().map(|record| record.get("WARC-Profile").unwrap()).collect();
        let near = "urn:onefold:revisit:near-duplicate";
        assert_eq!(profiles, [near, "urn:onefold:revisit:same-text", IDENTICAL, near], "{how}");
        for turned in [&kept[1], &kept[2], &kept[4]] {
            let head = head(turned);
            assert!(!head.iter().any(|line| line.contains("gzip") || line.contains("chunked")), "{head:?}");
            assert!(head.contains(&"Set-Cookie: a=1".to_owned()), "{head:?}");
            assert_eq!(turned.get("WARC-Block-Digest"), None, "that of another block");
        }
        // Turned to the very same bytes, its header is as true as it was.
        assert_eq!(kept[3].body, records[6].body);
        assert_eq!(kept[3].get("WARC-Block-Digest"), Some("sha1:OLD"));
    }
}

#[test]
fn what_refers_to_a_removed_page_goes_with_it_unless_it_is_a_document() {
    let place = Place::new();
    let page = |id: &str| plain(id, &html(&prose("alpha", 60)));
    let about = |kind: &str, id: &str, of: &str, content_type: &str| {
        Record::new(kind, id)
            .with("WARC-Target-URI", "http://x/")
            .with("WARC-Refers-To", &uuid(of))
            .with("Content-Type", content_type)
            .body(prose("beta", 30).into_bytes())
    };
    let records = [
        about("metadata", "m2", "two", "application/json"),
        page("one"),
        page("two"),
        about("metadata", "m1", "one", "application/json"),
        about("conversion", "picture1", "one", "image/png"),
        about("conversion", "picture2", "two", "image/png"),
        about("conversion", "text2", "two", "text/plain"),
    ];
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc");
    run.counted(3, 2, 1, 0);
    assert_eq!(archive::ids(&archive::parse(&run.kept("a.warc"))), ["one", "m1", "picture1", "text2"]);
    let run = place.dedup("a.warc --annotate --force");
    assert_eq!(archive::parse(&run.kept("a.warc")).len(), records.len());
}

/// A revisit of a page of this text, which goes in favour of one with this URL in a JSON line.
fn turned_to(url: &str, text: &str, arguments: &str) -> (Vec<u8>, Vec<Record>) {
    let place = Place::new();
    let line = serde_json::json!({"id": "one", "url": url, "text": text});
    place.write("1.jsonl", format!("{line}\n"));
    let records = [
        plain("two", &html(text)),
        Record::new("revisit", "three")
            .with("WARC-Target-URI", "http://x/two")
            .with("WARC-Refers-To", &uuid("two"))
            .with("WARC-Refers-To-Target-URI", "http://x/two")
            .with("WARC-Profile", IDENTICAL),
    ];
    place.write("2.warc", archive::bytes_of(&records).concat());
    let run = place.dedup(&format!("1.jsonl 2.warc {arguments}"));
    assert_eq!(run.removed_ids(), ["http://x/two"]);
    let kept = run.kept("2.warc");
    let records = archive::parse(&kept);
    (kept, records)
}

#[test]
fn no_url_of_a_keeper_adds_fields_to_a_revisit() {
    let text = prose("alpha", 60);
    for url in
        ["http://e/\r\nContent-Length: 900\r\nX: y", "http://e/\nX: y", "http://e/\rX: y", "http://e/\u{0}"]
    {
        let (bytes, records) = turned_to(url, &text, "");
        assert_eq!(archive::ids(&records), ["three"], "{url:?}");
        let fields: Vec<&str> = records[0].fields.iter().map(|(name, _)| name.as_str()).collect();
        // Neither those of the keeper's URL, nor what named the page that went.
        let expected = ["WARC-Type", "WARC-Record-ID", "WARC-Date", "WARC-Target-URI", "WARC-Profile"];
        assert_eq!(fields, expected, "{url:?}");
        assert!(archive::find(&bytes, b"http://e/").is_none(), "{url:?}");
    }
    let (_, records) = turned_to("http://e/page", &text, "");
    assert_eq!(records[0].get("WARC-Refers-To-Target-URI"), Some("http://e/page"));
}

#[test]
fn a_duplicate_of_what_an_index_knows_by_a_url_that_cannot_be_written_stays_as_it_is() {
    let place = Place::new();
    let text = prose("alpha", 60);
    let line = serde_json::json!({"id": "one", "url": "http://e/\r\nX: y", "text": text});
    place.write("1.jsonl", format!("{line}\n"));
    place.run("index create known").ok();
    place.run("index add known 1.jsonl").ok();
    let records = [plain("two", &html(&text))];
    place.write("2.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("2.warc --annotate --against known");
    assert_eq!(run.removed_ids(), ["http://x/two"], "the verdict is in the evidence");
    assert_eq!(archive::parse(&run.kept("2.warc")), records);
}

#[test]
fn a_duplicate_of_what_is_only_in_an_index_keeps_its_bytes() {
    let place = Place::new();
    let text = prose("alpha", 60);
    let line = serde_json::json!({"id": "one", "url": "http://e/page", "text": text});
    place.write("1.jsonl", format!("{line}\n"));
    place.run("index create known").ok();
    place.run("index add known 1.jsonl").ok();
    let records = [plain("two", &html(&text))];
    place.write("2.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("2.warc --annotate --against known");
    assert_eq!(run.removed_ids(), ["http://x/two"], "the verdict is in the evidence");
    assert_eq!(archive::parse(&run.kept("2.warc")), records);
}

/// Records with bytes of Latin-1 in their headers, where a test wrote `@E9` and the like.
fn in_latin_1(records: &[Record]) -> Vec<u8> {
    let mut bytes = archive::bytes_of(records).concat();
    for (name, byte) in [(b"@E8", 0xE8), (b"@E9", 0xE9)] {
        while let Some(at) = archive::find(&bytes, name) {
            bytes.splice(at..at + 3, [byte]);
        }
    }
    bytes
}

#[test]
fn a_url_that_is_not_utf_8_is_referred_to_byte_for_byte() {
    let place = Place::new();
    let page = html(&prose("alpha", 60));
    let at = |id: &str, url: &str| plain(id, &page).instead("WARC-Target-URI", url);
    place.write("a.warc", in_latin_1(&[at("one", "http://x/@E9"), at("two", "http://x/two")]));
    let run = place.dedup("a.warc --annotate");
    let kept = run.kept("a.warc");
    assert!(archive::find(&kept, b"WARC-Refers-To-Target-URI: http://x/\xe9\r\n").is_some());
    // Evidence is UTF-8: it has the byte escaped.
    assert_eq!(run.removed()[0]["keeper"]["url"], "http://x/%E9");
    if let Some(warcio) = Warcio::find() {
        warcio.finds_no_fault(&run.folder.join("kept/a.warc"));
    }
    // A page of ARC, and a revisit that is turned to it.
    let mut arc = archive::arc(&[("http://x/@E9", &page)]).concat();
    let from = archive::find(&arc, b"@E9").unwrap();
    arc.splice(from..from + 3, [0xE9]);
    place.write("a.arc", arc);
    let revisit = Record::new("revisit", "three")
        .with("WARC-Target-URI", "http://x/two")
        .with("WARC-Refers-To", &uuid("two"))
        .with("WARC-Profile", IDENTICAL);
    place.write("b.warc", archive::bytes_of(&[at("two", "http://x/two"), revisit]).concat());
    let kept = place.dedup_to("a.arc b.warc", "of-arc").kept("b.warc");
    assert!(archive::find(&kept, b"WARC-Refers-To-Target-URI: http://x/\xe9\r\n").is_some());
}

#[test]
fn a_revisit_is_tied_to_its_page_by_a_url_that_is_not_utf_8() {
    let place = Place::new();
    let page = |id: &str, topic: &str, url: &str| {
        plain(id, &html(&prose(topic, 60))).instead("WARC-Target-URI", url)
    };
    let revisit = |id: &str, url: &str| {
        Record::new("revisit", id)
            .with("WARC-Target-URI", url)
            .with("WARC-Refers-To-Target-URI", url)
            .with("WARC-Refers-To-Date", "2024-05-01T00:00:00Z")
            .with("WARC-Profile", IDENTICAL)
    };
    // Two URLs that differ in a byte that is no UTF-8: one page goes, the other stays.
    let records = [
        page("one", "alpha", "http://x/a"),
        page("gone", "alpha", "http://x/@E9"),
        page("stays", "beta", "http://x/@E8"),
        revisit("of-gone", "http://x/@E9"),
        revisit("of-stays", "http://x/@E8"),
    ];
    place.write("a.warc", in_latin_1(&records));
    let run = place.dedup("a.warc");
    assert_eq!(run.removed_ids(), ["http://x/%E9"]);
    let kept = run.kept("a.warc");
    let turned = archive::find(&kept, b"WARC-Record-ID: <urn:test:of-gone>").unwrap();
    let other = archive::find(&kept, b"WARC-Record-ID: <urn:test:of-stays>").unwrap();
    assert!(archive::find(&kept[turned..other], b"WARC-Refers-To-Target-URI: http://x/a\r\n").is_some());
    let expected = in_latin_1(&records[4..]);
    assert!(kept.ends_with(&expected), "a revisit of a page that stays is as it came");
}

#[test]
fn ties_of_ties_are_followed_across_files() {
    let place = Place::new();
    let page = |id: &str| plain(id, &html(&prose("alpha", 60)));
    let url = "http://x/";
    let files = [
        // Behind what it is tied to, and before it.
        ("0.warc", vec![Record::metadata("deep1", url, "m1"), Record::metadata("deep2", url, "m2")]),
        ("1.warc", vec![page("one"), page("two")]),
        ("2.warc", vec![Record::request("q1", url, Some("one")), Record::request("q2", url, Some("two"))]),
        ("3.warc", vec![Record::metadata("m1", url, "q1"), Record::metadata("m2", url, "q2")]),
        // A request that another file has, too, where it is of a page that stays.
        ("4.warc", vec![Record::request("q3", url, Some("two"))]),
        ("5.warc", vec![Record::request("q3", url, Some("one"))]),
        ("6.warc", vec![Record::metadata("m3", url, "q3")]),
    ];
    for (name, records) in &files {
        place.write(name, archive::bytes_of(records).concat());
    }
    let run = place.dedup("0.warc 1.warc 2.warc 3.warc 4.warc 5.warc 6.warc");
    run.counted(2, 1, 1, 0);
    let kept: Vec<Vec<String>> =
        files.iter().map(|(name, _)| archive::ids(&archive::parse(&run.kept(name)))).collect();
    let expected: [&[&str]; 7] = [&["deep1"], &["one"], &["q1"], &["m1"], &[], &["q3"], &["m3"]];
    assert_eq!(kept, expected);
}

#[test]
fn the_profile_is_that_of_the_version_of_warc() {
    let place = Place::new();
    let page = html(&prose("alpha", 60));
    let of = |version: &str, record: Record| Record { version: version.into(), ..record };
    let records = [
        of("WARC/1.1", plain("one", &page)),
        of("WARC/1.1", plain("two", &page)),
        of("WARC/1.0", plain("three", &page)),
    ];
    let kept = annotated(&place, "plain", &records, "");
    let profiles = kept[1..].iter().map(|record| record.get("WARC-Profile").unwrap()).collect::<Vec<_>>();
    let in_1_1 = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
    assert_eq!(profiles, [in_1_1, IDENTICAL]);
    assert_eq!(kept[1].version, "WARC/1.1");
}
