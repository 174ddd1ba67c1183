//! The kept documents, in the input's own format.

use super::cut::cut_record;
use super::settle::Settling;
use super::watch::Watch;
use super::{Clusters, Run, replace, revisit};
use crate::error::Error;
use crate::links::{LinkFate, Links};
use crate::load::Loader;
use crate::scan::{lock, parallel};
use crate::spool::Spools;
use crate::table::{DocId, TablePiece};
use crate::verdicts::Fate;
use onefold_formats::copy::{Edit, copy_edited};
use onefold_formats::source::{Format, Layout, Source};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes from which on a table is written alone.
const LARGE_TABLE: u64 = 4 << 20;

/// What an edit is about, to make its replacement.
#[derive(Clone, Copy, Debug)]
enum Subject {
    /// A document.
    Document(DocId),
    /// A document that loses paragraphs.
    Cut(DocId),
    /// A revisit of a removed document.
    Revisit(DocId),
    /// Nothing that is replaced.
    Nothing,
}

/// Writes a file below `folder` for every source, in parallel. Files an interrupted run finished are left.
///
/// # Errors
/// [`Error::DamagedTables`] with all tables that have rows which cannot be copied.
pub(super) fn write(run: &Run<'_>, clusters: &Clusters, folder: &Path) -> Result<(), Error> {
    let links = Links::collect(run)?;
    // Records that replacements refer to, where they have no address.
    let mut referred = links.turned(run)?;
    if run.context.job.switches.annotate {
        referred.extend(&clusters.keepers);
    }
    referred.extend(run.verdicts.cuts.chunk_by(|a, b| a.document == b.document).map(|cuts| cuts[0].document));
    referred.sort_unstable();
    referred.dedup();
    let spools = Spools::fill(run.context, run.table, &referred, run.workdir)?;
    let next = AtomicUsize::new(0);
    let kept = Kept { run, clusters, links, spools, tables: Mutex::new(()), folder, watch: Watch::default() };
    let damaged: Mutex<BTreeMap<usize, onefold_formats::Error>> = Mutex::default();
    let job = run.context.job;
    let write_all = |_| {
        let mut settling = Settling::default();
        loop {
            job.check()?;
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = run.context.sources.get(index) else { return settling.settle() };
            // All damaged tables are found at once, for each time some are, what was written is of no use.
            if source.layout != Layout::Rows && !lock(&damaged).is_empty() {
                continue;
            }
            match kept.write(index, &mut settling) {
                Err(Error::Formats(error @ onefold_formats::Error::DamagedColumn { .. })) => {
                    lock(&damaged).insert(index, error);
                    continue;
                }
                written => written?,
            }
            let (told, documents) = (kept.watch.end(index), run.table.documents_of(index).len() as u64);
            job.progress.advance(source.size - told.bytes, documents - told.documents);
        }
    };
    kept.watch.during(job, || parallel(job, write_all))?;
    match damaged.into_inner().unwrap_or_else(PoisonError::into_inner) {
        damaged if damaged.is_empty() => Ok(()),
        damaged => Err(Error::DamagedTables(damaged)),
    }
}

/// What is written, by what, and where to.
struct Kept<'k> {
    run: &'k Run<'k>,
    clusters: &'k Clusters,
    links: Links,
    spools: Spools,
    /// Held while a large table is written: its row groups are in memory until they are whole.
    tables: Mutex<()>,
    folder: &'k Path,
    watch: Watch,
}

