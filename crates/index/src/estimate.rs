//! Resemblance from signatures whose values are cut to a byte: see `onefold_detect::measure::estimate`.
//!
//! A pair whose estimate is four standard errors below the threshold is not compared further, as in a batch run.

use onefold_detect::measure::estimate::ValueBits;

/// What is kept of each value.
pub(crate) const BITS: ValueBits = ValueBits::B8;
/// Standard errors below the threshold at which a pair is ruled out.
const ERRORS: f64 = 4.0;

/// Agreeing positions below which a pair of signatures is ruled out.
pub(crate) fn least(signature: usize, threshold: f64) -> usize {
    let lowest = threshold - ERRORS * BITS.standard_error(threshold, signature);
    (BITS.agreement(lowest) * signature as f64).floor().max(0.0) as usize
}

/// Positions in which two signatures agree.
pub(crate) fn agreement(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a == b).count()
}

/// The estimate.
pub(crate) fn resemblance(agree: u32, of: u32) -> f64 {
    BITS.resemblance(f64::from(agree) / f64::from(of.max(1)))
}

/// Its standard error.
pub(crate) fn error(agree: u32, of: u32) -> f64 {
    BITS.standard_error(resemblance(agree, of), of as usize)
}
