//! What bands would find in a corpus, from all pairs of a sample of its texts.
//!
//! Equal texts are one by the time bands are looked at, so the sample is of different texts: those whose digests are
//! smallest when mixed once more, which is a draw of any n of N and the same in whatever order they are read. A pair of
//! the sample stands for N(N−1)/n(n−1) pairs.
//!
//! Of its signatures m values agree, and it counts for the probability that m agreeing values fill a band, every
//! arrangement of them being as likely. Over the errors of signatures the mean of that is 1 − (1 − sʳ)ᵇ at the true
//! resemblance, while the curve at m/N itself would lean to the high side. A pair with m/N below the threshold is found
//! in vain.
//!
//! Pairs of one document go together, so the error is that of a mean over documents (Hoeffding 1948): with mᵢ the
//! mean over the pairs of document i it is 2·√(Var(m)/n · (1 − n/N)) a pair.

use super::curves::Curves;
use crate::args::{FieldArgs, InputArgs, MatchArgs, Tune};
use crate::dedup::{listing, plan};
use crate::interrupt::CANCEL;
use crate::progress::Bars;
use crate::scratch::Scratch;
use anyhow::Result;
use onefold_detect::matching::Bands;
use onefold_detect::measure::overlap_reaching;
use onefold_detect::mix;
use onefold_pipeline::Error;
use onefold_run::Plan;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Bins of the histogram, each 0.05 wide; the last has 1 in it.
pub(super) const BINS: usize = 20;

/// A number of pairs of the corpus, and its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pairs {
    pub(super) expected: f64,
    pub(super) error: f64,
}

/// What one choice of bands comes to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    pub(super) candidates: Pairs,
    /// Those below the threshold.
    pub(super) below: Pairs,
    /// Pairs of the sample that share a bucket.
    pub(super) met: u64,
    pub(super) key_bytes: u64,
    pub(super) compare_seconds: f64,
}

#[derive(Debug)]
pub(super) struct Estimate {
    pub(super) documents: u64,
    pub(super) bad: u64,
    /// Texts that are not empty and differ from each other.
    pub(super) texts: u64,
    pub(super) sampled: u64,
    /// Pairs of the corpus that a pair of the sample stands for.
    pub(super) scale: f64,
    pub(super) histogram: [Pairs; BINS],
    /// By candidate, as the curves have them.
    pub(super) costs: Vec<Cost>,
    /// Shingles of a text in the mean, and the time two sets of so many take.
    pub(super) shingles: u64,
    pub(super) compare_seconds: f64,
}

struct Text {
    signature: Vec<u32>,
    tokens: u32,
}

pub(super) fn estimate(arguments: &Tune, curves: &Curves) -> Result<Estimate> {
    let bars = Bars::new(arguments.machine.quiet);
    let scratch = Scratch::new(&arguments.machine)?;
    let input = InputArgs::of(arguments.corpus.clone(), FieldArgs::with_text(&arguments.text_field));
    let matching = MatchArgs {
        shingle: arguments.shingle,
        signature: Some(arguments.signature),
        threshold: Some(arguments.threshold),
        recall: Some(arguments.recall),
        ..MatchArgs::default()
    };
    let plan = Plan {
        signature_bits: onefold_detect::measure::estimate::ValueBits::B32,
        ..plan(&input, &matching)?
    };
    let shingling = plan.shingle;
    let plan = plan.tuned(arguments.bands.zip(arguments.rows))?;
    let job = listing(plan, (&input, &arguments.machine), &scratch, &bars)?;
    let mut sample = Sample::new(arguments.sample as usize);
    let outcome = onefold_pipeline::fingerprints(&job, &scratch.path()?.join("work"), &mut |found| {
        if found.tokens > 0 {
            sample.take(found.digest, found.signature, found.tokens);
        }
        Ok(())
    });
    bars.finish();
    let counts = outcome?.counts;
    let (texts, sample) = sample.finish();
    let mut estimate = measure(curves, texts, &sample)?;
    (estimate.documents, estimate.bad) = (counts.read - counts.bad, counts.bad);
    let tokens: u64 = sample.iter().map(|text| u64::from(text.tokens)).sum();
    let mean = tokens / (sample.len() as u64).max(1);
    let shorter = match shingling {
        onefold_detect::text::Shingling::Words(len) => len as u64 - 1,
        onefold_detect::text::Shingling::Chars(_) => 0,
    };
    estimate.shingles = mean.saturating_sub(shorter).max(1);
    estimate.compare_seconds = compare_seconds(estimate.shingles as usize, curves.threshold);
    for (cost, candidate) in estimate.costs.iter_mut().zip(&curves.candidates) {
        cost.key_bytes = estimate.documents * candidate.bands.bands as u64 * KEY_BYTES;
        cost.compare_seconds = cost.candidates.expected * estimate.compare_seconds;
    }
    Ok(estimate)
}

