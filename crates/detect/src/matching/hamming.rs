//! All fingerprints within k bits of each other, none missed (Manku, Jain and Das Sarma 2007).
//!
//! Cut a fingerprint into b > k blocks. Two fingerprints that differ in at most k bits differ in at most k blocks,
//! so they agree in some b − k of them. One table for every choice of b − k blocks, C(b, k) in all, with the bits of
//! those blocks as bucket key, therefore brings every such pair together at least once.
//!
//! More blocks mean more tables, and more bits that must agree in each: fewer comparisons for more keys. With T
//! tables whose table t compares m(t) bits, N random fingerprints cost each of them
//!
//! ```text
//! 50·T + Σ over t of N / 2^m(t) / 2
//! ```
//!
//! comparisons: a key made, sorted and read is worth about 50, and a bucket's N/2^m pairs are each seen by two.

use crate::mix;
use serde::{Deserialize, Serialize};

/// Most tables that are made.
const MOST_TABLES: usize = 400;
/// Blocks tried beyond k.
const MOST_SPARE: u32 = 4;
/// Cost of a key, in comparisons.
const KEY_COST: f64 = 50.0;

/// Bucket keys by which all fingerprints within a distance meet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Shape", try_from = "Shape")]
pub struct Tables {
    shape: Shape,
    /// The bits that must agree, a table.
    masks: Vec<u128>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Shape {
    bits: u32,
    k: u32,
    blocks: u32,
}

/// Why tables cannot be had.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum TablesError {
    /// No fingerprint is so long.
    #[error("fingerprints have 1 to 128 bits, not {0}")]
    Bits(u32),
    /// All pairs are so near, or blocks would be empty.
    #[error("{blocks} blocks of {bits} bits cannot find all pairs within {k}")]
    Blocks {
        /// Bits of a fingerprint.
        bits: u32,
        /// Distance asked for.
        k: u32,
        /// Blocks asked for.
        blocks: u32,
    },
    /// More than can be afforded.
    #[error("{blocks} blocks within {k} need more than {MOST_TABLES} tables")]
    TooMany {
        /// Distance asked for.
        k: u32,
        /// Blocks asked for.
        blocks: u32,
    },
}

impl Tables {
    /// The tables of least expected cost for so many documents.
    pub fn choose(bits: u32, k: u32, documents: u64) -> Result<Self, TablesError> {
        let least = Tables::with_blocks(bits, k, k.saturating_add(1))?;
        let more = (k + 2..=k + MOST_SPARE).filter_map(|blocks| Tables::with_blocks(bits, k, blocks).ok());
        let cheaper = |best: Tables, next: Tables| {
            if next.cost(documents) < best.cost(documents) { next } else { best }
        };
        Ok(more.fold(least, cheaper))
    }

    /// The tables of a cut into `blocks`, as equal as may be.
    pub fn with_blocks(bits: u32, k: u32, blocks: u32) -> Result<Self, TablesError> {
        if !(1..=128).contains(&bits) {
            return Err(TablesError::Bits(bits));
        }
        if blocks <= k || blocks > bits {
            return Err(TablesError::Blocks { bits, k, blocks });
        }
        if choices(blocks, k) > MOST_TABLES {
            return Err(TablesError::TooMany { k, blocks });
        }
        let block = |i: u32| ones((i + 1) * bits / blocks) ^ ones(i * bits / blocks);
        let mut masks = Vec::new();
        leave_out(k, 0, blocks, ones(bits), &block, &mut masks);
        Ok(Tables { shape: Shape { bits, k, blocks }, masks })
    }

    /// Number of tables, and of keys a fingerprint has.
    #[allow(clippy::len_without_is_empty)] // there is always a table
    pub fn len(&self) -> usize {
        self.masks.len()
    }

    /// Blocks a fingerprint is cut into.
    pub fn blocks(&self) -> u32 {
        self.shape.blocks
    }

    /// The distance up to which no pair is missed.
    pub fn distance(&self) -> u32 {
        self.shape.k
    }

    /// Bits that must agree for two fingerprints to meet in a table; `None` if there is no such table.
    pub fn key_bits(&self, table: usize) -> Option<u32> {
        self.masks.get(table).map(|mask| mask.count_ones())
    }

    /// Expected cost of a document among so many, in comparisons: the formula above.
    pub fn cost(&self, documents: u64) -> f64 {
        let compared = |mask: &u128| documents as f64 / 2f64.powi(mask.count_ones() as i32) / 2.0;
        self.masks.iter().map(|mask| KEY_COST + compared(mask)).sum()
    }

    /// Bucket keys of a fingerprint, one a table; equal bits in different tables get different keys.
    pub fn keys(&self, fingerprint: u128) -> impl Iterator<Item = u64> + '_ {
        self.masks.iter().enumerate().map(move |(table, mask)| {
            let agreeing = fingerprint & mask;
            let salt = mix::pair(table as u64, mix::K[0]);
            let low = mix::fold(agreeing as u64 ^ salt, mix::K[1]);
            mix::fold(low ^ (agreeing >> 64) as u64 ^ mix::K[3], mix::K[2] ^ salt.rotate_left(32))
        })
    }
}

