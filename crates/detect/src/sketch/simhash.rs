//! SimHash: one fingerprint a document, whose bits most documents alike share (Charikar 2002).
//!
//! Every feature is a hash and votes on each bit of the fingerprint with its weight w: +w where its own bit is 1,
//! −w where it is 0. A bit of the fingerprint is 1 if its sum is above 0, else 0; a tie is 0. Two documents whose
//! feature vectors stand at the angle θ differ in each bit with probability θ/π.
//!
//! The sums of all bits are counted at once, in vertical counters: word p of a counter holds bit p of the 64 sums.
//! Words wait in the plane of their power of two until fifteen are there; eleven full adders then leave one word in
//! the plane and hand one carry to each of the three planes above, so a feature costs about one full adder, five
//! operations for 64 sums. A weight puts its feature into the planes of its binary ones.

use super::bits::Bits;
use crate::mix;

/// A reusable fingerprint under construction: [`begin`](Self::begin), [`add`](Self::add) each feature,
/// [`finish`](Self::finish).
///
/// At 64 bits a feature votes with its hash, at 32 with the lower half of it, at 128 with the hash and, for the
/// upper half of the fingerprint, with the hash mixed once more. So the fingerprint of 32 bits is the lower half of
/// that of 64, which is the lower half of that of 128.
#[derive(Clone, Debug)]
pub struct SimHash {
    bits: Bits,
    total: u64,
    low: Votes,
    high: Votes,
}

impl SimHash {
    /// A fingerprint of so many bits.
    pub fn new(bits: Bits) -> Self {
        SimHash { bits, total: 0, low: Votes::default(), high: Votes::default() }
    }

    /// Starts a new document.
    pub fn begin(&mut self) {
        self.total = 0;
        self.low.clear();
        self.high.clear();
    }

    /// Takes one well-mixed feature hash with weight 1.
    #[inline(always)]
    pub fn add(&mut self, hash: u64) {
        self.total += 1;
        self.low.put(0, hash);
        if self.bits == Bits::B128 {
            self.high.put(0, second_half(hash));
        }
    }

    /// Takes well-mixed feature hashes with weight 1 each, in half the time that [`add`](Self::add) takes.
    pub fn add_all(&mut self, hashes: &[u64]) {
        self.total += hashes.len() as u64;
        self.low.put_all(hashes.iter().copied());
        if self.bits == Bits::B128 {
            self.high.put_all(hashes.iter().map(|&hash| second_half(hash)));
        }
    }

    /// Takes one well-mixed feature hash with a weight; one of 0 changes nothing.
    #[inline]
    pub fn add_weighted(&mut self, hash: u64, weight: u32) {
        self.total += u64::from(weight);
        self.low.put_weighted(hash, weight);
        if self.bits == Bits::B128 {
            self.high.put_weighted(second_half(hash), weight);
        }
    }

    /// The fingerprint, or `None` if nothing with a weight was added. The document is over with it.
    pub fn finish(&mut self) -> Option<u128> {
        let total = std::mem::take(&mut self.total);
        if total == 0 {
            return None;
        }
        // Bit i has the sum 2·ones − total, which is above 0 where ones > ⌊total/2⌋.
        let low = u128::from(self.low.above(total / 2));
        Some(match self.bits {
            Bits::B32 => low & u128::from(u32::MAX),
            Bits::B64 => low,
            Bits::B128 => low | u128::from(self.high.above(total / 2)) << 64,
        })
    }
}

/// Number of bits in which two fingerprints differ.
#[inline]
pub fn distance(a: u128, b: u128) -> u32 {
    (a ^ b).count_ones()
}

#[inline(always)]
fn second_half(hash: u64) -> u64 {
    mix::fold(hash ^ mix::K[3], mix::K[2])
}

/// Words that wait in a plane before they are added up: as many as four bits can count.
const WAITING: usize = 15;

/// Weights have 32 bits and documents fewer than 2³² features, so totals have 64; the rest is for carries.
const PLANES: usize = 68;

/// 64 counters: the sum over planes p of 2ᵖ times the number of words there that have the bit.
#[derive(Clone, Debug)]
struct Votes {
    planes: Vec<[u64; WAITING]>,
    /// Words that wait in each plane.
    waiting: [u8; PLANES],
}

