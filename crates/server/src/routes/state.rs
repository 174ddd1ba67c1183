//! How the server and its index are.

use super::{Shared, json};
use crate::problem::{Code, Problem, ProblemBody};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Counts and sizes of the index, and what it was made for
#[utoipa::path(
    get,
    path = "/v1/stats",
    responses(
        (status = 200, description = "As `onefold index stats --json` prints them, but for `key_bits`", body = serde_json::Value),
        (status = "default", description = "A problem", body = ProblemBody, content_type = "application/problem+json")
    )
)]
pub(super) async fn stats(State(app): Shared) -> Result<Response, Problem> {
    let ticket = app.admission.aside()?;
    let index = Arc::clone(&app.index);
    let value = app.pool.run(ticket, move |_| {
        let failed = |error: serde_json::Error| Problem::new(Code::Internal, error.to_string());
        let mut value = serde_json::to_value(index.stats()?).map_err(failed)?;
        value["version"] = 1.into();
        value["settings"] = serde_json::to_value(index.settings()).map_err(failed)?;
        Ok(value)
    });
    json(&value.await?)
}

/// Whether the server runs
#[utoipa::path(get, path = "/healthz", security(()), responses((status = 200, description = "It does", body = String)))]
pub(super) async fn health() -> &'static str {
    "ok\n"
}

/// Whether the server takes requests: no longer once it was told to stop
#[utoipa::path(
    get,
    path = "/readyz",
    security(()),
    responses(
        (status = 200, description = "It does", body = String),
        (status = 503, description = "It is about to stop", body = ProblemBody, content_type = "application/problem+json")
    )
)]
pub(super) async fn ready(State(app): Shared) -> Result<&'static str, Problem> {
    if app.is_stopping() { Err(Problem::new(Code::Stopping, "about to stop")) } else { Ok("ready\n") }
}

/// Counters in the text format of Prometheus
#[utoipa::path(get, path = "/metrics", responses((status = 200, description = "The counters", body = String)))]
pub(super) async fn metrics(State(app): Shared) -> Result<Response, Problem> {
    let ticket = app.admission.aside()?;
    let index = Arc::clone(&app.index);
    let stats = app.pool.run(ticket, move |_| Ok(index.stats()?)).await?;
    let connections = app.metrics.connections.load(Ordering::Relaxed);
    let gauges = [
        ("onefold_connections", "Connections open.", connections),
        ("onefold_queue_documents", "Documents waiting or being worked on.", app.admission.busy() as u64),
        ("onefold_index_documents", "Documents stored.", stats.documents),
        ("onefold_index_keepers", "Documents that are match targets.", stats.keepers),
        ("onefold_index_members", "Documents that are members of a keeper.", stats.members),
        ("onefold_index_segments", "Segments of the index.", stats.segments),
        ("onefold_index_memory_bytes", "Memory that keys hold.", stats.memory_bytes),
        ("onefold_index_segment_bytes", "Bytes of segments on disk.", stats.segment_bytes),
        ("onefold_index_store_bytes", "Bytes of the store on disk.", stats.store_bytes),
        ("process_resident_memory_bytes", "Memory of the process.", resident_bytes()),
    ];
    let mut response = app.metrics.text(&gauges).into_response();
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

/// Memory of the process, by what Linux says; 0 where it does not.
fn resident_bytes() -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