impl From<Tables> for Shape {
    fn from(tables: Tables) -> Shape {
        tables.shape
    }
}

impl TryFrom<Shape> for Tables {
    type Error = TablesError;

    fn try_from(Shape { bits, k, blocks }: Shape) -> Result<Self, TablesError> {
        Tables::with_blocks(bits, k, blocks)
    }
}

/// All pairs of a list, by place, within `k` bits of each other; each once and in order.
///
/// Costs what [`Tables::cost`] says, and a step for each pair that is found: a list of n equal fingerprints has
/// n(n−1)/2.
pub fn within(fingerprints: &[u128], bits: u32, k: u32) -> Vec<(u32, u32)> {
    let mask = ones(bits.min(128));
    let near = |x: u128| (x & mask).count_ones() <= k;
    let count = fingerprints.len() as u32;
    let Ok(tables) = Tables::choose(bits, k, count.into()) else {
        // No tables help where k is as large as the fingerprint.
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        return pairs.filter(|&(a, b)| near(fingerprints[a as usize] ^ fingerprints[b as usize])).collect();
    };
    let mut pairs = Vec::new();
    let mut sorted: Vec<(u128, u32)> = Vec::with_capacity(fingerprints.len());
    for (table, mask) in tables.masks.iter().enumerate() {
        sorted.clear();
        sorted.extend(fingerprints.iter().zip(0..).map(|(fingerprint, place)| (fingerprint & mask, place)));
        sorted.sort_unstable();
        for bucket in sorted.chunk_by(|a, b| a.0 == b.0) {
            for (i, &(_, a)) in bucket.iter().enumerate() {
                for &(_, b) in &bucket[i + 1..] {
                    let apart = fingerprints[a as usize] ^ fingerprints[b as usize];
                    // A pair that met in a table before was found there.
                    if near(apart) && tables.masks[..table].iter().all(|before| apart & before != 0) {
                        pairs.push((a, b));
                    }
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The lowest `count` bits.
fn ones(count: u32) -> u128 {
    if count == 0 { 0 } else { u128::MAX >> (128 - count) }
}

/// C(n, k), or one more than the most tables where it is larger.
fn choices(n: u32, k: u32) -> usize {
    let k = k.min(n - k) as usize;
    let mut all = 1;
    for i in 0..k {
        all = all * (n as usize - i) / (i + 1);
        if all > MOST_TABLES {
            return MOST_TABLES + 1;
        }
    }
    all
}

/// The masks of `mask` without each choice of `out` blocks from `from` on.
fn leave_out(
    out: u32,
    from: u32,
    blocks: u32,
    mask: u128,
    block: &impl Fn(u32) -> u128,
    masks: &mut Vec<u128>,
) {
    if out == 0 {
        masks.push(mask);
        return;
    }
    for i in from..=blocks - out {
        leave_out(out - 1, i + 1, blocks, mask & !block(i), block, masks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn four_blocks_find_three_bits_with_four_tables() {
        let tables = Tables::with_blocks(64, 3, 4).unwrap();
        assert_eq!(tables.len(), 4);
        assert!((0..4).all(|table| tables.key_bits(table) == Some(16)));
        assert_eq!(tables.key_bits(4), None);
        // The ten tables of the paper's second design: three of five blocks left out.
        let tables = Tables::with_blocks(64, 3, 5).unwrap();
        assert_eq!(tables.len(), 10);
        assert!((0..10).all(|table| matches!(tables.key_bits(table), Some(25..=26))));
    }

    #[test]
    fn more_documents_are_worth_more_blocks() {
        let blocks = |k, documents| Tables::choose(64, k, documents).unwrap().blocks();
        assert_eq!(blocks(3, 1000), 4);
        assert_eq!(blocks(3, 1_000_000_000), 5);
        assert_eq!(blocks(7, 10_000_000), 10);
        for k in 0..=7 {
            for documents in [0, 1000, 10_000_000, u64::MAX] {
                let chosen = Tables::choose(64, k, documents).unwrap();
                for blocks in k + 1..=k + MOST_SPARE {
                    let other = Tables::with_blocks(64, k, blocks);
                    assert!(other.is_err() || other.unwrap().cost(documents) >= chosen.cost(documents));
                }
            }
        }
    }

    #[test]
    fn the_cost_is_that_of_the_formula() {
        // 4 · (50 + 2²⁰ / 2¹⁶ / 2)
        assert_eq!(Tables::with_blocks(64, 3, 4).unwrap().cost(1 << 20), 232.0);
    }

    #[test]
    fn what_cannot_be_had_is_an_error() {
        assert_eq!(Tables::choose(0, 3, 10), Err(TablesError::Bits(0)));
        assert_eq!(Tables::choose(129, 3, 10), Err(TablesError::Bits(129)));
        assert!(matches!(Tables::choose(64, 64, 10), Err(TablesError::Blocks { .. })));
        assert!(matches!(Tables::choose(64, u32::MAX, 10), Err(TablesError::Blocks { .. })));
        assert!(matches!(Tables::with_blocks(64, 3, 3), Err(TablesError::Blocks { .. })));
        assert!(matches!(Tables::with_blocks(64, 7, 20), Err(TablesError::TooMany { .. })));
        assert!(Tables::choose(64, 63, 10).is_ok());
    }

    #[test]
    fn tables_are_written_as_three_numbers_and_checked_when_read() {
        let tables = Tables::choose(64, 3, 1_000_000).unwrap();
        let json = serde_json::to_string(&tables).unwrap();
        assert_eq!(serde_json::from_str::<Tables>(&json).unwrap(), tables);
        assert!(serde_json::from_str::<Tables>(r#"{"bits":64,"k":3,"blocks":2}"#).is_err());
    }

    #[test]
    fn keys_are_spread_evenly_and_differ_between_tables() {
        let tables = Tables::with_blocks(64, 3, 4).unwrap();
        assert_eq!(tables.keys(0).collect::<std::collections::BTreeSet<_>>().len(), 4);
        let mut seen = [0u32; 256];
        for low in 0..65_536u128 {
            seen[(tables.keys(low).last().unwrap() >> 56) as usize] += 1;
            seen[(tables.keys(low).next().unwrap() >> 56) as usize] += 1;
        }
        // The last table leaves the upper blocks out, so its keys are those of 65,536 small numbers; the first has
        // one key for all of them. Binomial(65536, 1/256): mean 256, standard deviation 16.
        let uneven: Vec<u32> = seen.into_iter().filter(|n| !(176..336).contains(n)).collect();
        assert!(uneven.len() == 1 && (65_712..65_872).contains(&uneven[0]), "{uneven:?}");
    }

    /// A list in which some are near to others: each differs from one before in a few bits, or in none.
    fn list(bits: u32) -> impl Strategy<Value = Vec<u128>> {
        let step =
            (any::<u128>(), any::<prop::sample::Index>(), prop::collection::vec(0..bits, 0..9), 0..4u8);
        prop::collection::vec(step, 1..40).prop_map(move |steps| {
            let mut all: Vec<u128> = Vec::new();
            for (random, origin, flips, new) in steps {
                let flip = |x: u128| flips.iter().fold(x, |x, bit| x ^ 1 << bit);
                let near = if all.is_empty() || new == 0 {
                    random & ones(bits)
                } else {
                    flip(all[origin.index(all.len())])
                };
                all.push(near);
            }
            all
        })
    }

    fn brute_force(fingerprints: &[u128], k: u32) -> Vec<(u32, u32)> {
        let count = fingerprints.len() as u32;
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        pairs
            .filter(|&(a, b)| (fingerprints[a as usize] ^ fingerprints[b as usize]).count_ones() <= k)
            .collect()
    }

    proptest! {
        #[test]
        fn the_pairs_within_are_those_of_brute_force(
            (bits, fingerprints) in prop::sample::select(vec![16u32, 32, 64, 128]).prop_flat_map(|bits| (Just(bits), list(bits))),
            k in 0..=7u32,
        ) {
            prop_assert_eq!(within(&fingerprints, bits, k), brute_force(&fingerprints, k));
        }

        #[test]
        fn pairs_within_share_a_key_in_every_cut(
            a: u128,
            flips in prop::collection::btree_set(0..128u32, 0..=7),
            spare in 1..=4u32,
        ) {
            for bits in [32, 64, 128] {
                // Exactly as many as the set has in range: k itself counts as within.
                let b = flips.iter().filter(|&&bit| bit < bits).fold(a, |x, bit| x ^ 1 << bit);
                let k = (a ^ b).count_ones();
                let Ok(tables) = Tables::with_blocks(bits, k, k + spare) else { continue };
                let shared = tables.keys(a).zip(tables.keys(b)).any(|(x, y)| x == y);
                prop_assert!(shared, "{bits} {k} {spare}");
                if k == 0 { prop_assert!(tables.keys(a).eq(tables.keys(b))); }
            }
        }

        #[test]
        fn a_table_is_met_in_only_by_those_that_agree_in_its_bits(a: u128, b: u128, k in 0..=7u32) {
            let tables = Tables::with_blocks(64, k, k + 1).unwrap();
            for (i, (x, y)) in tables.keys(a).zip(tables.keys(b)).enumerate() {
                prop_assert_eq!(x == y, (a ^ b) & tables.masks[i] == 0);
            }
        }
    }

    #[test]
    fn every_pair_is_near_where_k_is_the_whole_length() {
        assert_eq!(within(&[0, u128::MAX, 7], 8, 8), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(within(&[0, 0xff00], 8, 0), [(0, 1)]);
        assert_eq!(within(&[], 64, 3), []);
    }
}