impl Default for Votes {
    fn default() -> Self {
        Votes { planes: vec![[0; WAITING]; PLANES], waiting: [0; PLANES] }
    }
}

impl Votes {
    fn clear(&mut self) {
        self.waiting.fill(0);
    }

    #[inline(always)]
    fn put(&mut self, power: usize, word: u64) {
        let waiting = &mut self.waiting[power];
        self.planes[power][usize::from(*waiting)] = word;
        *waiting += 1;
        if usize::from(*waiting) == WAITING {
            self.settle(power);
        }
    }

    #[inline(always)]
    fn put_weighted(&mut self, word: u64, mut weight: u32) {
        while weight > 0 {
            self.put(weight.trailing_zeros() as usize, word);
            weight &= weight - 1;
        }
    }

    #[inline]
    fn put_all(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        let mut words = words;
        let mut fifteen = [0; WAITING];
        while words.len() >= WAITING {
            fifteen.iter_mut().zip(&mut words).for_each(|(place, word)| *place = word);
            for (power, word) in count(&fifteen).into_iter().enumerate() {
                self.put(power, word);
            }
        }
        words.for_each(|word| self.put(0, word));
    }

    /// Leaves one of the fifteen words of a plane, and hands a carry to each of the next three.
    #[inline(never)]
    fn settle(&mut self, power: usize) {
        let [ones, twos, fours, eights] = count(&self.planes[power]);
        self.planes[power][0] = ones;
        self.waiting[power] = 1;
        self.put(power + 1, twos);
        self.put(power + 2, fours);
        self.put(power + 3, eights);
    }

    /// The bits whose count is above `bound`; leaves all planes empty.
    fn above(&mut self, bound: u64) -> u64 {
        let mut above = 0;
        for power in 0..self.planes.len() {
            let word = self.last_of(power);
            above = if power < 64 && bound >> power & 1 == 1 { above & word } else { above | word };
        }
        above
    }

    /// Adds the words of a plane up, carries into the next, and takes the one that is left.
    fn last_of(&mut self, power: usize) -> u64 {
        let mut len = usize::from(std::mem::take(&mut self.waiting[power]));
        if len == 0 {
            return 0;
        }
        let mut words = self.planes[power];
        while len > 1 {
            let third = if len > 2 { words[len - 3] } else { 0 };
            let (sum, carry) = add(words[len - 1], words[len - 2], third);
            len = len.saturating_sub(3) + 1;
            words[len - 1] = sum;
            self.put(power + 1, carry);
        }
        words[0]
    }
}

/// How many of fifteen words have each bit: four words of its binary digits, by eleven full adders.
#[inline(always)]
fn count(w: &[u64; WAITING]) -> [u64; 4] {
    let (s0, a0) = add(w[0], w[1], w[2]);
    let (s1, a1) = add(w[3], w[4], w[5]);
    let (s2, a2) = add(w[6], w[7], w[8]);
    let (s3, a3) = add(w[9], w[10], w[11]);
    let (s4, a4) = add(w[12], w[13], w[14]);
    let (s5, a5) = add(s0, s1, s2);
    let (ones, a6) = add(s3, s4, s5);
    let (t0, b0) = add(a0, a1, a2);
    let (t1, b1) = add(a3, a4, a5);
    let (twos, b2) = add(a6, t0, t1);
    let (fours, eights) = add(b0, b1, b2);
    [ones, twos, fours, eights]
}

