//! What an index is made for; fixed when it is created.

use crate::error::Error;
use crate::permuted::{Permutations, Shape};
use crate::section::Coding;
use onefold_detect::matching::Bands;
use serde::{Deserialize, Serialize};

/// What makes a document a near duplicate of another; equal texts always are exact ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "method", rename_all = "lowercase")]
pub enum Rule {
    /// Nothing does.
    Exact,
    /// A shared band, and then a resemblance of the shingle sets that reaches the threshold.
    Minhash {
        /// Values of a signature.
        signature: usize,
        /// How it is cut.
        bands: Bands,
        /// Resemblance from which two documents are near duplicates.
        threshold: f64,
        /// Buckets of more keepers are not looked into.
        max_bucket: Option<usize>,
    },
    /// Fingerprints that differ in few bits.
    Simhash {
        /// Tables by which they are found.
        tables: Shape,
        /// Resemblance of the shingle sets that they have to reach beside it, where both documents have one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        threshold: Option<f64>,
    },
}

impl Rule {
    /// Its name in verdicts.
    pub fn name(&self) -> &'static str {
        match self {
            Rule::Exact => "exact",
            Rule::Minhash { .. } => "minhash",
            Rule::Simhash { .. } => "simhash",
        }
    }
}

/// All that is fixed about an index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How sketches are made, in the words of whoever makes them; compared for equality.
    pub plan: serde_json::Value,
    /// What makes near duplicates.
    pub rule: Rule,
    /// Whether shingle sets are stored, so that near matches are verified and not estimated.
    pub sets: bool,
    /// How the fingerprints of tables are held.
    pub coding: Coding,
    /// Documents whose keys are in memory before they go into a segment.
    pub head_documents: usize,
}

impl Settings {
    /// Documents of a head unless asked otherwise.
    pub const HEAD_DOCUMENTS: usize = 1 << 16;

    pub(crate) fn check(&self) -> Result<(), Error> {
        let fail = |what: String| Err(Error::Settings(what));
        match &self.rule {
            Rule::Minhash { threshold, .. } if !(*threshold > 0.0 && *threshold <= 1.0) => {
                fail(format!("threshold: expected above 0 and at most 1, found {threshold}"))
            }
            Rule::Minhash { signature, bands, .. } => Bands::new(bands.bands, bands.rows, *signature)
                .map_or_else(|e| fail(e.to_string()), |_| Ok(())),
            Rule::Simhash { threshold: Some(threshold), .. }
                if !(self.sets && *threshold > 0.0 && *threshold <= 1.0) =>
            {
                fail(format!(
                    "threshold: expected above 0, at most 1 and with stored sets, found {threshold}"
                ))
            }
            Rule::Simhash { tables, .. } if Permutations::new(*tables).is_none() => {
                fail(format!("distance: expected at most {}, found {}", crate::permuted::MOST_BITS, tables.k))
            }
            _ if self.head_documents == 0 => fail("head documents: expected at least 1, found 0".into()),
            _ => Ok(()),
        }
    }
}
