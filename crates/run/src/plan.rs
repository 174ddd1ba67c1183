//! The plan: every parameter that influences a fingerprint or a verdict.

use crate::keep::KeepRule;
use crate::method::{Method, PageContent, Simhash, SketchKind, Unit, Verify, Weight, Within};
use crate::urls::{UrlEvidence, Versions};
use onefold_detect::digest::Algorithm;
use onefold_detect::matching::{Bands, BandsError};
use onefold_detect::measure::estimate::ValueBits;
use onefold_detect::mix;
use onefold_detect::resolve::Clustering;
use onefold_detect::sketch::Sample;
use onefold_detect::text::{Choices, Shingling};
use onefold_formats::source::Fields;
use serde::{Deserialize, Serialize};

/// Largest Hamming distance that tables are made for.
pub const MOST_HAMMING: u32 = 7;

/// What decides a run's verdicts. Two runs with equal plans and inputs give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Version of the hashes.
    pub hash_version: u32,
    /// What is cut out.
    pub unit: Unit,
    /// How duplicates are found.
    pub method: Method,
    /// Whether exact means equal bytes and not equal normalised text.
    pub raw: bool,
    /// How much of an HTML page is compared.
    pub content: PageContent,
    /// Share of a site's pages from which on a line is template and does not count, if templates are learned.
    #[serde(default)]
    pub templates: Option<f64>,
    /// Which digest tells equal texts.
    pub digest: Algorithm,
    /// What of a text counts.
    pub text: Choices,
    /// What shingles are.
    pub shingle: Shingling,
    /// Of the shingles only those whose hash is 0 modulo this, if any.
    pub sample: Option<Sample>,
    /// Which MinHash.
    pub sketch: SketchKind,
    /// Values of a signature.
    pub signature: usize,
    /// Bits kept of each value to tell candidates apart.
    pub signature_bits: ValueBits,
    /// How it is cut.
    pub bands: Bands,
    /// Resemblance from which documents are near duplicates.
    pub threshold: f64,
    /// Probability of finding a pair at the threshold that the bands were chosen for.
    pub recall: f64,
    /// How fingerprints are made and compared.
    pub simhash: Simhash,
    /// What a candidate has to pass.
    pub verify: Verify,
    /// Share of a document's shingles in another one from which it goes too, if it does.
    pub containment: Option<f64>,
    /// Which documents are compared with each other.
    pub within: Within,
    /// How pairs become clusters.
    pub cluster: Clustering,
    /// Who survives.
    pub keep: KeepRule,
    /// Largest bucket that is looked into, if there is a cap.
    pub max_bucket: Option<usize>,
    /// How URLs are used as evidence, if they are.
    #[serde(default)]
    pub urls: Option<UrlEvidence>,
    /// Where the parts of a document are.
    pub fields: Fields,
    /// Largest record that is read.
    pub max_document_bytes: u64,
}

/// A plan that cannot be.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum PlanError {
    /// Outside its range.
    #[error("--{name}: expected {expected}, found {found}")]
    Range {
        /// The parameter, by its flag.
        name: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: f64,
    },
    /// No such bands.
    #[error(transparent)]
    Bands(#[from] BandsError),
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            hash_version: mix::VERSION,
            unit: Unit::default(),
            method: Method::default(),
            raw: false,
            content: PageContent::default(),
            templates: None,
            digest: Algorithm::default(),
            text: Choices::default(),
            shingle: Shingling::default(),
            sample: None,
            sketch: SketchKind::default(),
            signature: 128,
            signature_bits: ValueBits::B8,
            bands: Bands { bands: 21, rows: 6 },
            threshold: 0.8,
            recall: 0.99,
            simhash: Simhash::default(),
            verify: Verify::default(),
            containment: None,
            within: Within::default(),
            cluster: Clustering::default(),
            keep: KeepRule::default(),
            max_bucket: None,
            urls: None,
            fields: Fields::default(),
            max_document_bytes: 32 << 20,
        }
    }
}

impl Plan {
    /// Checks the parameters and chooses the bands, unless they are given.
    pub fn tuned(mut self, bands: Option<(usize, usize)>) -> Result<Self, PlanError> {
        let range = |name, value: f64, ok: bool, expected| {
            if ok { Ok(()) } else { Err(PlanError::Range { name, expected, found: value }) }
        };
        range(
            "threshold",
            self.threshold,
            self.threshold > 0.0 && self.threshold <= 1.0,
            "above 0 and at most 1",
        )?;
        range("recall", self.recall, self.recall > 0.0 && self.recall < 1.0, "between 0 and 1")?;
        let signature = self.signature as f64;
        range("signature", signature, (1..=65536).contains(&self.signature), "from 1 to 65536")?;
        let bytes = self.max_document_bytes;
        range("max-document", bytes as f64, (1..1 << 32).contains(&bytes), "from 1 byte to below 4 GiB")?;
        if let Verify::Sketch { of, .. } = self.verify {
            range("verify", of as f64, of <= self.signature, "a sketch of at most --signature entries")?;
        }
        if let Some(least) = self.containment {
            range("containment", least, least > 0.0 && least <= 1.0, "above 0 and at most 1")?;
        }
        if let Some(share) = self.templates {
            range("templates", share, share > 0.0 && share < 1.0, "a share between 0 and 1")?;
        }
        if let Some(urls) = &self.urls {
            let least = urls.threshold;
            range("url-threshold", least, least > 0.0 && least <= 1.0, "above 0 and at most 1")?;
        }
        self.check_simhash(range)?;
        self.bands = match bands {
            Some((bands, rows)) => Bands::new(bands, rows, self.signature)?,
            // A pair at resemblance 1 of distinct texts is found by any bands.
            None if self.method.has_signature() => Bands::tune(self.signature, self.threshold, self.recall)?,
            None => self.bands,
        };
        if let KeepRule::Field(name) = &self.keep {
            self.fields.score = Some(name.clone());
        }
        if let Within::Field(name) = &self.within {
            self.fields.group = Some(name.clone());
        }
        Ok(self)
    }

