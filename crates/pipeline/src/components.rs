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
use crate::shares::{Giant, Maker, Share, Shares, bucket_budget};
use crate::table::{DocId, Table};
use crate::urls::Ties;
use crate::workdir::Workdir;
use onefold_detect::resolve::Unions;
use onefold_run::{Bucket, Method, Neighbours};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Buckets from this size on are named in the manifest.
const LARGE: usize = 1000;
/// Large buckets named at most.
const NAMED: usize = 20;
/// Buckets that were cut and are named at most: under a small cap nearly every bucket may be.
const NAMED_CUT: usize = 1000;

/// The largest of some buckets, whatever the order they come in.
struct Largest {
    most: usize,
    /// Size, first document and a hash of all, with how often there was such a bucket.
    found: BTreeMap<(Reverse<usize>, DocId, u64), u64>,
    /// Buckets that are not among them, and their documents.
    others: (u64, u64),
}

impl Largest {
    fn new(most: usize) -> Self {
        Largest { most, found: BTreeMap::new(), others: (0, 0) }
    }

    fn add(&mut self, bucket: &[DocId]) {
        // Buckets of several bands may be the same; such as differ may be equal in size and first document.
        let mixed = bucket.iter().fold(0u64, |hash, &document| {
            (hash ^ u64::from(document)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        });
        *self.found.entry((Reverse(bucket.len()), bucket[0], mixed)).or_insert(0) += 1;
        if self.found.len() > self.most
            && let Some(((Reverse(size), ..), count)) = self.found.pop_last()
        {
            self.others.0 += count;
            self.others.1 += count * size as u64;
        }
    }
}

/// The large buckets: those that the cap leaves out, and the others.
struct Large {
    cap: usize,
    cut: Largest,
    whole: Largest,
}

impl Large {
    fn new(cap: usize) -> Self {
        Large { cap, cut: Largest::new(NAMED_CUT), whole: Largest::new(NAMED) }
    }

