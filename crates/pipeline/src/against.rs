//! Documents that an index knows already: the run is held against it before its own duplicates are looked for.
//!
//! A document that matches a keeper of the index joins it, and is not there for the rest of the run: keepers of the index
//! rank before all documents. What pieces hold of a document tells most of those apart that match nothing; only the
//! others are read again, for their shingles.

use crate::error::Error;
use crate::exact::Representatives;
use crate::load::{Context, Loader};
use crate::piece::{KEY_BYTES, SLICES};
use crate::scan::{lock, parallel};
use crate::sketcher::Sketches;
use crate::spool::Spools;
use crate::table::{DocId, Table, TablePiece};
use crate::workdir::Workdir;
use onefold_detect::digest::Digest;
use onefold_detect::measure::Overlap;
use onefold_index::{Index, Parts, Tie};
use onefold_run::Verdict;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// An index that a run is held against.
#[derive(Clone, Copy)]
pub struct Against<'a> {
    /// The index, open.
    pub index: &'a Index,
    /// Its folder, by which evidence names it.
    pub path: &'a Path,
}

impl Against<'_> {
    /// Its name in evidence.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// What tells it and its state from others.
    pub(crate) fn stamp(&self) -> Result<Stamp, Error> {
        let (next, documents) = self.index.extent()?;
        Ok(Stamp { path: std::path::absolute(self.path)?, next, documents })
    }
}

/// An index as it was when a run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    path: PathBuf,
    next: u64,
    documents: u64,
}

/// A representative that joined a keeper of the index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Outside {
    pub(crate) document: DocId,
    /// Number of the keeper in the index.
    pub(crate) number: u64,
    pub(crate) id: String,
    pub(crate) url: Option<String>,
    exact: bool,
    /// Similarity in bits, so that it is read as it was written.
    similarity: u64,
    /// Shingles shared, of the document and of the keeper, where sets were compared.
    counts: Option<(u32, u32, u32)>,
}

impl Outside {
    fn new(document: DocId, matched: onefold_index::Match) -> Self {
        let counts = match matched.tie {
            Tie::Near(overlap) => Some((overlap.shared, overlap.first, overlap.second)),
            _ => None,
        };
        Outside {
            document,
            number: matched.number,
            exact: matched.tie == Tie::Exact,
            similarity: matched.similarity().to_bits(),
            counts,
            id: matched.id,
            url: matched.url,
        }
    }

    pub(crate) fn kind(&self) -> Verdict {
        if self.exact { Verdict::Exact } else { Verdict::Near }
    }

    pub(crate) fn similarity(&self) -> f64 {
        f64::from_bits(self.similarity)
    }

    pub(crate) fn overlap(&self) -> Option<Overlap> {
        self.counts.map(|(shared, first, second)| Overlap { shared, first, second })
    }
}

/// The representatives that the index knows, in order.
pub(crate) fn find(
    context: &Context<'_>,
    against: Against<'_>,
    table: &Table<'_>,
    representatives: &Representatives,
    workdir: &Workdir,
) -> Result<Vec<Outside>, Error> {
    // Documents that may match only by their shingles, and those that match in any case.
    let (unsure, known) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let next = AtomicUsize::new(0);
    parallel(context.job, |_| {
        let mut asking = Asking { context, against, table, unsure: Vec::new(), known: Vec::new() };
        while let Some(piece) = table.pieces().get(next.fetch_add(1, Ordering::Relaxed)) {
            context.job.check()?;
            asking.piece(piece, representatives)?;
        }
        lock(&unsure).append(&mut asking.unsure);
        lock(&known).append(&mut asking.known);
        Ok(())
    })?;
    let mut unsure: Vec<DocId> = unsure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    unsure.sort_unstable();
    let spools = Spools::fill(context, table, &unsure, workdir)?;
    let next = AtomicUsize::new(0);
    parallel(context.job, |_| {
        let mut loader = Loader::new(context, table, &spools);
        let mut found = Vec::new();
        while let Some(&document) = unsure.get(next.fetch_add(1, Ordering::Relaxed)) {
            context.job.check()?;
            found.extend(verified(context, against, &mut loader, document)?);
        }
        lock(&known).append(&mut found);
        Ok(())
    })?;
    let mut known = known.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.sort_unstable_by_key(|outside: &Outside| outside.document);
    Ok(known)
}

