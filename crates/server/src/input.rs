//! What a client sends of a document: JSON, or the page as it was fetched.

use crate::problem::{Code, Problem};
use bytes::Bytes;
use onefold_detect::digest::Digest;
use onefold_formats::document::{Body, Document};
use onefold_formats::http::content_type;
use onefold_index::Sketch;
use onefold_pipeline::online::{Desk, Incoming};
use serde::Deserialize;
use std::borrow::Cow;
use utoipa::ToSchema;

/// A document: one of `text`, `html` and `fingerprint`, and what it is called. Other fields are passed over.
#[derive(Deserialize, ToSchema)]
pub(crate) struct Submission {
    /// Its name; without one, its URL is its name.
    id: Option<String>,
    /// Where it was found.
    url: Option<String>,
    /// Its text.
    text: Option<String>,
    /// The page as HTML.
    html: Option<String>,
    /// What `html` is: `text/html`, `application/xhtml+xml` or `text/plain`.
    content_type: Option<String>,
    /// A ready SimHash fingerprint of 16 hexadecimal digits, for an index that compares by fingerprints.
    fingerprint: Option<String>,
    /// When it was seen, in seconds since 1970; now, if nothing is said.
    seen: Option<u64>,
}

/// A document as it came.
pub(crate) struct Input {
    pub(crate) id: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) seen: Option<u64>,
    pub(crate) content: Content,
}

/// A document as the index takes it, with its text where texts are stored.
pub(crate) type Sketched = (Sketch, Option<String>);

/// What is known of it.
pub(crate) enum Content {
    Text(String),
    Page { bytes: Bytes, html: bool, charset: Option<String> },
    Fingerprint(u64),
}

impl Input {
    /// Reads JSON.
    pub(crate) fn of_json(bytes: &[u8]) -> Result<Self, Problem> {
        // An array would be taken for the fields in their order.
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err(Problem::new(Code::InvalidJson, "expected a JSON object"));
        }
        let submission: Submission = serde_json::from_slice(bytes)
            .map_err(|error| Problem::new(Code::InvalidJson, error.to_string()))?;
        submission.read()
    }

    /// Takes a page by its type; `id` and `url` come from elsewhere.
    pub(crate) fn of_page(bytes: Bytes, header: &str, names: Names) -> Result<Self, Problem> {
        let (essence, charset) = content_type(header);
        let html = is_html(&essence)?;
        let content = Content::Page { bytes, html, charset };
        Ok(Input { id: names.id, url: names.url, seen: names.seen, content })
    }

    /// Its name.
    pub(crate) fn name(&self) -> Option<&str> {
        self.id.as_deref().or(self.url.as_deref()).filter(|name| !name.is_empty())
    }

    /// Its name, which whoever adds it has to give.
    pub(crate) fn needs_name(&self) -> Result<(), Problem> {
        let missing = || Problem::new(Code::InvalidRequest, "expected an id or a url, found neither");
        self.name().map(drop).ok_or_else(missing)
    }

    /// What the index takes, and the text where it is stored. The same text gives the same sketch as `onefold index
    /// add` makes of it.
    pub(crate) fn sketch(self, desk: &mut Desk<'_>, now: u64) -> Sketched {
        let seen = self.seen.unwrap_or(now);
        let body = match self.content {
            Content::Fingerprint(fingerprint) => {
                return (sketch_of_fingerprint(self.id, self.url, fingerprint, seen), None);
            }
            Content::Text(text) => Body::Text(Cow::Owned(text)),
            Content::Page { ref bytes, html, charset } => {
                Body::Page { bytes: Cow::Borrowed(bytes), html, charset }
            }
        };
        let (id, url) = (self.id.map(Cow::Owned), self.url.map(Cow::Owned));
        let document = Document { id, url, body, ..Document::default() };
        let mut incoming = desk.sketch_one(&document);
        let text = incoming.text.take();
        (sketch_of(incoming, seen), text)
    }
}

