//! What a job will need, from a sample of its input.

mod group;
mod sample;

use crate::census::{FeatureCounts, ShingleCensus};
use crate::error::Error;
use crate::job::{Job, working_folder};
use crate::large::Limits;
use crate::links;
use crate::piece::KEY_BYTES;
use crate::recipe::{Recipe, counted_sixteenths};
use crate::sketcher::{Sketcher, Sketches};
use crate::system;
use crate::table::BYTES_A_DOCUMENT;
use crate::urls::BYTES_A_VERSION;
use crate::write;
use group::Group;
use onefold_formats::compress::{Compression, window_bytes};
#[cfg(feature = "parquet")]
use onefold_formats::parquet::TableShape;
use onefold_formats::source::{Layout, Source};
use onefold_run::{KeepRule, Method};
use sample::{SAMPLE_BYTES, SAMPLE_SOURCES};
use std::path::Path;

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
    /// The same where the sample is off.
    pub enough_bytes: u64,
    /// Temporary files at most, where all records of compressed streams and tables have to be compared.
    pub temp_bytes: u64,
    /// Temporary files where those of them that have to be take no more than the files.
    pub least_temp_bytes: u64,
    /// Output with nothing removed, and compressed as well as the input.
    pub output_bytes: u64,
    /// Wall-clock time with the job's threads.
    pub seconds: f64,
    /// Why a run would be refused, if it would.
    pub refused: Option<String>,
}

/// What a run needs beside its documents: code, buffers of each thread.
pub(crate) const FIXED_BYTES: u64 = 24 << 20;
pub(crate) const BYTES_A_THREAD: u64 = 12 << 20;
/// What a file takes: its names, and its pieces.
const BYTES_A_SOURCE: u64 = 3 << 10;
/// What a document takes while it is decided, where all are one component: its place in the ranking and in the component, its
/// keeper, its verdict, the number of its shingles.
const BYTES_OF_DECIDING: u64 = 64;
/// The window of all but the highest levels of zstd; smaller ones are part of what a thread takes.
const USUAL_WINDOW: u64 = 8 << 20;
/// What the evidence of a document takes beside its names.
const EVIDENCE_BYTES: u64 = 320;
/// Bytes of the line of a bad record, and of what is noted of it until then.
const BAD_BYTES: u64 = 200;
/// What a piece notes of a record tied to a document, and for each name that it is tied by.
const LINK_BYTES: u64 = 150;
const LINK_NAME_BYTES: u64 = 43;
/// A file takes up whole blocks of the disk: one that is kept, its piece, and each that is written beside them.
const BLOCK_BYTES: u64 = 4 << 10;
const FILES_BESIDE: u64 = 6;
/// What the manifest says of an input beside its names.
const MANIFEST_BYTES: u64 = 320;
/// Opening, reading, noting and writing a file, whatever is in it, by one thread: 20,000 files of 600 bytes take two threads 7 s.
const SECONDS_A_FILE: f64 = 4e-4;
/// Reading a megabyte of a compressed stream again and compressing what it holds, by one thread.
const SECONDS_A_MB_OF_GZIP: f64 = 0.1;
const SECONDS_A_MB_OF_STREAM: f64 = 0.03;
/// What writing a table takes beside the columns that are written together: the rows that are handed over, as they were read
/// and without those that go.
#[cfg(feature = "parquet")]
const TABLE_BYTES: u64 = 24 << 20;
/// What a chunk of a column takes: its place in the footer, as it is read, with types of ours, and as it is written.
#[cfg(feature = "parquet")]
const BYTES_A_CHUNK: u64 = 3 << 10;
/// A sample is off: what is recommended has room for this part of the documents more, one in so many.
pub(crate) const MARGIN: u64 = 2;
/// A sample of a corpus that is the same throughout is off by less than this part, one in so many.
const MARGIN_OF_SAMPLE: u64 = 32;
/// The largest document of all may be larger than that of a sample: room for this part of it more, one in so many.
const MARGIN_OF_LARGEST: u64 = 8;
/// Verification, matching and writing together cost about this much of reading.
const BEHIND_READING: f64 = 0.7;

