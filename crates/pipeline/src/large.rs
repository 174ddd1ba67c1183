//! Documents so large that two at a time would be felt.
//!
//! A document takes several times its size while it is cut into shingles, and as much again when it is compared. Small ones are
//! what the share of each thread is for; of those that are large for it one is worked on at a time, and the memory is given
//! back behind it. What counts is the *weight* of a document: the size of a plain text that takes as much memory. A page of
//! hardly anything but tags is heavier than it is long, and so is a text of characters that stand for words.

use crate::error::Error;
use crate::job::Job;
use crate::payload::{MOST_EXTRA_BYTES, extra_bytes};
use crate::preflight;
use onefold_detect::text::growth_bytes;
use onefold_formats::document::{Body, Document};
use onefold_formats::source::Source;
use onefold_run::{PageContent, Plan, Verify};

/// Below this size a document fits the share of a thread whatever it is made of.
const SMALL: usize = 64 << 10;

/// Memory a document takes for each of its bytes: its record, its text and normalised text, and eight bytes for each token and
/// each shingle, of which there are two sets when it is compared. Where shingles are keys, those come on top; edit distances
/// have tables of the characters instead.
fn bytes_a_byte(plan: &Plan) -> u64 {
    match plan.verify {
        Verify::Edit(_) => 64,
        _ if plan.counts_shingles() => 16,
        _ => 10,
    }
}

/// What the budget of a job has room for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    needed: u64,
    of_threads: u64,
    a_byte: u64,
    content: PageContent,
    /// Weight of the largest document there is memory for: one at a time may take what all threads have for theirs, and half of
    /// what is left.
    pub(crate) largest: u64,
    /// Weight from which on a document is large: one for each thread would take half of that.
    pub(crate) from: u64,
}

impl Limits {
    pub(crate) fn of(job: &Job<'_>) -> Self {
        let (needed, threads) = (preflight::needed_bytes(job), job.resources.threads.max(1) as u64);
        let (of_threads, a_byte) = (preflight::BYTES_A_THREAD * threads, bytes_a_byte(&job.plan));
        let left = job.resources.memory_bytes.saturating_sub(needed);
        let largest = (of_threads + left / 2) / a_byte;
        let content = job.plan.content;
        Limits { needed, of_threads, a_byte, content, largest, from: largest / (2 * threads) }
    }

    /// The weight of a document that came in a record of so many bytes.
    pub(crate) fn weight(self, document: &Document<'_>, record_bytes: usize) -> u64 {
        let body = &document.body;
        let length = body.len().max(record_bytes) as u64;
        if body.len() < SMALL {
            return length;
        }
        let grown = match body {
            Body::Text(text) => growth_bytes(text.as_bytes()),
            Body::Page { bytes, .. } => growth_bytes(bytes),
            Body::File { .. } => 0,
        };
        length + grown + extra_bytes(body, self.content).div_ceil(self.a_byte)
    }

    /// The weight of a document of so many bytes at most: growth is at most 21 for three bytes.
    pub(crate) fn weight_at_most(self, bytes: u64) -> u64 {
        match bytes < SMALL as u64 {
            true => bytes,
            false => 8 * bytes + MOST_EXTRA_BYTES.div_ceil(self.a_byte),
        }
    }

    /// The weight of a document of so many bytes that is not looked at, if few of its characters stand for words.
    pub(crate) fn weight_unread(self, bytes: u64) -> u64 {
        bytes + MOST_EXTRA_BYTES.div_ceil(self.a_byte)
    }

    /// The budget that has room for a document of that weight.
    pub(crate) fn budget_for(self, weight: u64) -> u64 {
        self.needed + 2 * (weight * self.a_byte).saturating_sub(self.of_threads)
    }

    /// Refuses a document that does not fit the budget: to read it as bad would make the verdicts depend on memory.
    pub(crate) fn check(self, weight: u64, length: usize, source: &Source, offset: u64) -> Result<(), Error> {
        if weight <= self.largest {
            return Ok(());
        }
        Err(Error::LargeDocument {
            path: source.path.clone(),
            offset,
            length_mib: (length as u64).div_ceil(1 << 20),
            memory_mib: (weight * self.a_byte).div_ceil(1 << 20),
            needed_mib: self.budget_for(weight).div_ceil(1 << 20),
        })
    }
}
