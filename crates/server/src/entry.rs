//! What is noted of each request once it is answered.

use crate::app::App;
use crate::log::Request as Logged;
use crate::metrics::Route;
use crate::problem::Problem;
use axum::http::HeaderValue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// How many lines of a batch were answered, and of them those that could not be added.
#[derive(Clone, Default)]
pub(crate) struct LineCounts(Arc<(AtomicU64, AtomicU64)>);

impl LineCounts {
    pub(crate) fn note(&self, failed: bool) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
        self.0.1.fetch_add(u64::from(failed), Ordering::Relaxed);
    }

    fn get(&self) -> (u64, u64) {
        (self.0.0.load(Ordering::Relaxed), self.0.1.load(Ordering::Relaxed))
    }
}

/// What is known of a request; it is counted and logged when this goes.
pub(crate) struct Entry {
    pub(crate) app: Arc<App>,
    pub(crate) started: Instant,
    pub(crate) id: HeaderValue,
    pub(crate) method: &'static str,
    pub(crate) route: Route,
    pub(crate) status: u16,
    pub(crate) problem: Option<Problem>,
    pub(crate) lines: Option<LineCounts>,
}

impl Drop for Entry {
    fn drop(&mut self) {
        let took = self.started.elapsed();
        let lines = self.lines.as_ref().map(LineCounts::get);
        self.app.metrics.request(self.route, self.status, took);
        if let Some((lines, failed)) = lines {
            self.app.metrics.lines(lines, failed);
        }
        self.app.log.request(&Logged {
            id: self.id.to_str().unwrap_or_default(),
            method: self.method,
            route: self.route.name(),
            status: self.status,
            micros: took.as_micros(),
            lines,
            problem: self.problem.as_ref().map(|problem| (problem.code, problem.for_log())),
        });
    }
}
