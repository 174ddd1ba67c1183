//! Sources that a sample tells in the same way how many documents they hold.

use super::sample::{SAMPLE_BYTES, SAMPLE_SOURCES, Seen, read_sample};
use super::{BEHIND_READING, Expected};
use crate::error::Error;
use crate::job::Job;
use onefold_formats::document::Document;
use onefold_formats::source::{Format, Layout, Source};
use std::time::{Duration, Instant};

/// Sources of one document each looked into at most, where they are small.
const SAMPLE_FILES: usize = 64;

/// How many documents a source holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// The more, the larger it is.
    Records,
    /// One.
    Page,
    /// One, or none if it is without text, as a picture.
    File,
}

impl Holds {
    fn of(source: &Source) -> Self {
        match source.format {
            Format::Text | Format::Html => Holds::Page,
            Format::File => Holds::File,
            _ => Holds::Records,
        }
    }
}

/// Sources that hold documents in the same way.
pub(super) struct Group<'s> {
    holds: Holds,
    sources: Vec<&'s Source>,
    /// Time the sample has taken.
    elapsed: Duration,
}

impl<'s> Group<'s> {
    /// All sources, in groups.
    pub(super) fn all(sources: &'s [Source]) -> Vec<Self> {
        let group = |holds: Holds| {
            let sources = sources.iter().filter(|source| Holds::of(source) == holds).collect();
            Group { holds, sources, elapsed: Duration::ZERO }
        };
        [Holds::Records, Holds::Page, Holds::File].map(group).into()
    }

    /// Hands over some documents.
    pub(super) fn read(
        &mut self,
        job: &Job<'_>,
        take: &mut dyn FnMut(&Document<'_>, &mut Seen),
    ) -> Result<Seen, Error> {
        let started = Instant::now();
        let seen = read_sample(job, self.sampled(), take)?;
        self.elapsed += started.elapsed();
        Ok(seen)
    }

    /// Some of the sources, spread over all, and the largest if each is one document.
    fn sampled(&self) -> impl Iterator<Item = &'s Source> {
        let (all, bytes) = (self.sources.len(), self.bytes());
        // Which of them hold a document few would not tell; as many bytes of them are looked at as of others.
        let as_large = (SAMPLE_BYTES * SAMPLE_SOURCES * all) as u64 / bytes.max(1);
        let most = match self.holds {
            Holds::Records => SAMPLE_SOURCES,
            Holds::Page | Holds::File => (as_large as usize).clamp(SAMPLE_SOURCES, SAMPLE_FILES),
        };
        let count = most.min(all);
        let spread = (0..count).map(move |number| number * all / count);
        // The largest document is in the largest file, and has to fit.
        let largest = match self.holds {
            Holds::Records => None,
            Holds::Page | Holds::File => (0..all).max_by_key(|&at| self.sources[at].size),
        };
        let largest = largest.filter(|&largest| spread.clone().all(|at| at != largest));
        spread.chain(largest).map(|at| self.sources[at])
    }

    fn bytes(&self) -> u64 {
        self.sources.iter().map(|source| source.size).sum()
    }

    /// What was seen of some lets expect of all.
    pub(super) fn expected(&self, job: &Job<'_>, seen: &Seen) -> Expected {
        let files = self.sources.len() as u64;
        let by_bytes = if seen.bytes > 0.0 { self.bytes() as f64 / seen.bytes } else { 1.0 };
        let by_documents = match self.holds {
            Holds::Records => by_bytes,
            Holds::Page | Holds::File => files as f64 / seen.files.max(1) as f64,
        };
        let whole = |count: u64| (count as f64 * by_documents).round() as u64;
        let threads = job.resources.threads.max(1) as f64;
        Expected {
            documents: if self.holds == Holds::Page { files } else { whole(seen.documents) },
            links: whole(seen.links),
            link_names: whole(seen.link_names),
            largest: seen.largest,
            tables: seen.tables,
            shingle_keys: (seen.shingle_keys as f64 * by_bytes).round() as u64,
            names: whole(seen.names),
            urls_as_ids: whole(seen.urls_as_ids),
            bad: whole(seen.bad),
            unpacked: self.unpacked(seen.packed),
            seconds: self.elapsed.as_secs_f64() * by_bytes * (1.0 + BEHIND_READING) / threads,
        }
    }

    /// Bytes of the records of sources without addresses, by those of some and what they took.
    fn unpacked(&self, (taken, records): (f64, f64)) -> u64 {
        let packed =
            self.sources.iter().filter(|source| matches!(source.layout, Layout::Stream | Layout::Rows));
        let packed: u64 = packed.map(|source| source.size).sum();
        let expansion = if taken > 0.0 { records / taken } else { 1.0 };
        (packed as f64 * expansion.max(1.0)) as u64
    }
}
