//! A component that is too large to be held is decided a block of its documents at a time, to the same verdicts.

use super::Worker;
use crate::error::Error;
use crate::shares::Giant;
use crate::table::DocId;
use onefold_detect::resolve::{BucketLists, Clustering, Unions};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

impl Worker<'_> {
    pub(super) fn giant(&mut self, giant: &Giant<'_>) -> Result<(), Error> {
        let plan = &self.context.job.plan;
        if plan.containment.is_some() && plan.cluster == Clustering::Star {
            // Keepers that lie within others are looked for again and again, which takes all buckets at once.
            return self.component(&giant.buckets()?.distinct());
        }
        let mut ranked = giant.documents.clone();
        self.table.sort_by_rank(&mut ranked)?;
        let _alone = self.context.alone(self.table, &ranked);
        // By document; what is in no bucket of the component is not asked for.
        let mut places = vec![0u32; self.table.len()];
        ranked.iter().zip(0..).for_each(|(&document, place)| places[document as usize] = place);
        match plan.cluster {
            Clustering::Star => self.stars_in_blocks(giant, &ranked, &places)?,
            Clustering::Components => self.closure_in_blocks(giant, &ranked, &places)?,
        }
        self.finish(&ranked);
        Ok(())
    }

    /// Documents are decided in the order of their ranks, so that a block has to know its own buckets, and who was
    /// kept before it in those.
    fn stars_in_blocks(&mut self, giant: &Giant<'_>, ranked: &[DocId], places: &[u32]) -> Result<(), Error> {
        let stays: Vec<AtomicBool> = ranked.iter().map(|_| AtomicBool::new(false)).collect();
        let part = |block: &Range<usize>, bucket: &[DocId], wanted: &mut Vec<DocId>| {
            let mut met = false;
            wanted.extend(bucket.iter().copied().filter(|&document| {
                let place = places[document as usize] as usize;
                met |= block.contains(&place);
                block.contains(&place) || place < block.start && stays[place].load(Ordering::Relaxed)
            }));
            if !met {
                wanted.clear();
            }
        };
        giant.each_block(ranked.len(), part, |block, buckets| {
            stays[block.clone()].iter().for_each(|stays| stays.store(true, Ordering::Relaxed));
            let place = |document: &DocId| places[*document as usize];
            let mut local: Vec<u32> = buckets.iter().copied().flatten().map(place).collect();
            local.sort_unstable();
            local.dedup();
            let settled = local.partition_point(|&place| (place as usize) < block.start);
            let local_place =
                |document: &DocId| local.partition_point(|&other| other < place(document)) as u32;
            let lists =
                BucketLists::new(local.len(), buckets.iter().map(|bucket| bucket.iter().map(local_place)));
            let documents: Vec<DocId> = local.iter().map(|&place| ranked[place as usize]).collect();
            let decided = self.near.len();
            self.stars(&documents, &lists, settled)?;
            for near in &self.near[decided..] {
                stays[places[near.document as usize] as usize].store(false, Ordering::Relaxed);
            }
            Ok(())
        })
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
