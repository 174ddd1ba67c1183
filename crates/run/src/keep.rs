//! Which document of a cluster survives.

use crate::date;
use onefold_formats::score::Score;
use serde::{Deserialize, Serialize};

/// The keep rule: the first criterion of rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum KeepRule {
    /// The first in the order of the input.
    #[default]
    First,
    /// The longest normalised text.
    Longest,
    /// The shortest URL.
    ShortestUrl,
    /// An https URL over all others, then the shortest.
    HttpsThenShortestUrl,
    /// The latest date.
    Newest,
    /// The earliest date.
    Oldest,
    /// The highest value of a field.
    Field(String),
}

/// A rule that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error(
    "expected first, longest, shortest-url, https-then-shortest-url, newest, oldest or field:NAME, found {0:?}"
)]
pub struct KeepRuleError(String);

impl std::str::FromStr for KeepRule {
    type Err = KeepRuleError;

    fn from_str(text: &str) -> Result<Self, KeepRuleError> {
        Ok(match text {
            "first" => KeepRule::First,
            "longest" => KeepRule::Longest,
            "shortest-url" => KeepRule::ShortestUrl,
            "https-then-shortest-url" => KeepRule::HttpsThenShortestUrl,
            "newest" => KeepRule::Newest,
            "oldest" => KeepRule::Oldest,
            _ => match text.strip_prefix("field:").filter(|name| !name.is_empty()) {
                Some(name) => KeepRule::Field(name.to_owned()),
                None => return Err(KeepRuleError(text.to_owned())),
            },
        })
    }
}

impl std::fmt::Display for KeepRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KeepRule::First => f.write_str("first"),
            KeepRule::Longest => f.write_str("longest"),
            KeepRule::ShortestUrl => f.write_str("shortest-url"),
            KeepRule::HttpsThenShortestUrl => f.write_str("https-then-shortest-url"),
            KeepRule::Newest => f.write_str("newest"),
            KeepRule::Oldest => f.write_str("oldest"),
            KeepRule::Field(name) => write!(f, "field:{name}"),
        }
    }
}

impl From<KeepRule> for String {
    fn from(rule: KeepRule) -> String {
        rule.to_string()
    }
}

impl TryFrom<String> for KeepRule {
    type Error = KeepRuleError;

    fn try_from(text: String) -> Result<Self, KeepRuleError> {
        text.parse()
    }
}

/// A place in the order of a rule: the document of the lowest is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// What decides.
    pub coarse: u64,
    /// What decides between numbers that have one nearest float; else 0.
    pub fine: u16,
}

/// What decides of a document that lacks what a rule goes by.
pub const LAST_RANK: u64 = u64::MAX;

/// What a rule looks at in one document.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankInput<'a> {
    /// Its URL.
    pub url: Option<&'a str>,
    /// Its date as written.
    pub date: Option<&'a str>,
    /// Its score.
    pub score: Option<Score>,
    /// Bytes of its normalised text.
    pub normalised_bytes: u64,
}

impl KeepRule {
    /// Whether it looks at dates.
    pub fn goes_by_date(&self) -> bool {
        matches!(self, KeepRule::Newest | KeepRule::Oldest)
    }

    /// What to say where no document has what the rule goes by.
    pub fn idle_note(&self) -> Option<String> {
        let what = match self {
            KeepRule::First | KeepRule::Longest => return None,
            KeepRule::ShortestUrl | KeepRule::HttpsThenShortestUrl => "a URL".to_owned(),
            KeepRule::Newest | KeepRule::Oldest => "a date that can be read".to_owned(),
            KeepRule::Field(name) => format!("a number in a field {name:?}"),
        };
        Some(format!(
            "--keep {self}: no document has {what}; of duplicates the one with the first id was kept"
        ))
    }

    /// Where a document ranks. What is missing ranks last.
    pub fn rank(&self, input: &RankInput<'_>) -> Rank {
        let fine = match (self, input.score) {
            // Turned round as the float is.
            (KeepRule::Field(_), Some(score)) => !score.above().cast_unsigned() ^ (1 << 15),
            _ => 0,
        };
        Rank { coarse: self.coarse_rank(input), fine }
    }

    fn coarse_rank(&self, input: &RankInput<'_>) -> u64 {
        const LAST: u64 = LAST_RANK;
        let url = input.url.filter(|url| !url.is_empty());
        match self {
            KeepRule::First => 0,
            KeepRule::Longest => LAST - 1 - input.normalised_bytes,
            KeepRule::ShortestUrl => url.map_or(LAST, |url| url.len() as u64),
            KeepRule::HttpsThenShortestUrl => url.map_or(LAST, |url| {
                let secure = url.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"));
                u64::from(!secure) << 62 | url.len() as u64
            }),
            KeepRule::Newest => input.date.and_then(date::instant).map_or(LAST, |at| LAST - 1 - at),
            KeepRule::Oldest => input.date.and_then(date::instant).unwrap_or(LAST),
            KeepRule::Field(_) => input.score.map_or(LAST, |score| {
                // The bits of a float in its numeric order, turned round because the highest is kept.
                // Of zeroes there is one.
                let bits = (score.nearest() + 0.0).to_bits();
                let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
                (!ordered).min(LAST - 1)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(rule: &KeepRule, url: Option<&str>, date: Option<&str>, score: Option<&str>, bytes: u64) -> Rank {
        let score = score.and_then(Score::parse);
        rule.rank(&RankInput { url, date, score, normalised_bytes: bytes })
    }

    #[test]
    fn what_is_missing_ranks_last() {
        for rule in ["shortest-url", "https-then-shortest-url", "newest", "oldest", "field:q"] {
            let rule: KeepRule = rule.parse().unwrap();
            let there = rank(&rule, Some("http://x"), Some("1970-01-01"), Some("-inf"), 1);
            assert!(there < rank(&rule, None, None, None, 1), "{rule}");
            assert!(there < rank(&rule, Some(""), None, None, 1), "{rule}");
        }
    }

    #[test]
    fn rules_order_as_they_say() {
        let longest = KeepRule::Longest;
        assert!(rank(&longest, None, None, None, 9) < rank(&longest, None, None, None, 8));
        let https = KeepRule::HttpsThenShortestUrl;
        assert!(
            rank(&https, Some("https://long.example/"), None, None, 0)
                < rank(&https, Some("http://x"), None, None, 0)
        );
        let newest = KeepRule::Newest;
        assert!(
            rank(&newest, None, Some("2024-05-02T00:00:00Z"), None, 0)
                < rank(&newest, None, Some("20240501235959"), None, 0)
        );
        let date = |text| rank(&KeepRule::Oldest, None, Some(text), None, 0);
        assert!(date("2024-05-01T12:00:00Z") < date("2024-05-01T10:00:00-05:00"));
        assert!(date("2024-05-01T12:00:00+02:00") < date("2024-05-01T10:00:00.5Z"));
        assert_eq!(date("20240229000000"), date("2024-02-29"));
        assert!(date("2024-02-29") < date("2024-03-01") && date("2023-12-31") < date("2024-01-01"));
        let score = KeepRule::Field("q".into());
        let of = |value| rank(&score, None, None, Some(value), 0);
        assert!(of("2.5") < of("1") && of("1") < of("-1") && of("-1") < of("-2"));
        assert!(of("9007199254740993") < of("9007199254740992"));
        assert!(of("9007199254740994") < of("9007199254740993"));
        assert!(of("-9007199254740992") < of("-9007199254740993"));
        assert_eq!(of("0"), of("-0"));
    }
}
