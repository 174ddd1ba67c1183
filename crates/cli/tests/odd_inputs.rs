//! Inputs that are odd and right: names, roles, headers and beginnings that one does not think of first.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod common;

use common::archive::{self, Record, html};
use common::{Place, compressed, four_documents, ids, line, prose};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

#[test]
fn no_name_of_a_source_is_that_of_an_unfinished_file() {
    let place = Place::new();
    let two = |a: &str, b: &str| line(a, &prose(a, 60)) + &line(b, &prose(b, 60));
    place.write("in/.a.jsonl.tmp", two("1", "2"));
    place.write("in/a.jsonl", two("3", "4"));
    // Names of bytes that are no text, and as long as names can be.
    place.write(OsStr::from_bytes(b"in/b\xe8.jsonl"), two("5", "6"));
    place.write(OsStr::from_bytes(b"in/b\xe9.jsonl"), two("7", "8"));
    let long = format!("{}.jsonl", "x".repeat(249));
    place.write(format!("in/{long}"), two("9", "10"));
    for threads in 1..3 {
        let out = format!("out{threads}");
        let run = place.dedup_to(&format!("in --threads {threads}"), &out);
        run.counted(10, 10, 0, 0);
        for name in [&b".a.jsonl.tmp"[..], b"a.jsonl", b"b\xe8.jsonl", b"b\xe9.jsonl", long.as_bytes()] {
            let name = OsStr::from_bytes(name);
            let kept = fs_err::read(place.path(&out).join("kept").join(name)).unwrap();
            assert!(kept == fs_err::read(place.path("in").join(name)).unwrap(), "{name:?}");
        }
        let left = fs_err::read_dir(place.path(&out)).unwrap().map(|entry| entry.unwrap().path());
        assert!(left.into_iter().all(|path| path.extension() != Some(OsStr::new("tmp"))));
    }
}

#[test]
fn a_field_may_have_more_than_one_role() {
    let place = Place::new();
    let text = prose("alpha", 60);
    let object = |rest: &str| format!("{{{rest},\"text\":\"{text}\"}}\n");
    place.write(
        "urls.jsonl",
        object("\"url\":\"http://x/long/long\"") + &object("\"url\":\"http://x/short\""),
    );
    place.write("urls.csv", format!("url,text\nhttp://x/long/long,{text}\nhttp://x/short,{text}\n"));
    for (number, name) in ["urls.jsonl", "urls.csv"].into_iter().enumerate() {
        let run =
            place.dedup_to(&format!("{name} --id-field url --keep shortest-url"), &format!("u{number}"));
        let removed = &run.removed()[0];
        assert_eq!(removed["id"], "http://x/long/long", "{name}");
        assert_eq!((&removed["url"], &removed["keeper"]["url"]), (&removed["id"], &removed["keeper"]["id"]));
    }
    let dated = object("\"id\":\"a\",\"date\":5") + &object("\"id\":\"b\",\"date\":9");
    place.write("dates.jsonl", dated);
    let run = place.dedup_to("dates.jsonl --keep field:date", "d");
    assert_eq!(run.removed()[0]["id"], "a");
    let run = place.dedup_to("dates.jsonl --id-field date --within date", "w");
    run.counted(2, 2, 0, 0);
}

#[test]
fn lines_of_json_behind_a_bad_one_are_lines_of_json() {
    let place = Place::new();
    let good: String = (0..6).map(|n| line(&n.to_string(), &prose(["a", "b"][n % 2], 60))).collect();
    for (number, first) in ["[1,2]", "null", "# made today", "cut off\"}", "\0\0"].into_iter().enumerate() {
        let input = format!("{first}\n{good}");
        place.write("part-00000", &input);
        place.dedup_to("part-00000", &format!("out{number}")).counted(7, 2, 4, 1);
        let piped = place.run_with_input("dedup - --output - --quiet", input.as_bytes()).ok();
        assert_eq!(ids(piped.text().as_bytes()), ["0", "1"], "{first:?}");
    }
    // A text that shows some JSON is a text.
    let shown =
        format!("How to write it\n\n    {good}\nSome words, and\nsome more\n{}", "and a line\n".repeat(9));
    place.write("manual", shown);
    place.dedup_to("manual", "manual-out").counted(1, 1, 0, 0);
}

#[test]
fn text_that_begins_like_another_format_is_text() {
    let place = Place::new();
    place.write("in/warc.md", format!("WARC/1.1 is the name of a format. {}", prose("a", 60)));
    place.write("in/parquet.txt", format!("PAR1 is how Parquet begins. {}", prose("b", 60)));
    place.dedup("in").counted(2, 2, 0, 0);
}

