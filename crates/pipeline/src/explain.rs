//! `explain`: why a document was removed or kept.

mod passages;
pub(crate) mod records;

use crate::error::Error;
use crate::templates::Templates;
use onefold_detect::measure::overlap;
use onefold_detect::text::{Normaliser, ShingleSet};
use onefold_run::{Cluster, DocumentRef, Manifest, Removed, Unit};
use passages::passages;
pub use passages::{Passage, Side};
use records::Past;
use serde::Serialize;
use std::collections::HashSet;
use std::path::Path;

/// What is known of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The document.
    pub document: DocumentRef,
    /// What became of it.
    pub fate: Fate,
    /// The rule that decided.
    pub rule: String,
    /// How it and its keeper overlap, measured anew on their texts.
    pub measured: Option<Measured>,
    /// What it shares with its keeper and what not, in order of the document, then what only the keeper has.
    pub passages: Vec<Passage>,
    /// Why the texts could not be read again, if they could not: what is told then is in the evidence alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// What became of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "lowercase")]
pub enum Fate {
    /// It was removed in favour of another.
    Removed(Box<Removed>),
    /// It was kept, and others were removed in its favour.
    Keeper {
        /// Its cluster.
        cluster: u64,
        /// Documents in it.
        size: u64,
        /// The first of the others.
        others: Vec<DocumentRef>,
    },
    /// It was kept, without paragraphs that stood before.
    Cut {
        /// The paragraphs that went, in order, each with the document that has the first of its kind.
        paragraphs: Vec<Removed>,
    },
    /// It was kept, and nothing was found to be like it.
    Unique,
    /// It was kept, and compared with nothing: no token is left of its text.
    Empty,
}

/// Counts and similarities of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Shingles in both.
    pub shared: u32,
    /// Shingles of the document.
    pub document: u32,
    /// Shingles of the keeper.
    pub keeper: u32,
    /// Resemblance.
    pub similarity: f64,
    /// Share of the document's shingles that the keeper has.
    pub containment: f64,
}

/// Other members of a cluster that are named.
const NAMED: usize = 10;

/// Hands over what is known of each document of an id: those that the evidence names, then those that it does not, which
/// were kept. Tells why not all inputs could be searched for these, if they could not.
pub fn explain<E: From<Error>>(
    run: &Path,
    id: &str,
    mut take: impl FnMut(Explanation) -> Result<(), E>,
) -> Result<Option<Error>, E> {
    let manifest = Manifest::read(run).map_err(Error::from)?;
    let past = Past { folder: run, manifest: &manifest };
    let place = |document: &DocumentRef| (document.source.clone(), document.offset);
    let mut named = HashSet::new();
    for explanation in of_evidence(past, id)? {
        named.insert(place(&explanation.document));
        take(explanation)?;
    }
    let mut found = !named.is_empty();
    let unread = records::documents(past, id, &mut |document, text| {
        if named.contains(&place(&document)) {
            return Ok(());
        }
        found = true;
        let mut normaliser = Normaliser::new(&manifest.plan.text);
        // A text that is all template is left as it is: templates make none empty.
        normaliser.read(text);
        let fate = if normaliser.normalised().is_empty() { Fate::Empty } else { Fate::Unique };
        take(kept(&manifest, document, fate))
    })?;
    match unread {
        _ if found => Ok(unread),
        Some(error) => Err(error.into()),
        None => {
            let (bad, named_in) = (manifest.counts.bad, format!("bad.{}", manifest.evidence));
            Err(Error::UnknownDocument { id: id.to_owned(), bad, named_in }.into())
        }
    }
}

