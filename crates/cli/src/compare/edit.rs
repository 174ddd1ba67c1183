//! Edit distances within a budget of work.
//!
//! A distance of at most d between texts of which the shorter has n symbols costs n·(d/64 + 2) steps. Where the whole
//! distance would cost more than the budget, it is looked for up to the d that the budget allows; beyond it is only known
//! to be more than d.

use onefold_detect::measure::edit::{indel, indel_within, levenshtein, levenshtein_within};
use serde::Serialize;

/// Steps one distance may cost: a second or so, and enough for the words of two texts of a megabyte.
const BUDGET: usize = 1 << 29;

/// A bound that is cheap to try, since most texts that are compared are near.
const NEAR: usize = 1024;

/// A distance, as far as it was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Edit {
    /// The distance, if it was found.
    pub(super) distance: Option<usize>,
    /// If not: what it is more than.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) more_than: Option<usize>,
    /// 1 − distance / the greatest it could be; of two empty texts 1.
    pub(super) similarity: Option<f64>,
}

/// Both distances of two sequences.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Edits {
    /// Insertions, deletions and replacements.
    pub(super) levenshtein: Edit,
    /// Insertions and deletions.
    pub(super) indel: Edit,
}

impl Edits {
    pub(super) fn of<T: Ord + Sync>(a: &[T], b: &[T], full: bool) -> Self {
        let budget = if full { usize::MAX } else { BUDGET };
        Edits::within(a, b, budget)
    }

    fn within<T: Ord + Sync>(a: &[T], b: &[T], budget: usize) -> Self {
        let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
        let search = |whole: usize, all: &dyn Fn() -> usize, to: &dyn Fn(usize) -> Option<usize>| {
            let bound = (budget / shorter.max(1)).saturating_sub(2).saturating_mul(64);
            // No band is wider than the table.
            let distance =
                if bound >= longer { Some(all()) } else { to(NEAR.min(bound)).or_else(|| to(bound)) };
            let similarity = distance.map(|d| if whole == 0 { 1.0 } else { 1.0 - d as f64 / whole as f64 });
            Edit { distance, more_than: distance.is_none().then_some(bound), similarity }
        };
        let (levenshtein, indel) = std::thread::scope(|scope| {
            let other =
                scope.spawn(|| search(a.len() + b.len(), &|| indel(a, b), &|max| indel_within(a, b, max)));
            let one = search(longer, &|| levenshtein(a, b), &|max| levenshtein_within(a, b, max));
            (one, other.join())
        });
        let indel = indel.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Edits { levenshtein, indel }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_budget_does_not_reach_is_bounded_from_below() {
        let (a, b): (Vec<u32>, Vec<u32>) = ((0..10_000).collect(), (10_000..20_000).collect());
        let bounded = Edits::within(&a, &b, 10_000 * 34);
        assert_eq!((bounded.levenshtein.distance, bounded.levenshtein.more_than), (None, Some(2048)));
        assert_eq!(bounded.indel.similarity, None);
        let whole = Edits::of(&a, &b, false);
        assert_eq!((whole.levenshtein.distance, whole.indel.distance), (Some(10_000), Some(20_000)));
        assert_eq!(whole.levenshtein.similarity, Some(0.0));
        let mut near = a.clone();
        near[5000] = 0;
        let found = Edits::within(&a, &near, 10_000 * 34);
        assert_eq!((found.levenshtein.distance, found.indel.distance), (Some(1), Some(2)));
    }

    #[test]
    fn empty_texts_are_alike() {
        let edits = Edits::of::<u8>(&[], &[], false);
        assert_eq!(edits.indel, Edit { distance: Some(0), more_than: None, similarity: Some(1.0) });
        assert_eq!(Edits::of(&[], b"abc", false).levenshtein.distance, Some(3));
    }
}
