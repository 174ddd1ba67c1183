//! Documents in and out of an index.

use super::args::{Add, Check, DurabilityKind, Export, Get, Ids, Touch};
use super::plans::plan_of;
use super::{answer_no, now, open};
use crate::args::{InputArgs, MachineArgs};
use crate::dedup::resources;
use crate::inputs::{named, selection};
use crate::interrupt::CANCEL;
use crate::scratch::Scratch;
use crate::terminal::note;
use anyhow::{Result, bail};
use onefold_index::{Durability, Index, Match, Options, Sketch, Stored, Verdict};
use onefold_pipeline::online::{Feed, Incoming};
use onefold_server::{AnswerLine, StoredLine, sketch_of};
use std::io::{BufWriter, Write};
use std::time::{Duration, Instant};

/// Time between two syncs where adds are not durable one by one.
const INTERVAL: Duration = Duration::from_millis(500);

fn options(machine: &MachineArgs) -> Options {
    let cache_bytes = machine.memory.map_or(256 << 20, |memory| memory as usize / 4);
    Options { cache_bytes, ..Options::default() }
}

/// Lines on standard output.
struct Lines(BufWriter<crate::terminal::Stdout>);

impl Lines {
    fn new() -> Self {
        Lines(BufWriter::with_capacity(1 << 16, crate::terminal::stdout()))
    }

    fn put(&mut self, line: &impl serde::Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.0, line).map_err(std::io::Error::from)?;
        Ok(self.0.write_all(b"\n")?)
    }

    fn flush(&mut self) -> Result<()> {
        Ok(self.0.flush()?)
    }
}

/// Reads inputs and hands over documents, as many at a time as a block holds.
fn feed(
    (index, texts): (&Index, bool),
    (input, machine): (&InputArgs, &MachineArgs),
    mut take: impl FnMut(Vec<Incoming>) -> Result<()>,
) -> Result<()> {
    let mut plan = plan_of(index)?;
    plan.fields = input.fields.fields();
    plan.max_document_bytes = input.max_document;
    let named = named(input)?;
    let scratch = Scratch::new(machine)?;
    let selection = selection(named, &scratch, machine.quiet)?;
    let feed =
        Feed { plan: &plan, selection: &selection, threads: resources(machine)?.threads, cancel: &CANCEL };
    let summary = if texts { feed.read_texts(&mut take)? } else { feed.read(&mut take)? };
    if let Some(first) = summary.first_bad {
        if let Some(limit) = input.max_bad_records.filter(|&limit| summary.bad > limit) {
            bail!(
                "more than {limit} bad records, the most that --max-bad-records allows; the first: {first}"
            );
        }
        if !machine.quiet {
            note!(
                "{} bad records were passed over; the first: {}",
                summary.bad,
                crate::terminal::escape(&first)
            );
        }
    }
    Ok(())
}

/// Counts of verdicts.
#[derive(Default)]
struct Counts {
    new: u64,
    exact: u64,
    near: u64,
}

impl Counts {
    fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::New => self.new += 1,
            Verdict::Exact => self.exact += 1,
            Verdict::Near => self.near += 1,
        }
    }

    fn print(&self, quiet: bool, started: Instant) {
        if !quiet {
            let all = self.new + self.exact + self.near;
            let seconds = started.elapsed().as_secs_f64();
            note!(
                "{all} documents in {seconds:.1} s: {} new, {} exact, {} near",
                self.new,
                self.exact,
                self.near
            );
        }
    }
}

pub(super) fn add(arguments: &Add) -> Result<()> {
    let deferred = arguments.durability == DurabilityKind::Interval;
    let durability = if deferred { Durability::Deferred } else { Durability::Commit };
    let index = open(&arguments.dir, Options { durability, ..options(&arguments.machine) })?;
    let seen = arguments.seen.unwrap_or_else(now);
    let (started, mut synced) = (Instant::now(), Instant::now());
    let (mut lines, mut counts) = (Lines::new(), Counts::default());
    let mut waiting: Vec<(Sketch, Option<String>)> = Vec::new();
    let mut commit = |batch: &[(Sketch, Option<String>)]| -> Result<()> {
        let answers = index.add_texts(batch)?;
        if deferred && synced.elapsed() > INTERVAL {
            index.sync()?;
            synced = Instant::now();
        }
        for ((sketch, _), answer) in batch.iter().zip(answers) {
            counts.count(answer.verdict);
            lines.put(&AnswerLine::new(Some(sketch.id.clone()), answer))?;
        }
        lines.flush()
    };
    let batch = arguments.batch.get();
    let texts = index.stores_texts()?;
    let fed = feed((&index, texts), (&arguments.input, &arguments.machine), |documents| {
        let with_text = |mut document: Incoming| {
            let text = document.text.take();
            (sketch_of(document, seen), text)
        };
        waiting.extend(documents.into_iter().map(with_text));
        let whole = waiting.len() / batch * batch;
        for chunk in waiting[..whole].chunks(batch) {
            commit(chunk)?;
        }
        waiting.drain(..whole);
        Ok(())
    });
    if fed.is_ok() {
        commit(&waiting)?;
    }
    index.sync()?;
    counts.print(arguments.machine.quiet, started);
    fed
}

