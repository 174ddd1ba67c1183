//! What a job will need, from a sample of its input.

use crate::error::Error;
use crate::job::Job;
use crate::piece::KEY_BYTES;
use crate::recipe::Recipe;
use crate::scan::parser;
use crate::sketcher::{Sketcher, Sketches};
use crate::system;
use crate::table::BYTES_A_DOCUMENT;
use crate::urls::BYTES_A_VERSION;
use onefold_formats::Block;
use onefold_formats::document::Parsed;
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
    let worst = needs(job, sources, input_bytes / 10, 0.0);
    if worst.memory_bytes <= job.resources.memory_bytes && input_bytes < 1 << 30 {
        return Ok(needs(job, sources, input_bytes / 1000, 0.0));
    }
    sample(job, sources)
}

fn sample(job: &Job<'_>, sources: &[Source]) -> Result<Estimate, Error> {
    let (mut documents, mut bytes) = (0u64, 0u64);
    let started = Instant::now();
    let limit = job.plan.max_document_bytes as usize;
    let recipe = Recipe::blank(&job.plan, sources.iter().map(|source| source.size).sum());
    let (mut sketcher, mut sketches) = (Sketcher::new(&recipe), Sketches::default());
    let mut block = Block::default();
    let step = sources.len().div_ceil(SAMPLE_SOURCES).max(1);
    for source in sources.iter().step_by(step) {
        let mut reader = Reader::open(source, &job.plan.fields, limit, (0, 0))?;
        let parser = parser(source, job)?;
        let mut seen = 0;
        let mut whole = false;
        let mut in_source = 0u64;
        while seen < SAMPLE_BYTES {
            if reader.next_block(&mut block)? != Progress::Block {
                whole = true;
                break;
            }
            for frame in &block.frames {
                if let Parsed::Document(document) = parser.parse(block.bytes_of(frame), &frame.kind) {
                    // What cannot be read costs time all the same.
                    let _ = sketcher.sketch(&document, &mut sketches);
                    in_source += 1;
                }
                seen += frame.end - frame.start;
            }
        }
        documents += in_source;
        bytes += match source.layout {
            _ if whole => source.size,
            Layout::Plain | Layout::Members => reader.position().0,
            // Web text compresses to about a third.
            Layout::Stream | Layout::Rows => (seen as u64 / 3).min(source.size),
        };
    }
    let total: u64 = sources.iter().map(|source| source.size).sum();
    let scale = if bytes == 0 { 1.0 } else { total as f64 / bytes as f64 };
    let expected = (documents as f64 * scale).ceil() as u64;
    let seconds = started.elapsed().as_secs_f64() * scale * (1.0 + BEHIND_READING)
        / job.resources.threads.max(1) as f64;
    Ok(needs(job, sources, expected, seconds))
}

fn needs(job: &Job<'_>, sources: &[Source], documents: u64, seconds: f64) -> Estimate {
    let input_bytes: u64 = sources.iter().map(|source| source.size).sum();
    let recipe = Recipe::blank(&job.plan, input_bytes);
    let keys = keys_a_document(&recipe) * KEY_BYTES as u64 + recipe.layout.bytes() as u64;
    let streams = sources.iter().filter(|source| matches!(source.layout, Layout::Stream | Layout::Rows));
    let versions = if job.plan.keeps_newest_version() { BYTES_A_VERSION } else { 0 };
    let spool: u64 = streams.map(|source| source.size).sum();
    Estimate {
        sources: sources.len() as u64,
        input_bytes,
        documents,
        memory_bytes: FIXED_BYTES
            + BYTES_A_THREAD * job.resources.threads as u64
            + documents * (BYTES_A_DOCUMENT + versions),
        temp_bytes: documents * (keys + 128) + spool,
        output_bytes: input_bytes + documents * 40,
        seconds,
    }
}

/// Keys a document leaves, roughly where it depends on the text.
fn keys_a_document(recipe: &Recipe<'_>) -> u64 {
    let plan = recipe.plan;
    let bands = if plan.method.has_signature() { plan.bands.bands as u64 } else { 0 };
    let tables = recipe.tables.as_ref().map_or(0, |tables| tables.len() as u64);
    // A page of 500 shingles of which a tenth is in other pages too.
    let shingles = if plan.counts_shingles() { 50 } else { 0 };
    bands + tables + shingles
}
