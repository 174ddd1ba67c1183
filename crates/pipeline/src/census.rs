//! How many documents a shingle or feature is in, counted over the whole input before documents are sketched.
//!
//! One counter for each of many places, chosen by the hash: a count is never too low, and too high only where two
//! hashes share a place. What is counted once is for certain in one document alone.

use crate::error::Error;
use crate::job::Job;
use crate::progress::StageKind;
use crate::scan::{lock, parallel, parser};
use onefold_detect::sketch::idf_weight;
use onefold_formats::Block;
use onefold_formats::document::{Document, Parsed, Parser};
use onefold_formats::reader::{Progress, Reader};
use onefold_formats::source::{Layout, Source};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Counts of shingles: what matters is which are rare, so four bits each do.
pub(crate) struct ShingleCounts {
    /// Parts of the places by the first bits of the hash, each small enough for a cache.
    parts: Vec<Vec<u8>>,
    /// Bits of a place within its part.
    bits: u32,
    /// Sixteenths of the shingles that are counted.
    counted: u64,
    /// A bit for each place that was counted more than once: small enough to be at hand.
    shared: Vec<u64>,
}

/// Counts from here on are all alike.
const MANY: u8 = 15;
const PART_BITS: u32 = 6;
const PARTS: usize = 1 << PART_BITS;
/// Hashes a worker holds for each part before it counts them.
const HELD: usize = 4096;

impl ShingleCounts {
    /// Documents a shingle is in, at most; all that are many are one, as are those that were not counted.
    #[inline]
    pub(crate) fn get(&self, hash: u64) -> u8 {
        let (part, at, shift) = place(hash, self.bits);
        let count = self.parts[part][at] >> shift & MANY;
        count | (MANY * u8::from(hash & 15 >= self.counted))
    }

    /// Whether a shingle is for certain in one document alone.
    #[inline]
    pub(crate) fn is_alone(&self, hash: u64) -> bool {
        let at = (hash >> (64 - PART_BITS - self.bits)) as usize;
        // Neither half can be foretold, so both are looked at.
        (hash & 15 < self.counted) & (self.shared[at / 64] >> (at % 64) & 1 == 0)
    }

    fn new(parts: Vec<Vec<u8>>, bits: u32, counted: u64) -> Self {
        let bytes = parts.iter().flat_map(|part| part.as_chunks::<32>().0);
        let word = |bytes: &[u8; 32]| {
            let more = |(at, byte): (usize, &u8)| {
                u64::from(byte & 15 > 1) << (2 * at) | u64::from(byte >> 4 > 1) << (2 * at + 1)
            };
            bytes.iter().enumerate().map(more).fold(0, |word, bits| word | bits)
        };
        let shared = bytes.map(word).collect();
        ShingleCounts { parts, bits, counted, shared }
    }
}

/// Part, byte in it, and shift of the four bits in that.
#[inline]
fn place(hash: u64, bits: u32) -> (usize, usize, u32) {
    let at = (hash << PART_BITS >> (64 - bits)) as usize;
    ((hash >> (64 - PART_BITS)) as usize, at / 2, (at % 2 * 4) as u32)
}

/// Counts being made, by several workers at once.
pub(crate) struct ShingleCensus {
    parts: Vec<Mutex<Vec<u8>>>,
    bits: u32,
    counted: u64,
}

impl ShingleCensus {
    /// Counters for an input of so many bytes, within a budget, of which so many sixteenths of the shingles are
    /// counted.
    pub(crate) fn new(input_bytes: u64, budget_bytes: u64, counted: u64) -> Self {
        // A shingle starts every six bytes of text or so, and a place for each leaves enough of them apart.
        let wanted = (input_bytes * counted / 64).clamp(1 << 16, 1 << 32).next_power_of_two();
        // Four bits and one for each place.
        let allowed = (budget_bytes / 5 * 8).max(1 << 16);
        let bits = wanted.ilog2().min(allowed.ilog2()) - PART_BITS;
        let parts = (0..PARTS).map(|_| Mutex::new(vec![0; 1 << (bits - 1)])).collect();
        ShingleCensus { parts, bits, counted: counted.min(16) }
    }

    /// A worker's hold on the counts.
    pub(crate) fn worker(&self) -> ShingleCounter<'_> {
        let held = (0..PARTS).map(|_| vec![0; HELD]).collect();
        ShingleCounter { census: self, held, lens: [0; PARTS] }
    }

    fn count(&self, part: usize, hashes: &[u64]) {
        let mut counts = lock(&self.parts[part]);
        for &hash in hashes {
            let (_, at, shift) = place(hash, self.bits);
            let byte = counts[at];
            counts[at] = byte + (u8::from(byte >> shift & MANY < MANY) << shift);
        }
    }

    pub(crate) fn finish(self) -> ShingleCounts {
        let whole = |part: Mutex<Vec<u8>>| part.into_inner().unwrap_or_else(PoisonError::into_inner);
        ShingleCounts::new(self.parts.into_iter().map(whole).collect(), self.bits, self.counted)
    }
}

