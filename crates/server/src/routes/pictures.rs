//! How the fingerprints of the index lie, drawn.

use super::Shared;
use crate::problem::{Code, Problem, ProblemBody};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

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
    let ticket = app.admission.enter(None)?;
    let theirs = Arc::clone(&app);
    let drawn = app.pool.run(ticket, move |_| {
        // Whoever comes while one draws waits for it.
        let mut known = theirs.pictures.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(drawn) = known.as_ref().filter(|drawn| drawn.at.elapsed() < FRESH) {
            return Ok(drawn.clone());
        }
        let pictures = theirs.index.pictures()?;
        let (leading, buckets) = (pictures.leading_svg().into(), pictures.buckets_svg().into());
        Ok(known.insert(Drawn { at: Instant::now(), leading, buckets }).clone())
    });
    let mut response = which(&drawn.await?).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("image/svg+xml"));
    Ok(response)
}
