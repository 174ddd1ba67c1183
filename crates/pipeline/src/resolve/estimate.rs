//! Pairs that their signatures rule out are not read again.
//!
//! The low bytes of two signatures agree by chance in one position of 256, so the share p of agreement stands for a
//! resemblance of (p − 1/256) / (1 − 1/256). Its standard error is at most √(t(1−t)/N) near the threshold t; a pair
//! whose estimate is four of those below t is no near duplicate, or is one right at t with a probability of 3 in 100,000,
//! far below that of not sharing a bucket.

use crate::error::Error;
use crate::table::{DocId, Table};
use onefold_run::Plan;
use std::collections::HashMap;

/// Standard errors below the threshold at which a pair is ruled out.
const ERRORS: f64 = 4.0;

/// Signatures of the component at hand.
pub(crate) struct Estimates<'a> {
    table: &'a Table<'a>,
    held: HashMap<DocId, Vec<u8>>,
    /// Agreeing positions below which a pair is ruled out.
    least: usize,
}

impl<'a> Estimates<'a> {
    pub(crate) fn new(plan: &Plan, table: &'a Table<'a>) -> Self {
        let (len, threshold) = (plan.signature as f64, plan.threshold);
        let lowest = threshold - ERRORS * (threshold * (1.0 - threshold) / len).sqrt();
        let agreement = lowest * (255.0 / 256.0) + 1.0 / 256.0;
        Estimates { table, held: HashMap::new(), least: (agreement * len).floor().max(0.0) as usize }
    }

    /// Whether two documents cannot be near duplicates.
    pub(crate) fn rule_out(&mut self, first: DocId, second: DocId) -> Result<bool, Error> {
        if self.least == 0 {
            return Ok(false);
        }
        for document in [first, second] {
            if !self.held.contains_key(&document) {
                self.held.insert(document, self.table.signature(document)?);
            }
        }
        let agree = self.held[&first].iter().zip(&self.held[&second]).filter(|(a, b)| a == b).count();
        Ok(agree < self.least)
    }

    pub(crate) fn clear(&mut self) {
        self.held.clear();
    }
}
