//! What is counted, in the text format of Prometheus.

use onefold_index::Verdict;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Upper bounds of times, in microseconds.
const BOUNDS: [u64; 14] =
    [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 500_000, 2_000_000, 10_000_000];

/// Statuses that are counted one by one; all others are the last.
const STATUSES: [u16; 16] = [200, 400, 401, 403, 404, 405, 408, 413, 415, 422, 429, 500, 503, 507, 304, 0];

/// What a request is about, as the log and the metrics name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Check,
    Documents,
    Batch,
    Document,
    Compare,
    Stats,
    Pictures,
    Health,
    Ready,
    Metrics,
    OpenApi,
    Page,
    Other,
}

impl Route {
    const ALL: [Route; 13] = [
        Route::Check,
        Route::Documents,
        Route::Batch,
        Route::Document,
        Route::Compare,
        Route::Stats,
        Route::Pictures,
        Route::Health,
        Route::Ready,
        Route::Metrics,
        Route::OpenApi,
        Route::Page,
        Route::Other,
    ];

    pub(crate) fn of(path: &str) -> Self {
        match path {
            "/v1/check" => Route::Check,
            "/v1/documents" => Route::Documents,
            "/v1/documents:batch" => Route::Batch,
            "/v1/compare" => Route::Compare,
            "/v1/stats" => Route::Stats,
            "/healthz" => Route::Health,
            "/readyz" => Route::Ready,
            "/metrics" => Route::Metrics,
            "/openapi.json" => Route::OpenApi,
            "/" | "/page.css" | "/page.js" | "/icon.svg" => Route::Page,
            path if path.starts_with("/v1/documents/") => Route::Document,
            path if path.starts_with("/v1/pictures/") => Route::Pictures,
            _ => Route::Other,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Route::Check => "/v1/check",
            Route::Documents => "/v1/documents",
            Route::Batch => "/v1/documents:batch",
            Route::Document => "/v1/documents/{id}",
            Route::Compare => "/v1/compare",
            Route::Stats => "/v1/stats",
            Route::Pictures => "/v1/pictures/{name}",
            Route::Health => "/healthz",
            Route::Ready => "/readyz",
            Route::Metrics => "/metrics",
            Route::OpenApi => "/openapi.json",
            Route::Page => "/",
            Route::Other => "other",
        }
    }

    /// Whether it tells nothing of the index, so that anyone may ask.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, Route::Health | Route::Ready | Route::Page)
    }
}

/// All counters.
#[derive(Default)]
pub(crate) struct Metrics {
    routes: [Counted; Route::ALL.len()],
    verdicts: [AtomicU64; 3],
    removed: AtomicU64,
    lines: AtomicU64,
    failed_lines: AtomicU64,
    pub(crate) connections: AtomicU64,
    pub(crate) refused: AtomicU64,
}

#[derive(Default)]
struct Counted {
    statuses: [AtomicU64; STATUSES.len()],
    times: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

impl Metrics {
    pub(crate) fn request(&self, route: Route, status: u16, took: Duration) {
        let counted = &self.routes[route as usize];
        let micros = took.as_micros() as u64;
        let place = STATUSES.iter().position(|&known| known == status).unwrap_or(STATUSES.len() - 1);
        counted.statuses[place].fetch_add(1, Relaxed);
        counted.times[BOUNDS.partition_point(|&bound| bound < micros)].fetch_add(1, Relaxed);
        counted.micros.fetch_add(micros, Relaxed);
    }

    /// Counts the answer to an add.
    pub(crate) fn verdict(&self, verdict: Verdict) {
        self.verdicts[verdict as usize].fetch_add(1, Relaxed);
    }

    pub(crate) fn removed(&self, documents: u64) {
        self.removed.fetch_add(documents, Relaxed);
    }

    /// Counts what was answered to a batch.
    pub(crate) fn lines(&self, lines: u64, failed: u64) {
        self.lines.fetch_add(lines, Relaxed);
        self.failed_lines.fetch_add(failed, Relaxed);
    }

    /// All of it as text, with values that are known elsewhere.
    pub(crate) fn text(&self, gauges: &[(&str, &str, u64)]) -> String {
        let mut out = String::new();
        self.put(&mut out, gauges).expect("a text takes what is written because it is in memory");
        out
    }

