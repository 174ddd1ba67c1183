//! Components: documents tied by buckets, directly or through others. No verdict crosses from one to another, so
//! they are decided one by one, in any order.

use crate::candidates::{Buckets, Keys, SliceScratch};
use crate::error::Error;
use crate::exact::Representatives;
use crate::load::Context;
use crate::piece::SLICES;
use crate::scan::{lock, parallel};
use crate::table::{DocId, Table};
use crate::workdir::Workdir;
use onefold_detect::mix;
use onefold_detect::resolve::Unions;
use onefold_run::{Bucket, Method};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Buckets from this size on are named in the manifest.
const LARGE: usize = 1000;
/// Large buckets named at most.
const NAMED: usize = 20;

/// What meeting of band keys led to.
pub(crate) struct Matched {
    unions: Mutex<Unions>,
    keys: Keys,
    /// All buckets, if they fit the budget; else they are made anew, a share of the components at a time.
    held: Option<Buckets>,
    passes: usize,
    /// Large buckets: size, first document, whether a cap cut it.
    large: Vec<(usize, DocId, bool)>,
}

impl Matched {
    pub(crate) fn find(
        context: &Context<'_>,
        table: &Table<'_>,
        representatives: &Representatives,
        workdir: &Workdir,
    ) -> Result<Self, Error> {
        let job = context.job;
        let keys = Keys::of(table, workdir)?;
        let unions = Mutex::new(Unions::new(table.len()));
        if job.plan.method == Method::Exact {
            return Ok(Matched {
                unions,
                keys,
                held: Some(Buckets::default()),
                passes: 1,
                large: Vec::new(),
            });
        }
        let budget = job.resources.memory_bytes / 4;
        let large = Mutex::new(Vec::new());
        let kept: Mutex<Vec<Option<Buckets>>> = Mutex::new((0..SLICES).map(|_| None).collect());
        let total = Mutex::new((0u64, true));
        each_slice(
            context,
            (table, &keys),
            representatives,
            |slice, buckets| {
                let mut joined = lock(&unions);
                for bucket in buckets.iter() {
                    for pair in bucket.windows(2) {
                        joined.join(pair[0], pair[1]);
                    }
                }
                drop(joined);
                let mut sum = lock(&total);
                sum.0 += buckets.bytes();
                sum.1 &= sum.0 <= budget;
                let mut kept = lock(&kept);
                if sum.1 {
                    kept[slice] = Some(buckets);
                } else {
                    kept.clear();
                    kept.resize_with(SLICES, || None);
                }
            },
            &large,
        )?;
        let (bytes, held) = total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let held = held.then(|| {
            let mut all = Buckets::default();
            lock(&kept).iter().flatten().for_each(|buckets| all.append(buckets));
            all
        });
        let passes = if held.is_some() { 1 } else { bytes.div_ceil(budget.max(1)) as usize + 1 };
        let mut large = large.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        large.sort_unstable_by_key(|&(size, first, cut)| (std::cmp::Reverse(size), first, cut));
        large.dedup();
        Ok(Matched { unions, keys, held, passes, large })
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
            let kept: Mutex<Vec<Option<Buckets>>> = Mutex::new((0..SLICES).map(|_| None).collect());
            let ignored = Mutex::new(Vec::new());
            each_slice(
                context,
                (table, &self.keys),
                representatives,
                |slice, buckets| {
                    let mut mine = Buckets::default();
                    let mut unions = lock(&self.unions);
                    for bucket in buckets.iter() {
                        let root = unions.root(bucket[0]);
                        if mix::split(mix::pair(root.into(), 1), self.passes as u64).0 == pass {
                            mine.push(bucket);
                        }
                    }
                    drop(unions);
                    lock(&kept)[slice] = Some(mine);
                },
                &ignored,
            )?;
            let mut all = Buckets::default();
            lock(&kept).iter().flatten().for_each(|buckets| all.append(buckets));
            take(&Components::new(&all, &mut lock(&self.unions)))?;
        }
        Ok(())
    }

    /// The large buckets, for the manifest.
    pub(crate) fn large(&self, table: &Table<'_>) -> Result<Vec<Bucket>, Error> {
        let (cut, whole): (Vec<_>, Vec<_>) = self.large.iter().partition(|(_, _, cut)| *cut);
        let named = cut.iter().take(100).chain(whole.iter().take(NAMED));
        named
            .map(|&&(size, first, cut)| {
                Ok(Bucket { size: size as u64, first: table.document_ref(first)?, cut })
            })
            .collect()
    }
}

/// Makes the buckets of every slice, in parallel, and hands them over slice by slice in any order.
fn each_slice(
    context: &Context<'_>,
    (table, keys): (&Table<'_>, &Keys),
    representatives: &Representatives,
    take: impl Fn(usize, Buckets) + Sync,
    large: &Mutex<Vec<(usize, DocId, bool)>>,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let cap = context.job.plan.max_bucket.unwrap_or(usize::MAX);
    parallel(context.job, |_| {
        let mut scratch = SliceScratch::default();
        loop {
            let slice = next.fetch_add(1, Ordering::Relaxed);
            if slice >= SLICES {
                return Ok(());
            }
            context.job.check()?;
            let mut buckets = Buckets::default();
            scratch.buckets((table, keys), representatives, slice, |bucket| {
                if bucket.len() >= LARGE.min(cap) {
                    lock(large).push((bucket.len(), bucket[0], bucket.len() > cap));
                }
                if bucket.len() <= cap {
                    buckets.push(bucket);
                }
            })?;
            take(slice, buckets);
            context.job.progress.advance((table.len() / SLICES) as u64, 0);
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
