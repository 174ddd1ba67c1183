//! What a job will need, from a sample of its input.

use crate::census::{FeatureCounts, ShingleCensus};
use crate::error::Error;
use crate::job::Job;
use crate::piece::KEY_BYTES;
use crate::recipe::{Recipe, counted_sixteenths};
use crate::scan::parser;
use crate::sketcher::{Sketcher, Sketches};
use crate::system;
use crate::table::BYTES_A_DOCUMENT;
use crate::urls::BYTES_A_VERSION;
use onefold_formats::Block;
use onefold_formats::document::{Document, Parsed};
use onefold_formats::reader::{Progress, Reader};
use onefold_formats::source::{Layout, Source};

use std::path::Path;
use std::time::Instant;

/// What a job is expected to need.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Files.
    pub sources: u64,
    /// Bytes of all files.
    pub input_bytes: u64,
    /// Documents.
    pub documents: u64,
    /// Memory, whatever the budget.
    pub memory_bytes: u64,
    /// Temporary files.
    pub temp_bytes: u64,
    /// Output at most, with nothing removed.
    pub output_bytes: u64,
    /// Wall-clock time with the job's threads.
    pub seconds: f64,
}

/// Records looked at in one source.
const SAMPLE_BYTES: usize = 4 << 20;
/// Sources looked into, spread over all.
const SAMPLE_SOURCES: usize = 8;
/// What a run needs beside its documents: code, buffers of each thread.
const FIXED_BYTES: u64 = 24 << 20;
const BYTES_A_THREAD: u64 = 12 << 20;
/// Verification, matching and writing together cost about this much of reading.
const BEHIND_READING: f64 = 0.7;

/// Estimates what a job needs.
pub fn estimate(job: &Job<'_>) -> Result<Estimate, Error> {
    let found = job.selection.look(&job.plan.fields)?;
    sample(job, &found.sources)
}

/// Refuses what cannot hold.
pub(crate) fn check(job: &Job<'_>, sources: &[Source], output: Option<&Path>) -> Result<(), Error> {
    let estimate = quick(job, sources)?;
    let budget = job.resources.memory_bytes;
    if estimate.memory_bytes > budget {
        let (needed_mib, budget_mib) = (estimate.memory_bytes.div_ceil(1 << 20), budget >> 20);
        return Err(Error::Memory { documents: estimate.documents, needed_mib, budget_mib });
    }
    let disk = |path: &Path, needed: u64| match system::free_disk(path) {
        Some(free) if free < needed => Err(Error::Disk {
            path: path.to_owned(),
            needed_mib: needed.div_ceil(1 << 20),
            free_mib: free >> 20,
        }),
        _ => Ok(()),
    };
    match (output, &job.resources.temp) {
        (Some(output), Some(temp)) => {
            disk(output, estimate.output_bytes)?;
            disk(temp, estimate.temp_bytes)
        }
        (Some(output), None) => disk(output, estimate.output_bytes + estimate.temp_bytes),
        (None, Some(temp)) => disk(temp, estimate.temp_bytes),
        (None, None) => Ok(()),
    }
}

/// Sampling costs time: small inputs fit anywhere and are not sampled.
fn quick(job: &Job<'_>, sources: &[Source]) -> Result<Estimate, Error> {
    let input_bytes: u64 = sources.iter().map(|source| source.size).sum();
    // Even documents of 50 bytes, compressed to a fifth, fit.
    let worst = needs(job, sources, &Expected { documents: input_bytes / 10, ..Expected::default() });
    if worst.memory_bytes <= job.resources.memory_bytes && input_bytes < 1 << 30 {
        let shingle_keys = shingle_keys_at_most(job, input_bytes);
        let expected = Expected { documents: input_bytes / 1000, shingle_keys, seconds: 0.0 };
        return Ok(needs(job, sources, &expected));
    }
    sample(job, sources)
}

/// What reading a part of the input lets expect of the whole.
#[derive(Default)]
struct Expected {
    documents: u64,
    /// Keys of shingles, of all documents.
    shingle_keys: u64,
    seconds: f64,
}

/// What was seen of a sample.
#[derive(Default)]
struct Seen {
    documents: u64,
    shingle_keys: u64,
    /// Bytes of the sources, as they are on disk.
    bytes: u64,
}

