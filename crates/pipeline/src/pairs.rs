//! `pairs`: verified pairs, listed and nothing removed.

mod copies;
mod found;

use crate::components::{Matched, documents_of};
use crate::error::Error;
use crate::exact::Representatives;
use crate::inputs::BadFile;
use crate::job::Job;
use crate::load::Context;
use crate::preflight;
use crate::progress::StageKind;
use crate::recipe::Recipe;
use crate::scan::{lock, parallel, scan};
use crate::shares::Share;
use crate::spool::Spools;
use crate::table::{DocId, Table};
use crate::urls::{Ties, Versions};
use crate::verify::{Likeness, Verifier};
use crate::workdir::Workdir;
use copies::Copies;
use found::{Found, FoundPairs};
use onefold_detect::resolve::BucketLists;
use onefold_run::Counts;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How two documents of a pair are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairKind {
    /// Equal texts.
    Exact,
    /// Similar texts.
    Near,
    /// One lies within the other.
    Contained,
}

impl PairKind {
    /// The word used in output.
    pub fn name(self) -> &'static str {
        match self {
            PairKind::Exact => "exact",
            PairKind::Near => "near",
            PairKind::Contained => "contained",
        }
    }
}

/// A pair of documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair<'a> {
    /// Id of the one that comes first in the input.
    pub id_a: &'a str,
    /// Id of the other.
    pub id_b: &'a str,
    /// Resemblance.
    pub similarity: f64,
    /// How they are related.
    pub kind: PairKind,
    /// Share of the first's shingles that the second has, and of the second's that the first has, where shingles
    /// were compared.
    pub containment: Option<[f64; 2]>,
}

/// What a listing of pairs came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PairsSummary {
    /// Documents read, bad ones, empty ones.
    pub counts: Counts,
    /// The first bad record with its place, if there is one.
    pub first_bad: Option<String>,
    /// Pairs listed.
    pub pairs: u64,
    /// Pairs listed by hundredths of similarity, rounded down.
    pub by_score: BTreeMap<u32, u64>,
    /// Near pairs of distinct texts that agree in each band, where there are bands.
    pub by_band: Vec<u64>,
}