/// Estimates what a job needs that would write to `output`.
pub fn estimate(job: &Job<'_>, output: Option<&Path>) -> Result<Estimate, Error> {
    let own = match output {
        Some(output) => write::own(output, &working_folder(job, output)?),
        None => Vec::new(),
    };
    let found = job.selection.look_without(&job.plan.fields, &own)?;
    let estimate = expect(job, &found.sources)?;
    let refused = refusal(job, &estimate, output).map(|error| error.to_string());
    Ok(Estimate { refused, ..estimate })
}

/// Refuses what cannot hold.
pub(crate) fn check(job: &Job<'_>, sources: &[Source], output: Option<&Path>) -> Result<(), Error> {
    // Sampling costs time: what fits anyway is not sampled.
    if bound(job, sources).is_some_and(|most| refusal(job, &most, output).is_none()) {
        return Ok(());
    }
    refusal(job, &expect(job, sources)?, output).map_or(Ok(()), Err)
}

/// Why a run that needs this cannot be.
fn refusal(job: &Job<'_>, estimate: &Estimate, output: Option<&Path>) -> Option<Error> {
    let budget = job.resources.memory_bytes;
    if estimate.memory_bytes > budget {
        let (needed_mib, budget_mib) = (estimate.memory_bytes.div_ceil(1 << 20), budget >> 20);
        let enough_mib = estimate.enough_bytes.div_ceil(1 << 20);
        let &Estimate { documents, sources, .. } = estimate;
        return Some(Error::Memory { documents, sources, needed_mib, enough_mib, budget_mib });
    }
    let disk = |path: &Path, needed: u64| {
        let free = system::free_disk(path).filter(|&free| free < needed)?;
        let (needed_mib, free_mib) = (needed.div_ceil(1 << 20), free >> 20);
        Some(Error::Disk { path: path.to_owned(), needed_mib, free_mib })
    };
    match (output, &job.resources.temp) {
        (Some(output), Some(temp)) => {
            disk(output, estimate.output_bytes).or_else(|| disk(temp, estimate.least_temp_bytes))
        }
        (Some(output), None) => disk(output, estimate.output_bytes + estimate.least_temp_bytes),
        (None, Some(temp)) => disk(temp, estimate.least_temp_bytes),
        (None, None) => None,
    }
}

/// What a job of a small input needs at most, without a look at it.
fn bound(job: &Job<'_>, sources: &[Source]) -> Option<Estimate> {
    let input_bytes: u64 = sources.iter().map(|source| source.size).sum();
    let most = job.plan.max_document_bytes;
    let largest = sources.iter().map(|source| match source.layout {
        Layout::Plain => source.size.min(most),
        Layout::Members | Layout::Stream | Layout::Rows => most,
    });
    let largest = Limits::of(job).memory_at_most(largest.max().unwrap_or(0));
    let has_tables = sources.iter().any(|source| source.layout == Layout::Rows);
    if input_bytes >= 1 << 30 || has_tables || largest > Limits::of(job).largest {
        return None;
    }
    // Documents of 50 bytes, compressed to a fifth.
    let documents = input_bytes / 10;
    let shingle_keys = shingle_keys_at_most(job, input_bytes);
    let names = 5 * input_bytes;
    Some(needs(
        job,
        sources,
        &Expected { documents, shingle_keys, names, urls_as_ids: names, ..Expected::default() },
    ))
}

/// What reading a part of the input lets expect of the whole.
#[derive(Default)]
struct Expected {
    documents: u64,
    /// Records tied to documents.
    links: u64,
    /// Names that they are tied by.
    link_names: u64,
    /// What the largest document takes.
    largest: u64,
    tables: TableNeeds,
    /// Keys of shingles, of all documents.
    shingle_keys: u64,
    /// Bytes of the ids, URLs and sources of all documents.
    names: u64,
    /// Bytes of the URLs that are ids as well.
    urls_as_ids: u64,
    /// Records that are bad.
    bad: u64,
    /// Bytes of the records of files without addresses.
    unpacked: u64,
    seconds: f64,
}

impl Expected {
    fn and(self, other: Self) -> Self {
        Expected {
            documents: self.documents + other.documents,
            links: self.links + other.links,
            link_names: self.link_names + other.link_names,
            largest: self.largest.max(other.largest),
            tables: self.tables.max(other.tables),
            shingle_keys: self.shingle_keys + other.shingle_keys,
            names: self.names + other.names,
            urls_as_ids: self.urls_as_ids + other.urls_as_ids,
            bad: self.bad + other.bad,
            unpacked: self.unpacked + other.unpacked,
            seconds: self.seconds + other.seconds,
        }
    }
}

