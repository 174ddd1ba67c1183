//! Resemblance over groups of items: two sets are alike if they touch the same groups, whichever of their items it is.
//!
//! Each set becomes the set of groups its items fall into, and those are compared as sets. An item of no group stands
//! for itself. With synonyms as groups two texts that say the same in other words are alike.

use super::Overlap;
use std::collections::{BTreeMap, BTreeSet};

/// Which item is of which group.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    of: BTreeMap<u64, u32>,
}

/// Groups that are none.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum GroupsError {
    /// An item may be of one group only.
    #[error("item {item} is of group {first} and of group {second}")]
    Twice {
        /// The item.
        item: u64,
        /// The group it was first in, counted from 0.
        first: u32,
        /// The other one.
        second: u32,
    },
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Member {
    Group(u32),
    Alone(u64),
}

impl Groups {
    /// Groups from the items of each.
    pub fn new<G: IntoIterator<Item = u64>>(
        groups: impl IntoIterator<Item = G>,
    ) -> Result<Self, GroupsError> {
        let mut of = BTreeMap::new();
        for (items, second) in groups.into_iter().zip(0..) {
            for item in items {
                match of.insert(item, second) {
                    Some(first) if first != second => return Err(GroupsError::Twice { item, first, second }),
                    _ => {}
                }
            }
        }
        Ok(Groups { of })
    }

    /// Compares the groups of two sets of items, in any order and with any repeats.
    pub fn overlap(&self, a: &[u64], b: &[u64]) -> Overlap {
        let (a, b) = (self.members(a), self.members(b));
        let shared = a.intersection(&b).count() as u32;
        Overlap { shared, first: a.len() as u32, second: b.len() as u32 }
    }

    fn members(&self, items: &[u64]) -> BTreeSet<Member> {
        items
            .iter()
            .map(|item| self.of.get(item).map_or(Member::Alone(*item), |&g| Member::Group(g)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [u64; 5] = [0, 1, 2, 5, 6];
    const B: [u64; 6] = [0, 2, 3, 5, 7, 9];

    #[test]
    fn worked_numbers() {
        assert_eq!(super::super::overlap(&A, &B).resemblance(), 0.375);
        assert_eq!(Groups::default().overlap(&A, &B).resemblance(), 0.375);
        let groups = Groups::new([vec![0, 1, 2], vec![3, 4], vec![5, 6], vec![7, 8, 9]]).unwrap();
        assert_eq!(groups.overlap(&A, &B), Overlap { shared: 2, first: 2, second: 4 });
        assert_eq!(groups.overlap(&A, &B).resemblance(), 0.5);
    }

    #[test]
    fn an_item_of_no_group_is_none_of_the_groups() {
        let groups = Groups::new([[7, 8]]).unwrap();
        // Item 0 is not group 0.
        assert_eq!(groups.overlap(&[0], &[7]).shared, 0);
        assert_eq!(groups.overlap(&[0, 8], &[7, 0, 0]).resemblance(), 1.0);
    }

    #[test]
    fn an_item_of_two_groups_is_an_error() {
        assert!(Groups::new([vec![1, 1], vec![2]]).is_ok());
        let twice = Groups::new([vec![1], vec![2, 1]]).map(|_| ());
        assert_eq!(twice, Err(GroupsError::Twice { item: 1, first: 0, second: 1 }));
    }
}
