//! What is true: pairs with their similarity, or pairs that people labelled.

use super::{Pairs, ordered};
use anyhow::{Context, Result, bail};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The truth that methods are held against.
pub(crate) struct Truth {
    /// Whether each known pair is one, and its similarity where it is known.
    pairs: HashMap<(String, String), (bool, Option<f64>)>,
    /// Whether pairs that are not known are none, and not just unknown.
    complete: bool,
    positives: usize,
}

impl Truth {
    /// Every pair there is.
    pub(super) fn of_pairs(pairs: Pairs) -> Self {
        let pairs: HashMap<_, _> = pairs.into_iter().map(|(ids, score)| (ids, (true, Some(score)))).collect();
        Truth { positives: pairs.len(), pairs, complete: true }
    }

    /// Reads tab-separated pairs: two ids, then what the header names. A column `label` says by 0 and 1 what people
    /// judged; a column `jaccard` or `similarity`, or without a header the third, is compared with the threshold; with
    /// neither, all pairs are true. Gzip is undone.
    pub(super) fn read(path: &Path, threshold: f64) -> Result<Self> {
        let name = path.display();
        let mut file = BufReader::new(fs_err::File::open(path)?);
        let gzip = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let mut text = String::new();
        if gzip {
            flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text)
        } else {
            file.read_to_string(&mut text)
        }
        .with_context(|| format!("{name}"))?;
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty()).peekable();
        let Some((_, first)) = lines.peek() else { bail!("{name}: no pairs") };
        let names: Vec<&str> = first.split('\t').collect();
        let column = |wanted: &[&str]| names.iter().position(|name| wanted.contains(name));
        let header =
            matches!(names[0], "id1" | "id_a" | "a" | "id") || column(&["label", "jaccard"]).is_some();
        let label = if header { column(&["label"]) } else { None };
        let score = match header {
            true => column(&["jaccard", "similarity", "jaccard_w5"]),
            false => names.get(2).filter(|cell| cell.parse::<f64>().is_ok()).map(|_| 2),
        };
        if header {
            lines.next();
        }
        let mut truth = Truth { pairs: HashMap::new(), complete: label.is_none(), positives: 0 };
        for (number, line) in lines {
            let cells: Vec<&str> = line.split('\t').collect();
            let place = || format!("{name}:{}", number + 1);
            let [a, b, ..] = cells[..] else { bail!("{}: expected two ids, found {line:?}", place()) };
            let cell = |column: Option<usize>| -> Result<Option<f64>> {
                let Some(column) = column else { return Ok(None) };
                let text = cells.get(column).copied().unwrap_or_default();
                text.parse()
                    .map(Some)
                    .with_context(|| format!("{}: expected a number, found {text:?}", place()))
            };
            let (judged, similarity) = (cell(label)?, cell(score)?);
            let positive = match (judged, similarity) {
                (Some(judged), _) => judged > 0.0,
                (None, Some(similarity)) => similarity >= threshold,
                (None, None) => true,
            };
            truth.pairs.insert(ordered(a, b), (positive, similarity));
        }
        truth.positives = truth.pairs.values().filter(|(positive, _)| *positive).count();
        Ok(truth)
    }

    pub(super) fn positives(&self) -> usize {
        self.positives
    }

    /// Ids that pairs of the truth name.
    pub(super) fn ids(&self) -> HashSet<&str> {
        self.pairs.keys().flat_map(|(a, b)| [a.as_str(), b.as_str()]).collect()
    }

    /// Labelled pairs, if people judged some.
    pub(super) fn labelled(&self) -> Option<Vec<(&(String, String), bool)>> {
        (!self.complete).then(|| {
            let mut pairs: Vec<_> = self.pairs.iter().map(|(ids, (positive, _))| (ids, *positive)).collect();
            pairs.sort_unstable();
            pairs
        })
    }

    /// How many pairs there are, how many of them the truth knows of, and how many are true.
    pub(super) fn judge(&self, pairs: impl Iterator<Item = (String, String)>) -> (usize, usize, usize) {
        let (mut listed, mut judged, mut hits) = (0, 0, 0);
        for ids in pairs {
            listed += 1;
            let known = self.pairs.get(&ids);
            judged += usize::from(self.complete || known.is_some());
            hits += usize::from(known.is_some_and(|(positive, _)| *positive));
        }
        (listed, judged, hits)
    }

    /// The true pairs by similarity in steps of 0.05: the step, how many there are, and how many of them `has` says
    /// were found.
    pub(super) fn by_similarity(&self, has: impl Fn(&(String, String)) -> bool) -> Vec<(u32, usize, usize)> {
        let mut steps: std::collections::BTreeMap<u32, (usize, usize)> = std::collections::BTreeMap::new();
        for (ids, (positive, similarity)) in &self.pairs {
            if let (true, Some(similarity)) = (positive, similarity) {
                // Rounding aside, 0.85 is the start of its step.
                let step = steps.entry(((similarity + 1e-9) * 20.0) as u32).or_default();
                step.0 += 1;
                step.1 += usize::from(has(ids));
            }
        }
        steps.into_iter().map(|(step, (all, found))| (step, all, found)).collect()
    }
}
