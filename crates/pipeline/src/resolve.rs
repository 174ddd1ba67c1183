//! Stage four: components are decided on the true shingle sets.

mod containment;
mod giant;
mod stars;
mod together;

use crate::components::{Matched, documents_of};
use crate::error::Error;
use crate::exact::Representatives;
use crate::load::{Context, Loader};
use crate::progress::StageKind;
use crate::scan::{lock, parallel};
use crate::shares::Share;
use crate::spool::Spools;
use crate::table::{DocId, Table};
use crate::verdicts::{Near, Verdicts};
use crate::verify::Verifier;
use crate::workdir::Workdir;
use onefold_detect::resolve::{BucketLists, Clustering, Unions};
use onefold_run::Method;
use stars::{Component, Meetings};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Entries in buckets from which on a component is decided by all threads.
const LARGE: usize = 1 << 14;

/// Decides all components.
pub(crate) fn resolve(
    context: &Context<'_>,
    table: &Table<'_>,
    representatives: &Representatives,
    matched: &Matched<'_>,
    workdir: &Workdir,
) -> Result<Verdicts, Error> {
    let mut verdicts = Verdicts::default();
    verdicts.urls = matched.ties.counts;
    verdicts.buckets = matched.large(table)?;
    verdicts.buckets_note = matched.note();
    let verdicts = Mutex::new(verdicts);
    matched.each_share(context, table, representatives, |share| {
        let documents = share.documents();
        context.job.progress.start(StageKind::Verify, documents.len() as u64);
        let spools = Spools::for_shingles(context, table, &documents, workdir)?;
        let ties = Some(matched.ties).filter(|ties| !ties.is_empty());
        let verifier = || Verifier::new(context, table, &spools, ties);
        let worker = || Worker::new(context, table, representatives, verifier());
        // Large components one after the other, each by all threads; the others side by side.
        let helped = || {
            let helpers = (1..context.job.resources.threads).map(|_| verifier()).collect();
            Worker { helpers, ..worker() }
        };
        let components = match &share {
            Share::Whole(components) => components,
            Share::Giant(giant) => {
                let mut worker = helped();
                worker.giant(giant)?;
                worker.hand_in(&mut lock(&verdicts));
                return Ok(());
            }
        };
        let (large, small): (Vec<usize>, Vec<usize>) =
            (0..components.len()).partition(|&component| components.size(component) >= LARGE);
        let next = AtomicUsize::new(0);
        parallel(context.job, |_| {
            let mut worker = worker();
            while let Some(at) = worker.next(&next, small.len())? {
                worker.component(&components.buckets(small[at]))?;
            }
            worker.hand_in(&mut lock(&verdicts));
            Ok(())
        })?;
        if !large.is_empty() {
            let mut worker = helped();
            large.iter().try_for_each(|&component| worker.component(&components.buckets(component)))?;
            worker.hand_in(&mut lock(&verdicts));
        }
        Ok(())
    })?;
    count_shingles(context, table, representatives, workdir, &verdicts)?;
    let mut verdicts = verdicts.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    verdicts.sort();
    Ok(verdicts)
}

/// Evidence of an exact duplicate tells how many shingles it has: representatives whose shingles were not counted, when a
/// copy was read or in a comparison, are loaded for it.
fn count_shingles(
    context: &Context<'_>,
    table: &Table<'_>,
    representatives: &Representatives,
    workdir: &Workdir,
    verdicts: &Mutex<Verdicts>,
) -> Result<(), Error> {
    let plan = &context.job.plan;
    if plan.method == Method::Exact || !plan.verify.compares_shingles() {
        return Ok(());
    }
    let unknown: Vec<DocId> = {
        let mut known = lock(verdicts);
        known.sort();
        let near = |document| known.near.binary_search_by_key(&document, |near| near.document).is_ok();
        let counted = |document| known.shingles.binary_search_by_key(&document, |entry| entry.0).is_ok();
        let unknown = representatives.with_copies.iter().copied().filter(|&d| !near(d) && !counted(d));
        let (mut held, mut unheld) = (Vec::new(), Vec::new());
        for document in unknown {
            match table.held_count(document) {
                Some(count) => held.push((document, count)),
                None => unheld.push(document),
            }
        }
        known.shingles.append(&mut held);
        unheld
    };
    let spools = Spools::for_shingles(context, table, &unknown, workdir)?;
    let next = AtomicUsize::new(0);
    parallel(context.job, |_| {
        let mut loader = Loader::new(context, table, &spools);
        let mut counts = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(&document) = unknown.get(at) else { break };
            context.job.check()?;
            let _alone = context.alone(table, &[document]);
            counts.push((document, loader.shingles(document)?.len() as u32));
        }
        lock(verdicts).shingles.append(&mut counts);
        Ok(())
    })
}

/// Decided documents that progress is told of together.
const TOLD_TOGETHER: u64 = 64;

struct Worker<'a> {
    context: &'a Context<'a>,
    table: &'a Table<'a>,
    representatives: &'a Representatives,
    verifier: Verifier<'a>,
    /// Those of other threads, where this is the only worker.
    helpers: Vec<Verifier<'a>>,
    /// Whether a document of the component at hand is large: then one is compared at a time.
    is_alone: bool,
    near: Vec<Near>,
    shingles: Vec<(DocId, u32)>,
    /// Documents of the component at hand that were decided, and of how many progress was told.
    decided: u64,
    told: u64,
}

impl<'a> Worker<'a> {
    fn new(
        context: &'a Context<'a>,
        table: &'a Table<'a>,
        representatives: &'a Representatives,
        verifier: Verifier<'a>,
    ) -> Self {
        Worker {
            context,
            table,
            representatives,
            verifier,
            helpers: Vec::new(),
            is_alone: false,
            near: Vec::new(),
            shingles: Vec::new(),
            decided: 0,
            told: 0,
        }
    }