#[test]
fn a_table_may_begin_with_blank_lines() {
    let place = Place::new();
    place.write("a.csv", format!("\n\r\nid,text\n1,{}\n2,{}\n", prose("a", 60), prose("b", 60)));
    place.dedup("a.csv").counted(2, 2, 0, 0);
}

#[test]
fn what_begins_with_very_many_blank_lines_is_what_comes_behind_them() {
    let place = Place::new();
    let blanks = "\n".repeat(1_000_000);
    let lines = blanks.clone() + &line("1", &prose("a", 60)) + &line("2", &prose("a", 60));
    place.write("in/part-0", &lines);
    place.write("in/part-1.gz", compressed::compress("gzip", &[&lines]));
    let run = place.dedup("in");
    run.counted(4, 1, 3, 0);
    // All lines are kept but those of documents that went.
    assert!(run.kept_text("part-0").ends_with(&line("1", &prose("a", 60))));
    let piped = place.run_with_input("dedup - --output - --quiet", lines.as_bytes()).ok();
    assert_eq!(ids(piped.text().trim_ascii_start().as_bytes()), ["1"]);
    place.dedup_to("in/part-1.gz --memory 64MiB --threads 1", "gz").counted(2, 1, 1, 0);
}

#[test]
fn a_text_without_words_is_a_document_without_words() {
    let place = Place::new();
    place.write("in/blank.txt", " \n \n");
    place.write("in/blank.html", "\n");
    place.write("in/blank.jsonl", "\n\n");
    let run = place.dedup("in");
    run.counted(2, 2, 0, 0);
    assert_eq!(run.count("empty"), 2);
    assert_eq!(run.kept("blank.txt"), b" \n \n");
    // A table of none but blank lines holds no record.
    assert!(run.manifest()["notes"].to_string().contains("blank.jsonl: blank file"), "{}", run.manifest());
}

#[test]
fn a_listed_name_may_end_with_a_blank() {
    let place = Place::new();
    place.write("end ", line("1", &prose("a", 60)));
    place.write("list", "end \n\n");
    place.dedup("--files-from list").counted(1, 1, 0, 0);
}

#[test]
fn zeroes_behind_the_last_member_are_no_record() {
    let place = Place::new();
    let pages = ["a", "b"]
        .map(|topic| Record::response(topic, &format!("http://x/{topic}"), &html(&prose(topic, 60))));
    let mut bytes: Vec<u8> = pages.iter().flat_map(|page| compressed::gzip(&page.bytes())).collect();
    bytes.resize(bytes.len() + 512, 0);
    place.write("a.warc.gz", &bytes);
    let run = place.dedup("a.warc.gz --max-bad-records 0");
    run.counted(2, 2, 0, 0);
    assert!(run.kept("a.warc.gz") == bytes);
}

#[test]
fn codings_may_stand_on_lines_of_their_own_and_in_the_transfer() {
    let place = Place::new();
    let page = html(&prose("alpha", 80));
    let gzipped = compressed::gzip(page.as_bytes());
    let twice = compressed::zstd(&gzipped);
    let chunked = [format!("{:x}\r\n", gzipped.len()).as_bytes(), &gzipped, b"\r\n0\r\n\r\n"].concat();
    let mut records = vec![Record::response("plain", "http://x/plain", &page)];
    for (id, header, body) in [
        ("lines", "Content-Encoding: gzip\r\ncontent-encoding: zstd", &twice),
        ("folded", "Content-Encoding:\r\n gzip", &gzipped),
        ("transfer", "Transfer-Encoding: gzip, chunked", &chunked),
    ] {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{header}\r\n\r\n");
        let body = [head.as_bytes(), body].concat();
        records.push(Record::response(id, &format!("http://x/{id}"), "").body(body));
    }
    // Text that was decoded, and begins as nothing does in Brotli.
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: br\r\n\r\n";
    let told = format!("{head}5 things to know: {}", prose("beta", 60));
    records.push(Record::response("told", "http://x/told", "").body(told.into_bytes()));
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc");
    run.counted(5, 2, 3, 0);
    assert_eq!((run.count("removed_exact"), run.count("empty")), (3, 0));
}

