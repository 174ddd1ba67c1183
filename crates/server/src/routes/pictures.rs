//! How the fingerprints of the index lie, drawn.

use super::Shared;
use crate::app::App;
use crate::problem::{Code, Problem, ProblemBody};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Drawing reads every document, so that it is done once in this time.
const FRESH: Duration = Duration::from_secs(60);

/// Pictures that were drawn, and when.
#[derive(Clone)]
pub(crate) struct Drawn {
    at: Instant,
    leading: Bytes,
    buckets: Bytes,
}

/// Draw where sorted fingerprints differ (`leading.svg`), or how full buckets of them are (`buckets.svg`)
#[utoipa::path(
    get,
    path = "/v1/pictures/{name}",
    params(("name" = String, Path, description = "`leading.svg` or `buckets.svg`")),
    responses(
        (status = 200, description = "The picture, up to a minute old", body = String, content_type = "image/svg+xml"),
        (status = "default", description = "A problem", body = ProblemBody, content_type = "application/problem+json")
    )
)]
pub(super) async fn picture(
    State(app): Shared,
    name: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let name = name.map(|Path(name)| name).unwrap_or_default();
    let which: fn(&Drawn) -> Bytes = match name.as_str() {
        "leading.svg" => |drawn| drawn.leading.clone(),
        "buckets.svg" => |drawn| drawn.buckets.clone(),
        _ => return Err(Problem::new(Code::NotFound, "expected leading.svg or buckets.svg")),
    };
    let ticket = app.admission.aside()?;
    let late = |_| Problem::new(Code::Overloaded, "the pictures were not drawn in time");
    let drawn = timeout(app.limits.request, drawn(&app)).await.map_err(late)??;
    drop(ticket);
    let mut response = which(&drawn).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"));
    Ok(response)
}

/// The pictures, drawn anew if they are old. Whoever comes while one draws waits for it.
async fn drawn(app: &Arc<App>) -> Result<Drawn, Problem> {
    let mut known = Arc::clone(&app.pictures).lock_owned().await;
    if let Some(drawn) = known.as_ref().filter(|drawn| drawn.at.elapsed() < FRESH) {
        return Ok(drawn.clone());
    }
    let index = Arc::clone(&app.index);
    // Not in the pool: of a large index it takes longer than documents should wait. It holds the lock until it is done, so
    // that one draws at a time even if nobody waits for it any more.
    let drawing = tokio::task::spawn_blocking(move || {
        let pictures = index.pictures()?;
        let (leading, buckets) = (pictures.leading_svg().into(), pictures.buckets_svg().into());
        Ok(known.insert(Drawn { at: Instant::now(), leading, buckets }).clone())
    });
    let broken = |_| Problem::new(Code::Internal, "drawing was broken off");
    drawing.await.map_err(broken)?
}
