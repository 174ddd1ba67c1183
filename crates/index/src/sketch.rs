//! What goes in and what comes out.

use crate::error::Error;
use crate::estimate;
use crate::row::{Document, Evidence, Number, Tie};
use crate::settings::{Rule, Settings};
use onefold_detect::digest::Digest;

/// A document as the index takes it: how text becomes this is the caller's business.
#[derive(Clone, Debug, PartialEq)]
pub struct Sketch {
    /// Its name. One id may name several texts, each of which is a document.
    pub id: String,
    /// Where it was found.
    pub url: Option<String>,
    /// Key of the URL.
    pub key: Option<String>,
    /// When it was seen, in seconds since 1970; kept for `touch` and `expire`.
    pub seen: u64,
    /// Digest of its text.
    pub digest: Digest,
    /// SimHash fingerprint.
    pub fingerprint: Option<u64>,
    /// MinHash signature, whole.
    pub signature: Option<Vec<u64>>,
    /// Sorted shingle hashes without repeats; may be empty where sets are not stored.
    pub shingles: Vec<u64>,
    /// Whether it has no token: such a document is nobody's duplicate.
    pub empty: bool,
}

impl Sketch {
    /// What is stored of it.
    pub(crate) fn rows(&self, settings: &Settings) -> Result<(Document, Evidence), Error> {
        let missing = |what| Error::Sketch { id: self.id.clone(), what };
        let mut document = Document {
            digest: self.digest,
            empty: self.empty,
            fingerprint: self.fingerprint,
            id: self.id.clone(),
            url: self.url.clone(),
            key: self.key.clone(),
            band_keys: Vec::new(),
        };
        let mut evidence = Evidence::default();
        if self.empty {
            return Ok((document, evidence));
        }
        match &settings.rule {
            Rule::Exact => {}
            Rule::Minhash { signature: len, bands, .. } => {
                let signature =
                    self.signature.as_deref().ok_or_else(|| missing("expected a signature, found none"))?;
                if signature.len() != *len {
                    return Err(missing("its signature has another length than those of the index"));
                }
                document.band_keys = bands.keys(signature).collect();
                evidence.signature = signature.iter().map(|&value| estimate::BITS.cut(value) as u8).collect();
            }
            Rule::Simhash { .. } => {
                self.fingerprint.ok_or_else(|| missing("expected a fingerprint, found none"))?;
            }
        }
        if settings.sets {
            if !self.shingles.is_sorted_by(|a, b| a < b) {
                return Err(missing("its shingles are not sorted"));
            }
            evidence.shingles = self.shingles.clone();
        }
        Ok((document, evidence))
    }
}

/// Whether a document was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing like it is here.
    New,
    /// Its text is here.
    Exact,
    /// A text much like it is here.
    Near,
}

impl Verdict {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::New => "new",
            Verdict::Exact => "exact",
            Verdict::Near => "near",
        }
    }
}

/// A keeper that a document matches, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// Id of the keeper.
    pub id: String,
    /// Where the keeper was found.
    pub url: Option<String>,
    /// Its place in the order of arrival.
    pub number: Number,
    /// What ties the document to it.
    pub tie: Tie,
    /// Bits in which the fingerprints differ, where both have one.
    pub distance: Option<u32>,
    /// What makes near duplicates in this index.
    pub near_rule: &'static str,
}

impl Match {
    /// Exact or near.
    pub fn verdict(&self) -> Verdict {
        if self.tie == Tie::Exact { Verdict::Exact } else { Verdict::Near }
    }

    /// Resemblance, measured or estimated; of a match by fingerprint the share of bits that agree.
    pub fn similarity(&self) -> f64 {
        match self.tie {
            Tie::Exact => 1.0,
            Tie::Near(overlap) => overlap.resemblance(),
            Tie::Estimated { agree, of } => crate::estimate::resemblance(agree, of),
            Tie::Distance(bits) => 1.0 - f64::from(bits) / 64.0,
        }
    }

    /// Standard error of the similarity, where it is an estimate: of a share of bits, that of 64 tosses.
    pub fn error(&self) -> Option<f64> {
        match self.tie {
            Tie::Estimated { agree, of } => Some(crate::estimate::error(agree, of)),
            Tie::Distance(_) => {
                let share = self.similarity();
                Some((share * (1.0 - share) / 64.0).sqrt())
            }
            _ => None,
        }
    }

    /// Share of the document's shingles that the keeper has, where they were counted.
    pub fn containment(&self) -> Option<f64> {
        match self.tie {
            Tie::Exact => Some(1.0),
            Tie::Near(overlap) => Some(overlap.containment()),
            _ => None,
        }
    }

    /// The rule by which they match.
    pub fn rule(&self) -> &'static str {
        if self.tie == Tie::Exact { "exact" } else { self.near_rule }
    }
}

/// The answer to a check or an add.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// New, exact or near.
    pub verdict: Verdict,
    /// The best-ranked keeper it matches.
    pub matched: Option<Match>,
    /// Whether this id and text were here before: nothing was added, but it was seen again.
    pub known: bool,
}

/// What is stored of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// Its place in the order of arrival.
    pub number: Number,
    /// Its name.
    pub id: String,
    /// Where it was found.
    pub url: Option<String>,
    /// Key of the URL.
    pub key: Option<String>,
    /// When it was first seen.
    pub first_seen: u64,
    /// When it was last seen.
    pub last_seen: u64,
    /// Digest of its text.
    pub digest: Digest,
    /// SimHash fingerprint.
    pub fingerprint: Option<u64>,
    /// Whether it has no token.
    pub empty: bool,
    /// Its keeper, unless it is one.
    pub keeper: Option<Match>,
    /// Members, where it is a keeper.
    pub members: u64,
    /// Shingles stored.
    pub shingles: usize,
}