/// What the evidence tells of documents of an id.
fn of_evidence(past: Past<'_>, id: &str) -> Result<Vec<Explanation>, Error> {
    let Past { folder: run, manifest } = past;
    let mut found = Vec::new();
    let removed = records::removed(run, manifest, |removed| removed.document.id == id)?;
    if manifest.plan.unit == Unit::Paragraph {
        for paragraphs in removed.chunk_by(|a, b| a.document == b.document) {
            let (document, paragraphs) = (paragraphs[0].document.clone(), paragraphs.to_vec());
            found.push(kept(manifest, document, Fate::Cut { paragraphs }));
        }
    } else {
        let is_read = removed.iter().any(|removed| removed.index.is_none());
        let templates = if is_read { records::templates(past) } else { Ok(None) };
        for removed in removed {
            let read = templates.as_ref().map_err(ToString::to_string).and_then(|templates| {
                explain_removed(past, templates.as_ref(), &removed).map_err(|error| error.to_string())
            });
            found.push(read.unwrap_or_else(|unread| Explanation {
                unread: Some(unread),
                ..kept(manifest, removed.document.clone(), Fate::Removed(Box::new(removed)))
            }));
        }
    }
    for cluster in
        records::clusters(run, manifest, |cluster| cluster.keeper.id == id && cluster.index.is_none())?
    {
        found.push(explain_keeper(manifest, cluster));
    }
    Ok(found)
}

/// Hands over the lines of a run's `removed`, in order.
pub fn removed_documents<E: From<Error>>(
    run: &Path,
    manifest: &Manifest,
    take: impl FnMut(Removed) -> Result<(), E>,
) -> Result<(), E> {
    records::each_removed(run, manifest, take)
}

/// A document that is compared with no other here.
fn kept(manifest: &Manifest, document: DocumentRef, fate: Fate) -> Explanation {
    let (rule, passages) = (manifest.plan.rule(), Vec::new());
    Explanation { document, fate, rule, measured: None, passages, unread: None }
}

fn explain_removed(
    past: Past<'_>,
    templates: Option<&Templates>,
    removed: &Removed,
) -> Result<Explanation, Error> {
    let manifest = past.manifest;
    let known = kept(manifest, removed.document.clone(), Fate::Removed(Box::new(removed.clone())));
    // The text of a keeper in an index is not stored.
    if removed.index.is_some() {
        return Ok(known);
    }
    let read = |document: &DocumentRef| -> Result<Normaliser, Error> {
        let mut normaliser = Normaliser::new(&manifest.plan.text);
        normaliser.read(&records::text(past, templates, document)?);
        Ok(normaliser)
    };
    let (document, keeper) = (read(&removed.document)?, read(&removed.keeper)?);
    let shingling = manifest.plan.shingle;
    let mut scratch = Vec::new();
    let mut set =
        |read: &Normaliser| ShingleSet::of_with(read, shingling, manifest.plan.text.bag, &mut scratch);
    let (first, second) = (set(&document), set(&keeper));
    let counts = match manifest.plan.sample {
        None => overlap(first.hashes(), second.hashes()),
        // Of a sample the run has seen no more; which words stand in both is told of all.
        Some(sample) => {
            let kept = |set: &ShingleSet| -> Vec<u64> {
                set.hashes().iter().copied().filter(|&hash| sample.keeps(hash)).collect()
            };
            overlap(&kept(&first), &kept(&second))
        }
    };
    let then = removed.shared_shingles.zip(removed.shingles);
    if then.is_some_and(|then| then != (counts.shared, counts.first)) {
        let (one, other) = (&removed.document.source, &removed.keeper.source);
        let sources = if one == other { one.clone() } else { format!("{one} or {other}") };
        return Err(Error::Unsupported(format!(
            "{sources}: has changed since the run: other words stand there now"
        )));
    }
    Ok(Explanation {
        measured: Some(Measured {
            shared: counts.shared,
            document: counts.first,
            keeper: counts.second,
            similarity: counts.resemblance(),
            containment: counts.containment(),
        }),
        passages: passages(&document, &keeper, &first, &second, shingling),
        ..known
    })
}

fn explain_keeper(manifest: &Manifest, cluster: Cluster) -> Explanation {
    let others = cluster.members.into_iter().filter(|member| *member != cluster.keeper).take(NAMED).collect();
    let fate = Fate::Keeper { cluster: cluster.cluster, size: cluster.size, others };
    kept(manifest, cluster.keeper, fate)
}
