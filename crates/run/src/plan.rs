//! The plan: every parameter that influences a fingerprint or a verdict.

use crate::keep::KeepRule;
use onefold_detect::matching::{Bands, BandsError};
use onefold_detect::mix;
use onefold_detect::resolve::Clustering;
use onefold_detect::text::Shingling;
use onefold_formats::source::Fields;
use serde::{Deserialize, Serialize};

/// How duplicates are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Equal digests alone.
    Exact,
    /// Equal digests, then MinHash bands and verification.
    #[default]
    Minhash,
}

/// What decides a run's verdicts. Two runs with equal plans and inputs give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Version of the hashes.
    pub hash_version: u32,
    /// How duplicates are found.
    pub method: Method,
    /// Whether exact means equal bytes and not equal normalised text.
    pub raw: bool,
    /// What shingles are.
    pub shingle: Shingling,
    /// Values of a signature.
    pub signature: usize,
    /// How it is cut.
    pub bands: Bands,
    /// Resemblance from which documents are near duplicates.
    pub threshold: f64,
    /// Probability of finding a pair at the threshold that the bands were chosen for.
    pub recall: f64,
    /// How pairs become clusters.
    pub cluster: Clustering,
    /// Who survives.
    pub keep: KeepRule,
    /// Largest bucket that is looked into, if there is a cap.
    pub max_bucket: Option<usize>,
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
            method: Method::default(),
            raw: false,
            shingle: Shingling::default(),
            signature: 128,
            bands: Bands { bands: 21, rows: 6 },
            threshold: 0.8,
            recall: 0.99,
            cluster: Clustering::default(),
            keep: KeepRule::default(),
            max_bucket: None,
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
        self.bands = match bands {
            Some((bands, rows)) => Bands::new(bands, rows, self.signature)?,
            // A pair at resemblance 1 of distinct texts is found by any bands.
            None => Bands::tune(self.signature, self.threshold, self.recall)?,
        };
        if let KeepRule::Field(name) = &self.keep {
            self.fields.score = Some(name.clone());
        }
        Ok(self)
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
    fn parameters_out_of_range_name_their_flag() {
        let error = Plan { threshold: 1.5, ..Plan::default() }.tuned(None).unwrap_err();
        assert_eq!(error.to_string(), "--threshold: expected above 0 and at most 1, found 1.5");
    }
}
