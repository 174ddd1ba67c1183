//! `fingerprints`: what documents are known by, for use elsewhere.

use crate::error::Error;
use crate::job::Job;
use crate::progress::StageKind;
use crate::recipe::Recipe;
use crate::scan::scan;
use crate::table::DocId;
use crate::workdir::Workdir;
use onefold_run::Counts;
use std::path::Path;

/// What one document is known by.
#[derive(Clone, Debug, PartialEq)]
pub struct Fingerprint<'a> {
    /// Its identity.
    pub id: &'a str,
    /// First 128 bits of the digest of its normalised text, or of its bytes.
    pub digest: u128,
    /// SimHash fingerprint; zero for a document without a token.
    pub fingerprint: u128,
    /// Number of tokens.
    pub tokens: u32,
    /// Low 32 bits of each MinHash value, little-endian, if the plan has signatures; all zero for a document
    /// without a token.
    pub signature: &'a [u8],
}

/// What a listing of fingerprints came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FingerprintsSummary {
    /// Documents read, bad ones, empty ones.
    pub counts: Counts,
    /// The first bad record with its place, if there is one.
    pub first_bad: Option<String>,
}

/// Hands over the fingerprints of all documents, in the order of the input. The plan's method tells which sketches
/// are made.
pub fn fingerprints(
    job: &Job<'_>,
    work: &Path,
    take: &mut dyn FnMut(&Fingerprint<'_>) -> Result<(), Error>,
) -> Result<FingerprintsSummary, Error> {
    let found = job.selection.look(&job.plan.fields)?;
    found.tell_notes(job.progress);
    let workdir = Workdir::passing(work, &job.plan)?;
    let mut sources = found.sources;
    let outcome = (|| {
        let mut recipe = Recipe::learn(job, &sources)?;
        recipe.layout = recipe.layout.with_tokens();
        // Nothing is matched here, so that neither keys nor shingles are needed.
        recipe.tables = None;
        recipe.holds_shingles = false;
        let pieces = scan(job, &recipe, &mut sources, &workdir, &found.bad)?;
        let table = pieces.into_table(job, &recipe, &sources, &workdir)?;
        job.progress.start(StageKind::Write, table.len() as u64);
        for document in 0..table.len() as DocId {
            let (names, record) = (table.names(document)?, table.record(document)?);
            take(&Fingerprint {
                id: &names.id,
                digest: table.digest[document as usize],
                fingerprint: recipe.layout.fingerprint(&record),
                tokens: recipe.layout.tokens(&record),
                signature: recipe.layout.signature(&record),
            })?;
        }
        Ok(FingerprintsSummary {
            counts: crate::pairs::counts(&table, found.bad.len() as u64),
            first_bad: crate::pairs::first_bad(&table, &found.bad),
        })
    })();
    workdir.remove()?;
    outcome
}
