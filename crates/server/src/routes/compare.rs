//! Two documents of the index held against each other.

use super::check::needs_fingerprints;
use super::{Shared, json, parameters};
use crate::answers::StoredLine;
use crate::body;
use crate::diff::{Piece, Pieces, pieces};
use crate::input::{Content, Names, Submission};
use crate::problem::{Code, Problem, ProblemBody};
use axum::body::Body;
use axum::extract::State;
use axum::http::{Request, Uri};
use axum::response::Response;
use onefold_index::{Comparison, Index, Stored};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Which two.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CompareQuery {
    /// Id of the one.
    #[serde(default)]
    a: String,
    /// Id of the other.
    #[serde(default)]
    b: String,
    /// Tell where the texts differ, if they are stored.
    #[serde(default)]
    differences: bool,
}

/// How two documents are alike. Of an id that names several texts, the last is taken.
#[derive(Serialize, ToSchema)]
pub(super) struct Compared {
    /// The one, unless it came with the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<StoredLine>,
    /// The other.
    b: StoredLine,
    /// How they are alike.
    #[serde(flatten)]
    likeness: Likeness,
    /// Where they differ, if that was asked for.
    #[serde(flatten)]
    differences: Option<Differences>,
}

/// Where two texts differ.
#[derive(Default, Serialize, ToSchema)]
pub(super) struct Differences {
    /// Both texts in pieces, where both are known and neither is longer than a mebibyte.
    #[serde(skip_serializing_if = "Option::is_none")]
    differences: Option<Vec<Piece>>,
    /// Parts of long texts are told as replaced that may have words in common.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    coarse: bool,
    /// Why there are no differences: `no_text` where a text is not stored, `too_long` where one is longer than a mebibyte.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_differences: Option<&'static str>,
}

impl Differences {
    fn of(texts: Option<(String, String)>) -> Self {
        let none = |why| Differences { no_differences: Some(why), ..Differences::default() };
        let Some((a, b)) = texts else { return none("no_text") };
        match pieces(&a, &b) {
            Some(Pieces { pieces, coarse }) => {
                Differences { differences: Some(pieces), coarse, no_differences: None }
            }
            None => none("too_long"),
        }
    }
}

/// How two texts are alike.
#[derive(Serialize, ToSchema)]
pub(super) struct Likeness {
    /// Whether the texts are equal.
    equal: bool,
    /// Resemblance of the shingle sets, measured where they are stored, else estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
    /// Standard error of the similarity, where it is estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    /// Share of the shingles of `a` that `b` has.
    #[serde(skip_serializing_if = "Option::is_none")]
    containment: Option<f64>,
    /// Shingles both have.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<u32>,
    /// Bits in which the fingerprints differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u32>,
}

impl From<Comparison> for Likeness {
    fn from(comparison: Comparison) -> Self {
        Likeness {
            equal: comparison.equal,
            similarity: comparison.similarity(),
            error: comparison.error(),
            containment: comparison.containment(),
            shared: comparison.overlap.map(|overlap| overlap.shared),
            distance: comparison.distance,
        }
    }
}

/// Say how alike two documents of the index are
#[utoipa::path(
    get,
    path = "/v1/compare",
    params(CompareQuery),
    responses(
        (status = 200, description = "How they are alike", body = Compared),
        (status = "default", description = "A problem", body = ProblemBody, content_type = "application/problem+json")
    )
)]
pub(super) async fn compare(State(app): Shared, uri: Uri) -> Result<Response, Problem> {
    let CompareQuery { a, b, differences } = parameters(&uri)?;
    if a.is_empty() || b.is_empty() {
        return Err(Problem::new(Code::InvalidRequest, "expected the parameters a and b, ids of documents"));
    }
    let ticket = app.admission.enter(None)?;
    let index = Arc::clone(&app.index);
    let compared = app.pool.run(ticket, move |_| {
        let (a, b) = (last(&index, &a)?, last(&index, &b)?);
        let gone = || Problem::new(Code::DocumentNotFound, "a document was removed meanwhile");
        let likeness = index.compare(a.number, b.number)?.ok_or_else(gone)?.into();
        let texts = || Ok::<_, Problem>(index.text(a.number)?.zip(index.text(b.number)?));
        let differences = differences.then(texts).transpose()?.map(Differences::of);
        Ok(Compared { a: Some(a.into()), b: b.into(), likeness, differences })
    });
    json(&compared.await?)
}

/// Which document of the index one is compared with.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct WithQuery {
    /// Its id.
    #[serde(default)]
    with: String,
}

/// Say how alike a document is to one of the index, and where they differ if its text is stored
#[utoipa::path(
    post,
    path = "/v1/compare",
    params(WithQuery),
    request_body(content((Submission = "application/json"), (String = "text/html"), (String = "text/plain"))),
    responses(
        (status = 200, description = "How they are alike; `b` is the one of the index", body = Compared),
        (status = "default", description = "A problem", body = ProblemBody, content_type = "application/problem+json")
    )
)]
pub(super) async fn compare_with(State(app): Shared, request: Request<Body>) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    let WithQuery { with } = parameters(&head.uri)?;
    if with.is_empty() {
        let mut body = body;
        body::discard(&mut body, &app.limits).await;
        return Err(Problem::new(Code::InvalidRequest, "expected the parameter with, the id of a document"));
    }
    let (bytes, room) = body::whole(&head.headers, body, &app.limits, &app.admission).await?;
    let input = body::document(&head.headers, bytes, Names::default())?;
    if matches!(input.content, Content::Fingerprint(_)) {
        needs_fingerprints(&app)?;
    }
    let ticket = app.admission.enter(Some(room))?;
    let index = Arc::clone(&app.index);
    let compared = app.pool.run(ticket, move |desk| {
        let b = last(&index, &with)?;
        let (sketch, text) = input.sketch(desk, 0);
        let gone = || Problem::new(Code::DocumentNotFound, "the document was removed meanwhile");
        let likeness = index.compare_with(&sketch, b.number)?.ok_or_else(gone)?.into();
        let differences = Some(Differences::of(text.zip(index.text(b.number)?)));
        Ok(Compared { a: None, b: b.into(), likeness, differences })
    });
    json(&compared.await?)
}

fn last(index: &Index, id: &str) -> Result<Stored, Problem> {
    let missing = || Problem::new(Code::DocumentNotFound, format!("no document has the id {id:?}"));
    index.get(id)?.pop().ok_or_else(missing)
}