impl Kept<'_> {
    /// Writes the kept documents of a source.
    fn write(&self, index: usize, settling: &mut Settling) -> Result<(), Error> {
        let Kept { run, clusters, links, spools, tables, folder, watch } = self;
        let source = &run.context.sources[index];
        let path = folder.join(&source.relative);
        if path.exists() {
            return Ok(());
        }
        let whole_file = matches!(source.format, Format::Html | Format::Text | Format::File);
        let documents = run.table.documents_of(index);
        if is_unreadable_table(run, index) {
            return Ok(());
        }
        // A file that is no document and not bad passes.
        let passes = documents.is_empty() && bad_free(run, index);
        if whole_file
            && !passes
            && !documents.clone().any(|document| matches!(run.fate(document), Fate::Kept))
        {
            return Ok(());
        }
        if let Some(parent) = path.parent() {
            fs_err::create_dir_all(parent)?;
        }
        // Beside the folder of kept files: within it, any name may be that of a source.
        let temporary = folder.with_file_name(format!("kept-{index}.tmp"));
        let out = fs_err::File::create(&temporary)?;
        let passed = watch.begin(index, (source.size, documents.len() as u64), &temporary);
        let out = if source.layout == Layout::Rows {
            // A row group is in memory until it is whole: one at a time.
            let _alone = (source.size > LARGE_TABLE).then(|| lock(tables));
            copy_rows(run, clusters, (index, &passed), out)?
        } else {
            let mut loader = Loader::new(run.context, run.table, spools);
            let mut edits = Edits::new(run, links, index);
            // What the edits that replace are about, in their order: replacements are asked for in the same.
            let subjects = RefCell::new(VecDeque::new());
            let mut plain = edits.by_ref().map(|(edit, subject)| {
                if edit.replace {
                    subjects.borrow_mut().push_back(subject);
                }
                edit
            });
            let mut failure = None;
            let copied = copy_edited(
                source,
                &mut plain,
                &mut |_, record, new| {
                    let subject = subjects.borrow_mut().pop_front().unwrap_or(Subject::Nothing);
                    let made = match subject {
                        Subject::Cut(document) => loader.text(document).and_then(|text| {
                            let (cuts, field) =
                                (run.verdicts.cuts_of(document), &run.context.job.plan.fields.text);
                            cut_record(source.format, field, &text, cuts, record, new)
                        }),
                        Subject::Document(document) if source.format == Format::Warc => {
                            revisit::of_keeper(run, &mut loader, document, record, new)
                        }
                        Subject::Document(document) => {
                            replace::annotated_line(run, clusters, document, record, new)
                        }
                        Subject::Revisit(document) => {
                            revisit::turned(run, &mut loader, document, record, new)
                        }
                        Subject::Nothing => Ok(()),
                    };
                    made.map_err(|error| match error {
                        Error::Formats(error) => error,
                        Error::Io(error) => error.into(),
                        other => {
                            failure = Some(other);
                            std::io::Error::other("replacement failed").into()
                        }
                    })
                },
                out,
            );
            match (copied, failure.or(edits.failure)) {
                (_, Some(failure)) => return Err(failure),
                (copied, None) => copied?,
            }
        };
        settling.add(out, temporary, path)
    }
}

fn bad_free(run: &Run<'_>, index: usize) -> bool {
    run.table.pieces_of(index).iter().all(|piece| piece.file.meta.bad == 0)
}

/// The edits of a source, in order of address: made a piece at a time, for a source may have more records than memory
/// holds.
struct Edits<'e> {
    run: &'e Run<'e>,
    links: &'e Links,
    pieces: std::slice::Iter<'e, TablePiece>,
    ready: std::vec::IntoIter<(Edit, Subject)>,
    /// Why there are no more, if that is not the end.
    failure: Option<Error>,
}

impl<'e> Edits<'e> {
    fn new(run: &'e Run<'e>, links: &'e Links, source: usize) -> Self {
        let pieces = run.table.pieces_of(source).iter();
        Edits { run, links, pieces, ready: Vec::new().into_iter(), failure: None }
    }