fn expect(job: &Job<'_>, sources: &[Source]) -> Result<Estimate, Error> {
    let total: u64 = sources.iter().map(|source| source.size).sum();
    let mut groups = Group::all(sources);
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
        for group in &mut groups {
            group.read(job, &mut |document, _| {
                sketcher.count(document, counter.as_mut(), features.as_ref());
            })?;
        }
        drop((sketcher, counter));
        recipe.shingles = shingles.map(ShingleCensus::finish);
        recipe.features = features.map(FeatureCounts::finish);
    }
    let (mut sketcher, mut sketches) = (Sketcher::new(&recipe), Sketches::default());
    let mut expected = Expected::default();
    for group in &mut groups {
        let seen = group.read(job, &mut |document, seen| {
            // What cannot be read costs time all the same.
            let _ = sketcher.sketch(document, &mut sketches);
            seen.shingle_keys += sketches.shingle_keys.len() as u64;
        })?;
        expected = expected.and(group.expected(job, &seen));
    }
    Ok(needs(job, sources, &expected))
}

/// What a run needs beside its documents.
pub(crate) fn needed_bytes(job: &Job<'_>) -> u64 {
    FIXED_BYTES + BYTES_A_THREAD * job.resources.threads as u64
}

/// What the largest of some tables takes, beside what any run needs.
#[derive(Clone, Copy, Debug, Default)]
struct TableNeeds {
    /// Reading it, two pages at a time and one packed.
    read: u64,
    /// Writing it again.
    written: u64,
    footer: u64,
}

impl TableNeeds {
    #[cfg(feature = "parquet")]
    fn of(job: &Job<'_>, shape: TableShape) -> Self {
        let annotation = if job.switches.annotate { TableShape::ANNOTATION } else { 0 };
        // Pages are there as they are and packed. Of a small table nothing can be large.
        let written = (TABLE_BYTES + 2 * (shape.written_at_once + annotation))
            .min(shape.plain_bytes.saturating_mul(4).saturating_add(shape.written_at_once + annotation));
        TableNeeds { read: 3 * shape.largest_page, written, footer: shape.chunks * BYTES_A_CHUNK }
    }

    fn max(self, other: Self) -> Self {
        TableNeeds {
            read: self.read.max(other.read),
            written: self.written.max(other.written),
            footer: self.footer.max(other.footer),
        }
    }

    /// The budget that has room for it.
    fn budget(self, job: &Job<'_>) -> u64 {
        needed_bytes(job) + self.written + self.footer + self.read.saturating_sub(BYTES_A_THREAD)
    }
}

fn needs(job: &Job<'_>, sources: &[Source], expected: &Expected) -> Estimate {
    let &Expected {
        documents,
        links,
        link_names,
        largest,
        tables,
        shingle_keys,
        names,
        urls_as_ids,
        bad,
        unpacked,
        seconds,
    } = expected;
    let input_bytes: u64 = sources.iter().map(|source| source.size).sum();
    let recipe = Recipe::blank(&job.plan, input_bytes);
    let keys = left_by_document(&recipe);
    let streams = sources.iter().filter(|source| matches!(source.layout, Layout::Stream | Layout::Rows));
    let features = if job.plan.counts_features() { FeatureCounts::BYTES } else { 0 };
    // Each name stands in the lines of a document that goes and of its cluster, and in those of which it is the keeper.
    let evidence = documents * EVIDENCE_BYTES + 3 * (names + urls_as_ids) + bad * BAD_BYTES;
    let packed: u64 = streams.map(|source| source.size).sum();
    let temp = documents * (keys + 128)
        + names
        + shingle_keys * KEY_BYTES as u64
        + links * LINK_BYTES
        + link_names * LINK_NAME_BYTES
        + bad * BAD_BYTES
        + sources.len() as u64 * BLOCK_BYTES;
    let held = held_by_documents(&recipe, documents + documents / MARGIN_OF_SAMPLE);
    let beside =
        features + sources.len() as u64 * BYTES_A_SOURCE + links::bytes(links) + windows(job, sources);
    let memory = |largest: u64| {
        (needed_bytes(job) + beside + held)
            .max(Limits::of(job).budget_for(largest))
            .max(tables.budget(job) + held)
    };
    Estimate {
        sources: sources.len() as u64,
        input_bytes,
        documents,
        memory_bytes: memory(largest),
        enough_bytes: memory(largest + largest / MARGIN_OF_LARGEST) + held / MARGIN,
        temp_bytes: temp + unpacked.max(packed),
        least_temp_bytes: temp + packed,
        // Large documents may stay and small ones go, so that neither is instead of the other.
        output_bytes: kept_bytes(sources) + evidence + FILES_BESIDE * BLOCK_BYTES,
        seconds: seconds + seconds_of_files(job, sources),
        refused: None,
    }
}

