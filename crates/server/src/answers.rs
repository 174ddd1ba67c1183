//! What the server says of documents, as JSON: the same lines as `onefold index` prints.

use onefold_index::{Answer, Match, Stored, Verdict};
use serde::Serialize;
use utoipa::ToSchema;

/// Whether a document was seen.
#[derive(Serialize, ToSchema)]
pub struct AnswerLine {
    /// The document's name, where it has one.
    pub id: Option<String>,
    /// `new`, `exact` or `near`.
    pub verdict: &'static str,
    /// The keeper it matches.
    #[serde(rename = "match")]
    pub matched: Option<String>,
    /// How.
    #[serde(flatten)]
    pub facts: Option<Facts>,
    /// Of an add: this id and text were here before; nothing was added, but it was seen again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
    /// All keepers it matches, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Vec<MatchLine>>,
}

/// How two documents are alike.
#[derive(Serialize, ToSchema)]
pub struct Facts {
    /// Resemblance of the shingle sets, measured or estimated; by fingerprints the share of bits that agree.
    pub similarity: f64,
    /// Standard error of the similarity, where it is estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// Share of the document's shingles that the keeper has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub containment: Option<f64>,
    /// Bits in which the fingerprints differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<u32>,
    /// The rule by which they match: `exact`, `minhash` or `simhash`.
    pub rule: &'static str,
}

/// One of several matches.
#[derive(Serialize, ToSchema)]
pub struct MatchLine {
    /// The keeper.
    #[serde(rename = "match")]
    pub id: String,
    /// How it matches.
    #[serde(flatten)]
    pub facts: Facts,
}

impl From<&Match> for Facts {
    fn from(matched: &Match) -> Self {
        Facts {
            similarity: matched.similarity(),
            error: matched.error(),
            containment: matched.containment(),
            distance: matched.distance,
            rule: matched.rule(),
        }
    }
}

impl AnswerLine {
    /// The best match only.
    pub fn new(id: Option<String>, answer: Answer) -> Self {
        AnswerLine {
            id,
            verdict: answer.verdict.name(),
            facts: answer.matched.as_ref().map(Facts::from),
            matched: answer.matched.map(|matched| matched.id),
            known: answer.known,
            matches: None,
        }
    }

    /// With all matches, which come in order of arrival and are told the most alike first. The verdict is that of the
    /// one the document would join.
    pub fn all(id: Option<String>, mut matches: Vec<Match>) -> Self {
        let joined = matches.first();
        let line = AnswerLine {
            id,
            verdict: joined.map_or("new", |joined| joined.verdict().name()),
            matched: joined.map(|joined| joined.id.clone()),
            facts: joined.map(Facts::from),
            known: false,
            matches: None,
        };
        let is_near = |each: &Match| each.verdict() != Verdict::Exact;
        matches.sort_by(|a, b| {
            is_near(a).cmp(&is_near(b)).then_with(|| b.similarity().total_cmp(&a.similarity()))
        });
        let lines = matches.iter().map(|each| MatchLine { id: each.id.clone(), facts: each.into() });
        AnswerLine { matches: Some(lines.collect()), ..line }
    }
}

/// What is stored of a document.
#[derive(Serialize, ToSchema)]
pub struct StoredLine {
    /// Its name.
    pub id: String,
    /// Its place in the order of arrival.
    pub number: u64,
    /// Where it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Key of the URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// When it was first seen, in seconds since 1970.
    pub first_seen: u64,
    /// When it was last seen.
    pub last_seen: u64,
    /// Digest of its text.
    pub digest: String,
    /// SimHash fingerprint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Whether it has no token.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub empty: bool,
    /// Shingles stored.
    pub shingles: usize,
    /// Its keeper, unless it is one.
    pub keeper: Option<String>,
    /// How it matches its keeper.
    #[serde(flatten)]
    pub facts: Option<Facts>,
    /// How many members it has.
    pub members: u64,
}

impl From<Stored> for StoredLine {
    fn from(stored: Stored) -> Self {
        StoredLine {
            facts: stored.keeper.as_ref().map(Facts::from),
            id: stored.id,
            number: stored.number,
            url: stored.url,
            key: stored.key,
            first_seen: stored.first_seen,
            last_seen: stored.last_seen,
            digest: stored.digest.to_string(),
            fingerprint: stored.fingerprint.map(|bits| format!("{bits:016x}")),
            empty: stored.empty,
            shingles: stored.shingles,
            keeper: stored.keeper.map(|keeper| keeper.id),
            members: stored.members,
        }
    }
}