#[test]
fn a_run_of_blank_lines_costs_next_to_nothing() {
    let place = Place::new();
    let (first, last) = (line("1", &prose("a", 60)), line("2", &prose("b", 60)));
    for (number, blank) in ["\n", "\r\n", " \t\n"].into_iter().enumerate() {
        let lines = first.clone() + &blank.repeat((16 << 20) / blank.len()) + &last;
        place.write("a.jsonl.gz", compressed::gzip(lines.as_bytes()));
        let run = place.dedup_to("a.jsonl.gz --memory 64MiB --threads 1", &format!("out{number}"));
        run.counted(2, 2, 0, 0);
        assert_eq!(
            compressed::decompress("gzip", &run.kept("a.jsonl.gz")),
            (first.clone() + &last).into_bytes()
        );
        // A note of each line would take more.
        assert!(run.manifest()["peak_memory_bytes"].as_u64().unwrap() < 96 << 20, "{}", run.manifest());
    }
}

#[test]
fn what_names_no_coding_changes_no_page() {
    let place = Place::new();
    let text = prose("alpha", 80);
    let gzipped = compressed::gzip(text.as_bytes());
    let mut records = Vec::new();
    let codings = ["8bit", "binary", "utf-8", "iso-8859-1", "none"].map(|coding| (coding, text.as_bytes()));
    let packed =
        ["gzip;q=1.0", "\"gzip\"", "gzip;", "br", "deflate"].map(|coding| (coding, gzipped.as_slice()));
    for (number, (coding, body)) in codings.into_iter().chain(packed).enumerate() {
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: {coding}\r\n\r\n");
        let id = format!("r{number}");
        let record = Record::response(&id, &format!("http://x/{id}"), "");
        records.push(record.body([head.as_bytes(), body].concat()));
    }
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc");
    run.counted(10, 1, 9, 0);
    assert_eq!(run.count("removed_exact"), 9);
}

#[test]
fn parts_of_pages_are_not_compared() {
    let place = Place::new();
    let part = |id: &str| {
        Record::response(id, &format!("http://x/{id}"), &html(&prose("same", 60)))
            .with("WARC-Segment-Number", "1")
    };
    let rest = |id: &str, of: &str| {
        Record::new("continuation", id)
            .with("WARC-Segment-Number", "2")
            .with("WARC-Segment-Origin-ID", &archive::uuid(of))
            .body(prose(id, 60).into_bytes())
    };
    let records = [part("a"), rest("a2", "a"), part("b"), rest("b2", "b")];
    let bytes = archive::bytes_of(&records).concat();
    place.write("a.warc", &bytes);
    for flags in ["", "--annotate"] {
        let run = place.dedup_to(&format!("a.warc {flags}"), &format!("out{flags}"));
        run.counted(0, 0, 0, 0);
        assert_eq!(run.count("passed"), 4);
        assert!(run.kept("a.warc") == bytes);
    }
}

#[test]
fn an_id_of_bytes_is_none() {
    let place = Place::new();
    place.write("a.parquet", common::table::binary_ids(&[prose("a", 60), prose("b", 60), prose("a", 60)]));
    let run = place.dedup("a.parquet");
    run.counted(3, 2, 1, 0);
    assert_eq!(run.removed()[0]["id"], "a.parquet#2");
}

#[test]
fn what_no_name_promised_is_passed_over_and_what_a_name_promised_is_bad() {
    let place = Place::new();
    let two = line("1", &prose("a", 60)) + &line("2", &prose("a", 60));
    let picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01";
    let xz = b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46\x02\0\x21\x01\x16\0\0\0";
    place.write("in/a.jsonl", &two);
    place.write("in/logo.png", picture);
    place.write("in/site.tar.xz", xz);
    let run = place.dedup("in");
    run.counted(2, 1, 1, 0);
    assert_eq!(run.count("passed"), 2);
    // A verdict is asked for documents only.
    place.dedup_to("in --annotate", "annotated").counted(2, 1, 1, 0);
    place.write("in/b.jsonl", picture);
    place.write("in/c.warc.xz", xz);
    let run = place.dedup_to("in --annotate", "promised");
    run.counted(4, 1, 1, 2);
    let bad = run.bad();
    assert_eq!([&bad[0]["kind"], &bad[1]["kind"]], ["unrecognised", "unrecognised"]);
    let messages = [&bad[0], &bad[1]].map(|bad| bad["message"].as_str().unwrap());
    assert!(messages[0].contains("image") && messages[1].contains("by xz"), "{messages:?}");
    let piped = place.run_with_input("dedup - --output - --max-bad-records 0", xz);
    assert_eq!((piped.code, piped.text()), (Some(2), ""));
    // A file that is a document has no place for a verdict.
    place.write("in/d.pdf", "%PDF-1.4\n1 0 obj\n<<>>\nendobj\n");
    let refused = place.run("dedup in --annotate --output refused");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("d.pdf: --annotate has no place"), "{}", refused.stderr);
}

