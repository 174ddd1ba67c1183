//! What ends a batch job.

use std::path::PathBuf;

/// Why a job did not finish.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading or writing failed; the message names the path.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Trouble with a source.
    #[error(transparent)]
    Formats(#[from] onefold_formats::Error),
    /// The index that a run is held against.
    #[error(transparent)]
    Index(#[from] onefold_index::Error),
    /// A manifest that cannot be read.
    #[error(transparent)]
    Manifest(#[from] onefold_run::ManifestError),
    /// The output is there already.
    #[error("{}: already holds something", .0.display())]
    OutputExists(PathBuf),
    /// The output is to be below a file.
    #[error("{}: the output is a folder, and {} is a file", path.display(), file.display())]
    OutputIsFile {
        /// The output.
        path: PathBuf,
        /// What it or a folder above it is.
        file: PathBuf,
    },
    /// Another run is at work there.
    #[error("{}: another run is writing here", .0.display())]
    OutputBusy(PathBuf),
    /// A folder that a run would work in was made by somebody else.
    #[error("{}: expected a folder of one's own for temporary files, found another user's or a link", .0.display())]
    NotOwn(PathBuf),
    /// Too much of one source would go.
    #[error(
        "{source_name}: {removed} of {read} documents would be removed, more than --max-removed {limit} allows"
    )]
    MaxRemoved {
        /// The source.
        source_name: String,
        /// Documents that would go.
        removed: u64,
        /// Documents there are.
        read: u64,
        /// The share allowed.
        limit: f64,
    },
    /// Too much is bad.
    #[error(
        "more than {limit} bad records, the most that --max-bad-records allows; one of the first: {first}"
    )]
    MaxBad {
        /// Bad records allowed.
        limit: u64,
        /// The first of those that had been read, with its place.
        first: String,
    },
    /// Stopped from outside.
    #[error("interrupted")]
    Interrupted,
    /// The budget cannot hold.
    #[error(
        "about {documents} documents of this size (files: {sources}) need {needed_mib} MiB of memory, --memory allows {budget_mib} MiB"
    )]
    Memory {
        /// Documents expected.
        documents: u64,
        /// Files they are in, which take some, too.
        sources: u64,
        /// What they need.
        needed_mib: u64,
        /// The budget that would do though a sample is off.
        enough_mib: u64,
        /// What there is.
        budget_mib: u64,
    },
    /// There are more documents than the budget has room for.
    #[error("{documents} documents so far need {needed_mib} MiB of memory, --memory allows {budget_mib} MiB")]
    ManyDocuments {
        /// Documents read.
        documents: u64,
        /// What they need.
        needed_mib: u64,
        /// The budget that would do for the whole input, by what was read of it.
        enough_mib: u64,
        /// What there is.
        budget_mib: u64,
    },
    /// A cluster is too large to be a row of a table.
    #[error(
        "a cluster of {size} documents needs {needed_mib} MiB of memory as one row of clusters.parquet, --memory allows \
         {budget_mib} MiB; --evidence jsonl needs none"
    )]
    LargeCluster {
        /// Its documents.
        size: u64,
        /// The budget that would do.
        needed_mib: u64,
        /// What there is.
        budget_mib: u64,
    },
    /// One document is too large for the budget.
    #[error(
        "{}: record at {offset}: a document of {length_mib} MiB that takes {memory_mib} MiB of memory, more than --memory has left; \
         --max-document below its size would count it as bad",
        path.display()
    )]
    LargeDocument {
        /// The file.
        path: PathBuf,
        /// The address of its record.
        offset: u64,
        /// Its size.
        length_mib: u64,
        /// What it takes.
        memory_mib: u64,
        /// The budget that would do.
        needed_mib: u64,
    },
    /// The disk cannot hold it.
    #[error("{}: about {needed_mib} MiB are needed, {free_mib} MiB are free", path.display())]
    Disk {
        /// Where.
        path: PathBuf,
        /// What is needed.
        needed_mib: u64,
        /// What is free.
        free_mib: u64,
    },
    /// The run to resume was another.
    #[error("{}: cannot be resumed: {what} changed since it was started", path.display())]
    ResumeChanged {
        /// The output folder.
        path: PathBuf,
        /// What changed.
        what: String,
    },
    /// Tables have rows whose text could be read and that cannot be copied; by number of the source.
    #[error("{}", .0.values().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    DamagedTables(std::collections::BTreeMap<usize, onefold_formats::Error>),
    /// An input was written to while it was read.
    #[error("{0}: changed while it was read")]
    InputChanged(String),
    /// More pairs than asked for.
    #[error("more than {limit} pairs to list or count")]
    MaxPairs {
        /// The limit.
        limit: u64,
    },
    /// More documents than can be numbered.
    #[error("more than {limit} documents in one run")]
    TooManyDocuments {
        /// The limit.
        limit: u64,
    },
    /// The books do not balance: a defect of this program, and better said than hidden.
    #[error("read {read} documents, but kept {kept}, removed {removed} and found {bad} bad")]
    Accounting {
        /// Documents read.
        read: u64,
        /// Kept.
        kept: u64,
        /// Removed.
        removed: u64,
        /// Bad.
        bad: u64,
    },
    /// No such document in a run.
    #[error("{id}: no document of this id in the run")]
    UnknownDocument {
        /// The id.
        id: String,
        /// Records of the run that could not be read: their ids are not known.
        bad: u64,
        /// The file that names them.
        named_in: String,
    },
    /// A flag that does not go with the input.
    #[error("{0}")]
    Unsupported(String),
}
