//! Records of web archives: what a crawler fetched.

use super::{Body, Document, Link, Parsed, Parser, document, is_text_with_nul, no_nul, nul, utf8};
use crate::bad::{BadKind, BadRecord};
use crate::http::{self, PayloadError, Response};
use crate::payload::Payload;
use crate::warc::{ArcHeader, WarcHeader, bare};
use std::borrow::Cow;

/// What a payload comes to: a body, nothing to read of a kind, or nothing at all.
pub(super) enum Judged<'a> {
    Body(Body<'a>),
    Skip(&'static str),
    Nothing,
}

impl Parser {
    pub(super) fn warc<'a>(&self, bytes: &'a [u8], whole: bool) -> Result<Parsed<'a>, BadRecord> {
        let header = WarcHeader::parse(bytes)
            .ok_or_else(|| BadRecord::new(BadKind::Header, "record header without a blank line"))?;
        let payload = header.block(bytes);
        let record_id = header.text("WARC-Record-ID");
        let concurrent_to = || -> Vec<&str> {
            header.all("WARC-Concurrent-To").filter_map(|v| std::str::from_utf8(v).ok()).collect()
        };
        let refers_to = || header.text("WARC-Refers-To");
        let payload_digest = header.text("WARC-Payload-Digest");
        let kind = header.get("WARC-Type");
        let (status, redirect) = outcome(if kind == Some(b"response") { payload } else { &[] });
        let url = || header.target_uri().map(url_text);
        let body = match kind {
            // How a name was looked up is no page.
            Some(b"response")
                if header.get("WARC-Target-URI").is_some_and(|url| url.starts_with(b"dns:")) =>
            {
                Judged::Nothing
            }
            // A part of a page is not the page.
            Some(b"response" | b"conversion") if header.get("WARC-Segment-Number").is_some() => {
                Judged::Skip("segment")
            }
            Some(b"response") => self.response(payload, header.text("Content-Type"), whole)?,
            Some(b"conversion") => {
                let (essence, charset) =
                    http::content_type(header.text("Content-Type").unwrap_or("text/plain"));
                match essence.as_str() {
                    "text/html" => {
                        Judged::Body(Body::Page { bytes: Cow::Borrowed(payload), html: true, charset })
                    }
                    "text/plain" | "text/markdown" if charset.as_deref().is_some_and(is_other_charset) => {
                        if !is_wide(payload, charset.as_deref()) {
                            no_nul(payload)?;
                        }
                        Judged::Body(Body::Page { bytes: Cow::Borrowed(payload), html: false, charset })
                    }
                    "text/plain" | "text/markdown" => {
                        let text = utf8(payload)?;
                        no_nul(text.as_bytes())?;
                        Judged::Body(Body::Text(Cow::Borrowed(text)))
                    }
                    // What a page was made into goes where the page goes.
                    _ => {
                        let to = refers_to().into_iter().collect();
                        return Ok(Parsed::Passed(Some(Link { record_id, to, ..Link::default() })));
                    }
                }
            }
            Some(b"revisit") => {
                let leads_to = header.get("WARC-Refers-To-Target-URI").map(bare).map(url_text);
                let target_date = header.text("WARC-Refers-To-Date");
                let to = refers_to().into_iter().collect();
                let url = url();
                let link = Link { record_id, revisit: true, to, target_date, payload_digest, url, leads_to };
                return Ok(Parsed::Passed(Some(link)));
            }
            Some(b"request" | b"metadata") => {
                let to = concurrent_to().into_iter().chain(refers_to()).collect();
                return Ok(Parsed::Passed(Some(Link { record_id, to, ..Link::default() })));
            }
            // A further part of a page goes where its first part goes.
            Some(b"continuation") => {
                let to = header.text("WARC-Segment-Origin-ID").into_iter().collect();
                return Ok(Parsed::Passed(Some(Link { record_id, to, ..Link::default() })));
            }
            _ => return Ok(Parsed::Passed(None)),
        };
        let body = match body {
            Judged::Body(body) => body,
            Judged::Skip(_) | Judged::Nothing if redirect.is_some() => {
                return Ok(Parsed::Passed(led(url(), redirect)));
            }
            Judged::Skip(what) => return Ok(Parsed::Skipped(what)),
            Judged::Nothing => return Ok(Parsed::Passed(None)),
        };
        if !whole {
            return Err(self.too_large(header.content_length().unwrap_or_default()));
        }
        Ok(document(Document {
            id: None,
            url: url(),
            date: header.text("WARC-Date").map(Cow::Borrowed),
            score: None,
            group: self.fields.group.as_deref().and_then(|name| header.text(name)).map(Cow::Borrowed),
            body,
            record_id,
            payload_digest,
            concurrent_to: concurrent_to(),
            status,
            redirect,
        }))
    }

    pub(super) fn arc<'a>(&self, bytes: &'a [u8], whole: bool) -> Result<Parsed<'a>, BadRecord> {
        let header =
            ArcHeader::parse(bytes).ok_or_else(|| BadRecord::new(BadKind::Header, "no ARC header line"))?;
        if header.url.starts_with(b"filedesc:") || header.url.starts_with(b"dns:") {
            return Ok(Parsed::Passed(None));
        }
        let payload = header.block(bytes);
        let body = if payload.starts_with(b"HTTP/") {
            self.response(payload, None, whole)?
        } else {
            self.judge(Cow::Borrowed(payload), Some(header.content_type))?
        };
        let (status, redirect) = outcome(payload);
        let body = match body {
            Judged::Body(body) => body,
            Judged::Skip(_) | Judged::Nothing if redirect.is_some() => {
                return Ok(Parsed::Passed(led(Some(url_text(header.url)), redirect)));
            }
            Judged::Skip(what) => return Ok(Parsed::Skipped(what)),
            Judged::Nothing => return Ok(Parsed::Passed(None)),
        };
        if !whole {
            return Err(self.too_large(header.content_length));
        }
        let (url, date) = (Some(url_text(header.url)), Some(warc_date(header.date)));
        Ok(document(Document { url, date, body, status, redirect, ..Document::default() }))
    }

    /// The body of a response. Of one that is too large to be held there is a start at most.
    fn response<'a>(
        &self,
        bytes: &'a [u8],
        record_type: Option<&str>,
        whole: bool,
    ) -> Result<Judged<'a>, BadRecord> {
        let Some(response) = Response::parse(bytes) else {
            // Some writers store the payload alone.
            let stored = record_type.filter(|t| !t.starts_with("application/http"));
            return self.judge(Cow::Borrowed(bytes), stored);
        };
        let content_type = response.header("Content-Type");
        if !whole {
            let is_coded = response.header("Content-Encoding").is_some();
            let start = if is_coded { &[] } else { response.body };
            return Ok(match (self.judge)(start, content_type) {
                Payload::Skip(what) => Judged::Skip(what),
                _ => Judged::Body(Body::default()),
            });
        }
        match response.payload(self.limit) {
            Ok(payload) => match response.content_coding() {
                Some(coding) if self.is_neither(&payload, &response, content_type) => {
                    let message = format!("content encoding {coding}: expected it or a page, found neither");
                    Err(BadRecord::new(BadKind::Http, message))
                }
                _ => self.judge(payload, content_type),
            },
            Err(error) => match (self.judge)(&[], content_type) {
                Payload::Skip(what) => Ok(Judged::Skip(what)),
                _ => {
                    let too_large = matches!(error, PayloadError::TooLarge { .. });
                    let kind = if too_large { BadKind::TooLarge } else { BadKind::Http };
                    Err(BadRecord::new(kind, error.to_string()))
                }
            },
        }
    }

    /// Whether a payload that was taken as it is, for it does not start like its coding, is no page without it either.
    fn is_neither(&self, payload: &[u8], response: &Response<'_>, content_type: Option<&str>) -> bool {
        matches!((self.judge)(payload, content_type), Payload::Skip("other" | "archive"))
            && !matches!((self.judge)(&[], content_type), Payload::Skip(_))
            && payload == response.entity().as_ref()
    }

    /// A payload by its bytes and its declared type. HTML has a rule for NUL, and other text has none.
    pub(super) fn judge<'a>(
        &self,
        bytes: Cow<'a, [u8]>,
        content_type: Option<&str>,
    ) -> Result<Judged<'a>, BadRecord> {
        let (essence, charset) = http::content_type(content_type.unwrap_or_default());
        // A tar is text but for its NULs, too.
        let is_declared =
            matches!(essence.as_str(), "" | "unknown" | "no-type") || essence.starts_with("text/");
        Ok(match (self.judge)(&bytes, content_type) {
            Payload::Html => Judged::Body(Body::Page { bytes, html: true, charset }),
            Payload::Text if !is_wide(&bytes, charset.as_deref()) && is_text_with_nul(&bytes) => {
                return Err(nul(&bytes));
            }
            Payload::Text => Judged::Body(Body::Page { bytes, html: false, charset }),
            _ if bytes.is_empty() => Judged::Nothing,
            Payload::File => Judged::Body(Body::File { bytes, charset }),
            Payload::Skip("other") if is_declared && is_text_with_nul(&bytes) => return Err(nul(&bytes)),
            Payload::Skip(what) => Judged::Skip(what),
        })
    }

    fn too_large(&self, len: u64) -> BadRecord {
        let message = format!("expected a document of at most {} bytes, found {len}", self.limit);
        BadRecord::new(BadKind::TooLarge, message)
    }
}

