//! `onefold extract`: what pages say, of single files and of archives, one document at a time.

mod found;
mod print;
mod show;
mod table;

use crate::args::{ContentKind, Extract, ExtractFormat, MachineArgs};
use crate::inputs::{is_stdin, selection};
use crate::interrupt::Waiting;
use crate::scratch::Scratch;
use crate::terminal::{escape, note};
use anyhow::{Result, bail};
use found::{Found, each_record};
use onefold_formats::BadRecord;
use onefold_formats::inputs::{Input, name_of};
use onefold_formats::source::{Format, Look, Source};
use onefold_page::Content;
use onefold_pipeline::read_page;
use print::Printer;
use show::Show;
use std::collections::BTreeMap;
use table::Gathered;

/// What was read, for the last line.
#[derive(Default)]
struct Counts {
    read: u64,
    bad: u64,
    skipped: BTreeMap<&'static str, u64>,
    fallback: u64,
    needs: u64,
}

impl Counts {
    fn bad(&mut self, place: &str, bad: &BadRecord, quiet: bool) {
        self.bad += 1;
        if !quiet {
            note!("bad: {}: {}", escape(place), escape(&bad.message));
        }
    }
}

pub(crate) fn run(arguments: &Extract) -> Result<()> {
    let mut table = match arguments.records {
        Some(kind) => Some(Gathered::new(kind, arguments.format)?),
        None => None,
    };
    let format = arguments.format.unwrap_or(ExtractFormat::Text);
    if table.is_none() && matches!(format, ExtractFormat::Csv | ExtractFormat::Jsonl) {
        bail!("csv and jsonl are tables: --records makes one");
    }
    let machine = MachineArgs { threads: None, memory: None, temp: None, quiet: true };
    let scratch = Scratch::new(&machine)?;
    if arguments.inputs.iter().filter(|path| is_stdin(path)).count() > 1 {
        bail!("`-` stands for standard input, which can be read once");
    }
    let selection = selection(arguments.inputs.clone(), &scratch, arguments.quiet)?;
    // Nothing but the scratch folder is made that an interrupt would have to take back.
    let _waiting = Waiting::begin();
    let (inputs, names) = selection.files()?;
    let fields = arguments.fields.fields();
    let content = match arguments.content {
        ContentKind::Main => Content::Main,
        ContentKind::Plateau => Content::Plateau,
        ContentKind::All => Content::All,
    };
    let mut counts = Counts::default();
    for (path, bad) in &inputs.bad {
        counts.bad(&path.display().to_string(), bad, arguments.quiet);
    }
    for text in inputs.notes.iter().filter(|_| !arguments.quiet) {
        note!("note: {}", escape(text));
    }
    let several = inputs.files.len() > 1;
    let mut printer = Printer::new(format, content);
    let mut show = match &arguments.show {
        Some(path) => Some(Show::create(path, content, arguments.force)?),
        None => None,
    };
    for Input { path, relative } in inputs.files {
        let name = names.get(path.as_path()).map_or_else(|| name_of(&path), |&name| name.to_owned());
        match Source::look(&path, &name, &relative, &fields)? {
            Look::Empty | Look::Blank if arguments.quiet => {}
            Look::Empty => note!("note: {}: empty file", escape(&name)),
            Look::Blank => note!("note: {}: blank file", escape(&name)),
            Look::Bad(bad) => counts.bad(&name, &bad, arguments.quiet),
            Look::Source(source) => {
                let alone = !several && matches!(source.format, Format::Html | Format::Text | Format::File);
                each_record(source, &fields, arguments.max_document, &mut |place, found| {
                    let document = match found {
                        Found::Document(document) => document,
                        Found::Skipped(what) => {
                            *counts.skipped.entry(what).or_default() += 1;
                            return Ok(());
                        }
                        Found::Bad(bad) => {
                            printer.flush()?;
                            counts.bad(&place.to_string(), &bad, arguments.quiet);
                            return Ok(());
                        }
                    };
                    if let Some(table) = &mut table {
                        counts.read += u64::from(table.take(place, &document)?);
                        return Ok(());
                    }
                    let page = match read_page(&document.body, content) {
                        Ok(read) => read.page,
                        Err(bad) => {
                            printer.flush()?;
                            counts.bad(&place.to_string(), &bad, arguments.quiet);
                            return Ok(());
                        }
                    };
                    counts.read += 1;
                    counts.fallback += u64::from(page.fallback);
                    counts.needs += u64::from(page.needs.is_some());
                    if let Some(show) = &mut show {
                        show.page(place, &document, &page)?;
                    }
                    printer.print(place, &document, &page, alone)
                })?;
            }
        }
    }
    printer.flush()?;
    if let Some(show) = show {
        show.finish()?;
    }
    if let Some(table) = table {
        table.finish(arguments.quiet)?;
    }
    if !arguments.quiet {
        summary(&counts);
    }
    Ok(())
}

fn summary(counts: &Counts) {
    let mut line = format!("read {} documents, {} bad", counts.read, counts.bad);
    if !counts.skipped.is_empty() {
        let kinds: Vec<String> =
            counts.skipped.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        line += &format!("; skipped {}", kinds.join(", "));
    }
    if counts.fallback > 0 {
        line += &format!("; of {} more was taken, for little was found", counts.fallback);
    }
    if counts.needs > 0 {
        line += &format!("; {} need a script, a form or a login to show their content", counts.needs);
    }
    note!("{line}");
}
