//! Bad input is a counted line with its file and place, and the run goes on.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::archive::{self, Record, html};
use common::{Place, compressed, four_documents, line, prose, table, text_of};
use serde_json::Value;
use std::process::{Command, Stdio};

const MIB: usize = 1 << 20;

#[test]
fn lines_that_are_no_documents() {
    let place = Place::new();
    let good = [line("a", &prose("alpha", 30)), line("b", &prose("beta", 30))];
    let cases: [(&[u8], &str); 10] = [
        (b"{\"id\":\"x\",\"text\":\"cut\n", "json"),
        (b"no json at all\n", "json"),
        (b"[\"text\"]\n", "json"),
        (b"{\"id\":\"x\",\"text\":\"two\"} {\"text\":\"objects\"}\n", "json"),
        (b"{\"id\":\"x\",\"text\":\"bad escape \\q\"}\n", "json"),
        (b"{\"id\":\"x\",\"body\":\"y\"}\n", "missing-field"),
        (b"{\"id\":\"x\",\"text\":{\"a\":1}}\n", "field-type"),
        (b"{\"id\":\"x\",\"text\":17}\n", "field-type"),
        (b"{\"id\":\"x\",\"text\":\"caf\xe9 au lait\"}\n", "utf8"),
        (b"{\"id\":\"x\",\"text\":\"a NUL \\u0000 in it\"}\n", "nul"),
    ];
    for (bad, kind) in cases {
        place.write("a.jsonl", [good[0].as_bytes(), bad, good[1].as_bytes()].concat());
        let run = place.dedup("a.jsonl --force");
        let shown = String::from_utf8_lossy(bad).into_owned();
        assert_eq!(run.bad_kinds(), [kind], "{shown}");
        run.counted(3, 2, 0, 1);
        let line = &run.named(&[kind])[0];
        assert_eq!(line["source"], "a.jsonl");
        assert_eq!(line["offset"], good[0].len(), "{shown}");
        let length = line["length"].as_u64().unwrap() as usize;
        assert!(length == bad.len() || length == bad.len() - 1, "{shown}: {length}");
        assert_eq!(run.kept_ids("a.jsonl"), ["a", "b"], "a bad line is not kept");
    }
}

#[test]
fn a_field_that_no_record_has_is_told_with_the_flag_that_names_it() {
    let place = Place::new();
    place.write("a.jsonl", "{\"id\":\"x\",\"content\":\"y\"}\n".repeat(3));
    let told = "hint: no record has a text in `text`; --text-field names the field that has it";
    let ran = place.run("dedup a.jsonl --output out").ok();
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    place.write("b.jsonl", line("b", "some words here"));
    assert!(!place.run("dedup a.jsonl b.jsonl --output two").ok().stderr.contains("hint"));
}

#[test]
fn a_null_text_is_named() {
    let place = Place::new();
    place.write("a.jsonl", line("a", "some words here") + "{\"id\":\"x\",\"text\":null}\n");
    let run = place.dedup("a.jsonl");
    run.counted(2, 1, 0, 1);
    assert!(["missing-field", "field-type"].contains(&&*run.bad_kinds()[0]));
}

#[test]
fn raw_nul_bytes_in_lines_and_texts() {
    let place = Place::new();
    let good = line("a", &prose("alpha", 30));
    place.write("a.jsonl", [good.as_bytes(), b"{\"id\":\"x\",\"text\":\"a\0b\"}\n"].concat());
    let run = place.dedup_to("a.jsonl", "lines");
    run.counted(2, 1, 0, 1);
    run.named(&["nul"]);
    // Between the values of a line, in a file full of them as a crash leaves it, and among the rows of a table.
    let hole = [good.as_bytes(), &[0; 4000], b"\n"].concat();
    let full = [b"\0\0\0\0 some words \0\0\0\0".as_slice(); 40].concat();
    let row = format!("id,text\na,{}\nb,some\0words\n", prose("gamma", 30)).into_bytes();
    let between = [good.as_bytes(), b"{\"id\":\"x\",\0\"text\":\"a\"}\n"].concat();
    for (name, bytes) in [("hole.jsonl", hole), ("full.txt", full), ("rows.csv", row), ("b.jsonl", between)] {
        place.write(name, bytes);
        let run = place.dedup_to(name, &format!("out-{name}"));
        assert_eq!(run.count("bad"), 1, "{name}");
        run.named(&["nul"]);
    }
    // What is no text for other reasons is not blamed on its NULs.
    place.write("x.bin", [[0u8, 0xff, 0x81, 7, 0xc3, 3], [1, 2, 3, 4, 5, 6]].concat().repeat(50));
    place.dedup_to("x.bin", "binary").named(&["unrecognised"]);
    place.write("b.txt", [prose("beta", 60).as_bytes(), b" \0 and more"].concat());
    let run = place.dedup_to("b.txt", "text");
    run.counted(1, 0, 0, 1);
    run.named(&["nul"]);
}

