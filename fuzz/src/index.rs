//! Small indexes, made once, of which one file is replaced by other bytes before they are opened and asked.

use crate::folder;
use onefold_detect::digest::Digest;
use onefold_detect::matching::Bands;
use onefold_detect::mix;
use onefold_detect::sketch::MinHash;
use onefold_index::{Coding, Cut, Error, Index, Options, Rule, Settings, Shape, Sketch};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::OnceLock;

const SIGNATURE: usize = 32;
const PAGE: usize = 4096;

/// An index as it lies in its folder: a store and one segment.
pub struct Base {
    pub store: Vec<u8>,
    pub segment: Vec<u8>,
}

/// What becomes of an index.
pub enum Outcome {
    /// It was opened and nothing is wrong with it.
    Sound,
    /// It was refused, or something is wrong with it.
    Noticed,
}

/// The index that a byte chooses, and whether it is written to, which takes as long as all else: one by bands, which is the fixture of format 1 made anew, one by coded tables of
/// fingerprints, one by plain tables.
pub fn base(choice: u8) -> (&'static Base, bool) {
    static BASES: OnceLock<[Base; 3]> = OnceLock::new();
    let bands = || {
        let rule = Rule::Minhash {
            signature: SIGNATURE,
            bands: Bands { bands: 8, rows: 4 },
            threshold: 0.6,
            max_bucket: None,
        };
        make(rule, Coding::Plain, 20, &[0..24, 24..30])
    };
    // One more than a block holds goes into the segment, and a few stay in the head.
    let tables = |coding| {
        let rule = Rule::Simhash { tables: Shape { k: 3, cut: Cut::One }, threshold: None };
        make(rule, coding, 130, &[0..390, 390..400])
    };
    let bases = BASES.get_or_init(|| [bands(), tables(Coding::Coded), tables(Coding::Plain)]);
    (&bases[usize::from(choice) % bases.len()], choice < 128)
}

fn make(rule: Rule, coding: Coding, head_documents: usize, batches: &[std::ops::Range<u64>]) -> Base {
    let folder = tempfile::tempdir_in(folder()).expect("a temporary folder");
    let path = folder.path().join("index");
    let sets = matches!(rule, Rule::Minhash { .. });
    let plan = serde_json::json!({"made": "by the tests"});
    let settings = Settings { plan, rule, sets, coding, head_documents };
    let index = Index::create(&path, settings, options()).expect("an index is made");
    for batch in batches {
        index.add_batch(&batch.clone().map(page).collect::<Vec<_>>()).expect("pages are added");
    }
    index.remove("page-0").expect("a page is removed");
    drop(index);
    let read = |name| fs::read(path.join(name)).expect("the index has one segment");
    Base { store: read("store.redb"), segment: read("0.segment") }
}

impl Base {
    /// Opens the index with these bytes for its files, asks it all that it can be asked, and may write to it if nothing is wrong with it.
    ///
    /// # Panics
    /// Where an index that is sound is not so any more after it was added to and compacted.
    pub fn ask(store: &[u8], segment: &[u8], writes: bool) -> Outcome {
        let folder = tempfile::tempdir_in(folder()).expect("a temporary folder");
        write(&folder.path().join("store.redb"), store);
        write(&folder.path().join("0.segment"), segment);
        ask(folder.path(), writes).unwrap_or(Outcome::Noticed)
    }
}

fn ask(path: &Path, writes: bool) -> Result<Outcome, Error> {
    let index = Index::open(path, options())?;
    for number in [2, 17, 200, 395, 1_000] {
        let page = page(number);
        let _ = index.check(&page);
        let _ = index.matches(&page);
        let _ = index.get(&page.id);
        let _ = index.check_fingerprint(page.fingerprint.unwrap_or_default() ^ 5, true);
    }
    let _ = index.stats();
    let _ = index.pictures();
    let _ = index.export(|_| Ok::<_, Error>(()));
    let sound = index.verify().is_ok_and(|report| report.problems.is_empty());
    // The engine ends the process where it writes by lists of free pages that were damaged.
    if writes && sound {
        index.add(&page(1_000)).and_then(|_| index.remove("page-4")).and_then(|_| index.compact())?;
        let problems = index.verify()?.problems;
        assert!(problems.is_empty(), "a sound index that was added to and compacted is sound: {problems:?}");
    }
    Ok(if sound { Outcome::Sound } else { Outcome::Noticed })
}

fn options() -> Options {
    Options { background_merges: false, cache_bytes: 1 << 20, ..Options::default() }
}

/// Three pages each are near to each other.
fn page(number: u64) -> Sketch {
    let (topic, changed) = (number / 3 + 1, number % 3);
    let mut shingles: Vec<u64> = (0..30)
        .map(|i| mix::pair(topic << 20 | i, if i == changed { 99 } else { 1 }))
        .map(|hash| mix::fold(hash ^ 0x1234_5678_9abc_def1, 0x9e37_79b9_7f4a_7c15))
        .collect();
    shingles.sort_unstable();
    let mut sketch = MinHash::new(SIGNATURE);
    sketch.begin();
    shingles.iter().for_each(|&hash| sketch.add(hash));
    let bytes: Vec<u8> = shingles.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    Sketch {
        id: format!("page-{number}"),
        url: Some(format!("https://example.org/page-{number}")),
        key: None,
        seen: number,
        digest: Digest::of(&bytes),
        fingerprint: Some(mix::pair(topic, 5) ^ 1 << changed),
        signature: sketch.finish().map(<[u64]>::to_vec),
        shingles,
        empty: false,
    }
}

/// Places of the pages of a store that hold anything; most of it is room for more.
pub fn used_pages(bytes: &[u8]) -> Vec<usize> {
    let is_used = |page: &[u8]| page != &[0; PAGE][..page.len()];
    bytes
        .chunks(PAGE)
        .enumerate()
        .filter(|(_, page)| is_used(page))
        .map(|(number, _)| number * PAGE)
        .collect()
}

/// Writes a file, leaving out what is zero anyway.
fn write(path: &Path, bytes: &[u8]) {
    let file = fs::File::create(path).expect("a file is made");
    file.set_len(bytes.len() as u64).expect("a file is made longer");
    for at in used_pages(bytes) {
        let page = &bytes[at..bytes.len().min(at + PAGE)];
        file.write_all_at(page, at as u64).expect("a file is written");
    }
}
