//! What a candidate has to pass, and how alike two documents turn out to be.

mod cache;
mod signatures;

use crate::error::Error;
use crate::load::{Context, Loader};
use crate::meet::Bound;
use crate::record::{Layout, bitmap_distance};
use crate::spool::Spools;
use crate::table::{DocId, Table};
use crate::urls::Ties;
use cache::Cache;
use onefold_detect::measure::{Overlap, edit, overlap, overlap_reaching};
use onefold_detect::text::ShingleSet;
use onefold_run::{Method, Plan, UrlRule, Verify};
use signatures::Signatures;
use std::collections::HashMap;
use std::sync::Arc;

/// How alike two documents are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Likeness {
    /// By the measure of the plan.
    pub(crate) similarity: f64,
    /// Of the shingle sets, where they were compared.
    pub(crate) overlap: Option<Overlap>,
    /// Whether it is by containment alone that they are.
    pub(crate) contained: bool,
    /// What ties them by their URLs.
    pub(crate) url: Option<UrlRule>,
    /// Whether they would not be duplicates without that.
    pub(crate) by_url: bool,
}

impl Likeness {
    fn of(similarity: f64) -> Self {
        Likeness { similarity, overlap: None, contained: false, url: None, by_url: false }
    }

    fn of_sets(similarity: f64, overlap: Overlap, contained: bool) -> Self {
        Likeness { overlap: Some(overlap), contained, ..Likeness::of(similarity) }
    }

    /// The same, seen from the other document.
    pub(crate) fn turned(self) -> Self {
        Likeness { overlap: self.overlap.map(Overlap::turned), ..self }
    }
}

/// The share of the memory budget that sets, or texts, of all workers may take: one in so many.
const SHARE_OF_SETS: u64 = 6;
/// The same for records of sketches.
const SHARE_OF_RECORDS: u64 = 12;

/// Compares documents for one worker.
pub(crate) struct Verifier<'a> {
    plan: &'a Plan,
    table: &'a Table<'a>,
    loader: Loader<'a>,
    ties: Option<&'a Ties>,
    sets: Cache<ShingleSet>,
    texts: Cache<Vec<char>>,
    records: Cache<Vec<u8>>,
    signatures: Signatures,
    layout: Layout,
    /// Number of shingles of each document that was loaded.
    lens: HashMap<DocId, u32>,
    /// Pairs that agree in each band, of those that were counted.
    bands: Vec<u64>,
    /// Pairs compared.
    pub(crate) compared: u64,
}

impl<'a> Verifier<'a> {
    pub(crate) fn new(
        context: &'a Context<'a>,
        table: &'a Table<'a>,
        spools: &'a Spools,
        ties: Option<&'a Ties>,
    ) -> Self {
        let (shared, threads) = (context.shared_bytes(table.len()), context.job.resources.threads);
        let budget = |share: u64| shared / share / threads.max(1) as u64;
        let plan = &context.job.plan;
        Verifier {
            plan,
            table,
            loader: Loader::new(context, table, spools),
            ties,
            sets: Cache::new(budget(SHARE_OF_SETS)),
            texts: Cache::new(budget(SHARE_OF_SETS)),
            records: Cache::new(budget(SHARE_OF_RECORDS)),
            signatures: Signatures::new(plan),
            layout: context.recipe.layout,
            lens: HashMap::new(),
            bands: vec![0; if context.recipe.layout.has_signature() { plan.bands.bands } else { 0 }],
            compared: 0,
        }
    }

    /// How alike a document is to another, if it is enough: to its keeper, when one of them is to be removed.
    pub(crate) fn verify(&mut self, document: DocId, other: DocId) -> Result<Option<Likeness>, Error> {
        self.compared += 1;
        let rule = self.ties.and_then(|ties| ties.rule(document, other));
        let found = self.by_text(document, other)?;
        if let Some(found) = found {
            return Ok(Some(Likeness { url: rule, ..found }));
        }
        match rule {
            Some(_) => self.agreeing_texts(document, other, rule),
            None => Ok(None),
        }
    }

    /// Whether the texts of two documents that are tied by their URLs agree: by their shingles, whatever the method.
    fn agreeing_texts(
        &mut self,
        document: DocId,
        other: DocId,
        url: Option<UrlRule>,
    ) -> Result<Option<Likeness>, Error> {
        let Some(least) = self.plan.urls.as_ref().map(|urls| urls.threshold) else { return Ok(None) };
        let (a, b) = (self.set(document)?, self.set(other)?);
        let found = overlap_reaching(a.hashes(), b.hashes(), least);
        let of_sets = |overlap: Overlap| Likeness::of_sets(overlap.resemblance(), overlap, false);
        Ok(found.map(|overlap| Likeness { url, by_url: true, ..of_sets(overlap) }))
    }

