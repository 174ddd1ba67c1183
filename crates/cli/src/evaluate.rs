//! `onefold evaluate`: how well methods do against a truth, side by side.

mod labels;
mod pages;
mod score;
mod truth;

use crate::args::{Evaluate, EvaluateOther, MatchArgs, MethodName};
use crate::dedup::{plan, resources};
use crate::inputs::{named, selection};
use crate::interrupt::CANCEL;
use crate::progress::Bars;
use crate::scratch::Scratch;
use crate::terminal::{note, outln};
use anyhow::{Context, Result, bail};
use onefold_pipeline::{Job, Selection, Switches, cpu_seconds};
use onefold_run::{Method, Plan};
use score::{Listing, Score};
use std::collections::HashMap;
use std::time::Instant;
use truth::Truth;

/// Pairs of ids in order, with their similarity.
pub(crate) type Pairs = HashMap<(String, String), f64>;

/// The two ids in order.
pub(crate) fn ordered(a: &str, b: &str) -> (String, String) {
    if a <= b { (a.to_owned(), b.to_owned()) } else { (b.to_owned(), a.to_owned()) }
}

pub(crate) fn run(arguments: &Evaluate) -> Result<()> {
    if let Some(EvaluateOther::Extract(arguments)) = &arguments.other {
        return pages::run(arguments);
    }
    let scratch = Scratch::new(&arguments.machine)?;
    let selection = selection(named(&arguments.input)?, &scratch, arguments.machine.quiet)?;
    let corpus = Corpus { arguments, selection, scratch };
    let threshold = arguments.matching.threshold.unwrap_or(Plan::default().threshold);
    if arguments.matching.method.is_some() {
        bail!("--methods LIST says which methods are held against the truth, not --method");
    }
    let given = arguments.truth.as_ref().map(|path| Truth::read(path, threshold)).transpose()?;
    check_methods(arguments, given.as_ref())?;
    let truth = match given {
        Some(truth) => truth,
        None => {
            let oracle = corpus.pairs(&MatchArgs {
                method: Some(MethodName::Join),
                threshold: Some(threshold),
                // The truth is whole, whatever the methods are held to.
                max_bucket: None,
                ..shared(&arguments.matching)
            })?;
            Truth::of_pairs(oracle.pairs)
        }
    };
    if truth.positives() == 0 {
        bail!("the truth has no pair at or above {threshold}: nothing can be found or missed");
    }
    if arguments.truth.is_some() {
        corpus.look_for(&truth)?;
    }
    let mut scores: Vec<Score> = Vec::new();
    for &method in &arguments.methods {
        let chosen =
            MatchArgs { method: Some(method), ..arguments.matching.clone() }.for_method(method.into());
        let listing = corpus.pairs(&chosen)?;
        scores.push(Score::of(Method::from(method).name(), &truth, listing));
    }
    let distances = if arguments.distances { Some(corpus.distances(&truth)?) } else { None };
    let labels = match truth.labelled() {
        Some(pairs) => Some(labels::measure(&corpus, pairs)?),
        None => None,
    };
    if arguments.json {
        let value = serde_json::json!({
            "version": 1,
            "threshold": threshold,
            "truth_pairs": truth.positives(),
            "sample": arguments.sample_documents,
            "methods": scores,
            "distances": distances,
            "measures": labels,
        });
        outln!("{value}");
        return Ok(());
    }
    outln!("{} pairs in the truth", truth.positives());
    if let Some(one_in) = arguments.sample_documents {
        outln!("on one document in {one_in}; intervals are of 95 %");
    }
    score::print(&scores, arguments.sample_documents.is_some());
    if let Some(distances) = &distances {
        outln!("\nfingerprints within k, unverified");
        outln!("{:>3} {:>9} {:>9} {:>8}", "k", "listed", "precision", "recall");
        for found in distances {
            outln!("{:>3} {:>9} {:>9.4} {:>8.4}", found.hamming, found.listed, found.precision, found.recall);
        }
    }
    if let Some(measures) = &labels {
        labels::print(measures);
    }
    Ok(())
}

/// Refuses flags that nothing here looks at: no method of the list, and not what makes or reads the truth.
fn check_methods(arguments: &Evaluate, truth: Option<&Truth>) -> Result<()> {
    let mut methods: Vec<Method> = arguments.methods.iter().map(|&method| method.into()).collect();
    let elsewhere: &[&str] = match truth {
        None => {
            let of_methods = MatchArgs { max_bucket: arguments.matching.max_bucket, ..MatchArgs::default() };
            of_methods.check_methods(&methods, &[])?;
            methods.push(Method::Join);
            &[]
        }
        // Labels are held against measures of shingles, too.
        Some(truth) if truth.labelled().is_some() => &["threshold", "shingle", "bag"],
        Some(_) => &["threshold"],
    };
    let distances: &[&str] = if arguments.distances { &["bits", "weight", "features"] } else { &[] };
    arguments.matching.check_methods(&methods, &[elsewhere, distances].concat())
}

