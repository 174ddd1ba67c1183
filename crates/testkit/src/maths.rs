//! Logarithm, exponential and power from additions, multiplications and divisions alone.
//!
//! IEEE 754 fixes the result of those operations to the bit, but not of a platform's `ln` and `exp`; one last bit
//! of difference would change a document's length and with it every byte after it.

const LN_2: f64 = std::f64::consts::LN_2;

/// Natural logarithm of a positive, normal number: `ln m + e ln 2`, with `ln m = 2 atanh((m − 1)/(m + 1))`.
pub(crate) fn ln(x: f64) -> f64 {
    debug_assert!(x.is_normal() && x > 0.0);
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i64 - 1023;
    let mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    let t = (mantissa - 1.0) / (mantissa + 1.0);
    let square = t * t;
    // t ≤ 1/3, so the 18th term is below 3⁻³⁷.
    let series = (0..18).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    2.0 * t * series + exponent as f64 * LN_2
}

/// Exponential for |x| < 700: `2ᵏ · eʳ` with |r| ≤ ln 2 / 2 and a Taylor series for eʳ.
pub(crate) fn exp(x: f64) -> f64 {
    debug_assert!(x.abs() < 700.0);
    let k = (x / LN_2).round();
    let r = x - k * LN_2;
    let series = (1..=16).rev().fold(1.0, |sum, n| 1.0 + sum * r / f64::from(n));
    series * f64::from_bits(((k as i64 + 1023) as u64) << 52)
}

/// `base` to the power `exponent`, for a positive base.
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    exp(exponent * ln(base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_and_exponential_agree_with_the_platform() {
        for x in [1e-9, 0.3, 0.999, 1.0, 1.5, 2.0, 37.2, 2e5, 1e15] {
            assert!((ln(x) - x.ln()).abs() < 1e-13 * x.ln().abs().max(1.0), "ln {x}");
        }
        for x in [-30.0, -1.0, -0.1, 0.0, 0.4, 1.0, 6.4, 20.0] {
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-13, "exp {x}");
        }
    }

    #[test]
    fn power_agrees_with_the_platform() {
        assert!((power(0.7, 0.2) / 0.7f64.powf(0.2) - 1.0).abs() < 1e-13);
        assert!((power(1234.5, -1.05) / 1234.5f64.powf(-1.05) - 1.0).abs() < 1e-12);
    }
}
