//! Who joins whom: a document is compared only with the keepers that are its candidates, in the order in which they
//! came, and joins the first it matches. That is the star of a batch run with arrival as the rank.

use crate::error::Error;
use crate::estimate;
use crate::finer::{LONG_CHAIN, refine};
use crate::head::Head;
use crate::lockstep::{self, Lane, at_most};
use crate::permuted::Permutations;
use crate::row::{Document, Evidence, Number, Tie};
use crate::section::Next;
use crate::segment::{Kind, Segment, ShortRun};
use crate::settings::{Rule, Settings};
use crate::store::Lookup;
use onefold_detect::digest::Digest;
use onefold_detect::measure::overlap_reaching;
use std::sync::{Arc, PoisonError, RwLock};

/// Keys of an index: segments and head.
#[derive(Clone)]
pub(crate) struct Keys {
    pub(crate) segments: Arc<Vec<Arc<Segment>>>,
    pub(crate) head: Arc<RwLock<Head>>,
}

impl Keys {
    /// Documents that have a key, in order of arrival. Some may be gone.
    pub(crate) fn numbers(&self, kind: Kind, key: u64, found: &mut Vec<Number>) -> Result<(), Error> {
        for segment in self.segments.iter() {
            segment.get(kind, key, |number| found.push(number))?;
        }
        self.head
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .visit(kind, key, |_, number| found.push(number));
        Ok(())
    }
}

/// What decisions go by.
pub(crate) struct Decider {
    pub(crate) settings: Settings,
    permutations: Option<Permutations>,
    /// Agreeing values of a signature below which a pair is ruled out.
    least: usize,
}

/// Which matches are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    First,
    All,
}

impl Decider {
    pub(crate) fn new(settings: Settings) -> Self {
        let (permutations, least) = match &settings.rule {
            Rule::Simhash { tables, .. } => (Permutations::new(*tables), 0),
            Rule::Minhash { signature, threshold, .. } => (None, estimate::least(*signature, *threshold)),
            Rule::Exact => (None, 0),
        };
        Decider { settings, permutations, least }
    }

    pub(crate) fn permutations(&self) -> Option<&Permutations> {
        self.permutations.as_ref()
    }

    /// Puts the keys by which a keeper is found into the head.
    pub(crate) fn add_keys(&self, head: &mut Head, number: Number, document: &Document) {
        if document.empty {
            return;
        }
        head.add(Kind::DIGESTS, 0, (digest_key(document.digest), number));
        for &key in &document.band_keys {
            head.add(Kind::BANDS, 0, (key, number));
        }
        if let (Some(tables), Some(fingerprint)) = (&self.permutations, document.fingerprint) {
            for table in 0..tables.len() {
                let key = tables.permute(table, fingerprint);
                let found = head.add(Kind::table(table), tables.shift(table), (key, number));
                if found >= LONG_CHAIN {
                    refine(head, tables, table, (key, number), found == LONG_CHAIN);
                }
            }
        }
    }

    /// The keepers a document matches, in order of arrival; an exact match comes first.
    pub(crate) fn matches(
        &self,
        keys: &Keys,
        rows: &impl Lookup,
        (document, evidence): (&Document, &Evidence),
        wanted: Wanted,
    ) -> Result<Vec<(Number, Tie)>, Error> {
        let mut found = Vec::new();
        if document.empty {
            return Ok(found);
        }
        self.exact(keys, rows, document, &mut found)?;
        if found.is_empty() || wanted == Wanted::All {
            match (&self.settings.rule, document.fingerprint) {
                (Rule::Minhash { .. }, _) => {
                    self.by_bands(keys, rows, (document, evidence), wanted, &mut found)?
                }
                (Rule::Simhash { threshold: Some(threshold), .. }, Some(fingerprint))
                    if !evidence.shingles.is_empty() =>
                {
                    let near = self.by_fingerprint(keys, rows, fingerprint, Wanted::All)?;
                    by_shingles(rows, near, &evidence.shingles, *threshold, wanted, &mut found)?;
                }
                (Rule::Simhash { .. }, Some(fingerprint)) => {
                    let near = self.by_fingerprint(keys, rows, fingerprint, wanted)?;
                    found.extend(near.into_iter().map(|(number, bits)| (number, Tie::Distance(bits))));
                }
                _ => {}
            }
        }
        // A text is an exact match and, under another rule, a near one of itself.
        let exact = found.iter().filter(|(_, tie)| *tie == Tie::Exact).count();
        let known: Vec<Number> = found[..exact].iter().map(|&(number, _)| number).collect();
        let mut at = 0;
        found.retain(|(number, _)| {
            at += 1;
            at <= exact || !known.contains(number)
        });
        Ok(found)
    }

