//! Keepers that lie within other keepers go too.
//!
//! Stars are decided in rank order, so an excerpt that comes before the whole is kept at first. Afterwards keepers are
//! looked at once more, the largest first: one whose shingles lie within a keeper that stays joins the best-ranked
//! such one. Documents that had joined it are decided again among the keepers that stay, and stay themselves where
//! none takes them; then keepers are looked at again, until none lies within another. So every removed document is
//! alike to the very one that was kept, and no kept one lies within another.

use super::{Keepers, Worker};
use crate::error::Error;
use crate::table::DocId;
use onefold_detect::resolve::{BucketLists, Staying};
use std::cmp::Reverse;

/// Rounds after which size alone decides. Two or three do on real pages.
const ROUNDS: usize = 8;

impl Worker<'_> {
    /// `lists`: buckets by place in the ranking.
    pub(super) fn contained(
        &mut self,
        ranked: &[DocId],
        lists: &BucketLists,
        keepers: &mut Keepers,
    ) -> Result<(), Error> {
        for _ in 0..ROUNDS {
            if !self.round(ranked, lists, keepers)? {
                return Ok(());
            }
        }
        // One round with nobody joined to anybody is the last: what stays lies within nothing larger.
        keepers.fill(None);
        self.round(ranked, lists, keepers)?;
        Ok(())
    }

    /// Tells whether a keeper went.
    fn round(&mut self, ranked: &[DocId], lists: &BucketLists, keepers: &mut Keepers) -> Result<bool, Error> {
        let len = |place: usize| self.table.set_len[ranked[place] as usize];
        let mut order: Vec<usize> = (0..ranked.len()).filter(|&place| keepers[place].is_none()).collect();
        order.sort_unstable_by_key(|&place| (Reverse(len(place)), place));
        let mut staying = Staying::new(lists);
        let mut left = Vec::new();
        for place in order {
            match self.keeper_among(&staying, place, ranked)? {
                Some(found) => {
                    keepers[place] = Some(found);
                    left.push(place);
                }
                None => staying.add(place),
            }
        }
        left.sort_unstable();
        // Those whose keeper went are decided again, in rank order.
        for (place, joined) in keepers.iter_mut().enumerate() {
            if joined.is_some_and(|(keeper, _)| left.binary_search(&keeper).is_ok()) {
                *joined = self.keeper_among(&staying, place, ranked)?;
                if joined.is_none() {
                    staying.add(place);
                }
            }
        }
        Ok(!left.is_empty())
    }

    /// The best-ranked of the staying keepers that a document verifies against.
    fn keeper_among(
        &mut self,
        staying: &Staying<'_>,
        place: usize,
        ranked: &[DocId],
    ) -> Result<Option<(usize, crate::verify::Likeness)>, Error> {
        self.context.job.check()?;
        let mut near = Vec::new();
        staying.near(place, &mut near);
        for keeper in near {
            if let Some(likeness) = self.verifier.verify(ranked[place], ranked[keeper as usize])? {
                return Ok(Some((keeper as usize, likeness)));
            }
        }
        Ok(None)
    }
}
