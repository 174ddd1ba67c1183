//! What goes wrong with an index.

use std::path::PathBuf;

/// Why an operation failed. Whatever it says, what was acknowledged before is still there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading or writing failed; the message names the path where there is one.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The store failed.
    #[error("{}: {reason}", path.display())]
    Store {
        /// Its file.
        path: PathBuf,
        /// What it says.
        reason: Box<redb::Error>,
    },
    /// Another process has it open.
    #[error("{}: another process has this index open", .0.display())]
    Locked(PathBuf),
    /// There is none.
    #[error("{}: no index is here", .0.display())]
    Missing(PathBuf),
    /// There is something already.
    #[error("{}: already holds something", .0.display())]
    Exists(PathBuf),
    /// Bytes are not what they should be.
    #[error("{}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// Made by a newer version.
    #[error("{}: format {found}, this version reads up to {known}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest that is known.
        known: u32,
    },
    /// Settings that cannot be.
    #[error("{0}")]
    Settings(String),
    /// A document that does not fit the index.
    #[error("{id}: {what}")]
    Sketch {
        /// The document.
        id: String,
        /// What is missing.
        what: &'static str,
    },
    /// Two indexes that cannot be merged, or an index and a plan that do not go together.
    #[error("made with other settings: expected {expected}, found {found}")]
    Mismatch {
        /// Those of the index.
        expected: String,
        /// Those that came.
        found: String,
    },
}

impl Error {
    pub(crate) fn damaged(path: impl Into<PathBuf>, what: impl Into<String>) -> Self {
        Error::Damaged { path: path.into(), what: what.into() }
    }

    /// Whether the disk has no room left.
    pub fn is_full(&self) -> bool {
        let full = |error: &std::io::Error| error.kind() == std::io::ErrorKind::StorageFull;
        match self {
            Error::Io(error) => full(error),
            Error::Store { reason, .. } => matches!(&**reason, redb::Error::Io(error) if full(error)),
            _ => false,
        }
    }
}
