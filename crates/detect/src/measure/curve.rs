//! The curve of a sketch: how often a rule such as "90 of 100 entries agree" holds for a pair of given resemblance.
//!
//! Each entry agrees with probability s, so at least k of n do with Σ over i ≥ k of C(n, i) sⁱ (1 − s)ⁿ⁻ⁱ.

/// Probability that at least `k` of `n` entries agree if each does with probability `s`, which is taken as 0 or 1 where
/// it lies outside.
///
/// The terms are had from each other, i + 1 from i by the factor (n−i)/(i+1) · s/(1−s), outwards from the largest as if
/// that were 1, and divided by their sum: nothing overflows, and what underflows is too small to matter.
pub fn at_least(k: u32, n: u32, s: f64) -> f64 {
    if k == 0 {
        return 1.0;
    }
    // A number that is none counts as 0.
    if k > n || s.is_nan() || s <= 0.0 {
        return 0.0;
    }
    if s >= 1.0 {
        return 1.0;
    }
    let mode = ((f64::from(n) + 1.0) * s).floor().min(f64::from(n)) as u32;
    let up = |i: u32| f64::from(n - i) / (f64::from(i) + 1.0) * (s / (1.0 - s));
    let (mut above, mut below) = (0.0, 0.0);
    let mut count = |i: u32, term: f64| if i >= k { above += term } else { below += term };
    count(mode, 1.0);
    let mut term = 1.0;
    for i in mode..n {
        term *= up(i);
        if term == 0.0 {
            break;
        }
        count(i + 1, term);
    }
    term = 1.0;
    for i in (0..mode).rev() {
        term /= up(i);
        if term == 0.0 {
            break;
        }
        count(i, term);
    }
    above / (above + below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 0.0005, "{found} {expected}");
    }

    #[test]
    fn ninety_of_a_hundred_and_four_fifths_of_two_hundred() {
        near(at_least(90, 100, 0.9), 0.583);
        near(at_least(90, 100, 0.95), 0.989);
        near(at_least(90, 100, 0.8), 0.006);
        near(at_least(160, 200, 0.8), 0.542);
    }

    #[test]
    fn the_ends_are_certain() {
        assert_eq!(at_least(0, 100, 0.0), 1.0);
        assert_eq!(at_least(0, 0, 0.5), 1.0);
        assert_eq!(at_least(1, 0, 0.5), 0.0);
        assert_eq!(at_least(101, 100, 1.0), 0.0);
        assert_eq!(at_least(100, 100, 1.0), 1.0);
        assert_eq!(at_least(1, 100, -3.0), 0.0);
        assert_eq!(at_least(1, 100, f64::NAN), 0.0);
    }

    #[test]
    fn ten_thousand_entries_are_no_harder_than_a_hundred() {
        // From exact fractions.
        for (k, exact) in [(8000, 0.5059837527344169), (8040, 0.161711894377176), (7920, 0.9775204541532067)]
        {
            assert!((at_least(k, 10_000, 0.8) - exact).abs() < 1e-10, "{k}");
        }
        assert!(at_least(9900, 10_000, 0.8) < 1e-100);
        assert_eq!(at_least(100, 10_000, 0.8), 1.0);
        assert!((at_least(10_000, 10_000, 0.999) - 0.999f64.powi(10_000)).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_sum_is_that_of_the_terms(n in 1u32..60, k in 0u32..61, s in 0.0f64..=1.0) {
            let choose = |i: u32| (0..i).fold(1.0, |c, j| c * f64::from(n - j) / f64::from(j + 1));
            let term = |i: u32| choose(i) * s.powi(i as i32) * (1.0 - s).powi((n - i) as i32);
            let plain: f64 = (k..=n).map(term).sum();
            prop_assert!((at_least(k, n, s) - plain).abs() < 1e-12, "{} {plain}", at_least(k, n, s));
        }

        #[test]
        fn more_alike_is_never_less_likely(n in 1u32..2000, k in 0u32..2000, s in 0.0f64..1.0, t in 0.0f64..1.0) {
            prop_assert!(at_least(k, n, s.min(t)) <= at_least(k, n, s.max(t)) + 1e-12);
        }
    }
}
