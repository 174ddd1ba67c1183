//! `pairs`: verified pairs, listed and nothing removed.

use crate::components::{Components, Matched, documents_of, place_of};
use crate::error::Error;
use crate::exact::Representatives;
use crate::job::Job;
use crate::load::Context;
use crate::preflight;
use crate::progress::StageKind;
use crate::recipe::Recipe;
use crate::scan::{lock, parallel, scan};
use crate::spool::Spools;
use crate::table::{DocId, Table};
use crate::urls::{Ties, Versions};
use crate::verify::{Likeness, Verifier};
use crate::workdir::Workdir;
use onefold_formats::BadRecord;
use onefold_run::Counts;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Lists verified pairs in order of documents within each component: each near pair of distinct texts once, each
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
        let listing = Listing::new(&context, &table, &representatives, expand, max_pairs);
        let mut summary = listing.list(&matched, &workdir, take)?;
        summary.counts = counts(&table, found.bad.len() as u64);
        summary.first_bad = first_bad(&table, &found.bad);
        Ok(summary)
    })();
    workdir.remove()?;
    outcome
}

pub(crate) fn counts(table: &Table<'_>, bad_files: u64) -> Counts {
    let bad = table.pieces().iter().map(|piece| piece.file.meta.bad).sum::<u64>() + bad_files;
    let empty = (0..table.len() as DocId).filter(|&document| table.is_empty(document)).count() as u64;
    let kept = table.len() as u64;
    Counts { read: kept + bad, kept, bad, empty, ..Counts::default() }
}

/// The first bad record of the inputs: files that could not be read, then records.
pub(crate) fn first_bad(table: &Table<'_>, files: &[(String, BadRecord)]) -> Option<String> {
    let file = files.first().map(|(name, bad)| format!("{name}: {}", bad.message));
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
    /// Copies of each representative that has some, itself included, in order.
    copies: BTreeMap<DocId, Vec<DocId>>,
    expand: bool,
    max_pairs: u64,
}

/// A pair that was verified.
#[derive(Clone, Copy)]
struct Found {
    first: DocId,
    second: DocId,
    similarity: f64,
    kind: PairKind,
    /// Of the first in the second, and the other way round.
    containment: Option<[f64; 2]>,
    /// The place of their component in the order in which components are shared out, however many shares there are.
    component: u64,
}

type Verified = Vec<Found>;

impl<'a> Listing<'a> {
    fn new(
        context: &'a Context<'a>,
        table: &'a Table<'a>,
        representatives: &'a Representatives,
        expand: bool,
        max_pairs: u64,
    ) -> Self {
        let mut copies: BTreeMap<DocId, Vec<DocId>> = BTreeMap::new();
        for document in 0..table.len() as DocId {
            let representative = representatives.of(document);
            if representative != document || representatives.with_copies.binary_search(&document).is_ok() {
                copies.entry(representative).or_default().push(document);
            }
        }
        Listing { context, table, representatives, copies, expand, max_pairs }
    }

