//! Which document is a copy of which, computed from a document's number alone.
//!
//! Documents are planned in blocks of 64 slots. A block holds its share of exact and near copies, dealt to its own
//! originals in runs of geometric length; so any slot's original is found by laying out one block, about a hundred
//! random numbers, and nothing has to be remembered however long the corpus is. A permutation of all slots then
//! gives the order of the file, in which a group's members stand anywhere.

use crate::permutation::Permutation;
use crate::random::{Purpose, Random};

pub(crate) const BLOCK: u64 = 64;
/// Success probability of the geometric run length: 1.6 copies in the mean.
const RUN_ENDS: f64 = 0.62;
const LONGEST_EXACT_RUN: u64 = 12;
const LONGEST_NEAR_RUN: u64 = 8;

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) documents: u64,
    exact_share: f64,
    near_share: f64,
    seed: u64,
    order: Permutation,
}

/// How a slot comes by its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Base,
    Exact { base: u8 },
    Near { base: u8 },
}

/// The slots of one block: originals first, then exact copies, then near copies.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) size: u8,
    bases: u8,
    near_from: u8,
    base_of: [u8; BLOCK as usize],
    has_near: u64,
}

impl Plan {
    pub(crate) fn new(documents: u64, exact_share: f64, near_share: f64, seed: u64) -> Self {
        Self { documents, exact_share, near_share, seed, order: Permutation::new(documents, seed) }
    }

    pub(crate) fn slot_at(&self, position: u64) -> u64 {
        self.order.inverse(position)
    }

    pub(crate) fn position_of(&self, slot: u64) -> u64 {
        self.order.forward(slot)
    }

    pub(crate) fn blocks(&self) -> u64 {
        self.documents.div_ceil(BLOCK)
    }

    pub(crate) fn layout(&self, block: u64) -> Layout {
        let start = block * BLOCK;
        let size = BLOCK.min(self.documents - start);
        // Differences of the running quota, so that the whole corpus has its share to the document.
        let quota = |share: f64| (((start + size) as f64 * share) as u64) - ((start as f64 * share) as u64);
        let exact = quota(self.exact_share).min(size - 1);
        let near = quota(self.near_share).min(size - 1 - exact);
        let bases = size - exact - near;
        let mut layout = Layout {
            size: size as u8,
            bases: bases as u8,
            near_from: (bases + exact) as u8,
            base_of: [0; BLOCK as usize],
            has_near: 0,
        };
        let mut random = Random::stream(self.seed, Purpose::Layout, block);
        layout.deal(bases..bases + exact, LONGEST_EXACT_RUN, &mut random);
        layout.has_near = layout.deal(bases + exact..size, LONGEST_NEAR_RUN, &mut random);
        layout
    }
}

impl Layout {
    /// Gives the slots to originals in runs, each original once while there are others; says which got any.
    fn deal(&mut self, slots: std::ops::Range<u64>, longest: u64, random: &mut Random) -> u64 {
        let bases = u64::from(self.bases);
        let all = if bases == BLOCK { u64::MAX } else { (1 << bases) - 1 };
        let (mut taken, mut ever, mut next) = (0u64, 0u64, slots.start);
        while next < slots.end {
            if taken == all {
                taken = 0;
            }
            let mut base = random.below(bases);
            while taken & (1 << base) != 0 {
                base = (base + 1) % bases;
            }
            taken |= 1 << base;
            ever |= 1 << base;
            let end = (next + random.geometric(RUN_ENDS, longest)).min(slots.end);
            self.base_of[next as usize..end as usize].fill(base as u8);
            next = end;
        }
        ever
    }

    pub(crate) fn origin(&self, index: u8) -> Origin {
        let base = self.base_of[usize::from(index)];
        if index < self.bases {
            Origin::Base
        } else if index < self.near_from {
            Origin::Exact { base }
        } else {
            Origin::Near { base }
        }
    }

    /// The slot index of the original a slot goes back to; itself for an original.
    pub(crate) fn base_of(&self, index: u8) -> u8 {
        if index < self.bases { index } else { self.base_of[usize::from(index)] }
    }

    pub(crate) fn has_near_copies(&self, base: u8) -> bool {
        self.has_near & (1 << base) != 0
    }

    /// The groups of more than one member, each with its original first.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        (0..self.bases).filter_map(|base| {
            let copies = (self.bases..self.size).filter(|index| self.base_of(*index) == base);
            let group: Vec<u8> = std::iter::once(base).chain(copies).collect();
            (group.len() > 1).then_some(group)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_met_to_the_document() {
        for documents in [1u64, 63, 64, 65, 1000, 12_345] {
            let plan = Plan::new(documents, 0.05, 0.15, 1);
            let (mut exact, mut near) = (0, 0);
            for block in 0..plan.blocks() {
                let layout = plan.layout(block);
                exact += u64::from(layout.near_from - layout.bases);
                near += u64::from(layout.size - layout.near_from);
            }
            assert_eq!(exact, (documents as f64 * 0.05) as u64, "{documents} documents");
            assert_eq!(near, (documents as f64 * 0.15) as u64, "{documents} documents");
        }
    }

    #[test]
    fn a_last_block_of_one_slot_is_an_original() {
        let plan = Plan::new(65, 0.45, 0.45, 1);
        assert_eq!(plan.layout(1).origin(0), Origin::Base);
    }

    #[test]
    fn every_copy_is_in_the_group_of_its_original() {
        let layout = Plan::new(6400, 0.3, 0.6, 5).layout(42);
        let members: usize = layout.groups().map(|group| group.len()).sum();
        let alone = (0..layout.bases).filter(|base| !layout.groups().any(|group| group[0] == *base)).count();
        assert_eq!(members + alone, 64);
    }
}
