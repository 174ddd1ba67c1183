//! MinHash by one permutation with optimal densification.
//!
//! Each shingle hash falls into one of N bins and the smallest rest in each bin is a value of the signature
//! (Li, Owen and Zhang 2012), so a document costs one hash a shingle and not N. Bins that stay empty copy the
//! value of a bin found by probing in an order that depends on the bin alone (Shrivastava 2017), which keeps
//! every position an unbiased draw from the union of two sets. The same sketch serves a document of one shingle
//! and of a million: pairs that straddled a switch between two sketches would never meet.

use crate::mix;

const EMPTY: u64 = u64::MAX;

/// A reusable signature under construction: [`begin`](Self::begin), [`add`](Self::add) each shingle,
/// [`finish`](Self::finish).
#[derive(Clone, Debug)]
pub struct MinHash {
    values: Vec<u64>,
    /// One bit a bin: filled by a shingle, not by densification.
    filled: Vec<u64>,
}

impl MinHash {
    /// A sketch of `len` values.
    ///
    /// # Panics
    /// If `len` is zero.
    pub fn new(len: usize) -> Self {
        assert!(len > 0, "a signature has at least one value");
        MinHash { values: vec![EMPTY; len], filled: vec![0; len.div_ceil(64)] }
    }

    /// Starts a new document.
    pub fn begin(&mut self) {
        self.values.fill(EMPTY);
    }

    /// Takes one well-mixed shingle hash; repeats change nothing.
    #[inline(always)]
    pub fn add(&mut self, hash: u64) {
        let (bin, rest) = mix::split(hash, self.values.len() as u64);
        let value = &mut self.values[bin];
        *value = (*value).min(rest);
    }

    /// The signature, or `None` if no shingle was added.
    pub fn finish(&mut self) -> Option<&[u64]> {
        self.filled.fill(0);
        let mut count = 0;
        for (bin, &value) in self.values.iter().enumerate() {
            let is_filled = u64::from(value != EMPTY);
            self.filled[bin / 64] |= is_filled << (bin % 64);
            count += is_filled as usize;
        }
        if count == 0 {
            return None;
        }
        if count < self.values.len() {
            self.densify();
        }
        Some(&self.values)
    }

    fn densify(&mut self) {
        let len = self.values.len() as u64;
        let is_filled = |filled: &[u64], bin: usize| filled[bin / 64] >> (bin % 64) & 1 == 1;
        for bin in 0..self.values.len() {
            if is_filled(&self.filled, bin) {
                continue;
            }
            let donor = (0..)
                .map(|attempt| mix::split(mix::pair(bin as u64, attempt), len).0)
                .find(|&probe| is_filled(&self.filled, probe))
                .expect("the probes reach every bin because they are uniform, and one bin is filled");
            self.values[bin] = self.values[donor];
        }
    }
}

/// Share of positions in which two signatures agree: an unbiased estimate of the resemblance.
pub fn agreement(a: &[u64], b: &[u64]) -> f64 {
    let equal = a.iter().zip(b).filter(|(x, y)| x == y).count();
    equal as f64 / a.len().max(1) as f64
}
