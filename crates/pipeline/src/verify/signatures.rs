//! What signatures tell before documents are read again.
//!
//! The low b bits of two signature values agree by chance in one position of 2ᵇ, so the share p of agreement stands
//! for a resemblance of (p − 2⁻ᵇ) / (1 − 2⁻ᵇ). Its standard error is at most √(t(1−t)/N) near the threshold t; a
//! pair whose estimate is four of those below t is no near duplicate, or is one right at t with a probability of 3 in
//! 100,000, far below that of not sharing a bucket.

use onefold_run::Plan;

/// Standard errors below the threshold at which a pair is ruled out.
const ERRORS: f64 = 4.0;

/// How signatures are compared.
pub(super) struct Signatures {
    /// Agreeing positions below which a pair is ruled out.
    pub(super) least: usize,
    len: usize,
    bytes_a_value: usize,
    by_chance: f64,
}

impl Signatures {
    pub(super) fn new(plan: &Plan) -> Self {
        let (len, threshold) = (plan.signature as f64, plan.threshold);
        let by_chance = (-f64::from(plan.signature_bits)).exp2();
        let lowest = threshold - ERRORS * (threshold * (1.0 - threshold) / len).sqrt();
        let agreement = lowest * (1.0 - by_chance) + by_chance;
        Signatures {
            // A containment may hold at any resemblance.
            least: if plan.containment.is_some() { 0 } else { (agreement * len).floor().max(0.0) as usize },
            len: plan.signature,
            bytes_a_value: plan.signature_bits as usize / 8,
            by_chance,
        }
    }

    /// Agreeing entries among the first `of`.
    pub(super) fn agreeing(&self, a: &[u8], b: &[u8], of: usize) -> usize {
        if self.bytes_a_value == 1 {
            return a.iter().zip(b).take(of).filter(|(x, y)| x == y).count();
        }
        let values = |bytes| <[u8]>::chunks_exact(bytes, self.bytes_a_value).take(of);
        values(a).zip(values(b)).filter(|(x, y)| x == y).count()
    }

    /// Resemblance by the agreement of whole signatures.
    pub(super) fn resemblance(&self, agree: usize) -> f64 {
        let share = agree as f64 / self.len.max(1) as f64;
        ((share - self.by_chance) / (1.0 - self.by_chance)).clamp(0.0, 1.0)
    }
}
