//! The page for people: files that are part of the program, and nothing from elsewhere.

use crate::app::App;
use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;

/// Scripts and styles are our files alone; pictures may be made of what was fetched with the token.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub(super) fn routes() -> Router<Arc<App>> {
    let files = [
        ("/", "text/html; charset=utf-8", include_str!("../page/index.html")),
        ("/page.css", "text/css; charset=utf-8", include_str!("../page/page.css")),
        ("/page.js", "text/javascript; charset=utf-8", include_str!("../page/page.js")),
        ("/icon.svg", "image/svg+xml", include_str!("../page/icon.svg")),
    ];
    files.into_iter().fold(Router::new(), |router, (path, kind, text)| {
        router.route(path, get(move || async move { file(kind, text) }))
    })
}

fn file(kind: &'static str, text: &'static str) -> Response {
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