/// Choices that hold for any method.
fn shared(given: &MatchArgs) -> MatchArgs {
    given.clone().for_method(Method::Join)
}

/// The documents that all methods are tried on.
pub(crate) struct Corpus<'a> {
    arguments: &'a Evaluate,
    selection: Selection,
    scratch: Scratch,
}

/// What the fingerprints within a distance come to.
#[derive(Debug, serde::Serialize)]
pub(crate) struct Distance {
    hamming: u32,
    listed: usize,
    precision: f64,
    recall: f64,
}

impl Corpus<'_> {
    fn job<'j>(&self, plan: Plan, bars: &'j Bars) -> Result<Job<'j>> {
        Ok(Job {
            plan,
            selection: self.selection.clone(),
            resources: resources(&self.arguments.machine)?,
            switches: Switches {
                max_bad_records: self.arguments.input.max_bad_records,
                sample_documents: self.arguments.sample_documents,
                ..Switches::default()
            },
            against: None,
            progress: bars,
            cancel: &CANCEL,
        })
    }

    /// Ids of the truth that no document has make every method look bad: all of them are an error, some a note.
    fn look_for(&self, truth: &Truth) -> Result<()> {
        let bars = Bars::new(true);
        let matching = MatchArgs { method: Some(MethodName::Simhash), ..MatchArgs::default() };
        let job = self.job(plan(&self.arguments.input, &matching)?.tuned(None)?, &bars)?;
        let mut missing = truth.ids();
        let all = missing.len();
        onefold_pipeline::fingerprints(&job, &self.scratch.path()?.join("work"), &mut |found| {
            missing.remove(found.id);
            Ok(())
        })?;
        let Some(first) = missing.iter().min() else { return Ok(()) };
        if missing.len() == all {
            bail!(
                "the truth names {first:?}, and no document of the input has this or any other of its {all} ids"
            );
        }
        if !self.arguments.machine.quiet {
            let (count, first) = (missing.len(), crate::terminal::escape(first));
            note!(
                "note: {count} of {all} ids of the truth are not in the input, such as {first}; their pairs count as missed"
            );
        }
        Ok(())
    }

    /// Every pair of documents that a method lists.
    fn pairs(&self, matching: &MatchArgs) -> Result<Listing> {
        let bars = Bars::new(self.arguments.machine.quiet);
        let tuned = plan(&self.arguments.input, matching)?.tuned(matching.given_bands())?;
        let name = tuned.method.name();
        let job = self.job(tuned, &bars)?;
        let (started, cpu) = (Instant::now(), cpu_seconds());
        let mut pairs = Pairs::new();
        let work = self.scratch.path()?.join("work");
        let outcome = onefold_pipeline::pairs(&job, &work, true, u64::MAX, &mut |pair| {
            pairs.insert(ordered(pair.id_a, pair.id_b), pair.similarity);
            Ok(())
        });
        bars.finish();
        outcome.with_context(|| format!("--method {name}"))?;
        Ok(Listing { pairs, seconds: started.elapsed().as_secs_f64(), cpu_seconds: cpu_seconds() - cpu })
    }

    /// Precision and recall of fingerprints within 0 to 10.
    fn distances(&self, truth: &Truth) -> Result<Vec<Distance>> {
        const MOST: u32 = 10;
        let bars = Bars::new(self.arguments.machine.quiet);
        let matching = MatchArgs { method: Some(MethodName::Simhash), ..self.arguments.matching.clone() };
        let plan = plan(&self.arguments.input, &matching.for_method(Method::Simhash))?.tuned(None)?;
        let bits = plan.simhash.bits.count();
        let job = self.job(plan, &bars)?;
        let (mut ids, mut fingerprints) = (Vec::new(), Vec::new());
        onefold_pipeline::fingerprints(&job, &self.scratch.path()?.join("work"), &mut |found| {
            if found.tokens > 0 {
                ids.push(found.id.to_owned());
                fingerprints.push(found.fingerprint);
            }
            Ok(())
        })?;
        bars.finish();
        let within = onefold_detect::matching::within(&fingerprints, bits, MOST);
        Ok((0..=MOST)
            .map(|hamming| {
                let near = |&&(a, b): &&(u32, u32)| {
                    (fingerprints[a as usize] ^ fingerprints[b as usize]).count_ones() <= hamming
                };
                let pairs =
                    within.iter().filter(near).map(|&(a, b)| ordered(&ids[a as usize], &ids[b as usize]));
                let (listed, judged, hits) = truth.judge(pairs);
                Distance {
                    hamming,
                    listed,
                    precision: hits as f64 / judged.max(1) as f64,
                    recall: hits as f64 / truth.positives() as f64,
                }
            })
            .collect())
    }
}
