//! Have we seen this page? A durable index of documents that answers new, exact or near.
//!
//! An embedded store holds a row for each document and is the only truth that must survive. Keys by which documents
//! are found (ids, digests, MinHash bands, permuted fingerprints) are kept in sorted *segments* that never change, and in
//! a small *head* in memory that is made anew from the store when the index is opened. Segments are merged as they
//! grow in number. One process has an index open at a time; in it any number of threads read consistent snapshots
//! while one writes.
//!
//! A document that matches a keeper becomes its *member* and is never matched itself; if a keeper goes, its first member
//! takes its place. Rank is the order of arrival, so that pages fed one by one end in the clusters that a batch run
//! which keeps the first finds.
//!
//! ```
//! use onefold_detect::digest::Digest;
//! use onefold_index::{Index, Options, Rule, Settings, Sketch, Verdict};
//!
//! # fn main() -> Result<(), onefold_index::Error> {
//! # let folder = std::env::temp_dir().join(format!("onefold-doc-{}", std::process::id()));
//! let settings = Settings {
//!     plan: serde_json::Value::Null,
//!     rule: Rule::Exact,
//!     sets: false,
//!     coding: Default::default(),
//!     head_documents: Settings::HEAD_DOCUMENTS,
//! };
//! let index = Index::create(&folder, settings, Options::default())?;
//! let page = |id: &str, text: &str| Sketch {
//!     id: id.into(),
//!     url: None,
//!     key: None,
//!     seen: 0,
//!     digest: Digest::of(text.as_bytes()),
//!     fingerprint: None,
//!     signature: None,
//!     shingles: Vec::new(),
//!     empty: false,
//! };
//! assert_eq!(index.add(&page("a", "a page"))?.verdict, Verdict::New);
//! let again = index.add(&page("b", "a page"))?;
//! assert_eq!(again.verdict, Verdict::Exact);
//! assert_eq!(again.matched.map(|matched| matched.id).as_deref(), Some("a"));
//! # drop(index);
//! # let _ = fs_err::remove_dir_all(folder);
//! # Ok(())
//! # }
//! ```

mod bits;
mod compare;
mod copy;
mod decide;
mod draw;
mod engine;
mod error;
mod estimate;
mod filter;
mod finer;
mod folder;
mod head;
mod huffman;
mod import;
mod index;
mod key_bits;
mod lockstep;
mod maintain;
mod overlay;
mod parts;
mod permuted;
mod pictures;
mod query;
mod remove;
mod row;
mod runs;
mod search;
mod section;
mod segment;
mod set;
mod settings;
mod sketch;
mod store;
mod text;
mod verify;
mod write;

pub use compare::Comparison;
pub use engine::catches_panics;
pub use error::Error;
pub use folder::{Gate, Operation};
pub use import::{Decided, Importer};
pub use index::{Durability, Index, Options, Stats};
pub use key_bits::KeyBits;
pub use parts::Parts;
pub use permuted::{Cost, Cut, MOST_BITS, Shape, costs};
pub use pictures::{Pictures, Spike};
pub use query::Pair;
pub use row::{Number, Tie};
pub use section::Coding;
pub use settings::{Rule, Settings};
pub use sketch::{Answer, Match, Sketch, Stored, Verdict};
pub use verify::Report;
