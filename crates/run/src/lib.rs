//! The record of a batch run: its plan, its manifest, its evidence.

mod date;
mod evidence;
mod keep;
mod locate;
mod manifest;
mod method;
mod plan;
mod urls;

pub use evidence::{BadLine, Cluster, DocumentRef, NeedsLine, Removed, TEXT_CHARS, Verdict};
pub use keep::{KeepRule, KeepRuleError, LAST_RANK, Rank, RankInput};
pub use manifest::{
    AgainstRecord, Bucket, Counts, FORMAT_VERSION, InputRecord, Manifest, ManifestError, PageCounts,
    ParagraphCounts, Stage,
};
pub use method::{
    ChoiceError, Method, Neighbours, PageContent, Simhash, SketchKind, Unit, Verify, Weight, Within,
};
pub use plan::{MOST_HAMMING, Plan, PlanError};
pub use urls::{UrlCounts, UrlEvidence, UrlRule, Versions};
