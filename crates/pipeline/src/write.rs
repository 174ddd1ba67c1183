//! Stage five: the kept documents and the evidence, under temporary names until all is there.

mod cut;
mod evidence;
mod kept;
mod publish;
mod replace;
mod revisit;
mod settle;
mod watch;

pub(crate) use publish::{OutputLock, STAGING, clear_staged, discard_staged, own, publish, publishing};
pub(crate) use replace::keeper_of;

use crate::error::Error;
use crate::exact::Representatives;
use crate::inputs::{BadFile, Unread};
use crate::job::{Clock, EvidenceFormat, Job};
use crate::load::Context;
use crate::progress::StageKind;
use crate::records::each_record;
use crate::system;
use crate::table::{DocId, Table};
use crate::verdicts::{Fate, Verdicts};
use crate::workdir::{InputStamp, Workdir};
use onefold_formats::BadRecord;
use onefold_formats::compress::Compression;
use onefold_formats::document::Parsed;
use onefold_formats::inputs::name_of;
use onefold_formats::source::{Format, Source};
use onefold_page::file::FileType;
use onefold_run::{
    AgainstRecord, Counts, FORMAT_VERSION, InputRecord, Manifest, PageCounts, ParagraphCounts, Unit,
    UrlCounts, UrlRule, Verdict,
};
use publish::{staged, written};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

/// From this many documents on, a source that nearly vanishes stops the run.
const GUARDED: u64 = 1000;

/// A decided run.
pub(crate) struct Run<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) table: &'a Table<'a>,
    pub(crate) representatives: &'a Representatives,
    pub(crate) verdicts: &'a Verdicts,
    /// What the inputs were when they were looked at.
    pub(crate) unread: &'a [Unread],
    pub(crate) stamps: &'a [InputStamp],
    pub(crate) workdir: &'a Workdir,
}

/// Clusters: each keeper with the documents that were removed in its favour.
pub(crate) struct Clusters {
    /// Keeper and removed document, in order.
    pairs: Vec<(DocId, DocId)>,
    keepers: Vec<DocId>,
    /// Number of a keeper in the index and document removed in its favour, in order; with the place of its verdict.
    outside: Vec<(u64, DocId, usize)>,
    outside_keepers: Vec<u64>,
}

impl Clusters {
    /// The number of a keeper's cluster, from 1 in order of keepers.
    pub(crate) fn number(&self, keeper: DocId) -> Option<u64> {
        self.keepers.binary_search(&keeper).ok().map(|index| index as u64 + 1)
    }

    /// The number of the cluster of a keeper in the index: they come behind those of the run.
    pub(crate) fn outside_number(&self, keeper: u64) -> Option<u64> {
        let place = self.outside_keepers.binary_search(&keeper).ok()?;
        Some((self.keepers.len() + place) as u64 + 1)
    }

    fn len(&self) -> u64 {
        (self.keepers.len() + self.outside_keepers.len()) as u64
    }
}

/// Whether verdicts can be put into these sources.
pub(crate) fn check_annotate(job: &Job<'_>, sources: &[Source]) -> Result<(), Error> {
    if !job.switches.annotate {
        return Ok(());
    }
    let has_place = |format: Format| matches!(format, Format::Jsonl | Format::Parquet | Format::Warc);
    if let Some(source) = other_document(job, sources, has_place)? {
        return Err(Error::Unsupported(format!(
            "{}: --annotate has no place for a verdict in this format; it knows JSONL, Parquet and WARC",
            source.name
        )));
    }
    #[cfg(feature = "parquet")]
    for source in sources.iter().filter(|source| source.format == Format::Parquet) {
        onefold_formats::parquet::check_annotated(source)?;
    }
    Ok(())
}

/// The first source with documents whose format is another than those known. Of a file that is no collection of documents,
/// only a look inside tells whether it is one.
fn other_document<'s>(
    job: &Job<'_>,
    sources: &'s [Source],
    is_known: impl Fn(Format) -> bool,
) -> Result<Option<&'s Source>, Error> {
    for source in sources.iter().filter(|source| !is_known(source.format)) {
        let is_file = matches!(source.format, Format::File | Format::Html | Format::Text);
        if !is_file || holds_document(job, source)? {
            return Ok(Some(source));
        }
    }
    Ok(None)
}

