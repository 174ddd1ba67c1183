//! How a job tells what it is doing.

/// A stage of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageKind {
    /// Counting shingles or features over all sources.
    Count,
    /// Reading sources.
    Read,
    /// Collapsing equal texts and meeting band keys.
    Match,
    /// Comparing candidates.
    Verify,
    /// Writing what is kept and why.
    Write,
}

impl StageKind {
    /// Its name in the manifest and on the terminal.
    pub fn name(self) -> &'static str {
        match self {
            StageKind::Count => "count",
            StageKind::Read => "read",
            StageKind::Match => "match",
            StageKind::Verify => "verify",
            StageKind::Write => "write",
        }
    }
}

/// Hears of a job's progress; called from several threads.
pub trait Progress: Sync {
    /// A stage starts; its work is `total` bytes (counting, reading, writing) or documents (the others).
    fn start(&self, stage: StageKind, total: u64);
    /// Work done: the part of `total`, and documents passed.
    fn advance(&self, work: u64, documents: u64);
    /// Something worth a word, at once.
    fn note(&self, text: &str);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _: StageKind, _: u64) {}
    fn advance(&self, _: u64, _: u64) {}
    fn note(&self, _: &str) {}
}