/// A key and the number of its document.
const KEY_BYTES: u64 = 12;

/// The texts with the smallest mixed digests.
struct Sample {
    most: usize,
    /// Of every document, to count different texts.
    digests: Vec<u64>,
    texts: BTreeMap<u64, Text>,
}

impl Sample {
    fn new(most: usize) -> Self {
        Sample { most, digests: Vec::new(), texts: BTreeMap::new() }
    }

    fn take(&mut self, digest: u128, signature: &[u8], tokens: u32) {
        let key = mix::pair(digest as u64, (digest >> 64) as u64);
        self.digests.push(key);
        let full = self.texts.len() >= self.most;
        if full && self.texts.last_key_value().is_some_and(|(&last, _)| last <= key) {
            return;
        }
        let signature = signature.as_chunks::<4>().0.iter().map(|value| u32::from_le_bytes(*value)).collect();
        self.texts.insert(key, Text { signature, tokens });
        if self.texts.len() > self.most {
            self.texts.pop_last();
        }
    }

    /// The number of different texts, and the sample of them.
    fn finish(mut self) -> (u64, Vec<Text>) {
        self.digests.sort_unstable();
        self.digests.dedup();
        (self.digests.len() as u64, self.texts.into_values().collect())
    }
}

/// Sums over pairs, and over the pairs of each document.
struct Tally {
    by_document: Vec<f64>,
}

impl Tally {
    fn new(documents: usize) -> Self {
        Tally { by_document: vec![0.0; documents] }
    }

    fn add(&mut self, i: usize, j: usize, value: f64) {
        self.by_document[i] += value;
        self.by_document[j] += value;
    }

    /// Scaled to a corpus of so many texts.
    fn pairs(&self, texts: u64) -> Pairs {
        let (n, whole) = (self.by_document.len() as f64, texts as f64);
        if n < 2.0 {
            return Pairs::default();
        }
        let means: Vec<f64> = self.by_document.iter().map(|sum| sum / (n - 1.0)).collect();
        let mean = means.iter().sum::<f64>() / n;
        let variance = means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let all = whole * (whole - 1.0) / 2.0;
        let error = 2.0 * (variance / n * (1.0 - n / whole).max(0.0)).sqrt();
        Pairs { expected: all * mean, error: all * error }
    }
}

