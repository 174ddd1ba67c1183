//! `--plan` tells what a run needs, what cannot fit is refused with what would, and `--memory` is kept.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::archive::Record;
use common::{Place, assert_same_output, compressed, four_documents, line};
use onefold_testkit::{Compression, Corpus, write_jsonl, write_wet};

const MIB: u64 = 1 << 20;

fn corpus(documents: u64, words: f64) -> Corpus {
    Corpus { mean_words: words, vocabulary: 20_000, ..Corpus::new(documents) }
}

#[test]
fn the_plan_is_printed_and_nothing_is_done() {
    let place = Place::new();
    write_jsonl(&corpus(2000, 100.0), place.path("a.jsonl")).unwrap();
    let ran = place.run("dedup a.jsonl --plan").ok();
    for word in ["documents", "memory", "disk", "time", "2000"] {
        assert!(ran.text().contains(word), "{word}: {}", ran.text());
    }
    let ran = place.run("dedup a.jsonl --plan --output out").ok();
    assert!(!ran.text().is_empty() && !place.path("out").exists());
    assert_eq!(common::tree(&place.path("")).len(), 1);
}

#[test]
fn the_plan_as_json_is_near_the_truth() {
    let place = Place::new();
    write_jsonl(&corpus(30_000, 40.0), place.path("a.jsonl")).unwrap();
    let text = fs_err::read(place.path("a.jsonl")).unwrap();
    place.write("b.jsonl.gz", compressed::gzip(&text));
    place.write("c.jsonl.zst", compressed::zstd(&text));
    write_wet(&corpus(30_000, 40.0), place.path("d.wet.gz"), Compression::Gzip(1)).unwrap();
    for name in ["a.jsonl", "b.jsonl.gz", "c.jsonl.zst", "d.wet.gz"] {
        let plan = place.run(&format!("dedup {name} --plan --json")).ok().json();
        assert_eq!(plan.len(), 1);
        let plan = &plan[0];
        assert_eq!(plan["version"], 1);
        assert_eq!(plan["files"], 1);
        assert_eq!(plan["input_bytes"], fs_err::metadata(place.path(name)).unwrap().len());
        let documents = plan["documents"].as_f64().unwrap();
        assert!((15_000.0..60_000.0).contains(&documents), "{name}: about {documents} documents of 30000");
        for key in ["memory_bytes", "temp_bytes", "output_bytes"] {
            assert!(plan[key].as_u64().unwrap() > 0, "{key}: {plan}");
        }
        assert!(plan["seconds"].as_f64().unwrap() > 0.0);
        assert_eq!((plan["bands"].as_u64(), plan["rows"].as_u64()), (Some(21), Some(6)));
    }
}

#[test]
fn files_of_unlike_documents_are_told_each_by_itself() {
    let place = Place::new();
    let large = |count: u64, words: f64, name: &str| {
        write_jsonl(&corpus(count, words), place.path(name)).unwrap();
    };
    let small = |count: usize, name: &str| {
        let line = |n| common::line(&format!("{name}{n}"), &format!("few words and {n}"));
        place.write(name, (0..count).map(line).collect::<String>());
    };
    fs_err::create_dir(place.path("a")).unwrap();
    fs_err::create_dir(place.path("b")).unwrap();
    large(600, 5000.0, "a/0.jsonl");
    (1..8).for_each(|n| small(3000, &format!("a/{n}.jsonl")));
    small(400_000, "b/0.jsonl");
    (1..12).for_each(|n| large(40, 2000.0, &format!("b/{n}.jsonl")));
    // Small ones come last.
    let join =
        |first: &str, then: &str| [first, then].map(|name| fs_err::read(place.path(name)).unwrap()).concat();
    let joined = join("a/0.jsonl", "b/0.jsonl");
    place.write("c.jsonl", joined);
    for (input, truth) in [("a", 21_600), ("b", 400_440), ("c.jsonl", 400_600)] {
        let plan = place.run(&format!("dedup {input} --plan --json")).ok().json();
        let documents = plan[0]["documents"].as_u64().unwrap();
        assert!(
            (truth * 2 / 3..=truth * 3 / 2).contains(&documents),
            "{input}: about {documents} of {truth}"
        );
    }
}