    fn list(
        &self,
        matched: &Matched<'_>,
        workdir: &Workdir,
        take: &mut (dyn FnMut(&Pair<'_>) -> Result<(), Error> + Send),
    ) -> Result<PairsSummary, Error> {
        let mut summary = PairsSummary::default();
        // Pairs are counted before the first of them is listed.
        let mut counted = self.copies.values().map(|copies| self.exact_pairs(copies.len() as u64)).sum();
        self.guard(counted)?;
        let mut put = |found: Found| -> Result<(), Error> {
            let Found { first, second, similarity, kind, mut containment, .. } = found;
            summary.pairs += 1;
            *summary.by_score.entry((similarity * 100.0) as u32).or_insert(0) += 1;
            let (low, high) = (first.min(second), first.max(second));
            if low != first {
                containment = containment.map(|[a, b]| [b, a]);
            }
            let (a, b) = (self.table.names(low)?.id, self.table.names(high)?.id);
            take(&Pair { id_a: &a, id_b: &b, similarity, kind, containment })
        };
        let mut copies = self.copies.values();
        let mut compared = 0;
        let by_band = Mutex::new(Vec::new());
        matched.each_share(self.context, self.table, self.representatives, |components| {
            let verified = self.verify(components, workdir, &mut compared, &by_band)?;
            let both = |found: &Found| {
                self.documents(found.first).len() as u64 * self.documents(found.second).len() as u64
            };
            counted += verified.iter().map(both).sum::<u64>();
            self.guard(counted)?;
            self.put_copies(&mut copies, &mut put)?;
            for &found in &verified {
                let (firsts, seconds) = (self.documents(found.first), self.documents(found.second));
                for &first in firsts {
                    for &second in seconds {
                        put(Found { first, second, ..found })?;
                    }
                }
            }
            Ok(())
        })?;
        self.put_copies(&mut copies, &mut put)?;
        summary.by_band = by_band.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok(summary)
    }

    /// Pairs that so many copies of a text are listed as.
    fn exact_pairs(&self, copies: u64) -> u64 {
        if self.expand { copies * (copies - 1) / 2 } else { copies - 1 }
    }

    fn guard(&self, pairs: u64) -> Result<(), Error> {
        if pairs > self.max_pairs { Err(Error::MaxPairs { limit: self.max_pairs }) } else { Ok(()) }
    }

    /// Lists the copies of each text that is left to be listed.
    fn put_copies<'c>(
        &self,
        copies: &mut impl Iterator<Item = &'c Vec<DocId>>,
        put: &mut impl FnMut(Found) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for copies in copies {
            for (index, &first) in copies.iter().enumerate().take(if self.expand { usize::MAX } else { 1 }) {
                for &second in &copies[index + 1..] {
                    let (similarity, containment) = (1.0, Some([1.0; 2]));
                    let kind = PairKind::Exact;
                    put(Found { first, second, similarity, kind, containment, component: 0 })?;
                }
            }
        }
        Ok(())
    }

    /// The documents a representative stands for in the listing.
    fn documents(&self, representative: DocId) -> &[DocId] {
        match self.copies.get(&representative) {
            Some(copies) if self.expand => copies,
            Some(copies) => {
                std::slice::from_ref(&copies[copies.iter().position(|&c| c == representative).unwrap_or(0)])
            }
            // A document without copies stands for itself; the table of numbers lends it an address.
            None => self.representatives.slice(representative),
        }
    }

    fn verify(
        &self,
        components: &Components<'_>,
        workdir: &Workdir,
        compared: &mut u64,
        by_band: &Mutex<Vec<u64>>,
    ) -> Result<Verified, Error> {
        let job = self.context.job;
        let documents = components.documents();
        job.progress.start(StageKind::Verify, documents.len() as u64);
        let spools = Spools::for_shingles(self.context, self.table, &documents, workdir)?;
        let next = AtomicUsize::new(0);
        let all: Mutex<(Verified, u64)> = Mutex::new((Vec::new(), *compared));
        let both_ways = job.plan.containment.is_some();
        parallel(job, |_| {
            let mut verifier = Verifier::new(self.context, self.table, &spools, None);
            let mut mine = Vec::new();
            loop {
                job.check()?;
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= components.len() {
                    lock(&all).0.append(&mut mine);
                    verifier.add_bands(&mut lock(by_band));
                    return Ok(());
                }
                let buckets = components.buckets(index);
                let documents = documents_of(buckets.iter().copied());
                let component = documents.first().map_or(0, |&root| place_of(root));
                let _alone = self.context.alone(self.table, &documents);
                let candidates = self.candidates(&buckets, &all)?;
                let mut last = None;
                for (first, second) in candidates {
                    if last.is_some_and(|last| last != first) {
                        job.check()?;
                    }
                    last = Some(first);
                    let mut likeness = verifier.verify(first, second)?;
                    if likeness.is_none() && both_ways {
                        likeness = verifier.verify(second, first)?.map(Likeness::turned);
                    }
                    if let Some(found) = likeness {
                        verifier.count_bands(first, second)?;
                        let kind = if found.contained { PairKind::Contained } else { PairKind::Near };
                        let containment = found.overlap.map(|o| [o.containment(), o.turned().containment()]);
                        let similarity = found.similarity;
                        mine.push(Found { first, second, similarity, kind, containment, component });
                    }
                }
                verifier.clear();
                job.progress.advance(documents.len() as u64, 0);
            }
        })?;
        let (mut verified, sum) = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        *compared = sum;
        verified.sort_unstable_by_key(|found| (found.component, found.first, found.second));
        Ok(verified)
    }

    /// Pairs of documents that share a bucket of a component, in order.
    fn candidates(
        &self,
        buckets: &[&[DocId]],
        all: &Mutex<(Verified, u64)>,
    ) -> Result<Vec<(DocId, DocId)>, Error> {
        let enumerated: u64 = buckets.iter().map(|b| b.len() as u64 * (b.len() as u64 - 1) / 2).sum();
        let mut candidates = Vec::new();
        // Counted before they are made, so that the guard comes before the memory.
        let distinct_at_least =
            buckets.iter().map(|b| b.len() as u64 * (b.len() as u64 - 1) / 2).max().unwrap_or(0);
        if distinct_at_least > self.max_pairs || enumerated > self.max_pairs.saturating_mul(32) {
            return Err(Error::MaxPairs { limit: self.max_pairs });
        }
        for bucket in buckets {
            for (at, &first) in bucket.iter().enumerate() {
                candidates.extend(bucket[at + 1..].iter().map(|&second| (first, second)));
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        let mut all = lock(all);
        all.1 += candidates.len() as u64;
        if all.1 > self.max_pairs {
            return Err(Error::MaxPairs { limit: self.max_pairs });
        }
        Ok(candidates)
    }
}
