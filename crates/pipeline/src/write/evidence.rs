//! Evidence files: what was removed and why, clusters, bad records, pages that need something.

use super::{Clusters, Run};
use crate::against::Outside;
use crate::error::Error;
use crate::inputs::BadFile;
use crate::job::EvidenceFormat;
use crate::load::Loader;
use crate::paragraphs::lines;
use crate::preflight;
use crate::spool::Spools;
use crate::table::DocId;
use crate::verdicts::{Cut, Fate};
use onefold_formats::BadRecord;
use onefold_run::{BadLine, DocumentRef, NeedsLine, Removed, TEXT_CHARS, Verdict};
use serde::Serialize;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Memory a member of a cluster takes in a table, beside its names: levels, offsets and indices of four columns.
const MEMBER_BYTES: u64 = 200;
/// A name lies in an array, in the encoded column and in the packed one.
const NAME_COPIES: u64 = 3;

/// Refuses to write a table of clusters if the largest does not fit the budget: a row of a table is held whole, a line is not.
pub(super) fn check(run: &Run<'_>, clusters: &Clusters) -> Result<(), Error> {
    let job = run.context.job;
    if job.switches.evidence != EvidenceFormat::Parquet {
        return Ok(());
    }
    let held =
        preflight::FIXED_BYTES + preflight::held_by_documents(run.context.recipe, run.table.len() as u64);
    // Names are read one by one, so clusters are looked at only if all documents in one would be too much.
    let longest = run.context.sources.iter().map(|source| source.name.len()).max().unwrap_or(0) as u64;
    let names: u64 = run.table.pieces().iter().map(|piece| piece.file.names_bytes()).sum();
    let documents = run.table.len() as u64;
    let at_most = documents * (MEMBER_BYTES + NAME_COPIES * longest) + NAME_COPIES * names;
    if held + at_most <= job.resources.memory_bytes {
        return Ok(());
    }
    let inside = clusters.pairs.chunk_by(|a, b| a.0 == b.0);
    let outside = clusters.outside.chunk_by(|a, b| a.0 == b.0);
    let members = inside
        .map(|group| group.iter().map(|&(_, document)| document).collect::<Vec<_>>())
        .chain(outside.map(|group| group.iter().map(|&(_, document, _)| document).collect()));
    for documents in members {
        let mut needed = held;
        for &document in &documents {
            let DocumentRef { id, url, source, .. } = run.table.document_ref(document)?;
            let names = id.len() + url.map_or(0, |url| url.len()) + source.len();
            needed += MEMBER_BYTES + NAME_COPIES * names as u64;
        }
        if needed > job.resources.memory_bytes {
            return Err(Error::LargeCluster {
                size: documents.len() as u64,
                needed_mib: needed.div_ceil(1 << 20),
                budget_mib: job.resources.memory_bytes >> 20,
            });
        }
    }
    Ok(())
}

/// Writes the files.
pub(super) fn write(
    run: &Run<'_>,
    clusters: &Clusters,
    bad_files: &[BadFile],
    folder: &Path,
) -> Result<(), Error> {
    let format = run.context.job.switches.evidence;
    let mut removed = Table::create(&folder.join(format!("removed.{}", format.ending())), format, &REMOVED)?;
    for document in clusters.removed() {
        removed.push(&removed_line(run, clusters, document)?)?;
    }
    cut_lines(run, |line| removed.push(line))?;
    removed.finish()?;
    let mut table = Table::create(&folder.join(format!("clusters.{}", format.ending())), format, &CLUSTERS)?;
    for group in clusters.pairs.chunk_by(|a, b| a.0 == b.0) {
        run.context.job.check()?;
        cluster_line(run, clusters, group)?.push_to(&mut table)?;
    }
    for group in clusters.outside.chunk_by(|a, b| a.0 == b.0) {
        run.context.job.check()?;
        outside_cluster(run, clusters, group).push_to(&mut table)?;
    }
    table.finish()?;
    let mut bad = Table::create(&folder.join(format!("bad.{}", format.ending())), format, &BAD)?;
    for file in bad_files {
        bad.push(&bad_line(&file.name, 0, file.size, &file.bad))?;
    }
    for piece in run.table.pieces() {
        let source = &run.context.sources[piece.source].name;
        for entry in &run.table.notes(piece)?.bad {
            bad.push(&bad_line(source, entry.offset, entry.length, &entry.bad))?;
        }
    }
    bad.finish()?;
    let mut needs = None;
    for piece in run.table.pieces() {
        for (document, what) in &run.table.notes(piece)?.needs {
            if needs.is_none() {
                let path = folder.join(format!("needs.{}", format.ending()));
                needs = Some(Table::create(&path, format, &NEEDS)?);
            }
            let document = run.table.document_ref(piece.first + document)?;
            let line = NeedsLine { document, needs: what.clone() };
            needs.as_mut().expect("present because it was just made").push(&line)?;
        }
    }
    needs.map_or(Ok(()), Table::finish)
}

