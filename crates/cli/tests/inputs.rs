//! Every format in every compression is read, in a stated order, by its content.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::archive::{self, Record, html};
use common::{Place, Run, compressed, edited, four_documents, line, prose, table, text_of};
use std::time::Duration;

/// Four documents in a format: the first, another, a copy of the first, a near copy of the second.
fn records(format: &str) -> Vec<Vec<u8>> {
    let texts = [prose("alpha", 80), prose("beta", 80), prose("alpha", 80), edited("beta", 80, &[79])];
    let named = texts.iter().zip(["a", "b", "c", "d"]);
    let page = |name: &str| format!("http://example.org/{name}");
    match format {
        "jsonl" => named.map(|(text, name)| line(name, text).into_bytes()).collect(),
        "csv" | "tsv" => {
            let mark = if format == "csv" { ',' } else { '\t' };
            let rows = named.map(|(text, name)| format!("{name}{mark}\"{text}\"\n").into_bytes());
            std::iter::once(format!("id{mark}text\n").into_bytes()).chain(rows).collect()
        }
        "warc" => {
            let pages = named.map(|(text, name)| Record::response(name, &page(name), &html(text)).bytes());
            std::iter::once(Record::warcinfo().bytes()).chain(pages).collect()
        }
        "wet" => {
            let pages = named.map(|(text, name)| Record::conversion(name, &page(name), text).bytes());
            std::iter::once(Record::warcinfo().bytes()).chain(pages).collect()
        }
        "arc" => {
            let pages: Vec<(String, String)> = named.map(|(text, name)| (page(name), html(text))).collect();
            let pages: Vec<(&str, &str)> = pages.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            archive::arc(&pages)
        }
        _ => panic!("{format}: no such format"),
    }
}

/// Where a kept record of a format is known by.
fn kept_names(format: &str, bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let starts: &[&str] = match format {
        "jsonl" => return common::ids(bytes),
        "csv" | "tsv" => {
            let mark = if format == "csv" { ',' } else { '\t' };
            assert!(text.starts_with(&format!("id{mark}text\n")), "the header stays: {text}");
            return text.lines().skip(1).map(|row| row.split(mark).next().unwrap().to_owned()).collect();
        }
        "arc" => &["http://example.org/"],
        _ => &["WARC-Target-URI: http://example.org/"],
    };
    let rest = text.split(starts[0]).skip(1);
    rest.map(|rest| rest.split(char::is_whitespace).next().unwrap().to_owned()).collect()
}

fn check_four(run: &Run, format: &str, how: &str, name: &str) {
    run.counted(4, 2, 2, 0);
    assert_eq!((run.count("removed_exact"), run.count("removed_near")), (1, 1), "{format} {how}");
    let kept = compressed::decompress(how, &run.kept(name));
    assert_eq!(kept_names(format, &kept), ["a", "b"], "{format} {how}");
    // What is kept is what came, byte for byte.
    let all = records(format);
    let head = all.len() - 4;
    let expected: Vec<u8> = all[..head + 2].concat();
    assert!(kept == expected, "{format} {how}: {}", String::from_utf8_lossy(&kept));
}

#[test]
fn every_format_is_read_in_every_compression_and_kept_in_its_own() {
    for format in ["jsonl", "csv", "tsv", "warc", "wet", "arc"] {
        let place = Place::new();
        for how in compressed::ALL {
            let name = format!("{how}.{format}");
            place.write(&name, compressed::compress(how, &records(format)));
            let run = place.dedup_to(&name, how);
            check_four(&run, format, how, &name);
            let input = &run.manifest()["inputs"][0];
            let expected = if format == "wet" { "warc" } else { format };
            assert_eq!(text_of(&input["format"]), expected);
            let expected = match how {
                "plain" => "none",
                "gzip-members" => "gzip",
                other => other,
            };
            assert_eq!(text_of(&input["compression"]), expected);
        }
    }
}

