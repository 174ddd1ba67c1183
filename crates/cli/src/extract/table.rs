//! `--records`: the fields that differ between pages of one template, as a table.

use super::found::Place;
use super::print::html_of;
use crate::args::{ExtractFormat, RecordsKind};
use crate::terminal::{escape, note};
use anyhow::{Context, Result, bail};
use onefold_formats::document::Document;
use onefold_page::records::{Records, Rows, Table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

/// How a table is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Csv,
    Jsonl,
}

/// The table being gathered.
pub(super) struct Gathered {
    records: Records,
    rows: Rows,
    shape: Shape,
    /// URL and source of each page.
    pages: Vec<(Option<String>, String)>,
    /// Documents that are no HTML.
    others: u64,
}

impl Gathered {
    pub(super) fn new(kind: RecordsKind, format: Option<ExtractFormat>) -> Result<Self> {
        let rows = match kind {
            RecordsKind::Auto => Rows::Auto,
            RecordsKind::Pages => Rows::Pages,
            RecordsKind::Items => Rows::Items,
        };
        let shape = match format {
            None | Some(ExtractFormat::Csv) => Shape::Csv,
            Some(ExtractFormat::Jsonl) => Shape::Jsonl,
            Some(_) => bail!("--records writes a table: expected --as csv or --as jsonl"),
        };
        Ok(Gathered { records: Records::default(), rows, shape, pages: Vec::new(), others: 0 })
    }

    /// Takes a document; says whether it is a page.
    pub(super) fn take(&mut self, place: Place<'_>, document: &Document<'_>) -> Result<bool> {
        let Some(html) = html_of(&document.body) else {
            self.others += 1;
            return Ok(false);
        };
        self.records.add(&html).with_context(|| place.to_string())?;
        self.pages.push((document.url.as_deref().map(str::to_owned), place.source.name.clone()));
        Ok(true)
    }

    /// Writes the table.
    pub(super) fn finish(self, quiet: bool) -> Result<()> {
        let table = self.records.table(self.rows)?;
        let stdout = crate::terminal::stdout();
        let on_terminal = stdout.is_terminal();
        let mut out = BufWriter::with_capacity(1 << 16, stdout);
        match self.shape {
            Shape::Csv => self.csv(&table, on_terminal, &mut out)?,
            Shape::Jsonl => self.jsonl(&table, &mut out)?,
        }
        out.flush()?;
        if !quiet {
            self.tell(&table);
        }
        Ok(())
    }

    fn csv(&self, table: &Table, on_terminal: bool, out: &mut impl Write) -> Result<()> {
        let shown = |text: &str| if on_terminal { escape(text) } else { text.to_owned() };
        let mut line = |cells: Vec<&str>| -> Result<()> {
            let cells: Vec<String> = cells.into_iter().map(|cell| quoted(&shown(cell))).collect();
            // Excel and RFC 4180 end lines so; all readers take it.
            Ok(write!(out, "{}\r\n", cells.join(","))?)
        };
        let item = table.has_items.then_some("item");
        let names = ["url", "source"].into_iter().chain(item).chain(table.columns.iter().map(String::as_str));
        line(names.collect())?;
        for row in &table.rows {
            let (url, source) = &self.pages[row.page];
            let number = table.has_items.then(|| row.item.to_string());
            let cells = [url.as_deref().unwrap_or_default(), source].into_iter();
            line(cells.chain(number.as_deref()).chain(row.values.iter().map(String::as_str)).collect())?;
        }
        Ok(())
    }

    fn jsonl(&self, table: &Table, out: &mut impl Write) -> Result<()> {
        for row in &table.rows {
            let (url, source) = &self.pages[row.page];
            let fields = table.columns.iter().zip(&row.values).filter(|(_, value)| !value.is_empty());
            let line = Line {
                version: 1,
                url: url.as_deref(),
                source,
                item: table.has_items.then_some(row.item),
                fields: fields.map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            };
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn tell(&self, table: &Table) {
        let what = if table.has_items { "items" } else { "pages" };
        let pages = self.pages.len() - table.left_out.len();
        note!(
            "{} columns, {} rows: {what} of {pages} pages of one layout",
            table.columns.len(),
            table.rows.len()
        );
        if let Some(&first) = table.left_out.first() {
            let (url, source) = &self.pages[first];
            let name = escape(url.as_deref().unwrap_or(source));
            note!(
                "note: {} pages of other layouts were left out, the first of them {name}",
                table.left_out.len()
            );
        }
        if self.others > 0 {
            note!("note: {} documents that are no HTML were left out", self.others);
        }
    }
}

/// A row as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    version: u32,
    url: Option<&'a str>,
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<usize>,
    fields: BTreeMap<&'a str, &'a str>,
}

/// A cell, in quotes where it must be (RFC 4180).
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}