impl Clusters {
    /// Removed documents, in order.
    fn removed(&self) -> Vec<DocId> {
        let inside = self.pairs.iter().map(|&(_, document)| document);
        let mut all: Vec<DocId> =
            inside.chain(self.outside.iter().map(|&(_, document, _)| document)).collect();
        all.sort_unstable();
        all
    }
}

/// The reference to a keeper in the index the run is held against, and the name of that.
fn outside_ref(run: &Run<'_>, outside: &Outside) -> (DocumentRef, String) {
    let index = run.context.job.against.map(|against| against.name()).unwrap_or_default();
    let (id, url) = (outside.id.clone(), outside.url.clone());
    (DocumentRef { id, url, source: index.clone(), offset: outside.number }, index)
}

fn removed_line(run: &Run<'_>, clusters: &Clusters, document: DocId) -> Result<Removed, Error> {
    let own = |keeper: DocId| -> Result<_, Error> {
        Ok((clusters.number(keeper), run.table.document_ref(keeper)?, None))
    };
    let (likeness, (cluster, keeper, index)) = match run.fate(document) {
        Fate::Near(near) => ((near.kind(), near.similarity(), near.overlap()), own(near.keeper)?),
        Fate::Exact { keeper, .. } => ((Verdict::Exact, 1.0, None), own(keeper)?),
        Fate::Kept => ((Verdict::Exact, 1.0, None), own(document)?),
        Fate::Outside(place) => {
            let outside = &run.verdicts.outside[place];
            let (keeper, index) = outside_ref(run, outside);
            let likeness = (outside.kind(), outside.similarity(), outside.overlap());
            (likeness, (clusters.outside_number(outside.number), keeper, Some(index)))
        }
    };
    let (kind, similarity, overlap) = likeness;
    let (equal, rule) = match run.fate(document) {
        Fate::Exact { shingles, .. } => (shingles, None),
        Fate::Near(near) => (None, near.rule),
        Fate::Kept | Fate::Outside(_) => (None, None),
    };
    let whole = (kind == Verdict::Exact).then_some(1.0);
    Ok(Removed {
        document: run.table.document_ref(document)?,
        kind,
        similarity,
        containment: overlap.map(|overlap| overlap.containment()).or(whole),
        shared_shingles: overlap.map(|overlap| overlap.shared).or(equal),
        shingles: overlap.map(|overlap| overlap.first).or(equal),
        cluster: cluster.unwrap_or_default(),
        keeper,
        rule,
        index,
        paragraph: None,
        bytes: None,
        text: None,
    })
}

/// Hands over the lines of paragraphs that were cut out. Their documents are read once more, so that no text has to be held.
fn cut_lines(run: &Run<'_>, mut take: impl FnMut(&Removed) -> Result<(), Error>) -> Result<(), Error> {
    let by_document: Vec<&[Cut]> = run.verdicts.cuts.chunk_by(|a, b| a.document == b.document).collect();
    let documents: Vec<DocId> = by_document.iter().map(|cuts| cuts[0].document).collect();
    let spools = Spools::fill(run.context, run.table, &documents, run.workdir)?;
    let mut loader = Loader::new(run.context, run.table, &spools);
    for cuts in by_document {
        run.context.job.check()?;
        let text = loader.text(cuts[0].document)?;
        let mut lines = lines(&text).zip(0..);
        for cut in cuts {
            let place = lines.find(|(_, number)| *number == cut.paragraph).map(|(place, _)| place);
            let paragraph = place.map_or("", |place| text[place].trim());
            take(&cut_line(run, cut, paragraph.chars().take(TEXT_CHARS).collect())?)?;
        }
    }
    Ok(())
}

fn cut_line(run: &Run<'_>, cut: &Cut, text: String) -> Result<Removed, Error> {
    Ok(Removed {
        document: run.table.document_ref(cut.document)?,
        kind: Verdict::Paragraph,
        similarity: 1.0,
        containment: None,
        shared_shingles: None,
        shingles: None,
        cluster: 0,
        keeper: run.table.document_ref(cut.first)?,
        rule: None,
        index: None,
        paragraph: Some(cut.paragraph),
        bytes: Some(cut.bytes),
        text: Some(text),
    })
}

