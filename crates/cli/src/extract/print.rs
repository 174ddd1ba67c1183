//! Pages on standard output: as text, or as lines of JSON.

use super::records::Place;
use crate::args::ExtractFormat;
use crate::terminal::escape;
use anyhow::Result;
use onefold_formats::document::Document;
use onefold_page::Page;
use onefold_page::content::{Link, Needs};
use serde::Serialize;
use std::io::{BufWriter, IsTerminal, Stdout, Write};

pub(super) struct Printer {
    out: BufWriter<Stdout>,
    format: ExtractFormat,
    on_terminal: bool,
}

impl Printer {
    pub(super) fn new(format: ExtractFormat) -> Self {
        let stdout = std::io::stdout();
        let on_terminal = stdout.is_terminal();
        Printer { out: BufWriter::with_capacity(1 << 16, stdout), format, on_terminal }
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
        let id = document.id.as_deref().or(url).map_or_else(fallback, str::to_owned);
        match self.format {
            ExtractFormat::Text => self.text(&id, &page.text, alone),
            ExtractFormat::Json => {
                let line = Line::new(&id, url, place, page);
                serde_json::to_writer(&mut self.out, &line)?;
                Ok(self.out.write_all(b"\n")?)
            }
        }
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
            needs: page.needs.map(|needs| match needs {
                Needs::Script => "script",
                Needs::Form => "form",
                Needs::Login => "login",
            }),
            text: &page.text,
        }
    }
}
