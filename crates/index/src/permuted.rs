//! The choice of Manku's tables, and their permutations.
//!
//! Fingerprints of 64 bits are cut into blocks. Two within k bits of each other agree in all but k blocks, so one
//! table for each choice of the blocks that agree finds them: its keys are fingerprints with those blocks moved to the
//! front, and a query reads the run of keys that begin as its own does. With T tables whose run compares m bits, a query
//! among n documents costs T searches and T·n/2ᵐ comparisons.
//!
//! | cut | tables at k = 3 | bits m that must agree |
//! |---|---:|---:|
//! | k + 1 blocks, one agrees | 4 | 16 |
//! | k + 2 blocks, two agree | 10 | 25 |
//! | k + 1 blocks, one agrees; the others cut again into k + 1, one agrees | 16 | 28 |
//! | k + 3 blocks, three agree | 20 | 31 |
//!
//! Real fingerprints are skewed: a million error pages may begin alike in some block and make its run long. Where a run
//! of the first cut is long, the *finer* tables of the nested cut are made for it alone.

use crate::runs::Runs;
use crate::section::Coding;
use serde::{Deserialize, Serialize};

/// Largest distance.
pub const MOST_BITS: u32 = 7;

/// How fingerprints are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cut {
    /// k + 1 blocks, of which one agrees.
    One,
    /// k + 2 blocks, of which two agree.
    Two,
    /// k + 1 blocks, of which one agrees, and of the rest again one of k + 1.
    Nested,
    /// k + 3 blocks, of which three agree.
    Three,
}

/// A distance and a cut: all that tables depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Distance up to which nothing is missed.
    pub k: u32,
    /// The cut.
    pub cut: Cut,
}

/// What a shape costs for a number of documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The shape.
    pub shape: Shape,
    /// Tables, and searches a query makes.
    pub tables: usize,
    /// Bits that must agree at least.
    pub key_bits: u32,
    /// Fingerprints compared by a query among uniform ones.
    pub compared: f64,
    /// Bytes of memory, coded.
    pub coded_bytes: f64,
    /// Bytes of memory, plain.
    pub plain_bytes: f64,
    /// Estimated time of a query in microseconds, coded.
    pub coded_microseconds: f64,
    /// The same, plain.
    pub plain_microseconds: f64,
}

impl Cost {
    /// Estimated time of a query in microseconds.
    pub fn microseconds(&self, coding: Coding) -> f64 {
        match coding {
            Coding::Coded => self.coded_microseconds,
            Coding::Plain => self.plain_microseconds,
        }
    }
}

/// A search, which is assumed, and a comparison of a coded and of a plain key, which then fit the 6.1 and 2.3 µs of a check
/// among 10 million (BENCHMARKS.md).
const SEARCH_US: f64 = 0.35;
const COMPARE_CODED_US: f64 = 0.005;
const COMPARE_PLAIN_US: f64 = 0.0015;

/// What each shape costs for so many documents, the fastest in this coding first.
pub fn costs(k: u32, documents: u64, coding: Coding) -> Vec<Cost> {
    let n = documents.max(1) as f64;
    let shapes = [Cut::One, Cut::Two, Cut::Nested, Cut::Three].map(|cut| Shape { k, cut });
    let mut costs: Vec<Cost> = shapes
        .into_iter()
        .filter_map(|shape| {
            let tables = Permutations::new(shape)?;
            let compared = tables.tables.iter().map(|table| n / 2f64.powi(table.prefix as i32)).sum::<f64>();
            let key_bits = tables.tables.iter().map(|table| table.prefix).min()?;
            let number_bits = n.log2().ceil().max(1.0);
            let coded = (64.0 - n.log2() + 1.44).max(2.0) * 1.04 + number_bits + 1.0;
            let count = tables.len();
            // Blocks are decoded whole; of plain ones a part is looked at.
            let decoded = compared + count as f64 * crate::section::BLOCK as f64 / 2.0;
            let looked_at = compared.max(count as f64 * Runs::shared(documents));
            let search = count as f64 * SEARCH_US;
            Some(Cost {
                shape,
                tables: count,
                key_bits,
                compared,
                coded_bytes: n * count as f64 * coded / 8.0,
                plain_bytes: n * count as f64 * 12.125,
                coded_microseconds: search + decoded * COMPARE_CODED_US,
                plain_microseconds: search + looked_at * COMPARE_PLAIN_US,
            })
        })
        .collect();
    costs.sort_by(|a, b| a.microseconds(coding).total_cmp(&b.microseconds(coding)));
    // At distance 0 all cuts are one.
    costs.dedup_by_key(|cost| (cost.tables, cost.key_bits));
    costs
}

