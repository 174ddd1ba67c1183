//! Similarity of two shingle sets, from exact counts.

/// How two sets of shingles overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// Shingles in both.
    pub shared: u32,
    /// Shingles of the first.
    pub first: u32,
    /// Shingles of the second.
    pub second: u32,
}

impl Overlap {
    /// Jaccard resemblance |A∩B| / |A∪B|. Two empty sets have none.
    pub fn resemblance(&self) -> f64 {
        let union = u64::from(self.first) + u64::from(self.second) - u64::from(self.shared);
        ratio(self.shared.into(), union)
    }

    /// Containment of the first set in the second, |A∩B| / |A|.
    pub fn containment(&self) -> f64 {
        ratio(self.shared.into(), self.first.into())
    }

    /// Resemblance less a tenth of the order of magnitude of what differs: people who look at a diff forgive a long
    /// page its share of changes less than a short one.
    pub fn less_differences(&self) -> f64 {
        let differ = u64::from(self.first) + u64::from(self.second) - 2 * u64::from(self.shared);
        self.resemblance() - 0.1 * (1.0 + differ as f64).log10()
    }

    /// The same, seen from the other set.
    pub fn turned(self) -> Self {
        Overlap { first: self.second, second: self.first, ..self }
    }

    /// Whether the resemblance reaches `threshold`, by division of counts.
    pub fn reaches(&self, threshold: f64) -> bool {
        self.resemblance() >= threshold
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Counts what two sorted sets without repeats share.
pub fn overlap(a: &[u64], b: &[u64]) -> Overlap {
    Overlap { shared: intersect(a, b, u32::MAX).unwrap_or(0), first: a.len() as u32, second: b.len() as u32 }
}

/// The overlap of two sorted sets if their resemblance reaches `threshold`, else `None`; gives up as soon as the
/// shingles missed on both sides rule it out.
pub fn overlap_reaching(a: &[u64], b: &[u64], threshold: f64) -> Option<Overlap> {
    let (short, long) = (a.len().min(b.len()) as f64, a.len().max(b.len()) as f64);
    if long == 0.0 || short / long < threshold {
        return None;
    }
    // J = s/(n−s) ≥ t  ⇔  misses = n−2s ≤ n(1−t)/(1+t); one more for rounding, as `reaches` has the last word.
    let total = (a.len() + b.len()) as f64;
    let may_miss = (total * (1.0 - threshold) / (1.0 + threshold)) as u32 + 1;
    let shared = intersect(a, b, may_miss)?;
    let overlap = Overlap { shared, first: a.len() as u32, second: b.len() as u32 };
    overlap.reaches(threshold).then_some(overlap)
}

/// Steps between two looks at whether the bound is passed: often enough to stop early, seldom enough to keep the
/// merge free of branches.
const STRIDE: usize = 64;

fn intersect(a: &[u64], b: &[u64], may_miss: u32) -> Option<u32> {
    let (mut i, mut j, mut shared) = (0, 0, 0u32);
    while i < a.len() && j < b.len() {
        let steps = STRIDE.min(a.len() - i).min(b.len() - j);
        for _ in 0..steps {
            let (x, y) = (a[i], b[j]);
            shared += u32::from(x == y);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        if (i + j) as u64 - 2 * u64::from(shared) > u64::from(may_miss) {
            return None;
        }
    }
    Some(shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn four_of_five_is_exactly_the_threshold() {
        let overlap = overlap_reaching(&[1, 2, 3, 4], &[1, 2, 3, 4, 5], 0.8).unwrap();
        assert_eq!(overlap.resemblance(), 0.8);
        assert_eq!(overlap.containment(), 1.0);
    }

    #[test]
    fn empty_sets_resemble_nothing() {
        assert_eq!(overlap(&[], &[]).resemblance(), 0.0);
        assert!(overlap_reaching(&[], &[], 0.1).is_none());
    }

    proptest! {
        #[test]
        fn counts_equal_those_of_plain_sets(a: BTreeSet<u8>, b: BTreeSet<u8>, threshold in 0.05f64..1.0) {
            let shared = a.intersection(&b).count() as u32;
            let (va, vb): (Vec<u64>, Vec<u64>) =
                (a.iter().map(|&x| x.into()).collect(), b.iter().map(|&x| x.into()).collect());
            let full = overlap(&va, &vb);
            prop_assert_eq!(full.shared, shared);
            let bounded = overlap_reaching(&va, &vb, threshold);
            prop_assert_eq!(bounded.is_some(), full.reaches(threshold) && full.shared > 0);
            if let Some(found) = bounded { prop_assert_eq!(found, full); }
        }
    }
}
