//! The stars of a component: documents are decided one after the other, each among those that stay so far.

use super::Worker;
use crate::error::Error;
use crate::shares::Giant;
use crate::table::DocId;
use crate::verdicts::Near;
use crate::verify::Likeness;
use onefold_detect::resolve::{BucketLists, Candidates, Staying, stars};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Documents that are held at once against those that stay before them.
const ROUND: usize = 512;

/// No place, and no entry.
const NONE: u32 = u32::MAX;

/// The documents of a component, best first, and who shares a bucket with whom.
pub(super) struct Component<'g> {
    pub(super) ranked: &'g [DocId],
    pub(super) meetings: Meetings<'g>,
}

pub(super) enum Meetings<'g> {
    /// By place in the ranking.
    Whole(BucketLists),
    /// Made anew for a block of documents at a time, as not all can be held. `places` in the ranking are by document; nobody
    /// asks for those of other components.
    Blocks { giant: &'g Giant<'g>, places: &'g [u32] },
}

/// What is decided so far, by place in the ranking.
pub(super) struct Decided {
    stays: Vec<AtomicBool>,
    joins: Joins,
}

struct Joins {
    /// The place of the keeper that each joined.
    keepers: Vec<u32>,
    /// Which of the worker's entries tells of that.
    entries: Vec<u32>,
}

impl Decided {
    fn nothing(len: usize) -> Self {
        let stays = (0..len).map(|_| AtomicBool::new(false)).collect();
        Decided { stays, joins: Joins { keepers: vec![NONE; len], entries: vec![NONE; len] } }
    }

    pub(super) fn stays(&self, place: u32) -> bool {
        is_set(&self.stays, place)
    }

    /// The place of the keeper that a document joined.
    pub(super) fn keeper(&self, place: u32) -> Option<u32> {
        Some(self.joins.keepers[place as usize]).filter(|&keeper| keeper != NONE)
    }

    /// As if it was not decided yet.
    pub(super) fn reopen(&mut self, place: u32) {
        self.stays[place as usize].store(false, Ordering::Relaxed);
        self.joins.keepers[place as usize] = NONE;
        self.joins.entries[place as usize] = NONE;
    }
}

fn is_set(flags: &[AtomicBool], place: u32) -> bool {
    flags[place as usize].load(Ordering::Relaxed)
}

fn set(flags: &[AtomicBool], place: u32) {
    flags[place as usize].store(true, Ordering::Relaxed);
}

