//! Many fingerprints at once: tables are built over the queries and the index is gone through once.
//!
//! That is how Manku, Jain and Das Sarma (2007) answer batches: the index is read in order, in parallel, and each of its
//! fingerprints is looked up in the tables of the queries, which are few enough to stay in the cache.

use crate::decide::is_keeper;
use crate::error::Error;
use crate::index::Index;
use crate::permuted::{Permutations, costs};
use crate::row::Number;
use crate::search;
use crate::section::Entry;
use crate::segment::Kind;
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

/// The queries, permuted and sorted for each table.
struct Queries {
    permutations: Permutations,
    /// Keys of each table, and the places of their queries.
    tables: Vec<(Vec<u64>, Vec<u32>)>,
}

impl Queries {
    fn new(fingerprints: &[u64], k: u32) -> Option<Self> {
        let shape = costs(k, fingerprints.len() as u64).first()?.shape;
        let permutations = Permutations::new(shape)?;
        let tables = (0..permutations.len())
            .map(|table| {
                let keys = fingerprints.iter().map(|&fingerprint| permutations.permute(table, fingerprint));
                let mut sorted: Vec<(u64, u32)> = keys.zip(0..).collect();
                sorted.sort_unstable();
                sorted.into_iter().unzip()
            })
            .collect();
        Some(Queries { permutations, tables })
    }

    fn look_up(&self, fingerprint: u64, number: Number, found: &mut Vec<Pair>) {
        for (table, (keys, places)) in self.tables.iter().enumerate() {
            let own = self.permutations.permute(table, fingerprint);
            let run = self.permutations.run(table, own);
            let start = search::below(keys, *run.start());
            for (key, &query) in keys[start..].iter().zip(&places[start..]) {
                if key > run.end() {
                    break;
                }
                let distance = (own ^ key).count_ones();
                if distance <= self.permutations.k() {
                    found.push(Pair { query, number, distance });
                }
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
        let Some(queries) = Queries::new(fingerprints, tables.k()) else { return Ok(Vec::new()) };
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
