//! Many documents over one request: a JSON object a line in, an answer a line out, while more come in.
//!
//! Three steps run at once. Lines are read and handed to the pool; the sketches that come back are handed to the writer in
//! the order of the lines, so that the answers do not depend on which thread was faster; answers go out in that order too.

use super::Shared;
use super::documents::fits;
use crate::admission::Ticket;
use crate::answers::AnswerLine;
use crate::app::{App, LineCounts, now};
use crate::body::{discard, too_large};
use crate::coding::Coding;
use crate::input::{self, Input, Submission};
use crate::problem::{Code, Problem, ProblemBody};
use crate::writer::Addition;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Request, header};
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::stream::unfold;
use http_body_util::BodyExt;
use onefold_formats::http::content_type;
use onefold_index::Answer;
use serde::Serialize;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
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
    tokio::spawn(read(Arc::clone(&app), body, lines));
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

/// Reads lines and has them sketched; ends with the body, when the client goes or when the server stops.
async fn read(app: Arc<App>, mut body: Body, lines: mpsc::Sender<(u64, Coming<Sketched>)>) {
    let share = app.admission.share();
    let mut reader = Lines { share, app, lines, number: 0, rest: BytesMut::new(), too_long: false };
    let mut stop = reader.app.stopping.subscribe();
    let limit = reader.app.limits.request;
    let unread = loop {
        let frame = tokio::select! {
            frame = timeout(limit, body.frame()) => frame,
            _ = stop.wait_for(|stop| *stop) => {
                break Some(Problem::new(Code::Stopping, "about to stop; lines from here on were not read"));
            }
        };
        match frame {
            Ok(Some(Ok(frame))) => {
                if let Ok(data) = frame.into_data()
                    && reader.take(&data).await.is_err()
                {
                    break None;
                }
            }
            Ok(Some(Err(_))) => return,
            Ok(None) => return drop(reader.last().await),
            Err(_) => break Some(Problem::new(Code::Timeout, "no more lines arrived in time")),
        }
    };
    if let Some(problem) = unread {
        reader.number += 1;
        // The client may have gone.
        let _ = reader.fail(problem).await;
    }
    discard(&mut body, &reader.app.limits).await;
}

struct Lines {
    app: Arc<App>,
    share: crate::admission::Share,
    lines: mpsc::Sender<(u64, Coming<Sketched>)>,
    /// Of the line that was last read to its end, as lines stand in the body.
    number: u64,
    rest: BytesMut,
    /// What has come of the line is more than is taken; the rest of it is passed over.
    too_long: bool,
}

/// No more lines are read.
struct Ended;

impl Lines {
    /// Takes some bytes.
    async fn take(&mut self, mut data: &[u8]) -> Result<(), Ended> {
        while let Some(end) = data.iter().position(|&byte| byte == b'\n') {
            self.keep(&data[..end]);
            data = &data[end + 1..];
            self.line().await?;
        }
        self.keep(data);
        Ok(())
    }

    fn keep(&mut self, data: &[u8]) {
        if self.rest.len() + data.len() > self.app.limits.body_bytes {
            self.too_long = true;
            self.rest = BytesMut::new();
        }
        if !self.too_long {
            self.rest.extend_from_slice(data);
        }
    }

    /// Takes what comes behind the last line end.
    async fn last(&mut self) -> Result<(), Ended> {
        if self.rest.is_empty() && !self.too_long { Ok(()) } else { self.line().await }
    }

    /// Has a line sketched that was read to its end.
    async fn line(&mut self) -> Result<(), Ended> {
        self.number += 1;
        let line = self.rest.split().freeze();
        if std::mem::take(&mut self.too_long) {
            return self.fail(too_large(&self.app.limits)).await;
        }
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let ticket = match self.app.admission.wait(&self.share, line.len()).await {
            Ok(ticket) => ticket,
            Err(problem) => return self.fail(problem).await.and(Err(Ended)),
        };
        let (reply, sketched) = oneshot::channel();
        let app = Arc::clone(&self.app);
        self.app.pool.submit(move |desk| {
            let sketched = Input::of_json(&line).and_then(|input| {
                fits(&app, &input)?;
                let name = input.name().map(str::to_owned);
                Ok(Sketched { name, document: input.sketch(desk, now()), ticket })
            });
            // The client may have gone.
            let _ = reply.send(sketched);
        });
        self.send(sketched).await
    }

    /// Says what is wrong with the line.
    async fn fail(&mut self, problem: Problem) -> Result<(), Ended> {
        self.send(failed(problem)).await
    }

    async fn send(&mut self, sketched: Coming<Sketched>) -> Result<(), Ended> {
        self.lines.send((self.number, sketched)).await.map_err(|_| Ended)
    }
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
