//! Sources that a sample tells in the same way how many documents they hold.

use super::sample::{SAMPLE_BYTES, SAMPLE_SOURCES, Seen, read_sample};
use super::{BEHIND_READING, Expected, TableNeeds};
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
    ) -> Result<Vec<Seen>, Error> {
        let started = Instant::now();
        let seen = self.sampled().map(|source| read_sample(job, source, take)).collect();
        self.elapsed += started.elapsed();
        seen
    }

    /// Some of the sources, spread over all, and the largest.
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
        // The largest document may be in the largest file, and has to fit; and there are most records.
        let largest = (0..all).max_by_key(|&at| self.sources[at].size);
        let largest = largest.filter(|&largest| spread.clone().all(|at| at != largest));
        spread.chain(largest).map(|at| self.sources[at])
    }

    fn bytes(&self) -> u64 {
        self.sources.iter().map(|source| source.size).sum()
    }

    /// What was seen of some lets expect of all. Each source that was looked into tells of itself, however little of it was seen:
    /// a file of few large documents says nothing of one of many small ones beside it.
    pub(super) fn expected(&self, job: &Job<'_>, seen: &[Seen]) -> Expected {
        let files = self.sources.len() as u64;
        let share = |part: f64, of: f64| if part > 0.0 { of / part } else { 1.0 };
        let looked_at = seen.iter().map(|seen| seen.bytes).sum();
        let by_bytes = share(looked_at, self.bytes() as f64);
        let of_others = match self.holds {
            Holds::Records => share(seen.iter().map(|seen| seen.size as f64).sum(), self.bytes() as f64),
            Holds::Page | Holds::File => share(seen.len() as f64, files as f64),
        };
        let whole = |count: fn(&Seen) -> u64| {
            let counts = seen.iter().map(|seen| match self.holds {
                Holds::Records => count(seen) as f64 * seen.factor(),
                Holds::Page | Holds::File => count(seen) as f64,
            });
            (counts.sum::<f64>() * of_others).round() as u64
        };
        let shingle_keys = match self.holds {
            Holds::Records => whole(|seen| seen.shingle_keys),
            // The longer a text, the more of them.
            Holds::Page | Holds::File => {
                (seen.iter().map(|seen| seen.shingle_keys).sum::<u64>() as f64 * by_bytes).round() as u64
            }
        };
        let threads = job.resources.threads.max(1) as f64;
        Expected {
            documents: if self.holds == Holds::Page { files } else { whole(|seen| seen.documents) },
            links: whole(|seen| seen.links),
            link_names: whole(|seen| seen.link_names),
            largest: seen.iter().map(|seen| seen.largest).max().unwrap_or(0),
            tables: seen.iter().fold(TableNeeds::default(), |tables, seen| tables.max(seen.tables)),
            shingle_keys,
            names: whole(|seen| seen.names),
            urls_as_ids: whole(|seen| seen.urls_as_ids),
            bad: whole(|seen| seen.bad),
            unpacked: self.unpacked(seen),
            seconds: self.elapsed.as_secs_f64() * by_bytes * (1.0 + BEHIND_READING) / threads,
        }
    }

    /// Bytes of the records of sources without addresses, by those of some and what they took.
    fn unpacked(&self, seen: &[Seen]) -> u64 {
        let packed =
            self.sources.iter().filter(|source| matches!(source.layout, Layout::Stream | Layout::Rows));
        let packed: u64 = packed.map(|source| source.size).sum();
        let looked_into = seen.iter().filter(|seen| seen.packed.0 > 0.0);
        let (size, records) = looked_into.fold((0.0, 0.0), |(size, records), seen| {
            (size + seen.size as f64, records + seen.packed.1 * seen.size as f64 / seen.packed.0)
        });
        let expansion = if size > 0.0 { records / size } else { 1.0 };
        (packed as f64 * expansion.max(1.0)) as u64
    }
}
