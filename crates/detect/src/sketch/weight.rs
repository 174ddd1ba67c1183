//! Weights of features by rarity, in whole numbers, so that a fingerprint is the same on every platform.

/// Bits behind the point.
const FRACTION: u32 = 4;

/// Inverse document frequency, 16·log₂(documents / with_feature) rounded down, and at least 1: a feature of every
/// document still has a voice, and one of half the documents has 16 times that.
///
/// A feature seen in no document weighs as one seen in a single one; one seen in more documents than there are
/// weighs 1.
pub fn idf_weight(documents: u64, with_feature: u64) -> u32 {
    let with_feature = with_feature.max(1);
    if documents <= with_feature {
        return 1;
    }
    // The quotient in [1, 2⁶⁴) with 64 bits behind the point; its leading one gives the whole part of the logarithm.
    let quotient = (u128::from(documents) << 64) / u128::from(with_feature);
    let leading = quotient.leading_zeros();
    let mut logarithm = 63 - leading;
    // What is left lies in [1, 2), as 63 bits behind the point. Squaring doubles its logarithm: a square of 2 or
    // more is one more binary digit.
    let mut rest = (quotient << leading >> 64) as u64;
    for _ in 0..FRACTION {
        let square = u128::from(rest) * u128::from(rest);
        let carry = (square >> 127) as u32;
        logarithm = logarithm << 1 | carry;
        rest = (square >> (63 + carry)) as u64;
    }
    logarithm.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn powers_of_two_are_exact_and_the_rest_rounds_down() {
        assert_eq!(idf_weight(1000, 1000), 1);
        assert_eq!(idf_weight(1000, 2000), 1);
        assert_eq!(idf_weight(0, 0), 1);
        assert_eq!(idf_weight(1024, 512), 16);
        assert_eq!(idf_weight(1024, 1), 160);
        assert_eq!(idf_weight(1024, 0), 160);
        assert_eq!(idf_weight(u64::MAX, 1), 64 * 16 - 1);
        // log₂ 3 = 1.58496, times 16 is 25.36
        assert_eq!(idf_weight(3_000_000, 1_000_000), 25);
    }

    proptest! {
        #[test]
        fn the_weight_is_the_logarithm_rounded_down(documents in 1u64.., with_feature in 1u64..) {
            let exact = 16.0 * (documents as f64 / with_feature as f64).log2();
            let weight = f64::from(idf_weight(documents, with_feature));
            prop_assert!(weight == exact.floor().max(1.0) || (exact - exact.round()).abs() < 1e-9, "{weight} {exact}");
        }

        #[test]
        fn rarer_features_never_weigh_less(documents in 1u64.., a: u64, b: u64) {
            prop_assert!(idf_weight(documents, a.min(b)) >= idf_weight(documents, a.max(b)));
        }
    }
}
