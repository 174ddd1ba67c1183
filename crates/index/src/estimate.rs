//! Resemblance from the low bytes of two signatures.
//!
//! Two bytes agree by chance in one position of 256, so a share p of agreement stands for a resemblance of
//! (p − 1/256) / (1 − 1/256). Its standard error is at most √(t(1−t)/N) near the threshold t; a pair whose estimate is
//! four of those below t is not compared further, as in a batch run.

/// Standard errors below the threshold at which a pair is ruled out.
const ERRORS: f64 = 4.0;
const CHANCE: f64 = 1.0 / 256.0;

/// Agreeing positions below which a pair of signatures is ruled out.
pub(crate) fn least(signature: usize, threshold: f64) -> usize {
    let len = signature as f64;
    let lowest = threshold - ERRORS * (threshold * (1.0 - threshold) / len).sqrt();
    let agreement = lowest * (1.0 - CHANCE) + CHANCE;
    (agreement * len).floor().max(0.0) as usize
}

/// Positions in which two signatures agree.
pub(crate) fn agreement(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a == b).count()
}

/// The estimate.
pub(crate) fn resemblance(agree: u32, of: u32) -> f64 {
    let share = f64::from(agree) / f64::from(of.max(1));
    ((share - CHANCE) / (1.0 - CHANCE)).max(0.0)
}

/// Its standard error.
pub(crate) fn error(agree: u32, of: u32) -> f64 {
    let estimate = resemblance(agree, of);
    (estimate * (1.0 - estimate) / f64::from(of.max(1))).sqrt()
}
