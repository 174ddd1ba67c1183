//! The JSON lines of `onefold index`.

use onefold_index::{Answer, Match, Stored};
use serde::Serialize;

/// The answer for one document.
#[derive(Serialize)]
pub(super) struct AnswerLine<'a> {
    id: &'a str,
    verdict: &'static str,
    #[serde(rename = "match")]
    matched: Option<&'a str>,
    #[serde(flatten)]
    facts: Option<Facts>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    known: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<Vec<MatchLine<'a>>>,
}

/// How two documents are alike.
#[derive(Serialize)]
struct Facts {
    similarity: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    containment: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u32>,
    rule: &'static str,
}

#[derive(Serialize)]
struct MatchLine<'a> {
    #[serde(rename = "match")]
    id: &'a str,
    #[serde(flatten)]
    facts: Facts,
}

impl Facts {
    fn of(matched: &Match) -> Self {
        Facts {
            similarity: matched.similarity(),
            error: matched.error(),
            containment: matched.containment(),
            distance: matched.distance,
            rule: matched.rule(),
        }
    }
}

impl<'a> AnswerLine<'a> {
    pub(super) fn new(id: &'a str, answer: &'a Answer) -> Self {
        AnswerLine {
            id,
            verdict: answer.verdict.name(),
            matched: answer.matched.as_ref().map(|matched| matched.id.as_str()),
            facts: answer.matched.as_ref().map(Facts::of),
            known: answer.known,
            matches: None,
        }
    }

    /// With all matches.
    pub(super) fn all(id: &'a str, answer: &'a Answer, matches: &'a [Match]) -> Self {
        let line = |matched: &'a Match| MatchLine { id: &matched.id, facts: Facts::of(matched) };
        AnswerLine { matches: Some(matches.iter().map(line).collect()), ..AnswerLine::new(id, answer) }
    }
}

/// What is stored of one document.
#[derive(Serialize)]
pub(super) struct StoredLine<'a> {
    id: &'a str,
    number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    first_seen: u64,
    last_seen: u64,
    digest: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    empty: bool,
    shingles: usize,
    keeper: Option<&'a str>,
    #[serde(flatten)]
    facts: Option<Facts>,
    members: u64,
}

impl<'a> StoredLine<'a> {
    pub(super) fn new(stored: &'a Stored) -> Self {
        StoredLine {
            id: &stored.id,
            number: stored.number,
            url: stored.url.as_deref(),
            key: stored.key.as_deref(),
            first_seen: stored.first_seen,
            last_seen: stored.last_seen,
            digest: stored.digest.to_string(),
            fingerprint: stored.fingerprint.map(|bits| format!("{bits:016x}")),
            empty: stored.empty,
            shingles: stored.shingles,
            keeper: stored.keeper.as_ref().map(|keeper| keeper.id.as_str()),
            facts: stored.keeper.as_ref().map(Facts::of),
            members: stored.members,
        }
    }
}