impl Submission {
    fn read(self) -> Result<Input, Problem> {
        let content = match (self.text, self.html, self.fingerprint) {
            (Some(text), None, None) => Content::Text(text),
            (None, Some(page), None) => {
                let (essence, _) = content_type(self.content_type.as_deref().unwrap_or("text/html"));
                // JSON is Unicode whatever the page says of itself.
                let charset = Some("utf-8".to_owned());
                Content::Page { bytes: page.into(), html: is_html(&essence)?, charset }
            }
            (None, None, Some(digits)) => Content::Fingerprint(fingerprint(&digits)?),
            _ => {
                let detail = "expected one of text, html and fingerprint";
                return Err(Problem::new(Code::InvalidRequest, detail));
            }
        };
        Ok(Input { id: self.id, url: self.url, seen: self.seen, content })
    }
}

/// What a page that comes as it is has beside its bytes, as parameters.
#[derive(Default, Deserialize)]
pub(crate) struct Names {
    pub(crate) id: Option<String>,
    pub(crate) url: Option<String>,
    pub(crate) seen: Option<u64>,
}

fn is_html(essence: &str) -> Result<bool, Problem> {
    match essence {
        "text/html" | "application/xhtml+xml" => Ok(true),
        "text/plain" => Ok(false),
        _ => {
            let detail = "expected application/json, text/html, application/xhtml+xml or text/plain";
            Err(Problem::new(Code::UnsupportedMediaType, detail))
        }
    }
}

fn fingerprint(digits: &str) -> Result<u64, Problem> {
    let hexadecimal = digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let bits = hexadecimal.then(|| u64::from_str_radix(digits, 16).ok()).flatten();
    let wrong = || Problem::new(Code::InvalidRequest, "fingerprint: expected 16 hexadecimal digits");
    bits.ok_or_else(wrong)
}

/// A sketched document as the index takes it.
pub fn sketch_of(incoming: Incoming, seen: u64) -> Sketch {
    Sketch {
        id: incoming.id,
        url: incoming.url,
        key: incoming.key,
        seen,
        digest: incoming.digest,
        fingerprint: incoming.fingerprint,
        signature: incoming.signature,
        shingles: incoming.shingles,
        empty: incoming.empty,
    }
}

/// A document of which nothing but the fingerprint is known. Its digest is that of its name, for texts with equal
/// fingerprints need not be equal.
fn sketch_of_fingerprint(id: Option<String>, url: Option<String>, fingerprint: u64, seen: u64) -> Sketch {
    let id = id.or_else(|| url.clone()).unwrap_or_default();
    let digest = Digest::of(format!("fingerprint {fingerprint:016x} of {id}").as_bytes());
    Sketch {
        id,
        url,
        key: None,
        seen,
        digest,
        fingerprint: Some(fingerprint),
        signature: None,
        shingles: Vec::new(),
        empty: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(json: &str) -> Code {
        Input::of_json(json.as_bytes()).map(drop).unwrap_err().code
    }

    #[test]
    fn a_document_is_one_thing() {
        assert!(Input::of_json(br#"{"text": "a", "more": 1}"#).is_ok());
        assert_eq!(code(r#"{"text": "a", "html": "b"}"#), Code::InvalidRequest);
        assert_eq!(code(r#"{"id": "a"}"#), Code::InvalidRequest);
        assert_eq!(code(r#"{"text": 1}"#), Code::InvalidJson);
        assert_eq!(code("[]"), Code::InvalidJson);
        assert_eq!(code(r#"["i", "u", "text", null, null, null, null]"#), Code::InvalidJson);
        assert_eq!(code(r#"{"html": "", "content_type": "image/png"}"#), Code::UnsupportedMediaType);
    }

    #[test]
    fn fingerprints_are_16_digits() {
        assert_eq!(fingerprint("00000000000000fF").ok(), Some(255));
        for wrong in ["", "ff", "+0000000000000ff", "00000000000000fg", "000000000000000ff"] {
            assert!(fingerprint(wrong).is_err(), "{wrong}");
        }
    }
}