#[test]
fn texts_that_are_not_utf8() {
    let place = Place::new();
    place.write("a.txt", [prose("alpha", 30).as_bytes(), b" caf\xe9 \xff\xfe"].concat());
    let record = Record::conversion("x", "http://x/", "")
        .body([b"words \xc3\x28 ", prose("beta", 30).as_bytes()].concat());
    place.write("b.wet", record.bytes());
    place.write("c.csv", b"id,text\na,caf\xe9 au lait\nb,fine words\n");
    let run = place.dedup("a.txt b.wet c.csv");
    assert_eq!(run.count("read"), 4);
    assert_eq!(run.count("kept") + run.count("bad"), 4);
    assert!(run.bad_kinds().iter().all(|kind| kind == "utf8") && run.count("bad") >= 2, "{:?}", run.bad());
}

#[test]
fn compressed_files_that_end_early() {
    let documents: Vec<String> =
        (0..2000).map(|n| line(&format!("d{n}"), &prose(&format!("t{n}x"), 20))).collect();
    let whole = documents.concat();
    for (how, name) in [("gzip", "a.jsonl.gz"), ("zstd", "a.jsonl.zst"), ("lz4", "a.jsonl.lz4")] {
        let place = Place::new();
        let bytes = compressed::compress(how, &[&whole]);
        place.write(name, &bytes[..bytes.len() * 3 / 4]);
        let run = place.dedup(&format!("{name} --method exact"));
        let bad = run.named(&["truncated"]);
        assert_eq!(bad[0]["source"], name);
        let (read, kept) = (run.count("read"), run.count("kept"));
        assert_eq!(read, kept + 1, "{how}: the records before the cut are there");
        assert!(kept > 500, "{how}: {kept}");
        // What is kept is whole again, and nothing but whole lines.
        let text = String::from_utf8(compressed::decompress(how, &run.kept(name))).unwrap();
        assert_eq!(text, documents[..kept as usize].concat(), "{how}");
    }
}

#[test]
fn a_gzip_cut_in_its_last_member() {
    let place = Place::new();
    let records: Vec<Vec<u8>> = (0..5)
        .map(|n| {
            Record::conversion(&format!("r{n}"), &format!("http://x/{n}"), &prose(&format!("t{n}x"), 60))
                .bytes()
        })
        .collect();
    let bytes = compressed::compress("gzip-members", &records);
    place.write("a.wet.gz", &bytes[..bytes.len() - 20]);
    let run = place.dedup("a.wet.gz");
    run.counted(5, 4, 0, 1);
    run.named(&["truncated"]);
    assert_eq!(compressed::decompress("gzip", &run.kept("a.wet.gz")), records[..4].concat());
    // Only the header of a member is left.
    let start = compressed::compress("gzip-members", &records[..4]).len();
    place.write("a.wet.gz", &bytes[..start + 5]);
    let run = place.dedup("a.wet.gz --force");
    run.counted(5, 4, 0, 1);
}

#[test]
fn a_damaged_member_costs_its_own_record_only() {
    let place = Place::new();
    let records: Vec<Vec<u8>> = (0..5)
        .map(|n| {
            Record::conversion(&format!("r{n}"), &format!("http://x/{n}"), &prose(&format!("t{n}x"), 60))
                .bytes()
        })
        .collect();
    let mut members: Vec<Vec<u8>> = records.iter().map(|record| compressed::gzip(record)).collect();
    let middle = members[2].len() / 2;
    members[2][middle..middle + 8].fill(0x55);
    place.write("a.wet.gz", members.concat());
    let run = place.dedup("a.wet.gz");
    run.counted(5, 4, 0, 1);
    let bad = &run.bad()[0];
    assert_eq!(bad["offset"], members[..2].concat().len());
    members.remove(2);
    assert!(run.kept("a.wet.gz") == members.concat(), "the other members are copied as they are");
}

#[test]
fn damage_inside_one_stream_is_named_and_not_read_as_the_end() {
    let place = Place::new();
    let documents: String =
        (0..3000).map(|n| line(&format!("d{n}"), &prose(&format!("t{n}x"), 20))).collect();
    for (how, name) in [("gzip", "a.gz"), ("zstd", "a.zst")] {
        let mut bytes = compressed::compress(how, &[&documents]);
        let middle = bytes.len() * 2 / 3;
        bytes[middle..middle + 64].fill(0xff);
        place.write(name, bytes);
        let run = place.dedup_to(&format!("{name} --method exact"), how);
        assert!(run.count("bad") >= 1, "{how}: {}", run.manifest()["counts"]);
        assert_eq!(run.count("read"), run.count("kept") + run.count("removed") + run.count("bad"));
    }
}

