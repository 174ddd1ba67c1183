//! Precision, recall and F1 of a method.

use super::{Pairs, Truth};
use crate::terminal::{out, outln};
use serde::Serialize;

/// What a method listed, and what it took.
pub(crate) struct Listing {
    pub(super) pairs: Pairs,
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
}

/// How well a method did.
#[derive(Debug, Serialize)]
pub(super) struct Score {
    method: &'static str,
    listed: usize,
    /// Listed pairs that the truth knows of.
    judged: usize,
    found: usize,
    missed: usize,
    precision: f64,
    precision_interval: [f64; 2],
    recall: f64,
    recall_interval: [f64; 2],
    f1: f64,
    by_similarity: Vec<Step>,
    seconds: f64,
    cpu_seconds: f64,
}

/// True pairs of one step of similarity.
#[derive(Debug, Serialize)]
struct Step {
    from: f64,
    truth: usize,
    found: usize,
}

impl Score {
    pub(super) fn of(method: &'static str, truth: &Truth, listing: Listing) -> Self {
        let (listed, judged, found) = truth.judge(listing.pairs.keys().cloned());
        let positives = truth.positives();
        let steps = truth.by_similarity(|ids| listing.pairs.contains_key(ids));
        Score {
            method,
            listed,
            judged,
            found,
            missed: positives - found,
            precision: share(found, judged),
            precision_interval: wilson(found, judged),
            recall: share(found, positives),
            recall_interval: wilson(found, positives),
            f1: 2.0 * found as f64 / (judged + positives).max(1) as f64,
            by_similarity: steps
                .into_iter()
                .map(|(step, truth, found)| Step { from: f64::from(step) / 20.0, truth, found })
                .collect(),
            seconds: listing.seconds,
            cpu_seconds: listing.cpu_seconds,
        }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// Wilson's 95 % interval of a share.
pub(super) fn wilson(part: usize, whole: usize) -> [f64; 2] {
    const Z: f64 = 1.959_964;
    if whole == 0 {
        return [0.0, 1.0];
    }
    let (n, p) = (whole as f64, share(part, whole));
    let middle = p + Z * Z / (2.0 * n);
    let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    [((middle - spread) / scale).max(0.0), ((middle + spread) / scale).min(1.0)]
}

pub(super) fn print(scores: &[Score], intervals: bool) {
    outln!(
        "\n{:<10} {:>9} {:>9} {:>8} {:>9} {:>8} {:>7} {:>8} {:>8}",
        "method",
        "listed",
        "found",
        "missed",
        "precision",
        "recall",
        "F1",
        "seconds",
        "CPU"
    );
    for score in scores {
        outln!(
            "{:<10} {:>9} {:>9} {:>8} {:>9} {:>8.4} {:>7.4} {:>8.2} {:>8.2}",
            score.method,
            score.listed,
            score.found,
            score.missed,
            if score.judged == 0 { "-".to_owned() } else { format!("{:.4}", score.precision) },
            score.recall,
            score.f1,
            score.seconds,
            score.cpu_seconds
        );
        if intervals {
            let [low, high] = score.recall_interval;
            let [least, most] = score.precision_interval;
            outln!("{:<10} recall {low:.4} to {high:.4}, precision {least:.4} to {most:.4}", "");
        }
    }
    let Some(steps) = scores.first().map(|score| &score.by_similarity).filter(|steps| !steps.is_empty())
    else {
        return;
    };
    out!("\n{:<12} {:>8}", "similarity", "truth");
    scores.iter().for_each(|score| out!(" {:>9}", score.method));
    outln!();
    for (at, step) in steps.iter().enumerate() {
        out!("{:<12} {:>8}", format!("{:.2}–{:.2}", step.from, (step.from + 0.05).min(1.0)), step.truth);
        for score in scores {
            let step = &score.by_similarity[at];
            out!(" {:>9.4}", share(step.found, step.truth));
        }
        outln!();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_the_share_and_shrink_with_the_number() {
        let [low, high] = wilson(9, 10);
        assert!(low > 0.59 && low < 0.6 && high > 0.98 && high < 0.99, "{low} {high}");
        let [many_low, many_high] = wilson(900, 1000);
        assert!(many_low > low && many_high < high);
        assert_eq!(wilson(0, 0), [0.0, 1.0]);
    }
}
