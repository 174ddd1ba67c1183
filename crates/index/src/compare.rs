//! Two stored documents held against each other, and the members of a keeper.

use crate::error::Error;
use crate::estimate;
use crate::index::{Index, stored};
use crate::row::{Document, Evidence, Number};
use crate::sketch::{Sketch, Stored};
use crate::store::{Lookup, View};
use onefold_detect::measure::{Overlap, overlap};

/// How alike two documents are, by all that is stored of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Whether their texts are equal.
    pub equal: bool,
    /// Shingles counted, where both sets are stored.
    pub overlap: Option<Overlap>,
    /// Values of the signatures that agree, of how many, where both are stored.
    pub agree: Option<(u32, u32)>,
    /// Bits in which the fingerprints differ, where both have one.
    pub distance: Option<u32>,
}

impl Comparison {
    /// Resemblance, counted where it can be, else estimated.
    pub fn similarity(&self) -> Option<f64> {
        match (self.equal, self.overlap, self.agree) {
            (true, ..) => Some(1.0),
            (_, Some(overlap), _) => Some(overlap.resemblance()),
            (_, _, Some((agree, of))) => Some(estimate::resemblance(agree, of)),
            _ => None,
        }
    }

    /// Standard error of the similarity, where it is estimated.
    pub fn error(&self) -> Option<f64> {
        match (self.equal, self.overlap, self.agree) {
            (false, None, Some((agree, of))) => Some(estimate::error(agree, of)),
            _ => None,
        }
    }

    /// Share of the first document's shingles that the second has, where they were counted.
    pub fn containment(&self) -> Option<f64> {
        if self.equal { Some(1.0) } else { self.overlap.map(|overlap| overlap.containment()) }
    }
}

impl Index {
    /// Compares two documents; `None` if one is not there.
    pub fn compare(&self, a: Number, b: Number) -> Result<Option<Comparison>, Error> {
        let snapshot = self.inner.snapshot();
        let (a, b) = (rows_of(&snapshot.view, a)?, rows_of(&snapshot.view, b)?);
        Ok(a.zip(b).map(|(a, b)| Comparison::of(&a, &b)))
    }

    /// Id and URL of a document, if it is there: less to read than all that is stored of it.
    pub fn names(&self, number: Number) -> Result<Option<(String, Option<String>)>, Error> {
        let document = self.inner.snapshot().view.rows.document(number)?;
        Ok(document.map(|document| (document.id, document.url)))
    }

    /// Compares a document with a stored one; `None` if that is not there.
    pub fn compare_with(&self, sketch: &Sketch, number: Number) -> Result<Option<Comparison>, Error> {
        let own = sketch.rows(self.settings())?;
        let stored = rows_of(&self.inner.snapshot().view, number)?;
        Ok(stored.map(|stored| Comparison::of(&own, &stored)))
    }

    /// The first members of a keeper, in order of arrival.
    pub fn members(&self, keeper: Number, most: usize) -> Result<Vec<Stored>, Error> {
        let snapshot = self.inner.snapshot();
        let members = snapshot.view.rows.members(keeper)?.into_iter().take(most);
        members
            .filter_map(|number| stored(&snapshot.view, &self.settings().rule, number).transpose())
            .collect()
    }
}

fn rows_of(view: &View, number: Number) -> Result<Option<(Document, Evidence)>, Error> {
    let Some(document) = view.rows.document(number)? else { return Ok(None) };
    let evidence = view.rows.evidence(number, Evidence::from_bytes)?;
    Ok(Some((document, evidence.unwrap_or_default())))
}

impl Comparison {
    fn of((first, own): &(Document, Evidence), (second, other): &(Document, Evidence)) -> Self {
        let sets = !own.shingles.is_empty() && !other.shingles.is_empty();
        let of = own.signature.len();
        let signed = of > 0 && of == other.signature.len();
        let agree = || estimate::agreement(&own.signature, &other.signature) as u32;
        Comparison {
            equal: first.digest == second.digest && !first.empty,
            overlap: sets.then(|| overlap(&own.shingles, &other.shingles)),
            agree: signed.then(|| (agree(), of as u32)),
            distance: first.fingerprint.zip(second.fingerprint).map(|(a, b)| (a ^ b).count_ones()),
        }
    }
}
