//! MinHash as first described: N independent permutations, the smallest image of the set under each (Broder 1997).
//!
//! Permutation i is x → (aᵢ·x + bᵢ) mod p with p = 2⁶¹ − 1, a Mersenne prime, over hashes reduced modulo p. Each
//! position agrees for two sets with probability J, independently of the others, so the error is √(J(1−J)/N) for sets
//! of any size. It costs N products a shingle where the [default](super::MinHash) costs about one.

use crate::mix;

const PRIME: u64 = (1 << 61) - 1;
const EMPTY: u64 = u64::MAX;

/// A reusable signature under construction: [`begin`](Self::begin), [`add`](Self::add) each shingle,
/// [`finish`](Self::finish).
#[derive(Clone, Debug)]
pub struct ClassicMinHash {
    values: Vec<u64>,
    /// Factor and summand of each permutation.
    permutations: Vec<(u64, u64)>,
    empty: bool,
}

impl ClassicMinHash {
    /// A sketch of `len` values. The first values of a longer sketch are those of a shorter one.
    ///
    /// # Panics
    /// If `len` is zero.
    pub fn new(len: usize) -> Self {
        assert!(len > 0, "a signature has at least one value");
        let constant = |i: usize, which: u64| mix::fold(mix::pair(i as u64, which) ^ mix::K[2], mix::K[3]);
        let permutation = |i| (1 + constant(i, 1) % (PRIME - 1), constant(i, 2) % PRIME);
        ClassicMinHash {
            values: vec![EMPTY; len],
            permutations: (0..len).map(permutation).collect(),
            empty: true,
        }
    }

    /// Starts a new document.
    pub fn begin(&mut self) {
        self.values.fill(EMPTY);
        self.empty = true;
    }

    /// Takes one well-mixed shingle hash; repeats change nothing.
    #[inline]
    pub fn add(&mut self, hash: u64) {
        let x = hash % PRIME;
        self.empty = false;
        for (value, &(a, b)) in self.values.iter_mut().zip(&self.permutations) {
            *value = (*value).min(permute(x, a, b));
        }
    }

    /// The signature, or `None` if no shingle was added.
    pub fn finish(&mut self) -> Option<&[u64]> {
        (!self.empty).then_some(&self.values)
    }
}

/// (a·x + b) mod p. Since 2⁶¹ is 1 modulo p, the digits above bit 61 are added to those below.
#[inline(always)]
fn permute(x: u64, a: u64, b: u64) -> u64 {
    let sum = u128::from(a) * u128::from(x) + u128::from(b);
    let folded = (sum as u64 & PRIME) + (sum >> 61) as u64;
    if folded >= PRIME { folded - PRIME } else { folded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn none_gives_no_signature_and_begin_forgets() {
        let mut sketch = ClassicMinHash::new(16);
        assert!(sketch.finish().is_none());
        sketch.add(7);
        let seven = sketch.finish().unwrap().to_vec();
        sketch.begin();
        assert!(sketch.finish().is_none());
        sketch.add(8);
        assert_ne!(sketch.finish().unwrap(), seven);
    }

    #[test]
    fn order_repeats_and_length_change_no_value() {
        let hashes: Vec<u64> = (0..50).map(|i| mix::pair(i, 9)).collect();
        let sketch = |len, hashes: &mut dyn Iterator<Item = &u64>| {
            let mut sketch = ClassicMinHash::new(len);
            hashes.for_each(|&hash| sketch.add(hash));
            sketch.finish().unwrap().to_vec()
        };
        let values = sketch(64, &mut hashes.iter());
        assert_eq!(values, sketch(64, &mut hashes.iter().rev().chain(&hashes[..9])));
        assert_eq!(values[..10], sketch(10, &mut hashes.iter()));
    }

    proptest! {
        #[test]
        fn the_remainder_is_that_of_division(x in 0..PRIME, a in 1..PRIME, b in 0..PRIME) {
            let by_division = (u128::from(a) * u128::from(x) + u128::from(b)) % u128::from(PRIME);
            prop_assert_eq!(u128::from(permute(x, a, b)), by_division);
        }
    }

    #[test]
    fn the_ends_of_the_range_are_reduced() {
        assert_eq!(permute(PRIME - 1, PRIME - 1, PRIME - 1), 0);
        assert_eq!(permute(1, PRIME - 1, 1), 0);
        assert_eq!(permute(0, 5, 0), 0);
    }
}
