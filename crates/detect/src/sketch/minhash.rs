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

/// The first rounds behind round 0 take their bins from bits of the hash that no round before has looked at, which
/// costs less than to hash anew.
const FRESH_ROUNDS: u64 = 3;
const FRESH_BITS: u64 = 16;
/// So many shingles a bin leave none empty, unless most are repeats.
const REPEATED: u64 = 16;

/// A reusable signature under construction: [`begin`](Self::begin), [`add`](Self::add) each shingle,
/// [`finish`](Self::finish).
#[derive(Clone, Debug)]
pub struct MinHash {
    values: Vec<u64>,
    /// The bins of a later round: 0 where an earlier one has filled a bin, so that nothing is smaller.
    open: Vec<u64>,
    /// Bins that this round has filled.
    fresh: Vec<usize>,
    /// The shingles, for the rounds behind the first.
    hashes: Vec<u64>,
}

impl MinHash {
    /// A sketch of `len` values.
    ///
    /// # Panics
    /// If `len` is zero.
    pub fn new(len: usize) -> Self {
        assert!(len > 0, "a signature has at least one value");
        MinHash { values: vec![EMPTY; len], open: vec![0; len], fresh: Vec::new(), hashes: Vec::new() }
    }

    /// Starts a new document.
    pub fn begin(&mut self) {
        self.values.fill(EMPTY);
        self.hashes.clear();
    }

    /// Takes one well-mixed shingle hash; repeats change nothing.
    #[inline(always)]
    pub fn add(&mut self, hash: u64) {
        self.add_all(std::iter::once(hash));
    }

    /// Takes well-mixed shingle hashes.
    #[inline(always)]
    #[expect(
        clippy::manual_inspect,
        reason = "map keeps what is known of the length, so there is room for all at once"
    )]
    pub fn add_all(&mut self, hashes: impl Iterator<Item = u64>) {
        let MinHash { values, hashes: all, .. } = self;
        let values = values.as_mut_slice();
        let len = values.len() as u64;
        all.extend(hashes.map(|hash| {
            let (bin, rest) = mix::split(hash, len);
            values[bin] = values[bin].min(rest);
            hash
        }));
    }

    /// The shingles that were added, with repeats; after [`finish`](Self::finish) each may be there once, in another order.
    pub fn shingles(&self) -> &[u64] {
        &self.hashes
    }

    /// The signature, or `None` if no shingle was added.
    pub fn finish(&mut self) -> Option<&[u64]> {
        if self.hashes.is_empty() {
            return None;
        }
        let len = self.values.len() as u64;
        let mut empty = 0;
        for (open, &value) in self.open.iter_mut().zip(&self.values) {
            *open = if value == EMPTY { EMPTY } else { 0 };
            empty += usize::from(value == EMPTY);
        }
        // Bins that stay empty under many shingles are a sign that these are few, many times over.
        if empty > 0 && self.hashes.len() as u64 > REPEATED * len {
            self.hashes.sort_unstable();
            self.hashes.dedup();
        }
        let mut round = 0;
        while empty > 0 {
            round += 1;
            let salt = mix::pair(round, mix::K[3]);
            let anew = |hash: u64| mix::fold(hash ^ salt, mix::K[1]);
            empty -= if round <= FRESH_ROUNDS {
                self.fill(|hash| mix::split(hash.rotate_left((round * FRESH_BITS) as u32), len))
            } else if round <= len {
                self.fill(|hash| mix::split(anew(hash), len))
            } else {
                // Past N rounds, which only the shortest documents see, each round fills one bin for certain. Signatures of
                // fewer values than there are fresh rounds begin behind those.
                let bin = (round - len.max(FRESH_ROUNDS) - 1) as usize;
                self.fill(|hash| (bin, anew(hash).min(EMPTY - 1)))
            };
        }
        Some(&self.values)
    }

    /// Fills empty bins with the smallest rest that falls into each, where shingles fall anew, and tells how many.
    #[inline(always)]
    fn fill(&mut self, anew: impl Fn(u64) -> (usize, u64)) -> usize {
        let MinHash { values, open, fresh, hashes } = self;
        let open = open.as_mut_slice();
        fresh.clear();
        for &hash in hashes.iter() {
            let (bin, rest) = anew(hash);
            let smallest = open[bin];
            // Few bins are empty in most rounds.
            if smallest == EMPTY && rest != EMPTY {
                fresh.push(bin);
            }
            open[bin] = smallest.min(rest);
        }
        fresh.iter().for_each(|&bin| values[bin] = std::mem::take(&mut open[bin]));
        fresh.len()
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
        sketch.begin();
        sketch.add(12345);
        assert!(sketch.finish().unwrap().iter().all(|&value| value != EMPTY));
        sketch.begin();
        assert!(sketch.finish().is_none());
    }

    #[test]
    fn signatures_of_any_length_are_full() {
        for len in 1..20 {
            let mut sketch = MinHash::new(len);
            for seed in 0..200 {
                sketch.begin();
                sketch.add_all((0..seed % 3 + 1).map(|i| mix::pair(i, seed)));
                assert!(
                    sketch.finish().unwrap().iter().all(|&value| value != EMPTY),
                    "{len} values, seed {seed}"
                );
            }
        }
    }

    #[test]
    fn order_and_repeats_change_nothing() {
        let hashes: Vec<u64> = (0..50).map(|i| mix::pair(i, 9)).collect();
        let sketch = |hashes: &mut dyn Iterator<Item = &u64>| {
            let mut sketch = MinHash::new(64);
            sketch.begin();
            hashes.for_each(|&hash| sketch.add(hash));
            sketch.finish().unwrap().to_vec()
        };
        assert_eq!(sketch(&mut hashes.iter()), sketch(&mut hashes.iter().rev().chain(&hashes[..9])));
    }
}