fn cluster_line<'r>(
    run: &'r Run<'_>,
    clusters: &Clusters,
    group: &[(DocId, DocId)],
) -> Result<ClusterLine<'r>, Error> {
    let keeper = group[0].0;
    let mut members: Vec<DocId> = group.iter().map(|&(_, document)| document).collect();
    members.push(keeper);
    members.sort_unstable();
    Ok(ClusterLine {
        head: ClusterHead {
            cluster: clusters.number(keeper).unwrap_or_default(),
            size: members.len() as u64,
            keeper: run.table.document_ref(keeper)?,
            index: None,
        },
        members: Members { run, outside: None, documents: members },
    })
}

/// The line of the documents that went in favour of one keeper in an index.
fn outside_cluster<'r>(
    run: &'r Run<'_>,
    clusters: &Clusters,
    group: &[(u64, DocId, usize)],
) -> ClusterLine<'r> {
    let (number, _, place) = group[0];
    let (keeper, index) = outside_ref(run, &run.verdicts.outside[place]);
    let documents = group.iter().map(|&(_, document, _)| document).collect();
    let cluster = clusters.outside_number(number).unwrap_or_default();
    let members = Members { run, outside: Some(keeper.clone()), documents };
    let head = ClusterHead { cluster, size: group.len() as u64 + 1, keeper, index: Some(index) };
    ClusterLine { head, members }
}

/// A [`Cluster`](onefold_run::Cluster) whose members are looked up as they are written: there may be more of them than
/// memory holds names.
struct ClusterLine<'r> {
    head: ClusterHead,
    members: Members<'r>,
}

/// All of a cluster but its members.
#[derive(Serialize)]
struct ClusterHead {
    cluster: u64,
    size: u64,
    keeper: DocumentRef,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<String>,
}

struct Members<'r> {
    run: &'r Run<'r>,
    /// The keeper, where it is in an index; it comes first.
    outside: Option<DocumentRef>,
    documents: Vec<DocId>,
}

impl Members<'_> {
    fn each(&self) -> impl Iterator<Item = Result<DocumentRef, Error>> {
        let documents = self.documents.iter().map(|&document| self.run.table.document_ref(document));
        self.outside.iter().cloned().map(Ok).chain(documents)
    }
}

impl ClusterLine<'_> {
    fn push_to(&self, table: &mut Table) -> Result<(), Error> {
        let ClusterHead { cluster, size, keeper, index } = &self.head;
        match table {
            Table::Jsonl(out) => {
                let json = |value: &DocumentRef| serde_json::to_string(value).map_err(std::io::Error::from);
                write!(
                    out,
                    "{{\"cluster\":{cluster},\"size\":{size},\"keeper\":{},\"members\":[",
                    json(keeper)?
                )?;
                for (number, member) in self.members.each().enumerate() {
                    let comma = if number > 0 { "," } else { "" };
                    write!(out, "{comma}{}", json(&member?)?)?;
                }
                out.write_all(b"]")?;
                if let Some(index) = index {
                    let index = serde_json::to_string(index).map_err(std::io::Error::from)?;
                    write!(out, ",\"index\":{index}")?;
                }
                Ok(out.write_all(b"}\n")?)
            }
            #[cfg(feature = "parquet")]
            Table::Parquet(writer, columns) => {
                use onefold_formats::parquet::Cell;
                let list = columns.iter().position(|(_, column)| matches!(column, Column::Documents));
                for member in self.members.each() {
                    let DocumentRef { id, url, source, offset } = &member?;
                    let url = url.as_deref().map_or(Cell::Null, Cell::Text);
                    let record = [Cell::Text(id), url, Cell::Text(source), Cell::UInt(*offset)];
                    writer.push_record(list.unwrap_or_default(), &record)?;
                }
                let head = serde_json::to_value(&self.head).map_err(std::io::Error::from)?;
                push_row(writer, columns, &head)
            }
        }
    }
}

fn bad_line(source: &str, offset: u64, length: u64, record: &BadRecord) -> BadLine {
    BadLine {
        source: source.to_owned(),
        offset,
        length,
        kind: record.kind.name().to_owned(),
        message: record.message.clone(),
    }
}