impl Worker<'_> {
    pub(super) fn stars(&mut self, component: &Component<'_>) -> Result<(), Error> {
        let first = self.near.len();
        let mut decided = Decided::nothing(component.ranked.len());
        let by_rank: Vec<u32> = (0..component.ranked.len() as u32).collect();
        self.decide(component, &by_rank, &mut decided)?;
        if self.context.job.plan.containment.is_some() {
            self.contained(component, &by_rank, &mut decided)?;
            // Some were decided more than once: what was found the last time counts.
            let mut entries = decided.joins.entries;
            entries.retain(|&entry| entry != NONE);
            entries.sort_unstable();
            (first..).zip(&entries).for_each(|(to, &entry)| self.near.swap(to, entry as usize));
            self.near.truncate(first + entries.len());
        }
        Ok(())
    }

    /// Decides documents that are open, in the order in which their places are given.
    pub(super) fn decide(
        &mut self,
        component: &Component<'_>,
        order: &[u32],
        decided: &mut Decided,
    ) -> Result<(), Error> {
        let ranked = component.ranked;
        match &component.meetings {
            Meetings::Whole(lists) => {
                let local: Vec<u32> = (0..ranked.len() as u32).collect();
                let Decided { stays, joins } = decided;
                Star { worker: self, ranked, local, stays, joins, last: None }.decide(lists, order)
            }
            Meetings::Blocks { giant, places } => {
                self.decide_in_blocks(giant, places, ranked, order, decided)
            }
        }
    }

    /// A block has to know its own buckets, and who stays in those.
    fn decide_in_blocks(
        &mut self,
        giant: &Giant<'_>,
        places: &[u32],
        ranked: &[DocId],
        order: &[u32],
        decided: &mut Decided,
    ) -> Result<(), Error> {
        let Decided { stays, joins } = decided;
        let mut turns = vec![NONE; ranked.len()];
        order.iter().zip(0..).for_each(|(&place, turn)| turns[place as usize] = turn);
        let place = |document: &DocId| places[*document as usize];
        let part = |block: &Range<usize>, bucket: &[DocId], wanted: &mut Vec<DocId>| {
            let mut met = false;
            wanted.extend(bucket.iter().filter(|document| {
                let in_block = block.contains(&(turns[place(document) as usize] as usize));
                met |= in_block;
                in_block || is_set(stays, place(document))
            }));
            if !met {
                wanted.clear();
            }
        };
        giant.each_block(order.len(), part, |block, buckets| {
            let mut local: Vec<u32> = buckets.iter().copied().flatten().map(place).collect();
            local.sort_unstable();
            local.dedup();
            let at = |document: &DocId| local.partition_point(|&other| other < place(document)) as u32;
            let lists = BucketLists::new(local.len(), buckets.iter().map(|bucket| bucket.iter().map(at)));
            let (order, alone): (Vec<u32>, Vec<u32>) =
                order[block].iter().partition(|place| local.binary_search(place).is_ok());
            Star { worker: self, ranked, local, stays, joins, last: None }.decide(&lists, &order)?;
            // They meet nobody that stays.
            alone.into_iter().for_each(|place| set(stays, place));
            Ok(())
        })
    }
}

/// Documents that are decided with all they meet at hand.
pub(super) struct Star<'w, 'a> {
    pub(super) worker: &'w mut Worker<'a>,
    pub(super) ranked: &'w [DocId],
    /// Their places, in order.
    pub(super) local: Vec<u32>,
    stays: &'w [AtomicBool],
    joins: &'w mut Joins,
    pub(super) last: Option<Likeness>,
}

impl Star<'_, '_> {
    fn decide(mut self, lists: &BucketLists, order: &[u32]) -> Result<(), Error> {
        let mut staying = Staying::new(lists);
        let settled = self.local.iter().enumerate().filter(|&(_, &place)| is_set(self.stays, place));
        settled.for_each(|(at, _)| staying.add(at));
        let order: Vec<usize> =
            order.iter().map(|&place| self.local.partition_point(|&other| other < place)).collect();
        // Containment decides some again, out of the order of ranks.
        let again = self.worker.context.job.plan.containment.is_some();
        if again || self.worker.is_alone || self.worker.helpers.is_empty() {
            return stars(order, &mut staying, &mut self);
        }
        order.chunks(ROUND).try_for_each(|round| self.decide_together(round, &mut staying))
    }

    fn document(&self, at: usize) -> DocId {
        self.ranked[self.local[at] as usize]
    }
}

impl Candidates for Star<'_, '_> {
    type Error = Error;

    fn verify(&mut self, at: usize, keeper: usize) -> Result<bool, Error> {
        self.last = self.worker.verifier.verify(self.document(at), self.document(keeper))?;
        Ok(self.last.is_some())
    }

    fn decided(&mut self, at: usize, keeper: Option<usize>) -> Result<(), Error> {
        let (document, place) = (self.document(at), self.local[at]);
        if let (Some(keeper), Some(likeness)) = (keeper, self.last.take()) {
            self.joins.keepers[place as usize] = self.local[keeper];
            self.joins.entries[place as usize] = self.worker.near.len() as u32;
            self.worker.near.push(Near::new(document, self.document(keeper), &likeness));
            self.worker.forget(document);
        } else {
            set(self.stays, place);
        }
        self.worker.decided(self.ranked.len() as u64);
        self.worker.context.job.check()
    }
}
