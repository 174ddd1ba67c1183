//! Reading bodies: no larger and no slower than allowed, and only while there is room.

use crate::admission::{Admission, Room};
use crate::input::{Input, Names};
use crate::options::Limits;
use crate::problem::{Code, Problem};
use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use onefold_formats::http::content_type;
use tokio::time::timeout;

/// Reads a body whole.
pub(crate) async fn whole(
    headers: &HeaderMap,
    body: Body,
    limits: &Limits,
    admission: &Admission,
) -> Result<(Bytes, Room), Problem> {
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if declared.is_some_and(|bytes: usize| bytes > limits.body_bytes) {
        return Err(too_large(limits));
    }
    let read = timeout(limits.request, frames(body, limits, admission));
    read.await.map_err(|_| Problem::new(Code::Timeout, "the body did not arrive in time"))?
}

async fn frames(mut body: Body, limits: &Limits, admission: &Admission) -> Result<(Bytes, Room), Problem> {
    let mut room = admission.room(0)?;
    let mut first = Bytes::new();
    let mut more = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::new(Code::InvalidRequest, "the body broke off"))?;
        let Ok(data) = frame.into_data() else { continue };
        if first.len() + more.len() + data.len() > limits.body_bytes {
            return Err(too_large(limits));
        }
        room.grow(admission.room(data.len())?);
        if first.is_empty() {
            first = data;
        } else {
            more.extend_from_slice(&data);
        }
    }
    if more.is_empty() {
        return Ok((first, room));
    }
    let mut joined = BytesMut::with_capacity(first.len() + more.len());
    joined.extend_from_slice(&first);
    joined.unsplit(more);
    Ok((joined.freeze(), room))
}

pub(crate) fn too_large(limits: &Limits) -> Problem {
    Problem::new(Code::BodyTooLarge, format!("expected at most {} bytes", limits.body_bytes))
}

/// Reads a document by the type of its body.
pub(crate) fn document(headers: &HeaderMap, bytes: Bytes, names: Names) -> Result<Input, Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind == "application/json" || content_type(kind).0 == "application/json" {
        return Input::of_json(&bytes);
    }
    Input::of_page(bytes, kind, names)
}