pub(super) fn check(arguments: &Check) -> Result<()> {
    let index = open(&arguments.dir, options(&arguments.machine))?;
    let started = Instant::now();
    let (mut lines, mut counts) = (Lines::new(), Counts::default());
    feed((&index, false), (&arguments.input, &arguments.machine), |documents| {
        for document in documents {
            let sketch = sketch_of(document, 0);
            if arguments.all {
                let matches = index.matches(&sketch)?;
                counts.count(matches.first().map_or(Verdict::New, Match::verdict));
                lines.put(&AnswerLine::all(Some(sketch.id), matches))?;
            } else {
                let answer = index.check(&sketch)?;
                counts.count(answer.verdict);
                lines.put(&AnswerLine::new(Some(sketch.id), answer))?;
            }
        }
        lines.flush()
    })?;
    counts.print(arguments.machine.quiet, started);
    Ok(())
}

pub(super) fn get(arguments: &Get) -> Result<()> {
    let index = open(&arguments.ids.dir, Options::default())?;
    let mut lines = Lines::new();
    let mut missing = 0;
    for id in &arguments.ids.ids {
        let found = index.get(id)?;
        let known = !found.is_empty();
        for stored in found {
            put_stored(&mut lines, &index, stored, arguments.full)?;
        }
        if !known {
            missing += 1;
            note!("{}: not in the index", crate::terminal::escape(id));
        }
    }
    lines.flush()?;
    if missing > 0 {
        answer_no(index);
    }
    Ok(())
}

/// Prints what is stored of a document; all of it if `full`.
fn put_stored(lines: &mut Lines, index: &Index, stored: Stored, full: bool) -> Result<()> {
    let number = stored.number;
    let line = StoredLine::from(stored);
    if !full {
        return lines.put(&line);
    }
    let mut line = serde_json::to_value(&line)?;
    let (signature, shingles) = index.evidence(number)?;
    if !signature.is_empty() {
        line["signature"] = signature.iter().map(|value| format!("{value:02x}")).collect::<String>().into();
    }
    if !shingles.is_empty() {
        line["shingle_set"] = shingles.iter().map(|hash| format!("{hash:016x}")).collect::<Vec<_>>().into();
    }
    if let Some(text) = index.text(number)? {
        line["text"] = text.into();
    }
    lines.put(&line)
}

pub(super) fn remove(arguments: &Ids) -> Result<()> {
    let index = open(&arguments.dir, Options::default())?;
    let known = each_id(&arguments.ids, "removed", |id| Ok(index.remove(id)?))?;
    if !known {
        answer_no(index);
    }
    Ok(())
}

pub(super) fn touch(arguments: &Touch) -> Result<()> {
    let index = open(&arguments.ids.dir, Options::default())?;
    let seen = arguments.seen.unwrap_or_else(now);
    let known = each_id(&arguments.ids.ids, "touched", |id| Ok(index.touch(id, seen)?))?;
    if !known {
        answer_no(index);
    }
    Ok(())
}

/// Changes the documents of each id, and tells whether the index had all of them.
fn each_id(ids: &[String], what: &str, change: impl Fn(&str) -> Result<u64>) -> Result<bool> {
    let mut lines = Lines::new();
    let mut known = true;
    for id in ids {
        let changed = change(id)?;
        known &= changed > 0;
        lines.put(&serde_json::json!({"id": id, what: changed}))?;
        lines.flush()?;
    }
    Ok(known)
}

pub(super) fn export(arguments: &Export) -> Result<()> {
    let index = open(&arguments.index.dir, Options::default())?;
    let mut lines = Lines::new();
    index.export(|stored| put_stored(&mut lines, &index, stored, arguments.full))?;
    lines.flush()
}
