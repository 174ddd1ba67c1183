//! From a framed record to a document: identity, URL, date, body.

mod web;

use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::compress::Compression;
use crate::json::{self, Value};
use crate::payload::{Judge, by_header};
use crate::row;
use crate::score::Score;
use crate::sniff;
use crate::source::{Fields, Format};
use crate::text::CsvHeader;
use std::borrow::Cow;
use web::Judged;

/// What a record turns out to be.
#[derive(Debug)]
pub enum Parsed<'a> {
    /// A document.
    Document(Box<Document<'a>>),
    /// Not a document: it passes through, perhaps tied to one.
    Passed(Option<Link<'a>>),
    /// A payload without text, as a picture, and what it is; it passes through.
    Skipped(&'static str),
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
    pub score: Option<Score>,
    /// The group it is compared within, where one was asked for.
    pub group: Option<Cow<'a, str>>,
    /// What it says.
    pub body: Body<'a>,
    /// In WARC: `WARC-Record-ID`.
    pub record_id: Option<&'a str>,
    /// In WARC: `WARC-Payload-Digest`.
    pub payload_digest: Option<&'a str>,
    /// In WARC: the records it names in `WARC-Concurrent-To`.
    pub concurrent_to: Vec<&'a str>,
    /// Status of the HTTP response it came in.
    pub status: Option<u16>,
    /// Where that response leads, as written, if it is a redirect.
    pub redirect: Option<&'a str>,
}

impl Document<'_> {
    /// What it is known by, if that is not its place: its own identity, else its URL.
    pub fn name(&self) -> Option<&str> {
        [&self.id, &self.url].into_iter().flatten().map(Cow::as_ref).find(|name| !name.is_empty())
    }
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
    /// A file of another type that holds text, as fetched.
    File {
        /// The bytes, content codings undone.
        bytes: Cow<'a, [u8]>,
        /// Charset by the HTTP header.
        charset: Option<String>,
    },
}

impl Body<'_> {
    /// Its bytes.
    pub fn len(&self) -> usize {
        match self {
            Body::Text(text) => text.len(),
            Body::Page { bytes, .. } | Body::File { bytes, .. } => bytes.len(),
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
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
    /// Records it is concurrent to or refers to.
    pub to: Vec<&'a str>,
    /// For a revisit: the date of what it refers to.
    pub target_date: Option<&'a str>,
    /// For a revisit: `WARC-Payload-Digest`.
    pub payload_digest: Option<&'a str>,
    /// Its own URL, where it is a revisit or a redirect.
    pub url: Option<Cow<'a, str>>,
    /// The URL a revisit refers to or a redirect leads to, as written.
    pub leads_to: Option<Cow<'a, str>>,
}

/// How to read the records of one source.
#[derive(Clone, Debug)]
pub struct Parser {
    format: Format,
    fields: Fields,
    limit: usize,
    columns: Option<CsvHeader>,
    judge: Judge,
    /// Whether a file that is no document is not what its name says.
    is_expected: bool,
    /// What records a file's name says it holds.
    promised: Option<&'static str>,
}

impl Parser {
    /// A parser for a source's records; for CSV, `header` is the first row.
    pub fn new(format: Format, fields: &Fields, limit: usize, header: Option<&[u8]>) -> Self {
        let delimiter = if format == Format::Tsv { b'\t' } else { b',' };
        let columns = header.map(|row| CsvHeader::parse(row, delimiter));
        let (fields, judge) = (fields.clone(), by_header);
        Parser { format, fields, limit, columns, judge, is_expected: false, promised: None }
    }

    /// The same parser with this judge of payloads.
    pub fn judged_by(self, judge: Judge) -> Self {
        Parser { judge, ..self }
    }

    /// The same parser for a file of this name.
    pub fn of_file(self, name: &str) -> Self {
        let promised = sniff::promised_records(name);
        Parser { is_expected: sniff::promises_documents(name), promised, ..self }
    }

    /// The same parser for documents that were read before, of any file of the format: what their names promise was held against
    /// them then.
    pub fn of_any_file(self) -> Self {
        Parser { is_expected: false, promised: None, ..self }
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
                    Format::Text | Format::Html => self.page(bytes),
                    Format::File => self.file(bytes),
                    Format::Warc => self.warc(bytes, whole),
                    Format::Arc => self.arc(bytes, whole),
                }
            }
        };
        outcome.unwrap_or_else(Parsed::Bad)
    }

    /// A file that is one page. HTML has a rule for NUL, UTF-16 is full of it, and other text has none.
    fn page<'a>(&self, bytes: &'a [u8]) -> Result<Parsed<'a>, BadRecord> {
        let html = self.format == Format::Html;
        self.is_as_named(if html { "a page of HTML" } else { "plain text" })?;
        let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
        if !html && !utf16 {
            no_nul(bytes)?;
        }
        let body = Body::Page { bytes: Cow::Borrowed(bytes), html, charset: None };
        Ok(document(Document { body, ..Document::default() }))
    }

    /// A file of records that is one document is not what its name says, whatever the document.
    fn is_as_named(&self, found: &str) -> Result<(), BadRecord> {
        let Some(records) = self.promised else { return Ok(()) };
        let message = format!("expected {records} by the name of the file, found {found}");
        Err(BadRecord::new(BadKind::Unrecognised, message))
    }

    /// A file that is something else.
    fn file<'a>(&self, bytes: &'a [u8]) -> Result<Parsed<'a>, BadRecord> {
        match self.judge(Cow::Borrowed(bytes), None)? {
            Judged::Body(body) => {
                self.is_as_named(match body {
                    Body::Page { html: true, .. } => "a page of HTML",
                    Body::Page { .. } | Body::Text(_) => "text in UTF-16 or UTF-32",
                    Body::File { .. } => "a file of another type",
                })?;
                Ok(document(Document { body, ..Document::default() }))
            }
            Judged::Skip(what) if what == "other" || self.is_expected => {
                let message = match (Compression::unread(bytes), what) {
                    (Some(name), _) => {
                        format!("compressed by {name}, which is not read: decompress it first")
                    }
                    (None, "other") => {
                        "neither WARC, ARC, JSONL, Parquet, CSV, nor a file whose text can be read".into()
                    }
                    (None, what) => format!("expected documents by the name of the file, found {what}"),
                };
                Err(BadRecord::new(BadKind::Unrecognised, message))
            }
            Judged::Skip(what) => Ok(Parsed::Skipped(what)),
            Judged::Nothing => Ok(Parsed::Passed(None)),
        }
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
        json::fields(line, &names, |index, value| values[index] = Some(value)).map_err(
            |error| match bytes.get(error.at) {
                Some(0) => nul(bytes),
                _ => BadRecord::new(BadKind::Json, error.to_string()),
            },
        )?;
        // A field may serve more than once, and is handed over for the first.
        let [text, id, url, date, score, group] =
            names.map(|name| names.iter().position(|other| *other == name).and_then(|at| values[at]));
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
        let score = string(score).and_then(|score| Score::parse(&score));
        let (id, url, date) = (string(id), string(url), string(date));
        let group = match group.filter(|_| fields.group.is_some()) {
            Some(Value::Other(word @ ("true" | "false"))) => Some(Cow::Borrowed(word)),
            group => string(group),
        };
        Ok(document(Document { id, url, date, score, group, body: Body::Text(text), ..Document::default() }))
    }

    fn csv<'a>(&self, bytes: &'a [u8]) -> Result<Parsed<'a>, BadRecord> {
        let columns = self.columns.as_ref().ok_or_else(|| missing(&self.fields.text))?;
        let mut row = columns.fields(bytes)?;
        // Of all columns: what is kept is to be read by others.
        utf8(bytes)?;
        let text = columns.column(&self.fields.text).ok_or_else(|| missing(&self.fields.text))?;
        let decode = |field: Vec<u8>| {
            String::from_utf8(field)
                .map_err(|error| BadRecord::new(BadKind::Utf8, error.utf8_error().to_string()))
        };
        // A column may serve more than once.
        let field = |name: &str| -> Result<Option<Cow<'a, str>>, BadRecord> {
            let Some(column) = columns.column(name).filter(|&column| !row[column].is_empty()) else {
                return Ok(None);
            };
            decode(row[column].clone()).map(|field| Some(Cow::Owned(field)))
        };
        let named = |name: &Option<String>| name.as_deref().map(field).transpose().map(Option::flatten);
        let read = Document {
            id: field(&self.fields.id)?,
            url: field(&self.fields.url)?,
            date: field(&self.fields.date)?,
            score: named(&self.fields.score)?.and_then(|score| Score::parse(&score)),
            group: named(&self.fields.group)?,
            ..Document::default()
        };
        let text = decode(std::mem::take(&mut row[text]))?;
        no_nul(text.as_bytes())?;
        Ok(document(Document { body: Body::Text(Cow::Owned(text)), ..read }))
    }
}

fn document(document: Document<'_>) -> Parsed<'_> {
    Parsed::Document(Box::new(document))
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

/// A record whose fault is its first NUL.
fn nul(bytes: &[u8]) -> BadRecord {
    let at = memchr::memchr(0, bytes).unwrap_or_default();
    BadRecord::new(BadKind::Nul, format!("NUL at byte {at}"))
}

/// Whether bytes would be text but for their NULs.
fn is_text_with_nul(bytes: &[u8]) -> bool {
    let odd = |byte: &&u8| **byte < 0x20 && **byte != 0 && !byte.is_ascii_whitespace() && **byte != 0x1b;
    memchr::memchr(0, bytes).is_some()
        && std::str::from_utf8(bytes).is_ok()
        && bytes.iter().filter(odd).count() * 100 <= bytes.len()
}

fn missing(field: &str) -> BadRecord {
    BadRecord::new(BadKind::MissingField, format!("field {field:?} is missing"))
}

fn other_type(field: &str, found: &str) -> BadRecord {
    BadRecord::new(BadKind::FieldType, format!("field {field:?}: expected a string, found {found}"))
}
