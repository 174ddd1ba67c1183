//! What URLs say of two documents beside their texts, and how far that is believed.

use serde::{Deserialize, Serialize};

/// What becomes of several versions of one page: documents of one canonical URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Versions {
    /// They are documents like any other.
    #[default]
    All,
    /// The newest stays, the others go whatever they say.
    Newest,
}

/// How URLs are used as evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UrlEvidence {
    /// Resemblance of the shingles from which the texts of two documents tied by their URLs agree.
    pub threshold: f64,
    /// What becomes of versions of a page.
    pub versions: Versions,
    /// Digest of the learned rules that keys of URLs follow, if there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
}

impl Default for UrlEvidence {
    fn default() -> Self {
        UrlEvidence { threshold: 0.5, versions: Versions::default(), rules: None }
    }
}

/// What ties two documents by their URLs, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UrlRule {
    /// They have one canonical URL, and the other is newer.
    Version,
    /// One was archived as a revisit of the other.
    Revisit,
    /// One was redirected to the other, or both to a third.
    Redirect,
    /// One names the other by `rel=canonical`, or both a third.
    Canonical,
    /// Their URLs have one key by the learned rules.
    Key,
}

impl UrlRule {
    /// The word used in evidence.
    pub fn name(self) -> &'static str {
        match self {
            UrlRule::Version => "version",
            UrlRule::Revisit => "revisit",
            UrlRule::Redirect => "redirect",
            UrlRule::Canonical => "canonical",
            UrlRule::Key => "key",
        }
    }
}

/// What URLs came to in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlCounts {
    /// Distinct redirects from one URL to another.
    pub redirects: u64,
    /// Distinct revisits of one URL under another.
    pub revisits: u64,
    /// Distinct canonical links from one URL to another of its site.
    pub canonicals: u64,
    /// Groups of distinct texts tied by their URLs.
    pub groups: u64,
    /// Removed documents that were tied to their keeper, copies of equal text aside.
    pub agreed: u64,
    /// Removed older versions of a page.
    pub versions: u64,
}
