//! What all requests share, and what is done around each: an id, the guard, the log, the counters.

use crate::admission::Admission;
use crate::entry::Entry;
use crate::guard::Guard;
use crate::log::Log;
use crate::metrics::{Metrics, Route};
use crate::options::Limits;
use crate::pool::Pool;
use crate::routes::Drawn;
use crate::writer::Writer;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, Response, header};
use axum::response::IntoResponse;
use http_body_util::BodyExt;
use onefold_index::{Index, Rule};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::{Mutex, watch};
use tower_service::Service;

/// What all requests share. The pool and the writer come first, so that they end before the index is closed.
pub(crate) struct App {
    pub(crate) pool: Pool,
    pub(crate) writer: Writer,
    pub(crate) index: Arc<Index>,
    pub(crate) admission: Admission,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    pub(crate) log: Arc<Log>,
    pub(crate) guard: Guard,
    pub(crate) stopping: watch::Sender<bool>,
    pub(crate) ids: Ids,
    pub(crate) pictures: Arc<Mutex<Option<Drawn>>>,
}

impl App {
    pub(crate) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Logs that a connection is refused, whose request is not read, and tells the id of the answer.
    pub(crate) fn refused(&self) -> String {
        let id = self.ids.next();
        let facts =
            [("id", id.clone().into()), ("status", 503.into()), ("code", "too_many_connections".into())];
        self.log.event("warn", "refused", &facts);
        id
    }

    /// Whether the index compares by fingerprints.
    pub(crate) fn takes_fingerprints(&self) -> bool {
        matches!(self.index.settings().rule, Rule::Simhash { .. })
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Names of requests: those that clients give, or our own.
pub(crate) struct Ids {
    start: u64,
    next: AtomicU64,
}

static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

impl Ids {
    pub(crate) fn new() -> Self {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64);
        Ids { start: time, next: AtomicU64::new(0) }
    }

    fn next(&self) -> String {
        format!("{:x}-{:x}", self.start, self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn take(&self, headers: &HeaderMap) -> HeaderValue {
        let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_.".contains(b);
        let given = headers.get(&REQUEST_ID);
        let given = given.filter(|id| (1..=64).contains(&id.len()) && id.as_bytes().iter().all(plain));
        given.cloned().unwrap_or_else(|| {
            HeaderValue::from_str(&self.next())
                .expect("an id is a header value because it is made of hexadecimal digits")
        })
    }
}

/// Answers a request.
pub(crate) async fn answer<B>(
    app: Arc<App>,
    mut router: axum::Router,
    request: Request<B>,
) -> Result<Response<Body>, Infallible>
where
    B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let started = Instant::now();
    let id = app.ids.take(request.headers());
    let route = Route::of(request.uri().path());
    let method = request.method().clone();
    let passed = if route.is_open() { Ok(()) } else { app.guard.check(request.headers()) };
    let mut response = match passed {
        Ok(()) => match router.call(request.map(Body::new)).await {
            Ok(response) => response,
            Err(never) => match never {},
        },
        Err(problem) => problem.into_response(),
    };
    let entry = Entry {
        started,
        id: id.clone(),
        method: known_method(&method),
        route,
        status: response.status().as_u16(),
        problem: response.extensions_mut().remove(),
        lines: response.extensions_mut().remove(),
        app,
    };
    if entry.lines.is_some() {
        // It is answered once the last line is, or the client has gone: then the body is dropped, and the entry with it.
        response = response.map(|body| {
            Body::new(body.map_frame(move |frame| {
                let _held = &entry;
                frame
            }))
        });
    } else {
        drop(entry);
    }
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID.clone(), id);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}

/// A method that clients made up is not logged as they wrote it.
fn known_method(method: &axum::http::Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "DELETE" => "DELETE",
        "HEAD" => "HEAD",
        "PUT" => "PUT",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}