#[test]
fn bytes_behind_the_last_gzip_member_are_not_lost_in_silence() {
    let place = Place::new();
    let mut bytes = compressed::gzip(four_documents().as_bytes());
    bytes.extend_from_slice(b"garbage behind the end");
    place.write("a.jsonl.gz", bytes);
    let run = place.dedup("a.jsonl.gz");
    assert_eq!(run.count("kept") + run.count("removed"), 4);
    assert_eq!(run.count("bad"), 1, "{:?}", run.bad());
}

#[test]
fn a_last_record_that_is_cut() {
    let place = Place::new();
    let record = |n: usize| {
        Record::conversion(&format!("r{n}"), &format!("http://x/{n}"), &prose(&format!("t{n}x"), 60)).bytes()
    };
    let bytes = [record(0), record(1)].concat();
    place.write("a.wet", &bytes[..bytes.len() - 100]);
    let run = place.dedup("a.wet");
    run.counted(2, 1, 0, 1);
    assert_eq!(run.bad()[0]["offset"], record(0).len());
    assert_eq!(run.kept("a.wet"), record(0));
}

#[test]
fn a_header_that_cannot_be_read() {
    let place = Place::new();
    let record = |n: usize| {
        Record::conversion(&format!("r{n}"), &format!("http://x/{n}"), &prose(&format!("t{n}x"), 60)).bytes()
    };
    let broken = b"WARC/1.0\r\nWARC-Type conversion\r\nContent-Length: many\r\n\r\nbody\r\n\r\n".to_vec();
    place.write("a.wet", [record(0), broken, record(2)].concat());
    let run = place.dedup("a.wet");
    run.counted(3, 2, 0, 1);
    assert_eq!(archive::ids(&archive::parse(&run.kept("a.wet"))), ["r0", "r2"]);
}

#[test]
fn an_http_body_that_does_not_decode() {
    let coded = |id: &str, coding: &str, body: &[u8]| {
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {coding}\r\n\r\n");
        Record::response(id, &format!("http://x/{id}"), "").body([head.as_bytes(), body].concat()).bytes()
    };
    // Several blocks of zstd.
    let page = html(&prose("alpha", 60_000));
    let (gzip, zstd) = (compressed::gzip(page.as_bytes()), compressed::zstd(page.as_bytes()));
    // A checksum tells of any damage in gzip; here zstd has none, but a block of no known kind.
    for (coding, damaged, whole) in [("gzip", 40, gzip), ("zstd", zstd.len() / 2, zstd)] {
        let mut corrupt = whole.clone();
        let middle = corrupt.len() / 2;
        corrupt[middle..middle + damaged].fill(0xff);
        let place = Place::new();
        let good = Record::response("good", "http://x/good", &html(&prose("beta", 40))).bytes();
        place.write(
            "a.warc",
            [
                coded("corrupt", coding, &corrupt),
                coded("noise", "br", &[0xff; 300]),
                // A crawl that stops at a size leaves such bodies: what is there is compared, as a browser shows it.
                coded("cut", coding, &whole[..whole.len() * 3 / 4]),
                good,
            ]
            .concat(),
        );
        let run = place.dedup("a.warc");
        run.counted(4, 2, 0, 2);
        assert_eq!(run.bad_kinds(), ["http", "http"], "{coding}");
        assert_eq!(archive::ids(&archive::parse(&run.kept("a.warc"))), ["cut", "good"], "{coding}");
    }
}

#[test]
fn an_http_body_of_another_coding_than_it_says() {
    let place = Place::new();
    let page = html(&prose("alpha", 60));
    let noise: Vec<u8> = (0..3000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let of_type = |id: &str, coding: &str, kind: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Encoding: {coding}\r\n\r\n");
        Record::response(id, &format!("http://x/{id}"), "").body([head.as_bytes(), body].concat()).bytes()
    };
    let zstd = compressed::zstd(page.as_bytes());
    let records = [
        of_type("1", "gzip", "text/html", &zstd),
        of_type("2", "gzip", "text/html", &noise),
        of_type("3", "zstd", "text/plain", &noise),
        // A coding that was undone, and what is no page whatever its coding.
        of_type("4", "gzip", "text/html", page.as_bytes()),
        of_type("5", "gzip", "application/octet-stream", &noise),
        of_type("6", "gzip", "image/png", &noise),
        // What does decode, to no page.
        of_type("7", "gzip", "text/html", &compressed::gzip(&noise)),
    ];
    place.write("a.warc", records.concat());
    let run = place.dedup("a.warc");
    run.counted(4, 1, 0, 3);
    assert_eq!(run.bad_kinds(), ["http"; 3]);
    assert!(text_of(&run.bad()[0]["message"]).starts_with("content encoding gzip: expected it or a page"));
    assert_eq!(archive::ids(&archive::parse(&run.kept("a.warc"))), ["4", "5", "6", "7"]);
}

