//! MinHash in one pass over the shingles, or few: fast similarity sketching (Dahlgaard, Knudsen and Thorup 2017).
//!
//! In round 0 each shingle hash falls into one of N bins and the smallest rest in each bin is a value of the
//! signature, so a document costs one hash a shingle and not N. While bins are empty, the next round hashes the
//! shingles anew, and again the smallest in each bin that was still empty fills it. Every position is thus a draw
//! from the whole set, and the error is no larger than that of N independent permutations for documents of any
//! size; copying values between bins instead, as densification does, cost up to a quarter more error on short
//! documents. From two shingles a bin on hardly a second round is needed.
//!
//! The same sketch serves a document of one shingle and of a million: pairs that straddled a switch between two
//! sketches would never meet.

use crate::mix;

const EMPTY: u64 = u64::MAX;

/// A reusable signature under construction.
#[derive(Clone, Debug)]
pub struct MinHash {
    values: Vec<u64>,
    /// One byte a bin: filled in an earlier round.
    settled: Vec<bool>,
}

/// One pass over the shingles of a document.
#[derive(Debug)]
pub struct Pass<'a> {
    values: &'a mut [u64],
    settled: &'a [bool],
    round: u64,
    salt: u64,
}

impl Pass<'_> {
    /// Takes one well-mixed shingle hash; repeats change nothing.
    #[inline(always)]
    pub fn add(&mut self, hash: u64) {
        if self.round == 0 {
            let (bin, rest) = mix::split(hash, self.values.len() as u64);
            let value = &mut self.values[bin];
            *value = (*value).min(rest);
        } else {
            self.add_again(hash);
        }
    }

    #[inline(always)]
    fn add_again(&mut self, hash: u64) {
        let len = self.values.len() as u64;
        let (mut bin, rest) = mix::split(mix::fold(hash ^ self.salt, mix::K[1]), len);
        // Past N rounds, which only the shortest documents see, each round fills one bin for certain.
        if self.round > len {
            bin = (self.round - len - 1) as usize;
        }
        if !self.settled[bin] {
            let value = &mut self.values[bin];
            *value = (*value).min(rest);
        }
    }
}

impl MinHash {
    /// A sketch of `len` values.
    ///
    /// # Panics
    /// If `len` is zero.
    pub fn new(len: usize) -> Self {
        assert!(len > 0, "a signature has at least one value");
        MinHash { values: vec![EMPTY; len], settled: vec![false; len] }
    }

    /// The signature of the shingles that `shingles` adds to each pass it is given, the same every time; `None` if
    /// it adds none.
    #[inline(always)]
    pub fn sketch(&mut self, mut shingles: impl FnMut(&mut Pass<'_>)) -> Option<&[u64]> {
        self.values.fill(EMPTY);
        self.settled.fill(false);
        for round in 0..=2 * self.values.len() as u64 {
            let salt = mix::pair(round, mix::K[3]);
            shingles(&mut Pass { values: &mut self.values, settled: &self.settled, round, salt });
            let mut empty = 0;
            for (settled, &value) in self.settled.iter_mut().zip(&self.values) {
                *settled = value != EMPTY;
                empty += usize::from(value == EMPTY);
            }
            if empty == self.values.len() {
                return None;
            }
            if empty == 0 {
                break;
            }
        }
        Some(&self.values)
    }
}

/// Share of positions in which two signatures agree: an unbiased estimate of the resemblance.
pub fn agreement(a: &[u64], b: &[u64]) -> f64 {
    let equal = a.iter().zip(b).filter(|(x, y)| x == y).count();
    equal as f64 / a.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_shingle_fills_every_value_and_none_gives_no_signature() {
        let mut sketch = MinHash::new(128);
        assert!(sketch.sketch(|pass| pass.add(12345)).unwrap().iter().all(|&value| value != EMPTY));
        assert!(sketch.sketch(|_| {}).is_none());
    }

    #[test]
    fn order_and_repeats_change_nothing() {
        let hashes: Vec<u64> = (0..50).map(|i| mix::pair(i, 9)).collect();
        let mut sketch = MinHash::new(64);
        let forward = sketch.sketch(|pass| hashes.iter().for_each(|&hash| pass.add(hash))).unwrap().to_vec();
        let backward = sketch.sketch(|pass| {
            hashes.iter().rev().chain(&hashes[..9]).for_each(|&hash| pass.add(hash));
        });
        assert_eq!(forward, backward.unwrap());
    }
}
