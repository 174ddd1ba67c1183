//! Small documents made of numbers, and an index to put them in.
#![allow(dead_code, clippy::unwrap_used)]

use onefold_detect::digest::Digest;
use onefold_detect::matching::Bands;
use onefold_detect::mix;
use onefold_detect::sketch::MinHash;
use onefold_index::{Cut, Gate, Index, Operation, Options, Rule, Settings, Shape, Sketch};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

pub(crate) const SIGNATURE: usize = 32;
pub(crate) const THRESHOLD: f64 = 0.6;

pub(crate) fn minhash(head_documents: usize) -> Settings {
    Settings {
        plan: serde_json::json!({"made": "by the tests"}),
        rule: Rule::Minhash {
            signature: SIGNATURE,
            bands: Bands { bands: 8, rows: 4 },
            threshold: THRESHOLD,
            max_bucket: None,
        },
        sets: true,
        coding: Default::default(),
        head_documents,
    }
}

pub(crate) fn simhash(k: u32, cut: Cut, head_documents: usize) -> Settings {
    Settings {
        rule: Rule::Simhash { tables: Shape { k, cut }, threshold: None },
        sets: false,
        ..minhash(head_documents)
    }
}

/// A document of `words` numbers from `topic` on, of which those in `changed` are others.
pub(crate) fn document(id: &str, topic: u64, words: u64, changed: &[u64], seen: u64) -> Sketch {
    let mut shingles: Vec<u64> = (0..words)
        .map(|i| {
            if changed.contains(&i) { mix::pair(topic << 20 | i, 99) } else { mix::pair(topic << 20 | i, 1) }
        })
        .map(|hash| mix::fold(hash ^ 0x1234_5678_9abc_def1, 0x9e37_79b9_7f4a_7c15))
        .collect();
    shingles.sort_unstable();
    shingles.dedup();
    let mut sketch = MinHash::new(SIGNATURE);
    sketch.begin();
    shingles.iter().for_each(|&hash| sketch.add(hash));
    let bytes: Vec<u8> = shingles.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    Sketch {
        id: id.into(),
        url: Some(format!("https://example.org/{id}")),
        key: None,
        seen,
        digest: Digest::of(&bytes),
        fingerprint: Some(mix::pair(topic, 5) ^ changed.iter().fold(0, |bits, i| bits ^ 1 << (i % 64))),
        signature: sketch.finish().map(<[u64]>::to_vec),
        shingles,
        empty: words == 0,
    }
}

pub(crate) fn options(gate: Option<Arc<dyn Gate>>) -> Options {
    Options { background_merges: false, cache_bytes: 1 << 20, gate, ..Options::default() }
}

#[track_caller]
pub(crate) fn sound(index: &Index) {
    let report = index.verify().unwrap();
    assert!(report.problems.is_empty(), "{:#?}", report.problems);
}

pub(crate) fn open(path: &Path) -> Index {
    Index::open(path, options(None)).unwrap()
}

/// Storage that fails, and tears the write at which it does, after so many writes and syncs.
#[derive(Debug)]
pub(crate) struct FailAfter {
    left: AtomicI64,
    kind: io::ErrorKind,
}

impl FailAfter {
    pub(crate) fn new(operations: i64, kind: io::ErrorKind) -> Arc<Self> {
        Arc::new(FailAfter { left: AtomicI64::new(operations), kind })
    }

    pub(crate) fn set(&self, operations: i64) {
        self.left.store(operations, Ordering::SeqCst);
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.left.load(Ordering::SeqCst) < 0
    }
}

impl Gate for FailAfter {
    fn pass(&self, operation: Operation) -> Result<(), (usize, io::Error)> {
        if self.left.fetch_sub(1, Ordering::SeqCst) > 0 {
            return Ok(());
        }
        // Torn in the middle the first time, refused from then on.
        let passing = match operation {
            Operation::Write { bytes, .. } if self.left.load(Ordering::SeqCst) == -1 => bytes / 2,
            _ => 0,
        };
        Err((passing, io::Error::new(self.kind, "planned failure")))
    }
}

/// A full disk: what is there can be written over, nothing can grow.
#[derive(Debug, Default)]
pub(crate) struct Full {
    /// Bytes of the store, once it is full.
    length: AtomicI64,
}

impl Full {
    pub(crate) fn fill(&self, length: u64) {
        self.length.store(length as i64, Ordering::SeqCst);
    }

    pub(crate) fn free(&self) {
        self.length.store(0, Ordering::SeqCst);
    }
}

impl Gate for Full {
    fn pass(&self, operation: Operation) -> Result<(), (usize, io::Error)> {
        let length = self.length.load(Ordering::SeqCst) as u64;
        let grows = match operation {
            Operation::Write { offset, bytes } => offset + bytes as u64 > length,
            Operation::Resize { length: to } => to > length,
            Operation::Sync => false,
        };
        if length > 0 && grows { Err((0, io::ErrorKind::StorageFull.into())) } else { Ok(()) }
    }
}
