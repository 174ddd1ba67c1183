//! Many documents over one request: a JSON object a line in, an answer a line out, while more come in.
//!
//! Three steps run at once. Lines are read and handed to the pool; the sketches that come back are handed to the writer in
//! the order of the lines, so that the answers do not depend on which thread was faster; answers go out in that order too.

mod lines;

use super::Shared;
use crate::admission::Ticket;
use crate::answers::AnswerLine;
use crate::app::App;
use crate::body::discard;
use crate::coding::Coding;
use crate::entry::LineCounts;
use crate::input::{self, Submission};
use crate::problem::{Code, Problem, ProblemBody};
use crate::writer::Addition;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Request, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use onefold_formats::http::content_type;
use onefold_index::Answer;
use serde::Serialize;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};
use utoipa::ToSchema;

/// Answers that wait for a client that sends all before it reads.
const MOST_ANSWERS: usize = 16_384;
/// Bytes of answers sent at once.
const CHUNK: usize = 32 << 10;

/// An answer.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "it is written as soon as it is made")]
pub(super) enum BatchLine {
    Answer(AnswerLine),
    Failed(FailedLine),
}

/// A line that could not be added.
#[derive(Serialize, ToSchema)]
pub(super) struct FailedLine {
    /// Which, from 1, as lines stand in the body: empty ones are counted, but not answered.
    line: u64,
    /// Why.
    error: ProblemBody,
}

/// A sketched document on its way to the writer.
struct Sketched {
    name: Option<String>,
    document: input::Sketched,
    ticket: Ticket,
}

type Coming<R> = oneshot::Receiver<Result<R, Problem>>;

/// An answer on its way out.
struct Pending {
    line: u64,
    name: Option<String>,
    answer: Coming<Answer>,
}

/// Check many documents and add them, in the order of their lines
///
/// A line of JSON for each document in, and a line of JSON for each out, streamed. A line that cannot be added is answered by
/// its number and the problem; the others go on.
#[utoipa::path(
    post,
    path = "/v1/documents:batch",
    request_body(content = Submission, content_type = "application/x-ndjson"),
    responses(
        (status = 200, description = "A verdict a line", body = BatchLine, content_type = "application/x-ndjson"),
        (status = "default", description = "A problem", body = ProblemBody, content_type = "application/problem+json")
    )
)]
pub(super) async fn batch(State(app): Shared, request: Request<Body>) -> Result<Response, Problem> {
    let (head, mut body) = request.into_parts();
    if let Err(problem) = Coding::none(&head.headers).and_then(|()| are_lines(&head.headers)) {
        discard(&mut body, &app.limits).await;
        return Err(problem);
    }
    let (lines, sketched) = mpsc::channel(MOST_ANSWERS);
    let (added, answers) = mpsc::channel(MOST_ANSWERS);
    tokio::spawn(lines::read(Arc::clone(&app), body, lines));
    tokio::spawn(add(Arc::clone(&app), sketched, added));
    let counts = LineCounts::default();
    let answers = Answers { app, answers, next: None, counts: counts.clone() };
    let chunks = unfold(answers, |mut answers| async {
        let chunk = answers.chunk().await?;
        Some((Ok::<_, Infallible>(chunk), answers))
    });
    let mut response = Body::from_stream(chunks).into_response();
    let kind = HeaderValue::from_static("application/x-ndjson");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response.extensions_mut().insert(counts);
    Ok(response)
}

/// Whether a body may be lines of JSON, by its type. `curl --data-binary` calls all that it sends a form.
fn are_lines(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = headers.get(header::CONTENT_TYPE).map_or(Ok(""), |value| value.to_str());
    match content_type(kind.unwrap_or("?")).0.as_str() {
        ""
        | "application/x-ndjson"
        | "application/ndjson"
        | "application/jsonl"
        | "application/json"
        | "text/plain"
        | "application/x-www-form-urlencoded" => Ok(()),
        _ => Err(Problem::new(Code::UnsupportedMediaType, "expected application/x-ndjson")),
    }
}

/// Answers on their way to the client.
struct Answers {
    app: Arc<App>,
    answers: mpsc::Receiver<Pending>,
    /// Taken from the queue, but not answered yet.
    next: Option<Pending>,
    counts: LineCounts,
}

impl Answers {
    /// Waits for an answer, and takes along those that are there.
    async fn chunk(&mut self) -> Option<Bytes> {
        let mut out = Vec::new();
        let first = match self.next.take() {
            Some(next) => next,
            None => self.answers.recv().await?,
        };
        let answer = first.answer.await.unwrap_or_else(|_| Err(broken()));
        self.put(&mut out, first.line, first.name, answer);
        while out.len() < CHUNK
            && let Ok(mut next) = self.answers.try_recv()
        {
            match next.answer.try_recv() {
                Ok(answer) => self.put(&mut out, next.line, next.name, answer),
                Err(TryRecvError::Closed) => self.put(&mut out, next.line, next.name, Err(broken())),
                Err(TryRecvError::Empty) => {
                    self.next = Some(next);
                    break;
                }
            }
        }
        Some(out.into())
    }

    fn put(&self, out: &mut Vec<u8>, line: u64, name: Option<String>, answer: Result<Answer, Problem>) {
        self.counts.note(answer.is_err());
        let line = match answer {
            Ok(answer) => {
                self.app.metrics.verdict(answer.verdict);
                BatchLine::Answer(AnswerLine::new(name, answer))
            }
            Err(problem) => BatchLine::Failed(FailedLine { line, error: problem.body() }),
        };
        // Writing into memory fails for no value of ours.
        let _ = serde_json::to_writer(&mut *out, &line);
        out.push(b'\n');
    }
}

fn broken() -> Problem {
    Problem::new(Code::Internal, "the work on this line was broken off")
}

/// A pending answer that is there already.
fn failed<R>(problem: Problem) -> Coming<R> {
    let (reply, answer) = oneshot::channel();
    let _ = reply.send(Err(problem));
    answer
}

/// Hands sketches to the writer in the order of their lines.
async fn add(
    app: Arc<App>,
    mut sketched: mpsc::Receiver<(u64, Coming<Sketched>)>,
    added: mpsc::Sender<Pending>,
) {
    while let Some((line, pending)) = sketched.recv().await {
        let pending = match pending.await.unwrap_or_else(|_| Err(broken())) {
            Ok(Sketched { name, document, ticket }) => {
                let (reply, answer) = oneshot::channel();
                app.writer.add(Addition { document, reply, ticket });
                Pending { line, name, answer }
            }
            Err(problem) => Pending { line, name: None, answer: failed(problem) },
        };
        if added.send(pending).await.is_err() {
            return;
        }
    }
}
