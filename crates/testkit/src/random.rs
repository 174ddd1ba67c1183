//! The random numbers of the generator: xoshiro256++ seeded by SplitMix64, both written from their published
//! specifications (Blackman and Vigna 2018; Steele, Lea and Flood 2014).
//!
//! An own implementation of forty lines, because a corpus is named by its seed: the same seed must give the same
//! bytes for years, and general-purpose crates reserve the right to change what a seed yields between releases.
//! The 256 bits of state keep millions of per-document streams from overlapping, which 64 bits would not.

/// One step of SplitMix64: a bijection of the 64-bit integers in which every input bit reaches every output bit.
#[must_use]
pub fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// What a stream of numbers is for, so that two uses of one document's number never share a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Vocabulary = 1,
    Boilerplate = 2,
    Layout = 3,
    Base = 4,
    Edit = 5,
    Permutation = 6,
    RecordId = 7,
}

/// A seeded xoshiro256++ generator.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// A generator whose whole sequence is fixed by `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let gamma = 0x9E37_79B9_7F4A_7C15u64;
        Self { state: [0u64, 1, 2, 3].map(|step| mix(seed.wrapping_add(gamma.wrapping_mul(step)))) }
    }

    /// The generator of one purpose and one number under a corpus seed.
    pub(crate) fn stream(seed: u64, purpose: Purpose, number: u64) -> Self {
        Self::new(mix(mix(mix(seed).wrapping_add(purpose as u64)).wrapping_add(number)))
    }

    /// The next 64 uniform bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let [s0, s1, s2, s3] = self.state;
        let result = s0.wrapping_add(s3).rotate_left(23).wrapping_add(s0);
        let (s2, s3) = (s2 ^ s0, s3 ^ s1);
        self.state = [s0 ^ s3, s1 ^ s2, s2 ^ (s1 << 17), s3.rotate_left(45)];
        result
    }

    /// A uniform number in `0.0..1.0`, a multiple of 2⁻⁵³.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number in `0..bound`; the bias is below `bound / 2⁶⁴`. A bound of 0 gives 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// A uniform number in `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// One of the items. Panics on an empty slice.
    pub fn choose<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    /// `true` with the given probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Trials up to and with the first success, at most `cap`.
    pub fn geometric(&mut self, success: f64, cap: u64) -> u64 {
        let mut trials = 1;
        while trials < cap && !self.chance(success) {
            trials += 1;
        }
        trials
    }

    /// A standard normal number as the sum of twelve uniforms less six (Irwin–Hall): additions only, so equal on
    /// every platform, and within ±6.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_published_sequence_of_seed_zero() {
        let gamma = 0x9E37_79B9_7F4A_7C15u64;
        let sequence: Vec<u64> = (0..3u64).map(|i| mix(gamma.wrapping_mul(i))).collect();
        assert_eq!(sequence, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]);
    }

    #[test]
    fn xoshiro_gives_the_published_sequence_of_state_1_2_3_4() {
        let mut random = Random { state: [1, 2, 3, 4] };
        let sequence: Vec<u64> = (0..4).map(|_| random.next_u64()).collect();
        assert_eq!(sequence, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut random = Random::new(7);
        let numbers: Vec<f64> = (0..40_000).map(|_| random.normal()).collect();
        let mean = numbers.iter().sum::<f64>() / 40_000.0;
        let variance = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 40_000.0;
        // Four standard errors: 4/√40000 for the mean, 4·√2/√40000 for the variance.
        assert!(mean.abs() < 0.02, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.029, "variance {variance}");
    }

    #[test]
    fn streams_of_different_purposes_differ() {
        let first = Random::stream(1, Purpose::Base, 5).next_u64();
        assert_ne!(first, Random::stream(1, Purpose::Edit, 5).next_u64());
        assert_ne!(first, Random::stream(1, Purpose::Base, 6).next_u64());
        assert_ne!(first, Random::stream(2, Purpose::Base, 5).next_u64());
    }
}