/// Holds shingles back until there are many of a part: counting them is then a matter of the cache.
pub(crate) struct ShingleCounter<'c> {
    census: &'c ShingleCensus,
    held: Vec<Vec<u64>>,
    lens: [usize; PARTS],
}

impl ShingleCounter<'_> {
    #[inline]
    pub(crate) fn add(&mut self, hash: u64) {
        let part = (hash >> (64 - PART_BITS)) as usize;
        let len = &mut self.lens[part];
        // Whether a shingle is counted cannot be foretold: one that is not is overwritten by the next.
        self.held[part][*len] = hash;
        *len += usize::from(hash & 15 < self.census.counted);
        if *len == HELD {
            self.census.count(part, &self.held[part]);
            *len = 0;
        }
    }
}

impl Drop for ShingleCounter<'_> {
    fn drop(&mut self) {
        for (part, held) in self.held.iter().enumerate() {
            self.census.count(part, &held[..self.lens[part]]);
        }
    }
}

/// Counts of features, for their weights: their number of places is fixed, as fingerprints depend on it.
pub(crate) struct FeatureCounts {
    places: Vec<AtomicU32>,
    documents: AtomicU32,
}

const FEATURE_BITS: u32 = 22;

impl FeatureCounts {
    /// Bytes of memory that the counters take.
    pub(crate) const BYTES: u64 = (size_of::<AtomicU32>() as u64) << FEATURE_BITS;

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

    /// The weights that these counts come to.
    pub(crate) fn finish(self) -> FeatureWeights {
        let documents = self.documents.into_inner();
        // Few counts are distinct: each is worked out once. No weight is 0.
        let mut known = vec![0; documents as usize + 1];
        let weight = |count: u32| {
            let known = &mut known[count.min(documents) as usize];
            if *known == 0 {
                *known = idf_weight(documents.into(), count.into()) as u16;
            }
            *known
        };
        FeatureWeights { weights: self.places.into_iter().map(AtomicU32::into_inner).map(weight).collect() }
    }
}

/// The weight of each feature: the more the fewer documents have it.
pub(crate) struct FeatureWeights {
    /// 16·log₂ of fewer than 2³² documents fits.
    weights: Vec<u16>,
}

impl FeatureWeights {
    #[inline]
    pub(crate) fn get(&self, feature: u64) -> u32 {
        self.weights[(feature >> (64 - FEATURE_BITS)) as usize].into()
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
    let next = AtomicUsize::new(0);
    let shared: Mutex<Vec<Arc<Mutex<Option<Turn>>>>> = Mutex::new(Vec::new());
    let open = |source: Source| -> Result<Turn, Error> {
        let reader = job.reader(&source, (0, 0))?;
        Ok(Turn { parser: parser(&source, job)?, reader, source })
    };
    parallel(job, |_| {
        let (mut worker, mut block) = (worker(), Block::default());
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            // A source of one's own first, then those that others still read.
            let turns = match sources.get(index) {
                Some(source) => {
                    let turn = Arc::new(Mutex::new(Some(open(source.clone())?)));
                    lock(&shared).push(Arc::clone(&turn));
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
                    match reading.reader.next_block(&mut block).map_err(|error| job.failed(error))? {
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
    fn the_weight_of_a_feature_is_by_its_count() {
        let counts = FeatureCounts::new();
        let feature = |i: u64| i << (64 - FEATURE_BITS);
        (1..=100).for_each(|i| counts.add(&(0..i).map(feature).collect::<Vec<_>>()));
        let weights = counts.finish();
        for i in 0..100 {
            assert_eq!(weights.get(feature(i)), idf_weight(100, 100 - i));
        }
        assert_eq!(weights.get(feature(1000)), idf_weight(100, 0));
    }

    #[test]
    fn counts_are_never_too_low_and_stop_at_many() {
        let census = ShingleCensus::new(0, 0, 16);
        let hash = |i: u64| onefold_detect::mix::pair(i, 3);
        let mut worker = census.worker();
        (0..1000).for_each(|i| (0..i % 30).for_each(|_| worker.add(hash(i))));
        drop(worker);
        let counts = census.finish();
        for i in 0..1000 {
            assert!(u64::from(counts.get(hash(i))) >= (i % 30).min(MANY.into()));
            assert_eq!(counts.is_alone(hash(i)), counts.get(hash(i)) <= 1);
        }
    }
}
