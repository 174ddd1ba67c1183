//! From a framed record to a document: identity, URL, date, body.

use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::http::{self, PayloadError, Response};
use crate::json::{self, Value};
use crate::row;
use crate::source::{Fields, Format};
use crate::text::CsvHeader;
use crate::warc::{ArcHeader, WarcHeader};
use std::borrow::Cow;

/// What a record turns out to be.
#[derive(Debug)]
pub enum Parsed<'a> {
    /// A document.
    Document(Box<Document<'a>>),
    /// Not a document: it passes through, perhaps tied to one.
    Passed(Option<Link<'a>>),
    /// Not readable.
    Bad(BadRecord),
}

/// A document.
#[derive(Debug, Default)]
pub struct Document<'a> {
    /// Its own identity, if it has one.
    pub id: Option<Cow<'a, str>>,
    /// Its URL.
    pub url: Option<Cow<'a, str>>,
    /// Its date as written.
    pub date: Option<Cow<'a, str>>,
    /// Its score, where one was asked for.
    pub score: Option<f64>,
    /// The group it is compared within, where one was asked for.
    pub group: Option<Cow<'a, str>>,
    /// What it says.
    pub body: Body<'a>,
    /// In WARC: `WARC-Record-ID`.
    pub record_id: Option<&'a str>,
    /// In WARC: the records it names in `WARC-Concurrent-To`.
    pub concurrent_to: Vec<&'a str>,
    /// Status of the HTTP response it came in.
    pub status: Option<u16>,
    /// Where that response leads, as written, if it is a redirect.
    pub redirect: Option<&'a str>,
}

/// What a document says.
#[derive(Debug)]
pub enum Body<'a> {
    /// Text, decoded.
    Text(Cow<'a, str>),
    /// A page as fetched.
    Page {
        /// The bytes, content codings undone.
        bytes: Cow<'a, [u8]>,
        /// Whether they are HTML and not plain text.
        html: bool,
        /// Charset by the HTTP header.
        charset: Option<String>,
    },
}

impl Default for Body<'_> {
    fn default() -> Self {
        Body::Text(Cow::Borrowed(""))
    }
}

/// How a record that is no document is tied to others.
#[derive(Debug, Default)]
pub struct Link<'a> {
    /// Its own id.
    pub record_id: Option<&'a str>,
    /// Whether it is a revisit.
    pub revisit: bool,
    /// Records it is concurrent to or, for a revisit, refers to.
    pub to: Vec<&'a str>,
    /// For a revisit without an id to refer to: the URL and date of its target.
    pub target: Option<(&'a str, &'a str)>,
    /// Its own URL, where it is a revisit or a redirect.
    pub url: Option<Cow<'a, str>>,
    /// The URL a revisit refers to or a redirect leads to, as written.
    pub leads_to: Option<&'a str>,
}

/// How to read the records of one source.
#[derive(Clone, Debug)]
pub struct Parser {
    format: Format,
    fields: Fields,
    limit: usize,
    columns: Option<CsvHeader>,
}

impl Parser {
    /// A parser for a source's records; for CSV, `header` is the first row.
    pub fn new(format: Format, fields: &Fields, limit: usize, header: Option<&[u8]>) -> Self {
        let delimiter = if format == Format::Tsv { b'\t' } else { b',' };
        let columns = header.map(|row| CsvHeader::parse(row, delimiter));
        Parser { format, fields: fields.clone(), limit, columns }
    }