/// Whether text has units of two or four bytes, of which many are NUL.
fn is_wide(bytes: &[u8], charset: Option<&str>) -> bool {
    let declared = charset.map(str::to_ascii_lowercase).unwrap_or_default();
    let is_declared = ["utf-16", "utf16", "utf-32", "utf32", "ucs-", "ucs2", "unicode"]
        .iter()
        .any(|start| declared.starts_with(start));
    is_declared || memchr::memchr_iter(0, bytes).count() * 4 >= bytes.len()
}

/// Whether a charset is not that of texts in WET.
fn is_other_charset(charset: &str) -> bool {
    !["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known))
}

/// Status and target of a response, where it is one of HTTP.
fn outcome(payload: &[u8]) -> (Option<u16>, Option<&str>) {
    let response = Response::parse(payload);
    (response.and_then(|response| response.status()), response.and_then(|response| response.redirect()))
}

/// The tie of a redirect that holds no page.
fn led<'a>(url: Option<Cow<'a, str>>, leads_to: Option<&'a str>) -> Option<Link<'a>> {
    leads_to.map(|target| Link { url, leads_to: Some(Cow::Borrowed(target)), ..Link::default() })
}

/// A URL as text. Bytes that are not UTF-8, as crawlers of pages in Latin-1 wrote them, are escaped, so that two URLs that differ in
/// them differ as text.
fn url_text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(url) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(url);
    }
    let mut url = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        url.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| url.push_str(&format!("%{byte:02X}")));
    }
    Cow::Owned(url)
}

/// The digits of a date in ARC as WARC writes it.
fn warc_date(digits: &str) -> Cow<'_, str> {
    let part = |range: std::ops::Range<usize>| digits.get(range).unwrap_or_default();
    if digits.len() != 14 || !digits.is_ascii() {
        return Cow::Borrowed(digits);
    }
    let (year, month, day) = (part(0..4), part(4..6), part(6..8));
    let (hour, minute, second) = (part(8..10), part(10..12), part(12..14));
    Cow::Owned(format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z"))
}