    fn next(&self, next: &AtomicUsize, len: usize) -> Result<Option<usize>, Error> {
        self.context.job.check()?;
        let index = next.fetch_add(1, Ordering::Relaxed);
        Ok((index < len).then_some(index))
    }

    fn hand_in(mut self, verdicts: &mut Verdicts) {
        verdicts.near.append(&mut self.near);
        verdicts.shingles.append(&mut self.shingles);
        verdicts.compared += self.verifiers().map(|verifier| verifier.compared).sum::<u64>();
    }

    fn verifiers(&self) -> impl Iterator<Item = &Verifier<'a>> {
        std::iter::once(&self.verifier).chain(&self.helpers)
    }

    /// Lets go of a document that was removed.
    fn forget(&mut self, document: DocId) {
        self.helpers.iter_mut().chain([&mut self.verifier]).for_each(|verifier| verifier.forget(document));
    }

    /// Decides the documents of some buckets.
    fn component(&mut self, buckets: &[&[DocId]]) -> Result<(), Error> {
        let mut ranked = documents_of(buckets.iter().copied());
        self.table.sort_by_rank(&mut ranked)?;
        let alone = self.context.alone(self.table, &ranked);
        self.is_alone = alone.is_some();
        let place: HashMap<DocId, u32> =
            ranked.iter().zip(0..).map(|(&document, place)| (document, place)).collect();
        let places = buckets.iter().map(|bucket| bucket.iter().map(|document| place[document]));
        match self.context.job.plan.cluster {
            Clustering::Star => {
                let lists = BucketLists::new(ranked.len(), places);
                drop(place);
                self.stars(&Component { ranked: &ranked, meetings: Meetings::Whole(lists) })?;
            }
            Clustering::Components => {
                let mut unions = Unions::new(ranked.len());
                places
                    .into_iter()
                    .try_for_each(|places| self.close(&ranked, places.collect(), &mut unions))?;
                self.closure(&ranked, &mut unions)?;
            }
        }
        self.finish(&ranked);
        Ok(())
    }

    /// Notes what is known of decided documents, and lets go of them.
    fn finish(&mut self, ranked: &[DocId]) {
        for &document in ranked {
            let known = self.verifiers().find_map(|verifier| verifier.shingles_of(document));
            if let Some(len) = known
                && self.representatives.with_copies.binary_search(&document).is_ok()
            {
                self.shingles.push((document, len));
            }
        }
        self.helpers.iter_mut().chain([&mut self.verifier]).for_each(Verifier::clear);
        self.tell(ranked.len() as u64);
        (self.decided, self.told) = (0, 0);
    }

    /// Tells progress of another decided document of a component of `len`, some at a time. Those that are decided again are
    /// told once.
    fn decided(&mut self, len: u64) {
        self.decided += 1;
        if self.decided.is_multiple_of(TOLD_TOGETHER) {
            self.tell(self.decided.min(len));
        }
    }

    /// Tells progress up to so many documents of the component at hand.
    fn tell(&mut self, decided: u64) {
        let more = decided - self.told;
        if more > 0 {
            self.context.job.progress.advance(more, more);
        }
        self.told = decided;
    }

    /// Transitive closure of verified pairs; evidence is measured against the keeper, whoever tied them.
    fn closure(&mut self, ranked: &[DocId], unions: &mut Unions) -> Result<(), Error> {
        for (index, &document) in ranked.iter().enumerate() {
            let keeper = ranked[unions.root(index as u32) as usize];
            if keeper != document {
                let likeness = self.verifier.measure(document, keeper)?;
                self.near.push(Near::new(document, keeper, &likeness));
                self.verifier.forget(document);
            }
        }
        Ok(())
    }

    /// Joins what verifies within a bucket. Sets that are one already are not compared, so that a bucket of documents
    /// near each other costs a comparison each, however many they are.
    fn close(&mut self, ranked: &[DocId], places: Vec<u32>, unions: &mut Unions) -> Result<(), Error> {
        let mut sets: Vec<Vec<u32>> = Vec::new();
        let mut by_root: Vec<(u32, u32)> =
            places.into_iter().map(|place| (unions.root(place), place)).collect();
        by_root.sort_unstable();
        for next in by_root.chunk_by(|a, b| a.0 == b.0) {
            self.context.job.check()?;
            let set: Vec<u32> = next.iter().map(|&(_, place)| place).collect();
            let mut joined: Option<usize> = None;
            let mut at = 0;
            while at < sets.len() {
                if !self.ties_sets(ranked, &sets[at], &set)? {
                    at += 1;
                    continue;
                }
                unions.join(sets[at][0], set[0]);
                match joined {
                    None => {
                        joined = Some(at);
                        at += 1;
                    }
                    // What it ties to two sets makes one of them.
                    Some(first) => {
                        let other = sets.remove(at);
                        sets[first].extend(other);
                    }
                }
            }
            match joined {
                Some(at) => sets[at].extend(set),
                None => sets.push(set),
            }
        }
        Ok(())
    }

    /// Whether a pair of documents of two sets verifies.
    fn ties_sets(&mut self, ranked: &[DocId], first: &[u32], second: &[u32]) -> Result<bool, Error> {
        let contains = self.context.job.plan.containment.is_some();
        for &one in first {
            for &other in second {
                let (better, worse) = (ranked[one.min(other) as usize], ranked[one.max(other) as usize]);
                // Containment has a direction; either ties them.
                if self.verifier.verify(worse, better)?.is_some()
                    || contains && self.verifier.verify(better, worse)?.is_some()
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