#[test]
fn a_file_that_is_not_what_its_name_says_does_not_hinder_others_of_its_kind() {
    let place = Place::new();
    let text = prose("a", 60);
    for (kind, misnamed, page) in [("html", "0.warc.gz", "<html><body><p>"), ("md", "0.parquet", "")] {
        place.write(format!("{kind}/{misnamed}"), format!("{page}service unavailable\n"));
        place.write(format!("{kind}/a.{kind}"), format!("{page}{text}\n"));
        place.write(format!("{kind}/b.{kind}"), format!("{page}{text} and more\n"));
        for flags in ["", "--method join", "--containment 0.9", "--keep longest"] {
            let output = format!("out-{kind}{flags}").replace(' ', "_");
            let run = place.dedup_to(&format!("{kind} {flags}"), &output);
            run.counted(3, 1, 1, 1);
            assert_eq!(run.bad()[0]["kind"], "unrecognised");
        }
        let pairs = place.run(&format!("pairs {kind}")).ok();
        assert_eq!(pairs.text().lines().count(), 2);
    }
}

#[test]
fn files_are_found_again_whatever_bytes_they_are_named_by() {
    let place = Place::new();
    let two = |topic: &str| line("1", &prose(topic, 60)) + &line("2", &prose(topic, 60));
    place.write(OsStr::from_bytes(b"in/n\xff.jsonl"), two("a"));
    place.write(OsStr::from_bytes(b"in/n\xfe.jsonl"), two("b"));
    let piped = place.run("dedup in --output - --quiet").ok();
    assert_eq!(ids(&piped.stdout), ["1", "1"]);
    let run = place.dedup("in");
    assert_eq!(run.removed()[0]["source"], "in/n\\xfe.jsonl");
    assert_eq!(run.manifest()["inputs"][1]["output"], "n\\xff.jsonl");
    let explained = place.run("explain out 2").ok();
    assert!(explained.text().contains("= a"), "{}", explained.text());
}

#[test]
fn an_empty_id_is_none() {
    let place = Place::new();
    let text = prose("a", 60);
    let object = |rest: &str| format!("{{\"id\":\"\",{rest}\"text\":\"{text}\"}}\n");
    place.write(
        "a.jsonl",
        object("\"url\":\"http://u/1\",") + &object("\"url\":\"http://u/2\",") + &object(""),
    );
    let run = place.dedup("a.jsonl");
    let removed = run.removed();
    assert_eq!([&removed[0]["id"], &removed[1]["id"]], ["http://u/2", "a.jsonl#2"]);
    assert_eq!(removed[0]["keeper"]["id"], "http://u/1");
}

#[test]
fn the_header_of_a_table_may_have_line_ends_in_quotes() {
    let place = Place::new();
    let (a, b) = (prose("a", 60), prose("b", 60));
    let table = format!("id,\"of two\nlines\",text\n1,x,{a}\n2,x,{b}\n3,x,{a}\n");
    let piped = place.run_with_input("dedup - --output - --quiet", table.as_bytes()).ok();
    assert_eq!(piped.text(), format!("id,\"of two\nlines\",text\n1,x,{a}\n2,x,{b}\n"));
}

#[test]
fn a_conversion_has_the_charset_it_declares() {
    let place = Place::new();
    let text = prose("a", 60) + " déjà vu";
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let other = Record::conversion("two", "http://x/2", "")
        .instead("Content-Type", "text/plain; charset=iso-8859-1")
        .body(latin);
    let records = [Record::conversion("one", "http://x/1", &text), other];
    place.write("a.wet", archive::bytes_of(&records).concat());
    place.dedup("a.wet").counted(2, 1, 1, 0);
}

#[test]
fn headers_of_the_second_version_of_arc_are_read() {
    let place = Place::new();
    let record = |url: &str, kind: &str, body: &str| {
        let start = format!("{url} 127.0.0.1 20010423234305 {kind} 200");
        format!("{start} d41d8cd98f00b204 - 12345678 x.arc {}\n{body}\n", body.len())
    };
    let first =
        record("filedesc://x.arc", "text/plain", "2 0 InternetArchive\nURL IP-address Archive-date\n");
    let pages = ["a", "b", "a"].map(|topic| {
        let page = format!("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n{}", html(&prose(topic, 60)));
        record(&format!("http://x/{topic}"), "text/html", &page)
    });
    place.write("x.arc", first.clone() + &pages.concat());
    let run = place.dedup("x.arc");
    run.counted(3, 2, 1, 0);
    assert_eq!(run.removed()[0]["url"], "http://x/a");
    assert_eq!(run.kept("x.arc"), (first + &pages[..2].concat()).as_bytes());
}

