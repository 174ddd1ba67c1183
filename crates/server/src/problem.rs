//! What goes wrong with a request, as `application/problem+json` (RFC 9457) with a code that does not change.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// Stable names of what can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Code {
    /// The body is no JSON, or not of the shape that is asked for.
    InvalidJson,
    /// A field or parameter is missing or cannot be.
    InvalidRequest,
    /// A token is needed, or it is another one.
    Unauthorized,
    /// The request comes from a page of another site.
    OriginRefused,
    /// There is nothing at this path.
    NotFound,
    /// No document has this id.
    DocumentNotFound,
    /// The path does not take this method.
    MethodNotAllowed,
    /// The body did not arrive in time.
    Timeout,
    /// The body is too large.
    BodyTooLarge,
    /// The body is of a type that is not read.
    UnsupportedMediaType,
    /// The index does not compare by fingerprints.
    FingerprintUnsupported,
    /// Too many requests are waiting.
    QueueFull,
    /// A failure of the server or of its index.
    Internal,
    /// Too many connections are open.
    TooManyConnections,
    /// Too much is being worked on.
    Overloaded,
    /// The server is about to stop.
    Stopping,
    /// The disk is full.
    StorageFull,
}

impl Code {
    fn status(self) -> StatusCode {
        match self {
            Code::InvalidJson | Code::InvalidRequest => StatusCode::BAD_REQUEST,
            Code::Unauthorized => StatusCode::UNAUTHORIZED,
            Code::OriginRefused => StatusCode::FORBIDDEN,
            Code::NotFound | Code::DocumentNotFound => StatusCode::NOT_FOUND,
            Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Code::Timeout => StatusCode::REQUEST_TIMEOUT,
            Code::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Code::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Code::FingerprintUnsupported => StatusCode::UNPROCESSABLE_ENTITY,
            Code::QueueFull => StatusCode::TOO_MANY_REQUESTS,
            Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Code::TooManyConnections | Code::Overloaded | Code::Stopping => StatusCode::SERVICE_UNAVAILABLE,
            Code::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
        }
    }

    /// Seconds after which to try again, where that may help.
    fn retry_after(self) -> Option<HeaderValue> {
        match self {
            Code::QueueFull | Code::TooManyConnections | Code::Overloaded => {
                Some(HeaderValue::from_static("1"))
            }
            Code::Stopping => Some(HeaderValue::from_static("5")),
            Code::StorageFull => Some(HeaderValue::from_static("60")),
            _ => None,
        }
    }
}

/// A failed request.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) code: Code,
    detail: String,
}

/// A failed request as the client sees it.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProblemBody {
    /// Always `about:blank`: the code tells more than an address would.
    r#type: &'static str,
    /// The name of the status.
    title: &'static str,
    /// The status.
    status: u16,
    /// What went wrong, by a name that does not change.
    code: Code,
    /// What went wrong, for people.
    detail: String,
}

impl Problem {
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Problem { code, detail: detail.into() }
    }

    pub(crate) fn body(&self) -> ProblemBody {
        let status = self.code.status();
        ProblemBody {
            r#type: "about:blank",
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            code: self.code,
            detail: self.detail.clone(),
        }
    }
}

impl From<onefold_index::Error> for Problem {
    fn from(error: onefold_index::Error) -> Self {
        let code = match &error {
            full if full.is_full() => Code::StorageFull,
            onefold_index::Error::Sketch { .. } => Code::InvalidRequest,
            _ => Code::Internal,
        };
        Problem::new(code, error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self.body()).unwrap_or_default();
        let mut response = (self.code.status(), body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.code.retry_after() {
            headers.insert(header::RETRY_AFTER, seconds);
        }
        if self.code == Code::Unauthorized {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        // For the log: the code, and for what is the server's own fault the reason.
        response.extensions_mut().insert(self);
        response
    }
}

impl Problem {
    /// What the log may tell: the reason of failures, and nothing that came from a client.
    pub(crate) fn for_log(&self) -> Option<&str> {
        matches!(self.code, Code::Internal | Code::StorageFull).then_some(self.detail.as_str())
    }
}
