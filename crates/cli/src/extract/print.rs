//! Pages on standard output: as text, or as lines of JSON.

use super::found::Place;
use crate::args::ExtractFormat;
use crate::terminal::escape;
use anyhow::Result;
use onefold_formats::document::{Body, Document};
use onefold_page::content::{Link, Needs, clean_html, clean_text};
use onefold_page::{Content, Page, decode};
use serde::Serialize;
use std::io::{BufWriter, Write};

pub(super) struct Printer {
    out: BufWriter<crate::terminal::Stdout>,
    format: ExtractFormat,
    content: Content,
    on_terminal: bool,
    /// Whether the start of an HTML page was written.
    has_head: bool,
}

impl Printer {
    pub(super) fn new(format: ExtractFormat, content: Content) -> Self {
        let stdout = crate::terminal::stdout();
        let on_terminal = stdout.is_terminal();
        let out = BufWriter::with_capacity(1 << 16, stdout);
        Printer { out, format, content, on_terminal, has_head: false }
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        Ok(self.out.flush()?)
    }

    /// Prints a page; `alone` if no other comes from the command.
    pub(super) fn print(
        &mut self,
        place: Place<'_>,
        document: &Document<'_>,
        page: &Page,
        alone: bool,
    ) -> Result<()> {
        let url = document.url.as_deref();
        let fallback = || format!("{}#{}", place.source.name, place.row);
        let id = document.name().map_or_else(fallback, str::to_owned);
        match self.format {
            ExtractFormat::Text => self.text(&id, &page.text, alone),
            ExtractFormat::Html => self.html(&id, &document.body, page),
            // Lines of a table are written by the table.
            ExtractFormat::Json | ExtractFormat::Csv | ExtractFormat::Jsonl => {
                let line = Line::new(&id, url, place, page);
                serde_json::to_writer(&mut self.out, &line)?;
                Ok(self.out.write_all(b"\n")?)
            }
        }
    }

    fn html(&mut self, id: &str, body: &Body<'_>, page: &Page) -> Result<()> {
        if !std::mem::replace(&mut self.has_head, true) {
            self.out.write_all(b"<!doctype html>\n<meta charset=utf-8>\n")?;
        }
        let clean = match html_of(body) {
            Some(html) => clean_html(&html, self.content),
            None => clean_text(&page.text),
        };
        let language = if page.language.is_empty() { "" } else { " lang=" };
        let title = attribute(&page.title);
        let (id, given) =
            (attribute(id), if language.is_empty() { String::new() } else { attribute(&page.language) });
        write!(self.out, "<article id={id} title={title}{language}{given}>\n{clean}</article>\n")?;
        Ok(())
    }

    fn text(&mut self, id: &str, text: &str, alone: bool) -> Result<()> {
        let shown = |text: &str| if self.on_terminal { escape(text) } else { text.to_owned() };
        if alone {
            let shown = shown(text);
            self.out.write_all(shown.as_bytes())?;
        } else {
            // A form feed starts a document and stands nowhere else.
            let (id, text) =
                (shown(&id.replace(['\n', '\r', '\x0c'], " ")), shown(&text.replace('\x0c', "\n")));
            write!(self.out, "\x0c{id}\n{text}")?;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// The decoded HTML of a document that is HTML.
pub(super) fn html_of(body: &Body<'_>) -> Option<String> {
    match body {
        Body::Page { bytes, html: true, charset } => {
            Some(decode(bytes, charset.as_deref(), true).text.into_owned())
        }
        _ => None,
    }
}

/// A value in quotes, for an attribute.
fn attribute(value: &str) -> String {
    format!("\"{}\"", value.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;"))
}

/// A page as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    version: u32,
    id: &'a str,
    url: Option<&'a str>,
    source: &'a str,
    offset: u64,
    title: &'a str,
    description: &'a str,
    language: &'a str,
    canonical: &'a str,
    base: &'a str,
    robots: &'a str,
    feeds: &'a [String],
    sitemaps: &'a [String],
    links: Vec<Anchor<'a>>,
    charset: &'a str,
    replaced: usize,
    fallback: bool,
    needs: Option<&'static str>,
    text: &'a str,
}

#[derive(Serialize)]
struct Anchor<'a> {
    anchor: &'a str,
    href: &'a str,
    rel: &'a str,
}

impl<'a> Line<'a> {
    fn new(id: &'a str, url: Option<&'a str>, place: Place<'a>, page: &'a Page) -> Self {
        let anchor = |link: &'a Link| Anchor { anchor: &link.anchor, href: &link.href, rel: &link.rel };
        Line {
            version: 1,
            id,
            url,
            source: &place.source.name,
            offset: place.offset,
            title: &page.title,
            description: &page.description,
            language: &page.language,
            canonical: &page.canonical,
            base: &page.base,
            robots: &page.robots,
            feeds: &page.feeds,
            sitemaps: &page.sitemaps,
            links: page.links.iter().map(anchor).collect(),
            charset: page.charset,
            replaced: page.replaced,
            fallback: page.fallback,
            needs: page.needs.map(Needs::name),
            text: &page.text,
        }
    }
}
