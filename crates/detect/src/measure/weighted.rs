//! Bags: sets whose items count as often as they occur, or as much as they weigh.
//!
//! With counts a and b of an item the weighted Jaccard resemblance is Σ min(a, b) / Σ max(a, b). With all counts 1 it is
//! that of sets.

/// How two bags overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BagOverlap {
    /// Sum of the smaller counts.
    pub shared: u64,
    /// Sum of the first bag's counts.
    pub first: u64,
    /// Sum of the second bag's counts.
    pub second: u64,
}

impl BagOverlap {
    /// Σ min / Σ max. Two empty bags have none.
    pub fn resemblance(&self) -> f64 {
        // max = a + b − min, item by item.
        ratio(self.shared, self.first + self.second - self.shared)
    }

    /// Containment of the first bag in the second, Σ min / Σ first.
    pub fn containment(&self) -> f64 {
        ratio(self.shared, self.first)
    }

    /// Whether the resemblance reaches `threshold`.
    pub fn reaches(&self, threshold: f64) -> bool {
        self.resemblance() >= threshold
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The bag of a list of hashes: each once, in order, with how often it occurs. Sorts the list.
pub fn bag(hashes: &mut [u64]) -> Vec<(u64, u32)> {
    hashes.sort_unstable();
    hashes.chunk_by(|a, b| a == b).map(|run| (run[0], u32::try_from(run.len()).unwrap_or(u32::MAX))).collect()
}

/// Compares two bags, each a list of items and counts in order of the items and without repeats.
pub fn bag_overlap(a: &[(u64, u32)], b: &[(u64, u32)]) -> BagOverlap {
    let mut shared = 0;
    matched(a, b, |x, y| shared += u64::from(x.min(y)));
    BagOverlap { shared, first: total(a), second: total(b) }
}

/// The overlap of two bags if their resemblance reaches `threshold`, else `None`; looks at the items only if the totals
/// allow it.
pub fn bag_overlap_reaching(a: &[(u64, u32)], b: &[(u64, u32)], threshold: f64) -> Option<BagOverlap> {
    let (first, second) = (total(a), total(b));
    // At best the smaller bag lies whole within the larger.
    let best = BagOverlap { shared: first.min(second), first, second };
    if first.max(second) == 0 || !best.reaches(threshold) {
        return None;
    }
    let found = bag_overlap(a, b);
    found.reaches(threshold).then_some(found)
}

fn total(bag: &[(u64, u32)]) -> u64 {
    bag.iter().map(|&(_, count)| u64::from(count)).sum()
}

/// Hands the counts of each item that both bags have to `take`.
fn matched(a: &[(u64, u32)], b: &[(u64, u32)], mut take: impl FnMut(u32, u32)) {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let ((x, of_a), (y, of_b)) = (a[i], b[j]);
        if x == y {
            take(of_a, of_b);
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn repeats_count() {
        // a a b against a b b b: min 1 + 1, max 2 + 3
        let found = bag_overlap(&bag(&mut [1, 2, 1]), &bag(&mut [2, 1, 2, 2]));
        assert_eq!((found.shared, found.first, found.second), (2, 3, 4));
        assert_eq!(found.resemblance(), 0.4);
        assert_eq!(found.containment(), 2.0 / 3.0);
    }

    #[test]
    fn empty_bags_resemble_nothing() {
        assert_eq!(bag_overlap(&[], &[]).resemblance(), 0.0);
        assert_eq!(bag_overlap_reaching(&[], &[], 0.1), None);
    }

    proptest! {
        #[test]
        fn sums_are_those_of_plain_maps(
            a: BTreeMap<u8, u16>,
            b: BTreeMap<u8, u16>,
            threshold in 0.05f64..1.0,
        ) {
            let list = |map: &BTreeMap<u8, u16>| -> Vec<(u64, u32)> {
                map.iter().map(|(&x, &count)| (x.into(), count.into())).collect()
            };
            let of = |map: &BTreeMap<u8, u16>, x: u8| u64::from(map.get(&x).copied().unwrap_or(0));
            let min: u64 = (0..=255).map(|x| of(&a, x).min(of(&b, x))).sum();
            let max: u64 = (0..=255).map(|x| of(&a, x).max(of(&b, x))).sum();
            let found = bag_overlap(&list(&a), &list(&b));
            prop_assert_eq!(found.shared, min);
            prop_assert_eq!(found.first + found.second - found.shared, max);
            let bounded = bag_overlap_reaching(&list(&a), &list(&b), threshold);
            prop_assert_eq!(bounded, found.reaches(threshold).then_some(found));
        }

        #[test]
        fn bags_of_ones_are_sets(a: std::collections::BTreeSet<u64>, b: std::collections::BTreeSet<u64>) {
            let ones = |set: &std::collections::BTreeSet<u64>| set.iter().map(|&x| (x, 1)).collect::<Vec<_>>();
            let (va, vb): (Vec<u64>, Vec<u64>) = (a.iter().copied().collect(), b.iter().copied().collect());
            let as_sets = super::super::overlap(&va, &vb);
            prop_assert_eq!(bag_overlap(&ones(&a), &ones(&b)).resemblance(), as_sets.resemblance());
        }
    }
}
