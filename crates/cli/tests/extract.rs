//! `onefold extract`: what pages say, of files and archives.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use common::archive::Record;
use common::compressed::{compress, gzip};
use common::{Place, data, prose};
use serde_json::json;

/// A page with a frame around its content.
fn framed(topic: &str) -> String {
    let paragraph = |part: &str| format!("<p>{}.</p>", prose(&format!("{topic}{part}"), 60));
    format!(
        "<!doctype html><html lang=en><head><title>On {topic}</title><meta name=description content='About {topic}'>\
         <meta name=robots content=noarchive><link rel=canonical href=/{topic}>\
         <link rel=alternate type=application/rss+xml href=/feed></head><body>\
         <nav class=menu><ul><li><a href=/>Home</a><li><a href=/shop rel=nofollow>Shop</a></ul></nav>\
         <article><h1>On {topic}</h1>{}{}{}</article><footer class=footer>Copyright nobody</footer></body></html>",
        paragraph("one"),
        paragraph("two"),
        paragraph("three")
    )
}

#[test]
fn main_content_is_printed_without_its_frame() {
    let place = Place::new();
    place.write("page.html", framed("birds"));
    let main = place.run("extract page.html").ok();
    assert!(main.text().contains(&prose("birdstwo", 60)) && main.text().ends_with('\n'), "{}", main.text());
    assert!(!main.text().contains("Shop") && !main.text().contains("Copyright"), "{}", main.text());
    assert_eq!(main.stderr, "read 1 documents, 0 bad\n");
    assert_eq!(place.run("extract --quiet page.html").ok().stderr, "");
    let all = place.run("extract --content all page.html").ok();
    assert!(all.text().contains("Shop") && all.text().contains("Copyright"), "{}", all.text());
    let plateau = place.run("extract --content plateau page.html").ok();
    assert!(plateau.text().contains(&prose("birdstwo", 60)) && !plateau.text().contains("Shop"));
}

#[test]
fn json_has_what_the_page_says_of_itself() {
    let place = Place::new();
    place.write("page.html", framed("birds"));
    let line = &place.run("extract --as json page.html").ok().json()[0];
    let told = json!({
        "version": 1, "id": "page.html#0", "url": null, "source": "page.html", "offset": 0,
        "title": "On birds", "description": "About birds", "language": "en", "canonical": "/birds", "base": "",
        "robots": "noarchive", "feeds": ["/feed"], "sitemaps": [],
        "links": [{"anchor": "Home", "href": "/", "rel": ""}, {"anchor": "Shop", "href": "/shop", "rel": "nofollow"}],
        "charset": "UTF-8", "replaced": 0, "fallback": false, "needs": null, "text": line["text"],
    });
    assert_eq!(*line, told);
    assert!(line["text"].as_str().unwrap().contains("birdsone"));
}

#[test]
fn pages_of_an_archive_come_in_order_with_their_ids() {
    let place = Place::new();
    let records = [
        Record::warcinfo(),
        Record::request("q", "http://a.example/", None),
        Record::response("a", "http://a.example/", &framed("birds")),
        Record::response("b", "http://b.example/", "<p>Short.\x0c Page."),
        Record::conversion("c", "http://c.example/", "plain\x0ctext"),
    ];
    let bytes: Vec<Vec<u8>> = records.iter().map(Record::bytes).collect();
    place.write("crawl.warc", bytes.concat());
    let ran = place.run("extract crawl.warc").ok();
    let parts: Vec<&str> = ran.text().split('\x0c').collect();
    assert_eq!(parts.len(), 4, "{}", ran.text());
    assert_eq!(parts[0], "");
    assert!(parts[1].starts_with("http://a.example/\n") && parts[1].contains("birdsone"));
    assert_eq!(parts[2..], ["http://b.example/\nShort. Page.\n", "http://c.example/\nplain\ntext\n"]);
    let lines = place.run("extract --as json crawl.warc").ok().json();
    let offset = bytes[..3].iter().map(Vec::len).sum::<usize>();
    assert_eq!((&lines[1]["offset"], &lines[1]["url"]), (&json!(offset), &json!("http://b.example/")));
    assert_eq!(lines[2]["text"], "plain\x0ctext");
}

