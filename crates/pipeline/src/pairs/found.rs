//! Verified pairs on their way to the listing, in order, within a budget: what does not fit is sorted and put on disk.

use super::PairKind;
use crate::error::Error;
use crate::load::Context;
use crate::scan::lock;
use crate::table::DocId;
use crate::workdir::Workdir;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};

/// A pair that was verified.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// The first document of their component.
    pub(super) component: DocId,
    pub(super) first: DocId,
    pub(super) second: DocId,
    pub(super) similarity: f64,
    pub(super) kind: PairKind,
    /// Of the first in the second, and the other way round.
    pub(super) containment: Option<[f64; 2]>,
}

/// Bytes of a pair on disk.
const ROW: usize = 37;
/// Rows that are read of a run at a time, at least.
const LEAST_ROWS: u64 = 64;

impl Found {
    fn key(&self) -> (DocId, DocId, DocId) {
        (self.component, self.first, self.second)
    }

    fn to_row(self) -> [u8; ROW] {
        let mut row = [0; ROW];
        let [a, b] = self.containment.unwrap_or([f64::NAN; 2]);
        row[..4].copy_from_slice(&self.component.to_le_bytes());
        row[4..8].copy_from_slice(&self.first.to_le_bytes());
        row[8..12].copy_from_slice(&self.second.to_le_bytes());
        row[12..20].copy_from_slice(&self.similarity.to_le_bytes());
        row[20..28].copy_from_slice(&a.to_le_bytes());
        row[28..36].copy_from_slice(&b.to_le_bytes());
        row[36] = self.kind as u8;
        row
    }

    fn of_row(row: &[u8; ROW]) -> Self {
        let number = |at: usize| DocId::from_le_bytes(std::array::from_fn(|i| row[at + i]));
        let share = |at: usize| f64::from_le_bytes(std::array::from_fn(|i| row[at + i]));
        let kinds = [PairKind::Exact, PairKind::Near, PairKind::Contained];
        let (a, b) = (share(20), share(28));
        Found {
            component: number(0),
            first: number(4),
            second: number(8),
            similarity: share(12),
            kind: kinds[usize::from(row[36]) % kinds.len()],
            containment: (!a.is_nan()).then_some([a, b]),
        }
    }
}

/// All pairs found.
pub(super) struct FoundPairs<'a> {
    workdir: &'a Workdir,
    /// Pairs that a worker, or all together, hold at most.
    held: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    held: Vec<Found>,
    file: Option<fs_err::File>,
    /// Where each sorted run ends in the file.
    ends: Vec<u64>,
}

impl<'a> FoundPairs<'a> {
    /// A sixteenth of the budget is for all workers, and as much for what they have handed in.
    pub(super) fn new(context: &Context<'_>, documents: usize, workdir: &'a Workdir) -> Self {
        let share = context.shared_bytes(documents) / 16 / context.job.resources.threads.max(1) as u64;
        FoundPairs::holding(share as usize / size_of::<Found>(), workdir)
    }

    fn holding(held: usize, workdir: &'a Workdir) -> Self {
        FoundPairs { workdir, held: held.max(1), state: Mutex::default() }
    }

    pub(super) fn begin(&self) -> Writer<'_> {
        Writer { all: self, mine: Vec::new() }
    }

    /// Hands over all pairs in order of components and documents.
    pub(super) fn each(self, mut take: impl FnMut(Found) -> Result<(), Error>) -> Result<(), Error> {
        let State { mut held, file, ends } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        held.sort_unstable_by_key(Found::key);
        let Some(file) = file else { return held.into_iter().try_for_each(take) };
        let rows = (self.held / ends.len()).max(LEAST_ROWS as usize);
        let mut runs: Vec<Run> = Vec::new();
        let mut start = 0;
        for end in ends {
            runs.push(Run { next: start, end, rows: Vec::new().into_iter(), at_once: rows });
            start = end;
        }
        runs.push(Run { next: 0, end: 0, rows: held.into_iter(), at_once: rows });
        let mut heads: Vec<Option<Found>> = Vec::new();
        let mut order = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            let head = run.pop(&file)?;
            order.extend(head.map(|head| Reverse((head.key(), number))));
            heads.push(head);
        }
        while let Some(Reverse((_, number))) = order.pop() {
            if let Some(found) = heads[number].take() {
                take(found)?;
            }
            heads[number] = runs[number].pop(&file)?;
            order.extend(heads[number].map(|head| Reverse((head.key(), number))));
        }
        Ok(())
    }
}

