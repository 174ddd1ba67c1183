//! Components: documents tied by buckets, directly or through others. No verdict crosses from one to another, so
//! they are decided one by one, in any order.

use crate::buckets::{Buckets, Gathered};
use crate::candidates::{Keys, SliceScratch};
use crate::error::Error;
use crate::exact::Representatives;
use crate::load::Context;
use crate::meet::Meeting;
use crate::piece::ALL_SLICES;
use crate::rotate;
use crate::scan::{lock, parallel};
use crate::table::{DocId, Table};
use crate::urls::Ties;
use crate::workdir::Workdir;
use onefold_detect::mix;
use onefold_detect::resolve::Unions;
use onefold_run::{Bucket, Method, Neighbours};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Buckets from this size on are named in the manifest.
const LARGE: usize = 1000;
/// Large buckets named at most.
const NAMED: usize = 20;

/// What meeting of band keys led to.
pub(crate) struct Matched<'t> {
    /// Documents tied by their URLs, which meet too.
    pub(crate) ties: &'t Ties,
    unions: Mutex<Unions>,
    keys: Keys,
    /// All buckets, if they fit the budget; else they are made anew, a share of the components at a time.
    held: Option<Buckets>,
    passes: usize,
    /// Large buckets: size, first document, whether a cap cut it.
    large: Vec<(usize, DocId, bool)>,
}

impl<'t> Matched<'t> {
    pub(crate) fn find(
        context: &Context<'_>,
        table: &Table<'_>,
        representatives: &Representatives,
        ties: &'t Ties,
        workdir: &Workdir,
    ) -> Result<Self, Error> {
        let job = context.job;
        let keys = Keys::of(table, workdir, job.resources.memory_bytes / 16)?;
        let unions = Mutex::new(Unions::new(table.len()));
        let (method, neighbours) = (job.plan.method, job.plan.simhash.neighbours);
        let mut gathered = Gathered::default();
        match neighbours {
            Neighbours::Rotate(rotations) if method == Method::Simhash => {
                let pairs = rotate::neighbours(context, table, representatives, rotations)?;
                join_all(&mut lock(&unions), &pairs);
                gathered.add(&pairs);
            }
            _ => {}
        }
        let cap = job.plan.max_bucket.unwrap_or(usize::MAX);
        let tied = ties.buckets(cap);
        join_all(&mut lock(&unions), &tied);
        gathered.add(&tied);
        if method == Method::Exact {
            return Ok(Matched {
                ties,
                unions,
                keys,
                held: Some(gathered.finish()),
                passes: 1,
                large: Vec::new(),
            });
        }
        let budget = job.resources.memory_bytes / 4;
        let large = Mutex::new(ties.large(LARGE, cap));
        // What there is so far, while it fits the budget, and how much it would be with repeats.
        let state: Mutex<(Option<Gathered>, u64)> = Mutex::new((Some(gathered), tied.bytes()));
        each_slice(
            context,
            (table, &keys),
            representatives,
            |buckets| {
                join_all(&mut lock(&unions), &buckets);
                let mut state = lock(&state);
                state.1 += buckets.bytes();
                if let Some(gathered) = &mut state.0 {
                    gathered.add(&buckets);
                    if gathered.bytes() > budget {
                        state.0 = None;
                    }
                }
            },
            &large,
        )?;
        let (gathered, bytes) = state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let held = gathered.map(Gathered::finish);
        let passes = if held.is_some() { 1 } else { bytes.div_ceil(budget.max(1)) as usize + 1 };
        let mut large = large.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        large.sort_unstable_by_key(|&(size, first, cut)| (std::cmp::Reverse(size), first, cut));
        large.dedup();
        Ok(Matched { ties, unions, keys, held, passes, large })
    }

    /// Hands out all components, a share at a time; the documents of each share's components are in no other.
    pub(crate) fn each_share(
        &self,
        context: &Context<'_>,
        table: &Table<'_>,
        representatives: &Representatives,
        mut take: impl FnMut(&Components<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(buckets) = &self.held {
            return take(&Components::new(buckets, &mut lock(&self.unions)));
        }
        for pass in 0..self.passes {
            let gathered = Mutex::new(Gathered::default());
            let ignored = Mutex::new(Vec::new());
            let add = |buckets: Buckets| {
                let mut mine = Buckets::default();
                let mut unions = lock(&self.unions);
                for bucket in buckets.iter() {
                    let root = unions.root(bucket[0]);
                    if mix::split(place_of(root), self.passes as u64).0 == pass {
                        mine.push(bucket);
                    }
                }
                drop(unions);
                lock(&gathered).add(&mine);
            };
            add(self.ties.buckets(context.job.plan.max_bucket.unwrap_or(usize::MAX)));
            each_slice(context, (table, &self.keys), representatives, add, &ignored)?;
            let all = gathered.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).finish();
            take(&Components::new(&all, &mut lock(&self.unions)))?;
        }
        Ok(())
    }

