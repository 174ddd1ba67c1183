//! Many fingerprints at once: tables are built over the queries and the index is gone through once.
//!
//! That is how Manku, Jain and Das Sarma (2007) answer batches: the index is read in order, in parallel, and each of its
//! fingerprints is looked up in the tables of the queries, which are few enough to stay in the cache. Where many queries
//! begin alike, finer tables tell them apart.

use crate::decide::is_keeper;
use crate::error::Error;
use crate::finer::long_runs;
use crate::index::Index;
use crate::permuted::{Permutations, costs};
use crate::row::Number;
use crate::search;
use crate::section::{Coding, Entry};
use crate::segment::Kind;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Blocks a thread takes at a time.
const SHARE: usize = 256;

/// A query and a keeper within the distance of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Place of the query in the list.
    pub query: u32,
    /// The keeper.
    pub number: Number,
    /// Bits in which they differ.
    pub distance: u32,
}

/// Queries that begin alike from which on they are found by finer tables.
const LONG: usize = 256;

/// Sorted keys, and the places of their queries.
#[derive(Default)]
struct Sorted {
    keys: Vec<u64>,
    places: Vec<u32>,
}

impl Sorted {
    fn of(entries: &[Entry]) -> Self {
        let (keys, places) = entries.iter().map(|&(key, place)| (key, place as u32)).unzip();
        Sorted { keys, places }
    }

    /// Whether a run has so many queries that finer tables were made for it.
    fn is_long(&self, run: &RangeInclusive<u64>) -> bool {
        let start = search::below(&self.keys, *run.start());
        self.keys.get(start + LONG - 1).is_some_and(|key| key <= run.end())
    }

    fn near(&self, own: u64, run: &RangeInclusive<u64>, k: u32, mut take: impl FnMut(u32, u32)) {
        let start = search::below(&self.keys, *run.start());
        for (key, &query) in self.keys[start..].iter().zip(&self.places[start..]) {
            if key > run.end() {
                break;
            }
            let distance = (own ^ key).count_ones();
            if distance <= k {
                take(query, distance);
            }
        }
    }
}

/// The queries, permuted and sorted for each table.
struct Queries {
    permutations: Permutations,
    /// Each table, and its finer ones for long runs, but the first, whose order is the table's own.
    tables: Vec<(Sorted, Vec<Sorted>)>,
}

impl Queries {
    fn new(fingerprints: &[u64], k: u32) -> Result<Option<Self>, Error> {
        let shape = costs(k, fingerprints.len() as u64, Coding::Plain).first().map(|cost| cost.shape);
        let Some(permutations) = shape.and_then(Permutations::new) else { return Ok(None) };
        let mut tables = Vec::new();
        for table in 0..permutations.len() {
            let keys = fingerprints.iter().map(|&fingerprint| permutations.permute(table, fingerprint));
            let mut sorted: Vec<Entry> = keys.zip(0..).collect();
            sorted.sort_unstable();
            let each = |take: &mut dyn FnMut(Entry)| {
                sorted.iter().for_each(|&entry| take(entry));
                Ok(())
            };
            let finer = match permutations.finer(table) {
                [] => Vec::new(),
                _ => long_runs(&permutations, table, LONG, each)?,
            };
            let finer = finer.iter().map(|(_, entries)| Sorted::of(entries)).collect();
            tables.push((Sorted::of(&sorted), finer));
        }
        Ok(Some(Queries { permutations, tables }))
    }

    fn look_up(&self, fingerprint: u64, number: Number, found: &mut Vec<Pair>) {
        let k = self.permutations.k();
        let mut take = |query, distance| found.push(Pair { query, number, distance });
        for (table, (sorted, finer)) in self.tables.iter().enumerate() {
            let own = self.permutations.permute(table, fingerprint);
            let run = self.permutations.run(table, own);
            if finer.is_empty() || !sorted.is_long(&run) {
                sorted.near(own, &run, k, &mut take);
                continue;
            }
            let sorted = std::iter::once(sorted).chain(finer);
            for (part, sorted) in self.permutations.finer(table).iter().zip(sorted) {
                let own = part.permute(fingerprint);
                sorted.near(own, &part.run(own), k, &mut take);
            }
        }
    }
}

impl Index {
    /// All pairs of a query and a keeper within the distance of the index: sorted, each once.
    pub fn query_batch(&self, fingerprints: &[u64], threads: usize) -> Result<Vec<Pair>, Error> {
        let tables = self.inner.decider.permutations();
        let tables =
            tables.ok_or_else(|| Error::Settings("this index has no tables of fingerprints".into()))?;
        let Some(queries) = Queries::new(fingerprints, tables.k())? else { return Ok(Vec::new()) };
        let snapshot = self.inner.snapshot();
        let kind = Kind::table(0);
        let mut shares = Vec::new();
        for segment in snapshot.keys.segments.iter() {
            let blocks = segment.blocks(kind);
            shares.extend((0..blocks).step_by(SHARE).map(|from| (segment, from..(from + SHARE).min(blocks))));
        }
        let next = AtomicUsize::new(0);
        let all: Mutex<Result<Vec<Pair>, Error>> = Mutex::new(Ok(Vec::new()));
        let work = || {
            let mut found = Vec::new();
            let outcome = loop {
                let Some((segment, blocks)) = shares.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break Ok(());
                };
                let look = |(key, number): Entry| queries.look_up(tables.restore(0, key), number, &mut found);
                if let Err(error) = segment.each(kind, blocks.clone(), look) {
                    break Err(error);
                }
            };
            found.sort_unstable();
            found.dedup();
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            match (outcome, &mut *all) {
                (Ok(()), Ok(pairs)) => pairs.append(&mut found),
                (Err(error), all) => *all = Err(error),
                _ => {}
            }
        };
        std::thread::scope(|scope| {
            (1..threads.max(1)).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        let mut pairs = all.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        let head = snapshot.keys.head.read().unwrap_or_else(PoisonError::into_inner).sorted(kind);
        for (key, number) in head {
            queries.look_up(tables.restore(0, key), number, &mut pairs);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut kept = Vec::with_capacity(pairs.len());
        for pair in pairs {
            if is_keeper(&snapshot.view.rows, pair.number)? {
                kept.push(pair);
            }
        }
        Ok(kept)
    }
}