/// A table: the order of blocks, and how many leading bits must agree.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// Lowest bit and length of each block, the leading one first.
    blocks: Vec<(u32, u32)>,
    prefix: u32,
}

/// The permutations of a shape.
#[derive(Clone, Debug)]
pub(crate) struct Permutations {
    k: u32,
    tables: Vec<Table>,
    /// For each table k + 1 that cut its runs again; none where runs are short anyway.
    finer: Vec<Table>,
}

impl Permutations {
    /// `None` if k is out of range.
    pub(crate) fn new(shape: Shape) -> Option<Self> {
        let k = shape.k;
        if k > MOST_BITS {
            return None;
        }
        let all = (0, 64);
        let tables = match shape.cut {
            Cut::One => choices(&cut(all, k + 1), 1),
            Cut::Two => choices(&cut(all, k + 2), 2),
            Cut::Three => choices(&cut(all, k + 3), 3),
            Cut::Nested => nested(all, k + 1),
        };
        let finer = if shape.cut == Cut::One && k > 0 { nested(all, k + 1) } else { Vec::new() };
        Some(Permutations { k, tables, finer })
    }

    pub(crate) fn k(&self) -> u32 {
        self.k
    }

    pub(crate) fn len(&self) -> usize {
        self.tables.len()
    }

    /// Bits behind those that must agree.
    pub(crate) fn shift(&self, table: usize) -> u32 {
        self.tables[table].shift()
    }

    /// The fingerprint with the table's blocks in front. Distances stay as they are.
    #[inline]
    pub(crate) fn permute(&self, table: usize, fingerprint: u64) -> u64 {
        self.tables[table].permute(fingerprint)
    }

    /// The fingerprint of a key.
    pub(crate) fn restore(&self, table: usize, key: u64) -> u64 {
        let (mut fingerprint, mut left) = (0, 64);
        for &(start, len) in &self.tables[table].blocks {
            left -= len;
            fingerprint |= (key >> left & ones(len)) << start;
        }
        fingerprint
    }

    /// The keys a query has to look at: those that begin as its own.
    #[inline]
    pub(crate) fn run(&self, table: usize, key: u64) -> std::ops::RangeInclusive<u64> {
        self.tables[table].run(key)
    }

    /// The finer tables of a table: none, or k + 1 of which the first has the order of the table itself.
    pub(crate) fn finer(&self, table: usize) -> &[Table] {
        let parts = self.k as usize + 1;
        self.finer.get(table * parts..(table + 1) * parts).unwrap_or_default()
    }
}

impl Table {
    /// The fingerprint with the table's blocks in front.
    #[inline]
    pub(crate) fn permute(&self, fingerprint: u64) -> u64 {
        let mut key = 0;
        for &(start, len) in &self.blocks {
            key = shift_left(key, len) | fingerprint >> start & ones(len);
        }
        key
    }

    /// Bits behind those that must agree.
    pub(crate) fn shift(&self) -> u32 {
        64 - self.prefix
    }

    /// The keys that begin as this one.
    #[inline]
    pub(crate) fn run(&self, key: u64) -> std::ops::RangeInclusive<u64> {
        let rest = ones(self.shift());
        key & !rest..=key | rest
    }
}

fn ones(count: u32) -> u64 {
    if count == 0 { 0 } else { u64::MAX >> (64 - count) }
}

fn shift_left(value: u64, count: u32) -> u64 {
    if count >= 64 { 0 } else { value << count }
}

/// Cuts bits into blocks as equal as may be, the highest first.
fn cut((start, len): (u32, u32), blocks: u32) -> Vec<(u32, u32)> {
    (0..blocks).rev().map(|i| (start + i * len / blocks, (i + 1) * len / blocks - i * len / blocks)).collect()
}

fn table(front: Vec<(u32, u32)>, behind: Vec<(u32, u32)>) -> Table {
    let prefix = front.iter().map(|block| block.1).sum();
    Table { blocks: front.into_iter().chain(behind).collect(), prefix }
}

