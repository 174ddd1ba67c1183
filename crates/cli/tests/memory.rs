//! `--memory` is kept by inputs of another shape than usual: large documents, many bad records, records tied to others,
//! all documents near each other.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod common;

use common::archive::{self, Record, html};
use common::{Place, assert_same_output, compressed, line};
use std::io::{Read as _, Write as _};

const MIB: u64 = 1 << 20;

/// Words that are a function of their number.
fn word(n: u64) -> String {
    format!("w{:x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44)
}

fn text(from: u64, words: u64) -> String {
    (from..from + words).map(word).collect::<Vec<_>>().join(" ")
}

fn lines_of(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

fn assert_kept(run: &common::Run, budget: u64) {
    let peak = run.manifest()["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak <= budget, "{peak} bytes under --memory {budget}");
}

#[test]
fn bad_records_are_not_held() {
    let place = Place::new();
    let mut lines: String = (0..300_000).map(|n| format!("{{\"bad\": {n}, x\n")).collect();
    lines += &line("good", &text(0, 50));
    place.write("a.jsonl", &lines);
    let run = place.dedup("a.jsonl --threads 2 --memory 60MiB");
    assert_eq!((run.count("bad"), run.count("kept")), (300_000, 1));
    assert_eq!(run.bad().len(), 300_000);
    assert_kept(&run, 60 * MIB);
}

#[test]
fn records_tied_to_documents_are_not_held() {
    let place = Place::new();
    let mut warc = String::new();
    let mut record = |kind: &str, id: u64, extra: &str, body: &str| {
        warc += &format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{kind}-{id:032}>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
             WARC-Target-URI: http://example.org/{id}\r\n{extra}Content-Length: {}\r\n\r\n{body}\r\n\r\n",
            body.len()
        );
    };
    const DOCUMENTS: u64 = 40_000;
    for id in 0..DOCUMENTS {
        let page = format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{}", text(id / 2 * 1000, 20));
        record("response", id, "Content-Type: application/http; msgtype=response\r\n", &page);
        let tied = format!("WARC-Concurrent-To: <urn:uuid:response-{id:032}>\r\n");
        record(
            "request",
            id,
            &format!("{tied}Content-Type: application/http; msgtype=request\r\n"),
            "GET / HTTP/1.1\r\n\r\n",
        );
        for number in 0..3 {
            record("metadata", id + DOCUMENTS * (number + 1), &tied, "outlink: http://example.org/");
        }
    }
    place.write("a.warc", &warc);
    let run = place.dedup("a.warc --threads 2 --memory 68MiB");
    assert_eq!((run.count("kept"), run.count("removed")), (DOCUMENTS / 2, DOCUMENTS / 2));
    let kept = run.kept_text("a.warc");
    assert_eq!(kept.matches("WARC-Type: request").count() as u64, DOCUMENTS / 2);
    assert_eq!(kept.matches("WARC-Type: metadata").count() as u64, 3 * DOCUMENTS / 2);
    assert_kept(&run, 68 * MIB);
}

#[test]
fn memory_that_was_freed_is_given_back() {
    let place = Place::new();
    let rows: String = (0..30).map(|n| format!("{n},\"{}\"\n", text(n * 1_000_000, 300_000))).collect();
    place.write("a.csv", format!("id,text\n{rows}"));
    assert!(rows.len() as u64 > 30 * 3 * MIB / 2);
    let run = place.dedup("a.csv --threads 2 --memory 60MiB");
    assert_eq!(run.count("kept"), 30);
    assert_kept(&run, 60 * MIB);
}

#[test]
fn all_near_each_other_is_no_square() {
    const DOCUMENTS: u64 = 12_000;
    let place = Place::new();
    let lines = (0..DOCUMENTS).map(|n| {
        let words: Vec<String> =
            (0..150).map(|at| if at % 150 == n % 150 { format!("x{n}") } else { word(at) }).collect();
        line(&n.to_string(), &words.join(" "))
    });
    place.write("a.jsonl", lines.collect::<String>());
    for (number, method) in
        ["--method simhash", "--method combined", "--method minhash", "--cluster components"]
            .iter()
            .enumerate()
    {
        let arguments = format!("a.jsonl --threads 2 --memory 80MiB --max-removed 1 {method}");
        let run = place.dedup_to(&arguments, &format!("out{number}"));
        assert!(run.count("removed_near") > DOCUMENTS / 2, "{method}");
        assert_kept(&run, 80 * MIB);
        if method.contains("components") {
            assert_eq!(run.count("kept"), 1);
            let compared = run.count("compared");
            assert!(compared < 2 * DOCUMENTS, "{compared} comparisons of {DOCUMENTS} documents");
        }
    }
}

/// Documents of passages out of one pool, so that each meets many others by chance and all are one component; every tenth
/// is the one before it with another passage, and every tenth the beginning of the one behind it.
fn one_component(documents: u64) -> String {
    const PASSAGES: u64 = 10;
    let passage = |n: u64| text(n * 1000, 24);
    let chosen = |document: u64, at: u64| {
        let mixed = (document * PASSAGES + at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40
    };
    let lines = (0..documents).map(|n| {
        let like = if n % 10 == 9 { n - 1 } else { n };
        let of = |at| if at == PASSAGES - 1 { chosen(n, at) } else { chosen(like, at) };
        let (of, passages): (&dyn Fn(u64) -> u64, u64) =
            if n % 10 == 5 { (&|at| chosen(n + 1, at), 2) } else { (&of, PASSAGES) };
        let words: Vec<String> = (0..passages).map(|at| passage(of(at) % (documents / 30))).collect();
        line(&n.to_string(), &words.join(" "))
    });
    lines.collect()
}

#[test]
fn a_component_that_does_not_fit_is_decided_in_blocks_to_the_same_bytes() {
    const DOCUMENTS: u64 = 20_000;
    let place = Place::new();
    place.write("a.jsonl", one_component(DOCUMENTS));
    for (number, flags) in [
        "",
        "--keep longest",
        "--cluster components",
        "--cluster components --keep longest",
        "--containment 0.9",
        "--containment 0.9 --keep longest",
    ]
    .iter()
    .enumerate()
    {
        let arguments = format!("a.jsonl --threshold 0.3 --max-removed 1 {flags}");
        let small =
            place.dedup_to(&format!("{arguments} --threads 1 --memory 40MiB"), &format!("small{number}"));
        let large = place.dedup_to(&format!("{arguments} --memory 2GiB"), &format!("large{number}"));
        assert!(small.count("removed_near") >= DOCUMENTS / 10 - 100, "{flags}");
        assert_same_output(&small.folder, &large.folder);
        assert_kept(&small, 40 * MIB);
    }
    let pairs = |budget: &str| place.run(&format!("pairs a.jsonl --threshold 0.3 {budget}")).ok().stdout;
    let listed = pairs("--threads 1 --memory 40MiB");
    assert!(lines_of(&listed) > DOCUMENTS / 10);
    assert!(listed == pairs("--memory 2GiB"), "pairs differ by --memory");
}

#[test]
fn records_that_are_no_documents_are_passed_over_and_not_held() {
    let place = Place::new();
    let mut state = 1u64;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    });
    let noise: Vec<u8> = noise.take(36 << 20).collect();
    let page =
        |id: &str| Record::response(id, &format!("http://x/{id}"), &html(&format!("page {id} of words")));
    let video = Record::new("response", "video")
        .with("WARC-Target-URI", "http://x/video")
        .with("Content-Type", "application/http; msgtype=response")
        .body([b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n", &*noise].concat());
    let records = archive::bytes_of(&[page("one"), video, page("two")]);
    for how in ["plain", "gzip-members"] {
        place.write("a.warc", compressed::compress(how, &records));
        let run = place.dedup_to("a.warc --threads 1 --memory 40MiB", how);
        run.counted(2, 2, 0, 0);
        assert_eq!(run.count("passed"), 1, "{how}");
        assert_kept(&run, 40 * MIB);
        assert!(compressed::decompress(how, &run.kept("a.warc")) == records.concat(), "{how}");
    }
}

#[test]
fn documents_that_leave_many_keys_are_read_a_few_at_a_time() {
    let place = Place::new();
    let lines = (0..3000).map(|n| line(&n.to_string(), &format!("{n} {}", word(n).repeat(3)).repeat(20)));
    place.write("a.jsonl", lines.collect::<String>());
    for (number, shape) in ["--signature 2000 --bands 1000 --rows 2", "--signature 16000"].iter().enumerate()
    {
        let small =
            place.dedup_to(&format!("a.jsonl {shape} --threads 1 --memory 40MiB"), &format!("s{number}"));
        assert_kept(&small, 40 * MIB);
        let large = place.dedup_to(&format!("a.jsonl {shape} --memory 2GiB"), &format!("l{number}"));
        assert_same_output(&small.folder, &large.folder);
    }
}

#[test]
fn pairs_of_documents_all_near_each_other_are_not_held() {
    const DOCUMENTS: u64 = 1_500;
    let place = Place::new();
    let lines = (0..DOCUMENTS).map(|n| {
        let words: Vec<String> =
            (0..150).map(|at| if at == n % 150 { format!("x{n}") } else { word(at) }).collect();
        line(&n.to_string(), &words.join(" "))
    });
    place.write("a.jsonl", lines.collect::<String>());
    let mut child = place.start(&mut place.command("pairs a.jsonl --quiet --threads 2 --memory 56MiB"));
    let mut out = child.stdout.take().unwrap();
    // What is listed comes after all that is compared, and waits for its reader.
    let mut listed = vec![0];
    out.read_exact(&mut listed).unwrap();
    let status = fs_err::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    out.read_to_end(&mut listed).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(lines_of(&listed), DOCUMENTS * (DOCUMENTS - 1) / 2 + 1);
    assert!(peak * 1024 <= 56 * MIB, "{peak} kB under --memory 56MiB");
    let free = place.run("pairs a.jsonl --quiet --memory 2GiB").ok();
    assert!(listed == free.stdout, "pairs differ by --memory");
}

#[test]
fn a_document_too_large_for_the_memory_is_refused_and_a_larger_budget_goes_on() {
    let place = Place::new();
    let large = line("large", &text(0, 2_000_000));
    let small: String = (0..8_000).map(|n| line(&n.to_string(), &text(n * 1000, 120))).collect();
    let length = large.len() as u64;
    assert!((8 * MIB..32 * MIB).contains(&length), "{length}");
    // In sight of the sample: refused at the start, and what is said to do does.
    place.write("first.jsonl", format!("{large}{small}"));
    let ran = place
        .run("dedup first.jsonl --output out --threads 2 --memory 64MiB")
        .fails(2, &["--memory", "MiB would do"]);
    assert!(common::tree(&place.path("out")).is_empty());
    let plan = place.run("dedup first.jsonl --plan --json --threads 2 --memory 64MiB").ok().json();
    assert!(plan[0]["refused"].as_str().is_some_and(|why| why.contains("64 MiB")), "{}", plan[0]);
    assert_eq!(plan[0]["memory_allowed_bytes"], 64 * MIB);
    let hint = ran.stderr.lines().find(|line| line.starts_with("hint")).expect("a hint");
    let size = hint.split_whitespace().find(|word| word.ends_with("MiB")).expect("a size");
    let run = place.dedup(&format!("first.jsonl --threads 2 --memory {size}"));
    assert_kept(&run, size.trim_end_matches("MiB").parse::<u64>().unwrap() * MIB);
    // Out of sight, behind what cannot be read from the middle on: the run stops there, and goes on with more.
    place.write("last.jsonl.gz", compressed::gzip(format!("{small}{large}").as_bytes()));
    let place_of = format!("record at {}", small.len());
    place
        .run("dedup last.jsonl.gz --output later --threads 2 --memory 64MiB")
        .fails(2, &["last.jsonl.gz", &place_of, "--max-document", "--resume"]);
    assert!(!place.path("later/manifest.json").exists());
    place.run(&format!("dedup last.jsonl.gz --output later --threads 2 --memory {size} --resume")).ok();
    let whole = place.dedup_to("last.jsonl.gz --threads 2", "whole");
    assert_same_output(&whole.folder, &place.path("later"));
    // As bad it is left out.
    let run = place.dedup_to("last.jsonl.gz --threads 2 --memory 64MiB --max-document 1MiB", "without");
    assert_eq!((run.count("bad"), run.count("kept")), (1, 8_000));
    assert_kept(&run, 64 * MIB);
}

#[test]
fn pages_of_tags_and_characters_that_stand_for_words_are_heavier_than_they_are_long() {
    let place = Place::new();
    let tags = |n: u64| format!("<html><title>{n}</title>{}", "<p>a<b>b</b>".repeat(350_000));
    let ligatures = |n: u64| line(&n.to_string(), &format!("{n}{}", " \u{fdfa}".repeat(500_000)));
    for n in 0..2 {
        place.write(format!("tags/{n}.html"), tags(n));
    }
    place.write("ligatures/a.jsonl", ligatures(0) + &ligatures(1));
    for input in ["tags", "ligatures"] {
        let command = format!("dedup {input} --output {input}-out --threads 2 --max-removed 1");
        let ran = place.run(&format!("{command} --memory 64MiB")).fails(2, &["MiB would do"]);
        let hint = ran.stderr.lines().find(|line| line.starts_with("hint")).expect("a hint");
        let size = hint.split_whitespace().find(|word| word.ends_with("MiB")).expect("a size");
        let arguments = format!("{input} --threads 2 --max-removed 1 --memory {size}");
        let run = place.dedup_to(&arguments, &format!("{input}-out"));
        assert_kept(&run, size.trim_end_matches("MiB").parse::<u64>().unwrap() * MIB);
    }
}

/// Three near copies of a text.
fn copies(text: &str) -> String {
    (0..3).map(|n| line(&format!("d{n}"), &format!("{text} {}", "more ".repeat(n)))).collect()
}

#[test]
fn texts_take_memory_by_their_shingles() {
    let place = Place::new();
    place.write("words.jsonl", copies(&text(0, 600_000)));
    let letter = |n: u64| char::from(b'a' + (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u8 % 26);
    let letters: String = (0..2_000_000).flat_map(|n| [letter(n), ' ']).collect();
    place.write("letters.jsonl", copies(&letters));
    for flags in [
        "words.jsonl --shingle char:5 --threads 1",
        "words.jsonl --shingle char:5 --method join --threads 4",
        "letters.jsonl --threads 2",
        "letters.jsonl --containment 0.9 --threads 4",
    ] {
        let refused =
            place.run(&format!("dedup {flags} --memory 1MiB --output refused")).fails(2, &["would do"]);
        let hint = refused.stderr.split("--memory ").last().unwrap().split("MiB").next().unwrap().to_owned();
        let run = place.dedup_to(&format!("{flags} --memory {hint}MiB --force"), "out");
        run.counted(3, 1, 2, 0);
        assert_kept(&run, hint.parse::<u64>().unwrap() * MIB);
    }
}

#[test]
fn a_table_of_one_row_group_is_read_and_written_in_parts_and_a_page_that_does_not_fit_is_refused() {
    let place = Place::new();
    let texts = || (0..15_000).map(|n| text(n * 10_000, 1_000));
    place.write("pages.parquet", common::table::one_group(texts(), 1 << 20));
    assert!(place.path("pages.parquet").metadata().unwrap().len() > 70 * MIB, "more than the budget");
    let run = place.dedup("pages.parquet --threads 2 --memory 112MiB");
    assert_eq!(run.count("kept"), 15_000);
    assert_kept(&run, 112 * MIB);
    place.write("page.parquet", common::table::one_group(texts(), 1 << 30));
    let ran =
        place.run("dedup page.parquet --output out2 --threads 2 --memory 112MiB").fails(2, &["--memory"]);
    let hint = ran.stderr.lines().find(|line| line.starts_with("hint")).expect("a hint");
    let size = hint.split_whitespace().find(|word| word.ends_with("MiB")).expect("a size");
    let run = place.dedup_to(&format!("page.parquet --threads 2 --memory {size}"), "out2");
    assert_eq!(run.count("kept"), 15_000);
    assert_kept(&run, size.trim_end_matches("MiB").parse::<u64>().unwrap() * MIB);
}

#[test]
fn a_table_of_many_columns_is_written_some_at_a_time() {
    let place = Place::new();
    place.write("a.parquet", common::table::many_columns(500, 1500));
    for (number, flag) in ["", "--annotate"].iter().enumerate() {
        let ran = place
            .run(&format!("dedup a.parquet --output none --threads 1 --memory 30MiB {flag}"))
            .fails(2, &["MiB would do"]);
        let hint = ran.stderr.lines().find(|line| line.starts_with("hint")).expect("a hint");
        let size = hint.split_whitespace().find(|word| word.ends_with("MiB")).expect("a size");
        let arguments = format!("a.parquet --threads 1 {flag} --memory {size}");
        let run = place.dedup_to(&arguments, &format!("out{number}"));
        assert_eq!(run.count("kept"), 500);
        assert_kept(&run, size.trim_end_matches("MiB").parse::<u64>().unwrap() * MIB);
    }
}

#[test]
fn more_documents_than_the_sample_let_expect_stop_the_run_and_a_larger_budget_goes_on() {
    let place = Place::new();
    let long: String = (0..2_000).map(|n| line(&format!("l{n}"), &text(n * 1000, 500))).collect();
    assert!(long.len() as u64 > 5 * MIB, "more than is sampled");
    let short: String = (0..150_000).map(|n| format!("{{\"text\":\"{n}\"}}\n")).collect();
    // Of one compressed stream the beginning is sampled.
    place.write("a.jsonl.gz", compressed::gzip((long + &short).as_bytes()));
    let flags = "--threads 1 --method exact --max-removed 1";
    let ran = place
        .run(&format!("dedup a.jsonl.gz --output out {flags} --memory 40MiB"))
        .fails(2, &["documents so far", "--memory allows 40 MiB", "--resume"]);
    assert!(!place.path("out/manifest.json").exists());
    let hint = ran.stderr.lines().find(|line| line.starts_with("hint")).expect("a hint");
    let size = hint.split_whitespace().find(|word| word.ends_with("MiB")).expect("a size");
    assert!(size.trim_end_matches("MiB").parse::<u64>().unwrap() < 80, "{size}");
    place.run(&format!("dedup a.jsonl.gz --output out {flags} --memory 80MiB --resume")).ok();
    let whole = place.dedup_to(&format!("a.jsonl.gz {flags}"), "whole");
    assert_same_output(&whole.folder, &place.path("out"));
}

#[test]
fn a_cluster_that_does_not_fit_as_a_row_is_refused_before_anything_is_written() {
    let place = Place::new();
    place.write(
        "a.jsonl",
        (0..200_000).map(|n| line(&n.to_string(), "one and the same text")).collect::<String>(),
    );
    let flags = "a.jsonl --threads 2 --max-removed 1 --evidence parquet";
    let ran = place
        .run(&format!("dedup {flags} --output out --memory 80MiB"))
        .fails(2, &["a cluster of 199999 documents", "--evidence jsonl", "--resume"]);
    assert!(!place.path("out/kept").exists() && !place.path("out/manifest.json").exists());
    let hint = ran.stderr.lines().find(|line| line.starts_with("hint")).expect("a hint");
    let size = hint.split_whitespace().find(|word| word.ends_with("MiB")).expect("a size");
    place.run(&format!("dedup {flags} --output out --memory {size} --resume")).ok();
    let run = place.dedup_to(&format!("{flags} --memory {size}"), "whole");
    assert_kept(&run, size.trim_end_matches("MiB").parse::<u64>().unwrap() * MIB);
    assert_same_output(&run.folder, &place.path("out"));
}

#[test]
fn a_small_cluster_of_long_names_does_not_fit_as_a_row_either() {
    let place = Place::new();
    let id = |n: usize| format!("{n:06}").repeat(40_000);
    place.write("a.jsonl", (0..60).map(|n| line(&id(n), "one and the same text")).collect::<String>());
    let flags = "a.jsonl --threads 1 --evidence parquet";
    let ran = place
        .run(&format!("dedup {flags} --output out --memory 40MiB"))
        .fails(2, &["a cluster of 59 documents", "--evidence jsonl"]);
    let hint = ran.stderr.lines().find(|line| line.starts_with("hint")).expect("a hint");
    let size = hint.split_whitespace().find(|word| word.ends_with("MiB")).expect("a size");
    let run = place.dedup(&format!("{flags} --memory {size}"));
    assert_kept(&run, size.trim_end_matches("MiB").parse::<u64>().unwrap() * MIB);
}

#[test]
fn long_ids_that_decide_are_not_held() {
    const DOCUMENTS: u64 = 30_000;
    let place = Place::new();
    let common = "x".repeat(1_000);
    // In no order, and some of them twice.
    let id = |n: u64| format!("{common}{:06}{}", (n * 7_919 + 13) % (DOCUMENTS / 2), "y".repeat(1_000));
    place.write("a.jsonl", (0..DOCUMENTS).map(|n| line(&id(n), "one and the same text")).collect::<String>());
    let run = place.dedup("a.jsonl --threads 2 --memory 64MiB --max-removed 1 --keep longest");
    assert_kept(&run, 64 * MIB);
    run.counted(DOCUMENTS, 1, DOCUMENTS - 1, 0);
    let kept = common::ids(&run.kept("a.jsonl"));
    assert_eq!(kept, [format!("{common}{:06}{}", 0, "y".repeat(1_000))]);
}

#[test]
fn a_large_window_of_zstd_counts() {
    let place = Place::new();
    let lines: String = (0..12_000).map(|n| line(&n.to_string(), &text(n * 1000, 700))).collect();
    let packed = |window_log| {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(window_log).unwrap();
        encoder.write_all(lines.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    place.write("a.jsonl.zst", packed(26));
    place
        .run("dedup a.jsonl.zst --output out --threads 1 --memory 60MiB")
        .fails(2, &["--memory allows 60 MiB", "MiB would do"]);
    let run = place.dedup("a.jsonl.zst --threads 1 --memory 110MiB");
    assert_kept(&run, 110 * MIB);
    // As `zstd --long=31` makes it.
    place.write("b.jsonl.zst", packed(31));
    place.run("dedup b.jsonl.zst --output out2 --threads 1 --memory 110MiB").fails(2, &["MiB would do"]);
    let run = place.dedup_to("b.jsonl.zst --threads 1 --memory 3GiB", "out2");
    assert_eq!((run.count("kept"), run.count("bad")), (12_000, 0));
}
