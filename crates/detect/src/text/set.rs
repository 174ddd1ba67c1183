//! The set of a document's shingles, sorted, for exact comparison.

use super::{Normaliser, Shingling};

/// Sorted distinct shingle hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShingleSet(Vec<u64>);

impl ShingleSet {
    /// The set of the text that was read. `scratch` is working space.
    pub fn of(read: &Normaliser, shingling: Shingling, scratch: &mut Vec<u64>) -> Self {
        scratch.clear();
        shingling.each(read, |hash| scratch.push(hash));
        Self::from_hashes(scratch)
    }

    /// The set of some shingles, in any order and with repeats.
    pub fn from_hashes(hashes: &[u64]) -> Self {
        let mut sorted = Vec::new();
        sort_hashes(hashes, &mut sorted);
        ShingleSet(sorted)
    }

    /// The same with every occurrence of a shingle a member, if `bag` says so: see [`Shingling::each_with`].
    pub fn of_with(read: &Normaliser, shingling: Shingling, bag: bool, scratch: &mut Vec<u64>) -> Self {
        if !bag {
            return ShingleSet::of(read, shingling, scratch);
        }
        let (mut counted, mut sorted) = (Vec::with_capacity(read.token_hashes().len()), Vec::new());
        shingling.each_with(read, bag, scratch, |hash| counted.push(hash));
        sort_hashes(&counted, &mut sorted);
        ShingleSet(sorted)
    }

    /// The hashes, ascending, without repeats.
    pub fn hashes(&self) -> &[u64] {
        &self.0
    }

    /// Number of distinct shingles.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the document has no shingle.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * 8
    }
}

/// Buckets up to this size are sorted by insertion.
const SMALL_BUCKET: u32 = 24;
/// Leading bits a scatter goes by at most.
const MOST_BITS: u32 = 15;

/// Sorts uniform hashes and drops repeats: one scatter by leading bits leaves hardly two in a bucket.
fn sort_hashes(hashes: &[u64], sorted: &mut Vec<u64>) {
    sorted.clear();
    if hashes.len() < 64 {
        sorted.extend_from_slice(hashes);
        sorted.sort_unstable();
        sorted.dedup();
        return;
    }
    // More buckets than hashes: what is in order already costs a comparison, what is not a misprediction.
    let bits = (hashes.len().ilog2() + 1).min(MOST_BITS);
    let shift = 64 - bits;
    let mut counts: Vec<u32> = vec![0; 1 << bits];
    let starts = counts.as_mut_slice();
    for hash in hashes {
        starts[(hash >> shift) as usize] += 1;
    }
    let (mut sum, mut largest) = (0, 0);
    for start in starts.iter_mut() {
        let count = std::mem::replace(start, sum);
        largest = largest.max(count);
        sum += count;
    }
    sorted.resize(hashes.len(), 0);
    for &hash in hashes {
        let place = &mut starts[(hash >> shift) as usize];
        sorted[*place as usize] = hash;
        *place += 1;
    }
    if largest > SMALL_BUCKET {
        sorted.sort_unstable();
    } else {
        insert(sorted);
    }
    sorted.dedup();
}

/// Sorts what is nearly in order.
#[inline(always)]
fn insert(hashes: &mut [u64]) {
    let mut greatest = 0;
    for i in 0..hashes.len() {
        let hash = hashes[i];
        if hash >= greatest {
            greatest = hash;
            continue;
        }
        let mut j = i;
        while j > 0 && hashes[j - 1] > hash {
            hashes[j] = hashes[j - 1];
            j -= 1;
        }
        hashes[j] = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        #[test]
        fn sorts_any_numbers_and_drops_repeats(mut hashes in proptest::collection::vec(prop_oneof![any::<u64>(), 0u64..50], 0..700)) {
            let mut sorted = Vec::new();
            sort_hashes(&hashes, &mut sorted);
            hashes.sort_unstable();
            hashes.dedup();
            prop_assert_eq!(hashes, sorted);
        }
    }

    fn counts(text: &str, shingling: Shingling) -> BTreeMap<u64, usize> {
        let (mut read, mut counts) = (Normaliser::default(), BTreeMap::new());
        read.read(text);
        shingling.each(&read, |hash| *counts.entry(hash).or_default() += 1);
        counts
    }

    fn bag(text: &str, shingling: Shingling) -> ShingleSet {
        let mut read = Normaliser::default();
        read.read(text);
        ShingleSet::of_with(&read, shingling, true, &mut vec![7])
    }

    proptest! {
        #[test]
        fn bags_share_the_smaller_counts_out_of_the_greater(
            a in proptest::collection::vec("[ab]", 0..200),
            b in proptest::collection::vec("[abc]", 0..200),
            shingling in proptest::sample::select(&[Shingling::Words(1), Shingling::Words(3), Shingling::Chars(4)][..]),
        ) {
            let (a, b) = (a.join(" "), b.join(" "));
            let (counts_a, counts_b) = (counts(&a, shingling), counts(&b, shingling));
            let either: BTreeSet<u64> = counts_a.keys().chain(counts_b.keys()).copied().collect();
            let both = |hash| (counts_a.get(hash).copied().unwrap_or(0), counts_b.get(hash).copied().unwrap_or(0));
            let least: usize = either.iter().map(both).map(|(a, b)| a.min(b)).sum();
            let most: usize = either.iter().map(both).map(|(a, b)| a.max(b)).sum();
            let (bag_a, bag_b) = (bag(&a, shingling), bag(&b, shingling));
            let shared = bag_a.hashes().iter().filter(|hash| bag_b.hashes().binary_search(hash).is_ok()).count();
            prop_assert_eq!(shared, least);
            prop_assert_eq!(bag_a.len() + bag_b.len() - shared, most);
        }
    }

    #[test]
    fn a_bag_holds_every_occurrence_and_a_set_one() {
        let text = "na ".repeat(100);
        assert_eq!(bag(&text, Shingling::Words(5)).len(), 96);
        let mut read = Normaliser::default();
        read.read(&text);
        let set = ShingleSet::of(&read, Shingling::Words(5), &mut Vec::new());
        assert_eq!(ShingleSet::of_with(&read, Shingling::Words(5), false, &mut Vec::new()), set);
        assert!(bag(&text, Shingling::Words(5)).hashes().contains(&set.hashes()[0]));
    }

    #[test]
    fn bags_do_not_change_unnoticed() {
        let counted = [756_191_213_174_940_711, 771_194_892_219_870_462, 6_711_049_987_458_454_726];
        assert_eq!(bag("na na na", Shingling::Words(1)).hashes(), counted);
    }

    #[test]
    fn repeats_count_once() {
        let mut read = Normaliser::default();
        read.read(&"na ".repeat(100));
        assert_eq!(ShingleSet::of(&read, Shingling::default(), &mut Vec::new()).len(), 1);
    }
}
