//! What an index reaches in process. `cargo run --release -p onefold-index --example index_scale -- CASE DIR [DOCUMENTS]`
//!
//! `fingerprints` and `fingerprints-plain`: adds uniform fingerprints, compacts, and times checks, memory and opening.
//! `filled` and `filled-plain`: the same checks on an index that was imported, which takes less time to make. `again`: the
//! checks on an index that one of these left. `skew`: half of the fingerprints begin alike. `minhash`: adds documents of 500 shingles, a tenth of them near copies, with sets stored. `commits`: what durability
//! costs. `real`: adds the fingerprints of a file that `onefold fingerprints` wrote, its name instead of DOCUMENTS, and times checks
//! of each by how full its bucket is.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

use onefold_detect::digest::Digest;
use onefold_detect::matching::Bands;
use onefold_detect::mix::pair;
use onefold_detect::sketch::MinHash;
use onefold_index::{
    Coding, Cut, Decided, Durability, Importer, Index, Options, Rule, Settings, Shape, Sketch,
};
use std::path::Path;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [case, folder, rest @ ..] = arguments.as_slice() else {
        eprintln!("expected CASE DIR [DOCUMENTS]");
        std::process::exit(2);
    };
    let documents = rest.first().and_then(|n| n.parse().ok());
    let folder = Path::new(folder);
    match case.as_str() {
        "fingerprints" => fingerprints(folder, documents.unwrap_or(10_000_000), Coding::Coded),
        "fingerprints-plain" => fingerprints(folder, documents.unwrap_or(10_000_000), Coding::Plain),
        "filled" => filled(folder, documents.unwrap_or(10_000_000), Coding::Coded),
        "filled-plain" => filled(folder, documents.unwrap_or(10_000_000), Coding::Plain),
        "minhash" => minhash(folder, documents.unwrap_or(200_000)),
        "again" => {
            let index = Index::open(&folder.join("fingerprints"), deferred()).unwrap();
            checks(&index, documents.unwrap_or(10_000_000), "opened again");
        }
        "skew" => skew(folder, documents.unwrap_or(2_000_000)),
        "commits" => commits(folder),
        "real" => real(folder, rest),
        _ => eprintln!("no such case: {case}"),
    }
}

fn settings(rule: Rule, coding: Coding, head_documents: usize) -> Settings {
    let sets = matches!(rule, Rule::Minhash { .. });
    Settings { plan: serde_json::Value::Null, rule, sets, coding, head_documents }
}

fn simhash(coding: Coding) -> Settings {
    settings(Rule::Simhash { tables: Shape { k: 3, cut: Cut::One }, threshold: None }, coding, 1 << 18)
}

fn deferred() -> Options {
    Options { durability: Durability::Deferred, ..Options::default() }
}

fn page(i: u64, fingerprint: u64) -> Sketch {
    Sketch {
        id: format!("https://example.org/{i}"),
        url: None,
        key: None,
        seen: i,
        digest: Digest(u128::from(pair(i, 21)) << 64 | u128::from(i)),
        fingerprint: Some(fingerprint),
        signature: None,
        shingles: Vec::new(),
        empty: false,
    }
}

/// Kilobytes of memory by a name of the kernel's.
fn memory(name: &str) -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn fingerprints(folder: &Path, documents: u64, coding: Coding) {
    let path = folder.join("fingerprints");
    let index = Index::create(&path, simhash(coding), deferred()).unwrap();
    let started = Instant::now();
    let mut near = 0;
    for from in (0..documents).step_by(10_000) {
        let batch: Vec<Sketch> =
            (from..(from + 10_000).min(documents)).map(|i| page(i, pair(i, 1))).collect();
        near += index.add_batch(&batch).unwrap().iter().filter(|answer| answer.matched.is_some()).count();
    }
    index.sync().unwrap();
    rate("added and checked, synced once at the end", documents, started);
    println!("{near} near by chance; peak {} MB", memory("VmHWM") / 1024);
    index.wait_for_merge();
    checks(&index, documents, "before compacting");
    let started = Instant::now();
    index.compact().unwrap();
    println!("compacted in {:.1} s", started.elapsed().as_secs_f64());
    checks(&index, documents, "compacted");
    drop(index);
    opened(&path, documents);
}

fn opened(path: &Path, documents: u64) {
    let started = Instant::now();
    let index = Index::open(path, Options { cache_bytes: 16 << 20, ..deferred() }).unwrap();
    println!("opened in {:.2} s, resident {} MB", started.elapsed().as_secs_f64(), memory("VmRSS") / 1024);
    checks(&index, documents, "opened");
    let queries: Vec<u64> =
        (0..100_000).map(|i| pair(i * 97 % documents, 1) ^ 1 << (i % 64) ^ 1 << (i * 5 % 64)).collect();
    let started = Instant::now();
    let pairs = index.query_batch(&queries, 2).unwrap();
    println!(
        "100,000 queries at once in {:.2} s on 2 threads, {} pairs",
        started.elapsed().as_secs_f64(),
        pairs.len()
    );
    let started = Instant::now();
    let pictures = index.pictures().unwrap();
    println!("pictures in {:.1} s, {} spikes", started.elapsed().as_secs_f64(), pictures.spikes.len());
}

