//! The batch job: parallel, within a memory budget, resumable, with the same bytes for any number of threads.
//!
//! A job goes through stages, each in a module of its name:
//!
//! 1. `scan`: every source is read once; each document leaves a row, its names and its band keys in a *piece*
//!    on disk, which is also the checkpoint.
//! 2. `exact`: equal texts are collapsed.
//!    With `--against`, `against` then asks an index, and what it knows is out of the run.
//! 3. `candidates`: band keys meet, a slice of the key space at a time, and tie documents into components.
//! 4. `resolve`: components are decided one by one on the true shingle sets, held since
//!    they were read or read again by address.
//! 5. `write`: the kept documents and the evidence, under temporary names until all is there.

mod against;
mod buckets;
mod candidates;
mod census;
mod components;
mod error;
mod exact;
pub mod explain;
mod find;
mod fingerprints;
mod groups;
mod hold;
mod inputs;
mod job;
mod large;
mod links;
mod load;
mod meet;
pub mod online;
mod pairs;
mod paragraphs;
mod payload;
mod piece;
mod preflight;
mod progress;
mod recipe;
mod record;
mod records;
mod related;
mod resolve;
mod rotate;
mod scan;
mod shares;
mod sketcher;
mod spool;
mod system;
mod table;
mod templates;
mod texts;
mod urls;
mod verdicts;
mod verify;
mod workdir;
mod write;

pub use against::Against;
pub use error::Error;
pub use explain::removed_documents;
pub use find::{FileKind, FoundDocument, find_documents, only_document};
pub use fingerprints::{Fingerprint, FingerprintsSummary, fingerprints};
pub use inputs::{Selection, Spooled, SpooledFile};
pub use job::{EvidenceFormat, Job, Outcome, Resources, Switches, dedup};
pub use pairs::{Pair, PairKind, PairsSummary, pairs};
pub use payload::{PageText, parser_for, read_page};
pub use preflight::{Estimate, estimate};
pub use progress::{Progress, Silent, StageKind};
pub use records::{TakeRecord, each_record};
pub use related::{Related, related};
pub use system::{available_memory, cpu_seconds, peak_memory};
pub use texts::texts;
pub use urls::learn_url_rules;