#[test]
fn a_sample_of_text_that_compresses_well_is_near_the_truth() {
    let place = Place::new();
    let lines: String =
        (0..60_000).map(|n| common::line(&format!("d{n}"), &common::prose("alpha", 20))).collect();
    for (name, bytes) in [
        ("a.jsonl.gz", compressed::gzip(lines.as_bytes())),
        ("b.jsonl.zst", compressed::zstd(lines.as_bytes())),
    ] {
        place.write(name, bytes);
        let plan = place.run(&format!("dedup {name} --plan --json")).ok().json();
        let documents = plan[0]["documents"].as_f64().unwrap();
        assert!((30_000.0..120_000.0).contains(&documents), "{name}: about {documents} documents of 60000");
    }
}

#[test]
fn a_sample_is_taken_from_the_middle_of_a_file_too() {
    const SMALL: usize = 40_000;
    let place = Place::new();
    let text = |n: usize| common::prose(&format!("topic {n}"), if n < 5 { 120_000 } else { 25 });
    let lines: String = (0..SMALL).map(|n| common::line(&n.to_string(), &text(n))).collect();
    let pages: Vec<Vec<u8>> = (0..SMALL)
        .map(|n| Record::conversion(&n.to_string(), &format!("http://x/{n}"), &text(n)).bytes())
        .collect();
    // Stored, so that there are enough bytes of it.
    let stored = |page: &Vec<u8>| {
        let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        std::io::Write::write_all(&mut member, page).unwrap();
        member.finish().unwrap()
    };
    place.write("a.warc.gz", pages.iter().flat_map(stored).collect::<Vec<u8>>());
    place.write("a.warc", pages.concat());
    place.write("a.jsonl", lines);
    for name in ["a.jsonl", "a.warc", "a.warc.gz"] {
        let plan = place.run(&format!("dedup {name} --plan --json")).ok().json();
        let documents = plan[0]["documents"].as_f64().unwrap();
        assert!((20_000.0..80_000.0).contains(&documents), "{name}: about {documents} documents of {SMALL}");
    }
}