fn filled(folder: &Path, documents: u64, coding: Coding) {
    let path = folder.join("fingerprints");
    let importer = Importer::create(&path, simhash(coding), deferred()).unwrap();
    let started = Instant::now();
    for from in (0..documents).step_by(10_000) {
        let one = |i| Decided { number: i, sketch: page(i, pair(i, 1)), keeper: None, text: None };
        let batch: Vec<Decided> = (from..(from + 10_000).min(documents)).map(one).collect();
        importer.add(&batch).unwrap();
    }
    importer.finish().unwrap();
    rate("imported", documents, started);
    opened(&path, documents);
}

fn checks(index: &Index, documents: u64, what: &str) {
    let stats = index.stats().unwrap();
    let per = |bytes: u64| bytes as f64 / documents as f64;
    println!(
        "{what}: {} segments, {:.1} bytes of memory a document for keys, of which tables {:.1} ({:.2} bits an entry)",
        stats.segments,
        per(stats.memory_bytes),
        per(stats.table_bytes),
        stats.table_bytes as f64 * 8.0 / stats.table_entries.max(1) as f64
    );
    let started = Instant::now();
    let bits = index.key_bits().unwrap();
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "  {bits:?}; {:.0} million keys read and counted a second",
        stats.table_entries as f64 / seconds / 1e6
    );
    for (name, near) in [("of new fingerprints", false), ("within 3 bits of a document", true)] {
        let mut times: Vec<u128> = (0..50_000u64)
            .map(|i| {
                let known =
                    pair(pair(i, 3) % documents, 1) ^ 1 << (i % 64) ^ 1 << (i * 7 % 64) ^ 1 << (i * 31 % 64);
                let query = if near { known } else { pair(i, 1_000_003) };
                let started = Instant::now();
                let found = index.check_fingerprint(query, false).unwrap();
                assert!(!near || !found.is_empty());
                started.elapsed().as_nanos()
            })
            .collect();
        times.sort_unstable();
        let at = |share: f64| times[(times.len() as f64 * share) as usize] as f64 / 1000.0;
        println!("  checks {name}: median {:.2} µs, p90 {:.2}, p99 {:.2}", at(0.5), at(0.9), at(0.99));
    }
}

/// Half of the documents share the first block of their fingerprints, as pages of one template may.
/// Real fingerprints are skewed: are those of full buckets slower to look up?
fn real(folder: &Path, files: &[String]) {
    let mut fingerprints: Vec<u64> = Vec::new();
    for file in files {
        let text = fs_err::read_to_string(file).expect("a file of fingerprints");
        let columns = text.lines().skip(1).filter_map(|line| line.split('\t').nth(2));
        fingerprints.extend(columns.filter_map(|hex| u64::from_str_radix(hex, 16).ok()));
    }
    let index = Index::create(&folder.join("real"), simhash(Coding::Plain), deferred()).unwrap();
    let pages: Vec<Sketch> = (0..).zip(&fingerprints).map(|(i, &bits)| page(i, bits)).collect();
    pages.chunks(1000).for_each(|batch| drop(index.add_batch(batch).unwrap()));
    index.compact().unwrap();
    let stats = index.stats().unwrap();
    println!("{} documents, {} keepers, {:?}", stats.documents, stats.keepers, index.key_bits().unwrap());
    let mut full: std::collections::HashMap<u64, u64> = std::collections::HashMap::new();
    fingerprints.iter().for_each(|bits| *full.entry(bits >> 48).or_default() += 1);
    for (name, least, most) in [("1 to 3", 1, 3), ("4 to 31", 4, 31), ("32 and more", 32, u64::MAX)] {
        let asked: Vec<u64> = fingerprints
            .iter()
            .copied()
            .filter(|bits| (least..=most).contains(&full[&(bits >> 48)]))
            .collect();
        let mut times: Vec<u128> = asked
            .iter()
            .map(|&bits| {
                let started = Instant::now();
                index.check_fingerprint(bits, false).unwrap();
                started.elapsed().as_nanos()
            })
            .collect();
        times.sort_unstable();
        let at = |share: f64| {
            times.get((times.len() as f64 * share) as usize).map_or(0.0, |&ns| ns as f64 / 1000.0)
        };
        println!("  {} in buckets of {name}: median {:.2} µs, p99 {:.2}", times.len(), at(0.5), at(0.99));
    }
    println!("  fullest bucket of 16 bits: {} documents", full.values().max().unwrap_or(&0));
}