    /// Reads a record.
    pub fn parse<'a>(&self, bytes: &'a [u8], kind: &FrameKind) -> Parsed<'a> {
        let outcome = match kind {
            FrameKind::Filler { .. } => Ok(Parsed::Passed(None)),
            FrameKind::Bad(bad) => Err(bad.clone()),
            FrameKind::Record | FrameKind::HeaderOnly => {
                let whole = matches!(kind, FrameKind::Record);
                match self.format {
                    Format::Jsonl => self.json(bytes),
                    Format::Csv | Format::Tsv => self.csv(bytes),
                    Format::Parquet => row::decode(bytes).map(document),
                    Format::Text | Format::Html => self.file(bytes),
                    Format::Warc => self.warc(bytes, whole),
                    Format::Arc => self.arc(bytes, whole),
                }
            }
        };
        outcome.unwrap_or_else(Parsed::Bad)
    }

    /// A file that is one document. HTML has a rule for NUL, UTF-16 is full of it, and other text has none.
    fn file<'a>(&self, bytes: &'a [u8]) -> Result<Parsed<'a>, BadRecord> {
        let html = self.format == Format::Html;
        let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        if !html && !utf16 {
            no_nul(bytes)?;
        }
        let body = Body::Page { bytes: Cow::Borrowed(bytes), html, charset: None };
        Ok(document(Document { body, ..Document::default() }))
    }

    fn json<'a>(&self, bytes: &'a [u8]) -> Result<Parsed<'a>, BadRecord> {
        let line = utf8(bytes)?;
        let fields = &self.fields;
        let names = [
            fields.text.as_str(),
            &fields.id,
            &fields.url,
            &fields.date,
            fields.score.as_deref().unwrap_or("\0"),
            fields.group.as_deref().unwrap_or("\0"),
        ];
        let mut values: [Option<Value<'_>>; 6] = [None; 6];
        json::fields(line, &names, |index, value| values[index] = Some(value))
            .map_err(|error| BadRecord::new(BadKind::Json, error.to_string()))?;
        // A field may serve twice, and is handed over once.
        let group_at = names[..5].iter().position(|name| *name == names[5]).unwrap_or(5);
        let group = values[group_at];
        let [text, id, url, date, score, _] = values;
        let text = match text {
            Some(Value::Text(raw)) => raw.decode(),
            None | Some(Value::Null) => return Err(missing(&fields.text)),
            Some(Value::Number(_)) => return Err(other_type(&fields.text, "a number")),
            Some(Value::Other(what)) => return Err(other_type(&fields.text, what)),
        };
        no_nul(text.as_bytes())?;
        let string = |value: Option<Value<'a>>| match value {
            Some(Value::Text(raw)) => Some(raw.decode()),
            Some(Value::Number(number)) => Some(Cow::Borrowed(number)),
            _ => None,
        };
        let score = string(score).and_then(|score| score.parse().ok());
        let (id, url, date) = (string(id), string(url), string(date));
        let group = fields.group.as_ref().and_then(|_| string(group));
        Ok(document(Document { id, url, date, score, group, body: Body::Text(text), ..Document::default() }))
    }

    fn csv<'a>(&self, bytes: &'a [u8]) -> Result<Parsed<'a>, BadRecord> {
        let columns = self.columns.as_ref().ok_or_else(|| missing(&self.fields.text))?;
        let mut row = columns.fields(bytes)?;
        let text = columns.column(&self.fields.text).ok_or_else(|| missing(&self.fields.text))?;
        let group = match self.fields.group.as_deref().and_then(|name| columns.column(name)) {
            // A column may serve twice.
            Some(column) => String::from_utf8(row[column].clone()).ok(),
            None => None,
        };
        let mut take = |column: Option<usize>| -> Result<Option<String>, BadRecord> {
            let Some(column) = column else { return Ok(None) };
            let field = String::from_utf8(std::mem::take(&mut row[column]));
            field.map(Some).map_err(|error| BadRecord::new(BadKind::Utf8, error.utf8_error().to_string()))
        };
        let text = take(Some(text))?.unwrap_or_default();
        no_nul(text.as_bytes())?;
        let score = take(self.fields.score.as_deref().and_then(|name| columns.column(name)))?;
        let owned = |field: Option<String>| field.filter(|f| !f.is_empty()).map(Cow::Owned);
        Ok(document(Document {
            id: owned(take(columns.column(&self.fields.id))?),
            url: owned(take(columns.column(&self.fields.url))?),
            date: owned(take(columns.column(&self.fields.date))?),
            score: score.and_then(|score| score.parse().ok()),
            group: owned(group),
            body: Body::Text(Cow::Owned(text)),
            ..Document::default()
        }))
    }

    fn warc<'a>(&self, bytes: &'a [u8], whole: bool) -> Result<Parsed<'a>, BadRecord> {
        let header = WarcHeader::parse(bytes)
            .ok_or_else(|| BadRecord::new(BadKind::Header, "record header without a blank line"))?;
        let payload = &bytes[header.len..];
        let record_id = header.text("WARC-Record-ID");
        let concurrent_to =
            || header.all("WARC-Concurrent-To").filter_map(|v| std::str::from_utf8(v).ok()).collect();
        let kind = header.get("WARC-Type");
        let (status, redirect) = outcome(if kind == Some(b"response") { payload } else { &[] });
        let url = || header.get("WARC-Target-URI").map(url_text);
        let body = match kind {
            Some(b"response") => self.response(payload, header.text("Content-Type"), whole)?,
            Some(b"conversion") => {
                let (essence, charset) =
                    http::content_type(header.text("Content-Type").unwrap_or("text/plain"));
                match essence.as_str() {
                    "text/html" => Some(Body::Page { bytes: Cow::Borrowed(payload), html: true, charset }),
                    "text/plain" => {
                        let text = utf8(payload)?;
                        no_nul(text.as_bytes())?;
                        Some(Body::Text(Cow::Borrowed(text)))
                    }
                    _ => None,
                }
            }
            Some(b"revisit") => {
                let leads_to = header.text("WARC-Refers-To-Target-URI");
                let target = leads_to.zip(header.text("WARC-Refers-To-Date"));
                let to = header.text("WARC-Refers-To").into_iter().collect();
                let link = Link { record_id, revisit: true, to, target, url: url(), leads_to };
                return Ok(Parsed::Passed(Some(link)));
            }
            Some(b"request" | b"metadata") => {
                let link = Link { record_id, to: concurrent_to(), ..Link::default() };
                return Ok(Parsed::Passed(Some(link)));
            }
            _ => return Ok(Parsed::Passed(None)),
        };
        let Some(body) = body else { return Ok(Parsed::Passed(led(url(), redirect))) };
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
            concurrent_to: concurrent_to(),
            status,
            redirect,
        }))
    }

    fn arc<'a>(&self, bytes: &'a [u8], whole: bool) -> Result<Parsed<'a>, BadRecord> {
        let header =
            ArcHeader::parse(bytes).ok_or_else(|| BadRecord::new(BadKind::Header, "no ARC header line"))?;
        if header.url.starts_with("filedesc:") || header.url.starts_with("dns:") {
            return Ok(Parsed::Passed(None));
        }
        let payload = &bytes[header.len..];
        let body = if payload.starts_with(b"HTTP/") {
            self.response(payload, None, whole)?
        } else {
            self.page(Cow::Borrowed(payload), Some(header.content_type))
        };
        let (status, redirect) = outcome(payload);
        let Some(body) = body else { return Ok(Parsed::Passed(led(Some(header.url), redirect))) };
        if !whole {
            return Err(self.too_large(header.content_length));
        }
        let (url, date) = (Some(header.url), Some(Cow::Borrowed(header.date)));
        Ok(document(Document { url, date, body, status, redirect, ..Document::default() }))
    }

    /// The body of a response that holds HTML or plain text.
    fn response<'a>(
        &self,
        bytes: &'a [u8],
        record_type: Option<&str>,
        whole: bool,
    ) -> Result<Option<Body<'a>>, BadRecord> {
        let Some(response) = Response::parse(bytes) else {
            // Some writers store the payload alone.
            let stored = record_type.filter(|t| !t.starts_with("application/http"));
            return Ok(self.page(Cow::Borrowed(bytes), stored));
        };
        let content_type = response.header("Content-Type");
        let is_page = |head: &[u8]| self.page(Cow::Borrowed(head), content_type).is_some();
        if content_type.is_some_and(|_| !is_page(&[])) {
            return Ok(None);
        }
        if !whole {
            return Ok(is_page(response.body).then(Body::default));
        }
        let payload = response.payload(self.limit).map_err(|error| {
            let too_large = matches!(error, PayloadError::TooLarge { .. });
            BadRecord::new(if too_large { BadKind::TooLarge } else { BadKind::Http }, error.to_string())
        })?;
        Ok(self.page(payload, content_type))
    }

    /// A page of HTML or plain text, by its declared type or, without one, by its looks.
    fn page<'a>(&self, bytes: Cow<'a, [u8]>, content_type: Option<&str>) -> Option<Body<'a>> {
        let (essence, charset) = http::content_type(content_type.unwrap_or_default());
        let html = match essence.as_str() {
            "text/html" | "application/xhtml+xml" => true,
            "text/plain" | "text/markdown" => false,
            "" | "unknown" | "no-type" if crate::sniff::looks_like_html(bytes.trim_ascii_start()) => true,
            _ => return None,
        };
        Some(Body::Page { bytes, html, charset })
    }

    fn too_large(&self, len: u64) -> BadRecord {
        let message = format!("expected a document of at most {} bytes, found {len}", self.limit);
        BadRecord::new(BadKind::TooLarge, message)
    }
}