#[test]
fn a_bad_record_is_named_with_its_place_and_the_rest_is_read() {
    let place = Place::new();
    let bad = Record::conversion("x", "http://x.example/", "").body(b"\xff\xfe\xfd".to_vec()).bytes();
    let good = Record::conversion("y", "http://y.example/", "fine").bytes();
    place.write("crawl.warc", [&bad[..], &good].concat());
    place.write("more.warc", [&good[..], &bad].concat());
    let ran = place.run("extract crawl.warc more.warc").ok();
    assert_eq!(ran.text(), "\x0chttp://y.example/\nfine\n".repeat(2));
    assert!(ran.stderr.contains("bad: crawl.warc: record at byte 0: "), "{}", ran.stderr);
    assert!(
        ran.stderr.contains(&format!("bad: more.warc: record at byte {}: ", good.len())),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.ends_with("read 2 documents, 2 bad\n"), "{}", ran.stderr);
}

#[test]
fn a_missing_file_is_an_error_before_anything_is_printed() {
    let place = Place::new();
    place.write("page.html", framed("birds"));
    let ran = place.run("extract page.html none.html").fails(2, &["none.html", "no such file"]);
    assert_eq!(ran.text(), "");
    place.run("extract").fails(2, &["FILE"]);
    place.run("extract - -").fails(2, &["read once"]);
}

#[test]
fn standard_input_is_read_by_its_content() {
    let place = Place::new();
    place.write("page.html", framed("birds"));
    let expected = place.run("extract page.html").ok();
    assert_eq!(place.run_with_input("extract -", framed("birds").as_bytes()).ok().text(), expected.text());
    let lines = place.run_with_input("extract --as json -", b"<title>T</title><p>a\xe9\xff").ok().json();
    assert_eq!((&lines[0]["id"], &lines[0]["source"]), (&json!("-#0"), &json!("-")));
    assert_eq!(lines[0]["title"], "T");
}

#[test]
fn what_a_page_needs_and_where_more_was_taken_is_told() {
    let place = Place::new();
    place.write("app.html", "<title>Shop</title><div id=root></div><script src=app.js></script>");
    let ran = place.run("extract --as json app.html").ok();
    assert_eq!(ran.json()[0]["needs"], "script");
    assert!(ran.stderr.contains("1 need a script"), "{}", ran.stderr);
}

#[test]
fn the_three_files_of_one_real_page_and_an_arc_are_read() {
    let place = Place::new();
    let run = |name: &str| place.run(&format!("extract --as json {}", data(name).display())).ok();
    let page = &run("warc/whirlwind.warc.gz").json()[0];
    let text = &run("warc/whirlwind.warc.wet.gz").json()[0];
    assert_eq!(page["url"], text["url"]);
    assert!(!page["links"].as_array().unwrap().is_empty() && text["links"] == json!([]));
    assert!(!page["title"].as_str().unwrap().is_empty());
    let [arc, warc] = ["warc/blackbook.arc.gz", "warc/blackbook.warc.gz"].map(|name| run(name).json());
    let texts =
        |lines: &[serde_json::Value]| lines.iter().map(|line| line["text"].clone()).collect::<Vec<_>>();
    assert_eq!(arc.len(), 4);
    assert_eq!(texts(&arc), texts(&warc));
}

#[test]
fn every_sample_archive_ends_well_and_extract_reads_what_dedup_reads() {
    let place = Place::new();
    for entry in fs_err::read_dir(data("warc")).unwrap() {
        let path = entry.unwrap().path();
        let ran = place.run(&format!("extract --as json {}", path.display())).ok();
        let run = place.dedup_to(&format!("{} --max-removed 1 --force", path.display()), "out");
        let (read, bad) = (run.count("read") - run.count("bad"), run.count("bad"));
        assert_eq!(ran.json().len() as u64, read, "{}", path.display());
        assert!(
            ran.stderr.contains(&format!("read {read} documents, {bad} bad")),
            "{} {}",
            path.display(),
            ran.stderr
        );
    }
}

#[test]
fn help_teaches_by_example() {
    let ran = Place::new().run("extract --help").ok();
    assert!(ran.text().contains("onefold extract --as json crawl.warc.gz > pages.jsonl"), "{}", ran.text());
}

#[test]
fn members_that_turn_out_to_be_a_stream_are_read_once() {
    let place = Place::new();
    let record =
        |id: &str, text: &str| Record::conversion(id, &format!("http://{id}.example/"), text).bytes();
    // The first block is full before the member of two records comes.
    let (large, two) =
        (record("a", &prose("alpha", 200_000)), [record("b", "one"), record("c", "two")].concat());
    let (members, stream) =
        (compress("gzip-members", &[&large, &large, &two]), gzip(&[&large[..], &large, &two].concat()));
    place.write("members.warc.gz", members);
    place.write("stream.warc.gz", stream);
    let [members, stream] =
        ["members", "stream"].map(|name| place.run(&format!("extract {name}.warc.gz")).ok());
    assert_eq!(members.text(), stream.text());
    assert_eq!(members.text().matches('\x0c').count(), 4);
}

