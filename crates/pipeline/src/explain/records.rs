//! The evidence and the documents of a finished run, found again.

use crate::error::Error;
use crate::inputs::Selection;
use crate::job::{Job, Resources, Switches};
use crate::payload::text_of;
use crate::progress::Silent;
use crate::records::each_record;
use crate::system::available_memory;
use crate::templates::{Templates, site_of};
use onefold_formats::block::Frame;
use onefold_formats::document::{Document, Parsed};
use onefold_formats::source::{Look, Source};
use onefold_run::{Cluster, DocumentRef, Manifest, Removed};
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Lines of `removed` that are wanted.
pub(crate) fn removed(
    run: &Path,
    manifest: &Manifest,
    wanted: impl FnMut(&Removed) -> bool,
) -> Result<Vec<Removed>, Error> {
    table(run, "removed", manifest, wanted)
}

/// Lines of `clusters` that are wanted.
pub(super) fn clusters(
    run: &Path,
    manifest: &Manifest,
    wanted: impl Fn(&Cluster) -> bool,
) -> Result<Vec<Cluster>, Error> {
    table(run, "clusters", manifest, wanted)
}

fn table<T: DeserializeOwned>(
    run: &Path,
    name: &str,
    manifest: &Manifest,
    mut wanted: impl FnMut(&T) -> bool,
) -> Result<Vec<T>, Error> {
    let mut found = Vec::new();
    each_line(run, name, manifest, |line| -> Result<(), Error> {
        if wanted(&line) {
            found.push(line);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Hands over all lines of `removed`, in order.
pub(super) fn each_removed<E: From<Error>>(
    run: &Path,
    manifest: &Manifest,
    take: impl FnMut(Removed) -> Result<(), E>,
) -> Result<(), E> {
    each_line(run, "removed", manifest, take)
}

fn each_line<T: DeserializeOwned, E: From<Error>>(
    run: &Path,
    name: &str,
    manifest: &Manifest,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let path = run.join(format!("{name}.{}", manifest.evidence));
    let bad = |error: serde_json::Error| {
        E::from(Error::Io(std::io::Error::other(format!("{}: {error}", path.display()))))
    };
    if manifest.evidence == "parquet" {
        let mut failed = None;
        let mut one = |line| take(serde_json::from_value(line).map_err(bad)?);
        parquet_lines(&path, &mut |line| {
            if failed.is_none() {
                failed = one(line).err();
            }
            Ok(())
        })?;
        return failed.map_or(Ok(()), Err);
    }
    let file = fs_err::File::open(&path).map_err(Error::Io)?;
    for line in BufReader::new(file).lines() {
        take(serde_json::from_str(&line.map_err(Error::Io)?).map_err(bad)?)?;
    }
    Ok(())
}

type TakeLine<'a> = dyn FnMut(serde_json::Value) -> Result<(), Error> + 'a;

/// Rows of an evidence table as the JSON lines they stand for: dotted columns become objects. Lists of JSON texts, as
/// earlier versions wrote them, become lists of objects, too.
#[cfg(feature = "parquet")]
fn parquet_lines(path: &Path, take: &mut TakeLine<'_>) -> Result<(), Error> {
    use onefold_formats::parquet::read_table;
    let mut failure = None;
    read_table(fs_err::File::open(path)?, &mut |columns, row| {
        let mut line = serde_json::Map::new();
        for (column, cell) in columns.iter().zip(row) {
            let value = json_of(cell);
            match column.split_once('.') {
                None => {
                    line.insert(column.clone(), value);
                }
                Some((outer, inner)) => {
                    let object = line
                        .entry(outer)
                        .or_insert_with(|| serde_json::Value::Object(serde_json::Map::new()));
                    object[inner] = value;
                }
            }
        }
        if failure.is_none() {
            failure = take(line.into()).err();
        }
    })?;
    failure.map_or(Ok(()), Err)
}

#[cfg(feature = "parquet")]
fn json_of(cell: onefold_formats::parquet::OwnedCell) -> serde_json::Value {
    use onefold_formats::parquet::OwnedCell;
    match cell {
        OwnedCell::Null => serde_json::Value::Null,
        OwnedCell::Text(text) => text.into(),
        OwnedCell::UInt(number) => number.into(),
        OwnedCell::Float(number) => number.into(),
        OwnedCell::TextList(list) => {
            list.iter().filter_map(|json| serde_json::from_str::<serde_json::Value>(json).ok()).collect()
        }
        OwnedCell::RecordList(records) => {
            let object = |record: Vec<(String, OwnedCell)>| -> serde_json::Map<_, _> {
                record.into_iter().map(|(name, cell)| (name, json_of(cell))).collect()
            };
            records.into_iter().map(|record| serde_json::Value::Object(object(record))).collect()
        }
    }
}

#[cfg(not(feature = "parquet"))]
fn parquet_lines(path: &Path, _: &mut TakeLine<'_>) -> Result<(), Error> {
    Err(Error::Unsupported(format!("{}: this program was built without Parquet", path.display())))
}

/// A finished run: its folder and its manifest.
#[derive(Clone, Copy)]
pub(super) struct Past<'a> {
    pub(super) folder: &'a Path,
    pub(super) manifest: &'a Manifest,
}

/// Hands over all documents of an id with their texts, wherever they are in the inputs. Tells of the first input that
/// cannot be read.
pub(super) fn documents<E: From<Error>>(
    past: Past<'_>,
    id: &str,
    take: &mut dyn FnMut(DocumentRef, &str) -> Result<(), E>,
) -> Result<Option<Error>, E> {
    let (mut unread, mut failed, mut text) = (None, None, String::new());
    for input in past.manifest.inputs.iter().filter(|input| input.holds_records()) {
        let read = each_document(past, &input.source, 0, &mut |frame, document| {
            let fallback = || format!("{}#{}", input.source, frame.row);
            let own = document.name().map_or_else(fallback, str::to_owned);
            text.clear();
            // What holds no text was bad to the run.
            if own == id && text_of(&document.body, past.manifest.plan.content, &mut text).is_ok() {
                let (url, source) = (document.url.as_deref().map(str::to_owned), input.source.clone());
                failed = take(DocumentRef { id: own, url, source, offset: frame.offset }, &text).err();
            }
            failed.is_none()
        });
        if let Some(error) = failed {
            return Err(error);
        }
        unread = unread.or(read.err());
    }
    Ok(unread)
}

/// The lines that were template to a run, learned again from its inputs as the run did: they are not stored.
pub(super) fn templates(past: Past<'_>) -> Result<Option<Templates>, Error> {
    let manifest = past.manifest;
    let Some(share) = manifest.plan.templates else { return Ok(None) };
    let mut sources = Vec::new();
    for input in manifest.inputs.iter().filter(|input| input.holds_records()) {
        sources.extend(source(past, &input.source)?);
    }
    static NEVER: AtomicBool = AtomicBool::new(false);
    let job = Job {
        plan: manifest.plan.clone(),
        selection: Selection::default(),
        resources: Resources {
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: available_memory() / 2,
            temp: None,
        },
        switches: Switches::default(),
        against: None,
        progress: &Silent,
        cancel: &NEVER,
    };
    Templates::learn(&job, &sources, share).map(Some)
}

/// The compared text of a document, without what is template.
pub(super) fn text(
    past: Past<'_>,
    templates: Option<&Templates>,
    wanted: &DocumentRef,
) -> Result<String, Error> {
    let mut text = None;
    each_document(past, &wanted.source, wanted.offset, &mut |frame, document| {
        if frame.offset == wanted.offset {
            let mut found = String::new();
            // A document of a run was read once; if it has changed, there is no text.
            let _ = text_of(&document.body, past.manifest.plan.content, &mut found);
            if let Some(templates) = templates {
                templates.drop_from(site_of(document.url.as_deref()), &mut found);
            }
            text = Some(found);
        }
        text.is_none()
    })?;
    let changed =
        onefold_formats::Error::Changed { path: wanted.source.clone().into(), offset: wanted.offset };
    text.ok_or_else(|| changed.into())
}

/// Hands over the documents of a source from an address on, until told to stop.
fn each_document(
    past: Past<'_>,
    name: &str,
    from: u64,
    take: &mut dyn FnMut(&Frame, &Document<'_>) -> bool,
) -> Result<(), Error> {
    let plan = &past.manifest.plan;
    let Some(source) = source(past, name)? else { return Ok(()) };
    each_record(source, &plan.fields, plan.max_document_bytes, from, &mut |_, frame, parsed| match parsed {
        Parsed::Document(document) if !take(frame, &document) => Ok(ControlFlow::Break(())),
        _ => Ok(ControlFlow::Continue(())),
    })
}

/// An input of a run, as it is now; `None` if it has become empty or unreadable.
fn source(past: Past<'_>, name: &str) -> Result<Option<Source>, Error> {
    if name == "-" {
        return Err(Error::Unsupported(
            "standard input cannot be read again; run on a file to explain".into(),
        ));
    }
    let path = past.manifest.locate(past.folder, name)?;
    match Source::look(&path, name, &path, &past.manifest.plan.fields)? {
        Look::Source(source) => {
            let then = past.manifest.inputs.iter().find(|input| input.source == name).map(|input| input.size);
            match then.filter(|&then| then != source.size) {
                Some(then) => Err(Error::Unsupported(format!(
                    "{}: has changed since the run: {then} bytes then, {} now",
                    path.display(),
                    source.size
                ))),
                None => Ok(Some(source)),
            }
        }
        Look::Empty | Look::Blank | Look::Bad(_) => Ok(None),
    }
}
