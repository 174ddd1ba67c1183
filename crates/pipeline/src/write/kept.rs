//! The kept documents, in the input's own format.

use super::cut::cut_record;
use super::{Clusters, Run, replace};
use crate::error::Error;
use crate::links::{LinkFate, Links};
use crate::load::Loader;
use crate::scan::parallel;
use crate::spool::Spools;
use crate::table::DocId;
use crate::verdicts::Fate;
use onefold_formats::copy::{Edit, copy_edited};
use onefold_formats::source::{Format, Layout};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

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
pub(super) fn write(run: &Run<'_>, clusters: &Clusters, folder: &Path) -> Result<(), Error> {
    let links = Links::collect(run)?;
    // Records that replacements refer to, where they have no address.
    let mut referred =
        if run.context.job.switches.annotate { clusters.keepers.clone() } else { links.keepers(run) };
    referred.extend(run.verdicts.cuts.chunk_by(|a, b| a.document == b.document).map(|cuts| cuts[0].document));
    referred.sort_unstable();
    referred.dedup();
    let spools = Spools::fill(run.context, run.table, &referred, run.workdir)?;
    let next = AtomicUsize::new(0);
    parallel(run.context.job, |_| {
        loop {
            run.context.job.check()?;
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = run.context.sources.get(index) else { return Ok(()) };
            let path = folder.join(&source.relative);
            if !path.exists() {
                write_source(run, clusters, (&links, &spools), index, &path)?;
            }
            run.context.job.progress.advance(source.size, 0);
        }
    })
}

fn write_source(
    run: &Run<'_>,
    clusters: &Clusters,
    (links, spools): (&Links, &Spools),
    index: usize,
    path: &Path,
) -> Result<(), Error> {
    let source = &run.context.sources[index];
    let whole_file = matches!(source.format, Format::Html | Format::Text | Format::File);
    let documents = run.table.documents_of(index);
    // A damaged Parquet file without a readable row has nothing to be copied with.
    if source.layout == Layout::Rows && documents.is_empty() && !bad_free(run, index) {
        return Ok(());
    }
    // A file that is no document and not bad passes.
    let passes = documents.is_empty() && bad_free(run, index);
    if whole_file && !passes && !documents.clone().any(|document| matches!(run.fate(document), Fate::Kept)) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs_err::create_dir_all(parent)?;
    }
    let temporary = path.with_file_name(format!(
        ".{}.tmp",
        path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    ));
    let out = fs_err::File::create(&temporary)?;
    let out = if source.layout == Layout::Rows {
        copy_rows(run, clusters, index, out)?
    } else {
        let edits = edits(run, links, index);
        let mut loader = Loader::new(run.context, run.table, spools);
        let mut subjects = edits.iter();
        let mut subject = Subject::Nothing;
        let mut plain = edits.iter().map(|(edit, _)| *edit);
        let mut failure = None;
        let copied = copy_edited(
            source,
            &mut plain,
            &mut |edit, record, new| {
                // Replacements are asked for in the order of the edits.
                for (candidate, about) in subjects.by_ref() {
                    if candidate == edit {
                        subject = *about;
                        break;
                    }
                }
                let made = match subject {
                    Subject::Cut(document) => loader.text(document).and_then(|text| {
                        let (cuts, field) =
                            (run.verdicts.cuts_of(document), &run.context.job.plan.fields.text);
                        cut_record(source.format, field, &text, cuts, record, new)
                    }),
                    Subject::Document(document) if source.format == Format::Warc => {
                        replace::revisit_of_keeper(run, &mut loader, document, record, new)
                    }
                    Subject::Document(document) => {
                        replace::annotated_line(run, clusters, document, record, new)
                    }
                    Subject::Revisit(document) => {
                        replace::turned_revisit(run, &mut loader, document, record, new)
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
        match (copied, failure) {
            (_, Some(failure)) => return Err(failure),
            (copied, None) => copied?,
        }
    };
    out.sync_data()?;
    drop(out);
    Ok(fs_err::rename(&temporary, path)?)
}

fn bad_free(run: &Run<'_>, index: usize) -> bool {
    run.table.pieces_of(index).iter().all(|piece| piece.file.meta.bad.is_empty())
}

/// The edits of a source, in order of address.
fn edits(run: &Run<'_>, links: &Links, index: usize) -> Vec<(Edit, Subject)> {
    let annotate = run.context.job.switches.annotate;
    let is_jsonl = run.context.sources[index].format == Format::Jsonl;
    let mut edits = Vec::new();
    let mut push = |offset: u64, length: u64, replace: bool, subject: Subject| {
        if length > 0 {
            edits.push((Edit { offset, length, replace }, subject));
        }
    };
    for document in run.table.documents_of(index) {
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
    for piece in run.table.pieces_of(index) {
        let meta = &piece.file.meta;
        meta.bad.iter().for_each(|bad| push(bad.offset, bad.length, false, Subject::Nothing));
        meta.gaps.iter().for_each(|gap| push(gap.offset, gap.length, false, Subject::Nothing));
        for link in meta.links.iter().filter(|link| link.document.is_none()) {
            match links.fate(link) {
                LinkFate::Stays => {}
                LinkFate::Goes if annotate => {}
                LinkFate::Goes => push(link.offset, link.length, false, Subject::Nothing),
                LinkFate::Turns(document) => push(link.offset, link.length, true, Subject::Revisit(document)),
            }
        }
    }
    edits.sort_by_key(|(edit, _)| edit.offset);
    edits
}

#[cfg(feature = "parquet")]
fn copy_rows(
    run: &Run<'_>,
    clusters: &Clusters,
    index: usize,
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
fn copy_rows(run: &Run<'_>, _: &Clusters, index: usize, _: fs_err::File) -> Result<fs_err::File, Error> {
    let name = &run.context.sources[index].name;
    Err(Error::Unsupported(format!("{name}: this program was built without Parquet")))
}