#[test]
fn a_file_that_is_nothing_known() {
    let place = Place::new();
    let noise: Vec<u8> = (0..5000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    place.write("in/noise.jsonl", &noise);
    place.write("in/noise.gz", [&[0x1f, 0x8b, 8, 0][..], &noise].concat());
    place.write("in/noise.parquet", [b"PAR1".as_slice(), &noise].concat());
    place.write("in/noise.png", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &noise].concat());
    place.write("in/good.jsonl", four_documents());
    let run = place.dedup("in");
    // A picture is known, though it has no text.
    run.counted(7, 2, 2, 3);
    assert_eq!(run.manifest()["pages"]["skipped"]["image"], 1);
    let sources: Vec<String> = run.bad().iter().map(|line| text_of(&line["source"])).collect();
    for name in ["in/noise.gz", "in/noise.jsonl", "in/noise.parquet"] {
        assert!(sources.contains(&name.to_owned()), "{name} in {sources:?}");
    }
    assert!(!run.folder.join("kept/noise.jsonl").exists());
}

#[test]
fn places_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("in/good.jsonl", four_documents());
    std::os::unix::fs::symlink("nowhere", place.path("in/dangling.jsonl")).unwrap();
    let run = place.dedup_to("in", "linked");
    run.counted(5, 2, 2, 1);
    assert_eq!(text_of(&run.named(&["permission"])[0]["source"]), "in/dangling.jsonl");
    place.write("in/closed/a.jsonl", four_documents());
    place.write("in/shut.jsonl", four_documents());
    let forbid =
        |name: &str| fs_err::set_permissions(place.path(name), PermissionsExt::from_mode(0o000)).unwrap();
    forbid("in/closed");
    forbid("in/shut.jsonl");
    place.write("list", "in/closed/a.jsonl\nin/good.jsonl\n");
    // However it is named, what may not be read is a bad record and the rest is read.
    let ways = [
        ("in", vec!["in/closed", "in/dangling.jsonl", "in/shut.jsonl"]),
        ("in/*", vec!["in/closed", "in/dangling.jsonl", "in/shut.jsonl"]),
        ("in/**/*.jsonl", vec!["in/closed", "in/dangling.jsonl", "in/shut.jsonl"]),
        ("in/**/*", vec!["in/closed", "in/dangling.jsonl", "in/shut.jsonl"]),
        ("in/**", vec!["in/closed", "in/dangling.jsonl", "in/shut.jsonl"]),
        ("in/good.jsonl in/closed/*", vec!["in/closed"]),
        ("--files-from list", vec!["in/closed/a.jsonl"]),
        ("in/good.jsonl in/shut.jsonl", vec!["in/shut.jsonl"]),
    ];
    for (number, (named, forbidden)) in ways.into_iter().enumerate() {
        let output = format!("closed{number}");
        let Some(mut command) = without_privilege(&place, &format!("dedup {named} --output {output}")) else {
            onefold_testkit::skip("this user may read everything");
            break;
        };
        common::Ran::from(command.output().unwrap()).ok();
        let run = place.finished(&output);
        let mut sources: Vec<_> = run.bad().iter().map(|bad| text_of(&bad["source"])).collect();
        sources.sort();
        assert_eq!(sources, forbidden, "{named}");
        assert_eq!(run.bad_kinds(), vec!["permission"; forbidden.len()], "{named}");
        let bad = forbidden.len() as u64;
        run.counted(4 + bad, 2, 2, bad);
    }
    // A folder whose names may be read, and nothing else.
    place.write("listed/a.jsonl", four_documents());
    std::os::unix::fs::symlink("nowhere", place.path("listed/link.jsonl")).unwrap();
    std::os::unix::fs::symlink("in/closed/a.jsonl", place.path("link.jsonl")).unwrap();
    fs_err::set_permissions(place.path("listed"), PermissionsExt::from_mode(0o644)).unwrap();
    if let Some(mut command) = without_privilege(&place, "dedup listed li*.jsonl in/dang* --output named") {
        common::Ran::from(command.output().unwrap()).ok();
        let bad = place.finished("named").bad();
        let messages: Vec<_> =
            bad.iter().map(|bad| (text_of(&bad["source"]), text_of(&bad["message"]))).collect();
        let denied = "Permission denied (os error 13)";
        let expected = [
            ("listed/a.jsonl", denied.to_owned()),
            ("listed/link.jsonl", denied.to_owned()),
            ("link.jsonl", format!("a link that cannot be followed: {denied}")),
            ("in/dangling.jsonl", "a link to nothing".to_owned()),
        ];
        assert_eq!(messages, expected.map(|(source, message)| (source.to_owned(), message)));
    }
    for folder in ["listed", "in/closed"] {
        fs_err::set_permissions(place.path(folder), PermissionsExt::from_mode(0o700)).unwrap();
    }
}