    /// How alike a document is to another by the rule of the plan, if it is enough.
    fn by_text(&mut self, document: DocId, other: DocId) -> Result<Option<Likeness>, Error> {
        let distance = self.distance(document, other);
        let near = !self.plan.method.has_fingerprint() || distance <= self.plan.simhash.hamming;
        // A document may lie within another whose fingerprint is far from its own.
        if !near && self.plan.containment.is_none() {
            return Ok(None);
        }
        match self.plan.verify {
            Verify::Shingles | Verify::LessDifferences => self.shingles(document, other, near),
            Verify::None if self.plan.method == Method::Simhash => {
                let similarity = 1.0 - f64::from(distance) / f64::from(self.plan.simhash.bits.count());
                Ok(Some(Likeness::of(similarity)))
            }
            Verify::None => {
                // Those that met by their URLs need not have met in a band.
                if self.ties.is_some() && !self.shares_band(document, other)? {
                    return Ok(None);
                }
                let agree = self.agreeing(document, other, self.plan.signature)?;
                let similarity = self.signatures.resemblance(agree);
                Ok(Some(Likeness::of(similarity)))
            }
            Verify::Sketch { agree, of } => {
                let found = self.agreeing(document, other, of)?;
                let similarity = found as f64 / of as f64;
                Ok((found >= agree).then_some(Likeness::of(similarity)))
            }
            Verify::Edit(least) => {
                let (a, b) = (self.text(document)?, self.text(other)?);
                let similarity = edit::levenshtein_reaching(&a, &b, least);
                Ok(similarity.map(Likeness::of))
            }
        }
    }

    /// How alike two documents are, whatever comes out.
    pub(crate) fn measure(&mut self, document: DocId, other: DocId) -> Result<Likeness, Error> {
        let found = self.measure_texts(document, other)?;
        let url = self.ties.and_then(|ties| ties.rule(document, other));
        let by_url = url.is_some() && found.similarity < self.plan.threshold && !found.contained;
        Ok(Likeness { url, by_url, ..found })
    }

    fn measure_texts(&mut self, document: DocId, other: DocId) -> Result<Likeness, Error> {
        if self.plan.verify.compares_shingles() {
            let (a, b) = (self.set(document)?, self.set(other)?);
            let overlap = overlap(a.hashes(), b.hashes());
            let contained = !self.is_near(overlap) && self.is_within(overlap);
            return Ok(Likeness::of_sets(self.score(overlap), overlap, contained));
        }
        let similarity = match self.plan.verify {
            Verify::Edit(_) => {
                let (a, b) = (self.text(document)?, self.text(other)?);
                edit::levenshtein_similarity(&a, &b)
            }
            Verify::Sketch { of, .. } => self.agreeing(document, other, of)? as f64 / of as f64,
            _ if self.plan.method == Method::Simhash => {
                1.0 - f64::from(self.distance(document, other)) / f64::from(self.plan.simhash.bits.count())
            }
            _ => {
                let agree = self.agreeing(document, other, self.plan.signature)?;
                self.signatures.resemblance(agree)
            }
        };
        Ok(Likeness::of(similarity))
    }

    /// `near`: whether resemblance counts, and not containment alone.
    fn shingles(&mut self, document: DocId, other: DocId, near: bool) -> Result<Option<Likeness>, Error> {
        if self.ruled_out(document, other)? {
            return Ok(None);
        }
        let (a, b) = (self.set(document)?, self.set(other)?);
        let found = match self.plan.containment {
            // Differences only take away from a resemblance.
            None => overlap_reaching(a.hashes(), b.hashes(), self.plan.threshold)
                .filter(|&found| self.is_near(found)),
            Some(_) => Some(overlap(a.hashes(), b.hashes()))
                .filter(|&found| near && self.is_near(found) || self.is_within(found)),
        };
        let contained = |overlap: Overlap| !(near && self.is_near(overlap));
        Ok(found.map(|overlap| Likeness::of_sets(self.score(overlap), overlap, contained(overlap))))
    }

    /// How alike two sets are, by the rule of the plan.
    fn score(&self, overlap: Overlap) -> f64 {
        match self.plan.verify {
            Verify::LessDifferences => overlap.less_differences(),
            _ => overlap.resemblance(),
        }
    }

