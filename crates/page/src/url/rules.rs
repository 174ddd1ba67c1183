//! Learned rules: what of a host's keys never changes the page.
//!
//! A rule belongs to one host and takes something out of its keys. Keys are for grouping; nothing here touches the
//! canonical form, so neither fetching nor the robots check ever sees a rule.

use serde::{Deserialize, Serialize};

/// Rounds of taking out at most, for a key that becomes another one's form.
const MOST_ROUNDS: usize = 8;

/// What parts of a path are told apart by.
pub(super) const DELIMITERS: [char; 7] = ['/', '-', '_', '.', ';', ',', '~'];

/// What a rule takes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleKind {
    /// A parameter of the query, by its name.
    Parameter,
    /// A part of the path behind which the path goes on, with the sign before it: `/print`, `-amp`.
    Substring,
    /// The end of the path, with the sign before it: `/index.html`, `.php`.
    Suffix,
}

/// A rule and the evidence for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// The host as keys write it, labels in reverse: `org,example`.
    pub host: String,
    /// What is taken out.
    pub kind: RuleKind,
    /// Its name or letters.
    pub text: String,
    /// Distinct contents that stayed the same with and without it.
    pub support: u64,
    /// Pages whose content differed.
    pub refuted: u64,
    /// Pages whose content stayed the same, of all that were seen with and without it.
    pub confidence: f64,
    /// Two keys of one content that the rule makes one.
    pub example: [String; 2],
}

/// Rules as they lie in a file, with what they were learned from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulesFile {
    /// Version of the format; this one is [`RulesFile::VERSION`].
    pub version: u32,
    /// Distinct keys the rules were learned from.
    pub keys: u64,
    /// Of these, left aside because they had several contents.
    pub unstable: u64,
    /// Contents a rule had to stay the same for.
    pub min_support: u64,
    /// Confidence a rule had to reach.
    pub min_confidence: f64,
    /// The rules.
    pub rules: Vec<Rule>,
}

impl RulesFile {
    /// Version of the format.
    pub const VERSION: u32 = 1;
}

/// Rules by host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    sorted: Vec<Rule>,
}

impl From<Vec<Rule>> for Rules {
    fn from(mut rules: Vec<Rule>) -> Self {
        rules.sort_by(|a, b| (&a.host, a.kind, &a.text).cmp(&(&b.host, b.kind, &b.text)));
        Rules { sorted: rules }
    }
}

impl Rules {
    /// All of them, by host, kind and text.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.sorted.iter()
    }

    /// A key without what the rules of its host take out.
    pub fn apply(&self, key: &str) -> String {
        let mut key = key.to_owned();
        let Some(host_end) = key.find(')') else { return key };
        let host = &key[..host_end];
        let from = self.sorted.partition_point(|rule| rule.host.as_str() < host);
        let to = self.sorted.partition_point(|rule| rule.host.as_str() <= host);
        for _ in 0..MOST_ROUNDS {
            let before = key.len();
            self.sorted[from..to].iter().for_each(|rule| take_out(&mut key, rule.kind, &rule.text));
            if key.len() == before {
                break;
            }
        }
        key
    }
}

/// Takes something out of a key, wherever it is.
pub(super) fn take_out(key: &mut String, kind: RuleKind, text: &str) {
    let Some(path_start) = key.find(')').map(|end| end + 1) else { return };
    let path_end = key.find('?').unwrap_or(key.len());
    match kind {
        RuleKind::Parameter if path_end < key.len() => {
            let query = key[path_end + 1..].to_owned();
            let kept: Vec<&str> = query.split('&').filter(|part| name_of(part) != text).collect();
            key.truncate(path_end);
            if !kept.is_empty() {
                key.push('?');
                key.push_str(&kept.join("&"));
            }
        }
        RuleKind::Parameter => {}
        RuleKind::Suffix => {
            if !text.is_empty() && key[path_start..path_end].ends_with(text) {
                key.replace_range(path_end - text.len()..path_end, "");
                root(key, path_start);
            }
        }
        RuleKind::Substring => {
            let mut at = path_start;
            let mut end = path_end;
            while let Some(found) = key[at..end].find(text).filter(|_| !text.is_empty()) {
                let (start, behind) = (at + found, at + found + text.len());
                if behind < end && key[behind..].starts_with(DELIMITERS) {
                    key.replace_range(start..behind, "");
                    end -= text.len();
                    at = start;
                } else {
                    at = behind;
                }
            }
            root(key, path_start);
        }
    }
}

/// A path that lost all is the root.
fn root(key: &mut String, path_start: usize) {
    if !key[path_start..].starts_with('/') {
        key.insert(path_start, '/');
    }
}

pub(super) fn name_of(parameter: &str) -> &str {
    parameter.split_once('=').map_or(parameter, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(host: &str, kind: RuleKind, text: &str) -> Rule {
        let example = [String::new(), String::new()];
        Rule { host: host.into(), kind, text: text.into(), support: 3, refuted: 0, confidence: 1.0, example }
    }

    #[test]
    fn rules_take_out_what_they_name_on_their_host_alone() {
        let rules = Rules::from(vec![
            rule("org,example", RuleKind::Parameter, "sid"),
            rule("org,example", RuleKind::Suffix, "/index.html"),
            rule("org,example", RuleKind::Suffix, ".php"),
            rule("org,example", RuleKind::Substring, "/print"),
        ]);
        for (key, expected) in [
            ("org,example)/a?b=1&sid=2", "org,example)/a?b=1"),
            ("org,example)/a?sid", "org,example)/a"),
            ("org,example)/index.html?sid=3", "org,example)/"),
            ("org,example)/print/a.php", "org,example)/a"),
            ("org,example)/printer/a/print", "org,example)/printer/a/print"),
            ("org,example,www2)/a?sid=2", "org,example,www2)/a?sid=2"),
            ("mailto:a@b.c", "mailto:a@b.c"),
            ("org,example)/x?q=/print/", "org,example)/x?q=/print/"),
        ] {
            assert_eq!(rules.apply(key), expected);
            assert_eq!(rules.apply(expected), expected);
        }
    }
}
