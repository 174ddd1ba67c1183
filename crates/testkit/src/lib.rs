//! Test material for the other crates: corpora with known duplicates, made as fast as they can be written and never
//! held in memory, readers and writers that fail where a test wants it, and a small object store. For development only.
//!
//! ```
//! use onefold_testkit::{Corpus, Kind};
//!
//! let corpus = Corpus { mean_words: 100.0, vocabulary: 5_000, ..Corpus::new(200) };
//! let copies = corpus.documents()?.filter(|document| document.kind == Kind::Exact).count();
//! assert_eq!(copies, 10);
//! let alike = corpus.truth()?.filter(|pair| pair.jaccard >= 0.8).count();
//! assert!(alike > copies);
//! # Ok::<(), onefold_testkit::Error>(())
//! ```

mod corpus;
mod edit;
pub mod failing;
mod files;
mod giant;
mod maths;
pub mod objects;
mod permutation;
mod plan;
mod random;
mod record;
mod script;
mod skip;
mod truth;
mod vocabulary;
mod words;

pub use corpus::{Corpus, Document, Documents, Generator, NEAR_RANGE};
pub use edit::Kind;
pub use files::{
    Summary, write_corpus, write_documents, write_jsonl, write_truth, write_truth_file, write_wet,
};
pub use giant::{GiantBucket, giant_bucket};
pub use random::{Random, mix};
pub use record::{Compression, Format, RecordWriter};
pub use script::Script;
pub use skip::{lacks, shared_data, skip};
pub use truth::{PlantedPair, Truth};

/// Why a corpus could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting is out of range.
    #[error("{name} is {value}, expected {expected}")]
    Setting {
        /// The setting.
        name: &'static str,
        /// What it was.
        value: String,
        /// What it may be.
        expected: &'static str,
    },
    /// Writing failed; files are named in the message.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}
