//! Reading bodies: no larger and no slower than allowed, and only while there is room.

use crate::admission::{Admission, Room};
use crate::coding::Coding;
use crate::input::{Input, Names};
use crate::options::Limits;
use crate::problem::{Code, Problem};
use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use onefold_formats::http::content_type;
use std::time::Duration;
use tokio::time::timeout;

/// Time for which the rest of a body that is refused is read.
const LINGER: Duration = Duration::from_secs(1);

/// Reads a body whole.
pub(crate) async fn whole(
    headers: &HeaderMap,
    body: Body,
    limits: &Limits,
    admission: &Admission,
) -> Result<(Bytes, Room), Problem> {
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let mut body = body;
    if declared.is_some_and(|bytes: usize| bytes > limits.body_bytes) {
        discard(&mut body, limits).await;
        return Err(too_large(limits));
    }
    let coding = match Coding::of(headers) {
        Ok(coding) => coding,
        Err(problem) => {
            discard(&mut body, limits).await;
            return Err(problem);
        }
    };
    let read = timeout(limits.request, frames(&mut body, limits, admission)).await;
    let read = read.map_err(|_| Problem::new(Code::Timeout, "the body did not arrive in time"))?;
    if read.is_err() {
        discard(&mut body, limits).await;
    }
    let (bytes, mut room) = read?;
    let Some(coding) = coding else { return Ok((bytes, room)) };
    let decoded = coding.decode(&bytes, limits)?;
    room.grow(admission.room(decoded.len())?);
    Ok((decoded, room))
}

/// Reads on for a moment and forgets it: a connection closed with bytes unread is reset, and its client may lose the answer.
pub(crate) async fn discard(body: &mut Body, limits: &Limits) {
    let mut left = limits.body_bytes.saturating_mul(4);
    let rest = async {
        while let Some(Ok(frame)) = body.frame().await {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            let Some(less) = left.checked_sub(bytes) else { return };
            left = less;
        }
    };
    // Whoever sends more, or longer, has been told as well as can be.
    let _ = timeout(LINGER, rest).await;
}

async fn frames(body: &mut Body, limits: &Limits, admission: &Admission) -> Result<(Bytes, Room), Problem> {
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