#[test]
fn what_begins_alike_is_alike_in_a_folder_and_in_an_archive() {
    let place = Place::new();
    let beginnings = [
        "<h4>Head</h4><p>",
        "<!-- note -->\n# Markdown\n",
        "<!-- saved --> <!DOCTYPE html><p>",
        "<!-- goes on -->words ",
        "<base href=x>",
        "<noscript>x</noscript>",
        "<template></template><p>",
        "<h5>x</h5>",
        "<i>x</i> ",
        "<hr>",
        "<img src=x>",
        "<pre>",
        "<form>",
        "<blockquote>",
        "<p class=x>",
        "<P>",
        "<br/>",
        "<a@b.example> wrote ",
        "<plan> of ",
        "< p> ",
        "<!doctype htmlx> ",
        "<!DOCTYPE\nhtml>",
        "<?xml version='1.0'?><!-- x --><html><body>",
        "<?xml version='1.0'?><p>",
        "plain words ",
        "\u{feff}\n<html><body>",
        "# Title\n\n<p>",
        "<main>",
        "<svgx> ",
        "<dl><dt>",
        "<b>",
        "<bb> ",
    ];
    let mut records = Vec::new();
    for (number, beginning) in beginnings.iter().enumerate() {
        let text = format!("{beginning}{} <em>and more</em>", prose(&format!("t{number}x"), 60));
        place.write(format!("in/{number:02}"), &text);
        let id = format!("r{number}");
        let body = format!("HTTP/1.1 200 OK\r\n\r\n{text}");
        records.push(Record::response(&id, &format!("http://x/{id}"), "").body(body.into_bytes()));
    }
    place.write("a.warc", archive::bytes_of(&records).concat());
    let many = beginnings.len() as u64;
    let folder = place.dedup_to("in", "folder");
    let archive = place.dedup_to("a.warc", "archive");
    assert_eq!(folder.manifest()["pages"]["types"], archive.manifest()["pages"]["types"]);
    folder.counted(many, many, 0, 0);
    // What is read as the same has the same text.
    let run = place.dedup_to("in a.warc", "both");
    run.counted(2 * many, many, many, 0);
    let cut: Vec<_> = run.removed().iter().filter(|line| line["kind"] != "exact").cloned().collect();
    assert!(cut.is_empty(), "{cut:?}");
}

#[test]
fn a_name_is_judged_by_its_end_alone() {
    let place = Place::new();
    let text = "User-agent: *\nDisallow: /private, and some words more\n";
    let page = "<!DOCTYPE html><p>some words on arcs and formats</p>";
    let texts = ["www.json.org/robots.txt", "how-to.json.txt", "notes.csv/a.txt", "a.warc.d/readme.md"];
    texts.iter().for_each(|name| {
        place.write(format!("in/{name}"), format!("{name} {text}"));
    });
    for (n, name) in ["api/json", "api/csv", "CanvasRenderingContext2D/arc", "warc"].iter().enumerate() {
        place.write(format!("in/{name}"), page.replace("some", &prose(&format!("p{n}x"), 9)));
    }
    place.write("in/warc-format.warc.md", "A record begins with\nWARC/1.0\nWARC-Type: response\n");
    place.dedup("in").counted(9, 9, 0, 0);
}

#[test]
fn text_in_units_of_two_bytes_is_no_records_whatever_its_name() {
    let place = Place::new();
    for name in ["a.jsonl", "b.csv", "c.tsv"] {
        let wide = "\u{feff}id,text\n1,words\n".encode_utf16().flat_map(u16::to_le_bytes);
        place.write(format!("in/{name}"), wide.collect::<Vec<u8>>());
    }
    let run = place.dedup("in");
    assert_eq!(run.bad_kinds(), ["unrecognised"; 3]);
    run.counted(3, 0, 0, 3);
}

