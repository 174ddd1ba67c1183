//! The manifest: what a run was, read, kept and took.

use crate::plan::Plan;
use crate::urls::UrlCounts;
use onefold_formats::compress::Compression;
use onefold_formats::source::Format;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Version of the manifest and evidence files.
pub const FORMAT_VERSION: u32 = 1;

/// `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this file's format.
    pub version: u32,
    /// The program and its version.
    pub program: String,
    /// What decided the verdicts.
    pub plan: Plan,
    /// Whether documents were marked instead of removed.
    pub annotate: bool,
    /// `jsonl` or `parquet`.
    pub evidence: String,
    /// What was read.
    pub inputs: Vec<InputRecord>,
    /// How many documents went where.
    pub counts: Counts,
    /// Where paragraphs were cut out: how much went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraphs: Option<ParagraphCounts>,
    /// What URLs came to, where they were looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urls: Option<UrlCounts>,
    /// The index the run was held against, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<AgainstRecord>,
    /// What pages and files were; empty for texts that came as such.
    #[serde(default, skip_serializing_if = "PageCounts::is_empty")]
    pub pages: PageCounts,
    /// Bad records by kind.
    pub bad_by_kind: BTreeMap<String, u64>,
    /// The largest buckets, and those a cap cut.
    pub buckets: Vec<Bucket>,
    /// What deserves a word.
    pub notes: Vec<String>,
    /// Time of each stage.
    pub stages: Vec<Stage>,
    /// Largest resident memory.
    pub peak_memory_bytes: u64,
}

/// One input file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRecord {
    /// Its name in evidence.
    pub source: String,
    /// Its name below `kept/`; none where nothing is written: of empty and blank files and of those that are bad as a whole.
    pub output: Option<String>,
    /// Bytes.
    pub size: u64,
    /// XXH3-128 of the file, in hexadecimal; empty where it may not be read.
    pub xxh3_128: String,
    /// What it holds, if it holds anything.
    pub format: Option<Format>,
    /// How that is compressed.
    pub compression: Option<Compression>,
    /// Documents read, bad ones included.
    pub read: u64,
    /// Documents kept.
    pub kept: u64,
    /// Documents removed.
    pub removed: u64,
    /// Bad records.
    pub bad: u64,
}

impl InputRecord {
    /// Whether it is a file that is bad as a whole.
    pub fn is_bad_as_a_whole(&self) -> bool {
        !self.holds_records() && self.bad > 0
    }

    /// Whether something was read: it is neither empty nor blank nor bad as a whole.
    pub fn holds_records(&self) -> bool {
        self.format.is_some()
    }
}

/// How many documents went where. `read = kept + removed + bad`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Documents, bad ones included.
    pub read: u64,
    /// Kept, the empty ones included.
    pub kept: u64,
    /// Removed.
    pub removed: u64,
    /// Of these, equal to their keeper.
    pub removed_exact: u64,
    /// Of these, similar to their keeper.
    pub removed_near: u64,
    /// Of these, within their keeper and not similar to it.
    #[serde(default)]
    pub removed_contained: u64,
    /// Of these, tied to their keeper by URLs and less like it than duplicates are.
    #[serde(default)]
    pub removed_url: u64,
    /// Not readable.
    pub bad: u64,
    /// Without a token; part of `kept`.
    pub empty: u64,
    /// Records that are no documents.
    pub passed: u64,
    /// Clusters of two and more.
    pub clusters: u64,
    /// Pairs of documents that were held against each other: a figure of the work done.
    pub compared: u64,
}

/// An index whose documents were kept already, and what went in their favour.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgainstRecord {
    /// Folder of the index.
    pub index: String,
    /// Documents it held.
    pub documents: u64,
    /// Documents removed that are equal to one of its keepers; part of the counts of the run.
    pub removed_exact: u64,
    /// Documents removed that are similar to one.
    pub removed_near: u64,
}

/// How much text was cut out of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParagraphCounts {
    /// Paragraphs that were long enough to be looked at.
    pub read: u64,
    /// Of these, cut out.
    pub removed: u64,
    /// Bytes of text of all documents.
    pub bytes_read: u64,
    /// Of these, cut out.
    pub bytes_removed: u64,
    /// Documents that lost some.
    pub documents: u64,
}

/// What pages and files turned out to be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageCounts {
    /// Documents by type, as told by their content.
    pub types: BTreeMap<String, u64>,
    /// Payloads and files without text by type, as pictures; they are passed through.
    pub skipped: BTreeMap<String, u64>,
    /// Pages that only a script, a form or a login can fill, by what they need; they count as empty.
    pub needs: BTreeMap<String, u64>,
    /// Pages of which more was taken, for little content was found.
    pub fallback: u64,
    /// Characters U+FFFD that stand for bytes which were not of the charset.
    pub replaced: u64,
}

impl PageCounts {
    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        *self == PageCounts::default()
    }

    /// Adds the counts of another part of the input.
    pub fn add(&mut self, other: &PageCounts) {
        for (sum, counts) in [
            (&mut self.types, &other.types),
            (&mut self.skipped, &other.skipped),
            (&mut self.needs, &other.needs),
        ] {
            for (name, count) in counts {
                *sum.entry(name.clone()).or_default() += count;
            }
        }
        self.fallback += other.fallback;
        self.replaced += other.replaced;
    }
}

/// A bucket worth naming.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// Documents of distinct texts in it.
    pub size: u64,
    /// The first of them.
    pub first: crate::evidence::DocumentRef,
    /// Whether `--max-bucket` kept it from being looked into.
    pub cut: bool,
}

/// One stage of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// CPU seconds of all threads.
    pub cpu_seconds: f64,
}

/// A manifest that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// There is none.
    #[error("{path}: no finished run is here")]
    NoRun {
        /// Where it was looked for.
        path: String,
    },
    /// The file is not a manifest.
    #[error("{path}: not a manifest this version reads: {source}")]
    Json {
        /// The file.
        path: String,
        /// What its parser says.
        source: serde_json::Error,
    },
    /// An input that is not there any more.
    #[error("{name}: no such file; the run read it here")]
    InputGone {
        /// Its name in the run.
        name: String,
    },
    /// An input that is not where it is looked for.
    #[error(
        "{name}: the run read it, and it is neither below the current folder nor below one above {}; start this from the folder that the run was started in",
        run.display()
    )]
    InputElsewhere {
        /// Its name in the run.
        name: String,
        /// The folder of the run.
        run: PathBuf,
    },
    /// Another version.
    #[error("{path}: manifest version {found}, this program reads {FORMAT_VERSION}")]
    Version {
        /// The file.
        path: String,
        /// Its version.
        found: u64,
    },
}

impl Manifest {
    /// Reads the manifest of a run.
    pub fn read(run: &Path) -> Result<Self, ManifestError> {
        let path = run.join("manifest.json");
        let bytes = fs_err::read(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => ManifestError::NoRun { path: run.display().to_string() },
            _ => error.into(),
        })?;
        let path = path.display().to_string();
        let json = |source| ManifestError::Json { path: path.clone(), source };
        let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(json)?;
        let found = value.get("version").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if found != u64::from(FORMAT_VERSION) {
            return Err(ManifestError::Version { path, found });
        }
        serde_json::from_value(value).map_err(json)
    }
}