#[test]
fn clean_html_keeps_headings_lists_tables_and_links() {
    let place = Place::new();
    let page = framed("birds").replace(
        "</article>",
        "<h2 onclick=x()>Numbers</h2><table class=t><tr><th>Year<th>Seen<tr><td>1878<td><a href=/list?a=1&amp;b=2>412 of \
         them, more than ever before</a></table></article><script>alert(1)</script>",
    );
    place.write("page.html", &page);
    let clean = place.run("extract --as html page.html").ok();
    let text = clean.text();
    assert!(
        text.starts_with(
            "<!doctype html>\n<meta charset=utf-8>\n<article id=\"page.html#0\" title=\"On birds\""
        ),
        "{text}"
    );
    for part in ["<h1>On birds</h1>", "<p>", "</article>\n"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let all = place.run("extract --as html --content all page.html").ok();
    let table = "<tr>\n<td>1878</td>\n<td><a href=\"/list?a=1&amp;b=2\">412 of them, more than ever before</a></td>\n</tr>";
    assert!(all.text().contains(table) && all.text().contains("<h2>Numbers</h2>"), "{}", all.text());
    assert!(all.text().contains("<ul>\n<li><a href=\"/\">Home</a></li>"), "{}", all.text());
    assert!(!all.text().contains("alert") && !all.text().contains("onclick"));
    // Read again, it says the same.
    place.write("clean.html", all.stdout);
    let (first, again) = (
        place.run("extract --content all page.html").ok(),
        place.run("extract --content all clean.html").ok(),
    );
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(first.text()), words(again.text()));
    place.write("note.txt", "One < two\n\nthree");
    assert!(
        place.run("extract --as html note.txt").ok().text().contains("<p>One &lt; two</p>\n<p>three</p>")
    );
}

#[test]
fn a_page_shows_what_was_kept_and_what_was_dropped() {
    let place = Place::new();
    place.write("page.html", framed("birds"));
    place.run("extract --show kept.html page.html").ok();
    let shown = fs_err::read_to_string(place.path("kept.html")).unwrap();
    assert!(shown.starts_with("<!doctype html>") && shown.contains("color-scheme: light dark"));
    assert!(shown.contains("<span class=dropped><a href=\"/shop\">Shop</a></span>"), "{shown}");
    assert!(shown.contains(&format!("<p class=kept>{}.", prose("birdstwo", 60))), "{shown}");
    assert!(!shown.contains("src=") && !shown.contains("@import") && !shown.contains("<script"));
    place.run("extract --show kept.html page.html").fails(2, &["exists", "--force"]);
    place.run("extract --show kept.html --force page.html").ok();
}

/// On the sets in the shared data, from `ONEFOLD_SHARED_DATA` or beside the workspace; on two pages made here without.
#[test]
fn extraction_is_held_against_pages_with_known_content() {
    let place = Place::new();
    let (html, truth) =
        (framed("birds"), ["birdsone", "birdstwo", "birdsthree"].map(|part| prose(part, 60)).join(" "));
    place.write("set/wcxb/html/1.html.gz", gzip(html.as_bytes()));
    let line =
        json!({"file": "1.html.gz", "main_content": format!("On birds {truth}"), "page_type": "article"});
    place.write("set/wcxb/truth.jsonl.gz", gzip(line.to_string().as_bytes()));
    let known = json!({"a": {"articleBody": format!("On birds {truth}")}});
    place.write("set/scrapinghub/html/a.html.gz", gzip(html.as_bytes()));
    place.write("set/scrapinghub/ground-truth.json.gz", gzip(known.to_string().as_bytes()));
    let line = &place.run("evaluate extract set --json").ok().json()[0];
    assert_eq!(line["pages"], 2);
    assert_eq!(line["content"][0]["content"], "main");
    assert!(line["content"][0]["wcxb"]["by_kind"]["article"]["f1"].as_f64().unwrap() > 0.99, "{line}");
    assert!(line["content"][0]["scrapinghub"]["f1"].as_f64().unwrap() > 0.98, "{line}");
    assert!(line["content"][2]["wcxb"]["f1"].as_f64() < line["content"][0]["wcxb"]["f1"].as_f64());
    let table = place.run("evaluate extract set").ok();
    assert!(table.text().contains("  article (1)") && table.text().contains("plateau"), "{}", table.text());
    place.run("evaluate extract nowhere").fails(2, &["nowhere", "scrapinghub or wcxb"]);
    place.run("evaluate").fails(2, &["required"]);
}