fn document(document: Document<'_>) -> Parsed<'_> {
    Parsed::Document(Box::new(document))
}

/// Status and target of a response, where it is one of HTTP.
fn outcome(payload: &[u8]) -> (Option<u16>, Option<&str>) {
    let response = Response::parse(payload);
    (response.and_then(|response| response.status()), response.and_then(|response| response.redirect()))
}

/// The tie of a redirect that holds no page.
fn led<'a>(url: Option<Cow<'a, str>>, leads_to: Option<&'a str>) -> Option<Link<'a>> {
    leads_to.map(|target| Link { url, leads_to: Some(target), ..Link::default() })
}

/// A URL without the angle brackets some writers put around it.
fn url_text(bytes: &[u8]) -> Cow<'_, str> {
    let bare = bytes.strip_prefix(b"<").and_then(|b| b.strip_suffix(b">")).unwrap_or(bytes);
    String::from_utf8_lossy(bare)
}

fn utf8(bytes: &[u8]) -> Result<&str, BadRecord> {
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return Ok(text);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => Err(BadRecord::new(BadKind::Utf8, error.to_string())),
    }
}

/// Text with a NUL is no text.
pub(crate) fn no_nul(text: impl AsRef<[u8]>) -> Result<(), BadRecord> {
    match memchr::memchr(0, text.as_ref()) {
        Some(at) => Err(BadRecord::new(BadKind::Nul, format!("NUL at byte {at} of the text"))),
        None => Ok(()),
    }
}

fn missing(field: &str) -> BadRecord {
    BadRecord::new(BadKind::MissingField, format!("field {field:?} is missing"))
}

fn other_type(field: &str, found: &str) -> BadRecord {
    BadRecord::new(BadKind::FieldType, format!("field {field:?}: expected a string, found {found}"))
}
