//! Measures against what people judged: how well each tells pairs apart, and at which value best.

use super::Corpus;
use crate::dedup::plan;
use crate::interrupt::CANCEL;
use crate::progress::Bars;
use crate::terminal::outln;
use anyhow::{Result, bail};
use onefold_detect::measure::{Overlap, bag, cosine, edit, overlap};
use onefold_detect::text::{Normaliser, ShingleSet, Shingling};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

/// How well a measure tells labelled pairs apart.
#[derive(Debug, Serialize)]
pub(super) struct Measure {
    measure: &'static str,
    /// Probability that a pair judged alike scores above one judged not.
    auc: f64,
    /// Best F1, and the value from which a pair is taken for alike there.
    f1: f64,
    threshold: f64,
    precision: f64,
    recall: f64,
}

/// What is compared of a document.
struct Parts {
    shingles: ShingleSet,
    /// Of each shingle, how rare it is among the labelled documents.
    rare: Vec<f64>,
    triples: ShingleSet,
    words: Vec<u64>,
    counts: Vec<(u64, u32)>,
    bag: ShingleSet,
}

type Compare = fn(&Parts, &Parts) -> f64;

/// Words of which two texts may differ for the edit distance to be worked out.
const LONG: usize = 200_000;

const MEASURES: [(&str, Compare); 10] = [
    ("resemblance", |a, b| of(a, b).resemblance()),
    ("resemblance, word:3", |a, b| triples(a, b).resemblance()),
    ("resemblance less differences", |a, b| triples(a, b).less_differences()),
    ("resemblance, by rareness", by_rareness),
    ("containment, of the smaller", |a, b| smaller(of(a, b))),
    ("containment, of the larger", |a, b| larger(of(a, b))),
    // Of the smaller, times the root of how the lengths compare.
    ("containment, with length", |a, b| (smaller(of(a, b)) * larger(of(a, b))).sqrt()),
    ("resemblance, counted", |a, b| overlap(a.bag.hashes(), b.bag.hashes()).resemblance()),
    ("cosine of words", |a, b| cosine(&a.counts, &b.counts)),
    ("insertions and deletions of words", |a, b| {
        if a.words.len().max(b.words.len()) > LONG { 0.0 } else { edit::indel_similarity(&a.words, &b.words) }
    }),
];

fn of(a: &Parts, b: &Parts) -> Overlap {
    overlap(a.shingles.hashes(), b.shingles.hashes())
}

fn triples(a: &Parts, b: &Parts) -> Overlap {
    overlap(a.triples.hashes(), b.triples.hashes())
}

fn smaller(overlap: Overlap) -> f64 {
    f64::from(overlap.shared) / f64::from(overlap.first.min(overlap.second).max(1))
}

fn larger(overlap: Overlap) -> f64 {
    f64::from(overlap.shared) / f64::from(overlap.first.max(overlap.second).max(1))
}

/// Resemblance with shingles weighted by log(documents / documents with it).
fn by_rareness(a: &Parts, b: &Parts) -> f64 {
    let (first, second) = (a.shingles.hashes(), b.shingles.hashes());
    let weights = |parts: &Parts| parts.rare.iter().sum::<f64>();
    let shared: f64 = first
        .iter()
        .zip(&a.rare)
        .filter(|(hash, _)| second.binary_search(hash).is_ok())
        .map(|(_, weight)| weight)
        .sum();
    let all = weights(a) + weights(b) - shared;
    if all > 0.0 { shared / all } else { 0.0 }
}

/// Weighs the shingles of all documents by how few have them.
fn weigh<'p>(documents: impl Iterator<Item = &'p mut Parts>) {
    let mut documents: Vec<&mut Parts> = documents.collect();
    let mut having: HashMap<u64, u32> = HashMap::new();
    for &hash in documents.iter().flat_map(|parts| parts.shingles.hashes()) {
        *having.entry(hash).or_default() += 1;
    }
    let count = documents.len() as f64;
    for parts in &mut documents {
        let rare = |hash: &u64| (count / f64::from(having[hash])).ln();
        parts.rare = parts.shingles.hashes().iter().map(rare).collect();
    }
}

