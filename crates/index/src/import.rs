//! Documents that somebody else has decided on: a batch run becomes an index.
//!
//! The index is made beside its place and moved there whole, so that a crash leaves nothing that answers by half of a run.

use crate::error::Error;
use crate::folder::Folder;
use crate::index::{Index, Options};
use crate::row::{Number, Tie};
use crate::settings::Settings;
use crate::sketch::Sketch;
use crate::text::pack;
use crate::write::Arrival;
use std::path::{Path, PathBuf};

/// A document as it was decided.
#[derive(Clone, Debug)]
pub struct Decided {
    /// Its rank, which no other document has; they may come in any order.
    pub number: Number,
    /// The document.
    pub sketch: Sketch,
    /// The keeper it is a member of, if it is one, and what ties it to that.
    pub keeper: Option<(Number, Tie)>,
    /// Its text, where that is to be stored.
    pub text: Option<String>,
}

/// An index in the making.
pub struct Importer {
    index: Index,
    beside: PathBuf,
    path: PathBuf,
}

impl Importer {
    /// Begins an index for a folder that is not there or is empty. What an importer that crashed has left is removed.
    pub fn create(path: &Path, settings: Settings, options: Options) -> Result<Self, Error> {
        if path.exists() && fs_err::read_dir(path)?.next().is_some() {
            return Err(Error::Exists(path.to_owned()));
        }
        let mut beside = path.as_os_str().to_owned();
        beside.push(".importing");
        let beside = PathBuf::from(beside);
        if beside.exists() {
            if !Folder::is_of_an_index(&beside)? {
                return Err(Error::Exists(beside));
            }
            if let Err(error @ Error::Locked(_)) = Index::open(&beside, Options::default()) {
                return Err(error);
            }
            fs_err::remove_dir_all(&beside)?;
        }
        Ok(Importer { index: Index::create(&beside, settings, options)?, beside, path: path.to_owned() })
    }

    /// Adds documents. One whose id and text are here already is that document, and nothing is added.
    pub fn add(&self, documents: &[Decided]) -> Result<(), Error> {
        let mut arrivals = Vec::with_capacity(documents.len());
        for Decided { number, sketch, keeper, text } in documents {
            let text = text.as_deref().map(pack).transpose()?;
            arrivals.push((*number, Arrival::of(sketch, self.index.settings())?.with_text(text), *keeper));
        }
        self.index.place(&arrivals)
    }

    /// Has texts stored from now on.
    pub fn store_texts(&self) -> Result<(), Error> {
        self.index.store_texts()
    }

    /// Writes what is left, and moves the index to its place; tells how many documents, and how many members, it holds.
    pub fn finish(self) -> Result<(u64, u64), Error> {
        let Importer { index, beside, path } = self;
        index.compact()?;
        let stats = index.stats()?;
        drop(index);
        fs_err::rename(&beside, &path)?;
        if let Some(parent) = std::path::absolute(&path)?.parent() {
            fs_err::File::open(parent)?.sync_all()?;
        }
        Ok((stats.documents, stats.members))
    }
}
