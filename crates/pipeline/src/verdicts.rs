//! Who was removed in favour of whom, and how alike they are.

use crate::against::Outside;
use crate::error::Error;
use crate::exact::Representatives;
use crate::table::DocId;
use crate::verify::Likeness;
use crate::workdir::Workdir;
use onefold_detect::measure::Overlap;
use onefold_run::{Bucket, UrlCounts, UrlRule, Verdict};
use serde::{Deserialize, Serialize};
use std::io::{BufReader, BufWriter, Write};

/// A representative that joined another one's cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Near {
    pub(crate) document: DocId,
    pub(crate) keeper: DocId,
    /// Similarity in bits, so that it is read as it was written.
    similarity: u64,
    /// Shingles shared, of the document and of its keeper, where sets were compared.
    counts: Option<(u32, u32, u32)>,
    contained: bool,
    /// What ties them by their URLs.
    pub(crate) rule: Option<UrlRule>,
    by_url: bool,
}

impl Near {
    pub(crate) fn kind(&self) -> Verdict {
        match (self.by_url, self.contained) {
            (true, _) => Verdict::Url,
            (false, true) => Verdict::Contained,
            (false, false) => Verdict::Near,
        }
    }

    pub(crate) fn new(document: DocId, keeper: DocId, likeness: &Likeness) -> Self {
        Near {
            document,
            keeper,
            similarity: likeness.similarity.to_bits(),
            counts: likeness.overlap.map(|overlap| (overlap.shared, overlap.first, overlap.second)),
            contained: likeness.contained,
            rule: likeness.url,
            by_url: likeness.by_url,
        }
    }

    pub(crate) fn similarity(&self) -> f64 {
        f64::from_bits(self.similarity)
    }

    pub(crate) fn overlap(&self) -> Option<Overlap> {
        self.counts.map(|(shared, first, second)| Overlap { shared, first, second })
    }
}

/// A paragraph that is cut out of its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cut {
    pub(crate) document: DocId,
    /// Its number in the text.
    pub(crate) paragraph: u32,
    pub(crate) bytes: u64,
    /// The document that has the first of its kind.
    pub(crate) first: DocId,
}

/// The outcome of all comparisons.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Verdicts {
    /// In order of documents.
    pub(crate) near: Vec<Near>,
    /// Representatives that joined a keeper of the index the run is held against, in order of documents.
    #[serde(default)]
    pub(crate) outside: Vec<Outside>,
    /// Distinct shingles of representatives with copies, in order of documents.
    pub(crate) shingles: Vec<(DocId, u32)>,
    /// Paragraphs to cut out, in order.
    pub(crate) cuts: Vec<Cut>,
    /// Pairs compared.
    pub(crate) compared: u64,
    /// Buckets worth naming.
    pub(crate) buckets: Vec<Bucket>,
    /// What is said of buckets that are not among them.
    pub(crate) buckets_note: Option<String>,
    /// What URLs came to.
    pub(crate) urls: UrlCounts,
    /// A bit for each document up to the last that joined another, so that most need no search.
    #[serde(skip)]
    joined: Vec<u64>,
}

/// What became of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    Kept,
    Exact {
        keeper: DocId,
        shingles: Option<u32>,
    },
    Near(Near),
    /// It joined a keeper of an index: its place in the list of those.
    Outside(usize),
}

impl Verdicts {
    /// All documents stay, some without paragraphs.
    pub(crate) fn of_cuts(cuts: Vec<Cut>) -> Self {
        Verdicts { cuts, ..Verdicts::default() }
    }

    pub(crate) fn sort(&mut self) {
        self.near.sort_unstable_by_key(|near| near.document);
        self.shingles.sort_unstable();
        self.joined.clear();
        self.joined.resize(self.near.last().map_or(0, |near| near.document as usize / 64 + 1), 0);
        for near in &self.near {
            self.joined[near.document as usize / 64] |= 1 << (near.document % 64);
        }
    }

    fn has_joined(&self, document: DocId) -> bool {
        self.joined.get(document as usize / 64).is_some_and(|bits| bits >> (document % 64) & 1 == 1)
    }

    /// The paragraphs that a document loses.
    pub(crate) fn cuts_of(&self, document: DocId) -> &[Cut] {
        let from = self.cuts.partition_point(|cut| cut.document < document);
        let to = self.cuts.partition_point(|cut| cut.document <= document);
        &self.cuts[from..to]
    }

    /// What became of a document.
    pub(crate) fn fate(&self, representatives: &Representatives, document: DocId) -> Fate {
        let representative = representatives.of(document);
        if let Ok(index) = self.outside.binary_search_by_key(&representative, |outside| outside.document) {
            return Fate::Outside(index);
        }
        // An older version of a page has a verdict of its own.
        for joined in [document, representative] {
            if self.has_joined(joined)
                && let Ok(index) = self.near.binary_search_by_key(&joined, |near| near.document)
            {
                return Fate::Near(self.near[index]);
            }
        }
        if representative == document {
            return Fate::Kept;
        }
        let shingles = self.shingles.binary_search_by_key(&representative, |entry| entry.0);
        Fate::Exact { keeper: representative, shingles: shingles.ok().map(|index| self.shingles[index].1) }
    }

    /// Keeps the verdicts for a run that is stopped while it writes.
    pub(crate) fn save(&self, workdir: &Workdir) -> Result<(), Error> {
        let temporary = workdir.file("verdicts.tmp");
        let mut out = BufWriter::new(fs_err::File::create(&temporary)?);
        serde_json::to_writer(&mut out, self).map_err(std::io::Error::from)?;
        out.flush()?;
        Ok(fs_err::rename(temporary, workdir.file("verdicts"))?)
    }

    /// The verdicts of an earlier run, if it came so far.
    pub(crate) fn load(workdir: &Workdir) -> Result<Option<Self>, Error> {
        match fs_err::File::open(workdir.file("verdicts")) {
            Ok(file) => {
                Ok(serde_json::from_reader(BufReader::new(file)).ok().map(|mut verdicts: Verdicts| {
                    verdicts.sort();
                    verdicts
                }))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
