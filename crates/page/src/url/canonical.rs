//! The canonical form of a parsed URL.

use ::url::Url;

use super::percent;

/// Path and query of an opaque URL (`mailto:`) are left as the parser wrote them.
pub(super) fn of(url: &Url) -> String {
    if url.cannot_be_a_base() || !matches!(url.scheme(), "http" | "https" | "ftp" | "ws" | "wss" | "file") {
        return url.as_str().to_owned();
    }
    let before_path = &url[..::url::Position::BeforePath];
    let mut out = String::with_capacity(url.as_str().len());
    out.push_str(before_path);
    out.push_str(&percent::normalised(url.path()));
    if let Some(query) = url.query() {
        out.push('?');
        out.push_str(&percent::normalised(query));
    }
    out
}
