//! What ends a job: trouble with the machine, not with the data.

use std::path::PathBuf;

/// An error that is not the fault of a single record.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading or writing failed; the message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A pattern that is no glob.
    #[error("{pattern}: not a valid pattern: {message}")]
    Pattern {
        /// As given.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// Nothing there.
    #[error("{}: no such file or folder", .0.display())]
    NotFound(PathBuf),
    /// A pattern that matches nothing.
    #[error("{0}: no file matches this pattern")]
    NoMatch(String),
    /// The file is not what it was when it was first read.
    #[error("{}: record at {offset}: changed since it was first read", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// Address of the record.
        offset: u64,
    },
    /// A row whose text could be read cannot be copied, for another of its columns is damaged.
    #[error("{}: row {row}: {message}", path.display())]
    DamagedColumn {
        /// The file.
        path: PathBuf,
        /// Number of the row.
        row: u64,
        /// What is wrong.
        message: String,
    },
    /// A verdict that this format has no place for.
    #[error("{}: {message}", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What cannot be done.
        message: String,
    },
}