fn measure(curves: &Curves, texts: u64, sample: &[Text]) -> Result<Estimate, Error> {
    let n = sample.len();
    let len = curves.signature;
    let found: Vec<Vec<f64>> =
        curves.candidates.iter().map(|candidate| filling(candidate.bands, len)).collect();
    let mut bins: Vec<Tally> = (0..BINS).map(|_| Tally::new(n)).collect();
    let mut candidates: Vec<(Tally, Tally)> = found.iter().map(|_| (Tally::new(n), Tally::new(n))).collect();
    let mut met = vec![0; found.len()];
    for (j, b) in sample.iter().enumerate() {
        if CANCEL.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        for (i, a) in sample[..j].iter().enumerate() {
            let agree = a.signature.iter().zip(&b.signature).filter(|(x, y)| x == y).count();
            bins[(agree * BINS / len).min(BINS - 1)].add(i, j, 1.0);
            if agree == 0 {
                continue;
            }
            let below = (agree as f64 / len as f64) < curves.threshold;
            for (number, (all, false_ones)) in candidates.iter_mut().enumerate() {
                let probability = found[number][agree];
                all.add(i, j, probability);
                if below {
                    false_ones.add(i, j, probability);
                }
                let bands = curves.candidates[number].bands;
                let (a, b) = (a.signature.chunks_exact(bands.rows), b.signature.chunks_exact(bands.rows));
                met[number] +=
                    u64::from(agree >= bands.rows && a.zip(b).take(bands.bands).any(|(x, y)| x == y));
            }
        }
    }
    let mut histogram = [Pairs::default(); BINS];
    histogram.iter_mut().zip(&bins).for_each(|(pairs, tally)| *pairs = tally.pairs(texts));
    let costs = candidates.iter().zip(met).map(|((all, below), met)| Cost {
        candidates: all.pairs(texts),
        below: below.pairs(texts),
        met,
        ..Cost::default()
    });
    let pairs = |n: f64| (n * (n - 1.0)).max(1.0);
    Ok(Estimate {
        documents: 0,
        bad: 0,
        texts,
        sampled: n as u64,
        scale: pairs(texts as f64) / pairs(n as f64),
        histogram,
        costs: costs.collect(),
        shingles: 0,
        compare_seconds: 0.0,
    })
}

/// Signatures from which on the curve at m/N is near enough, and powers of 1/2 too small.
const LONG: usize = 1000;

/// Probability that m agreeing of `len` values fill a band, for every m.
fn filling(cut: Bands, len: usize) -> Vec<f64> {
    let Bands { bands, rows } = cut;
    if len > LONG {
        return (0..=len).map(|m| cut.probability(m as f64 / len as f64)).collect();
    }
    // Of all 2ⁿ ways to agree or not, the share with m agreeing: all of them, and those that fill no band.
    let all = with_more(&[1.0], len);
    let a_band = with_more(&[1.0], rows);
    let mut none = vec![1.0];
    for _ in 0..bands {
        let mut next = vec![0.0; none.len() + rows - 1];
        for (i, share) in none.iter().enumerate() {
            for (j, of_band) in a_band[..rows].iter().enumerate() {
                next[i + j] += share * of_band;
            }
        }
        none = next;
    }
    none = with_more(&none, len - bands * rows);
    none.resize(len + 1, 0.0);
    // Fewer than a band's rows fill none.
    let filled = |m: usize| if m < rows { 0.0 } else { (1.0 - none[m] / all[m]).max(0.0) };
    (0..=len).map(filled).collect()
}

/// Shares by the number of agreeing values, with so many values more that agree or not.
fn with_more(shares: &[f64], values: usize) -> Vec<f64> {
    let mut shares = shares.to_vec();
    for _ in 0..values {
        let before = std::mem::take(&mut shares);
        shares = vec![0.0; before.len() + 1];
        for (m, share) in before.iter().enumerate() {
            shares[m] += share / 2.0;
            shares[m + 1] += share / 2.0;
        }
    }
    shares
}

