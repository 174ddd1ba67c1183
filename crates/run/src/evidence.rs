//! Evidence: a line for every document that was removed, every cluster, every bad record.

use crate::urls::UrlRule;
use serde::{Deserialize, Serialize};

/// Which document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentRef {
    /// Its identity.
    pub id: String,
    /// Its URL.
    pub url: Option<String>,
    /// Its file.
    pub source: String,
    /// Its address there.
    pub offset: u64,
}

/// How a removed document is related to its keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Equal texts.
    Exact,
    /// Similar texts.
    Near,
    /// The removed one lies within its keeper.
    Contained,
    /// A paragraph of it stood in its keeper before.
    Paragraph,
    /// Their URLs say that they are one page, and the texts agree or are versions of one.
    Url,
}

impl Verdict {
    /// The word used in evidence.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Exact => "exact",
            Verdict::Near => "near",
            Verdict::Contained => "contained",
            Verdict::Paragraph => "paragraph",
            Verdict::Url => "url",
        }
    }
}

/// A line of `removed.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Removed {
    /// The document.
    #[serde(flatten)]
    pub document: DocumentRef,
    /// How it is related to its keeper.
    pub kind: Verdict,
    /// Similarity to the keeper by the plan's measure; resemblance unless `--verify` says otherwise.
    pub similarity: f64,
    /// Share of its shingles that the keeper has; none where sets were not compared.
    pub containment: Option<f64>,
    /// Shingles both have; none under the method `exact` and where sets were not compared.
    pub shared_shingles: Option<u32>,
    /// Its distinct shingles.
    pub shingles: Option<u32>,
    /// Its cluster.
    pub cluster: u64,
    /// The document that was kept.
    pub keeper: DocumentRef,
    /// What ties it to its keeper by their URLs, if something does; the reason where the kind is `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<UrlRule>,
    /// The index that holds the keeper, where it is no document of the run: its source then is the index and its offset
    /// its number there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Where a paragraph was cut out: its number in the text, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraph: Option<u32>,
    /// Where a paragraph was cut out: its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Where a paragraph was cut out: how it begins, at most [`TEXT_CHARS`] characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Characters of a paragraph that evidence tells.
pub const TEXT_CHARS: usize = 200;

/// A line of `clusters.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    /// Its number.
    pub cluster: u64,
    /// Documents in it, the keeper included.
    pub size: u64,
    /// The document that was kept.
    pub keeper: DocumentRef,
    /// All of its documents in the order of the input, the keeper included.
    pub members: Vec<DocumentRef>,
    /// The index that holds the keeper, where it is no document of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
}

/// A line of `needs.jsonl`: a page that was kept and not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeedsLine {
    /// The page.
    #[serde(flatten)]
    pub document: DocumentRef,
    /// What it needs before it shows its content: `script`, `form` or `login`.
    pub needs: String,
}

/// A line of `bad.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadLine {
    /// The file.
    pub source: String,
    /// Where in it.
    pub offset: u64,
    /// How much of it.
    pub length: u64,
    /// What is wrong, in a word.
    pub kind: String,
    /// What is wrong.
    pub message: String,
}