#[test]
fn a_table_under_another_name_is_a_table_and_a_template_is_a_text() {
    let place = Place::new();
    let row =
        |mark: char| format!("id{mark}text\na{mark}{}\nb{mark}{}\n", prose("alpha", 40), prose("alpha", 40));
    for (name, mark, format) in
        [("a.jsonl", ',', "csv"), ("b.tsv", ',', "csv"), ("c.csv", '\t', "tsv"), ("d.json", '\t', "tsv")]
    {
        place.write(name, row(mark));
        let run = place.dedup_to(name, &format!("out-{name}"));
        run.counted(2, 1, 1, 0);
        assert_eq!(text_of(&run.manifest()["inputs"][0]["format"]), format, "{name}");
    }
    place.write("in/a.md", format!("{{{{APIRef(\"x\")}}}}\n\n# Title\n\n{}\n", prose("alpha", 40)));
    place.write("in/b.txt", format!("{{% extends %}}\n{}\n", prose("beta", 40)));
    place.dedup("in").counted(2, 2, 0, 0);
}

#[test]
fn an_archive_with_a_dictionary_is_read_by_it_and_kept_without() {
    let place = Place::new();
    let dictionary = include_bytes!("../../formats/src/compress/tests.dictionary");
    let mut compressor = zstd::bulk::Compressor::with_dictionary(3, dictionary).unwrap();
    let mut bytes = [b"\x5d\x2a\x4d\x18", &(dictionary.len() as u32).to_le_bytes()[..], dictionary].concat();
    bytes.extend(records("wet").iter().flat_map(|record| compressor.compress(record).unwrap()));
    place.write("a.warc.zst", bytes);
    let run = place.dedup("a.warc.zst");
    check_four(&run, "wet", "zstd", "a.warc.zst");
}

#[test]
fn archives_with_a_member_a_record_stay_so() {
    let place = Place::new();
    for format in ["warc", "wet", "arc"] {
        place.write(format, compressed::compress("gzip-members", &records(format)));
        let run = place.dedup_to(format, &format!("{format}-out"));
        assert_eq!(compressed::members(&run.kept(format)), records(format).len() - 2, "{format}");
    }
    // Also where not every member is a record: one of nothing, and one of two records.
    let all = records("warc");
    let mut odd = vec![Vec::new(), all[..2].concat()];
    odd.extend_from_slice(&all[2..]);
    place.write("odd", compressed::compress("gzip-members", &odd));
    let run = place.dedup_to("odd", "odd-out");
    assert_eq!(compressed::members(&run.kept("odd")), all.len() - 3);
    // And in frames.
    type Frame = fn(&[u8]) -> Vec<u8>;
    let ways: [(&str, Frame, &[u8; 4]); 2] =
        [("zstd", compressed::zstd, b"\x28\xb5\x2f\xfd"), ("lz4", compressed::lz4, b"\x04\x22\x4d\x18")];
    for (how, frame, magic) in ways {
        place.write(how, all.iter().flat_map(|record| frame(record)).collect::<Vec<u8>>());
        let run = place.dedup_to(how, &format!("{how}-out"));
        let frames = run.kept(how).windows(4).filter(|bytes| bytes == magic).count();
        assert_eq!(frames, all.len() - 2, "{how}");
        assert_eq!(archive::parse(&compressed::decompress(how, &run.kept(how))).len(), all.len() - 2);
    }
}

#[test]
fn parquet_is_read_and_its_kept_rows_keep_every_column() {
    let place = Place::new();
    let texts = [prose("alpha", 80), prose("beta", 80), prose("alpha", 80), edited("beta", 80, &[79])];
    let texts: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
    let ids = vec![Some("a"), Some("b"), Some("c"), Some("d")];
    let other = vec![Some("1"), None, Some("3"), Some("4")];
    let columns = [("extra", other), ("id", ids), ("text", texts)];
    for small_groups in [false, true] {
        let bytes = table::table_of(&columns, small_groups);
        place.write("t.parquet", &bytes);
        let run = place.dedup(if small_groups { "t.parquet --force" } else { "t.parquet" });
        run.counted(4, 2, 2, 0);
        assert_eq!(table::rows(&run.kept("t.parquet")), table::rows(&bytes)[..2]);
        assert_eq!(table::columns(&run.kept("t.parquet")), ["extra", "id", "text"]);
    }
}