    /// The large buckets, for the manifest.
    pub(crate) fn large(&self, table: &Table<'_>) -> Result<Vec<Bucket>, Error> {
        let (cut, whole): (Vec<_>, Vec<_>) = self.large.iter().partition(|(_, _, cut)| *cut);
        let named = cut.iter().chain(whole.iter().take(NAMED));
        named
            .map(|&&(size, first, cut)| {
                Ok(Bucket { size: size as u64, first: table.document_ref(first)?, cut })
            })
            .collect()
    }
}

/// The place of a component, by its first document, in the order in which components are shared out.
pub(crate) fn place_of(root: DocId) -> u64 {
    mix::pair(root.into(), 1)
}

fn join_all(unions: &mut Unions, buckets: &Buckets) {
    for bucket in buckets.iter() {
        for pair in bucket.windows(2) {
            unions.join(pair[0], pair[1]);
        }
    }
}

/// Makes the buckets of every slice, in parallel, and hands them over in any order, those of a slice together or in parts.
fn each_slice(
    context: &Context<'_>,
    (table, keys): (&Table<'_>, &Keys),
    representatives: &Representatives,
    take: impl Fn(Buckets) + Sync,
    large: &Mutex<Vec<(usize, DocId, bool)>>,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let cap = context.job.plan.max_bucket.unwrap_or(usize::MAX);
    let resources = &context.job.resources;
    let share = resources.memory_bytes / 16 / resources.threads.max(1) as u64;
    parallel(context.job, |_| {
        let mut scratch = SliceScratch::new(share);
        let mut meeting = Meeting::new(context.recipe, table);
        loop {
            let slice = next.fetch_add(1, Ordering::Relaxed);
            if slice >= ALL_SLICES {
                return Ok(());
            }
            context.job.check()?;
            let mut buckets = Buckets::default();
            scratch.buckets((table, keys), representatives, &mut meeting, slice, |bucket| {
                if bucket.len() >= LARGE.min(cap) {
                    lock(large).push((bucket.len(), bucket[0], bucket.len() > cap));
                }
                if bucket.len() <= cap {
                    buckets.push(bucket);
                    if buckets.bytes() > share {
                        take(std::mem::take(&mut buckets));
                    }
                }
            })?;
            take(buckets);
            context.job.progress.advance((table.len() / ALL_SLICES) as u64, 0);
        }
    })
}

/// The components of a share.
pub(crate) struct Components<'b> {
    buckets: &'b Buckets,
    /// Root of a component and bucket, in order.
    by_root: Vec<(DocId, u32)>,
    /// Where each component starts in `by_root`.
    starts: Vec<usize>,
}

impl<'b> Components<'b> {
    fn new(buckets: &'b Buckets, unions: &mut Unions) -> Self {
        let mut by_root: Vec<(DocId, u32)> =
            (0..buckets.len()).map(|index| (unions.root(buckets.get(index)[0]), index as u32)).collect();
        by_root.sort_unstable();
        let mut starts: Vec<usize> = Vec::new();
        for (index, entry) in by_root.iter().enumerate() {
            if index == 0 || by_root[index - 1].0 != entry.0 {
                starts.push(index);
            }
        }
        starts.push(by_root.len());
        Components { buckets, by_root, starts }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The distinct buckets of a component.
    pub(crate) fn buckets(&self, index: usize) -> Vec<&'b [DocId]> {
        let entries = &self.by_root[self.starts[index]..self.starts[index + 1]];
        let mut buckets: Vec<&[DocId]> =
            entries.iter().map(|&(_, bucket)| self.buckets.get(bucket as usize)).collect();
        buckets.sort_unstable();
        buckets.dedup();
        buckets
    }

    /// All documents in the share's components, in order.
    pub(crate) fn documents(&self) -> Vec<DocId> {
        documents_of(self.buckets.iter())
    }
}

/// The documents of some buckets, in order.
pub(crate) fn documents_of<'b>(buckets: impl Iterator<Item = &'b [DocId]>) -> Vec<DocId> {
    let mut documents: Vec<DocId> = buckets.flatten().copied().collect();
    documents.sort_unstable();
    documents.dedup();
    documents
}