    fn is_near(&self, overlap: Overlap) -> bool {
        self.score(overlap) >= self.plan.threshold
    }

    fn is_within(&self, overlap: Overlap) -> bool {
        self.plan.containment.is_some_and(|least| overlap.containment() >= least)
    }

    /// Whether two documents cannot pass, as their records alone tell.
    fn ruled_out(&mut self, document: DocId, other: DocId) -> Result<bool, Error> {
        if self.layout.has_set() {
            let bound = Bound::new(self.table, document, other);
            if !bound.may_pass(self.plan) {
                return Ok(true);
            }
            let (a, b) = (self.record(document)?, self.record(other)?);
            let apart = bitmap_distance(self.layout.bitmap(&a), self.layout.bitmap(&b));
            return Ok(!bound.apart(apart).may_pass(self.plan));
        }
        if !self.layout.has_signature() || self.signatures.least == 0 {
            return Ok(false);
        }
        let agree = self.agreeing(document, other, self.plan.signature)?;
        Ok(agree < self.signatures.least)
    }

    /// Hamming distance of the fingerprints, if there are some.
    fn distance(&self, document: DocId, other: DocId) -> u32 {
        match (self.table.fingerprints.get(document as usize), self.table.fingerprints.get(other as usize)) {
            (Some(a), Some(b)) => (a ^ b).count_ones(),
            _ => 0,
        }
    }

    /// Entries that agree among the first `of` of two signatures.
    fn agreeing(&mut self, document: DocId, other: DocId, of: usize) -> Result<usize, Error> {
        let (a, b) = (self.record(document)?, self.record(other)?);
        Ok(self.signatures.agreeing(self.layout.signature(&a), self.layout.signature(&b), of))
    }

    /// Whether two documents agree in a band.
    fn shares_band(&mut self, document: DocId, other: DocId) -> Result<bool, Error> {
        let (a, b) = (self.record(document)?, self.record(other)?);
        Ok(self.bands_of(&a).zip(self.bands_of(&b)).any(|(a, b)| a == b))
    }

    fn bands_of<'r>(&self, record: &'r [u8]) -> impl Iterator<Item = &'r [u8]> {
        let width = self.plan.bands.rows * self.plan.signature_bits.count() as usize / 8;
        self.layout.signature(record).chunks_exact(width).take(self.plan.bands.bands)
    }

    /// Counts the bands in which two documents agree.
    pub(crate) fn count_bands(&mut self, document: DocId, other: DocId) -> Result<(), Error> {
        if self.bands.is_empty() {
            return Ok(());
        }
        let (a, b) = (self.record(document)?, self.record(other)?);
        let agree: Vec<bool> = self.bands_of(&a).zip(self.bands_of(&b)).map(|(a, b)| a == b).collect();
        self.bands.iter_mut().zip(agree).for_each(|(count, agree)| *count += u64::from(agree));
        Ok(())
    }

    /// Adds what was counted to the sum of all workers.
    pub(crate) fn add_bands(&self, sum: &mut Vec<u64>) {
        sum.resize(sum.len().max(self.bands.len()), 0);
        sum.iter_mut().zip(&self.bands).for_each(|(sum, count)| *sum += count);
    }

    fn record(&mut self, document: DocId) -> Result<Arc<Vec<u8>>, Error> {
        self.records.get(document, |document| self.table.record(document), |record| record.len() as u64)
    }

    fn set(&mut self, document: DocId) -> Result<Arc<ShingleSet>, Error> {
        let (loader, lens) = (&mut self.loader, &mut self.lens);
        let load = |document| {
            let set = loader.shingles(document)?;
            lens.insert(document, set.len() as u32);
            Ok(set)
        };
        self.sets.get(document, load, |set| set.bytes() as u64)
    }

    fn text(&mut self, document: DocId) -> Result<Arc<Vec<char>>, Error> {
        let loader = &mut self.loader;
        self.texts.get(document, |document| loader.characters(document), |text| text.len() as u64 * 4)
    }

    /// Number of shingles of a document, if it was loaded.
    pub(crate) fn shingles_of(&self, document: DocId) -> Option<u32> {
        self.lens.get(&document).copied()
    }

    /// Lets go of a document that will not be asked for again.
    pub(crate) fn forget(&mut self, document: DocId) {
        self.sets.forget(document);
        self.texts.forget(document);
        self.records.forget(document);
    }

    /// Lets go of everything.
    pub(crate) fn clear(&mut self) {
        self.sets.clear();
        self.texts.clear();
        self.records.clear();
        self.lens.clear();
    }
}