pub(super) fn measure(corpus: &Corpus<'_>, pairs: Vec<(&(String, String), bool)>) -> Result<Vec<Measure>> {
    let bars = Bars::new(true);
    let wanted: HashSet<String> = pairs.iter().flat_map(|((a, b), _)| [a.clone(), b.clone()]).collect();
    let plan = plan(&corpus.arguments.input, &super::shared(&corpus.arguments.matching))?.tuned(None)?;
    let (shingle, choices) = (plan.shingle, plan.text);
    let texts = onefold_pipeline::texts(&corpus.job(plan, &bars)?, &wanted)?;
    let mut read = Normaliser::new(&choices);
    let mut parts: HashMap<&str, Parts> = texts
        .iter()
        .map(|(id, text)| {
            read.read(text);
            let words = read.token_hashes().to_vec();
            let scratch = &mut Vec::new();
            let parts = Parts {
                shingles: ShingleSet::of_with(&read, shingle, choices.bag, scratch),
                rare: Vec::new(),
                triples: ShingleSet::of(&read, Shingling::Words(3), scratch),
                counts: bag(&mut words.clone()),
                bag: ShingleSet::of_with(&read, shingle, true, scratch),
                words,
            };
            (id.as_str(), parts)
        })
        .collect();
    weigh(parts.values_mut());
    let mut known = Vec::new();
    for ((a, b), label) in pairs {
        match (parts.get(a.as_str()), parts.get(b.as_str())) {
            (Some(a), Some(b)) => known.push((a, b, label)),
            _ => bail!("the truth names {a:?} and {b:?}, and one of them is not in the input"),
        }
    }
    let mut measures = Vec::new();
    for (name, compare) in MEASURES {
        if CANCEL.load(Ordering::Relaxed) {
            bail!("interrupted");
        }
        let scored: Vec<(f64, bool)> = known.iter().map(|(a, b, label)| (compare(a, b), *label)).collect();
        measures.push(judge(name, scored));
    }
    Ok(measures)
}

/// Area under the curve and the best cut of some scores.
fn judge(measure: &'static str, mut scored: Vec<(f64, bool)>) -> Measure {
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all = scored.iter().filter(|(_, label)| *label).count();
    let (mut above, mut wins, mut best) = (0usize, 0.0, (0.0, 0.0, 0, 0));
    let mut seen = 0;
    for tied in scored.chunk_by(|a, b| a.0 == b.0) {
        let alike = tied.iter().filter(|(_, label)| *label).count();
        let unlike = tied.len() - alike;
        wins += unlike as f64 * (above as f64 + alike as f64 / 2.0);
        above += alike;
        seen += tied.len();
        let f1 = 2.0 * above as f64 / (seen + all).max(1) as f64;
        if f1 > best.0 {
            best = (f1, tied[0].0, above, seen);
        }
    }
    let unlike = scored.len() - all;
    let (f1, threshold, hits, taken) = best;
    Measure {
        measure,
        auc: wins / (all * unlike).max(1) as f64,
        f1,
        threshold,
        precision: hits as f64 / taken.max(1) as f64,
        recall: hits as f64 / all.max(1) as f64,
    }
}

pub(super) fn print(measures: &[Measure]) {
    outln!(
        "\n{:<34} {:>7} {:>7} {:>10} {:>9} {:>7}",
        "measure on labelled pairs",
        "AUC",
        "F1",
        "best from",
        "precision",
        "recall"
    );
    for found in measures {
        outln!(
            "{:<34} {:>7.4} {:>7.4} {:>10.4} {:>9.4} {:>7.4}",
            found.measure,
            found.auc,
            found.f1,
            found.threshold,
            found.precision,
            found.recall
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_shingle_counts_for_more_than_a_common_one() {
        let parts = |hashes: &[u64]| Parts {
            shingles: ShingleSet::from_hashes(hashes),
            rare: Vec::new(),
            triples: ShingleSet::from_hashes(&[]),
            words: Vec::new(),
            counts: Vec::new(),
            bag: ShingleSet::from_hashes(&[]),
        };
        // 1 is in all four, 2 and 3 in two each, all others in one.
        let mut all = [parts(&[1, 2, 5]), parts(&[1, 2, 6]), parts(&[1, 3, 7]), parts(&[1, 3, 8])];
        weigh(all.iter_mut());
        let (common, rare) = (by_rareness(&all[0], &all[2]), by_rareness(&all[0], &all[1]));
        assert_eq!(common, 0.0);
        // ln 2 of ln 2 + 2 ln 4.
        assert!((rare - 0.2).abs() < 1e-12, "{rare}");
    }

    #[test]
    fn a_perfect_measure_has_area_one_and_a_coin_one_half() {
        let perfect = judge("p", vec![(0.9, true), (0.8, true), (0.3, false)]);
        assert_eq!((perfect.auc, perfect.f1, perfect.threshold), (1.0, 1.0, 0.8));
        let coin = judge("c", vec![(0.5, true), (0.5, false), (0.5, true), (0.5, false)]);
        assert_eq!(coin.auc, 0.5);
    }
}