/// A sorted run that is read.
struct Run {
    next: u64,
    end: u64,
    rows: std::vec::IntoIter<Found>,
    at_once: usize,
}

impl Run {
    fn pop(&mut self, file: &fs_err::File) -> Result<Option<Found>, Error> {
        if let Some(found) = self.rows.next() {
            return Ok(Some(found));
        }
        let mut bytes = vec![0; (self.at_once * ROW).min((self.end - self.next) as usize)];
        file.file().read_exact_at(&mut bytes, self.next)?;
        self.next += bytes.len() as u64;
        let rows: Vec<Found> = bytes.as_chunks::<ROW>().0.iter().map(Found::of_row).collect();
        self.rows = rows.into_iter();
        Ok(self.rows.next())
    }
}

/// Takes the pairs of one worker.
pub(super) struct Writer<'f> {
    all: &'f FoundPairs<'f>,
    mine: Vec<Found>,
}

impl Writer<'_> {
    pub(super) fn push(&mut self, found: Found) -> Result<(), Error> {
        if self.mine.len() >= self.all.held {
            self.all.spill(&mut lock(&self.all.state), &mut self.mine)?;
        }
        self.mine.push(found);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<(), Error> {
        let mut state = lock(&self.all.state);
        if state.held.len() + self.mine.len() > self.all.held {
            self.all.spill(&mut state, &mut self.mine)?;
        }
        state.held.append(&mut self.mine);
        Ok(())
    }
}

impl FoundPairs<'_> {
    /// Puts pairs on disk, as a sorted run.
    fn spill(&self, state: &mut State, pairs: &mut Vec<Found>) -> Result<(), Error> {
        if pairs.is_empty() {
            return Ok(());
        }
        pairs.sort_unstable_by_key(Found::key);
        if state.file.is_none() {
            let path = self.workdir.file("pairs");
            let mut options = fs_err::OpenOptions::new();
            state.file = Some(options.create(true).truncate(true).read(true).write(true).open(path)?);
        }
        let file = state.file.as_ref().expect("present because it was just made");
        let mut at = state.ends.last().copied().unwrap_or(0);
        let mut bytes = Vec::new();
        for part in pairs.chunks(1 << 12) {
            bytes.clear();
            part.iter().for_each(|found| bytes.extend_from_slice(&found.to_row()));
            file.file().write_all_at(&bytes, at)?;
            at += bytes.len() as u64;
        }
        state.ends.push(at);
        pairs.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by it")]

    use super::*;
    use onefold_run::Plan;

    #[test]
    fn pairs_come_in_order_however_many_are_held() {
        let folder = tempfile::tempdir().unwrap();
        let workdir = Workdir::passing(&folder.path().join("work"), &Plan::default()).unwrap();
        let pair = |n: u32| Found {
            component: n % 7,
            first: n % 13,
            second: n,
            similarity: f64::from(n) / 1000.0,
            kind: if n.is_multiple_of(2) { PairKind::Near } else { PairKind::Contained },
            containment: n.is_multiple_of(3).then_some([0.25, f64::from(n)]),
        };
        let mut sorted: Vec<Found> = (0..1000).map(pair).collect();
        sorted.sort_unstable_by_key(Found::key);
        for held in [1, 10, 333, 5000] {
            let all = FoundPairs::holding(held, &workdir);
            let mut writers = [all.begin(), all.begin(), all.begin()];
            (0..1000).for_each(|n| writers[n as usize % 3].push(pair(n)).unwrap());
            writers.into_iter().for_each(|writer| writer.finish().unwrap());
            let mut listed = Vec::new();
            all.each(|found| {
                listed.push(found);
                Ok(())
            })
            .unwrap();
            assert_eq!(listed, sorted);
        }
    }
}