#[test]
fn office_files_that_are_stored_and_not_packed_are_office_files() {
    let place = Place::new();
    // A ZIP of stored parts, as some writers make it: mostly text, with NULs in the headers of parts.
    let document = format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:body></w:document>",
        prose("stored", 400)
    );
    let types = "<?xml version=\"1.0\"?><Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>";
    let parts = [("[Content_Types].xml", types), ("word/document.xml", document.as_str())];
    place.write("stored.docx", stored_zip(&parts));
    let bitmap = [b"BM\x36\x0c\0\0\0\0\0\0\x36\0\0\0".as_slice(), &[0xff; 3000]].concat();
    place.write("white.bmp", bitmap);
    let run = place.dedup(".");
    assert_eq!(run.bad(), Vec::<serde_json::Value>::new());
    run.counted(1, 1, 0, 0);
    assert!(place.run("extract stored.docx").ok().text().contains("stored"));
}

/// A ZIP archive whose parts are as they are.
fn stored_zip(parts: &[(&str, &str)]) -> Vec<u8> {
    let number = |value: usize, bytes: usize| (value as u32).to_le_bytes()[..bytes].to_vec();
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in parts {
        let mut checksum = flate2::Crc::new();
        checksum.update(text.as_bytes());
        let sizes = [checksum.sum() as usize, text.len(), text.len()].map(|value| number(value, 4)).concat();
        let about = [b"\x14\0\0\0\0\0\0\0\0\0".as_slice(), &sizes, &number(name.len(), 2), &[0, 0]].concat();
        let place = number(out.len(), 4);
        out.extend([b"PK\x03\x04".as_slice(), &about, name.as_bytes(), text.as_bytes()].concat());
        let more = [&[0; 10][..], &place].concat();
        directory.extend([b"PK\x01\x02\x14\0".as_slice(), &about, &more, name.as_bytes()].concat());
    }
    let (at, count) = (out.len(), number(parts.len(), 2));
    let end = [
        b"PK\x05\x06\0\0\0\0".as_slice(),
        &count,
        &count,
        &number(directory.len(), 4),
        &number(at, 4),
        &[0, 0],
    ];
    [out, directory, end.concat()].concat()
}

#[test]
fn patterns_tell_cases_apart_and_two_stars_alone_are_this_folder() {
    let place = Place::new();
    for name in ["A1.jsonl", "a1.jsonl", "B2.jsonl"] {
        place.write(format!("in/{name}"), line(name, &prose(&name.replace('.', "x"), 60)));
    }
    let found = place.run("fingerprints **").ok();
    assert!(found.stderr.contains("read 3 documents, 0 bad"), "{}", found.stderr);
    place.dedup_to("in/A*", "upper").counted(1, 1, 0, 0);
    place.dedup_to("in/[a-z]*", "lower").counted(1, 1, 0, 0);
    place.run("dedup in/*.JSONL --output none").fails(2, &["*.JSONL"]);
}

#[test]
fn a_byte_order_mark_is_no_record() {
    let place = Place::new();
    place.write("a.jsonl", format!("\u{feff}\r\n\n{}", four_documents()));
    place.write("b.jsonl", format!("\u{feff}{}", line("z", &prose("zeta", 60))));
    place.write("c.jsonl", "\u{feff}");
    let run = place.dedup("a.jsonl b.jsonl c.jsonl --max-bad-records 0");
    run.counted(5, 3, 2, 0);
    assert!(run.manifest()["notes"].to_string().contains("c.jsonl: empty file"));
}

#[test]
fn names_as_long_as_they_may_be_are_told_apart() {
    let place = Place::new();
    let name = format!("{}.html", "x".repeat(250));
    for folder in ["d1", "d2", "d3"] {
        place.write(format!("{folder}/{name}"), format!("<p>{}</p>", prose(folder, 60)));
    }
    let run = place.dedup("d1 d2 d3");
    run.counted(3, 3, 0, 0);
    assert_eq!(common::tree(&place.path("out/kept")).len(), 3);
}

#[test]
fn an_empty_list_says_that_it_is_empty() {
    let place = Place::new();
    place.write("list", "\n\n");
    let run = place.dedup("--files-from list");
    assert!(run.manifest()["notes"].to_string().contains("--files-from is empty"));
}

#[test]
fn conversions_to_markdown_are_documents() {
    let place = Place::new();
    let text = prose("alpha", 60);
    let records = ["text/plain", "text/markdown"].map(|kind| {
        Record::conversion(&kind.replace('/', "-"), &format!("http://x/{kind}"), &text)
            .instead("Content-Type", kind)
    });
    place.write("a.warc", archive::bytes_of(&records).concat());
    place.dedup("a.warc").counted(2, 1, 1, 0);
}