/// A table for each choice of `agree` blocks.
fn choices(blocks: &[(u32, u32)], agree: u32) -> Vec<Table> {
    (0u32..1 << blocks.len())
        .rev()
        .filter(|chosen| chosen.count_ones() == agree)
        .map(|chosen| {
            let place = |at: usize| chosen >> (blocks.len() - 1 - at) & 1 == 1;
            let part = |wanted: bool| {
                (0..blocks.len()).filter(|&at| place(at) == wanted).map(|at| blocks[at]).collect()
            };
            table(part(true), part(false))
        })
        .collect()
}

/// One block of `parts` agrees; of the bits left, all of them in a row, one part of `parts` agrees again.
fn nested(all: (u32, u32), parts: u32) -> Vec<Table> {
    let mut tables = Vec::new();
    for outer in cut(all, parts) {
        // The bits left are two runs, above and below the outer block; they are cut as if they were one.
        let below = (all.0, outer.0 - all.0);
        let above = (outer.0 + outer.1, all.0 + all.1 - outer.0 - outer.1);
        let left = below.1 + above.1;
        let spans = |(start, len): (u32, u32)| -> Vec<(u32, u32)> {
            let in_below = (start, len.min(below.1.saturating_sub(start)));
            let from = (start + in_below.1) - below.1.min(start + in_below.1);
            let in_above = (above.0 + from, len - in_below.1);
            [in_above, (all.0 + in_below.0, in_below.1)].into_iter().filter(|span| span.1 > 0).collect()
        };
        let inner = cut((0, left), parts);
        for at in 0..inner.len() {
            let mut front = vec![outer];
            front.extend(spans(inner[at]));
            let behind =
                inner.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, part)| spans(*part));
            tables.push(table(front, behind.collect()));
        }
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CUTS: [Cut; 4] = [Cut::One, Cut::Two, Cut::Nested, Cut::Three];

    #[test]
    fn tables_are_those_of_the_paper() {
        let of = |cut| Permutations::new(Shape { k: 3, cut }).unwrap();
        assert_eq!(CUTS.map(|cut| of(cut).len()), [4, 10, 16, 20]);
        let least = |cut| of(cut).tables.iter().map(|table| table.prefix).min();
        assert_eq!(CUTS.map(least), [Some(16), Some(25), Some(28), Some(31)]);
        assert!(Permutations::new(Shape { k: 8, cut: Cut::One }).is_none());
    }

    #[test]
    fn four_tables_do_for_millions_and_more_for_billions() {
        for coding in [Coding::Plain, Coding::Coded] {
            assert_eq!(costs(3, 10_000_000, coding)[0].shape.cut, Cut::One);
            assert_ne!(costs(3, 8_000_000_000, coding)[0].shape.cut, Cut::One);
        }
    }

    proptest! {
        #[test]
        fn whatever_is_within_k_shares_a_run(fingerprint in any::<u64>(), k in 0u32..=7, flips in proptest::collection::vec(0u32..64, 7), other in any::<u64>()) {
            let near = flips.iter().take(k as usize).fold(fingerprint, |f, bit| f ^ 1 << bit);
            for cut in CUTS {
                let tables = Permutations::new(Shape { k, cut }).unwrap();
                let meet = |a: u64, b: u64| (0..tables.len()).any(|t| tables.run(t, tables.permute(t, a)).contains(&tables.permute(t, b)));
                prop_assert!(meet(fingerprint, near));
                for table in 0..tables.len() {
                    let (a, b) = (tables.permute(table, fingerprint), tables.permute(table, other));
                    prop_assert_eq!((a ^ b).count_ones(), (fingerprint ^ other).count_ones());
                    prop_assert_eq!(tables.restore(table, a), fingerprint);
                    let finer = tables.finer(table);
                    prop_assert_eq!(finer.len(), if cut == Cut::One && k > 0 { k as usize + 1 } else { 0 });
                    if let Some(first) = finer.first() {
                        prop_assert_eq!(first.permute(fingerprint), a);
                        // What is within k and in the run is in a finer run.
                        let key = tables.permute(table, near);
                        let inside = tables.run(table, a).contains(&key);
                        prop_assert_eq!(inside, inside && finer.iter().any(|t| t.run(t.permute(fingerprint)).contains(&t.permute(near))));
                        prop_assert!(finer.iter().all(|t| tables.run(table, a).contains(&t.permute(fingerprint))));
                    }
                }
            }
        }
    }
}