    fn exact(
        &self,
        keys: &Keys,
        rows: &impl Lookup,
        document: &Document,
        found: &mut Vec<(Number, Tie)>,
    ) -> Result<(), Error> {
        let mut numbers = Vec::new();
        keys.numbers(Kind::DIGESTS, digest_key(document.digest), &mut numbers)?;
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            if is_keeper(rows, number)?
                && rows.document(number)?.is_some_and(|other| other.digest == document.digest)
            {
                found.push((number, Tie::Exact));
            }
        }
        Ok(())
    }

    /// Keepers that share a band with a document, in order of arrival; some may be gone.
    fn candidates(&self, keys: &Keys, document: &Document) -> Result<Vec<Number>, Error> {
        let Rule::Minhash { max_bucket, .. } = self.settings.rule else { return Ok(Vec::new()) };
        let mut candidates = Vec::new();
        for &key in &document.band_keys {
            let before = candidates.len();
            keys.numbers(Kind::BANDS, key, &mut candidates)?;
            if max_bucket.is_some_and(|most| candidates.len() - before > most) {
                candidates.truncate(before);
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        Ok(candidates)
    }

    /// Whether anything may match a document whose shingles are not at hand.
    pub(crate) fn has_candidates(
        &self,
        keys: &Keys,
        rows: &impl Lookup,
        (document, evidence): (&Document, &Evidence),
    ) -> Result<bool, Error> {
        let Rule::Minhash { .. } = self.settings.rule else {
            return Ok(!self.matches(keys, rows, (document, evidence), Wanted::First)?.is_empty());
        };
        let mut exact = Vec::new();
        self.exact(keys, rows, document, &mut exact)?;
        if !exact.is_empty() {
            return Ok(true);
        }
        for number in self.candidates(keys, document)? {
            let agree = |bytes: &[u8]| {
                Ok(estimate::agreement(Evidence::signature_of(bytes)?, &evidence.signature) >= self.least)
            };
            if rows.evidence(number, agree)? == Some(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn by_bands(
        &self,
        keys: &Keys,
        rows: &impl Lookup,
        (document, evidence): (&Document, &Evidence),
        wanted: Wanted,
        found: &mut Vec<(Number, Tie)>,
    ) -> Result<(), Error> {
        for number in self.candidates(keys, document)? {
            if let Some(tie) = self.verify(rows, number, evidence)?
                && is_keeper(rows, number)?
            {
                found.push((number, tie));
                if wanted == Wanted::First {
                    break;
                }
            }
        }
        Ok(())
    }

    /// How a document is tied to a candidate; `None` if it is not, or the candidate is gone.
    fn verify(&self, rows: &impl Lookup, number: Number, own: &Evidence) -> Result<Option<Tie>, Error> {
        let Rule::Minhash { threshold, .. } = self.settings.rule else { return Ok(None) };
        let compare = |bytes: &[u8]| {
            let agree = estimate::agreement(Evidence::signature_of(bytes)?, &own.signature);
            if agree < self.least {
                return Ok(None);
            }
            let other = Evidence::from_bytes(bytes)?;
            if own.shingles.is_empty() || other.shingles.is_empty() {
                let (agree, of) = (agree as u32, own.signature.len() as u32);
                let near = estimate::resemblance(agree, of) >= threshold;
                return Ok(near.then_some(Tie::Estimated { agree, of }));
            }
            Ok(overlap_reaching(&own.shingles, &other.shingles, threshold).map(Tie::Near))
        };
        Ok(rows.evidence(number, compare)?.flatten())
    }

    /// Keepers within the distance of a fingerprint, in order of arrival, with their distances.
    pub(crate) fn by_fingerprint(
        &self,
        keys: &Keys,
        rows: &impl Lookup,
        fingerprint: u64,
        wanted: Wanted,
    ) -> Result<Vec<(Number, u32)>, Error> {
        let Some(tables) = &self.permutations else { return Ok(Vec::new()) };
        let mut near: Vec<(Number, u32)> = Vec::new();
        let mut failed = None;
        let mut first = Number::MAX;
        let k = tables.k();
        let clean = rows.is_clean();
        let mut take = |number: Number, distance: u32, surely: bool| {
            if wanted == Wanted::First && number >= first {
                // Later documents of this key came later still.
                return Next::Key;
            }
            match if surely { Ok(true) } else { is_keeper(rows, number) } {
                Ok(false) => return Next::Entry,
                Ok(true) => {
                    first = first.min(number);
                    near.push((number, distance));
                }
                Err(error) => failed = Some(error),
            }
            if wanted == Wanted::First { Next::Key } else { Next::Entry }
        };
        // All runs are found before the first is read, so that the waits for memory fall together.
        let mut short = Vec::with_capacity(tables.len() * keys.segments.len());
        for table in 0..tables.len() {
            let own = tables.permute(table, fingerprint);
            let run = tables.run(table, own);
            let finer = tables.finer(table);
            for segment in keys.segments.iter() {
                if let Some(run) = segment.short_run(Kind::table(table), run.clone(), own, SHORT_RUN) {
                    short.push(run);
                    continue;
                }
                let mut visit = |kind: Kind, run, own: u64| {
                    segment.visit(kind, run, |key, place| match at_most(own ^ key, k) {
                        true => take(place.number(), (own ^ key).count_ones(), clean),
                        false => Next::Key,
                    })
                };
                if !finer.is_empty() && segment.any(Kind::finer(table, 1), run.clone())? {
                    for (part, finer) in finer.iter().enumerate() {
                        let own = finer.permute(fingerprint);
                        let kind = if part == 0 { Kind::table(table) } else { Kind::finer(table, part) };
                        visit(kind, finer.run(own), own)?;
                    }
                } else {
                    visit(Kind::table(table), run.clone(), own)?;
                }
            }
        }
        let lanes: Vec<Lane<'_>> = short.into_iter().flat_map(ShortRun::lanes).collect();
        lockstep::near(&lanes, k, |hit| {
            take(hit.number, hit.distance, clean);
        });
        let head = keys.head.read().unwrap_or_else(PoisonError::into_inner);
        for table in (0..tables.len()).filter(|_| !head.is_empty()) {
            let own = tables.permute(table, fingerprint);
            let finer = tables.finer(table);
            let mut visit = |kind: Kind, own: u64| {
                head.visit(kind, own, |key, number| {
                    if at_most(own ^ key, k) {
                        take(number, (own ^ key).count_ones(), false);
                    }
                });
            };
            if !finer.is_empty() && head.count(Kind::table(table), own) >= LONG_CHAIN {
                for (part, finer) in finer.iter().enumerate() {
                    visit(Kind::finer(table, part), finer.permute(fingerprint));
                }
            } else {
                visit(Kind::table(table), own);
            }
        }
        drop(head);
        failed.map_or(Ok(()), Err)?;
        near.sort_unstable();
        near.dedup();
        if wanted == Wanted::First {
            near.truncate(1);
        }
        Ok(near)
    }
}

/// Of documents with near fingerprints those with near shingle sets; where one has none, its fingerprint decides.
fn by_shingles(
    rows: &impl Lookup,
    near: Vec<(Number, u32)>,
    own: &[u64],
    threshold: f64,
    wanted: Wanted,
    found: &mut Vec<(Number, Tie)>,
) -> Result<(), Error> {
    for (number, bits) in near {
        let compare = |bytes: &[u8]| {
            let other = Evidence::from_bytes(bytes)?.shingles;
            Ok(match other.is_empty() {
                true => Some(Tie::Distance(bits)),
                false => overlap_reaching(own, &other, threshold).map(Tie::Near),
            })
        };
        // A document without evidence came as a fingerprint alone.
        if let Some(tie) = rows.evidence(number, compare)?.unwrap_or(Some(Tie::Distance(bits))) {
            found.push((number, tie));
            if wanted == Wanted::First {
                break;
            }
        }
    }
    Ok(())
}

/// Blocks of a run up to which all of it is decoded; longer ones are gone through key by key, or by finer tables.
const SHORT_RUN: usize = 8;

/// Whether a document is there and no member of another.
pub(crate) fn is_keeper(rows: &impl Lookup, number: Number) -> Result<bool, Error> {
    Ok(rows.state(number)?.is_some_and(|state| state.member_of.is_none()))
}

/// The key by which a digest is found; rows tell whole digests apart.
pub(crate) fn digest_key(digest: Digest) -> u64 {
    (digest.0 >> 64) as u64
}

/// The key by which an id is found; rows tell ids apart.
pub(crate) fn id_key(id: &str) -> u64 {
    digest_key(Digest::of(id.as_bytes()))
}