    fn check_simhash(
        &self,
        range: impl Fn(&'static str, f64, bool, &'static str) -> Result<(), PlanError>,
    ) -> Result<(), PlanError> {
        let Simhash { bits, hamming, .. } = self.simhash;
        match self.method {
            // Tables guarantee what they find; their number grows with the distance.
            Method::Simhash => range("hamming", hamming.into(), hamming <= MOST_HAMMING, "from 0 to 7"),
            _ => range("hamming", hamming.into(), hamming < bits.count(), "below --bits"),
        }
    }

    /// What makes documents duplicates, in words.
    pub fn rule(&self) -> String {
        if self.unit == Unit::Paragraph {
            return format!("paragraphs of {} and more that stood before", self.shingle);
        }
        let equal = if self.raw { "equal bytes" } else { "equal normalised texts" };
        let equal = match self.templates {
            Some(share) => format!("of texts without lines on more than {share} of a site's pages: {equal}"),
            None => equal.to_owned(),
        };
        let near = match self.method {
            Method::Exact => None,
            Method::Minhash | Method::Join => Some(self.verified()),
            Method::Simhash | Method::Combined => {
                let Simhash { bits, hamming, features, .. } = &self.simhash;
                let near = format!("{bits}-bit fingerprints of {features} within {hamming}");
                let verified = (self.verify != Verify::None).then(|| self.verified());
                Some(verified.map_or(near.clone(), |verified| format!("{near} and {verified}")))
            }
        };
        let mut rule = equal;
        if let Some(near) = near {
            rule += &format!(", or {near}");
        }
        if let Some(least) = self.containment {
            rule += &format!(", or containment of {} at least {least}", self.shingles());
        }
        if let Some(urls) = self.urls.as_ref().filter(|_| self.ties_urls()) {
            rule += &format!(", or tied by URLs and a resemblance of at least {}", urls.threshold);
        }
        if self.keeps_newest_version() {
            rule += ", or an older version of a page";
        }
        if let Some(most) = self.max_bucket.filter(|_| self.method != Method::Exact) {
            rule += &format!("; buckets of more than {most} documents are not looked into");
        }
        if self.within != Within::All {
            rule += &format!("; within {}", self.within);
        }
        let cluster = match self.cluster {
            Clustering::Star => "star",
            // The score against the keeper may be below the threshold of the same rule.
            Clustering::Components => {
                "components, where a document joins through any that it matches and need not match the keeper"
            }
        };
        format!("{rule}; cluster: {cluster}; keep: {}", self.keep)
    }

    /// Which shingles are compared.
    fn shingles(&self) -> String {
        let counted = if self.text.bag { ", each as often as it occurs," } else { "" };
        match self.sample {
            Some(sample) => format!("{} shingles{counted} of which a sample {sample},", self.shingle),
            None => format!("{} shingles{counted}", self.shingle),
        }
    }

    fn verified(&self) -> String {
        match self.verify {
            Verify::Shingles => {
                format!("resemblance of {} at least {}", self.shingles(), self.threshold)
            }
            Verify::LessDifferences => {
                format!("resemblance of {} less differences at least {}", self.shingles(), self.threshold)
            }
            Verify::None => format!("one of {} bands of {} rows", self.bands.bands, self.bands.rows),
            Verify::Sketch { agree, of } => format!("{agree} of {of} sketch entries"),
            Verify::Edit(least) => format!("edit-distance similarity at least {least}"),
        }
    }

    /// Whether documents may be tied by their URLs.
    pub fn ties_urls(&self) -> bool {
        self.urls.is_some() && self.method != Method::Exact
    }

    /// Whether of several versions of a page only the newest stays.
    pub fn keeps_newest_version(&self) -> bool {
        self.urls.as_ref().is_some_and(|urls| urls.versions == Versions::Newest)
    }

    /// Whether shingles are counted over the corpus before documents are sketched.
    pub fn counts_shingles(&self) -> bool {
        self.method == Method::Join || (self.containment.is_some() && self.method != Method::Exact)
    }

    /// Whether features are counted over the corpus before fingerprints are made.
    pub fn counts_features(&self) -> bool {
        self.method.has_fingerprint() && self.simhash.weight == Weight::Tfidf
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_their_own_tuning() {
        assert_eq!(Plan::default().tuned(None).unwrap(), Plan::default());
    }

    #[test]
    fn a_method_without_bands_may_have_any_threshold() {
        let plan = Plan { method: Method::Join, threshold: 0.01, ..Plan::default() };
        assert!(plan.clone().tuned(None).is_ok());
        assert!(Plan { method: Method::Minhash, ..plan }.tuned(None).is_err());
    }

    #[test]
    fn parameters_out_of_range_name_their_flag() {
        let error = Plan { threshold: 1.5, ..Plan::default() }.tuned(None).unwrap_err();
        assert_eq!(error.to_string(), "--threshold: expected above 0 and at most 1, found 1.5");
    }
}
