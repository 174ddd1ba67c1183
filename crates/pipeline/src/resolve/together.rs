//! A round of documents, decided by all threads to the verdicts that one after the other would get.
//!
//! Each is compared with those that stayed before the round, best first, by whichever thread is free. One that found none is
//! then compared with those of the round itself that stay, in order. These rank behind all that were there before, so the
//! first that verifies is the same, and so is the number of comparisons.

use super::stars::Star;
use crate::error::Error;
use crate::scan::lock;
use crate::verify::{Likeness, Verifier};
use onefold_detect::resolve::{Candidates, Staying};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The keeper that a document has found, and how alike they are.
type Found = Option<(usize, Likeness)>;

impl Star<'_, '_> {
    /// Decides some documents, given in order of rank and behind all that were decided.
    pub(super) fn decide_together(
        &mut self,
        round: &[usize],
        staying: &mut Staying<'_>,
    ) -> Result<(), Error> {
        let found = self.hold_against(round, staying)?;
        let first = round.first().copied().unwrap_or_default();
        let mut near = Vec::new();
        for (&at, found) in round.iter().zip(found) {
            let mut keeper = found.map(|(keeper, _)| keeper);
            self.last = found.map(|(_, likeness)| likeness);
            if keeper.is_none() {
                staying.near(at, &mut near);
                let of_round = near.partition_point(|&other| (other as usize) < first);
                for &other in &near[of_round..] {
                    if self.verify(at, other as usize)? {
                        keeper = Some(other as usize);
                        break;
                    }
                }
            }
            if keeper.is_none() {
                staying.add(at);
            }
            self.decided(at, keeper)?;
        }
        Ok(())
    }

    /// Compares documents with those that stay, by all threads.
    fn hold_against(&mut self, round: &[usize], staying: &Staying<'_>) -> Result<Vec<Found>, Error> {
        let Star { worker, ranked, local, .. } = self;
        let document = |at: usize| ranked[local[at] as usize];
        let (next, found) = (AtomicUsize::new(0), Mutex::new(vec![None; round.len()]));
        let job = worker.context.job;
        let work = |verifier: &mut Verifier<'_>| -> Result<(), Error> {
            let mut near = Vec::new();
            loop {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                let Some(&at) = round.get(turn) else { return Ok(()) };
                job.check()?;
                staying.near(at, &mut near);
                for &keeper in &near {
                    let keeper = keeper as usize;
                    if let Some(likeness) = verifier.verify(document(at), document(keeper))? {
                        lock(&found)[turn] = Some((keeper, likeness));
                        break;
                    }
                }
            }
        };
        let (own, helpers) = (&mut worker.verifier, &mut worker.helpers);
        std::thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> =
                helpers.iter_mut().map(|verifier| scope.spawn(move || work(verifier))).collect();
            threads.into_iter().fold(work(own), |outcome, thread| {
                outcome.and(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            })
        })?;
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}
