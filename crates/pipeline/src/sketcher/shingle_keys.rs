//! The shingles by which sets meet that overlap enough: prefix filtering.
//!
//! All documents put their shingles into one order, the rarest first. If a set of n has to share at least s with
//! another, then among its first n − s + 1 shingles is one of those shared: the others are too few to hold all of
//! them. For a resemblance of t, s is the least with s/n ≥ t; both sets meet in their prefixes. For a containment
//! of T in a larger set, the contained one has a prefix and the other is indexed whole. Shingles that no other
//! document has need no key, though they count in the order, so most documents have few keys or none.

use crate::census::ShingleCounts;
use onefold_detect::mix;
use onefold_run::{Method, Plan};

/// A shingle of a document, as a key: 46 bits of its hash, two of its role, and the number of shingles behind it in
/// the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShingleKey(pub(crate) u64);

impl ShingleKey {
    /// Bits of the role and the place, below those of the hash.
    pub(crate) const BELOW: u32 = 18;
    /// Within the prefix for resemblance.
    pub(crate) const PREFIX: u64 = 1;
    /// Within the prefix for containment.
    pub(crate) const QUERY: u64 = 2;
    /// So many behind, or more.
    const MOST: u64 = 0xffff;

    fn new(hash: u64, roles: u64, behind: usize) -> Self {
        let hash = hash >> Self::BELOW << Self::BELOW;
        ShingleKey(hash | roles << 16 | (behind as u64).min(Self::MOST))
    }

    pub(crate) fn has(self, role: u64) -> bool {
        self.0 >> 16 & role != 0
    }

    /// The roles of both, and the larger number behind.
    pub(crate) fn or(self, other: Self) -> Self {
        let roles = (self.0 | other.0) >> 16 & 3;
        let behind = (self.0 & Self::MOST).max(other.0 & Self::MOST);
        ShingleKey(self.0 >> Self::BELOW << Self::BELOW | roles << 16 | behind)
    }

    /// Shingles behind this one in the order, at most.
    pub(crate) fn behind(self) -> u32 {
        match self.0 & Self::MOST {
            Self::MOST => u32::MAX,
            behind => behind as u32,
        }
    }
}

/// The least s with s/n ≥ share, by division, as verification will ask.
pub(crate) fn required(n: usize, share: f64) -> usize {
    let reaches = |s: usize| s as f64 / n as f64 >= share;
    let mut least = ((n as f64 * share) as usize).min(n);
    while least > 0 && reaches(least - 1) {
        least -= 1;
    }
    while least < n && !reaches(least) {
        least += 1;
    }
    least.max(1)
}

/// Working space for keys.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    counts: Vec<u8>,
    shared: Vec<(u8, u64)>,
}

impl Prefixes {
    /// Whether a text has so many shingles of its own that no other can share enough with it; `hashes` are its
    /// shingles in any order and with repeats. Most texts are told after a part of them.
    pub(crate) fn is_alone(hashes: &[u64], plan: &Plan, counts: &ShingleCounts) -> bool {
        if plan.containment.is_some() {
            return false;
        }
        // Repeats make the prefix longer than it is, and are not counted once: what is found alone is so.
        let prefix = hashes.len() - required(hashes.len(), plan.threshold) + 1;
        let mut alone = 0;
        for some in hashes.chunks(64) {
            alone += some.iter().map(|&hash| usize::from(counts.is_alone(hash))).sum::<usize>();
            if alone >= prefix {
                return true;
            }
        }
        false
    }

    /// Appends the keys of a set of shingles.
    pub(crate) fn keys(
        &mut self,
        set: &[u64],
        plan: &Plan,
        counts: &ShingleCounts,
        group: Option<u64>,
        keys: &mut Vec<u64>,
    ) {
        let prefix = |share: f64| set.len() - required(set.len(), share) + 1;
        let resemblance = if plan.method == Method::Join { prefix(plan.threshold) } else { 0 };
        let containment = plan.containment.map_or(0, prefix);
        // All counts first, so that one wait for memory hides behind the next.
        self.counts.clear();
        self.counts.extend(set.iter().map(|&hash| counts.get(hash)));
        self.shared.clear();
        self.shared
            .extend(self.counts.iter().copied().zip(set.iter().copied()).filter(|&(count, _)| count > 1));
        // What nobody else has comes first.
        let alone = set.len() - self.shared.len();
        if plan.containment.is_none() {
            let wanted = resemblance.saturating_sub(alone).min(self.shared.len());
            if wanted == 0 {
                return;
            }
            if wanted < self.shared.len() {
                self.shared.select_nth_unstable(wanted - 1);
                self.shared.truncate(wanted);
            }
        }
        self.shared.sort_unstable();
        for (place, &(_, hash)) in self.shared.iter().enumerate() {
            let place = alone + place;
            let mut roles = 0;
            if place < resemblance {
                roles |= ShingleKey::PREFIX;
            }
            if place < containment {
                roles |= ShingleKey::QUERY;
            }
            let hash = group.map_or(hash, |group| mix::pair(hash, group));
            keys.push(ShingleKey::new(hash, roles, set.len() - 1 - place).0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::census::ShingleCensus;

    #[test]
    fn the_least_overlap_is_by_division() {
        for n in 1..2000 {
            for share in [0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 1.0 / 3.0] {
                let least = required(n, share);
                assert!(least as f64 / n as f64 >= share, "{n} {share}");
                assert!(least == 1 || ((least - 1) as f64 / n as f64) < share, "{n} {share}");
            }
        }
    }

    #[test]
    fn shingles_of_one_document_alone_need_no_key() {
        let set: Vec<u64> = (0..100).map(|i| mix::pair(i, 1)).collect();
        let counted = |times: &[&[u64]]| {
            let census = ShingleCensus::new(0, 0, 16);
            let mut worker = census.worker();
            times.iter().for_each(|hashes| hashes.iter().for_each(|&hash| worker.add(hash)));
            drop(worker);
            census.finish()
        };
        let plan = Plan { method: Method::Join, ..Plan::default() };
        let mut keys = Vec::new();
        Prefixes::default().keys(&set, &plan, &counted(&[&set]), None, &mut keys);
        assert!(keys.is_empty());
        // With 90 of them in another document too, 10 fill half of the prefix of 21.
        Prefixes::default().keys(&set, &plan, &counted(&[&set, &set[10..]]), None, &mut keys);
        assert_eq!(keys.len(), 11);
        assert_eq!(ShingleKey(keys[0]).behind(), 89);
    }
}