    fn add(&mut self, bucket: &[DocId]) {
        if bucket.len() > self.cap { &mut self.cut } else { &mut self.whole }.add(bucket);
    }
}

/// What meeting of band keys led to.
pub(crate) struct Matched<'t> {
    /// Documents tied by their URLs, which meet too.
    pub(crate) ties: &'t Ties,
    pub(crate) unions: Mutex<Unions>,
    keys: Keys,
    /// Pairs found beside keys.
    rotated: Buckets,
    /// All buckets, if they fit the budget; else they are made anew, a share of the components at a time.
    held: Option<Buckets>,
    pub(crate) shares: Shares,
    large: Large,
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
        let keys = Keys::of(table, workdir, context.shared_bytes(table.len()) / 16)?;
        let unions = Mutex::new(Unions::new(table.len()));
        let (method, neighbours) = (job.plan.method, job.plan.simhash.neighbours);
        let mut gathered = Gathered::default();
        let rotated = match neighbours {
            Neighbours::Rotate(rotations) if method == Method::Simhash => {
                rotate::neighbours(context, table, representatives, rotations)?
            }
            _ => Buckets::default(),
        };
        join_all(&mut lock(&unions), &rotated);
        gathered.add(&rotated);
        let cap = job.plan.max_bucket.unwrap_or(usize::MAX);
        let tied = ties.buckets(cap);
        join_all(&mut lock(&unions), &tied);
        gathered.add(&tied);
        if method == Method::Exact {
            return Ok(Matched {
                ties,
                unions,
                keys,
                rotated,
                held: Some(gathered.finish()),
                shares: Shares::default(),
                large: Large::new(cap),
            });
        }
        let budget = bucket_budget(context, table);
        let mut large = Large::new(cap);
        ties.large(LARGE.min(cap)).for_each(|bucket| large.add(bucket));
        let large = Mutex::new(large);
        // What there is so far, while it fits the budget.
        let gathered = Mutex::new(Some(gathered));
        each_slice(
            context,
            (table, &keys),
            representatives,
            |buckets| {
                join_all(&mut lock(&unions), &buckets);
                let mut gathered = lock(&gathered);
                if let Some(held) = &mut *gathered {
                    held.add(&buckets);
                    if held.bytes() > budget {
                        *gathered = None;
                    }
                }
            },
            &large,
        )?;
        let held = gathered.into_inner().unwrap_or_else(PoisonError::into_inner).map(Gathered::finish);
        let large = large.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut matched = Matched { ties, unions, keys, rotated, held, shares: Shares::default(), large };
        if matched.held.is_none() {
            matched.shares = Shares::find(&matched, context, table, representatives)?;
        }
        Ok(matched)
    }

    /// Hands out all components, a share at a time; the documents of each share's components are in no other.
    pub(crate) fn each_share(
        &self,
        context: &Context<'_>,
        table: &Table<'_>,
        representatives: &Representatives,
        mut take: impl FnMut(Share<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(buckets) = &self.held {
            return take(Share::Whole(Components::new(buckets, &mut lock(&self.unions))));
        }
        for (share, is_giant) in self.shares.each() {
            let maker = Maker { matched: self, context, table, representatives, share };
            if is_giant {
                take(Share::Giant(Giant::new(maker)))?;
            } else {
                let all = maker.all()?;
                take(Share::Whole(Components::new(&all, &mut lock(&self.unions))))?;
            }
        }
        Ok(())
    }

    /// Hands over all buckets, in any order.
    pub(crate) fn each_bucket(
        &self,
        context: &Context<'_>,
        table: &Table<'_>,
        representatives: &Representatives,
        take: impl Fn(Buckets) + Sync,
    ) -> Result<(), Error> {
        take(self.rotated.clone());
        take(self.ties.buckets(context.job.plan.max_bucket.unwrap_or(usize::MAX)));
        let ignored = Mutex::new(Large::new(usize::MAX));
        each_slice(context, (table, &self.keys), representatives, take, &ignored)
    }

    /// The large buckets, for the manifest.
    pub(crate) fn large(&self, table: &Table<'_>) -> Result<Vec<Bucket>, Error> {
        let cut = self.large.cut.found.keys().map(|key| (key, true));
        let named = cut.chain(self.large.whole.found.keys().map(|key| (key, false)));
        named
            .map(|(&(Reverse(size), first, _), cut)| {
                Ok(Bucket { size: size as u64, first: table.document_ref(first)?, cut })
            })
            .collect()
    }

    /// What `--max-bucket` cut, where no manifest lists it.
    pub(crate) fn cut_note(&self) -> Option<String> {
        let Large { cap, cut, .. } = &self.large;
        let (Reverse(largest), ..) = cut.found.first_key_value()?.0;
        let buckets = cut.found.len() as u64 + cut.others.0;
        Some(format!(
            "{buckets} buckets of more than {cap} documents were not looked into (the largest has {largest})"
        ))
    }

    /// What the manifest does not list of the buckets that were cut.
    pub(crate) fn note(&self) -> Option<String> {
        let (buckets, documents) = self.large.cut.others;
        (buckets > 0).then(|| {
            format!(
                "--max-bucket cut {buckets} buckets more than the {NAMED_CUT} that are listed, of {documents} documents, \
                 those of each band and table counted"
            )
        })
    }
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
    large: &Mutex<Large>,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let cap = context.job.plan.max_bucket.unwrap_or(usize::MAX);
    let share = context.shared_bytes(table.len()) / 16 / context.job.resources.threads.max(1) as u64;
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
                    lock(large).add(bucket);
                }
                if bucket.len() <= cap {
                    buckets.push(bucket);
                    if buckets.bytes() > share {
                        take(std::mem::take(&mut buckets));
                    }
                }
            })?;
            take(buckets);
            let until = |slice: usize| (table.len() * slice / ALL_SLICES) as u64;
            context.job.progress.advance(until(slice + 1) - until(slice), 0);
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

    /// Entries in the buckets of a component, repeats included.
    pub(crate) fn size(&self, index: usize) -> usize {
        let entries = &self.by_root[self.starts[index]..self.starts[index + 1]];
        entries.iter().map(|&(_, bucket)| self.buckets.get(bucket as usize).len()).sum()
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