/// Columns of a table: path of the value in the JSON line, and its type.
type Columns = [(&'static str, Column)];

#[derive(Clone, Copy, Debug)]
enum Column {
    Text,
    UInt,
    Float,
    /// A list of documents, which are pushed before the rest of their line.
    Documents,
}

/// The fields of a document in a list.
#[cfg(feature = "parquet")]
const DOCUMENT: &[(&str, onefold_formats::parquet::ColumnType)] = {
    use onefold_formats::parquet::ColumnType::{Text, UInt};
    &[("id", Text), ("url", Text), ("source", Text), ("offset", UInt)]
};

const REMOVED: [(&str, Column); 16] = [
    ("id", Column::Text),
    ("url", Column::Text),
    ("source", Column::Text),
    ("offset", Column::UInt),
    ("kind", Column::Text),
    ("similarity", Column::Float),
    ("containment", Column::Float),
    ("shared_shingles", Column::UInt),
    ("shingles", Column::UInt),
    ("cluster", Column::UInt),
    ("rule", Column::Text),
    ("keeper.id", Column::Text),
    ("keeper.url", Column::Text),
    ("keeper.source", Column::Text),
    ("keeper.offset", Column::UInt),
    ("index", Column::Text),
];
const CLUSTERS: [(&str, Column); 8] = [
    ("cluster", Column::UInt),
    ("size", Column::UInt),
    ("keeper.id", Column::Text),
    ("keeper.url", Column::Text),
    ("keeper.source", Column::Text),
    ("keeper.offset", Column::UInt),
    ("members", Column::Documents),
    ("index", Column::Text),
];
const BAD: [(&str, Column); 5] = [
    ("source", Column::Text),
    ("offset", Column::UInt),
    ("length", Column::UInt),
    ("kind", Column::Text),
    ("message", Column::Text),
];
const NEEDS: [(&str, Column); 5] = [
    ("id", Column::Text),
    ("url", Column::Text),
    ("source", Column::Text),
    ("offset", Column::UInt),
    ("needs", Column::Text),
];

/// An evidence file being written.
enum Table {
    Jsonl(BufWriter<fs_err::File>),
    #[cfg(feature = "parquet")]
    Parquet(Box<onefold_formats::parquet::TableWriter>, &'static Columns),
}

impl Table {
    fn create(path: &Path, format: EvidenceFormat, columns: &'static Columns) -> Result<Self, Error> {
        let file = fs_err::File::create(path)?;
        match format {
            EvidenceFormat::Jsonl => Ok(Table::Jsonl(BufWriter::with_capacity(1 << 16, file))),
            #[cfg(feature = "parquet")]
            EvidenceFormat::Parquet => {
                use onefold_formats::parquet::{ColumnType, TableWriter};
                let types: Vec<(&str, ColumnType)> = columns
                    .iter()
                    .map(|&(name, column)| {
                        let kind = match column {
                            Column::Text => ColumnType::Text,
                            Column::UInt => ColumnType::UInt,
                            Column::Float => ColumnType::Float,
                            Column::Documents => ColumnType::RecordList(DOCUMENT),
                        };
                        (name, kind)
                    })
                    .collect();
                Ok(Table::Parquet(Box::new(TableWriter::create(file, &types)?), columns))
            }
            #[cfg(not(feature = "parquet"))]
            EvidenceFormat::Parquet => {
                let _ = columns;
                Err(Error::Unsupported("--evidence parquet: this program was built without Parquet".into()))
            }
        }
    }

    fn push(&mut self, line: &impl Serialize) -> Result<(), Error> {
        match self {
            Table::Jsonl(out) => {
                serde_json::to_writer(&mut *out, line).map_err(std::io::Error::from)?;
                out.write_all(b"\n")?;
                Ok(())
            }
            #[cfg(feature = "parquet")]
            Table::Parquet(writer, columns) => {
                let line = serde_json::to_value(line).map_err(std::io::Error::from)?;
                push_row(writer, columns, &line)
            }
        }
    }

    fn finish(self) -> Result<(), Error> {
        let file = match self {
            Table::Jsonl(out) => out.into_inner().map_err(|error| error.into_error())?,
            #[cfg(feature = "parquet")]
            Table::Parquet(writer, _) => writer.finish()?,
        };
        Ok(file.sync_data()?)
    }
}

#[cfg(feature = "parquet")]
fn push_row(
    writer: &mut onefold_formats::parquet::TableWriter,
    columns: &Columns,
    line: &serde_json::Value,
) -> Result<(), Error> {
    use onefold_formats::parquet::Cell;
    use serde_json::Value;
    fn text(value: Option<&Value>) -> Cell<'_> {
        value.and_then(Value::as_str).map_or(Cell::Null, Cell::Text)
    }
    fn number(value: Option<&Value>) -> Cell<'_> {
        value.and_then(Value::as_u64).map_or(Cell::Null, Cell::UInt)
    }
    let value = |path: &str| path.split('.').try_fold(line, |value, name| value.get(name));
    let row: Vec<Cell<'_>> = columns
        .iter()
        .map(|(path, column)| {
            let value = value(path);
            match column {
                Column::Text => text(value),
                Column::UInt => number(value),
                Column::Float => value.and_then(Value::as_f64).map_or(Cell::Null, Cell::Float),
                Column::Documents => Cell::Pushed,
            }
        })
        .collect();
    Ok(writer.push(&row)?)
}
