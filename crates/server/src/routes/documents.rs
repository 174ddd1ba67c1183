//! Documents: added, looked up, removed.

use super::check::needs_fingerprints;
use super::{Shared, json, parameters};
use crate::answers::{AnswerLine, StoredLine};
use crate::app::{App, now};
use crate::body;
use crate::input::{Content, Input, Names, Submission};
use crate::problem::{Code, Problem, ProblemBody};
use crate::writer::Addition;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{Request, Uri};
use axum::response::Response;
use onefold_index::{Answer, Stored};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;
use utoipa::{IntoParams, ToSchema};

/// Members listed at most.
const MOST_MEMBERS: usize = 1_000;

/// What a page that is sent as it is is called.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct AddQuery {
    /// Id of a page that is sent as it is.
    id: Option<String>,
    /// URL of a page that is sent as it is.
    url: Option<String>,
    /// When it was seen, in seconds since 1970.
    seen: Option<u64>,
}

/// Check a document and add it, in one step
///
/// The answer comes once the document is durable. Of several clients that add the same page at once, one is told `new`.
#[utoipa::path(
    post,
    path = "/v1/documents",
    params(AddQuery),
    request_body(content((Submission = "application/json"), (String = "text/html"), (String = "text/plain"))),
    responses(
        (status = 200, description = "The verdict", body = AnswerLine),
        (status = "default", description = "A problem", body = ProblemBody, content_type = "application/problem+json")
    )
)]
pub(super) async fn add(State(app): Shared, request: Request<Body>) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    let AddQuery { id, url, seen } = parameters(&head.uri)?;
    let (bytes, room) = body::whole(&head.headers, body, &app.limits, &app.admission).await?;
    let input = body::document(&head.headers, bytes, Names { id, url, seen })?;
    fits(&app, &input)?;
    let name = input.name().map(str::to_owned);
    let ticket = app.admission.enter(Some(room))?;
    let (reply, answer) = oneshot::channel();
    let theirs = Arc::clone(&app);
    app.pool.submit(move |desk| {
        let document = input.sketch(desk, now());
        theirs.writer.add(Addition { document, reply, ticket });
    });
    let answer: Answer = app.pool.answer(answer).await?;
    app.metrics.verdict(answer.verdict);
    json(&AnswerLine::new(name, answer))
}

/// Whether a document can be added.
pub(super) fn fits(app: &App, input: &Input) -> Result<(), Problem> {
    input.needs_name()?;
    if matches!(input.content, Content::Fingerprint(_)) { needs_fingerprints(app) } else { Ok(()) }
}

/// Everything that is stored under an id: a document for each text it had.
#[derive(Serialize, ToSchema)]
pub(super) struct Found {
    id: String,
    documents: Vec<FoundDocument>,
}

/// How much of a document is wanted.
#[derive(Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct GetQuery {
    /// List so many of its members, at most 1000.
    #[serde(default)]
    members: usize,
    /// Tell its text, where it is stored.
    #[serde(default)]
    text: bool,
}

/// A document, and what belongs to it.
#[derive(Serialize, ToSchema)]
pub(super) struct FoundDocument {
    #[serde(flatten)]
    stored: StoredLine,
    /// Its members, in the order in which they came, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<Vec<StoredLine>>,
    /// Its text, where it is stored and was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// Say what is stored of a document
#[utoipa::path(
    get,
    path = "/v1/documents/{id}",
    params(("id" = String, Path, description = "The id, percent-encoded"), GetQuery),
    responses(
        (status = 200, description = "What is stored", body = Found),
        (status = "default", description = "A problem", body = ProblemBody, content_type = "application/problem+json")
    )
)]
pub(super) async fn get(
    State(app): Shared,
    id: Result<Path<String>, PathRejection>,
    uri: Uri,
) -> Result<Response, Problem> {
    let id = name(id)?;
    let GetQuery { members, text } = parameters(&uri)?;
    let ticket = app.admission.enter(None)?;
    let index = Arc::clone(&app.index);
    let until = Instant::now() + app.limits.request;
    let found = app.pool.run(ticket, move |_| {
        let found = |stored: Stored| -> Result<FoundDocument, Problem> {
            // An id may have had any number of texts, each with members; nobody waits for the rest of them.
            if Instant::now() > until {
                return Err(Problem::new(
                    Code::Overloaded,
                    "too much is stored under this id to be told in time",
                ));
            }
            let members = members.min(MOST_MEMBERS);
            let cluster = (members > 0).then(|| index.members(stored.number, members)).transpose()?;
            let cluster = cluster.map(|members| members.into_iter().map(StoredLine::from).collect());
            let text = if text { index.text(stored.number)? } else { None };
            Ok(FoundDocument { stored: stored.into(), cluster, text })
        };
        let documents = index.get(&id)?.into_iter().map(found).collect::<Result<Vec<_>, _>>()?;
        if documents.is_empty() { Err(missing()) } else { Ok(Found { id, documents }) }
    });
    json(&found.await?)
}

/// How many documents were removed.
#[derive(Serialize, ToSchema)]
pub(super) struct Removed {
    id: String,
    removed: u64,
}

/// Remove all documents of an id
///
/// The first member of a keeper takes its place.
#[utoipa::path(
    delete,
    path = "/v1/documents/{id}",
    params(("id" = String, Path, description = "The id, percent-encoded")),
    responses(
        (status = 200, description = "How many there were", body = Removed),
        (status = "default", description = "A problem", body = ProblemBody, content_type = "application/problem+json")
    )
)]
pub(super) async fn remove(
    State(app): Shared,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    let id = name(id)?;
    let ticket = app.admission.enter(None)?;
    let (reply, answer) = oneshot::channel();
    app.writer.remove(id.clone(), reply, ticket);
    let removed: u64 = app.pool.answer(answer).await?;
    app.metrics.removed(removed);
    if removed == 0 { Err(missing()) } else { json(&Removed { id, removed }) }
}

fn name(id: Result<Path<String>, PathRejection>) -> Result<String, Problem> {
    id.map(|Path(id)| id).map_err(|error| Problem::new(Code::InvalidRequest, error.body_text()))
}

fn missing() -> Problem {
    Problem::new(Code::DocumentNotFound, "no document has this id")
}
