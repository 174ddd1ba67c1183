//! A seeded permutation of `0..n` that is computed, not stored: a four-round Feistel network over the next even
//! number of bits, walked until it lands below `n` (Black and Rogaway 2002).
//!
//! It scatters the copies of a group over the whole file while the generator remembers nothing, and its inverse
//! answers which planned document stands at a position.

use crate::random::{Purpose, Random, mix};

const ROUNDS: usize = 4;

/// A bijection of `0..len`.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    len: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    pub(crate) fn new(len: u64, seed: u64) -> Self {
        let bits = u64::BITS - len.saturating_sub(1).leading_zeros();
        let mut random = Random::stream(seed, Purpose::Permutation, len);
        Self { len, half_bits: bits.div_ceil(2).max(1), keys: [(); ROUNDS].map(|()| random.next_u64()) }
    }

    /// Where `index` goes. Both must be below the length.
    pub(crate) fn forward(&self, index: u64) -> u64 {
        self.walk(index, |this, value| {
            this.keys.iter().fold(value, |value, key| {
                let (left, right) = this.split(value);
                this.join(right, left ^ this.round(right, *key))
            })
        })
    }

    /// What goes to `index`.
    pub(crate) fn inverse(&self, index: u64) -> u64 {
        self.walk(index, |this, value| {
            this.keys.iter().rev().fold(value, |value, key| {
                let (left, right) = this.split(value);
                this.join(right ^ this.round(left, *key), left)
            })
        })
    }

    fn walk(&self, index: u64, step: impl Fn(&Self, u64) -> u64) -> u64 {
        debug_assert!(index < self.len);
        let mut value = step(self, index);
        while value >= self.len {
            value = step(self, value);
        }
        value
    }

    fn split(&self, value: u64) -> (u64, u64) {
        (value >> self.half_bits, value & ((1 << self.half_bits) - 1))
    }

    fn join(&self, left: u64, right: u64) -> u64 {
        (left << self.half_bits) | right
    }

    fn round(&self, half: u64, key: u64) -> u64 {
        mix(half ^ key) & ((1 << self.half_bits) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_is_reached_once_and_the_inverse_leads_back() {
        for len in [1, 2, 3, 63, 64, 65, 1000, 4097] {
            let permutation = Permutation::new(len, 9);
            let mut images: Vec<u64> = (0..len).map(|i| permutation.forward(i)).collect();
            assert!((0..len).all(|i| permutation.inverse(images[i as usize]) == i), "length {len}");
            images.sort_unstable();
            assert_eq!(images, (0..len).collect::<Vec<_>>(), "length {len}");
        }
    }

    #[test]
    fn neighbours_are_scattered() {
        let permutation = Permutation::new(100_000, 3);
        let near = (1..1000).filter(|&i| permutation.forward(i).abs_diff(permutation.forward(i - 1)) < 100);
        assert!(near.count() < 20);
    }
}