/// The command as a user to whom permissions apply; root gives up what puts it above them.
fn without_privilege(place: &Place, arguments: &str) -> Option<Command> {
    let command = place.command(arguments);
    if fs_err::read_dir(place.path("in/closed")).is_err() {
        return Some(command);
    }
    let mut lowered = Command::new("setpriv");
    lowered.arg("--bounding-set=-dac_override,-dac_read_search").arg(command.get_program());
    lowered.args(command.get_args()).current_dir(place.path("")).stdin(Stdio::null());
    Command::new("setpriv").arg("--version").output().ok().map(|_| lowered)
}

#[test]
fn a_link_that_leads_nowhere_when_named_itself() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    std::os::unix::fs::symlink("nowhere", place.path("link.jsonl")).unwrap();
    place.run("dedup a.jsonl link.jsonl --output out").fails(2, &["link.jsonl", "no such file"]);
}

#[test]
fn a_pipe_or_device_in_a_folder_does_not_hang_the_run() {
    let place = Place::new();
    place.write("in/a.jsonl", four_documents());
    let made = std::process::Command::new("mkfifo").arg(place.path("in/pipe")).status();
    if !made.is_ok_and(|status| status.success()) {
        onefold_testkit::skip("no mkfifo");
        return;
    }
    place.dedup("in").counted(4, 2, 2, 0);
}