fn skew(folder: &Path, documents: u64) {
    let of = |i: u64| if i.is_multiple_of(2) { pair(i, 8) >> 16 | 0xabcd << 48 } else { pair(i, 8) };
    let index = Index::create(&folder.join("skew"), simhash(Coding::Coded), deferred()).unwrap();
    let started = Instant::now();
    for from in (0..documents).step_by(10_000) {
        let batch: Vec<Sketch> = (from..(from + 10_000).min(documents)).map(|i| page(i, of(i))).collect();
        index.add_batch(&batch).unwrap();
    }
    rate("added, half of them in one bucket", documents, started);
    index.compact().unwrap();
    for (name, odd) in [("in the bucket", 0), ("elsewhere", 1)] {
        let mut times: Vec<u128> = (0..20_000u64)
            .map(|i| {
                let near = (pair(i, 3) % (documents / 2)) * 2 + odd;
                let query = of(near) ^ 1 << (i % 64) ^ 1 << (i * 7 % 64);
                let started = Instant::now();
                let found = index.check_fingerprint(query, false).unwrap();
                let time = started.elapsed().as_nanos();
                // Nothing is missed but what is a member, by chance, of a keeper too far away.
                let id = format!("https://example.org/{near}");
                assert!(!found.is_empty() || index.get(&id).unwrap()[0].keeper.is_some(), "{id} is missed");
                time
            })
            .collect();
        times.sort_unstable();
        let at = |share: f64| times[(times.len() as f64 * share) as usize] as f64 / 1000.0;
        println!("  checks {name}: median {:.2} µs, p99 {:.2}", at(0.5), at(0.99));
    }
    println!("{:?}", index.stats().unwrap());
}

fn rate(what: &str, documents: u64, started: Instant) {
    let seconds = started.elapsed().as_secs_f64();
    let each = documents as f64 / seconds;
    let cpu = cpu_seconds();
    let micros = cpu * 1e6 / documents as f64;
    println!(
        "{what}: {documents} in {seconds:.1} s, {each:.0} a second; {cpu:.1} CPU s so far, {micros:.1} µs each"
    );
}

/// CPU seconds of this process, in ticks of a hundredth.
fn cpu_seconds() -> f64 {
    let stat = fs_err::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
    (ticks(11) + ticks(12)) / 100.0
}

/// A document of 500 shingles; one in ten is another with 20 of them changed.
fn text(i: u64, sketch: &mut MinHash) -> Sketch {
    let (base, changed) = if i % 10 == 9 { (i - 5, 20) } else { (i, 0) };
    let shingle = |place: u64| {
        pair(base << 12 | place, if place < changed { i } else { 7 }).rotate_left(17) ^ pair(place, base)
    };
    let mut shingles: Vec<u64> = (0..500).map(shingle).collect();
    shingles.sort_unstable();
    shingles.dedup();
    sketch.begin();
    shingles.iter().for_each(|&hash| sketch.add(hash));
    Sketch { signature: sketch.finish().map(<[u64]>::to_vec), shingles, ..page(i, pair(i, 1)) }
}

fn minhash(folder: &Path, documents: u64) {
    let rule = Rule::Minhash {
        signature: 128,
        bands: Bands { bands: 21, rows: 6 },
        threshold: 0.8,
        max_bucket: None,
    };
    let settings = settings(rule, Coding::Coded, Settings::HEAD_DOCUMENTS);
    let index = Index::create(&folder.join("minhash"), settings, deferred()).unwrap();
    let mut sketch = MinHash::new(128);
    let (mut adding, mut cpu, mut near) = (0.0, 0.0, 0);
    let step = (documents / 10).max(1);
    for from in (0..documents).step_by(1_000) {
        let batch: Vec<Sketch> =
            (from..(from + 1_000).min(documents)).map(|i| text(i, &mut sketch)).collect();
        let (started, before) = (Instant::now(), cpu_seconds());
        near += index.add_batch(&batch).unwrap().iter().filter(|answer| answer.matched.is_some()).count();
        adding += started.elapsed().as_secs_f64();
        cpu += cpu_seconds() - before;
        if (from + 1_000) % step < 1_000 {
            let done = from + 1_000;
            println!(
                "{done} documents: {:.0} a second, {:.0} a CPU second, {near} near, {} MB",
                done as f64 / adding,
                done as f64 / cpu,
                memory("VmRSS") / 1024
            );
        }
    }
    index.wait_for_merge();
    println!("{:?}", index.stats().unwrap());
}

fn commits(folder: &Path) {
    for (name, durability, batch, count) in [
        ("commit, one at a time", Durability::Commit, 1, 300u64),
        ("commit, 100 at a time", Durability::Commit, 100, 20_000),
        ("commit, 1,000 at a time", Durability::Commit, 1_000, 100_000),
        ("deferred, one at a time", Durability::Deferred, 1, 5_000),
        ("deferred, 1,000 at a time", Durability::Deferred, 1_000, 100_000),
    ] {
        let path = folder.join(format!("{durability:?}-{batch}"));
        let options = Options { durability, ..Options::default() };
        let index = Index::create(&path, simhash(Coding::Coded), options).unwrap();
        let started = Instant::now();
        for from in (0..count).step_by(batch) {
            let pages: Vec<Sketch> = (from..from + batch as u64).map(|i| page(i, pair(i, 1))).collect();
            index.add_batch(&pages).unwrap();
        }
        index.sync().unwrap();
        rate(name, count, started);
    }
}
