//! Threads, memory and the split into files never change a byte.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::{Place, assert_same_output, line, prose};
use onefold_testkit::{Compression, Corpus, write_jsonl, write_wet};

fn corpus(documents: u64) -> Corpus {
    Corpus { mean_words: 120.0, vocabulary: 5_000, ..Corpus::new(documents) }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let place = Place::new();
    fs_err::create_dir(place.path("in")).unwrap();
    write_jsonl(&corpus(1200), place.path("in/a.jsonl")).unwrap();
    write_wet(&Corpus { seed: 2, ..corpus(600) }, place.path("in/b.wet.gz"), Compression::Gzip(6)).unwrap();
    write_wet(&corpus(600), place.path("in/c.wet"), Compression::None).unwrap();
    for cluster in ["star", "components"] {
        for threads in [1, 2, 5] {
            let run = place.dedup_to(
                &format!("in --threads {threads} --cluster {cluster}"),
                &format!("{cluster}{threads}"),
            );
            assert!(run.count("removed_near") > 50 && run.count("removed_exact") > 50);
        }
        for threads in [2, 5] {
            assert_same_output(
                &place.path(format!("{cluster}1")),
                &place.path(format!("{cluster}{threads}")),
            );
        }
    }
}

/// Pages of one template meet in large buckets, and most of them stay: each is compared with most of those before it, by all
/// threads.
#[test]
fn one_large_component_gives_the_same_bytes_by_any_number_of_threads() {
    let place = Place::new();
    let frame = prose("template", 150);
    let page = |n: usize| {
        let own = prose(&format!("page{}", n % 900), 34);
        line(&n.to_string(), &format!("{frame} {own} {}", prose(&format!("end{}", n / 900), 2)))
    };
    place.write("a.jsonl", (0..1200).map(page).collect::<String>());
    let one = place.dedup_to("a.jsonl --threads 1", "one");
    assert_eq!((one.count("kept"), one.count("removed_near")), (900, 300));
    assert!(one.count("compared") > 100_000, "{}", one.count("compared"));
    for (flags, out) in
        [("--threads 2", "two"), ("--threads 5", "five"), ("--threads 3 --memory 64MiB", "small")]
    {
        place.dedup_to(&format!("a.jsonl {flags}"), out);
        assert_same_output(&one.folder, &place.path(out));
    }
}

#[test]
fn a_limit_on_memory_gives_the_same_bytes() {
    let place = Place::new();
    let large = Corpus { mean_words: 40.0, vocabulary: 20_000, ..Corpus::new(30_000) };
    write_jsonl(&large, place.path("a.jsonl")).unwrap();
    let free = place.dedup_to("a.jsonl --threads 2 --shingle word:3", "free");
    let tight = place.dedup_to("a.jsonl --threads 2 --shingle word:3 --memory 64MiB", "tight");
    assert!(free.count("removed_near") > 1000);
    assert_same_output(&free.folder, &tight.folder);
    let peak = tight.manifest()["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak <= 64 << 20, "{peak} bytes of memory under --memory 64MiB");
}

#[test]
fn another_folder_for_temporary_files_gives_the_same_bytes() {
    let place = Place::new();
    write_jsonl(&corpus(1000), place.path("a.jsonl")).unwrap();
    fs_err::create_dir(place.path("temp")).unwrap();
    place.dedup_to("a.jsonl", "plain");
    place.dedup_to("a.jsonl --temp temp", "temp-out");
    assert_same_output(&place.path("plain"), &place.path("temp-out"));
    assert!(common::tree(&place.path("temp")).is_empty(), "nothing stays in --temp");
    place.dedup_to("a.jsonl --temp not/there/yet", "made");
    // One that cannot be used is not passed over.
    place.write("file", "");
    place.run("dedup a.jsonl --output other --temp file/temp").fails(2, &["--temp", "file"]);
}

#[test]
fn a_split_input_gives_the_same_documents() {
    let place = Place::new();
    write_jsonl(&corpus(1500), place.path("whole.jsonl")).unwrap();
    let text = fs_err::read_to_string(place.path("whole.jsonl")).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (number, part) in lines.chunks(217).enumerate() {
        place.write(format!("parts/{number:03}.jsonl"), part.concat());
    }
    let whole = place.dedup_to("whole.jsonl", "one");
    let parts = place.dedup_to("parts", "many");
    let joined: Vec<u8> = common::tree(&parts.folder.join("kept")).into_values().flatten().collect();
    assert!(whole.kept("whole.jsonl") == joined);
    assert_eq!(whole.removed_ids(), parts.removed_ids());
    let scores = |run: &common::Run| {
        run.removed().iter().map(|line| line["similarity"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(scores(&whole), scores(&parts));
}

#[test]
fn shuffled_input_keeps_the_same_texts_under_any_rule_but_first() {
    let place = Place::new();
    write_jsonl(&corpus(1200), place.path("a.jsonl")).unwrap();
    let text = fs_err::read_to_string(place.path("a.jsonl")).unwrap();
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    // A fixed shuffle: by a hash of the position.
    lines.sort_by_key(|line| {
        line.bytes().fold(7u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    });
    place.write("b.jsonl", lines.concat());
    for rule in ["longest", "shortest-url"] {
        let sorted = |name: &str| {
            let run = place.dedup_to(&format!("{name}.jsonl --keep {rule}"), &format!("{name}-{rule}"));
            let mut ids = run.kept_ids(&format!("{name}.jsonl"));
            ids.sort();
            ids
        };
        assert_eq!(sorted("a"), sorted("b"), "{rule}");
    }
}

#[test]
fn a_second_run_gives_the_same_bytes() {
    let place = Place::new();
    write_wet(&corpus(800), place.path("a.wet.gz"), Compression::Gzip(6)).unwrap();
    for flag in ["", "--annotate", "--evidence parquet"] {
        place.dedup_to(&format!("a.wet.gz --force {flag}"), "one");
        place.dedup_to(&format!("a.wet.gz --force {flag}"), "two");
        assert_same_output(&place.path("one"), &place.path("two"));
    }
}
