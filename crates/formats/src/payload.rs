//! What the payload of a record is: a page, a file with text, or nothing to read.
//!
//! This crate knows containers and not contents: who reads pages hands in a [`Judge`].

use crate::http;
use crate::sniff::looks_like_html;

/// What a payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// HTML.
    Html,
    /// Plain text.
    Text,
    /// A file of another type that holds text.
    File,
    /// Nothing to read, and what it is.
    Skip(&'static str),
}

/// Tells what bytes are; `content_type` is what their header says. Without bytes it is all there is to tell by.
pub type Judge = fn(bytes: &[u8], content_type: Option<&str>) -> Payload;

/// The judge of those who have no better one: HTML and plain text by their header, or by their looks where it says
/// nothing.
pub fn by_header(bytes: &[u8], content_type: Option<&str>) -> Payload {
    let (essence, _) = http::content_type(content_type.unwrap_or_default());
    match essence.as_str() {
        "text/html" | "application/xhtml+xml" => Payload::Html,
        "text/plain" | "text/markdown" => Payload::Text,
        "" | "unknown" | "no-type" if looks_like_html(bytes.trim_ascii_start()) => Payload::Html,
        _ => Payload::Skip("other"),
    }
}