/// Whether there is a document in a source, which is read up to the first.
fn holds_document(job: &Job<'_>, source: &Source) -> Result<bool, Error> {
    let (fields, limit) = (&job.plan.fields, job.plan.max_document_bytes);
    let mut found = false;
    each_record(source.clone(), fields, limit, 0, &mut |_, _, parsed| {
        found = matches!(parsed, Parsed::Document(_));
        job.check()?;
        Ok::<_, Error>(if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(found)
}

/// Whether what is kept of these sources makes sense one behind the other. A source without documents is no part of a stream
/// of another kind, and is read here only where there is more than one kind.
pub(crate) fn check_one_stream(job: &Job<'_>, sources: &[Source]) -> Result<(), Error> {
    let kind = |source: &Source| (source.format, source.compression);
    let fit = |first: &Source, other: &Source| kind(first) == kind(other) && !first.format.is_table();
    if !job.switches.one_stream || sources.windows(2).all(|pair| fit(&pair[0], &pair[1])) {
        return Ok(());
    }
    let mut first: Option<&Source> = None;
    for source in sources {
        if first.is_some_and(|first| fit(first, source)) || !holds_document(job, source)? {
            continue;
        }
        match first {
            None => first = Some(source),
            Some(first) => return Err(no_stream(first, source)),
        }
    }
    Ok(())
}

/// What is wrong with a stream of these two.
fn no_stream(first: &Source, other: &Source) -> Error {
    let told = |source: &Source| {
        let kind = format!("{:?}", source.format).to_lowercase();
        match source.compression {
            Compression::None => format!("{} is plain {kind}", source.name),
            coded => format!("{} is {kind} in {}", source.name, format!("{coded:?}").to_lowercase()),
        }
    };
    let message = if first.format == other.format && first.compression == other.compression {
        format!("--output - is one stream: {}, and two of them one behind the other are none", told(first))
    } else {
        format!("--output - is one stream: {}, and {}", told(first), told(other))
    };
    Error::Unsupported(message)
}

/// Whether paragraphs can be cut out of these sources.
pub(crate) fn check_unit(job: &Job<'_>, sources: &[Source]) -> Result<(), Error> {
    if job.plan.unit == Unit::Document {
        return Ok(());
    }
    if job.switches.annotate || job.switches.evidence != EvidenceFormat::Jsonl {
        let message = "--unit paragraph cuts text out: it goes without --annotate and with --evidence jsonl";
        return Err(Error::Unsupported(message.into()));
    }
    let is_writable = |format: Format| matches!(format, Format::Jsonl | Format::Warc | Format::Text);
    match other_document(job, sources, is_writable)? {
        Some(source) => Err(Error::Unsupported(format!(
            "{}: --unit paragraph knows JSONL, WET and plain text, and not this format",
            source.name
        ))),
        None => Ok(()),
    }
}

/// Refuses to write over what is read.
pub(crate) fn check_inputs(output: &Path, sources: &[Source]) -> Result<(), Error> {
    let Ok(output) = output.canonicalize() else { return Ok(()) };
    for source in sources {
        let path = source.path.canonicalize()?;
        if written(&output).iter().any(|place| path.starts_with(place)) {
            let message = format!("{}: is read, and would be overwritten by the output", source.name);
            return Err(Error::Unsupported(message));
        }
    }
    Ok(())
}

impl Run<'_> {
    pub(crate) fn fate(&self, document: DocId) -> Fate {
        self.verdicts.fate(self.representatives, document)
    }

    /// Writes everything and moves it to its place.
    pub(crate) fn write(
        &self,
        output: &Path,
        bad_files: &[BadFile],
        mut notes: Vec<String>,
        clock: Clock,
    ) -> Result<Manifest, Error> {
        let job = self.context.job;
        notes.extend(self.verdicts.buckets_note.clone());
        notes.extend(self.uncut_note());
        let inputs = self.inputs()?;
        let counts = self.counts(&inputs, bad_files.len() as u64)?;
        if !job.switches.annotate {
            self.guard(&inputs)?;
        }
        let clusters = self.clusters();
        evidence::check(self, &clusters)?;
        let staged = staged(output);
        fs_err::create_dir_all(staged.join("kept"))?;
        job.progress.start(StageKind::Write, self.context.sources.iter().map(|source| source.size).sum());
        kept::write(self, &clusters, &staged.join("kept"))?;
        evidence::write(self, &clusters, bad_files, &staged)?;
        let manifest = Manifest {
            version: FORMAT_VERSION,
            program: concat!("onefold ", env!("CARGO_PKG_VERSION")).into(),
            plan: job.plan.clone(),
            annotate: job.switches.annotate,
            evidence: job.switches.evidence.ending().into(),
            counts: Counts { clusters: clusters.len(), ..counts },
            paragraphs: self.paragraphs()?,
            urls: self.urls(),
            against: self.against()?,
            pages: self.pages(),
            bad_by_kind: self.bad_by_kind(bad_files)?,
            buckets: self.verdicts.buckets.clone(),
            notes,
            inputs,
            stages: clock.stages(),
            peak_memory_bytes: system::peak_memory(),
        };
        let bytes = serde_json::to_vec_pretty(&manifest).map_err(std::io::Error::other)?;
        let temporary = staged.join("manifest.tmp");
        let mut file = fs_err::File::create(&temporary)?;
        std::io::Write::write_all(&mut file, &bytes)?;
        file.sync_data()?;
        fs_err::rename(&temporary, staged.join("manifest.json"))?;
        InputStamp::check(self.stamps, self.context.sources)?;
        publish(job, self.workdir, output)?;
        Ok(manifest)
    }

    fn inputs(&self) -> Result<Vec<InputRecord>, Error> {
        let mut inputs = Vec::new();
        let mut unread = self.unread.iter().peekable();
        for (index, source) in self.context.sources.iter().enumerate() {
            while let Some(file) = unread.next_if(|file| file.sources_before <= index) {
                inputs.push(self.unread_record(file)?);
            }
            let documents = self.table.documents_of(index);
            let removed = documents.clone().filter(|&d| !matches!(self.fate(d), Fate::Kept)).count() as u64;
            let metas = || self.table.pieces_of(index).iter().map(|piece| &piece.file.meta);
            let bad = metas().map(|meta| meta.bad).sum();
            let documents = documents.len() as u64;
            inputs.push(InputRecord {
                source: source.name.clone(),
                output: (!kept::is_unreadable_table(self, index)).then(|| name_of(&source.relative)),
                size: source.size,
                xxh3_128: metas().find_map(|meta| meta.last.clone()).unwrap_or_default(),
                format: Some(source.format),
                compression: Some(source.compression),
                read: documents + bad,
                kept: documents - removed,
                removed,
                bad,
            });
        }
        for file in unread {
            inputs.push(self.unread_record(file)?);
        }
        Ok(inputs)
    }

    /// What is said of an input of which nothing was read.
    fn unread_record(&self, file: &Unread) -> Result<InputRecord, Error> {
        let bad = u64::from(file.is_bad);
        Ok(InputRecord {
            source: file.name.clone(),
            output: None,
            size: file.size,
            xxh3_128: self.context.job.digest(&file.path, file.is_bad)?,
            format: None,
            compression: None,
            read: bad,
            kept: 0,
            removed: 0,
            bad,
        })
    }

    fn counts(&self, inputs: &[InputRecord], bad_files: u64) -> Result<Counts, Error> {
        // Folders, and names of nothing, are no inputs.
        let unlisted = bad_files - self.unread.iter().filter(|file| file.is_bad).count() as u64;
        let sum = |field: fn(&InputRecord) -> u64| inputs.iter().map(field).sum::<u64>();
        let mut counts = Counts {
            read: sum(|i| i.read) + unlisted,
            kept: sum(|i| i.kept),
            removed: sum(|i| i.removed),
            bad: sum(|i| i.bad) + unlisted,
            passed: self.table.pieces().iter().map(|piece| piece.file.meta.passed).sum(),
            compared: self.verdicts.compared,
            ..Counts::default()
        };
        for document in 0..self.table.len() as DocId {
            counts.empty += u64::from(self.table.is_empty(document));
            match self.fate(document) {
                Fate::Kept => {}
                Fate::Exact { .. } => counts.removed_exact += 1,
                Fate::Near(near) => match near.kind() {
                    Verdict::Contained => counts.removed_contained += 1,
                    Verdict::Url => counts.removed_url += 1,
                    _ => counts.removed_near += 1,
                },
                Fate::Outside(index) => match self.verdicts.outside[index].kind() {
                    Verdict::Exact => counts.removed_exact += 1,
                    _ => counts.removed_near += 1,
                },
            }
        }
        let Counts { read, kept, removed, bad, .. } = counts;
        let by_kind =
            counts.removed_exact + counts.removed_near + counts.removed_contained + counts.removed_url;
        if read != kept + removed + bad || removed != by_kind {
            return Err(Error::Accounting { read, kept, removed, bad });
        }
        Ok(counts)
    }

    /// What URLs came to, if they were looked at.
    fn urls(&self) -> Option<UrlCounts> {
        let plan = &self.context.job.plan;
        let with = |wanted: fn(UrlRule) -> bool| {
            let fates = (0..self.table.len() as DocId).map(|document| self.fate(document));
            fates.filter(|fate| matches!(fate, Fate::Near(near) if near.rule.is_some_and(wanted))).count()
                as u64
        };
        plan.urls.as_ref().map(|_| UrlCounts {
            agreed: with(|rule| rule != UrlRule::Version),
            versions: with(|rule| rule == UrlRule::Version),
            ..self.verdicts.urls
        })
    }

    /// Of archives, only texts can be written anew.
    fn uncut_note(&self) -> Option<String> {
        let pages = self.pages();
        let others = pages.types.iter().filter(|(name, _)| name.as_str() != FileType::Text.name());
        let count: u64 = others.map(|(_, count)| count).sum();
        (self.context.job.plan.unit == Unit::Paragraph && count > 0).then(|| {
            format!(
                "{count} pages and files are whole: paragraphs are cut out of JSONL, WET and plain text alone"
            )
        })
    }

    fn pages(&self) -> PageCounts {
        let mut pages = PageCounts::default();
        self.table.pieces().iter().for_each(|piece| pages.add(&piece.file.meta.pages));
        pages
    }

    fn paragraphs(&self) -> Result<Option<ParagraphCounts>, Error> {
        if self.context.job.plan.unit == Unit::Document {
            return Ok(None);
        }
        let cuts = &self.verdicts.cuts;
        let keys = self.table.pieces().iter().flat_map(|piece| piece.file.slices().map(|(_, count)| count));
        Ok(Some(ParagraphCounts {
            read: keys.map(u64::from).sum(),
            removed: cuts.len() as u64,
            bytes_read: self.table.pieces().iter().map(|piece| piece.file.meta.text_bytes).sum(),
            bytes_removed: cuts.iter().map(|cut| cut.bytes).sum(),
            documents: cuts.chunk_by(|a, b| a.document == b.document).count() as u64,
        }))
    }

    fn guard(&self, inputs: &[InputRecord]) -> Result<(), Error> {
        let limit = self.context.job.switches.max_removed;
        let emptied = |input: &&InputRecord| input.removed as f64 > limit * (input.read - input.bad) as f64;
        match inputs.iter().filter(|input| input.read - input.bad >= GUARDED).find(emptied) {
            Some(input) => Err(Error::MaxRemoved {
                source_name: input.source.clone(),
                removed: input.removed,
                read: input.read - input.bad,
                limit,
            }),
            None => Ok(()),
        }
    }

    fn clusters(&self) -> Clusters {
        let (mut pairs, mut outside) = (Vec::new(), Vec::new());
        for document in 0..self.table.len() as DocId {
            match self.fate(document) {
                Fate::Kept => {}
                Fate::Exact { keeper, .. } => pairs.push((keeper, document)),
                Fate::Near(near) => pairs.push((near.keeper, document)),
                Fate::Outside(index) => {
                    outside.push((self.verdicts.outside[index].number, document, index));
                }
            }
        }
        pairs.sort_unstable();
        let mut keepers: Vec<DocId> = pairs.iter().map(|&(keeper, _)| keeper).collect();
        keepers.dedup();
        outside.sort_unstable();
        let mut outside_keepers: Vec<u64> = outside.iter().map(|&(number, ..)| number).collect();
        outside_keepers.dedup();
        Clusters { pairs, keepers, outside, outside_keepers }
    }

    /// What went in favour of an index.
    fn against(&self) -> Result<Option<AgainstRecord>, Error> {
        let Some(against) = self.context.job.against else { return Ok(None) };
        let mut record = AgainstRecord {
            index: against.name(),
            documents: against.index.extent()?.1,
            removed_exact: 0,
            removed_near: 0,
        };
        for document in 0..self.table.len() as DocId {
            if let Fate::Outside(index) = self.fate(document) {
                match self.verdicts.outside[index].kind() {
                    Verdict::Exact => record.removed_exact += 1,
                    _ => record.removed_near += 1,
                }
            }
        }
        Ok(Some(record))
    }

    fn bad_by_kind(&self, bad_files: &[BadFile]) -> Result<BTreeMap<String, u64>, Error> {
        let mut kinds = BTreeMap::new();
        let mut count = |bad: &BadRecord| *kinds.entry(bad.kind.name().to_owned()).or_insert(0) += 1;
        bad_files.iter().for_each(|file| count(&file.bad));
        for piece in self.table.pieces().iter().filter(|piece| piece.file.meta.bad > 0) {
            self.table.notes(piece)?.bad.iter().for_each(|entry| count(&entry.bad));
        }
        Ok(kinds)
    }
}
