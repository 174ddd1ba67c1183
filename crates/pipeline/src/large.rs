//! Documents so large that two at a time would be felt.
//!
//! A document takes several times its size while it is cut into shingles, and as much again when it is compared. Small ones are
//! what the share of each thread is for; of those that are large for it one is worked on at a time, and the memory is given
//! back behind it. How much a document takes is told by a look at its bytes: what counts is how many shingles it has. A page
//! of hardly anything but tags takes more than its size says, and so does a text of characters that stand for words.

use crate::error::Error;
use crate::job::Job;
use crate::payload::{MOST_EXTRA_BYTES, extra_bytes};
use crate::preflight;
use onefold_detect::text::{Shingling, growth_bytes};
use onefold_formats::document::{Body, Document};
use onefold_formats::source::Source;
use onefold_run::{Method, PageContent, Plan, Verify};

/// Below this size a document fits the share of a thread whatever it is made of.
const SMALL: usize = 64 << 10;

/// What a document takes while it is read and compared.
#[derive(Clone, Copy, Debug)]
struct Costs {
    /// For each of its bytes: its record, its text and normalised text.
    a_byte: u64,
    /// For each of its shingles: the token, the shingle, and its places in two sets that are compared. Where shingles are keys,
    /// those come on top.
    a_shingle: u64,
    /// For each byte that a character grows by.
    a_grown_byte: u64,
    /// For each of its bytes where no more is known of it.
    typical: u64,
}

impl Costs {
    fn of(plan: &Plan) -> Self {
        let counts = plan.counts_shingles();
        let words = match (plan.method, plan.verify) {
            // Tables of the characters are instead of sets.
            (_, Verify::Edit(_)) => return Costs { a_byte: 64, a_shingle: 0, a_grown_byte: 64, typical: 64 },
            (Method::Exact, _) => 2,
            _ if counts => 10,
            _ => 4,
        };
        let a_shingle = (words + 2 * u64::from(plan.text.bag)) * size_of::<u64>() as u64;
        let (a_byte, a_grown_byte) = (4, if counts { 16 } else { 10 });
        let typical = match plan.shingle {
            // A word of most texts has six bytes with the blank behind it.
            Shingling::Words(_) => a_byte + a_shingle.div_ceil(6),
            Shingling::Chars(_) => a_byte + a_shingle,
        };
        Costs { a_byte, a_shingle, a_grown_byte, typical }
    }
}

/// What the budget of a job has room for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    needed: u64,
    of_threads: u64,
    costs: Costs,
    shingle: Shingling,
    content: PageContent,
    /// Memory there is for a document: one at a time may take what all threads have for theirs, and half of what is left.
    pub(crate) largest: u64,
    /// What a large document takes at least: one for each thread would take half of what there is.
    pub(crate) from: u64,
}

impl Limits {
    pub(crate) fn of(job: &Job<'_>) -> Self {
        let (needed, threads) = (preflight::needed_bytes(job), job.resources.threads.max(1) as u64);
        let of_threads = preflight::BYTES_A_THREAD * threads;
        let left = job.resources.memory_bytes.saturating_sub(needed);
        let largest = of_threads + left / 2;
        let Plan { shingle, content, .. } = job.plan;
        let (costs, from) = (Costs::of(&job.plan), largest / (2 * threads));
        Limits { needed, of_threads, costs, shingle, content, largest, from }
    }

    /// What a document takes that came in a record of so many bytes.
    pub(crate) fn memory(&self, document: &Document<'_>, record_bytes: usize) -> u64 {
        let body = &document.body;
        let length = body.len().max(record_bytes) as u64;
        let text = match body {
            // The record may have much beside its text.
            _ if body.len() < SMALL => {
                return self.typical(body.len() as u64) + (length - body.len() as u64) * self.costs.a_byte;
            }
            Body::Text(text) => text.as_bytes(),
            Body::Page { bytes, .. } => bytes,
            Body::File { .. } => return self.typical(length),
        };
        let extra = extra_bytes(body, self.content);
        self.memory_of(length, self.shingle.most(text), growth_bytes(text)) + extra
    }

    fn memory_of(&self, bytes: u64, shingles: u64, grown: u64) -> u64 {
        let Costs { a_byte, a_shingle, a_grown_byte, .. } = self.costs;
        bytes * a_byte + shingles * a_shingle + grown * a_grown_byte
    }

    /// What a document of so many bytes takes at most: growth is at most 21 for three bytes.
    pub(crate) fn memory_at_most(&self, bytes: u64) -> u64 {
        match bytes < SMALL as u64 {
            true => self.typical(bytes),
            false => self.memory_of(bytes, self.shingle.most_of(bytes), 7 * bytes) + MOST_EXTRA_BYTES,
        }
    }

    /// What a document of so many bytes takes that is not looked at, if it is like most.
    pub(crate) fn memory_unread(&self, bytes: u64) -> u64 {
        self.typical(bytes) + MOST_EXTRA_BYTES
    }

    /// What most documents of so many bytes take.
    fn typical(&self, bytes: u64) -> u64 {
        bytes * self.costs.typical
    }

    /// Bytes of the longest document that there may be memory for.
    pub(crate) fn longest(&self) -> u64 {
        self.largest / self.costs.a_byte
    }

    /// Whether most documents of so many bytes are large.
    pub(crate) fn is_long(&self, bytes: u64) -> bool {
        self.typical(bytes) > self.from
    }

    /// The budget that has room for a document that takes so much.
    pub(crate) fn budget_for(&self, memory: u64) -> u64 {
        self.needed + 2 * memory.saturating_sub(self.of_threads)
    }

    /// Refuses a document that does not fit the budget: to read it as bad would make the verdicts depend on memory.
    pub(crate) fn check(
        &self,
        memory: u64,
        length: usize,
        source: &Source,
        offset: u64,
    ) -> Result<(), Error> {
        if memory <= self.largest {
            return Ok(());
        }
        Err(Error::LargeDocument {
            path: source.path.clone(),
            offset,
            length_mib: (length as u64).div_ceil(1 << 20),
            memory_mib: memory.div_ceil(1 << 20),
            needed_mib: self.budget_for(memory).div_ceil(1 << 20),
        })
    }
}
