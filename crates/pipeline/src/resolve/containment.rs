//! Keepers that lie within other keepers go too.
//!
//! Stars are decided in rank order, so an excerpt that comes before the whole is kept at first. Afterwards keepers are
//! looked at once more, the largest first: one whose shingles lie within a keeper that stays joins the best-ranked
//! such one. Documents that had joined it are decided again among the keepers that stay, and stay themselves where
//! none takes them; then keepers are looked at again, until none lies within another. So every removed document is
//! alike to the very one that was kept, and no kept one lies within another.

use super::Worker;
use super::stars::{Component, Decided};
use crate::error::Error;
use std::cmp::Reverse;

/// Rounds after which size alone decides. Two or three do on real pages.
const ROUNDS: usize = 8;

impl Worker<'_> {
    pub(super) fn contained(
        &mut self,
        component: &Component<'_>,
        all: &[u32],
        decided: &mut Decided,
    ) -> Result<(), Error> {
        for _ in 0..ROUNDS {
            if !self.round(component, all, decided)? {
                return Ok(());
            }
        }
        // One round with nobody joined to anybody is the last: what stays lies within nothing larger.
        all.iter().for_each(|&place| decided.reopen(place));
        self.round(component, all, decided)?;
        Ok(())
    }

    /// Tells whether a keeper went.
    fn round(
        &mut self,
        component: &Component<'_>,
        all: &[u32],
        decided: &mut Decided,
    ) -> Result<bool, Error> {
        let mut keepers: Vec<u32> =
            all.iter().copied().filter(|&place| decided.keeper(place).is_none()).collect();
        let len = |place: u32| self.table.set_len[component.ranked[place as usize] as usize];
        keepers.sort_unstable_by_key(|&place| (Reverse(len(place)), place));
        keepers.iter().for_each(|&place| decided.reopen(place));
        self.decide(component, &keepers, decided)?;
        if keepers.iter().all(|&place| decided.stays(place)) {
            return Ok(false);
        }
        // Those whose keeper went are decided again, in rank order.
        let is_left = |place: u32| decided.keeper(place).is_some_and(|keeper| !decided.stays(keeper));
        let left: Vec<u32> = all.iter().copied().filter(|&place| is_left(place)).collect();
        left.iter().for_each(|&place| decided.reopen(place));
        self.decide(component, &left, decided)?;
        Ok(true)
    }
}
