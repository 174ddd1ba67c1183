//! A component that is too large to be held is decided a block of its documents at a time, to the same verdicts.

use super::Worker;
use super::stars::{Component, Meetings};
use crate::error::Error;
use crate::shares::Giant;
use crate::table::DocId;
use onefold_detect::resolve::{Clustering, Unions};
use std::ops::Range;

impl Worker<'_> {
    pub(super) fn giant(&mut self, giant: &Giant<'_>) -> Result<(), Error> {
        let mut ranked = giant.documents.clone();
        self.table.sort_by_rank(&mut ranked)?;
        let alone = self.context.alone(self.table, &ranked);
        self.is_alone = alone.is_some();
        // By document; what is in no bucket of the component is not asked for.
        let mut places = vec![0u32; self.table.len()];
        ranked.iter().zip(0..).for_each(|(&document, place)| places[document as usize] = place);
        match self.context.job.plan.cluster {
            Clustering::Star => {
                let meetings = Meetings::Blocks { giant, places: &places };
                self.stars(&Component { ranked: &ranked, meetings })?;
            }
            Clustering::Components => self.closure_in_blocks(giant, &ranked, &places)?,
        }
        self.finish(&ranked);
        Ok(())
    }

    /// Buckets are closed one by one, in the order of their documents: in another one, others would be compared.
    fn closure_in_blocks(
        &mut self,
        giant: &Giant<'_>,
        ranked: &[DocId],
        places: &[u32],
    ) -> Result<(), Error> {
        let place = |document: &DocId| places[*document as usize];
        let mut unions = Unions::new(ranked.len());
        let part = |block: &Range<usize>, bucket: &[DocId], wanted: &mut Vec<DocId>| {
            if giant.documents.binary_search(&bucket[0]).is_ok_and(|first| block.contains(&first)) {
                wanted.extend_from_slice(bucket);
            }
        };
        giant.each_block(ranked.len(), part, |_, buckets| {
            let mut closed = buckets.iter().map(|bucket| bucket.iter().map(place).collect());
            closed.try_for_each(|places| self.close(ranked, places, &mut unions))
        })?;
        self.closure(ranked, &mut unions)
    }
}