#[test]
fn the_memory_that_the_plan_names_is_enough() {
    let place = Place::new();
    write_jsonl(&corpus(20_000, 60.0), place.path("a.jsonl")).unwrap();
    let plan = place.run("dedup a.jsonl --plan --json --threads 2").ok().json();
    let needed = plan[0]["memory_bytes"].as_u64().unwrap();
    let run = place.dedup(&format!("a.jsonl --threads 2 --memory {needed}"));
    let peak = run.manifest()["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak <= needed, "peak {peak}, planned {needed}");
}

#[test]
fn what_cannot_fit_is_refused_at_the_start_and_told_what_would() {
    let place = Place::new();
    write_jsonl(&corpus(5000, 60.0), place.path("a.jsonl")).unwrap();
    for arguments in ["dedup a.jsonl --output out --threads 2", "pairs a.jsonl --threads 2"] {
        let ran =
            place.run(&format!("{arguments} --memory 1MiB")).fails(2, &["--memory", "1 MiB", "MiB would do"]);
        assert!(common::tree(&place.path("out")).is_empty(), "refused before anything is done");
        // What it says would do does.
        let hint = ran.stderr.lines().find(|line| line.starts_with("hint")).expect("a hint");
        let size = hint.split_whitespace().find(|word| word.ends_with("MiB")).expect("a size");
        place.run(&format!("{arguments} --memory {size}")).ok();
        if place.path("out").exists() {
            fs_err::remove_dir_all(place.path("out")).unwrap();
        }
    }
    place.run("dedup a.jsonl --output none --memory lots").fails(2, &["--memory"]);
}

#[test]
fn a_disk_that_cannot_hold_the_output_is_refused_at_the_start() {
    let place = Place::new();
    write_jsonl(&corpus(3000, 60.0), place.path("a.jsonl")).unwrap();
    fs_err::create_dir(place.path("disk")).unwrap();
    let mut mount = std::process::Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(place.path("disk"));
    if !mount.output().is_ok_and(|output| output.status.success()) {
        onefold_testkit::skip("no file system can be mounted here");
        return;
    }
    let output = place.run("dedup a.jsonl --output disk/out --temp .");
    let temp = place.run("dedup a.jsonl --output out --temp disk/temp");
    let unmounted = std::process::Command::new("umount").arg(place.path("disk")).status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    output.fails(2, &["disk", "needed", "free"]);
    temp.fails(2, &["disk", "needed", "free"]);
    assert!(!place.path("out/manifest.json").exists());
}

#[test]
fn a_disk_without_room_is_refused_at_the_start() {
    let place = Place::new();
    write_jsonl(&corpus(3000, 60.0), place.path("a.jsonl")).unwrap();
    // File systems of the kernel's own have no room at all, for any user.
    for flags in ["--output /sys/onefold-out", "--output out --temp /proc/self"] {
        place.run(&format!("dedup a.jsonl {flags}")).fails(2, &["needed", "0 MiB are free", "hint: --temp"]);
    }
    assert!(!place.path("out").exists());
    let plan = place.run("dedup a.jsonl --output /sys/onefold-out --plan").ok();
    assert!(plan.text().contains("refused    /sys/onefold-out: "), "{}", plan.text());
}

#[test]
fn memory_is_kept_whatever_the_input() {
    let place = Place::new();
    write_jsonl(&corpus(40_000, 60.0), place.path("a.jsonl")).unwrap();
    let text = fs_err::read(place.path("a.jsonl")).unwrap();
    place.write("b.jsonl.gz", compressed::gzip(&text));
    for name in ["a.jsonl", "b.jsonl.gz"] {
        let run = place.dedup_to(&format!("{name} --threads 2 --memory 72MiB"), &format!("out-{name}"));
        let peak = run.manifest()["peak_memory_bytes"].as_u64().unwrap();
        assert!(peak <= 72 * MIB, "{name}: {peak} bytes under --memory 72MiB");
    }
    let counts = ["out-a.jsonl", "out-b.jsonl.gz"].map(|output| place.finished(output).count("removed"));
    assert!(counts[0] > 1000 && counts[0] == counts[1], "{counts:?}");
}

#[test]
fn methods_that_leave_many_keys_keep_to_the_memory_and_to_their_output() {
    let place = Place::new();
    // Words of a small vocabulary make most shingles known to others, so that they are keys.
    let repetitive = Corpus { vocabulary: 2_000, ..corpus(40_000, 60.0) };
    write_jsonl(&repetitive, place.path("a.jsonl")).unwrap();
    for (number, method) in
        ["--method join", "--containment 0.9", "--method join --containment 0.9 --threshold 0.6"]
            .into_iter()
            .enumerate()
    {
        let arguments = format!("a.jsonl --threads 2 --shingle word:2 {method}");
        let free = place.dedup_to(&arguments, &format!("free{number}"));
        let tight = place.dedup_to(&format!("{arguments} --memory 64MiB"), &format!("tight{number}"));
        assert!(free.count("removed_near") > 1000, "{method}");
        assert_same_output(&free.folder, &tight.folder);
        let peak = tight.manifest()["peak_memory_bytes"].as_u64().unwrap();
        assert!(peak <= 64 * MIB, "{method}: {peak} bytes under --memory 64MiB");
    }
}

#[test]
fn the_plan_counts_the_keys_of_shingles() {
    let place = Place::new();
    write_jsonl(&corpus(20_000, 60.0), place.path("a.jsonl")).unwrap();
    for (number, method) in ["--method minhash", "--method join", "--containment 0.9"].iter().enumerate() {
        let plan = place.run(&format!("dedup a.jsonl --plan --json {method}")).ok().json();
        let planned = plan[0]["temp_bytes"].as_f64().unwrap();
        // A run that is stopped before it writes leaves its temporary files for --resume.
        let temp = format!("temp{number}");
        let stopped = format!("dedup a.jsonl --output out{number} --temp {temp} --max-removed 0 {method}");
        place.run(&stopped).fails(2, &["--max-removed"]);
        let taken: usize = common::tree(&place.path(&temp)).values().map(Vec::len).sum();
        let ratio = planned / taken as f64;
        assert!((0.5..2.0).contains(&ratio), "{method}: {planned} bytes planned, {taken} taken");
    }
}

#[test]
fn a_file_much_larger_than_memory_streams() {
    let place = Place::new();
    // 300 MB of one document each MiB, in a gzip of a few hundred kilobytes.
    let mut records = Vec::new();
    for number in 0..300 {
        let line = common::line(&format!("d{number}"), &common::prose(&format!("t{number}x"), 50));
        let padded = format!("{}{}\n", line.trim_end(), " ".repeat((1 << 20) - line.len()));
        records.push(compressed::gzip(padded.as_bytes()));
    }
    place.write("a.jsonl.gz", records.concat());
    let run = place.dedup("a.jsonl.gz --threads 2 --memory 100MiB");
    run.counted(300, 300, 0, 0);
    let peak = run.manifest()["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak <= 100 * MIB, "{peak}");
}

#[test]
fn threads_must_be_a_number() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    place.dedup_to("a.jsonl --threads 3", "three");
    let memory = |threads: usize| {
        let plan = place.run(&format!("dedup a.jsonl --plan --json --threads {threads}")).ok().json();
        plan[0]["memory_bytes"].as_u64().unwrap()
    };
    assert!(memory(8) > memory(1), "each thread has its buffers");
    assert!(place.run("dedup a.jsonl --plan --threads 7").ok().text().contains("7 threads"));
    for wrong in ["x", "-1"] {
        place.run(&format!("dedup a.jsonl --output none --threads={wrong}")).fails(2, &["--threads"]);
    }
}

#[test]
fn as_many_threads_work_as_are_asked_for() {
    let place = Place::new();
    write_jsonl(&corpus(20_000, 60.0), place.path("a.jsonl")).unwrap();
    let most = |threads: usize| {
        let arguments = format!("dedup a.jsonl --output out --force --quiet --threads {threads}");
        let mut child = place.start(&mut place.command(&arguments));
        let status = format!("/proc/{}/status", child.id());
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            let text = fs_err::read_to_string(&status).unwrap_or_default();
            let now = text.lines().find_map(|line| line.strip_prefix("Threads:"));
            most = most.max(now.map_or(0, |now| now.trim().parse::<usize>().unwrap()));
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        assert!(child.wait().unwrap().success());
        most
    };
    if !std::path::Path::new("/proc/self/status").exists() {
        return onefold_testkit::skip("no /proc to count threads in");
    }
    let (one, nine) = (most(1), most(9));
    assert!((1..=4).contains(&one) && nine >= one + 6, "{one} and {nine} threads");
}

#[test]
fn half_of_what_is_free_is_the_default() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    let text = fs_err::read_to_string("/proc/meminfo").unwrap_or_default();
    let Some(line) = text.lines().find(|line| line.starts_with("MemAvailable:")) else {
        onefold_testkit::skip("no /proc/meminfo");
        return;
    };
    let free_kib: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    let ran = place.run("dedup a.jsonl --plan").ok();
    let allowed = ran.text().lines().find(|line| line.starts_with("memory")).unwrap().to_owned();
    let words: Vec<&str> = allowed.split_whitespace().collect();
    let at = words.iter().position(|word| word.starts_with("allowed")).expect("what is allowed");
    let scale = match words[at - 1] {
        "TB" => 1e12,
        "GB" => 1e9,
        _ => 1e6,
    };
    let allowed: f64 = words[at - 2].parse::<f64>().unwrap() * scale;
    let half = free_kib * 1024.0 / 2.0;
    assert!((0.5..1.2).contains(&(allowed / half)), "{allowed} allowed, half of what is free is {half}");
}

