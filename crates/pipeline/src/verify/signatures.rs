//! What signatures tell before documents are read again.
//!
//! The standard error of the estimate by cut signatures is largest near the threshold t; a pair whose estimate is four
//! of those below t is no near duplicate, or is one right at t with a probability of 3 in 100,000, far below that of
//! not sharing a bucket.

use onefold_detect::measure::estimate::ValueBits;
use onefold_run::Plan;

/// Standard errors below the threshold at which a pair is ruled out.
const ERRORS: f64 = 4.0;

/// How signatures are compared.
pub(super) struct Signatures {
    /// Agreeing positions below which a pair is ruled out.
    pub(super) least: usize,
    len: usize,
    bits: ValueBits,
}

impl Signatures {
    pub(super) fn new(plan: &Plan) -> Self {
        let (len, bits, threshold) = (plan.signature, plan.signature_bits, plan.threshold);
        let lowest = threshold - ERRORS * bits.standard_error(threshold, len);
        let least = (bits.agreement(lowest) * len as f64).floor().max(0.0) as usize;
        // A containment may hold at any resemblance.
        Signatures { least: if plan.containment.is_some() { 0 } else { least }, len, bits }
    }

    /// Agreeing entries among the first `of`.
    pub(super) fn agreeing(&self, a: &[u8], b: &[u8], of: usize) -> usize {
        if self.bits == ValueBits::B8 {
            return a.iter().zip(b).take(of).filter(|(x, y)| x == y).count();
        }
        let width = self.bits.count() as usize / 8;
        let values = |bytes| <[u8]>::chunks_exact(bytes, width).take(of);
        values(a).zip(values(b)).filter(|(x, y)| x == y).count()
    }

    /// Resemblance by the agreement of whole signatures.
    pub(super) fn resemblance(&self, agree: usize) -> f64 {
        self.bits.resemblance(agree as f64 / self.len.max(1) as f64)
    }
}
