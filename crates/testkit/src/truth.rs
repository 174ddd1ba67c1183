//! The answer that belongs to a corpus: for every pair inside a planted group, the exact Jaccard resemblance of the
//! sets of five-token shingles.
//!
//! Tokens are lower-cased words, or single characters in scripts without blanks. Shingles are compared by 64-bit
//! hashes; with some thousand shingles a group, a collision inside one is less likely than 10⁻¹². Pairs of different
//! groups share at most boilerplate and are left out.

use std::collections::VecDeque;

use crate::corpus::Generator;
use crate::edit::{Kind, SHINGLE};
use crate::plan::BLOCK;
use crate::random::mix;
use crate::vocabulary::{Vocabulary, Word};

/// A planted pair, by positions in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantedPair {
    /// Position of the member that comes first in its group, where the original is first.
    pub first: u64,
    /// Position of the other member.
    pub second: u64,
    /// Exact resemblance.
    pub jaccard: f64,
    /// What the two are to their group.
    pub kinds: (Kind, Kind),
}

/// Streams the planted pairs, group by group.
#[derive(Clone, Debug)]
pub struct Truth {
    generator: Generator,
    block: u64,
    pending: VecDeque<PlantedPair>,
}

impl Truth {
    pub(crate) fn new(generator: Generator) -> Self {
        Self { generator, block: 0, pending: VecDeque::new() }
    }

    fn pairs_of_block(&mut self, block: u64) {
        let layout = self.generator.plan.layout(block);
        let mut words: Vec<Word> = Vec::new();
        for group in layout.groups() {
            let members: Vec<(u64, Kind, Vec<u64>)> = group
                .into_iter()
                .map(|index| {
                    let slot = block * BLOCK + u64::from(index);
                    let kind = self.generator.fill_words(slot, &layout, &mut words);
                    (
                        self.generator.plan.position_of(slot),
                        kind,
                        shingles(&self.generator.vocabulary, &words),
                    )
                })
                .collect();
            for (index, (first, kind, set)) in members.iter().enumerate() {
                for (second, other_kind, other_set) in &members[index + 1..] {
                    let (first, second, kinds) = (*first, *second, (*kind, *other_kind));
                    self.pending.push_back(PlantedPair {
                        first,
                        second,
                        jaccard: jaccard(set, other_set),
                        kinds,
                    });
                }
            }
        }
    }
}

impl Iterator for Truth {
    type Item = PlantedPair;

    fn next(&mut self) -> Option<PlantedPair> {
        while self.pending.is_empty() && self.block < self.generator.plan.blocks() {
            self.pairs_of_block(self.block);
            self.block += 1;
        }
        self.pending.pop_front()
    }
}

/// The sorted set of shingle hashes; of a text shorter than a shingle, one hash of all of it.
fn shingles(vocabulary: &Vocabulary, words: &[Word]) -> Vec<u64> {
    let mut tokens = Vec::with_capacity(words.len());
    vocabulary.tokens(words, |token| tokens.push(mix(u64::from(token))));
    let hash = |window: &[u64]| {
        mix(window
            .iter()
            .fold(0u64, |sum, token| sum.wrapping_mul(0xC2B2_AE3D_27D4_EB4F).wrapping_add(*token)))
    };
    if tokens.is_empty() {
        return tokens;
    }
    let mut set: Vec<u64> = tokens.windows(SHINGLE.min(tokens.len())).map(hash).collect();
    set.sort_unstable();
    set.dedup();
    set
}

fn jaccard(left: &[u64], right: &[u64]) -> f64 {
    let (mut at, mut common) = (0, 0);
    for value in left {
        while at < right.len() && right[at] < *value {
            at += 1;
        }
        if right.get(at) == Some(value) {
            common += 1;
        }
    }
    common as f64 / (left.len() + right.len() - common) as f64
}
