//! A few documents by name, for those who look at them closely.

use crate::error::Error;
use crate::inputs::BadFile;
use crate::inputs::Selection;
use crate::payload::text_of;
use crate::records::each_record;
use onefold_formats::document::{Body, Document, Parsed};
use onefold_formats::source::{Fields, Format, Layout, Look, Source};
use onefold_run::PageContent;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// A document that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundDocument {
    /// Its identity, or the name of the file that it is.
    pub id: String,
    /// The text that is compared: of a page of a corpus its main content, of an HTML file what a reader sees.
    pub text: String,
    /// Its bytes, with content codings undone.
    pub raw: Vec<u8>,
}

impl FoundDocument {
    fn new(id: String, body: &Body<'_>, content: PageContent) -> Result<Self, Error> {
        let mut text = String::new();
        text_of(body, content, &mut text)
            .map_err(|bad| Error::Unsupported(format!("{id}: {}", bad.message)))?;
        let raw = match body {
            Body::Text(text) => text.as_bytes(),
            Body::Page { bytes, .. } | Body::File { bytes, .. } => bytes,
        };
        Ok(FoundDocument { id, text, raw: raw.to_vec() })
    }
}

/// How a file that is one document is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileKind {
    /// As what its content tells.
    #[default]
    Told,
    /// As plain text, with all markup it may have.
    Plain,
}

/// The documents of these ids, or else URLs, in their order: of each the first that the inputs have. One that none has is
/// an error.
pub fn find_documents(
    selection: &Selection,
    fields: &Fields,
    max_document_bytes: u64,
    ids: &[&str],
    cancel: &AtomicBool,
) -> Result<Vec<FoundDocument>, Error> {
    let mut found: Vec<Option<FoundDocument>> = vec![None; ids.len()];
    let mut by_url = found.clone();
    let looked = selection.look(fields)?;
    for source in looked.sources {
        let name = source.name.clone();
        each_document(source, fields, max_document_bytes, &mut |row, document| {
            let url = document.url.as_deref();
            let fallback = || format!("{name}#{row}");
            let own = document.name().map_or_else(fallback, str::to_owned);
            let take = |places: &mut [Option<FoundDocument>], name: Option<&str>| -> Result<(), Error> {
                let wanted = |(place, id): &(&mut Option<_>, &&str)| place.is_none() && Some(**id) == name;
                for (place, _) in places.iter_mut().zip(ids).filter(wanted) {
                    *place = Some(FoundDocument::new(own.clone(), &document.body, PageContent::default())?);
                }
                Ok(())
            };
            take(&mut found, Some(&own))?;
            take(&mut by_url, url)?;
            if cancel.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            Ok(found.iter().any(Option::is_none))
        })?;
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    let missing = |id: &str| {
        let first = selection.paths.first().map(|path| path.display().to_string()).unwrap_or_default();
        let more = if selection.paths.len() > 1 { " and the other inputs" } else { "" };
        let bad = match looked.bad.first() {
            Some(BadFile { name, bad, .. }) => format!("; {name} could not be read: {}", bad.message),
            None => String::new(),
        };
        Error::Unsupported(format!("{id}: no document of this id or URL in {first}{more}{bad}"))
    };
    let found = found.into_iter().zip(by_url).map(|(by_id, by_url)| by_id.or(by_url));
    found.zip(ids).map(|(document, id)| document.ok_or_else(|| missing(id))).collect()
}

/// The document that a file is. One with several is an error that tells how to name two of them.
pub fn only_document(
    path: &Path,
    name: &str,
    kind: FileKind,
    max_document_bytes: u64,
) -> Result<FoundDocument, Error> {
    let unsupported = |message: String| Error::Unsupported(format!("{name}: {message}"));
    if path.is_dir() {
        return Err(unsupported("a folder, where a file was expected".into()));
    }
    let fields = Fields::default();
    let mut source = match Source::look(path, name, path, &fields)? {
        Look::Source(source) => source,
        Look::Empty | Look::Blank => {
            return Ok(FoundDocument { id: name.to_owned(), ..FoundDocument::default() });
        }
        Look::Bad(bad) => return Err(unsupported(bad.message)),
    };
    if kind == FileKind::Plain && source.layout != Layout::Rows {
        source.format = Format::Text;
        source.layout = if source.layout == Layout::Members { Layout::Stream } else { source.layout };
    }
    let whole = matches!(source.format, Format::Text | Format::Html | Format::File);
    let mut found: Option<FoundDocument> = None;
    let mut more = false;
    each_document(source, &fields, max_document_bytes, &mut |_, document| {
        more = found.is_some();
        if !more {
            found = Some(FoundDocument::new(name.to_owned(), &document.body, PageContent::All)?);
        }
        Ok(!more)
    })?;
    if more {
        return Err(unsupported(
            "holds several documents; name two of them by id, with --in and this file".into(),
        ));
    }
    let limit = format!("not one document of at most {max_document_bytes} bytes of text");
    found.ok_or_else(|| unsupported(if whole { limit } else { "holds no document that can be read".into() }))
}

/// Hands over the documents of a source with their rows, until told to stop.
fn each_document(
    source: Source,
    fields: &Fields,
    max_document_bytes: u64,
    take: &mut dyn FnMut(u64, &Document<'_>) -> Result<bool, Error>,
) -> Result<(), Error> {
    each_record(source, fields, max_document_bytes, 0, &mut |_, frame, parsed| match parsed {
        Parsed::Document(document) if !take(frame.row, &document)? => Ok(ControlFlow::Break(())),
        _ => Ok(ControlFlow::Continue(())),
    })
}
