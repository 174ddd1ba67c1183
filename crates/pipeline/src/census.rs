//! How many documents a shingle or feature is in, counted over the whole input before documents are sketched.
//!
//! One counter for each of many places, chosen by the hash: a count is never too low, and too high only where two
//! hashes share a place. What is counted once is for certain in one document alone.

use crate::error::Error;
use crate::job::Job;
use crate::progress::StageKind;
use crate::scan::{lock, parallel, parser};
use onefold_formats::Block;
use onefold_formats::document::{Document, Parsed, Parser};
use onefold_formats::reader::{Progress, Reader};
use onefold_formats::source::{Layout, Source};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

/// Counts of shingles: what matters is which are rare, so a byte each does.
pub(crate) struct ShingleCounts {
    places: Vec<AtomicU8>,
    shift: u32,
}

/// Counts from here on are all alike. Far enough below 255 that threads that meet at a counter do not wrap it.
const MANY: u8 = 128;

impl ShingleCounts {
    /// Counters for an input of so many bytes, within a budget.
    pub(crate) fn new(input_bytes: u64, budget_bytes: u64) -> Self {
        // A shingle starts every six bytes of text or so; two places for each keep most of them apart.
        let wanted = (input_bytes / 3).clamp(1 << 16, 1 << 31).next_power_of_two();
        let allowed = budget_bytes.max(1 << 16);
        let bits = wanted.ilog2().min(allowed.ilog2());
        ShingleCounts { places: (0..1u64 << bits).map(|_| AtomicU8::new(0)).collect(), shift: 64 - bits }
    }

    pub(crate) fn add(&self, hash: u64) {
        let place = &self.places[(hash >> self.shift) as usize];
        if place.load(Ordering::Relaxed) < MANY {
            place.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Documents a shingle is in, at most; all that are many are one.
    pub(crate) fn get(&self, hash: u64) -> u8 {
        self.places[(hash >> self.shift) as usize].load(Ordering::Relaxed).min(MANY)
    }
}

/// Counts of features, for their weights: their number of places is fixed, as fingerprints depend on it.
pub(crate) struct FeatureCounts {
    places: Vec<AtomicU32>,
    documents: AtomicU32,
}

const FEATURE_BITS: u32 = 22;

impl FeatureCounts {
    pub(crate) fn new() -> Self {
        let places = (0..1u64 << FEATURE_BITS).map(|_| AtomicU32::new(0)).collect();
        FeatureCounts { places, documents: AtomicU32::new(0) }
    }

    /// Takes the distinct features of a document.
    pub(crate) fn add(&self, features: &[u64]) {
        self.documents.fetch_add(1, Ordering::Relaxed);
        for feature in features {
            self.places[(feature >> (64 - FEATURE_BITS)) as usize].fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn documents(&self) -> u32 {
        self.documents.load(Ordering::Relaxed)
    }

    pub(crate) fn get(&self, feature: u64) -> u32 {
        self.places[(feature >> (64 - FEATURE_BITS)) as usize].load(Ordering::Relaxed)
    }
}

/// A source being counted.
struct Turn {
    source: Source,
    parser: Parser,
    reader: Reader,
}

/// Hands every document to `count`, on all threads, in any order. Where members of a gzip turn out not to be records,
/// documents before that place are handed over twice.
pub(crate) fn visit<W>(
    job: &Job<'_>,
    sources: &[Source],
    worker: impl Fn() -> W + Sync,
    count: impl Fn(&mut W, &Document<'_>) + Sync,
) -> Result<(), Error> {
    job.progress.start(StageKind::Count, sources.iter().map(|source| source.size).sum());
    let limit = job.plan.max_document_bytes as usize;
    let next = AtomicUsize::new(0);
    let shared: Mutex<Vec<std::sync::Arc<Mutex<Option<Turn>>>>> = Mutex::new(Vec::new());
    let open = |source: Source| -> Result<Turn, Error> {
        let reader = Reader::open(&source, &job.plan.fields, limit, (0, 0))?;
        Ok(Turn { parser: parser(&source, job)?, reader, source })
    };
    parallel(job, |_| {
        let (mut worker, mut block) = (worker(), Block::default());
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            // A source of one's own first, then those that others still read.
            let turns = match sources.get(index) {
                Some(source) => {
                    let turn = std::sync::Arc::new(Mutex::new(Some(open(source.clone())?)));
                    lock(&shared).push(std::sync::Arc::clone(&turn));
                    vec![turn]
                }
                None => lock(&shared).clone(),
            };
            for turn in &turns {
                loop {
                    job.check()?;
                    let mut at = lock(turn);
                    let Some(reading) = at.as_mut() else { break };
                    let before = reading.reader.bytes_read();
                    match reading.reader.next_block(&mut block)? {
                        Progress::Block => {}
                        Progress::End => {
                            *at = None;
                            break;
                        }
                        Progress::NotMembers => {
                            let source = Source { layout: Layout::Stream, ..reading.source.clone() };
                            *at = Some(open(source)?);
                            continue;
                        }
                    }
                    let read = reading.reader.bytes_read().saturating_sub(before);
                    let parser = reading.parser.clone();
                    drop(at);
                    let mut documents = 0;
                    for frame in &block.frames {
                        if let Parsed::Document(document) = parser.parse(block.bytes_of(frame), &frame.kind) {
                            count(&mut worker, &document);
                            documents += 1;
                        }
                    }
                    job.progress.advance(read, documents);
                }
            }
            if index >= sources.len() {
                return Ok(());
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_never_too_low_and_stop_at_many() {
        let counts = ShingleCounts::new(0, 0);
        let hash = |i: u64| onefold_detect::mix::pair(i, 3);
        (0..1000).for_each(|i| (0..i % 300).for_each(|_| counts.add(hash(i))));
        for i in 0..1000 {
            assert!(u64::from(counts.get(hash(i))) >= (i % 300).min(MANY.into()));
        }
    }
}
