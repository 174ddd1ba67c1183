//! Threads that do what takes processor time or reads disks, so that those that serve never wait.

use crate::admission::Ticket;
use crate::problem::{Code, Problem};
use onefold_pipeline::online::{Desk, at_desk};
use onefold_run::Plan;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

type Job = Box<dyn FnOnce(&mut Desk<'_>) + Send>;

/// The threads. What they have taken on is done before they end.
pub(crate) struct Pool {
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
    patience: Duration,
}

/// Where an answer is sent.
pub(crate) type Reply<R> = oneshot::Sender<Result<R, Problem>>;

impl Pool {
    /// Starts the threads; with `texts`, their desks hand over texts too.
    pub(crate) fn start(
        plan: &Plan,
        texts: bool,
        threads: usize,
        patience: Duration,
    ) -> std::io::Result<Self> {
        let (jobs, waiting) = channel::<Job>();
        let waiting = Arc::new(Mutex::new(waiting));
        let start = |number: usize| {
            let (plan, waiting) = (plan.clone(), Arc::clone(&waiting));
            std::thread::Builder::new()
                .name(format!("sketch-{number}"))
                .spawn(move || while work(&plan, texts, &waiting).is_err() {})
        };
        let threads = (0..threads.max(1)).map(start).collect::<Result<_, _>>()?;
        Ok(Pool { jobs: Some(jobs), threads, patience })
    }

    /// Has something done that ends with a reply.
    pub(crate) fn submit(&self, job: impl FnOnce(&mut Desk<'_>) + Send + 'static) {
        if let Some(jobs) = &self.jobs {
            // The threads live as long as the sender.
            let _ = jobs.send(Box::new(job));
        }
    }

    /// Does something and waits for it, for as long as a request may take.
    pub(crate) async fn run<R: Send + 'static>(
        &self,
        ticket: Ticket,
        job: impl FnOnce(&mut Desk<'_>) -> Result<R, Problem> + Send + 'static,
    ) -> Result<R, Problem> {
        let (reply, answer) = oneshot::channel();
        self.submit(move |desk| {
            // Nobody waits any more for what waited too long.
            if reply.is_closed() {
                return;
            }
            let result = job(desk);
            drop(ticket);
            // The client may have gone.
            let _ = reply.send(result);
        });
        self.answer(answer).await
    }

    /// Waits for a reply, for as long as a request may take.
    pub(crate) async fn answer<R>(
        &self,
        answer: oneshot::Receiver<Result<R, Problem>>,
    ) -> Result<R, Problem> {
        match timeout(self.patience, answer).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(Problem::new(Code::Internal, "the work on this document was broken off")),
            Err(_) => {
                Err(Problem::new(Code::Overloaded, "no answer was found in time; an add may still be made"))
            }
        }
    }
}

/// Works until there is no more to come; `Err` if a job panicked, whose desk may be in disorder.
fn work(plan: &Plan, texts: bool, waiting: &Mutex<Receiver<Job>>) -> Result<(), ()> {
    at_desk(plan, |desk| {
        desk.texts = texts;
        loop {
            let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(job) = job else { return Ok(()) };
            catch_unwind(AssertUnwindSafe(|| job(desk))).map_err(drop)?;
        }
    })
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
