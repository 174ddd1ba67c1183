//! Which document of a cluster survives.

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

/// What a rule looks at in one document.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankInput<'a> {
    /// Its URL.
    pub url: Option<&'a str>,
    /// Its date as written.
    pub date: Option<&'a str>,
    /// Its score.
    pub score: Option<f64>,
    /// Bytes of its normalised text.
    pub normalised_bytes: u64,
}

impl KeepRule {
    /// A number by which documents rank: the lowest is kept. What is missing ranks last.
    pub fn rank(&self, input: &RankInput<'_>) -> u64 {
        const LAST: u64 = u64::MAX;
        let url = input.url.filter(|url| !url.is_empty());
        match self {
            KeepRule::First => 0,
            KeepRule::Longest => LAST - 1 - input.normalised_bytes,
            KeepRule::ShortestUrl => url.map_or(LAST, |url| url.len() as u64),
            KeepRule::HttpsThenShortestUrl => url.map_or(LAST, |url| {
                let secure = url.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"));
                u64::from(!secure) << 62 | url.len() as u64
            }),
            KeepRule::Newest => input.date.and_then(instant).map_or(LAST, |at| LAST - 1 - at),
            KeepRule::Oldest => input.date.and_then(instant).unwrap_or(LAST),
            KeepRule::Field(_) => input.score.filter(|score| !score.is_nan()).map_or(LAST, |score| {
                // The bits of a float in its numeric order, turned round because the highest is kept.
                let bits = score.to_bits();
                let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
                (!ordered).min(LAST - 1)
            }),
        }
    }
}

/// A date as a sortable number: nanoseconds since the year 0, in UTC. Reads RFC 3339, ISO 8601 with parts left out, and
/// the fourteen digits of archives; a bare number of another length counts as it is.
fn instant(date: &str) -> Option<u64> {
    let date = date.trim();
    let all_digits = !date.is_empty() && date.bytes().all(|b| b.is_ascii_digit());
    if all_digits && date.len() != 14 && date.len() != 8 && date.len() != 4 {
        return date.parse().ok();
    }
    let find = |text: &str, any: &[u8]| text.bytes().position(|byte| any.contains(&byte));
    // Where the time starts, behind which a sign is that of an offset.
    let time = if all_digits { None } else { find(date, b"Tt ") }.unwrap_or(date.len());
    let (local, offset) = date.split_at(find(&date[time..], b"+-Zz").map_or(date.len(), |at| time + at));
    let (whole, fraction) = find(local, b".,").map_or((local, ""), |at| (&local[..at], &local[at + 1..]));
    let (digits, count) = digits_of::<14>(whole);
    let digits = &digits[..count];
    let number =
        |from: usize, len: usize| digits.get(from..from + len).map(|d| d.iter().fold(0, |n, d| n * 10 + d));
    let (year, month, day) = (number(0, 4)?, number(4, 2).unwrap_or(1), number(6, 2).unwrap_or(1));
    let (hour, minute, second) =
        (number(8, 2).unwrap_or(0), number(10, 2).unwrap_or(0), number(12, 2).unwrap_or(0));
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    // Days since the first of March of the year 0, as the Gregorian calendar counts on: years start in March so that
    // the leap day is their last.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second;
    let (shift, count) = digits_of::<4>(offset);
    let part = |at: usize| (at + 1 < count).then(|| shift[at] * 10 + shift[at + 1]);
    let shift = part(0).unwrap_or(0) * 3_600 + part(2).unwrap_or(0) * 60;
    let seconds = if offset.starts_with('-') { seconds + shift } else { seconds.saturating_sub(shift) };
    let nanos = (0..9).try_fold(0, |nanos, at| match fraction.as_bytes().get(at) {
        None => Some(nanos * 10),
        Some(digit) => digit.is_ascii_digit().then(|| nanos * 10 + u64::from(digit - b'0')),
    })?;
    // 500 years fit into 64 bits of nanoseconds, and the web is younger: counted from 1700.
    const FROM: u64 = 620_700 * 86_400;
    Some(seconds.saturating_sub(FROM).saturating_mul(1_000_000_000).saturating_add(nanos).min(u64::MAX - 2))
}

/// The first digits of a text, whatever stands between them, and how many there are.
fn digits_of<const MOST: usize>(text: &str) -> ([u64; MOST], usize) {
    let (mut digits, mut count) = ([0; MOST], 0);
    for byte in text.bytes().filter(u8::is_ascii_digit).take(MOST) {
        digits[count] = u64::from(byte - b'0');
        count += 1;
    }
    (digits, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(rule: &KeepRule, url: Option<&str>, date: Option<&str>, score: Option<f64>, bytes: u64) -> u64 {
        rule.rank(&RankInput { url, date, score, normalised_bytes: bytes })
    }

    #[test]
    fn what_is_missing_ranks_last() {
        for rule in ["shortest-url", "https-then-shortest-url", "newest", "oldest", "field:q"] {
            let rule: KeepRule = rule.parse().unwrap();
            let there = rank(&rule, Some("http://x"), Some("1970-01-01"), Some(f64::NEG_INFINITY), 1);
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
        assert!(of(2.5) < of(1.0) && of(1.0) < of(-1.0) && of(-1.0) < of(-2.0));
    }
}
