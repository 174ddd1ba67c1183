//! What payloads are, and what they say: where archives and pages meet.

use onefold_formats::document::{Body, Parser};
use onefold_formats::payload::Payload;
use onefold_formats::source::{Fields, Source};
use onefold_formats::{BadKind, BadRecord};
use onefold_page::content::{MOST_LINES, Needs, most_lines};
use onefold_page::file::{FileType, extract_file, file_type, payload_type};
use onefold_page::{Content, Page, decode, extract_html};
use onefold_run::{PageContent, PageCounts};

/// A parser of a source's records that tells payloads by their content; for CSV, `header` is the first row.
pub fn parser_for(source: &Source, fields: &Fields, limit: usize, header: Option<&[u8]>) -> Parser {
    Parser::new(source.format, fields, limit, header).judged_by(judge).of_file(&source.name)
}

fn judge(bytes: &[u8], content_type: Option<&str>) -> Payload {
    match payload_type(bytes, content_type) {
        FileType::Html => Payload::Html,
        FileType::Text => Payload::Text,
        told if told.has_text() => Payload::File,
        told => Payload::Skip(told.name()),
    }
}

/// What a document says, and what was noticed while it was read.
#[derive(Debug, Default)]
pub struct PageText {
    /// The page; of a text that is no page only the text.
    pub page: Page,
    /// What it is; none for a text that came without bytes.
    pub kind: Option<FileType>,
}

/// Reads a document. A file that is damaged, encrypted or unpacks to too much is a bad record.
pub fn read_page(body: &Body<'_>, content: Content) -> Result<PageText, BadRecord> {
    match body {
        Body::Text(text) => {
            let page = Page { text: text.to_string(), charset: "UTF-8", ..Page::default() };
            Ok(PageText { page, kind: None })
        }
        Body::Page { bytes, html, charset } => {
            let decoded = decode(bytes, charset.as_deref(), *html);
            let (page, kind) = if *html {
                (extract_html(&decoded.text, content), FileType::Html)
            } else {
                (Page { text: decoded.text.into_owned(), ..Page::default() }, FileType::Text)
            };
            let page = Page { charset: decoded.charset, replaced: decoded.replaced, ..page };
            Ok(PageText { page, kind: Some(kind) })
        }
        Body::File { bytes, charset } => match extract_file(bytes, charset.as_deref(), content) {
            Ok(page) => Ok(PageText { page, kind: Some(file_type(bytes)) }),
            Err(error) => Err(BadRecord::new(BadKind::File, error.to_string())),
        },
    }
}

/// Appends the text of a document that is compared. A page that only a script, a form or a login can fill has none.
pub(crate) fn text_of(body: &Body<'_>, content: PageContent, out: &mut String) -> Result<Notice, BadRecord> {
    match body {
        Body::Text(text) => {
            out.push_str(text);
            Ok(Notice::default())
        }
        Body::Page { bytes, html: false, charset } => {
            let decoded = decode(bytes, charset.as_deref(), false);
            out.push_str(&decoded.text);
            Ok(Notice { kind: Some(FileType::Text), replaced: decoded.replaced, ..Notice::default() })
        }
        Body::Page { .. } | Body::File { .. } => {
            let read = read_page(body, taken(content))?;
            if read.page.needs.is_none() {
                // All that a reader sees has the title, too.
                if content == PageContent::All && !read.page.title.is_empty() {
                    out.push_str(&read.page.title);
                    out.push('\n');
                }
                out.push_str(&read.page.text);
            }
            Ok(Notice::of(&read))
        }
    }
}

fn taken(content: PageContent) -> Content {
    match content {
        PageContent::Main => Content::Main,
        PageContent::Plateau => Content::Plateau,
        PageContent::All => Content::All,
    }
}

/// Memory a line of a page takes while its main content is looked for.
const LINE_BYTES: u64 = 250;
/// What [`extra_bytes`] says at most.
pub(crate) const MOST_EXTRA_BYTES: u64 = MOST_LINES as u64 * LINE_BYTES;

/// Memory that reading a document takes beside what a text of its size takes.
pub(crate) fn extra_bytes(body: &Body<'_>, content: PageContent) -> u64 {
    match body {
        Body::Page { bytes, html: true, .. } => most_lines(bytes, taken(content)) as u64 * LINE_BYTES,
        _ => 0,
    }
}

/// What a document is, without reading it.
pub(crate) fn kind_of(body: &Body<'_>) -> Option<FileType> {
    match body {
        Body::Text(_) => None,
        Body::Page { html, .. } => Some(if *html { FileType::Html } else { FileType::Text }),
        Body::File { bytes, .. } => Some(file_type(bytes)),
    }
}

/// What of a document is counted beside its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) kind: Option<FileType>,
    pub(crate) needs: Option<Needs>,
    pub(crate) fallback: bool,
    pub(crate) replaced: usize,
    /// The page it names as canonical, as written.
    pub(crate) canonical: Option<String>,
}

impl Notice {
    pub(crate) fn of(read: &PageText) -> Self {
        let PageText { page, kind } = read;
        let (kind, needs, fallback, replaced) = (*kind, page.needs, page.fallback, page.replaced);
        Notice { kind, needs, fallback, replaced, canonical: canonical(page) }
    }

    /// Counts a document.
    pub(crate) fn count(&self, counts: &mut PageCounts) {
        let add = |counts: &mut std::collections::BTreeMap<String, u64>, name: &str| {
            *counts.entry(name.to_owned()).or_default() += 1;
        };
        if let Some(kind) = self.kind {
            add(&mut counts.types, kind.name());
        }
        if let Some(needs) = self.needs {
            add(&mut counts.needs, needs.name());
        }
        counts.fallback += u64::from(self.fallback);
        counts.replaced += self.replaced as u64;
    }
}

/// The page that a page names as canonical, as written.
fn canonical(page: &Page) -> Option<String> {
    let link = Some(&page.canonical).filter(|link| !link.is_empty())?;
    // A base that is no URL by itself is one of the same place, as a rule.
    let base = Some(&page.base).filter(|base| base.contains("://"));
    base.and_then(|base| onefold_page::url::resolve(base, link)).or_else(|| Some(link.clone()))
}
