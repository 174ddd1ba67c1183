//! The one writer. Adds that wait while it commits are committed together next time, so that many clients share the cost
//! of a commit and each is answered once its document is durable.

use crate::admission::Ticket;
use crate::input::Sketched;
use crate::pool::Reply;
use crate::problem::{Code, Problem};
use onefold_index::{Answer, Error, Index};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Adds of one commit.
const MOST: usize = 1_000;
/// Time without a change from which on writing rests.
const REST: Duration = Duration::from_secs(2);
/// Time to wait where there is nothing to wait for.
const LONG: Duration = Duration::from_secs(3600);

enum Change {
    Add(Box<Addition>),
    Remove { id: String, reply: Reply<u64>, _ticket: Ticket },
}

/// A document to be added, and who waits for it.
pub(crate) struct Addition {
    pub(crate) document: Sketched,
    pub(crate) reply: Reply<Answer>,
    pub(crate) ticket: Ticket,
}

/// The thread that writes. What it has taken on is committed before it ends.
pub(crate) struct Writer {
    changes: Option<Sender<Change>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts it; with an interval, adds are made durable that often and not before they are acknowledged.
    pub(crate) fn start(index: Arc<Index>, interval: Option<Duration>) -> std::io::Result<Self> {
        let (changes, waiting) = channel();
        let thread = std::thread::Builder::new().name("writer".into()).spawn(move || {
            write(&index, &waiting, interval);
            // Adds that were not promised to be durable need not be lost at an orderly end.
            let _ = index.sync();
        })?;
        Ok(Writer { changes: Some(changes), thread: Some(thread) })
    }

    pub(crate) fn add(&self, addition: Addition) {
        self.send(Change::Add(Box::new(addition)));
    }

    pub(crate) fn remove(&self, id: String, reply: Reply<u64>, ticket: Ticket) {
        self.send(Change::Remove { id, reply, _ticket: ticket });
    }

    fn send(&self, change: Change) {
        if let Some(changes) = &self.changes {
            // The thread lives as long as the sender.
            let _ = changes.send(change);
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.changes = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Writes what comes; with an interval, what was written is made durable that often.
fn write(index: &Index, waiting: &Receiver<Change>, interval: Option<Duration>) {
    let mut sync_at: Option<Instant> = None;
    let mut rest_at = Some(Instant::now() + REST);
    loop {
        let next = [sync_at, rest_at].into_iter().flatten().min();
        let wait = next.map_or(LONG, |next| next.saturating_duration_since(Instant::now()));
        match waiting.recv_timeout(wait) {
            Ok(first) => {
                take(index, first, waiting);
                let now = Instant::now();
                sync_at = sync_at.or(interval.map(|interval| now + interval));
                rest_at = Some(now + REST);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let now = Instant::now();
        if sync_at.is_some_and(|at| at <= now) {
            // If it fails it is tried again; checks and adds say what is wrong with the store.
            sync_at = if index.sync().is_err() { interval.map(|interval| now + interval) } else { None };
        }
        if rest_at.is_some_and(|at| at <= now) {
            index.merge_at_rest();
            rest_at = None;
        }
    }
}

/// Does what waits, in its order: adds together, removals one by one.
fn take(index: &Index, first: Change, waiting: &Receiver<Change>) {
    let mut adds = Vec::new();
    let mut next = Some(first);
    while let Some(change) = next {
        match change {
            Change::Add(addition) => adds.push(*addition),
            Change::Remove { id, reply, .. } => {
                commit(index, std::mem::take(&mut adds));
                let removed = catch_unwind(AssertUnwindSafe(|| index.remove(&id)));
                let _ = reply.send(removed.map_or_else(|_| Err(broken()), |removed| Ok(removed?)));
            }
        }
        next = if adds.len() < MOST { waiting.try_recv().ok() } else { None };
    }
    commit(index, adds);
}

fn commit(index: &Index, adds: Vec<Addition>) {
    if adds.is_empty() {
        return;
    }
    let (documents, others): (Vec<Sketched>, Vec<_>) =
        adds.into_iter().map(|add| (add.document, (add.reply, add.ticket))).unzip();
    let answers = match add_all(index, &documents) {
        Ok(answers) => answers.into_iter().map(Ok).collect(),
        // One that does not fit must not take the others with it.
        Err(Failed::Index(Error::Sketch { .. })) if documents.len() > 1 => documents
            .iter()
            .map(|document| {
                let answers = add_all(index, std::slice::from_ref(document)).map_err(Problem::from)?;
                answers.into_iter().next().ok_or_else(broken)
            })
            .collect(),
        Err(failed) => vec![Err(Problem::from(failed)); documents.len()],
    };
    let answers: Vec<Result<Answer, Problem>> = answers;
    for ((reply, ticket), answer) in others.into_iter().zip(answers) {
        drop(ticket);
        // The client may have gone.
        let _ = reply.send(answer);
    }
}

enum Failed {
    Index(Error),
    Panic,
}

impl From<Failed> for Problem {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Index(error) => error.into(),
            Failed::Panic => broken(),
        }
    }
}

fn add_all(index: &Index, documents: &[Sketched]) -> Result<Vec<Answer>, Failed> {
    match catch_unwind(AssertUnwindSafe(|| index.add_texts(documents))) {
        Ok(answers) => answers.map_err(Failed::Index),
        Err(_) => Err(Failed::Panic),
    }
}

fn broken() -> Problem {
    Problem::new(Code::Internal, "the change was broken off")
}