fn sample(job: &Job<'_>, sources: &[Source]) -> Result<Estimate, Error> {
    let started = Instant::now();
    let total: u64 = sources.iter().map(|source| source.size).sum();
    let mut recipe = Recipe::blank(&job.plan, total);
    // What the whole input is counted for is counted on the sample too: it costs time, and says what keys there are.
    if job.plan.counts_shingles() || job.plan.counts_features() {
        let shingles = job.plan.counts_shingles().then(|| {
            let sampled = (SAMPLE_BYTES * SAMPLE_SOURCES) as u64;
            ShingleCensus::new(sampled.min(total), u64::MAX / 16, counted_sixteenths(&job.plan))
        });
        let features = job.plan.counts_features().then(FeatureCounts::new);
        let mut sketcher = Sketcher::new(&recipe);
        let mut counter = shingles.as_ref().map(ShingleCensus::worker);
        read_sample(job, sources, &mut |document, _| {
            sketcher.count(document, counter.as_mut(), features.as_ref());
        })?;
        drop((sketcher, counter));
        recipe.shingles = shingles.map(ShingleCensus::finish);
        recipe.features = features.map(FeatureCounts::finish);
    }
    let (mut sketcher, mut sketches) = (Sketcher::new(&recipe), Sketches::default());
    let seen = read_sample(job, sources, &mut |document, seen| {
        // What cannot be read costs time all the same.
        let _ = sketcher.sketch(document, &mut sketches);
        seen.shingle_keys += sketches.shingle_keys.len() as u64;
    })?;
    let scale = if seen.bytes == 0 { 1.0 } else { total as f64 / seen.bytes as f64 };
    let whole = |count: u64| (count as f64 * scale).ceil() as u64;
    let threads = job.resources.threads.max(1) as f64;
    let expected = Expected {
        documents: whole(seen.documents),
        shingle_keys: whole(seen.shingle_keys),
        seconds: started.elapsed().as_secs_f64() * scale * (1.0 + BEHIND_READING) / threads,
    };
    Ok(needs(job, sources, &expected))
}

/// Hands over the first documents of some sources.
fn read_sample(
    job: &Job<'_>,
    sources: &[Source],
    take: &mut dyn FnMut(&Document<'_>, &mut Seen),
) -> Result<Seen, Error> {
    let mut all = Seen::default();
    let limit = job.plan.max_document_bytes as usize;
    let mut block = Block::default();
    let step = sources.len().div_ceil(SAMPLE_SOURCES).max(1);
    for source in sources.iter().step_by(step) {
        let mut reader = Reader::open(source, &job.plan.fields, limit, (0, 0))?;
        let parser = parser(source, job)?;
        let mut seen = 0;
        let mut whole = false;
        while seen < SAMPLE_BYTES {
            if reader.next_block(&mut block)? != Progress::Block {
                whole = true;
                break;
            }
            for frame in &block.frames {
                if let Parsed::Document(document) = parser.parse(block.bytes_of(frame), &frame.kind) {
                    take(&document, &mut all);
                    all.documents += 1;
                }
                seen += frame.end - frame.start;
            }
        }
        all.bytes += match source.layout {
            _ if whole => source.size,
            Layout::Plain | Layout::Members => reader.position().0,
            // Web text compresses to about a third.
            Layout::Stream | Layout::Rows => (seen as u64 / 3).min(source.size),
        };
    }
    Ok(all)
}

/// What a run needs beside its documents.
pub(crate) fn needed_bytes(job: &Job<'_>) -> u64 {
    FIXED_BYTES + BYTES_A_THREAD * job.resources.threads as u64
}

fn needs(job: &Job<'_>, sources: &[Source], expected: &Expected) -> Estimate {
    let &Expected { documents, shingle_keys, seconds } = expected;
    let input_bytes: u64 = sources.iter().map(|source| source.size).sum();
    let recipe = Recipe::blank(&job.plan, input_bytes);
    let keys = keys_a_document(&recipe) * KEY_BYTES as u64 + recipe.layout.bytes() as u64;
    let streams = sources.iter().filter(|source| matches!(source.layout, Layout::Stream | Layout::Rows));
    let versions = if job.plan.keeps_newest_version() { BYTES_A_VERSION } else { 0 };
    let fingerprint = if recipe.layout.has_fingerprint() { size_of::<u128>() as u64 } else { 0 };
    let set_len = if recipe.layout.has_set() { size_of::<u32>() as u64 } else { 0 };
    let features = if job.plan.counts_features() { FeatureCounts::BYTES } else { 0 };
    let spool: u64 = streams.map(|source| source.size).sum();
    Estimate {
        sources: sources.len() as u64,
        input_bytes,
        documents,
        memory_bytes: needed_bytes(job)
            + features
            + documents * (BYTES_A_DOCUMENT + versions + fingerprint + set_len),
        temp_bytes: documents * (keys + 128) + shingle_keys * KEY_BYTES as u64 + spool,
        output_bytes: input_bytes + documents * 40,
        seconds,
    }
}

/// Keys of bands and tables that a document leaves.
fn keys_a_document(recipe: &Recipe<'_>) -> u64 {
    let plan = recipe.plan;
    let bands = if plan.method.has_signature() { plan.bands.bands as u64 } else { 0 };
    bands + recipe.tables.as_ref().map_or(0, |tables| tables.len() as u64)
}

/// Keys of shingles at most: a shingle starts every six bytes or so. By resemblance sets meet in their prefixes, by
/// containment in all that others have too.
fn shingle_keys_at_most(job: &Job<'_>, input_bytes: u64) -> u64 {
    let share = match job.plan.containment {
        Some(_) => 1.0,
        None if job.plan.counts_shingles() => 1.0 - job.plan.threshold,
        None => 0.0,
    };
    (input_bytes as f64 / 6.0 * share) as u64
}