/// A document read again, with its shingles.
fn verified(
    context: &Context<'_>,
    against: Against<'_>,
    loader: &mut Loader<'_>,
    document: DocId,
) -> Result<Option<Outside>, Error> {
    let mut sketches = Sketches::default();
    let (digest, shingles) = loader.sketch(document, &mut sketches)?;
    let (layout, record) = (context.recipe.layout, &sketches.record);
    let parts = Parts {
        digest,
        fingerprint: layout.has_fingerprint().then(|| layout.fingerprint(record) as u64),
        band_keys: if layout.has_signature() { &sketches.keys } else { &[] },
        signature: layout.signature(record),
    };
    let answer = against.index.check_parts(&parts, shingles.hashes().to_vec())?;
    Ok(answer.matched.map(|matched| Outside::new(document, matched)))
}

/// Asks the index about the documents of pieces.
struct Asking<'a> {
    context: &'a Context<'a>,
    against: Against<'a>,
    table: &'a Table<'a>,
    unsure: Vec<DocId>,
    known: Vec<Outside>,
}

impl Asking<'_> {
    fn piece(&mut self, piece: &TablePiece, representatives: &Representatives) -> Result<(), Error> {
        let layout = self.context.recipe.layout;
        let keys = if layout.has_signature() { self.band_keys(piece)? } else { Vec::new() };
        let mut own = keys.chunk_by(|a, b| a.0 == b.0).peekable();
        let mut band_keys = Vec::new();
        for place in 0..piece.file.documents {
            band_keys.clear();
            if let Some(chunk) = own.next_if(|chunk| chunk[0].0 == place) {
                band_keys.extend(chunk.iter().map(|&(_, key)| key));
            }
            let document = piece.first + place;
            if self.table.is_empty(document) || !representatives.is_one(document) {
                continue;
            }
            let record = if layout.has_signature() { self.table.record(document)? } else { Vec::new() };
            let parts = Parts {
                digest: Digest(self.table.digest[document as usize]),
                fingerprint: self.table.fingerprints.get(document as usize).map(|&bits| bits as u64),
                band_keys: &band_keys,
                signature: if record.is_empty() { &[] } else { layout.signature(&record) },
            };
            self.ask(document, &parts)?;
        }
        Ok(())
    }

    fn ask(&mut self, document: DocId, parts: &Parts<'_>) -> Result<(), Error> {
        let index = self.against.index;
        let settings = index.settings();
        if settings.sets {
            if index.may_match(parts)? {
                self.unsure.push(document);
            }
            return Ok(());
        }
        let matched = index.check_parts(parts, Vec::new())?.matched;
        self.known.extend(matched.map(|matched| Outside::new(document, matched)));
        Ok(())
    }

    /// The band keys of a piece by its documents.
    fn band_keys(&self, piece: &TablePiece) -> Result<Vec<(u32, u64)>, Error> {
        let mut bytes = Vec::new();
        for slice in 0..SLICES {
            piece.file.slice(slice, &self.table.handles, &mut bytes)?;
        }
        let mut keys: Vec<(u32, u64)> = Vec::with_capacity(bytes.len() / KEY_BYTES);
        for entry in bytes.as_chunks::<KEY_BYTES>().0 {
            let [a, b, c, d, e, f, g, h, place @ ..] = *entry;
            keys.push((u32::from_le_bytes(place), u64::from_le_bytes([a, b, c, d, e, f, g, h])));
        }
        keys.sort_unstable();
        Ok(keys)
    }
}
