//! Some documents of a job's input, from several places of it.

use super::{BYTES_A_THREAD, TableNeeds};
use crate::error::Error;
use crate::job::Job;
use crate::large::Limits;
use crate::links::names_of_tied;
use crate::scan::parser;
use onefold_formats::document::{Document, Parsed};
#[cfg(feature = "parquet")]
use onefold_formats::parquet::table_shape;
use onefold_formats::reader::{Progress, Reader, start_behind};
use onefold_formats::source::{Layout, Source};
use onefold_formats::{BadKind, Block};

/// Bytes of records looked at in one source.
pub(super) const SAMPLE_BYTES: usize = 4 << 20;
/// Sources looked into, spread over all.
pub(super) const SAMPLE_SOURCES: usize = 8;
/// Stretches that the sample of a source is taken from, from its beginning to its end, where it can be read from the middle on:
/// what comes first or last in a file is at times unlike the rest.
const STRETCHES: u64 = 8;

/// What was seen of a source.
#[derive(Default)]
pub(super) struct Seen {
    /// Bytes it has on disk.
    pub(super) size: u64,
    pub(super) documents: u64,
    pub(super) links: u64,
    pub(super) link_names: u64,
    pub(super) largest: u64,
    pub(super) tables: TableNeeds,
    pub(super) shingle_keys: u64,
    pub(super) names: u64,
    pub(super) urls_as_ids: u64,
    pub(super) bad: u64,
    /// Bytes of it that were looked at, as they are on disk.
    pub(super) bytes: f64,
    /// The same if it is without addresses, and bytes of their records.
    pub(super) packed: (f64, f64),
}

impl Seen {
    /// What was seen of a part lets expect so many times as much of the whole.
    pub(super) fn factor(&self) -> f64 {
        if self.bytes > 0.0 { self.size as f64 / self.bytes } else { 1.0 }
    }
}

/// Hands over some documents of a source.
pub(super) fn read_sample(
    job: &Job<'_>,
    source: &Source,
    take: &mut dyn FnMut(&Document<'_>, &mut Seen),
) -> Result<Seen, Error> {
    let mut seen = Seen { size: source.size, ..Seen::default() };
    let mut rows = None;
    if source.layout == Layout::Rows
        && let Some((count, needs)) = table_needs(job, source)
    {
        rows = Some(count);
        seen.tables = needs;
        // The rows of a page that does not fit are not asked for.
        if needs.budget(job) > job.resources.memory_bytes {
            (seen.documents, seen.bytes) = (count, source.size as f64);
            return Ok(seen);
        }
    }
    let starts = stretches(source)?;
    for &start in &starts {
        let stretch = Stretch { source, rows, start, bytes: SAMPLE_BYTES / starts.len() };
        stretch.read(job, &mut seen, take)?;
    }
    Ok(seen)
}

/// Where the stretches of a source start.
fn stretches(source: &Source) -> Result<Vec<u64>, Error> {
    let mut starts = vec![0];
    if source.size > 2 * SAMPLE_BYTES as u64 {
        // The last one ends with the source.
        let rest = source.size - SAMPLE_BYTES as u64 / STRETCHES;
        for number in 1..STRETCHES {
            starts.extend(start_behind(source, rest / (STRETCHES - 1) * number)?);
        }
    }
    Ok(starts)
}

/// A part of a source that is looked at.
struct Stretch<'s> {
    source: &'s Source,
    /// Of a table, how many it has.
    rows: Option<u64>,
    start: u64,
    /// Bytes of records.
    bytes: usize,
}

impl Stretch<'_> {
    fn read(
        &self,
        job: &Job<'_>,
        all: &mut Seen,
        take: &mut dyn FnMut(&Document<'_>, &mut Seen),
    ) -> Result<(), Error> {
        let Stretch { source, rows, start, bytes } = *self;
        let limits = Limits::of(job);
        // One that does not fit is not looked at whole, and is told by that, unless it takes no more than a thread does anyway.
        let most = limits.longest().saturating_add(1).max(BYTES_A_THREAD).min(job.plan.max_document_bytes);
        let limit = most as usize;
        let fields = &job.plan.fields;
        let mut reader = Reader::open_stoppable(source, fields, limit, (start, 0), job.cancel)
            .map_err(|error| job.failed(error))?;
        let parser = parser(source, job)?;
        let mut block = Block::default();
        let (mut seen, mut frames, mut whole) = (0, 0, false);
        while seen < bytes {
            job.check()?;
            if reader.next_block(&mut block).map_err(|error| job.failed(error))? != Progress::Block {
                whole = true;
                break;
            }
            frames += block.frames.len() as u64;
            for frame in &block.frames {
                match parser.parse(block.bytes_of(frame), &frame.kind) {
                    Parsed::Document(document) => {
                        all.documents += 1;
                        let memory = limits.memory(&document, frame.end - frame.start);
                        all.largest = all.largest.max(memory);
                        let named = |name: &Option<_>| name.as_deref().map_or(0, str::len);
                        all.names += (named(&document.id) + named(&document.url) + source.name.len()) as u64;
                        if document.id.is_none() {
                            all.urls_as_ids += named(&document.url) as u64;
                        }
                        if memory <= limits.largest {
                            take(&document, all);
                        }
                    }
                    Parsed::Passed(Some(link)) => {
                        all.links += 1;
                        all.link_names += names_of_tied(&link).len() as u64;
                    }
                    Parsed::Bad(bad) if bad.kind == BadKind::TooLarge => {
                        // Hardly any of its bytes are in the block.
                        seen = seen.saturating_add(frame.length as usize);
                        if frame.length > job.plan.max_document_bytes {
                            all.bad += 1;
                            continue;
                        }
                        all.documents += 1;
                        all.names += source.name.len() as u64;
                        all.largest = all.largest.max(limits.memory_unread(frame.length));
                    }
                    Parsed::Bad(_) => all.bad += 1,
                    _ => {}
                }
                seen += frame.end - frame.start;
            }
        }
        let taken = match (source.layout, rows) {
            _ if whole => (source.size - start) as f64,
            (Layout::Plain | Layout::Members, _) => reader.position().0.saturating_sub(start) as f64,
            (Layout::Rows, Some(rows)) if rows > 0 => {
                source.size as f64 * (frames as f64 / rows as f64).min(1.0)
            }
            (Layout::Stream | Layout::Rows, _) => reader.bytes_taken().min(source.size) as f64,
        };
        all.bytes += taken;
        if matches!(source.layout, Layout::Stream | Layout::Rows) {
            all.packed = (all.packed.0 + taken, all.packed.1 + seen as f64);
        }
        Ok(())
    }
}

/// Rows of a table, and what it takes.
#[cfg(feature = "parquet")]
fn table_needs(job: &Job<'_>, source: &Source) -> Option<(u64, TableNeeds)> {
    let shape = table_shape(source)?;
    Some((shape.rows, TableNeeds::of(job, shape)))
}

#[cfg(not(feature = "parquet"))]
fn table_needs(_: &Job<'_>, _: &Source) -> Option<(u64, TableNeeds)> {
    None
}
