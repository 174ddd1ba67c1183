//! Where the CPU time of reading goes, step by step, over the same texts.

use crate::{best_of, texts};
use onefold_detect::digest::Digest;
use onefold_detect::matching::Bands;
use onefold_detect::sketch::{Bits, MinHash, SimHash};
use onefold_detect::text::{Normaliser, ShingleSet, Shingling};
use onefold_formats::compress::MemberInflater;
use onefold_formats::json;
use onefold_testkit::Script;
use std::hint::black_box;
use std::io::Write as _;

const ROUNDS: usize = 5;

pub(crate) fn run() {
    let texts = texts(5_000, Script::Latin);
    let bytes: usize = texts.iter().map(String::len).sum();
    let lines: Vec<String> = texts
        .iter()
        .map(|text| format!("{{\"id\":\"x\",\"text\":\"{}\"}}", text.replace('\n', "\\n")))
        .collect();
    let mut read = Normaliser::default();
    let shingling = Shingling::default();
    let mut shingles = 0usize;
    for text in &texts {
        read.read(text);
        shingling.each(&read, |_| shingles += 1);
    }
    println!(
        "{} documents, {:.1} MB, {shingles} shingles; best of {ROUNDS}",
        texts.len(),
        bytes as f64 / 1e6
    );
    println!("| step | MB/s | ns a shingle |\n|---|---:|---:|");
    let report = |name: &str, seconds: f64| {
        println!("| {name} | {:.0} | {:.2} |", bytes as f64 / seconds / 1e6, seconds * 1e9 / shingles as f64);
    };
    let members: Vec<Vec<u8>> = texts.iter().map(|text| gzip(text)).collect();
    let mut inflater = MemberInflater::default();
    let mut inflated = vec![0; texts.iter().map(String::len).max().unwrap_or(0)];
    report(
        "inflate a gzip member a text",
        best_of(ROUNDS, || {
            for member in &members {
                black_box(inflater.inflate(member, &mut inflated).is_ok());
            }
        }),
    );
    report(
        "find the text field of a JSON line",
        best_of(ROUNDS, || {
            for line in &lines {
                let found = json::fields(line, &["text"], |_, value| {
                    black_box(value);
                });
                black_box(found.is_ok());
            }
        }),
    );
    report(
        "normalise and hash tokens",
        best_of(ROUNDS, || {
            for text in &texts {
                read.read(text);
                black_box(read.token_hashes());
            }
        }),
    );
    let mut digest = Normaliser::default();
    report(
        "the same, with the digest",
        best_of(ROUNDS, || {
            for text in &texts {
                digest.read(text);
                black_box(Digest::of(digest.normalised()));
            }
        }),
    );
    report(
        "the same, with shingles",
        best_of(ROUNDS, || {
            for text in &texts {
                digest.read(text);
                black_box(Digest::of(digest.normalised()));
                let mut all = 0;
                shingling.each(&digest, |hash| all ^= hash);
                black_box(all);
            }
        }),
    );
    let mut sketch = MinHash::new(128);
    let bands = Bands { bands: 21, rows: 6 };
    report(
        "the same, with signature and band keys",
        best_of(ROUNDS, || {
            for text in &texts {
                digest.read(text);
                black_box(Digest::of(digest.normalised()));
                sketch.begin();
                shingling.each(&digest, |hash| sketch.add(hash));
                sketch.finish().into_iter().flat_map(|values| bands.keys(values)).for_each(|key| {
                    black_box(key);
                });
            }
        }),
    );
    let mut fingerprint = SimHash::new(Bits::B64);
    let mut hashes = Vec::new();
    report(
        "digest, shingles and SimHash of 64 bits",
        best_of(ROUNDS, || {
            for text in &texts {
                digest.read(text);
                black_box(Digest::of(digest.normalised()));
                hashes.clear();
                shingling.each(&digest, |hash| hashes.push(hash));
                fingerprint.begin();
                fingerprint.add_all(&hashes);
                black_box(fingerprint.finish());
            }
        }),
    );
    report(
        "SimHash of ready shingles alone",
        best_of(ROUNDS, || {
            // The last text's, as often as there are shingles in all.
            for _ in 0..shingles / hashes.len().max(1) {
                fingerprint.begin();
                fingerprint.add_all(&hashes);
                black_box(fingerprint.finish());
            }
        }),
    );
    let mut scratch = Vec::new();
    report(
        "normalise and make the sorted set",
        best_of(ROUNDS, || {
            for text in &texts {
                read.read(text);
                black_box(ShingleSet::of(&read, shingling, &mut scratch));
            }
        }),
    );
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder
        .write_all(text.as_bytes())
        .and_then(|()| encoder.finish())
        .expect("memory takes all that is written")
}
