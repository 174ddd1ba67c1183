//! Which parts of URLs never change the page, learned from pages whose contents are known.
//!
//! Rules of this kind are known as DUST, different URLs with similar text (Bar-Yossef, Keidar, Schonfeld, WWW 2007).
//! Here a rule takes one thing out of a host's keys. Keys that become one by it are a *trial*: if all have one content
//! the trial speaks for the rule, else against it. Trials of one content count once, so that a site that answers
//! everything with the same apology proves nothing. Keys that themselves had several contents are left aside, for
//! there the page changes by itself. Rules found are applied, and the rest is looked at again.

use super::rules::{DELIMITERS, Rule, RuleKind, Rules, name_of, take_out};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hasher};

/// Rounds at most: each finds what hid behind the rules of the one before.
const MOST_ROUNDS: usize = 4;
/// Parts of a key that are tried at most, parameters and parts of the path each.
const MOST_PARTS: usize = 32;
/// Longer parts are data and not names.
const MOST_LETTERS: usize = 40;

/// What a rule needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnOptions {
    /// Distinct contents that must stay the same.
    pub min_support: u64,
    /// Share of trials that must speak for it.
    pub min_confidence: f64,
}

impl Default for LearnOptions {
    fn default() -> Self {
        LearnOptions { min_support: 3, min_confidence: 0.95 }
    }
}

/// Rules, and what they were learned from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The rules.
    pub rules: Vec<Rule>,
    /// Distinct keys.
    pub keys: u64,
    /// Of these, with several contents.
    pub unstable: u64,
}

/// A thing that may be taken out, of one host.
type Candidate = (String, RuleKind, String);

/// What trials say of a candidate.
#[derive(Default)]
struct Trials {
    agreed: u64,
    refuted: u64,
    contents: BTreeSet<u32>,
    example: Option<[String; 2]>,
}

/// Learns rules from keys and the number of the content found under each; the same number is the same content.
pub fn learn(pages: Vec<(String, u32)>, options: LearnOptions) -> Learned {
    let mut learned = Learned::default();
    let mut pages = pages;
    for round in 0..MOST_ROUNDS {
        let (stable, unstable) = one_content_each(pages);
        if round == 0 {
            (learned.keys, learned.unstable) = (stable.len() as u64 + unstable, unstable);
        }
        let found = rules(&stable, options);
        if found.is_empty() {
            break;
        }
        let applied = Rules::from(found.clone());
        learned.rules.extend(found);
        pages = stable.into_iter().map(|(key, content)| (applied.apply(&key), content)).collect();
    }
    learned.rules = Rules::from(learned.rules).iter().cloned().collect();
    learned
}

/// Keys with the one content they have, in order, and the number of those with several.
fn one_content_each(mut pages: Vec<(String, u32)>) -> (Vec<(String, u32)>, u64) {
    pages.sort_unstable();
    pages.dedup();
    let mut unstable = 0;
    let mut stable = Vec::with_capacity(pages.len());
    for same in pages.chunk_by(|a, b| a.0 == b.0) {
        match same {
            [one] => stable.push(one.clone()),
            _ => unstable += 1,
        }
    }
    (stable, unstable)
}

fn rules(pages: &[(String, u32)], options: LearnOptions) -> Vec<Rule> {
    let (candidates, parts) = parts(pages);
    let mut all: Vec<Trials> = candidates.iter().map(|_| Trials::default()).collect();
    for trial in parts.chunk_by(|a, b| (a.candidate, a.rest) == (b.candidate, b.rest)) {
        let mut places: Vec<usize> = trial.iter().map(|part| part.place as usize).collect();
        places.extend(trial[0].rest_place.map(|place| place as usize));
        if let [first, second, ..] = places[..] {
            let trials = &mut all[trial[0].candidate as usize];
            let content = pages[first].1;
            if places.iter().all(|&place| pages[place].1 == content) {
                trials.agreed += 1;
                trials.contents.insert(content);
                trials.example.get_or_insert_with(|| [pages[first].0.clone(), pages[second].0.clone()]);
            } else {
                trials.refuted += 1;
            }
        }
    }
    let believed = candidates.into_iter().zip(all).filter_map(|((host, kind, text), trials)| {
        let (support, seen) = (trials.contents.len() as u64, trials.agreed + trials.refuted);
        let confidence = trials.agreed as f64 / seen.max(1) as f64;
        let enough = support >= options.min_support && confidence >= options.min_confidence;
        let example = trials.example.filter(|_| enough)?;
        Some(Rule { host, kind, text, support, refuted: trials.refuted, confidence, example })
    });
    believed.collect()
}

/// A key with a candidate in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    candidate: u32,
    /// Hash of the key without it.
    rest: u64,
    place: u32,
    /// Where that key is, if it is there.
    rest_place: Option<u32>,
}

/// All candidates, and every key with every candidate in it, trial by trial.
fn parts(pages: &[(String, u32)]) -> (Vec<Candidate>, Vec<Part>) {
    let mut numbers: HashMap<Candidate, u32> = HashMap::new();
    let (mut candidates, mut parts) = (Vec::new(), Vec::new());
    for ((key, _), place) in pages.iter().zip(0..) {
        each_candidate(key, |candidate| {
            let mut rest = key.clone();
            take_out(&mut rest, candidate.1, &candidate.2);
            let rest_place = place_of(pages, &rest);
            // A part of a path is tried against the path without it; a parameter against its other values too.
            if candidate.1 != RuleKind::Parameter && rest_place.is_none() {
                return;
            }
            let number = *numbers.entry(candidate).or_insert_with_key(|candidate| {
                candidates.push(candidate.clone());
                candidates.len() as u32 - 1
            });
            let mut hasher = DefaultHasher::new();
            hasher.write(rest.as_bytes());
            parts.push(Part { candidate: number, rest: hasher.finish(), place, rest_place });
        });
    }
    parts.sort_unstable();
    (candidates, parts)
}

