//! Documents whose sketches somebody else holds in parts: a batch run asks by what it has, and reads a text again only
//! where that may match.

use crate::decide::Wanted;
use crate::error::Error;
use crate::index::{Index, describe};
use crate::row::{Document, Evidence};
use crate::sketch::{Answer, Match, Verdict};
use onefold_detect::digest::Digest;

/// What a document is found by. It has tokens: nobody is a duplicate of an empty one.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Digest of its text.
    pub digest: Digest,
    /// SimHash fingerprint.
    pub fingerprint: Option<u64>,
    /// Keys of the bands of its signature.
    pub band_keys: &'a [u64],
    /// Values of its signature, cut to a byte.
    pub signature: &'a [u8],
}

impl Parts<'_> {
    fn document(&self) -> Document {
        Document {
            digest: self.digest,
            empty: false,
            fingerprint: self.fingerprint,
            id: String::new(),
            url: None,
            key: None,
            band_keys: self.band_keys.to_vec(),
        }
    }
}

impl Index {
    /// Whether a document may have a match: false is certain. Shingles are not needed for it.
    pub fn may_match(&self, parts: &Parts<'_>) -> Result<bool, Error> {
        let snapshot = self.inner.snapshot();
        let (keys, rows) = (&snapshot.keys, &snapshot.view.rows);
        let evidence = Evidence { signature: parts.signature.to_vec(), shingles: Vec::new() };
        self.inner.decider.has_candidates(keys, rows, (&parts.document(), &evidence))
    }

    /// Whether a document was seen. Nothing is changed. Without shingles a near match is an estimate.
    pub fn check_parts(&self, parts: &Parts<'_>, shingles: Vec<u64>) -> Result<Answer, Error> {
        let snapshot = self.inner.snapshot();
        let rows = &snapshot.view.rows;
        let (document, evidence) =
            (parts.document(), Evidence { signature: parts.signature.to_vec(), shingles });
        let found =
            self.inner.decider.matches(&snapshot.keys, rows, (&document, &evidence), Wanted::First)?;
        let one = |(number, tie)| describe(rows, &self.settings().rule, document.fingerprint, number, tie);
        let matched = found.into_iter().next().map(one).transpose()?;
        let verdict = matched.as_ref().map_or(Verdict::New, Match::verdict);
        Ok(Answer { verdict, matched, known: false })
    }

    /// What tells this state of the index from others: the number of the next document, and how many there are.
    pub fn extent(&self) -> Result<(u64, u64), Error> {
        let snapshot = self.inner.snapshot();
        Ok((snapshot.view.number("next")?, snapshot.view.len()?))
    }
}
