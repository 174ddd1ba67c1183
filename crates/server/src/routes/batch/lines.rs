//! The lines of a batch, read while they come and handed to the pool.

use super::{Coming, Sketched, failed};
use crate::admission::Share;
use crate::app::{App, now};
use crate::body::{discard, too_large};
use crate::input::Input;
use crate::problem::{Code, Problem};
use crate::routes::documents::fits;
use axum::body::Body;
use bytes::BytesMut;
use http_body_util::BodyExt;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Reads lines and has them sketched; ends with the body, when the client goes or when the server stops.
pub(super) async fn read(app: Arc<App>, mut body: Body, lines: mpsc::Sender<(u64, Coming<Sketched>)>) {
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
    share: Share,
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
