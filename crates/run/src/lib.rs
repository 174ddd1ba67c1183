//! The record of a batch run: its plan, its manifest, its evidence.

mod evidence;
mod keep;
mod manifest;
mod plan;

pub use evidence::{BadLine, Cluster, DocumentRef, Removed, Verdict};
pub use keep::{KeepRule, KeepRuleError, RankInput};
pub use manifest::{Bucket, Counts, FORMAT_VERSION, InputRecord, Manifest, ManifestError, Stage};
pub use plan::{Method, Plan, PlanError};
