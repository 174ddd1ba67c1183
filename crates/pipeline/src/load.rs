//! Documents again, by number, for exact comparison.

use crate::error::Error;
use crate::job::Job;
use crate::large::Limits;
use crate::preflight;
use crate::recipe::Recipe;
use crate::scan::{lock, parser};
use crate::sketcher::{Sketcher, Sketches};
use crate::spool::Spools;
use crate::table::{DocId, Table};
use onefold_detect::digest::Digest;
use onefold_detect::text::ShingleSet;
use onefold_formats::block::FrameKind;
use onefold_formats::document::{Document, Parsed, Parser};
use onefold_formats::fetch::Fetcher;
use onefold_formats::source::{Format, Layout as SourceLayout, Source};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// What all stages behind reading share.
pub(crate) struct Context<'a> {
    pub(crate) job: &'a Job<'a>,
    pub(crate) sources: &'a [Source],
    pub(crate) recipe: &'a Recipe<'a>,
    pub(crate) parsers: Vec<Arc<Parser>>,
    /// Held while large documents are compared.
    large: Mutex<()>,
    /// Held while a document is read that turned out to be large.
    heavy: Mutex<()>,
    limits: Limits,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        job: &'a Job<'a>,
        sources: &'a [Source],
        recipe: &'a Recipe<'a>,
    ) -> Result<Self, Error> {
        // All but those of CSV files, which know a header, are of the format alone.
        let mut shared: Vec<(Format, Arc<Parser>)> = Vec::new();
        let mut parsers = Vec::with_capacity(sources.len());
        for source in sources {
            let known = shared.iter().find(|(format, _)| *format == source.format);
            let made = match known {
                Some((_, parser)) => Arc::clone(parser),
                None => Arc::new(parser(source, job)?.of_any_file()),
            };
            if known.is_none() && !matches!(source.format, Format::Csv | Format::Tsv) {
                shared.push((source.format, Arc::clone(&made)));
            }
            parsers.push(made);
        }
        Ok(Context {
            job,
            sources,
            recipe,
            parsers,
            large: Mutex::new(()),
            heavy: Mutex::new(()),
            limits: Limits::of(job),
        })
    }

    /// What of the budget the stages share out that decide on so many documents.
    pub(crate) fn shared_bytes(&self, documents: usize) -> u64 {
        preflight::shared_bytes(self.job, self.recipe, self.sources, documents as u64)
    }

    /// Waits until nobody else compares large documents, if there is one among these.
    pub(crate) fn alone(&self, table: &Table<'_>, documents: &[DocId]) -> Option<MutexGuard<'_, ()>> {
        let is_large = |&document: &DocId| {
            let length = table.address(document).1;
            // Web text compresses to about a quarter.
            let packed = self.sources[table.source_of(document)].layout == SourceLayout::Members;
            self.limits.is_long(if packed { 4 * length } else { length })
        };
        documents.iter().any(is_large).then(|| lock(&self.large))
    }
}

/// Files held open at most by one worker.
const OPEN_FILES: usize = 64;

/// Loads documents for one worker.
pub(crate) struct Loader<'a> {
    context: &'a Context<'a>,
    table: &'a Table<'a>,
    spools: &'a Spools,
    sketcher: Sketcher<'a>,
    fetchers: HashMap<usize, Fetcher>,
    bytes: Vec<u8>,
}

impl<'a> Loader<'a> {
    pub(crate) fn new(context: &'a Context<'a>, table: &'a Table<'a>, spools: &'a Spools) -> Self {
        let sketcher = Sketcher::new(context.recipe);
        Loader { context, table, spools, sketcher, fetchers: HashMap::new(), bytes: Vec::new() }
    }

    /// The shingle set of a document.
    pub(crate) fn shingles(&mut self, document: DocId) -> Result<ShingleSet, Error> {
        match self.table.held_shingles(document) {
            Some(hashes) => Ok(ShingleSet::from_hashes(hashes)),
            None => self.load(document, Sketcher::shingles),
        }
    }

    /// The characters of a document's normalised text.
    pub(crate) fn characters(&mut self, document: DocId) -> Result<Vec<char>, Error> {
        self.load(document, Sketcher::characters)
    }

    /// The compared text of a document.
    pub(crate) fn text(&mut self, document: DocId) -> Result<String, Error> {
        self.load(document, Sketcher::text)
    }

    /// What a document leaves for matching, with its digest and shingles.
    pub(crate) fn sketch(
        &mut self,
        document: DocId,
        out: &mut Sketches,
    ) -> Result<(Digest, ShingleSet), Error> {
        self.load(document, |sketcher, parsed| {
            // One that has become bad since has another digest.
            let _ = sketcher.sketch(parsed, out);
            let (digest, set) = sketcher.shingles(parsed);
            (digest, (digest, set))
        })
    }

    fn load<T>(
        &mut self,
        document: DocId,
        make: impl FnOnce(&mut Sketcher<'a>, &Document<'_>) -> (Digest, T),
    ) -> Result<T, Error> {
        let changed = self.changed(document);
        self.fetch(document)?;
        let Loader { context, table, sketcher, bytes, .. } = self;
        let parsed = parse(context, table, document, bytes).ok_or(changed)?;
        let (length, limits) = (parsed.body.len(), context.limits);
        let source = &context.sources[table.source_of(document)];
        let memory = limits.memory(&parsed, length);
        limits.check(memory, length, source, table.address(document).0)?;
        let heavy = (memory > limits.from).then(|| lock(&context.heavy));
        let (digest, made) = make(sketcher, &parsed);
        if heavy.is_some() {
            *sketcher = Sketcher::new(context.recipe);
            *bytes = Vec::new();
        }
        if digest.0 != table.digest[document as usize] {
            return Err(self.changed(document));
        }
        Ok(made)
    }

    /// The bytes of a document's record.
    pub(crate) fn record(&mut self, document: DocId) -> Result<&[u8], Error> {
        self.fetch(document)?;
        Ok(&self.bytes)
    }

    fn fetch(&mut self, document: DocId) -> Result<(), Error> {
        let index = self.table.source_of(document);
        let (offset, length) = self.table.address(document);
        if self.spools.fetch(document, &mut self.bytes)? {
            return Ok(());
        }
        if !self.fetchers.contains_key(&index) {
            if self.fetchers.len() >= OPEN_FILES {
                self.fetchers.clear();
            }
            let fetcher =
                Fetcher::open(&self.context.sources[index])?.ok_or_else(|| self.changed(document))?;
            self.fetchers.insert(index, fetcher);
        }
        let fetcher = self.fetchers.get_mut(&index).expect("present because it was just put in");
        Ok(fetcher.fetch(offset, length, &mut self.bytes)?)
    }

    fn changed(&self, document: DocId) -> Error {
        let path = self.context.sources[self.table.source_of(document)].path.clone();
        onefold_formats::Error::Changed { path, offset: self.table.address(document).0 }.into()
    }
}

fn parse<'b>(
    context: &Context<'_>,
    table: &Table<'_>,
    document: DocId,
    bytes: &'b [u8],
) -> Option<Box<Document<'b>>> {
    match context.parsers[table.source_of(document)].parse(bytes, &FrameKind::Record) {
        Parsed::Document(parsed) => Some(parsed),
        _ => None,
    }
}