#[test]
fn the_output_is_no_more_than_the_plan_says() {
    let place = Place::new();
    let short: String = (0..20_000).map(|_| "{\"text\":\"a\"}\n").collect();
    place.write("short.jsonl", &short);
    place.write("short.jsonl.gz", compressed::gzip(short.as_bytes()));
    write_jsonl(&corpus(5_000, 100.0), place.path("pages.jsonl")).unwrap();
    let pages = fs_err::read_to_string(place.path("pages.jsonl")).unwrap();
    place.write("both.jsonl", pages + &short);
    for name in ["short.jsonl", "short.jsonl.gz", "pages.jsonl", "both.jsonl"] {
        let plan = &place.run(&format!("dedup {name} --plan --json")).ok().json()[0];
        let run = place.dedup(&format!("{name} --max-removed 1 --force"));
        let written: usize = common::tree(&run.folder).values().map(Vec::len).sum();
        assert!(written as u64 <= plan["output_bytes"].as_u64().unwrap(), "{name}: {written}, {plan}");
    }
}

#[test]
fn a_stream_that_fails_leaves_nothing_behind() {
    let place = Place::new();
    place.write(
        "a.jsonl",
        (0..1200).map(|n| common::line(&n.to_string(), "one text of all")).collect::<String>(),
    );
    fs_err::create_dir(place.path("temp")).unwrap();
    place.run("dedup a.jsonl --output - --temp temp").fails(2, &["--max-removed"]);
    assert!(common::tree(&place.path("temp")).is_empty());
}

