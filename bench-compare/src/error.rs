//! What can go wrong.

use std::path::PathBuf;

/// Why a comparison stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("{}: no onefold binary there\nhint: build it with cargo build --release, or pass --peers-only", .0.display())]
    NoOnefold(PathBuf),
    /// Files are named in the message, by fs_err.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("{}: {source}", program.display())]
    Start { program: PathBuf, source: std::io::Error },
    #[error("{}: line {line}: {problem}", path.display())]
    Line { path: PathBuf, line: usize, problem: String },
    #[error("{tool} ended with {status}\nhint: its messages are in {}", log.display())]
    Failed { tool: &'static str, status: String, log: PathBuf },
    #[error(transparent)]
    Arguments(#[from] lexopt::Error),
}