#[test]
fn a_line_of_a_gigabyte_is_one_bad_record_in_little_memory() {
    let place = Place::new();
    let good = [line("a", &prose("alpha", 30)), line("b", &prose("beta", 30))];
    let head = format!("{}{{\"id\":\"x\",\"text\":\"", good[0]);
    let tail = format!("\"}}\n{}", good[1]);
    let bytes = compressed::gzip_repeated(head.as_bytes(), &vec![b'a'; MIB], 1024, tail.as_bytes());
    assert!(bytes.len() < 4 * MIB);
    place.write("a.jsonl.gz", bytes);
    let run = place.dedup("a.jsonl.gz --memory 128MiB");
    run.counted(3, 2, 0, 1);
    let bad = &run.named(&["too-large"])[0];
    assert_eq!(bad["offset"], good[0].len());
    let length = bad["length"].as_u64().unwrap() as usize;
    assert!((1024 * MIB..1024 * MIB + 100).contains(&length), "{length}");
    let peak = run.manifest()["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < 128 * MIB as u64, "{peak} bytes of memory");
    assert_eq!(compressed::decompress("gzip", &run.kept("a.jsonl.gz")), good.concat().into_bytes());
}

#[test]
fn a_gzip_bomb_in_an_http_body_is_one_bad_record_in_little_memory() {
    let place = Place::new();
    let bomb = compressed::gzip_repeated(b"<html><p>", &vec![b' '; MIB], 400, b"</p></html>");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n";
    let record = Record::response("bomb", "http://x/bomb", "").body([head.as_bytes(), &bomb].concat());
    let records = [
        Record::response("a", "http://x/a", &html(&prose("alpha", 40))),
        record,
        Record::response("b", "http://x/b", &html(&prose("beta", 40))),
    ];
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc --memory 256MiB");
    run.counted(3, 2, 0, 1);
    run.named(&["too-large"]);
    let peak = run.manifest()["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < 256 * MIB as u64, "{peak} bytes of memory");
    assert_eq!(archive::ids(&archive::parse(&run.kept("a.warc"))), ["a", "b"]);
}

#[test]
fn a_gzip_bomb_for_a_file_is_one_bad_record_in_little_memory() {
    let place = Place::new();
    let record = |n: usize| {
        Record::conversion(&format!("r{n}"), &format!("http://x/{n}"), &prose(&format!("t{n}x"), 60)).bytes()
    };
    let whole = Record::conversion("bomb", "http://x/bomb", "").bytes_claiming(400 * MIB);
    let head = &whole[..whole.len() - 4];
    let bomb = compressed::gzip_repeated(head, &vec![b'a'; MIB], 400, b"\r\n\r\n");
    place.write("a.wet.gz", [compressed::gzip(&record(0)), bomb, compressed::gzip(&record(1))].concat());
    let run = place.dedup("a.wet.gz --memory 256MiB");
    run.counted(3, 2, 0, 1);
    run.named(&["too-large"]);
    assert!(run.manifest()["peak_memory_bytes"].as_u64().unwrap() < 256 * MIB as u64);
    // A text of zeros is a bomb too.
    place.write("b.txt.gz", compressed::gzip_repeated(b"start ", &vec![b'a'; MIB], 400, b" end"));
    let run = place.dedup_to("b.txt.gz --memory 256MiB", "text");
    run.counted(1, 0, 0, 1);
    run.named(&["too-large"]);
    assert!(run.manifest()["peak_memory_bytes"].as_u64().unwrap() < 256 * MIB as u64);
}

#[test]
fn a_document_over_the_limit() {
    let place = Place::new();
    let long = line("long", &prose("alpha", 400));
    place.write("a.jsonl", long.clone() + &line("short", "a few words"));
    place.write("b.wet", Record::conversion("w", "http://x/", &prose("beta", 400)).bytes());
    place.write("c.txt", prose("gamma", 400));
    let run = place.dedup_to("a.jsonl b.wet c.txt --max-document 1KiB", "low");
    run.counted(4, 1, 0, 3);
    run.named(&["too-large"; 3]);
    place.dedup_to("a.jsonl b.wet c.txt --max-document 100KiB", "high").counted(4, 4, 0, 0);
    // The default is 32 MiB.
    let huge = line("huge", &"word ".repeat(7 * MIB));
    assert!(huge.len() > 32 * MIB);
    place.write("d.jsonl", huge);
    place.dedup_to("d.jsonl --method exact", "default").counted(1, 0, 0, 1);
    place.dedup_to("d.jsonl --method exact --max-document 64MiB", "more").counted(1, 1, 0, 0);
}

#[test]
fn bad_records_are_fatal_from_a_number_on() {
    let place = Place::new();
    place.write("a.jsonl", four_documents() + "bad\nbad\nbad\n");
    place.dedup_to("a.jsonl", "none").counted(7, 2, 2, 3);
    place.dedup_to("a.jsonl --max-bad-records 4", "four").counted(7, 2, 2, 3);
    for limit in [0, 1, 2] {
        let arguments = format!("dedup a.jsonl --output out --max-bad-records {limit}");
        place.run(&arguments).fails(2, &["bad", "--max-bad-records", "a.jsonl"]);
        let left = common::tree(&place.path("out"));
        assert!(left.keys().all(|path| path.starts_with(".onefold")), "{:?}", left.keys());
    }
    place.run("pairs a.jsonl --max-bad-records 1").fails(2, &["--max-bad-records"]);
    place.run("pairs a.jsonl").ok();
    // Files that cannot be read count as well.
    fs_err::create_dir(place.path("in")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.path("in/x")).unwrap();
    place.write("in/a.jsonl", four_documents());
    place.run("dedup in --output two --max-bad-records 0").fails(2, &["--max-bad-records"]);
}

#[test]
fn too_many_bad_records_are_told_alike_in_every_run() {
    let place = Place::new();
    let good = line("a", &prose("alpha", 20));
    // More than a block of them.
    place.write("a.jsonl", good.clone() + &"bad\n".repeat(60_000));
    let expected = format!(
        "more than 7000 bad records, the most that --max-bad-records allows; one of the first: a.jsonl: record at {}: ",
        good.len()
    );
    for run in 0..4 {
        let ran = place.run(&format!("dedup a.jsonl --output out{run} --threads 4 --max-bad-records 7000"));
        ran.fails(2, &[&expected]);
    }
    // The same of what was read before.
    let copies = (0..1200).map(|n| line(&format!("c{n}"), &prose("beta", 20))).collect::<String>();
    place.write("b.jsonl", format!("{good}bad\n{copies}bad\n"));
    place.run("dedup b.jsonl --output stopped").fails(2, &["--max-removed"]);
    let named = format!(
        "more than 1 bad records, the most that --max-bad-records allows; one of the first: b.jsonl: record at {}",
        good.len()
    );
    place.run("dedup b.jsonl --output stopped --resume --max-bad-records 1").fails(2, &[&named]);
}

#[test]
fn bad_records_are_named_where_no_folder_is_written() {
    let place = Place::new();
    let good = line("a", &prose("alpha", 20));
    place.write("a.jsonl", good.clone() + &"bad\n".repeat(12));
    let ran = place.run("dedup a.jsonl --output -").ok();
    assert_eq!(ran.text(), good);
    assert!(ran.stderr.contains("12 json") && !ran.stderr.contains("bad.jsonl"), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("note: a.jsonl: record at ").count(), 10, "{}", ran.stderr);
    for place in [good.len(), good.len() + 36] {
        assert!(ran.stderr.contains(&format!("note: a.jsonl: record at {place}: ")), "{}", ran.stderr);
    }
    assert!(ran.stderr.contains("note: and 2 more bad records"), "{}", ran.stderr);
    assert_eq!(place.run("dedup a.jsonl --output - --quiet").ok().stderr, "");
    let ran = place.run("dedup a.jsonl --output - --json").ok();
    let told: serde_json::Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(told["first_bad"].as_array().unwrap().len(), 10);
    assert_eq!(told["first_bad"][0]["offset"], good.len());
    let ran = place.run("dedup a.jsonl --output out").ok();
    assert!(ran.stderr.contains("see bad.jsonl") && !ran.stderr.contains("note:"), "{}", ran.stderr);
}

#[test]
fn as_many_bad_records_as_are_allowed_do_not_end_a_run() {
    let place = Place::new();
    place.write("a.jsonl", four_documents() + "bad\nbad\n");
    place.dedup("a.jsonl --max-bad-records 2").counted(6, 2, 2, 2);
    place.run("dedup a.jsonl --output one --max-bad-records 1").fails(2, &["a.jsonl", "--max-bad-records"]);
    assert!(!place.path("one/kept").exists() && !place.path("one/manifest.json").exists());
}

#[test]
fn empty_files_are_a_note() {
    let place = Place::new();
    place.write("in/a.jsonl", four_documents());
    place.write("in/empty.jsonl", "");
    place.write("in/nothing.gz", compressed::gzip(b""));
    place.write("in/nothing.zst", compressed::zstd(b""));
    let run = place.dedup("in");
    run.counted(4, 2, 2, 0);
    let notes = run.manifest()["notes"].to_string();
    for name in ["empty.jsonl", "nothing.gz", "nothing.zst"] {
        assert!(notes.contains(name), "{name} in {notes}");
        assert!(run.stderr.contains(name), "{name} in {}", run.stderr);
    }
}

#[test]
fn empty_and_blank_files_are_inputs_of_the_run() {
    let place = Place::new();
    place.write("e.jsonl", "");
    place.write("docs.jsonl", four_documents());
    place.write("b.jsonl", "\n\n");
    let arguments = "e.jsonl docs.jsonl b.jsonl";
    let run = place.dedup(arguments);
    run.counted(4, 2, 2, 0);
    let manifest = run.manifest();
    let inputs = manifest["inputs"].as_array().unwrap();
    let told = |name: &str| inputs.iter().map(|input| input[name].clone()).collect::<Vec<_>>();
    assert_eq!(told("source"), ["e.jsonl", "docs.jsonl", "b.jsonl"]);
    assert_eq!(told("read"), [0, 4, 0]);
    assert_eq!((&inputs[0]["size"], &inputs[2]["size"]), (&0.into(), &2.into()));
    // XXH3-128 of nothing, by its definition.
    assert_eq!(inputs[0]["xxh3_128"], "99aa06d3014798d86001c324468d497f");
    assert_ne!(inputs[2]["xxh3_128"], inputs[0]["xxh3_128"]);
    for nothing in ["output", "format", "compression"] {
        assert_eq!([&inputs[0][nothing], &inputs[2][nothing]], [&Value::Null; 2]);
        assert!(inputs[1][nothing].is_string());
    }
    let notes = manifest["notes"].to_string();
    assert!(notes.contains("e.jsonl: empty file") && notes.contains("b.jsonl: blank file"), "{notes}");
    assert!(!run.folder.join("kept/e.jsonl").exists() && !run.folder.join("kept/b.jsonl").exists());
    // What reads a run goes on to.
    let removed = run.removed_ids()[0].clone();
    assert!(place.run(&format!("explain out {removed}")).ok().text().contains("removed"));
    let imported = place.run("index import pages out").ok().json();
    assert_eq!(imported[0]["documents"], 4);
    let again = place.run(&format!("dedup {arguments} --output out --resume")).ok();
    assert!(again.stderr.contains("finished before"), "{}", again.stderr);
    let printed = place.run(&format!("dedup {arguments} --output - --quiet")).ok();
    assert_eq!(printed.stdout, run.kept("docs.jsonl"));
    // Blank still, and not as it was.
    place.write("b.jsonl", "\r\n");
    place.run(&format!("dedup {arguments} --output out --resume")).fails(2, &["an input"]);
}

#[test]
fn nothing_but_empty_files_is_no_failure() {
    let place = Place::new();
    place.write("empty.jsonl", "");
    place.dedup("empty.jsonl").counted(0, 0, 0, 0);
    fs_err::create_dir(place.path("folder")).unwrap();
    place.dedup_to("folder", "none").counted(0, 0, 0, 0);
    place.write("blank.jsonl", "\n\n");
    place.dedup_to("blank.jsonl", "blank").counted(0, 0, 0, 0);
}

#[test]
fn a_file_of_records_that_is_one_document_is_not_what_its_name_says() {
    let place = Place::new();
    let page = html(&prose("error", 60));
    let text = prose("plain", 60);
    let wide = |text: &str, swap: bool| -> Vec<u8> {
        text.encode_utf16()
            .flat_map(|unit| if swap { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect()
    };
    let lines = line("1", &prose("a", 60)) + &line("2", &prose("b", 60));
    let rows = format!("id,text\n1,{text}\n2,{text}\n");
    let cases: [(&str, Vec<u8>, &str, &str); 15] = [
        ("a.warc.gz", page.clone().into_bytes(), "WARC", "a page of HTML"),
        ("b.warc.gz", compressed::gzip(page.as_bytes()), "WARC", "a page of HTML"),
        ("c.warc", text.clone().into_bytes(), "WARC", "plain text"),
        ("d.wet.gz", compressed::gzip(text.as_bytes()), "WARC", "plain text"),
        ("e.arc.gz", page.clone().into_bytes(), "ARC", "a page of HTML"),
        ("f.jsonl", page.clone().into_bytes(), "JSONL", "a page of HTML"),
        ("g.parquet", page.clone().into_bytes(), "Parquet", "a page of HTML"),
        ("h.parquet", text.clone().into_bytes(), "Parquet", "plain text"),
        ("i.csv", page.clone().into_bytes(), "CSV", "a page of HTML"),
        ("j.tsv.gz", compressed::gzip(page.as_bytes()), "TSV", "a page of HTML"),
        ("k.jsonl", wide(&lines, false), "JSONL", "UTF-16"),
        ("l.jsonl", wide(&lines, true), "JSONL", "UTF-16"),
        ("m.csv", wide(&rows, false), "CSV", "UTF-16"),
        ("n.tsv", wide(&rows.replace(',', "\t"), true), "TSV", "UTF-16"),
        ("o.jsonl", b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n".to_vec(), "JSONL", "another type"),
    ];
    for (name, bytes, ..) in &cases {
        place.write(format!("in/{name}"), bytes);
    }
    let run = place.dedup("in");
    run.counted(15, 0, 0, 15);
    for (bad, (name, bytes, records, found)) in run.named(&["unrecognised"; 15]).iter().zip(&cases) {
        assert_eq!(bad["source"], format!("in/{name}"));
        assert_eq!(bad["offset"], 0, "{name}");
        let message = text_of(&bad["message"]);
        assert!(message.starts_with(&format!("expected {records} by the name")), "{name}: {message}");
        assert!(message.contains(found), "{name}: {message}");
        assert!(bad["length"].as_u64().unwrap() > 0 && !bytes.is_empty());
    }
    // No verdict is asked for what is no document, and one too many is one too many.
    place.dedup_to("in --annotate", "annotated").counted(15, 0, 0, 15);
    assert_eq!(place.run("dedup in --max-bad-records 14 --output refused").code, Some(2));
}

#[test]
fn records_under_the_name_of_others_are_read_by_their_content() {
    let place = Place::new();
    let text = |topic: &str| prose(topic, 60);
    let record = Record::response("r", "http://x/", &html(&text("alpha"))).bytes();
    let lines = line("1", &text("beta")) + &line("2", &text("beta"));
    place.write("in/a.jsonl", &record);
    place.write("in/b.jsonl", compressed::gzip(lines.as_bytes()));
    place.write("in/c.warc", format!("id,text\n1,{}\n", text("gamma")));
    place.write("in/d.parquet", line("3", &text("delta")));
    place.write("in/e.csv", table::table(&[("text", vec![Some(text("epsilon").as_str())])]));
    // A page of an error in front of the records costs no record.
    place.write("in/f.jsonl", "<html>\n".to_owned() + &line("4", &text("zeta")) + &line("5", &text("eta")));
    let run = place.dedup("in");
    run.counted(9, 7, 1, 1);
    assert_eq!(run.bad_kinds(), ["json"]);
}

#[test]
fn nuls_in_texts_of_archives_are_named_however_many_they_are() {
    let place = Place::new();
    let text = |nuls: usize, end: &str| prose("alpha", 60) + &"\0".repeat(nuls) + " and more" + end;
    let response = |id: &str, kind: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n");
        Record::response(id, &format!("http://x/{id}"), "").body([head.as_bytes(), body].concat())
    };
    let mut records = Vec::new();
    for nuls in [1, 2, 5, 40] {
        for end in ["", "."] {
            let id = format!("n{nuls}{end}");
            records.push(response(&id, "text/plain", text(nuls, end).as_bytes()));
            records.push(Record::conversion(&format!("c{id}"), "http://c/", &text(nuls, end)));
        }
    }
    let far = prose("beta", 2000) + "\0 and more";
    records.push(response("far", "text/plain; charset=utf-8", far.as_bytes()));
    let faults = records.len() as u64;
    let wide: Vec<u8> = prose("gamma", 60).encode_utf16().flat_map(u16::to_le_bytes).collect();
    records.push(response("wide", "text/plain; charset=utf-16le", &wide));
    records.push(response("wide2", "text/plain", &wide));
    records.push(response("page", "text/html", html(&(prose("delta", 60) + " \0")).as_bytes()));
    // What is packed is full of NULs and no text.
    records.push(response("tar", "application/x-tar", &[b"a.txt".as_slice(), &[0; 500]].concat()));
    place.write("a.warc", archive::bytes_of(&records).concat());
    let run = place.dedup("a.warc");
    run.counted(faults + 3, 2, 1, faults);
    run.named(&vec!["nul"; faults as usize]);
    assert_eq!(run.manifest()["pages"]["skipped"]["other"], 1);
}
