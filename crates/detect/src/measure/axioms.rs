//! Every distance that is called a metric is one: nothing to itself, something to others, the same both ways, and no
//! detour is shorter.

use super::{Groups, bag, bag_overlap, cosine, edit, euclidean, overlap};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Room for rounding of quotients and roots.
const ROUNDING: f64 = 1e-9;

fn check<T: PartialEq>(
    items: [&T; 3],
    distance: impl Fn(&T, &T) -> f64,
    same: impl Fn(&T, &T) -> bool,
) -> Result<(), TestCaseError> {
    for a in items {
        prop_assert!(distance(a, a) <= ROUNDING);
        for b in items {
            prop_assert_eq!(distance(a, b), distance(b, a));
            prop_assert_eq!(distance(a, b) <= ROUNDING, same(a, b));
            for c in items {
                prop_assert!(distance(a, c) <= distance(a, b) + distance(b, c) + ROUNDING);
            }
        }
    }
    Ok(())
}

fn sets() -> impl Strategy<Value = [Vec<u64>; 3]> {
    let set =
        || prop::collection::btree_set(0..12u64, 1..10).prop_map(|set| set.into_iter().collect::<Vec<_>>());
    [set(), set(), set()]
}

fn lists() -> impl Strategy<Value = [Vec<u64>; 3]> {
    let list = || prop::collection::vec(0..4u64, 0..100);
    [list(), list(), list()]
}

fn bags([a, b, c]: [Vec<u64>; 3]) -> [Vec<(u64, u32)>; 3] {
    [a, b, c].map(|mut list| {
        list.push(9);
        bag(&mut list)
    })
}

proptest! {
    #[test]
    fn jaccard_distance_of_sets([a, b, c] in sets()) {
        check([&a, &b, &c], |a, b| 1.0 - overlap(a, b).resemblance(), |a, b| a == b)?;
    }

    #[test]
    fn jaccard_distance_of_bags(lists in lists()) {
        let [a, b, c] = bags(lists);
        check([&a, &b, &c], |a, b| 1.0 - bag_overlap(a, b).resemblance(), |a, b| a == b)?;
    }

    #[test]
    fn jaccard_distance_over_groups([a, b, c] in sets()) {
        let groups = Groups::new([vec![0, 1, 2], vec![3, 4], vec![5, 6]]).unwrap();
        // Zero between sets that touch the same groups: a metric of those, not of the items.
        let touched = |items: &Vec<u64>| -> BTreeSet<u64> {
            items.iter().map(|&x| match x { 0..=2 => 100, 3..=4 => 101, 5..=6 => 102, x => x }).collect()
        };
        let same = |a: &Vec<u64>, b: &Vec<u64>| touched(a) == touched(b);
        check([&a, &b, &c], |a, b| 1.0 - groups.overlap(a, b).resemblance(), same)?;
    }

    #[test]
    fn euclidean_distance(lists in lists()) {
        let [a, b, c] = bags(lists);
        check([&a, &b, &c], |a, b| euclidean(a, b), |a, b| a == b)?;
    }

    #[test]
    fn angle_of_vectors(lists in lists()) {
        let [a, b, c] = bags(lists);
        // A cosine within rounding of 1 is an angle of 10⁻⁸ already; zero between vectors of one direction.
        let angle = |a: &Vec<(u64, u32)>, b: &Vec<(u64, u32)>| {
            let cosine = cosine(a, b);
            if cosine > 1.0 - 1e-14 { 0.0 } else { cosine.acos() }
        };
        let direction = |a: &Vec<(u64, u32)>, b: &Vec<(u64, u32)>| {
            let terms = |v: &Vec<(u64, u32)>| v.iter().map(|x| x.0).collect::<Vec<_>>();
            terms(a) == terms(b) && a.iter().zip(b).all(|(x, y)| u64::from(x.1) * u64::from(b[0].1) == u64::from(y.1) * u64::from(a[0].1))
        };
        check([&a, &b, &c], angle, direction)?;
    }

    #[test]
    fn edit_distances([a, b, c] in lists()) {
        check([&a, &b, &c], |a, b| edit::levenshtein(a, b) as f64, |a, b| a == b)?;
        check([&a, &b, &c], |a, b| edit::indel(a, b) as f64, |a, b| a == b)?;
    }

    #[test]
    fn hamming_distance(numbers: [u128; 3]) {
        let [a, b, c] = numbers;
        check([&a, &b, &c], |a, b| f64::from((a ^ b).count_ones()), |a, b| a == b)?;
    }
}