/// What files take that are kept whole, and what the manifest says of them.
fn kept_bytes(sources: &[Source]) -> u64 {
    let on_disk = |source: &Source| source.size.next_multiple_of(BLOCK_BYTES);
    let told = |source: &Source| MANIFEST_BYTES + 2 * source.name.len() as u64;
    sources.iter().map(|source| on_disk(source) + told(source)).sum()
}

/// What files cost beside their documents: opening and writing each, and the streams that are read once more and compressed anew,
/// each by one thread.
fn seconds_of_files(job: &Job<'_>, sources: &[Source]) -> f64 {
    let a_mb = |source: &Source| match (source.layout, source.compression) {
        (Layout::Stream, Compression::Gzip) => SECONDS_A_MB_OF_GZIP,
        (Layout::Stream, _) => SECONDS_A_MB_OF_STREAM,
        _ => 0.0,
    };
    let streams = sources.iter().map(|source| source.size as f64 / 1e6 * a_mb(source));
    let (all, longest) = streams.fold((0.0, 0.0), |(all, longest), one| (all + one, f64::max(longest, one)));
    let threads = job.resources.threads.max(1) as f64;
    sources.len() as f64 * SECONDS_A_FILE / threads + f64::max(longest, all / threads)
}

/// What windows of zstd take beyond the usual ones: each thread may read a file of its own. A file that cannot be looked at is
/// told of when it is read.
fn windows(job: &Job<'_>, sources: &[Source]) -> u64 {
    let mut windows: Vec<u64> = sources.iter().map(|source| window_bytes(source).unwrap_or(0)).collect();
    windows.sort_unstable_by_key(|&window| std::cmp::Reverse(window));
    let beyond = windows.iter().map(|window| window.saturating_sub(USUAL_WINDOW));
    beyond.take(job.resources.threads.max(1)).sum()
}

/// Memory that so many documents take until the end of a run, wherever their text is.
pub(crate) fn held_by_documents(recipe: &Recipe<'_>, documents: u64) -> u64 {
    let versions = if recipe.plan.keeps_newest_version() { BYTES_A_VERSION } else { 0 };
    let fingerprint = if recipe.layout.has_fingerprint() { size_of::<u128>() as u64 } else { 0 };
    let set_len = if recipe.layout.has_set() { size_of::<u32>() as u64 } else { 0 };
    let fine_rank = if matches!(recipe.plan.keep, KeepRule::Field(_)) { size_of::<u16>() as u64 } else { 0 };
    let is_exact = recipe.plan.method == Method::Exact && recipe.plan.containment.is_none();
    let deciding = if is_exact { 0 } else { BYTES_OF_DECIDING };
    documents * (BYTES_A_DOCUMENT + versions + fingerprint + set_len + fine_rank + deciding)
}

/// The part of the budget that stages behind reading share out: what so many documents and the windows of files take is not
/// theirs.
pub(crate) fn shared_bytes(job: &Job<'_>, recipe: &Recipe<'_>, sources: &[Source], documents: u64) -> u64 {
    let taken = held_by_documents(recipe, documents) + windows(job, sources);
    job.resources.memory_bytes.saturating_sub(taken)
}

/// Bytes of keys and signature that a document leaves when it is read.
pub(crate) fn left_by_document(recipe: &Recipe<'_>) -> u64 {
    keys_a_document(recipe) * KEY_BYTES as u64 + recipe.layout.bytes() as u64
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