fn place_of(pages: &[(String, u32)], key: &str) -> Option<u32> {
    pages.binary_search_by(|page| page.0.as_str().cmp(key)).ok().map(|place| place as u32)
}

/// Hands over what may be taken out of a key: its parameters, and parts of its path with the sign before them.
fn each_candidate(key: &str, mut take: impl FnMut(Candidate)) {
    let Some((host, rest)) = key.split_once(')') else { return };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut hand_over = |kind, text: &str| {
        if !text.is_empty() && text.len() <= MOST_LETTERS {
            take((host.to_owned(), kind, text.to_owned()));
        }
    };
    let mut names: Vec<&str> = query.split('&').take(MOST_PARTS).map(name_of).collect();
    names.dedup();
    names.into_iter().for_each(|name| hand_over(RuleKind::Parameter, name));
    let starts: Vec<usize> = path.match_indices(DELIMITERS).map(|(at, _)| at).collect();
    let mut inner = BTreeSet::new();
    for (index, &start) in starts.iter().enumerate().take(MOST_PARTS) {
        let end = starts.get(index + 1).copied().unwrap_or(path.len());
        if end == path.len() {
            hand_over(RuleKind::Suffix, &path[start..]);
        } else if end > start + 1 {
            inner.insert(&path[start..end]);
        }
    }
    // A whole last name, `/index.html`, beside its parts.
    if let Some(slash) = path.rfind('/').filter(|slash| starts.last() != Some(slash)) {
        hand_over(RuleKind::Suffix, &path[slash..]);
    }
    inner.into_iter().for_each(|text| hand_over(RuleKind::Substring, text));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(pages: &[(&str, u32)]) -> Vec<String> {
        let pages = pages.iter().map(|(key, content)| ((*key).to_owned(), *content)).collect();
        let rule = |rule: &Rule| format!("{:?} {} {}/{}", rule.kind, rule.text, rule.support, rule.refuted);
        learn(pages, LearnOptions::default()).rules.iter().map(rule).collect()
    }

    #[test]
    fn what_never_changes_the_page_is_learned_and_what_does_is_not() {
        let mut pages = Vec::new();
        for page in 0..4 {
            for visit in 0..3 {
                pages.push((format!("a)/p{page}?sid={visit}"), page));
                // Another order is another page.
                pages.push((format!("a)/l{page}?sort={visit}"), 100 + 10 * page + visit));
            }
            pages.push((format!("a)/p{page}/index.html"), page));
            pages.push((format!("a)/p{page}"), page));
            pages.push((format!("a)/print/p{page}"), page));
            pages.push((format!("a)/p{page}/next"), 50 + page));
        }
        let pages: Vec<(&str, u32)> = pages.iter().map(|(key, content)| (key.as_str(), *content)).collect();
        assert_eq!(learned(&pages), ["Parameter sid 4/0", "Substring /print 4/0", "Suffix /index.html 4/0"]);
    }

    #[test]
    fn an_apology_for_everything_proves_nothing() {
        let pages: Vec<(String, u32)> =
            (0..50).flat_map(|id| (0..3).map(move |v| (format!("a)/x{id}?v={v}"), 7))).collect();
        let pages: Vec<(&str, u32)> = pages.iter().map(|(key, content)| (key.as_str(), *content)).collect();
        assert!(learned(&pages).is_empty());
    }

    #[test]
    fn one_refutation_outweighs_a_little_support_and_not_much() {
        let pages = |good: u32| -> Vec<(String, u32)> {
            let mut pages: Vec<(String, u32)> =
                (0..good).flat_map(|page| (0..2).map(move |v| (format!("a)/x{page}?v={v}"), page))).collect();
            pages.extend([("a)/y?v=1".to_owned(), 1000), ("a)/y?v=2".to_owned(), 1001)]);
            pages
        };
        assert!(learn(pages(10), LearnOptions::default()).rules.is_empty());
        let rules = learn(pages(30), LearnOptions::default()).rules;
        assert_eq!((rules[0].support, rules[0].refuted), (30, 1));
        assert!((rules[0].confidence - 30.0 / 31.0).abs() < 1e-12);
    }

    #[test]
    fn two_that_always_change_together_are_learned_one_after_the_other() {
        let pages: Vec<(String, u32)> = (0..4)
            .flat_map(|page| {
                let key = move |v: u32, t: u32| (format!("a)/x{page}?t={t}&v={v}"), page);
                [key(1, 1), key(2, 1), key(3, 7), key(3, 8)]
            })
            .collect();
        let rules = learn(pages, LearnOptions::default()).rules;
        assert_eq!(rules.iter().map(|rule| rule.text.as_str()).collect::<Vec<_>>(), ["t", "v"]);
    }

    #[test]
    fn a_page_that_changes_by_itself_neither_proves_nor_refutes() {
        let mut pages: Vec<(String, u32)> =
            (0..4).flat_map(|page| (0..2).map(move |v| (format!("a)/x{page}?v={v}"), page))).collect();
        pages.extend([("a)/news?v=1".into(), 90), ("a)/news?v=1".into(), 91), ("a)/news?v=2".into(), 92)]);
        let learned = learn(pages, LearnOptions::default());
        assert_eq!((learned.rules.len(), learned.unstable, learned.keys), (1, 1, 10));
    }
}
