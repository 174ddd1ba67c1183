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
use std::cmp::Reverse;

/// Rounds after which size alone decides. Two or three do on real pages.
const ROUNDS: usize = 8;

impl Worker<'_> {
    /// `of_document`: buckets by place in the ranking.
    pub(super) fn contained(
        &mut self,
        ranked: &[DocId],
        of_document: &[Vec<u32>],
        bucket_count: usize,
        keepers: &mut Keepers,
    ) -> Result<(), Error> {
        for _ in 0..ROUNDS {
            if !self.round(ranked, of_document, bucket_count, keepers)? {
                return Ok(());
            }
        }
        // One round with nobody joined to anybody is the last: what stays lies within nothing larger.
        keepers.fill(None);
        self.round(ranked, of_document, bucket_count, keepers)?;
        Ok(())
    }

    /// Tells whether a keeper went.
    fn round(
        &mut self,
        ranked: &[DocId],
        of_document: &[Vec<u32>],
        bucket_count: usize,
        keepers: &mut Keepers,
    ) -> Result<bool, Error> {
        let len = |place: usize| self.table.set_len[ranked[place] as usize];
        let mut order: Vec<usize> = (0..ranked.len()).filter(|&place| keepers[place].is_none()).collect();
        order.sort_unstable_by_key(|&place| (Reverse(len(place)), place));
        let mut staying: Vec<Vec<u32>> = vec![Vec::new(); bucket_count];
        let mut left = Vec::new();
        for place in order {
            match self.keeper_among(&staying, place, ranked, of_document)? {
                Some(found) => {
                    keepers[place] = Some(found);
                    left.push(place);
                }
                None => stay(&mut staying, place, of_document),
            }
        }
        left.sort_unstable();
        // Those whose keeper went are decided again, in rank order.
        for (place, joined) in keepers.iter_mut().enumerate() {
            if joined.is_some_and(|(keeper, _)| left.binary_search(&keeper).is_ok()) {
                *joined = self.keeper_among(&staying, place, ranked, of_document)?;
                if joined.is_none() {
                    stay(&mut staying, place, of_document);
                }
            }
        }
        Ok(!left.is_empty())
    }

    /// The best-ranked of the staying keepers that a document verifies against.
    fn keeper_among(
        &mut self,
        staying: &[Vec<u32>],
        place: usize,
        ranked: &[DocId],
        of_document: &[Vec<u32>],
    ) -> Result<Option<(usize, crate::verify::Likeness)>, Error> {
        self.context.job.check()?;
        let mut near: Vec<u32> =
            of_document[place].iter().flat_map(|&bucket| &staying[bucket as usize]).copied().collect();
        near.sort_unstable();
        near.dedup();
        for keeper in near {
            if let Some(likeness) = self.verifier.verify(ranked[place], ranked[keeper as usize])? {
                return Ok(Some((keeper as usize, likeness)));
            }
        }
        Ok(None)
    }
}

fn stay(staying: &mut [Vec<u32>], place: usize, of_document: &[Vec<u32>]) {
    for &bucket in &of_document[place] {
        staying[bucket as usize].push(place as u32);
    }
}
