//! Where in a plain section keys begin with what, to the entry.
//!
//! The directory knows first keys of blocks, and a search from there waits for memory at every step. Here one look says
//! where the run of a query begins and ends, before any of its keys is read, so that the waits for the keys of all
//! tables fall together.

use crate::section::BLOCK;
use std::ops::{Range, RangeInclusive};

/// Entries that share a beginning, on average, at least: few are compared in vain.
const FEW: u64 = 16;
/// The same where there are more beginnings than a processor's nearest memories have room for.
const MANY: u64 = 128;
/// Bits of beginnings that have room there.
const NEAR_BITS: u32 = 16;

/// For each beginning of keys, the number of keys below it; and the number of all.
pub(crate) struct Runs {
    starts: Vec<u32>,
    shift: u32,
}

impl Runs {
    /// From `entries` keys in order; `None` if they are too few or too many for it.
    pub(crate) fn of(entries: u64, keys: impl Iterator<Item = u64>) -> Option<Self> {
        let entries = u32::try_from(entries).ok().filter(|&entries| entries > 0)?;
        let bits = bits(entries.into());
        let (shift, count) = (64 - bits, 1 << bits);
        let mut starts = Vec::with_capacity(count + 1);
        let mut seen = 0;
        for key in keys {
            while starts.len() as u64 <= key >> shift {
                starts.push(seen);
            }
            seen += 1;
        }
        starts.resize(count + 1, seen);
        (seen == entries).then_some(Runs { starts, shift })
    }

    /// How many of so many uniform keys share a beginning.
    pub(crate) fn shared(entries: u64) -> f64 {
        entries as f64 / 2f64.powi(bits(entries) as i32)
    }

    /// A range of entries among which are all those with keys in `keys`; there may be others beside them.
    #[inline]
    pub(crate) fn holding(&self, keys: &RangeInclusive<u64>) -> Range<usize> {
        let place = |key: u64| (key >> self.shift) as usize;
        self.starts[place(*keys.start())] as usize..self.starts[place(*keys.end()) + 1] as usize
    }

    /// Bytes held in memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.starts.len() as u64 * 4
    }
}

/// Bits of beginnings.
fn bits(entries: u64) -> u32 {
    let sharing = |share: u64| (entries / share).max(2).ilog2();
    sharing(FEW).min(NEAR_BITS).max(sharing(MANY))
}

/// The blocks of a range of entries, each with the entries of its own that are in the range.
pub(crate) fn blocks(entries: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
    (entries.start / BLOCK..entries.end.div_ceil(BLOCK)).map(move |block| {
        let first = block * BLOCK;
        (block, entries.start.max(first) - first..entries.end.min(first + BLOCK) - first)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_keys_of_a_range_are_held_and_blocks_make_it_up(
            mut keys in proptest::collection::vec(prop_oneof![any::<u64>(), 0u64..20, Just(u64::MAX)], 1..3000),
            low in prop_oneof![any::<u64>(), 0u64..20], high in prop_oneof![any::<u64>(), 0u64..20],
        ) {
            keys.sort_unstable();
            let runs = Runs::of(keys.len() as u64, keys.iter().copied()).unwrap();
            let (low, high) = (low.min(high), low.max(high));
            let held = runs.holding(&(low..=high));
            let (from, to) = (keys.partition_point(|&key| key < low), keys.partition_point(|&key| key <= high));
            prop_assert!(held.start <= from && to <= held.end, "{held:?} {from} {to}");
            let places = blocks(held.clone()).flat_map(|(block, within)| within.map(move |at| block * BLOCK + at));
            prop_assert_eq!(places.collect::<Vec<_>>(), held.collect::<Vec<_>>());
        }
    }

    #[test]
    fn ranges_of_whole_beginnings_are_exact() {
        let keys: Vec<u64> = (0..10_000).map(|i| i << 48).collect();
        let runs = Runs::of(10_000, keys.iter().copied()).unwrap();
        assert_eq!(runs.holding(&(0x400 << 48..=(0x800 << 48) - 1)), 0x400..0x800);
    }
}