/// 64 full adders: sum and carry of three bits each.
#[inline(always)]
fn add(a: u64, b: u64, c: u64) -> (u64, u64) {
    let half = a ^ b;
    (half ^ c, a & b | half & c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: one signed sum a bit.
    fn by_definition(features: &[(u64, u32)], bits: u32) -> Option<u128> {
        if features.iter().all(|&(_, weight)| weight == 0) {
            return None;
        }
        let wide = |hash: u64| u128::from(hash) | u128::from(second_half(hash)) << 64;
        let fingerprint = (0..bits).filter(|&bit| {
            let votes = features.iter().map(|&(hash, weight)| {
                if wide(hash) >> bit & 1 == 1 { i64::from(weight) } else { -i64::from(weight) }
            });
            votes.sum::<i64>() > 0
        });
        Some(fingerprint.fold(0, |all, bit| all | 1 << bit))
    }

    fn made(features: &[(u64, u32)], bits: Bits) -> Option<u128> {
        let mut sketch = SimHash::new(bits);
        sketch.begin();
        features.iter().for_each(|&(hash, weight)| sketch.add_weighted(hash, weight));
        sketch.finish()
    }

    #[test]
    fn a_tie_is_zero_and_nothing_gives_no_fingerprint() {
        assert_eq!(made(&[(0b0011, 1), (0b0101, 1)], Bits::B64), Some(0b0001));
        assert_eq!(made(&[(u64::MAX, 7), (0, 7)], Bits::B64), Some(0));
        assert_eq!(made(&[], Bits::B64), None);
        assert_eq!(made(&[(5, 0)], Bits::B64), None);
    }

    #[test]
    fn a_sketch_is_new_after_begin_and_after_finish() {
        let mut sketch = SimHash::new(Bits::B128);
        (0..1000).for_each(|i| sketch.add(mix::pair(i, 1)));
        sketch.begin();
        sketch.add(9);
        let nine = Some(9 | u128::from(second_half(9)) << 64);
        assert_eq!(sketch.finish(), nine);
        sketch.add(9);
        assert_eq!(sketch.finish(), nine);
        assert_eq!(sketch.finish(), None);
    }

    #[test]
    fn the_greatest_weights_do_not_overflow() {
        let features: Vec<(u64, u32)> = (0..200).map(|i| (mix::pair(i, 5), u32::MAX)).collect();
        assert_eq!(made(&features, Bits::B64), by_definition(&features, 64));
    }

    #[test]
    fn distance_grows_with_the_angle() {
        // Two sets of n with s in common stand at cos θ = s/n; each of 128 bits differs with probability θ/π.
        let mut sketch = SimHash::new(Bits::B128);
        let mut of = |from: u64, to: u64, trial: u64| {
            sketch.begin();
            (from..to).for_each(|i| sketch.add(mix::fold(mix::pair(i, trial) ^ mix::K[2], mix::K[1])));
            sketch.finish().unwrap()
        };
        for shared in [300u64, 400, 450, 490] {
            let trials = 400;
            let sum: u32 =
                (0..trials).map(|t| distance(of(0, 500, t), of(500 - shared, 1000 - shared, t))).sum();
            let measured = f64::from(sum) / (128 * trials) as f64;
            let theory = (shared as f64 / 500.0).acos() / std::f64::consts::PI;
            let error = (theory * (1.0 - theory) / (128 * trials) as f64).sqrt();
            assert!((measured - theory).abs() < 5.0 * error + 0.003, "{shared}: {measured} {theory}");
        }
    }

    proptest! {
        #[test]
        fn unit_weights_follow_the_definition(hashes in proptest::collection::vec(any::<u64>(), 0..700)) {
            let features: Vec<(u64, u32)> = hashes.iter().map(|&hash| (hash, 1)).collect();
            for bits in Bits::ALL {
                let mut sketch = SimHash::new(bits);
                hashes.iter().for_each(|&hash| sketch.add(hash));
                prop_assert_eq!(sketch.finish(), by_definition(&features, bits.count()));
                sketch.add_all(&hashes);
                prop_assert_eq!(sketch.finish(), by_definition(&features, bits.count()));
            }
        }

        #[test]
        fn weights_follow_the_definition(
            small in proptest::collection::vec((any::<u64>(), 0u32..20), 0..100),
            large in proptest::collection::vec((any::<u64>(), any::<u32>()), 0..40),
        ) {
            let features = [small, large].concat();
            for bits in Bits::ALL {
                prop_assert_eq!(made(&features, bits), by_definition(&features, bits.count()));
            }
        }

        #[test]
        fn a_weight_is_so_many_repeats(features in proptest::collection::vec((any::<u64>(), 0u32..40), 1..20)) {
            let mut sketch = SimHash::new(Bits::B64);
            features.iter().for_each(|&(hash, weight)| (0..weight).for_each(|_| sketch.add(hash)));
            prop_assert_eq!(sketch.finish(), made(&features, Bits::B64));
        }
    }
}