    fn put(&self, out: &mut String, gauges: &[(&str, &str, u64)]) -> std::fmt::Result {
        head(out, "onefold_http_requests_total", "Requests answered.", "counter")?;
        for (route, counted) in Route::ALL.iter().zip(&self.routes) {
            for (status, count) in STATUSES.iter().zip(&counted.statuses) {
                let count = count.load(Relaxed);
                if count > 0 {
                    let name = route.name();
                    writeln!(
                        out,
                        "onefold_http_requests_total{{route=\"{name}\",status=\"{status}\"}} {count}"
                    )?;
                }
            }
        }
        head(out, "onefold_http_request_seconds", "Time from request to answer.", "histogram")?;
        for (route, counted) in Route::ALL.iter().zip(&self.routes) {
            counted.put(out, route.name())?;
        }
        head(out, "onefold_verdicts_total", "Verdicts of adds.", "counter")?;
        for (verdict, count) in ["new", "exact", "near"].iter().zip(&self.verdicts) {
            writeln!(out, "onefold_verdicts_total{{verdict=\"{verdict}\"}} {}", count.load(Relaxed))?;
        }
        let counters = [
            ("onefold_removed_total", "Documents removed.", &self.removed),
            ("onefold_batch_lines_total", "Lines of batches answered.", &self.lines),
            ("onefold_batch_lines_failed_total", "Lines of batches that were not added.", &self.failed_lines),
            ("onefold_connections_refused_total", "Connections refused.", &self.refused),
        ];
        for (name, help, count) in counters {
            head(out, name, help, "counter")?;
            writeln!(out, "{name} {}", count.load(Relaxed))?;
        }
        for (name, help, value) in gauges {
            head(out, name, help, "gauge")?;
            writeln!(out, "{name} {value}")?;
        }
        Ok(())
    }
}

impl Counted {
    fn put(&self, out: &mut String, route: &str) -> std::fmt::Result {
        let counts: Vec<u64> = self.times.iter().map(|count| count.load(Relaxed)).collect();
        let all: u64 = counts.iter().sum();
        if all == 0 {
            return Ok(());
        }
        let name = "onefold_http_request_seconds";
        let mut sum = 0;
        for (bound, count) in BOUNDS.iter().zip(&counts) {
            sum += count;
            let bound = *bound as f64 / 1e6;
            writeln!(out, "{name}_bucket{{route=\"{route}\",le=\"{bound}\"}} {sum}")?;
        }
        writeln!(out, "{name}_bucket{{route=\"{route}\",le=\"+Inf\"}} {all}")?;
        writeln!(out, "{name}_sum{{route=\"{route}\"}} {}", self.micros.load(Relaxed) as f64 / 1e6)?;
        writeln!(out, "{name}_count{{route=\"{route}\"}} {all}")
    }
}

fn head(out: &mut String, name: &str, help: &str, kind: &str) -> std::fmt::Result {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_counted_under_their_names() {
        for route in Route::ALL {
            assert_eq!(Route::ALL[route as usize], route);
            assert!(route == Route::Other || Route::of(route.name()) == route, "{route:?}");
        }
        let metrics = Metrics::default();
        metrics.request(Route::Check, 200, Duration::from_micros(60));
        metrics.request(Route::Check, 599, Duration::from_secs(60));
        metrics.verdict(Verdict::Near);
        let text = metrics.text(&[("a", "b", 7)]);
        for line in [
            "onefold_http_requests_total{route=\"/v1/check\",status=\"200\"} 1",
            "onefold_http_requests_total{route=\"/v1/check\",status=\"0\"} 1",
            "onefold_http_request_seconds_bucket{route=\"/v1/check\",le=\"0.00005\"} 0",
            "onefold_http_request_seconds_bucket{route=\"/v1/check\",le=\"0.0001\"} 1",
            "onefold_http_request_seconds_bucket{route=\"/v1/check\",le=\"+Inf\"} 2",
            "onefold_verdicts_total{verdict=\"near\"} 1",
            "a 7",
        ] {
            assert!(text.lines().any(|each| each == line), "{line}\n{text}");
        }
    }
}