#[test]
fn the_plan_counts_names_among_temporary_files() {
    let place = Place::new();
    let lines =
        (0..200).map(|n| common::line(&format!("{n}-").repeat(10_000), &common::prose("alpha", 20 + n)));
    place.write("a.jsonl", lines.collect::<String>());
    let plan = &place.run("dedup a.jsonl --plan --json").ok().json()[0];
    let names = 200 * 40_000;
    assert!((names / 2..names * 2).contains(&plan["temp_bytes"].as_u64().unwrap()), "{plan}");
}

#[test]
fn what_would_do_by_a_sample_that_is_off_does() {
    let place = Place::new();
    // Of one compressed stream the beginning is sampled: here it is unlike the rest.
    let text = |n: usize| common::prose(&format!("topic {n}"), if n < 8000 { 90 } else { 75 });
    let lines: String = (0..60_000).map(|n| common::line(&n.to_string(), &text(n))).collect();
    place.write("a.jsonl.gz", compressed::gzip(lines.as_bytes()));
    let flags = "a.jsonl.gz --threads 1 --method exact --max-removed 1";
    let size_in = |stderr: &str| {
        let hint = stderr.lines().find(|line| line.starts_with("hint")).expect("a hint");
        hint.split_whitespace().find(|word| word.ends_with("MiB")).expect("a size").to_owned()
    };
    let refused =
        place.run(&format!("dedup {flags} --output out --memory 30MiB")).fails(2, &["MiB would do"]);
    let size = size_in(&refused.stderr);
    place.run(&format!("dedup {flags} --output out --memory {size}")).ok();
}