/// Time to compare two sets of so many shingles that lie halfway to the threshold, measured here and now.
fn compare_seconds(shingles: usize, threshold: f64) -> f64 {
    let shared = ((threshold / 2.0) * shingles as f64) as u64;
    let set = |salt: u64| {
        let mut set: Vec<u64> =
            (0..shingles as u64).map(|i| mix::pair(i, if i < shared { 0 } else { salt })).collect();
        set.sort_unstable();
        set
    };
    let (a, b) = (set(1), set(2));
    let rounds = (4_000_000 / (2 * shingles)).clamp(1, 20_000);
    let started = Instant::now();
    let mut reached = 0usize;
    for _ in 0..rounds {
        reached += usize::from(overlap_reaching(std::hint::black_box(&a), &b, threshold).is_some());
    }
    std::hint::black_box(reached);
    started.elapsed().as_secs_f64() / rounds as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curves() -> Curves {
        Curves::new(&Plan::default().tuned(None).unwrap(), false, &[])
    }

    fn text(topic: u64, differing: usize) -> Text {
        let signature =
            (0..128).map(|at| mix::pair(topic, at) as u32 ^ u32::from(at < differing as u64)).collect();
        Text { signature, tokens: 100 }
    }

    #[test]
    fn a_sample_of_all_texts_counts_all_pairs_without_error() {
        // A pair of resemblance 0.875, one of 0.5, and strangers.
        let sample: Vec<Text> =
            vec![text(1, 0), text(1, 16), text(2, 0), text(2, 64), text(3, 0), text(4, 0)];
        let curves = curves();
        let estimate = measure(&curves, 6, &sample).unwrap();
        assert_eq!(estimate.scale, 1.0);
        let counts: Vec<f64> = estimate.histogram.iter().map(|pairs| pairs.expected.round()).collect();
        assert_eq!((counts[0], counts[10], counts[17]), (13.0, 1.0, 1.0));
        assert!(estimate.histogram.iter().all(|pairs| pairs.error == 0.0));
        for (cost, candidate) in estimate.costs.iter().zip(&curves.candidates) {
            let by_agreement = filling(candidate.bands, 128);
            let (near, far) = (by_agreement[112], by_agreement[64]);
            assert!((cost.candidates.expected - near - far).abs() < 1e-9);
            assert!((cost.below.expected - far).abs() < 1e-9);
            // The pair of 0.875 differs in the first bands alone.
            assert_eq!(cost.met, 2);
        }
    }

    #[test]
    fn over_the_errors_of_signatures_the_mean_is_the_curve() {
        use onefold_detect::measure::curve::at_least;
        for (bands, rows, len) in [(21, 6, 128), (128, 1, 128), (1, 128, 128), (5, 3, 20), (100, 10, 1000)] {
            let bands = Bands { bands, rows };
            let found = filling(bands, len);
            for s in [0.05, 0.3, 0.5, 0.8, 0.95] {
                // P(m agree) as the difference of two tails.
                let tail = |m: usize| at_least(m as u32, len as u32, s);
                let mean: f64 = (0..=len).map(|m| (tail(m) - tail(m + 1)) * found[m]).sum();
                assert!((mean - bands.probability(s)).abs() < 1e-9, "{bands:?} {s}: {mean}");
            }
            assert_eq!((found[0], found[len]), (0.0, 1.0));
        }
        assert_eq!(filling(Bands { bands: 2, rows: 2 }, LONG + 1).len(), LONG + 2);
    }

    #[test]
    fn the_sample_is_the_same_in_any_order_and_has_no_copies() {
        let digest = |i: u64| u128::from(mix::pair(i, 1)) << 64 | u128::from(mix::pair(i, 2));
        let take = |order: &mut dyn Iterator<Item = u64>| {
            let mut sample = Sample::new(10);
            order.for_each(|i| sample.take(digest(i), &(i as u32).to_le_bytes(), 1));
            let (texts, sample) = sample.finish();
            (texts, sample.into_iter().map(|text| text.signature[0]).collect::<Vec<_>>())
        };
        let (texts, chosen) = take(&mut (0..100));
        assert_eq!((texts, chosen.len()), (100, 10));
        assert_eq!(take(&mut (0..100).rev().chain(0..50)), (texts, chosen));
    }

    #[test]
    fn the_error_covers_what_samples_scatter() {
        // 600 texts in families of 6: 15 pairs of resemblance 1 a family, 1,500 in all.
        let all: Vec<u64> = (0..600).map(|i| i / 6).collect();
        let curves = curves();
        let mut errors = Vec::new();
        for round in 0..40u64 {
            let mut order: Vec<(u64, u64)> =
                all.iter().enumerate().map(|(i, &family)| (mix::pair(i as u64, round + 7), family)).collect();
            order.sort_unstable();
            let sample: Vec<Text> = order[..200].iter().map(|&(_, family)| text(family, 0)).collect();
            let found = measure(&curves, 600, &sample).unwrap().histogram[BINS - 1];
            errors.push(((found.expected - 1500.0) / found.error, found.expected));
        }
        let mean = errors.iter().map(|(_, found)| found).sum::<f64>() / 40.0;
        assert!((mean - 1500.0).abs() < 75.0, "{mean}");
        let outside = errors.iter().filter(|(z, _)| z.abs() > 2.0).count();
        assert!(outside <= 6, "{outside} of 40 beyond two standard errors");
    }
}