/// Lists verified pairs, copies first, then component by component, in order of documents: each near pair of distinct texts once, each
/// copy with the first; with `expand`, every pair of documents.
pub fn pairs(
    job: &Job<'_>,
    work: &Path,
    expand: bool,
    max_pairs: u64,
    take: &mut (dyn FnMut(&Pair<'_>) -> Result<(), Error> + Send),
) -> Result<PairsSummary, Error> {
    let found = job.selection.look(&job.plan.fields)?;
    found.tell_notes(job.progress);
    preflight::check(job, &found.sources, None)?;
    let workdir = Workdir::passing(work, &job.plan)?;
    let mut sources = found.sources;
    let outcome = (|| {
        let mut recipe = Recipe::learn(job, &sources)?;
        let pieces = scan(job, &recipe, &mut sources, &workdir, &found.bad)?;
        recipe.forget_counts(job);
        let context = Context::new(job, &sources, &recipe)?;
        let table = pieces.into_table(job, &recipe, &sources, &workdir)?;
        if let Some(note) = crate::groups::check(job, &table)? {
            job.progress.note(&note);
        }
        job.progress.start(StageKind::Match, table.len() as u64);
        let representatives = Representatives::find(&table, &Versions::default())?;
        let ties = Ties::default();
        let matched = Matched::find(&context, &table, &representatives, &ties, &workdir)?;
        if let Some(note) = matched.cut_note() {
            job.progress.note(&note);
        }
        let copies = Copies::find(&table, &representatives);
        let listing = Listing {
            context: &context,
            table: &table,
            representatives: &representatives,
            copies,
            expand,
            max_pairs,
            workdir: &workdir,
            counted: AtomicU64::new(0),
            by_band: Mutex::default(),
        };
        let mut summary = listing.list(&matched, take)?;
        summary.counts = counts(&table, found.bad.len() as u64);
        summary.first_bad = first_bad(&table, &found.bad);
        Ok(summary)
    })();
    workdir.remove()?;
    outcome
}

/// The most hundredths that a similarity reaches; a product with 100 may fall short of what it is.
fn hundredths(similarity: f64) -> u32 {
    let nearest = (similarity * 100.0).round() as u32;
    nearest - u32::from(f64::from(nearest) / 100.0 > similarity)
}

pub(crate) fn counts(table: &Table<'_>, bad_files: u64) -> Counts {
    let bad = table.pieces().iter().map(|piece| piece.file.meta.bad).sum::<u64>() + bad_files;
    let empty = (0..table.len() as DocId).filter(|&document| table.is_empty(document)).count() as u64;
    let kept = table.len() as u64;
    Counts { read: kept + bad, kept, bad, empty, ..Counts::default() }
}

/// The first bad record of the inputs: files that could not be read, then records.
pub(crate) fn first_bad(table: &Table<'_>, files: &[BadFile]) -> Option<String> {
    let file = files.first().map(BadFile::told);
    file.or_else(|| {
        table.pieces().iter().find_map(|piece| {
            let first = piece.file.meta.first_bad.as_ref()?;
            Some(format!(
                "{}: record at {}: {}",
                table.sources[piece.source].name, first.offset, first.bad.message
            ))
        })
    })
}

struct Listing<'a> {
    context: &'a Context<'a>,
    table: &'a Table<'a>,
    representatives: &'a Representatives,
    copies: Copies,
    expand: bool,
    max_pairs: u64,
    workdir: &'a Workdir,
    /// Pairs that will be listed, as far as they are known.
    counted: AtomicU64,
    by_band: Mutex<Vec<u64>>,
}

impl Listing<'_> {
    fn list(
        &self,
        matched: &Matched<'_>,
        take: &mut (dyn FnMut(&Pair<'_>) -> Result<(), Error> + Send),
    ) -> Result<PairsSummary, Error> {
        // Pairs are counted before the first of them is listed.
        self.count(self.copies.each().map(|copies| self.exact_pairs(copies.len() as u64)).sum())?;
        let found = FoundPairs::new(self.context, self.table.len(), self.workdir);
        matched.each_share(self.context, self.table, self.representatives, |share| {
            self.verify(&share, &found)
        })?;
        let mut summary = PairsSummary::default();
        let mut put = |found: Found| -> Result<(), Error> {
            let Found { first, second, similarity, kind, mut containment, .. } = found;
            summary.pairs += 1;
            *summary.by_score.entry(hundredths(similarity)).or_insert(0) += 1;
            let (low, high) = (first.min(second), first.max(second));
            if low != first {
                containment = containment.map(|[a, b]| [b, a]);
            }
            let (a, b) = (self.table.names(low)?.id, self.table.names(high)?.id);
            take(&Pair { id_a: &a, id_b: &b, similarity, kind, containment })
        };
        self.put_copies(&mut put)?;
        found.each(|found| {
            let (firsts, seconds) = (self.documents(found.first), self.documents(found.second));
            for &first in firsts {
                for &second in seconds {
                    put(Found { first, second, ..found })?;
                }
            }
            self.context.job.check()
        })?;
        summary.by_band = std::mem::take(&mut *lock(&self.by_band));
        Ok(summary)
    }

    /// Pairs that so many copies of a text are listed as.
    fn exact_pairs(&self, copies: u64) -> u64 {
        if self.expand { copies * (copies - 1) / 2 } else { copies - 1 }
    }

    /// Counts pairs that will be listed.
    fn count(&self, pairs: u64) -> Result<(), Error> {
        match self.counted.fetch_add(pairs, Ordering::Relaxed) + pairs > self.max_pairs {
            true => Err(Error::MaxPairs { limit: self.max_pairs }),
            false => Ok(()),
        }
    }

    /// Lists the copies of each text.
    fn put_copies(&self, put: &mut impl FnMut(Found) -> Result<(), Error>) -> Result<(), Error> {
        for copies in self.copies.each() {
            for (index, &first) in copies.iter().enumerate().take(if self.expand { usize::MAX } else { 1 }) {
                for &second in &copies[index + 1..] {
                    let (similarity, containment) = (1.0, Some([1.0; 2]));
                    let kind = PairKind::Exact;
                    put(Found { first, second, similarity, kind, containment, component: 0 })?;
                }
            }
            self.context.job.check()?;
        }
        Ok(())
    }

    /// The documents a representative stands for in the listing.
    fn documents(&self, representative: DocId) -> &[DocId] {
        match self.copies.of(representative) {
            Some(copies) if self.expand => copies,
            // The table of numbers lends it an address.
            _ => self.representatives.slice(representative),
        }
    }

    fn verify(&self, share: &Share<'_>, found: &FoundPairs<'_>) -> Result<(), Error> {
        let job = self.context.job;
        let documents = share.documents();
        job.progress.start(StageKind::Verify, documents.len() as u64);
        let spools = Spools::for_shingles(self.context, self.table, &documents, self.workdir)?;
        let worker = || Worker {
            listing: self,
            verifier: Verifier::new(self.context, self.table, &spools, None),
            pairs: found.begin(),
            near: Vec::new(),
        };
        let components = match share {
            Share::Whole(components) => components,
            Share::Giant(giant) => {
                let _alone = self.context.alone(self.table, &giant.documents);
                let place = |document: DocId| giant.documents.partition_point(|&other| other < document);
                let mut worker = worker();
                // A document is paired with those behind it.
                let part = |block: &Range<usize>, bucket: &[DocId], wanted: &mut Vec<DocId>| {
                    let from = bucket.partition_point(|&document| place(document) < block.start);
                    if bucket.get(from).is_some_and(|&document| place(document) < block.end) {
                        wanted.extend_from_slice(&bucket[from..]);
                    }
                };
                giant.each_block(giant.documents.len(), part, |block, buckets| {
                    worker.compare(&giant.documents[block], buckets, giant.documents[0])
                })?;
                return worker.finish();
            }
        };
        let next = AtomicUsize::new(0);
        parallel(job, |_| {
            let mut worker = worker();
            loop {
                job.check()?;
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= components.len() {
                    return worker.finish();
                }
                let buckets = components.buckets(index);
                let documents = documents_of(buckets.iter().copied());
                let _alone = self.context.alone(self.table, &documents);
                worker.compare(&documents, &buckets, documents[0])?;
                worker.verifier.clear();
            }
        })
    }
}

/// Compares documents that share buckets.
struct Worker<'l> {
    listing: &'l Listing<'l>,
    verifier: Verifier<'l>,
    pairs: found::Writer<'l>,
    near: Vec<DocId>,
}

impl Worker<'_> {
    /// Each document with those behind it that it shares a bucket with; `component` is the first document of the component.
    fn compare(&mut self, documents: &[DocId], buckets: &[&[DocId]], component: DocId) -> Result<(), Error> {
        let (job, last) = (self.listing.context.job, documents.last().copied().unwrap_or(0));
        let place = |&document: &DocId| documents.partition_point(|&other| other < document) as u32;
        // Those behind the last are no first of a pair.
        let firsts = |bucket: &&[DocId]| bucket.partition_point(|&document| document <= last);
        let lists = BucketLists::new(
            documents.len(),
            buckets.iter().map(|bucket| bucket[..firsts(bucket)].iter().map(place)),
        );
        let mut near = std::mem::take(&mut self.near);
        for (place, &first) in documents.iter().enumerate() {
            job.check()?;
            near.clear();
            for &bucket in lists.of(place) {
                let bucket = buckets[bucket as usize];
                near.extend_from_slice(&bucket[bucket.partition_point(|&other| other <= first)..]);
            }
            near.sort_unstable();
            near.dedup();
            for &second in &near {
                self.pair(first, second, component)?;
            }
            // Whoever is paired with it comes before it.
            self.verifier.forget(first);
        }
        self.near = near;
        job.progress.advance(documents.len() as u64, 0);
        Ok(())
    }

    fn pair(&mut self, first: DocId, second: DocId, component: DocId) -> Result<(), Error> {
        let listing = self.listing;
        let mut likeness = self.verifier.verify(first, second)?;
        if likeness.is_none() && listing.context.job.plan.containment.is_some() {
            likeness = self.verifier.verify(second, first)?.map(Likeness::turned);
        }
        let Some(likeness) = likeness else { return Ok(()) };
        listing.count(listing.documents(first).len() as u64 * listing.documents(second).len() as u64)?;
        self.verifier.count_bands(first, second)?;
        let kind = if likeness.contained { PairKind::Contained } else { PairKind::Near };
        let containment = likeness.overlap.map(|o| [o.containment(), o.turned().containment()]);
        self.pairs.push(Found {
            component,
            first,
            second,
            similarity: likeness.similarity,
            kind,
            containment,
        })
    }

    fn finish(self) -> Result<(), Error> {
        self.verifier.add_bands(&mut lock(&self.listing.by_band));
        self.pairs.finish()
    }
}