#[test]
fn documents_too_large_to_be_looked_at_are_counted_and_what_would_do_for_them_does() {
    let place = Place::new();
    for n in 0..20 {
        let tags: String =
            (0..40_000).map(|w| format!("<div><p><b>w{}</b></p></div>", w * 31 + n * 7919)).collect();
        place.write(format!("html/{n:02}.html"), &tags);
        place.write(format!("lines/{n:02}.jsonl"), line(&n.to_string(), &tags));
    }
    for folder in ["html", "lines"] {
        for method in ["join", "minhash"] {
            let arguments =
                format!("dedup {folder} --method {method} --threads 1 --output out-{folder}-{method}");
            let refused = place
                .run(&format!("{arguments} --memory 1MB"))
                .fails(2, &["about 20 documents", "MiB would do"]);
            let hint = refused.stderr.lines().find(|line| line.starts_with("hint")).expect("a hint");
            let size = hint.split_whitespace().find(|word| word.ends_with("MiB")).expect("a size");
            place.run(&format!("{arguments} --memory {size}")).ok();
        }
    }
}

/// Bytes planned for temporary files and those a run takes, in whole blocks.
fn temporary(place: &Place, input: &str) -> (f64, f64) {
    let plan = place.run(&format!("dedup {input} --plan --json")).ok().json();
    // A run that is stopped before it writes leaves its temporary files for --resume.
    place
        .run(&format!("dedup {input} --output stopped --temp temp --max-removed 0"))
        .fails(2, &["--max-removed"]);
    let block = |bytes: &Vec<u8>| bytes.len().next_multiple_of(4096);
    let taken: usize = common::tree(&place.path("temp")).values().map(block).sum();
    (plan[0]["temp_bytes"].as_f64().unwrap(), taken as f64)
}

#[test]
fn the_plan_counts_records_tied_to_documents() {
    let place = Place::new();
    let mut records = Vec::new();
    for n in 0..2000 {
        let (id, url) = (format!("<urn:uuid:{n}>"), format!("http://x/{n}"));
        records.extend(Record::conversion(&id, &url, &common::prose(&format!("t{}", n % 1500), 30)).bytes());
        for visit in 0..5 {
            let name = format!("<urn:uuid:{n}-{visit}>");
            let head = format!(
                "WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Record-ID: {name}\r\nWARC-Target-URI: {url}\r\n\
                 WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Refers-To: {id}\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
            );
            records.extend(head.into_bytes());
        }
    }
    place.write("a.warc", records);
    let (planned, taken) = temporary(&place, "a.warc");
    assert!((0.8..1.6).contains(&(planned / taken)), "{planned} planned, {taken} taken");
}

#[test]
fn the_plan_counts_blocks_of_small_files() {
    let place = Place::new();
    // One file of enough documents for --max-removed to look at.
    place.write(
        "in/all.jsonl",
        (0..1200).map(|n| common::line(&n.to_string(), "one text")).collect::<String>(),
    );
    for n in 0..500 {
        place.write(format!("in/{n}.txt"), common::prose(&format!("t{n}"), 20));
    }
    let (planned, taken) = temporary(&place, "in");
    assert!((0.8..1.6).contains(&(planned / taken)), "{planned} planned, {taken} taken");
}

#[test]
fn files_of_one_document_are_as_many_documents_as_files() {
    let place = Place::new();
    // Most are small and every sampled one is not, as a folder may have it.
    for n in 0..181 {
        let words = if n % 23 == 0 { 3000 } else { 50 + n % 7 * 60 };
        let page = format!("<html><body><p>{}</p></body></html>", common::prose(&format!("t{n}"), words));
        place.write(format!("html/{n:03}.html"), page);
        place.write(format!("text/{n:03}.txt"), common::prose(&format!("t{n}"), 40 + n % 5 * 30));
        place.write(
            format!("files/{n:03}.rtf"),
            format!("{{\\rtf1 {}}}", common::prose(&format!("t{n}"), 60)),
        );
    }
    // In one folder with records, which are told by their bytes.
    let lines: String =
        (0..2000).map(|n| line(&n.to_string(), &common::prose(&format!("l{n}"), 30))).collect();
    place.write("text/lines.jsonl", lines);
    for (folder, documents) in [("html", 181), ("text", 2181), ("files", 181)] {
        let plan = &place.run(&format!("dedup {folder} --plan --json")).ok().json()[0];
        assert_eq!(plan["documents"], documents, "{folder}: {plan}");
    }
    // Pictures are none, by the share of those that were looked at.
    for n in 0..100 {
        let picture = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[n; 300]].concat();
        place.write(format!("files/{n:03}.png"), picture);
    }
    let plan = &place.run("dedup files --plan --json").ok().json()[0];
    assert!((100..=240).contains(&plan["documents"].as_u64().unwrap()), "{plan}");
}