#[test]
fn pages_and_texts_of_a_folder_are_documents() {
    let place = Place::new();
    let text = prose("alpha", 80);
    place.write("in/a.html", html(&text));
    place.write("in/b.txt", &text);
    place.write("in/c.md", format!("# {}\n\n{}\n", prose("gamma", 3), prose("gamma", 90)));
    place.write("in/sub/d.md", &text);
    let run = place.dedup("in --text-field ignored");
    run.counted(4, 2, 2, 0);
    let files: Vec<_> = common::tree(&run.folder.join("kept")).into_keys().collect();
    assert_eq!(files.iter().map(|p| p.to_str().unwrap()).collect::<Vec<_>>(), ["a.html", "c.md"]);
    assert_eq!(run.kept_text("a.html"), html(&text));
    assert_eq!(text_of(&run.removed()[0]["kind"]), "exact");
}

#[test]
fn http_bodies_are_decoded_before_they_are_compared() {
    let page = html(&prose("alpha", 80));
    let gzipped = compressed::gzip(page.as_bytes());
    let zstd = compressed::zstd(page.as_bytes());
    let (first, rest) = page.split_at(100);
    let chunked = format!("{:x}\r\n{first}\r\n{:x};x=y\r\n{rest}\r\n0\r\n\r\n", first.len(), rest.len());
    let mut records = vec![Record::warcinfo(), Record::response("plain", "http://x/plain", &page)];
    let encoded = [
        ("gzip", "Content-Encoding: gzip", gzipped),
        ("zstd", "Content-Encoding: zstd", zstd),
        ("chunked", "Transfer-Encoding: chunked", chunked.into_bytes()),
    ];
    for (id, header, body) in encoded {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{header}\r\n\r\n");
        records.push(
            Record::response(id, &format!("http://x/{id}"), "").body([head.as_bytes(), &body].concat()),
        );
    }
    let place = Place::new();
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc");
    run.counted(4, 1, 3, 0);
    assert_eq!(run.count("removed_exact"), 3);
    assert_eq!(archive::ids(&archive::parse(&run.kept("a.warc"))), ["info", "plain"]);
}

#[test]
fn brotli_bodies_of_a_real_crawl_are_decoded() {
    let place = Place::new();
    let names = ["transfer_none.warc.gz", "transfer_gzip.warc.gz", "transfer_brotli.warc.gz"];
    for name in names {
        fs_err::copy(common::data("warc").join(name), place.path(name)).unwrap();
    }
    let run = place.dedup(&names.join(" "));
    assert_eq!(run.count("bad"), 0, "{:?}", run.bad());
    assert_eq!(run.count("kept") + run.count("removed"), run.count("read"));
    assert!(run.count("removed") >= 2, "one page in three encodings: {}", run.manifest()["counts"]);
}

#[test]
fn versions_of_warc_from_0_17_to_1_1_are_read() {
    let place = Place::new();
    let versions = ["WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"];
    let mut records = Vec::new();
    for (version, topic) in versions.iter().zip(["alpha", "beta", "gamma", "delta"]) {
        let mut record = Record::response(topic, &format!("http://x/{topic}"), &html(&prose(topic, 60)));
        record.version = (*version).into();
        records.push(record);
    }
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc");
    run.counted(4, 4, 0, 0);
    assert_eq!(archive::parse(&run.kept("a.warc")), records);
}