    fn of(&self, piece: &TablePiece) -> Result<Vec<(Edit, Subject)>, Error> {
        let run = self.run;
        let annotate = run.context.job.switches.annotate;
        let is_jsonl = run.context.sources[piece.source].format == Format::Jsonl;
        let mut edits = Vec::new();
        let mut push = |offset: u64, length: u64, replace: bool, subject: Subject| {
            if length > 0 {
                edits.push((Edit { offset, length, replace }, subject));
            }
        };
        for document in piece.first..piece.first + piece.file.documents {
            let (offset, length) = run.table.address(document);
            let removed = !matches!(run.fate(document), Fate::Kept);
            if annotate && (is_jsonl || removed) {
                push(offset, length, true, Subject::Document(document));
            } else if removed {
                push(offset, length, false, Subject::Nothing);
            } else if !run.verdicts.cuts_of(document).is_empty() {
                push(offset, length, true, Subject::Cut(document));
            }
        }
        let notes = run.table.notes(piece)?;
        notes.bad.iter().for_each(|bad| push(bad.offset, bad.length, false, Subject::Nothing));
        notes.gaps.iter().for_each(|gap| push(gap.offset, gap.length, false, Subject::Nothing));
        for link in notes.links.iter().filter(|link| link.document.is_none()) {
            match self.links.fate(link, piece.source) {
                LinkFate::Stays => {}
                LinkFate::Goes if annotate => {}
                LinkFate::Goes => push(link.offset, link.length, false, Subject::Nothing),
                LinkFate::Turns(document) => push(link.offset, link.length, true, Subject::Revisit(document)),
            }
        }
        edits.sort_by_key(|(edit, _)| edit.offset);
        Ok(edits)
    }
}

impl Iterator for Edits<'_> {
    type Item = (Edit, Subject);

    fn next(&mut self) -> Option<(Edit, Subject)> {
        loop {
            if let Some(edit) = self.ready.next() {
                return Some(edit);
            }
            let piece = self.pieces.next().filter(|_| self.failure.is_none())?;
            match self.of(piece) {
                Ok(edits) => self.ready = edits.into_iter(),
                Err(error) => self.failure = Some(error),
            }
        }
    }
}

/// Whether a source is a table so damaged that it is not known what it looks like: nothing is written of it.
pub(super) fn is_unreadable_table(run: &Run<'_>, index: usize) -> bool {
    let source = &run.context.sources[index];
    source.layout == Layout::Rows && run.table.documents_of(index).is_empty() && !is_readable_table(source)
}

#[cfg(feature = "parquet")]
fn is_readable_table(source: &Source) -> bool {
    onefold_formats::parquet::table_shape(source).is_some()
}

#[cfg(not(feature = "parquet"))]
fn is_readable_table(_: &Source) -> bool {
    false
}

#[cfg(feature = "parquet")]
fn copy_rows(
    run: &Run<'_>,
    clusters: &Clusters,
    (index, passed): (usize, &AtomicU64),
    out: fs_err::File,
) -> Result<fs_err::File, Error> {
    use onefold_formats::parquet::{RowEdit, copy_rows};
    let annotate = run.context.job.switches.annotate;
    let mut documents = run.table.documents_of(index).peekable();
    let mut failure = None;
    let mut verdict = |row: u64| {
        let Some(document) = documents.next_if(|&document| run.table.address(document).0 == row) else {
            return RowEdit::Drop;
        };
        passed.fetch_add(1, Ordering::Relaxed);
        if !annotate {
            return if matches!(run.fate(document), Fate::Kept) { RowEdit::Keep } else { RowEdit::Drop };
        }
        match replace::annotation(run, clusters, document) {
            Ok(annotation) => RowEdit::Annotate(annotation),
            Err(error) => {
                failure = Some(error);
                RowEdit::Drop
            }
        }
    };
    let copied = copy_rows(&run.context.sources[index], &mut verdict, annotate, out);
    match failure {
        Some(failure) => Err(failure),
        None => Ok(copied?),
    }
}

#[cfg(not(feature = "parquet"))]
fn copy_rows(
    run: &Run<'_>,
    _: &Clusters,
    (index, _): (usize, &AtomicU64),
    _: fs_err::File,
) -> Result<fs_err::File, Error> {
    let name = &run.context.sources[index].name;
    Err(Error::Unsupported(format!("{name}: this program was built without Parquet")))
}
