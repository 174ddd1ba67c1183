//! Recall and precision of what a tool wrote, against the planted truth at a resemblance of 0.8.
//!
//! Tools answer in three ways. *Pairs*: recall is the share of true pairs named, precision the share of named pairs
//! that are true. *Removals*: recall is the share of true pairs of which not both documents were kept, precision the
//! share of removed documents that truly resemble the keeper they were removed for. *Flags*: both over documents
//! that have a true partner.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use fs_err::File;

use crate::error::Error;

/// The resemblance from which a pair counts as true.
pub(crate) const THRESHOLD: f64 = 0.8;

/// How a tool answers, and where.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// `idA idB …` a line; a first line that starts with `id_a` is a header.
    Pairs(PathBuf),
    /// `removed.jsonl` of onefold.
    Removals(PathBuf),
    /// An id a line.
    Flags(PathBuf),
    /// None: the tool only reads.
    Nothing,
}

impl Answer {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Pairs(_) => "pairs",
            Self::Removals(_) => "removals",
            Self::Flags(_) => "flags",
            Self::Nothing => "–",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Score {
    pub(crate) recall: f64,
    pub(crate) precision: f64,
}

/// The true pairs of a corpus, the smaller id first.
pub(crate) struct Truth {
    pairs: HashSet<(String, String)>,
}

impl Truth {
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        let mut pairs = HashSet::new();
        for_lines(path, |number, line| {
            let mut fields = line.split('\t');
            let (Some(a), Some(b), Some(jaccard)) = (fields.next(), fields.next(), fields.next()) else {
                return Err(bad(path, number, "fewer than three fields"));
            };
            let jaccard: f64 =
                jaccard.parse().map_err(|_| bad(path, number, "the third field is no number"))?;
            if jaccard >= THRESHOLD {
                pairs.insert(ordered(a, b));
            }
            Ok(())
        })?;
        Ok(Self { pairs })
    }

    pub(crate) fn score(&self, answer: &Answer) -> Result<Option<Score>, Error> {
        match answer {
            Answer::Pairs(path) => self.score_pairs(path).map(Some),
            Answer::Removals(path) => self.score_removals(path).map(Some),
            Answer::Flags(path) => self.score_flags(path).map(Some),
            Answer::Nothing => Ok(None),
        }
    }

    fn score_pairs(&self, path: &Path) -> Result<Score, Error> {
        let mut named = HashSet::new();
        for_lines(path, |number, line| {
            let mut fields = line.split('\t');
            match (fields.next(), fields.next()) {
                (Some("id_a"), _) if number == 1 => {}
                (Some(a), Some(b)) => drop(named.insert(ordered(a, b))),
                _ => return Err(bad(path, number, "fewer than two fields")),
            }
            Ok(())
        })?;
        let right = named.intersection(&self.pairs).count();
        Ok(Score { recall: share(right, self.pairs.len()), precision: share(right, named.len()) })
    }

    fn score_removals(&self, path: &Path) -> Result<Score, Error> {
        let mut keeper_of = HashMap::new();
        for_lines(path, |number, line| {
            let value: serde_json::Value =
                serde_json::from_str(line).map_err(|error| bad(path, number, &error.to_string()))?;
            match (value["id"].as_str(), value["keeper"]["id"].as_str()) {
                (Some(id), Some(keeper)) => drop(keeper_of.insert(short(id), short(keeper))),
                _ => return Err(bad(path, number, "no id or no keeper.id")),
            }
            Ok(())
        })?;
        let settled =
            self.pairs.iter().filter(|(a, b)| keeper_of.contains_key(a) || keeper_of.contains_key(b));
        let right = keeper_of.iter().filter(|(id, keeper)| self.pairs.contains(&ordered(id, keeper)));
        Ok(Score {
            recall: share(settled.count(), self.pairs.len()),
            precision: share(right.count(), keeper_of.len()),
        })
    }

    fn score_flags(&self, path: &Path) -> Result<Score, Error> {
        let mut flagged = HashSet::new();
        for_lines(path, |_, line| {
            flagged.insert(line.to_owned());
            Ok(())
        })?;
        let paired: HashSet<&String> = self.pairs.iter().flat_map(|(a, b)| [a, b]).collect();
        let right = flagged.iter().filter(|id| paired.contains(id)).count();
        Ok(Score { recall: share(right, paired.len()), precision: share(right, flagged.len()) })
    }
}

fn for_lines(path: &Path, mut visit: impl FnMut(usize, &str) -> Result<(), Error>) -> Result<(), Error> {
    let reader = BufReader::new(File::open(path)?);
    for (number, line) in reader.lines().enumerate() {
        visit(number + 1, &line?)?;
    }
    Ok(())
}

fn bad(path: &Path, line: usize, problem: &str) -> Error {
    Error::Line { path: path.to_owned(), line, problem: problem.to_owned() }
}

/// The id of a generated document from its id or from its URL, which ends in it and is what a WET reader has.
fn short(id: &str) -> String {
    id.rsplit('/').next().unwrap_or(id).to_owned()
}

fn ordered(a: &str, b: &str) -> (String, String) {
    (a.min(b).to_owned(), a.max(b).to_owned())
}

/// A share of nothing is 1: a tool that names no pair has named no wrong one.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: fn(PathBuf) -> Answer, output: &str, recall: f64, precision: f64) {
        let folder = tempfile::tempdir().unwrap();
        let (truth, out) = (folder.path().join("truth"), folder.path().join("out"));
        fs_err::write(
            &truth,
            "a\tb\t0.9\tbase/sub\na\tc\t0.8\tbase/sub\nb\tc\t0.79\tsub/sub\nd\te\t1.0\tbase/exact\n",
        )
        .unwrap();
        fs_err::write(&out, output).unwrap();
        let score = Truth::read(&truth).unwrap().score(&answer(out)).unwrap().unwrap();
        assert_eq!(score, Score { recall, precision });
    }

    #[test]
    fn pairs_count_in_either_order_and_once() {
        check(
            Answer::Pairs,
            "id_a\tid_b\tsimilarity\tkind\nb\ta\t0.9\tnear\na\tb\t0.9\tnear\nb\tc\t0.8\tnear\n",
            1.0 / 3.0,
            0.5,
        );
    }

    #[test]
    fn removals_are_right_where_the_keeper_is_near_and_settle_pairs_with_a_removed_member() {
        let removed =
            "{\"id\":\"b\",\"keeper\":{\"id\":\"a\"}}\n{\"id\":\"c\",\"keeper\":{\"id\":\"http://h/b\"}}\n";
        check(Answer::Removals, removed, 2.0 / 3.0, 0.5);
    }

    #[test]
    fn flags_are_right_on_documents_with_a_partner() {
        check(Answer::Flags, "a\nb\nc\nz\n", 3.0 / 5.0, 0.75);
    }

    #[test]
    fn a_broken_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let truth = folder.path().join("truth");
        fs_err::write(&truth, "a\tb\t0.9\nc\n").unwrap();
        let error = Truth::read(&truth).map(|_| ()).unwrap_err();
        assert!(error.to_string().ends_with("truth: line 2: fewer than three fields"), "{error}");
    }
}