#[test]
fn records_that_are_no_documents_pass_through() {
    let place = Place::new();
    let image = Record::response("image", "http://x/i.png", "")
        .body(b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG\r\n\x1a\n\0\0\0\0".to_vec());
    let wat = Record::new("metadata", "wat")
        .with("WARC-Target-URI", "http://x/")
        .with("Content-Type", "application/json")
        .body(b"{\"Envelope\":{}}".to_vec());
    let page = Record::response("page", "http://x/", &html(&prose("alpha", 60)));
    let records = [Record::warcinfo(), image, wat, page];
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc");
    run.counted(1, 1, 0, 0);
    assert_eq!(run.count("passed"), 3);
    assert!(run.kept("a.warc") == archive::bytes_of(&records).concat());
}

#[test]
fn blank_lines_are_not_records() {
    let place = Place::new();
    place.write("a.jsonl", format!("\n{}\n   \n{}\r\n\n", line("a", "one two"), line("b", "three four")));
    place.dedup("a.jsonl").counted(2, 2, 0, 0);
}

#[test]
fn a_folder_is_walked_in_byte_order_of_names() {
    let place = Place::new();
    // Byte order: capitals before small letters, "a-" before "a/" before "a0", and "é" last.
    let order = ["B.jsonl", "a-.jsonl", "a/z.jsonl", "a0.jsonl", "b.jsonl", "é.jsonl"];
    for name in order.iter().rev() {
        place.write(format!("in/{name}"), line(name, &prose("alpha", 40)));
    }
    let run = place.dedup("in");
    run.counted(6, 1, 5, 0);
    assert_eq!(run.kept_ids("B.jsonl"), ["B.jsonl"]);
    // A folder's name stands where its own bytes do: "a" before "a-.jsonl".
    let sources: Vec<String> = run.manifest()["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| text_of(&input["source"]).trim_start_matches("in/").to_owned())
        .collect();
    assert_eq!(sources, ["B.jsonl", "a/z.jsonl", "a-.jsonl", "a0.jsonl", "b.jsonl", "é.jsonl"]);
    assert_eq!(run.removed_ids(), &sources[1..]);
}

#[test]
fn inputs_are_taken_in_the_order_given() {
    let place = Place::new();
    place.write("1.jsonl", line("one", &prose("alpha", 40)));
    place.write("2.jsonl", line("two", &prose("alpha", 40)));
    assert_eq!(place.dedup_to("1.jsonl 2.jsonl", "up").removed_ids(), ["two"]);
    assert_eq!(place.dedup_to("2.jsonl 1.jsonl", "down").removed_ids(), ["one"]);
}

#[test]
fn patterns_match_in_byte_order_and_keep_relative_names() {
    let place = Place::new();
    for name in ["x/b.jsonl", "x/a.jsonl", "y/a.jsonl", "y/no.txt"] {
        place.write(format!("in/{name}"), line(name, &prose("alpha", 40)));
    }
    let run = place.dedup("in/*/?.jsonl");
    run.counted(3, 1, 2, 0);
    assert_eq!(run.kept_ids("x/a.jsonl"), ["x/a.jsonl"]);
    assert_eq!(run.removed_ids(), ["x/b.jsonl", "y/a.jsonl"]);
    let files: Vec<_> = common::tree(&run.folder.join("kept")).into_keys().collect();
    assert_eq!(files.len(), 3, "a file whose documents all went is there, empty: {files:?}");
    place.run("dedup in/*.nothing --output none").fails(2, &["in/*.nothing"]);
    assert!(!place.path("none").exists());
}

#[test]
fn a_file_lists_paths() {
    let place = Place::new();
    place.write("b.jsonl", line("b", &prose("alpha", 40)));
    place.write("a.jsonl", line("a", &prose("alpha", 40)));
    place.write("list", "b.jsonl\n\na.jsonl\n");
    let run = place.dedup("--files-from list");
    run.counted(2, 1, 1, 0);
    assert_eq!(run.removed_ids(), ["a"]);
    place.run("dedup --files-from nowhere --output none").fails(2, &["nowhere"]);
    place.write("list", "nothere.jsonl\n");
    place.run("dedup --files-from list --output none").fails(2, &["nothere.jsonl"]);
}

#[test]
fn standard_input_is_spooled_below_temp() {
    let place = Place::new();
    fs_err::create_dir(place.path("spool")).unwrap();
    for how in compressed::ALL {
        let records = [four_documents()];
        let input = compressed::compress(how, &records);
        let ran = place.run_with_input(&format!("dedup - --output {how} --temp spool"), &input).ok();
        let run = place.finished(how);
        run.counted(4, 2, 2, 0);
        assert_eq!(text_of(&run.removed()[0]["source"]), "-", "{}", ran.stderr);
        let kept = common::tree(&run.folder.join("kept"));
        assert_eq!(kept.len(), 1);
        let kept = compressed::decompress(how, kept.values().next().unwrap());
        assert_eq!(common::ids(&kept), ["a", "b"], "{how}");
    }
    assert!(common::tree(&place.path("spool")).is_empty(), "nothing stays in --temp");
    // A folder for temporary files that cannot be is an error before anything is read.
    place.write("file", "");
    place.run_with_input("dedup - --output none --temp file/x", b"{}").fails(2, &["file/x"]);
}

#[test]
fn a_pipe_from_end_to_end() {
    let place = Place::new();
    let input = four_documents();
    let ran = place.run_with_input("dedup - --output -", input.as_bytes()).ok();
    let kept: String = input.lines().take(2).map(|line| format!("{line}\n")).collect();
    assert_eq!(ran.text(), kept);
    assert!(ran.stderr.contains("removed"), "the summary goes to standard error: {}", ran.stderr);
    assert!(common::tree(&place.path("")).is_empty(), "a pipe leaves no file behind");
    // With --json the data keeps standard output for itself.
    let ran = place.run_with_input("dedup - --output - --json", input.as_bytes()).ok();
    assert_eq!(ran.text(), kept);
    let told: serde_json::Value = serde_json::from_str(ran.stderr.trim()).unwrap();
    assert_eq!(told["counts"]["removed"], 2);
    // Silenced, it would be told nowhere.
    let ran = place.run_with_input("dedup - --output - --json --quiet", input.as_bytes());
    assert_eq!(ran.fails(2, &["--json goes without --quiet"]).text(), "");
}

#[test]
fn standard_input_beside_a_file() {
    let place = Place::new();
    place.write("a.jsonl", line("file", &prose("alpha", 40)));
    let input = line("pipe", &prose("alpha", 40));
    place.run_with_input("dedup - a.jsonl --output first", input.as_bytes()).ok();
    place.run_with_input("dedup a.jsonl - --output last", input.as_bytes()).ok();
    assert_eq!(place.finished("last").removed_ids(), ["pipe"]);
    assert_eq!(place.finished("first").removed_ids(), ["file"], "inputs count in the order given");
}

#[test]
fn a_misnamed_file_is_read_by_its_content() {
    let place = Place::new();
    place.write("a.warc.gz", records("jsonl").concat());
    place.write("b.jsonl", compressed::gzip(&records("warc").concat()));
    place.write("c.parquet", compressed::zstd(&records("wet").concat()));
    place.write("d.zst", records("arc").concat());
    place.write("e.txt", table::table(&[("text", vec![Some(prose("delta", 50).as_str())])]));
    let run = place.dedup("a.warc.gz b.jsonl c.parquet d.zst e.txt");
    assert_eq!(run.count("bad"), 0, "{:?}", run.bad());
    assert_eq!(run.count("read"), 17);
    let inputs = run.manifest()["inputs"].clone();
    let told: Vec<(String, String)> = inputs
        .as_array()
        .unwrap()
        .iter()
        .map(|input| (text_of(&input["format"]), text_of(&input["compression"])))
        .collect();
    let told: Vec<(&str, &str)> = told.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(
        told,
        [("jsonl", "none"), ("warc", "gzip"), ("warc", "zstd"), ("arc", "none"), ("parquet", "none")]
    );
}

#[test]
fn an_input_that_is_not_there_is_an_error() {
    let place = Place::new();
    place.run("dedup nowhere.jsonl --output out").fails(2, &["nowhere.jsonl"]);
    assert!(!place.path("out").exists());
    place.run("dedup --output out").fails(2, &["INPUT"]);
    place.write("a.jsonl", four_documents());
    place.run("dedup a.jsonl").fails(2, &["--output"]);
}

#[test]
fn pipes_are_read_once_and_whole() {
    let place = Place::new();
    place.write("a.jsonl", records("jsonl").concat());
    let expected = place.dedup("a.jsonl");
    let pipe = place.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let bytes = records("jsonl").concat();
    std::thread::scope(|scope| {
        scope.spawn(|| fs_err::write(&pipe, &bytes).unwrap());
        let run = place.dedup_to("pipe", "piped");
        assert_eq!((run.count("read"), run.count("kept")), (expected.count("read"), expected.count("kept")));
        assert_eq!(run.kept("pipe"), expected.kept("a.jsonl"));
        assert_eq!(run.removed()[0]["source"], "pipe");
    });
    // What was read from it cannot be read again, and nobody waits for it.
    place.run("index import no piped").fails(2, &["pipe", "read once"]);
    std::thread::scope(|scope| {
        scope.spawn(|| fs_err::write(&pipe, &bytes).unwrap());
        assert!(place.run("pairs pipe").ok().text().contains("exact"));
    });
}

#[test]
fn a_file_named_twice_is_told() {
    let place = Place::new();
    place.write("in/a.jsonl", records("jsonl").concat());
    place.write("list", b"\xef\xbb\xbfin/a.jsonl\r\n");
    let told = |arguments: &str| place.dedup(&format!("{arguments} --force")).manifest()["notes"].to_string();
    assert!(told("in/a.jsonl in").contains("in/a.jsonl: named more than once"));
    // A list that an editor wrote has a mark in front.
    assert!(!told("--files-from list").contains("named more than once"));
}

#[test]
fn two_runs_do_not_write_at_one_place() {
    let place = Place::new();
    place.write("a.jsonl", records("jsonl").concat());
    let work = place.path("out").join(".onefold/work");
    fs_err::create_dir_all(&work).unwrap();
    let lock = fs_err::File::create(work.join("lock")).unwrap();
    lock.file().lock().unwrap();
    fs_err::write(work.join("piece-000000-000000"), "the other's").unwrap();
    place.run("dedup a.jsonl --output out").fails(2, &["out", "another run is writing here"]);
    assert!(work.join("piece-000000-000000").exists());
    drop(lock);
    place.dedup("a.jsonl --force");
    // Wherever each of them works.
    fs_err::create_dir_all(place.path("two/.onefold/out/kept")).unwrap();
    let lock = fs_err::File::create(place.path("two/.onefold/lock")).unwrap();
    lock.file().lock().unwrap();
    for temp in ["", "--temp t1", "--temp t2 --force", "--temp t1 --resume"] {
        let ran = place.run(&format!("dedup a.jsonl --output two {temp}"));
        ran.fails(2, &["two", "another run is writing here"]);
        assert!(place.path("two/.onefold/out/kept").exists(), "{temp}");
    }
    drop(lock);
    place.dedup_to("a.jsonl --temp t1", "two");
    assert!(!place.path("two/.onefold").exists());
    place.run("dedup a.jsonl --output two --temp t2").fails(2, &["two", "--force"]);
}

#[test]
fn a_resumed_run_waits_for_one_that_was_just_killed() {
    let place = Place::new();
    place.write("a.jsonl", records("jsonl").concat());
    let hidden = place.path("out").join(".onefold");
    fs_err::create_dir_all(hidden.join("work")).unwrap();
    let locks = ["lock", "work/lock"].map(|name| {
        let lock = fs_err::File::create(hidden.join(name)).unwrap();
        lock.file().lock().unwrap();
        lock
    });
    place.run("dedup a.jsonl --output out --force").fails(2, &["out", "another run is writing here"]);
    let resumed = place.start(&mut place.command("dedup a.jsonl --output out --resume"));
    // The system lets go of one after the other.
    for lock in locks {
        std::thread::sleep(Duration::from_millis(400));
        drop(lock);
    }
    let ran = resumed.wait_with_output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(!hidden.exists() && place.path("out/manifest.json").exists());
}

#[test]
fn what_another_run_wrote_goes_where_it_is_overwritten() {
    let place = Place::new();
    let shell = "<html><body><noscript>Please enable JavaScript</noscript><div id=root></div>\
                 <script src=a.js></script></body></html>";
    place.write("pages/1.html", shell);
    let run = place.dedup("pages");
    assert!(run.folder.join("needs.jsonl").exists());
    place.write("a.jsonl", records("jsonl").concat());
    let run = place.dedup("a.jsonl --force");
    assert!(!run.folder.join("needs.jsonl").exists());
    let run = place.dedup("a.jsonl --force --evidence parquet");
    assert!(run.folder.join("removed.parquet").exists() && !run.folder.join("removed.jsonl").exists());
}

#[test]
fn a_circle_of_links_is_gone_round_once() {
    let place = Place::new();
    place.write("crawl/day/a.jsonl", line("a", &prose("alpha", 60)));
    std::os::unix::fs::symlink("..", place.path("crawl/day/up")).unwrap();
    let run = place.dedup("crawl/**/*.jsonl");
    assert_eq!(run.count("read"), 1);
    assert!(!run.kept("day/a.jsonl").is_empty());
}