#[test]
fn the_output_of_small_files_is_planned_in_blocks() {
    let place = Place::new();
    for n in 0..2000 {
        let page =
            format!("<html><body><p>{}</p></body></html>", common::prose(&format!("t{n}"), 300 + n % 400));
        place.write(format!("in/{n:04}.html"), page);
    }
    let plan = &place.run("dedup in --plan --json").ok().json()[0];
    let run = place.dedup("in");
    let block = |bytes: &Vec<u8>| bytes.len().next_multiple_of(4096);
    let written: usize = common::tree(&run.folder).values().map(block).sum();
    let ratio = plan["output_bytes"].as_f64().unwrap() / written as f64;
    assert!((1.0..1.3).contains(&ratio), "{plan}: {written} bytes written");
}

#[test]
fn rows_of_tables_are_told_exactly() {
    let place = Place::new();
    let texts: Vec<String> = (0..60_000).map(|n| common::prose(&format!("t{n}"), 20 + n % 13)).collect();
    let texts = texts.iter().map(|text| Some(text.as_str())).collect();
    place.write("a.parquet", common::table::table(&[("text", texts)]));
    let plan = &place.run("dedup a.parquet --plan --json").ok().json()[0];
    assert_eq!(plan["documents"], 60_000);
}

#[test]
fn the_plan_counts_urls_that_are_ids_twice() {
    let place = Place::new();
    let line = |n: usize| {
        let url = format!("http://x/{n}/{}", "long".repeat(300));
        format!("{}\n", serde_json::json!({"url": url, "text": common::prose(&format!("t{}", n / 2), 10)}))
    };
    place.write("a.jsonl", (0..2000).map(line).collect::<String>());
    let plan = &place.run("dedup a.jsonl --plan --json").ok().json()[0];
    let run = place.dedup("a.jsonl");
    let written: usize = common::tree(&run.folder).values().map(Vec::len).sum();
    assert!(written as u64 <= plan["output_bytes"].as_u64().unwrap(), "{written}, {plan}");
}

#[test]
fn documents_of_compressed_streams_are_expected_as_they_are() {
    let place = Place::new();
    // Of few words, so that it is packed well, and a buffer ahead of what is read holds many documents.
    let corpus = Corpus { vocabulary: 1_000, ..corpus(120_000, 40.0) };
    write_jsonl(&corpus, place.path("a.jsonl")).unwrap();
    let text = fs_err::read(place.path("a.jsonl")).unwrap();
    place.write("a.jsonl.gz", compressed::gzip(&text));
    place.write("a.jsonl.zst", compressed::zstd(&text));
    for name in ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"] {
        let plan = &place.run(&format!("dedup {name} --plan --json")).ok().json()[0];
        let documents = plan["documents"].as_u64().unwrap();
        assert!((108_000..132_000).contains(&documents), "{name}: {documents}");
        if name != "a.jsonl" {
            assert!(plan["temp_bytes"].as_u64().unwrap() > text.len() as u64 * 9 / 10, "{name}: {plan}");
        }
    }
}

#[test]
fn a_line_that_does_not_fit_is_not_held_to_say_so() {
    let place = Place::new();
    place.write("a.jsonl", line("a", &"word ".repeat(20 << 20)));
    let ran = place.run("dedup a.jsonl --output out --memory 60MiB --max-document 1GiB --threads 2");
    let says = ran.fails(2, &["need", "--memory"]).stderr;
    let memory: u64 =
        says.split("about --memory ").nth(1).unwrap().split("MiB").next().unwrap().parse().unwrap();
    assert!(memory > 1000, "{says}");
}
