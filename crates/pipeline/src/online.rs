//! Documents one by one, for the live index: read and sketched as a batch job does, in the order of the input.
//!
//! One thread reads blocks, others sketch them, and the caller's takes what they leave in order. A block is the unit of
//! all of it, so memory is bounded by the number of threads.

use crate::error::Error;
use crate::inputs::BadFile;
use crate::inputs::Selection;
use crate::recipe::Recipe;
use crate::scan::{lock, parser_of};
use crate::sketcher::{Sketched, Sketcher, Sketches};
use onefold_detect::digest::Digest;
use onefold_detect::measure::estimate::ValueBits;
use onefold_detect::sketch::Bits;
use onefold_formats::block::FrameKind;
use onefold_formats::document::{Document, Parsed, Parser};
use onefold_formats::reader::{Progress, Reader};
use onefold_formats::source::{Layout, Source};
use onefold_formats::{BadRecord, Block};
use onefold_run::{Method, Plan, Rank, RankInput, Verify};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

/// A document and what it is compared by.
#[derive(Clone, Debug)]
pub struct Incoming {
    /// Its id, else its URL, else source and row.
    pub id: String,
    /// Its URL.
    pub url: Option<String>,
    /// Key of the URL, by which its forms are one; none where it is no URL of the web.
    pub key: Option<String>,
    /// The file it is in, as evidence names it.
    pub source: Arc<str>,
    /// Its address there.
    pub offset: u64,
    /// Digest of its text.
    pub digest: Digest,
    /// Whether it has no token.
    pub empty: bool,
    /// Its rank by the plan's keep rule, the lowest best.
    pub rank: Rank,
    /// MinHash signature, where the plan's method has one.
    pub signature: Option<Vec<u64>>,
    /// SimHash by the plan's features and weights.
    pub fingerprint: Option<u64>,
    /// Sorted distinct shingle hashes, where matches are verified by them.
    pub shingles: Vec<u64>,
    /// The text that was compared, where it was asked for.
    pub text: Option<String>,
}

/// Which documents are read, and how.
#[derive(Clone, Copy, Debug)]
pub struct Feed<'a> {
    /// Parameters of fingerprints.
    pub plan: &'a Plan,
    /// What is read.
    pub selection: &'a Selection,
    /// Threads that sketch.
    pub threads: usize,
    /// Set to stop.
    pub cancel: &'static AtomicBool,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedSummary {
    /// Documents handed over.
    pub documents: u64,
    /// Records that could not be read.
    pub bad: u64,
    /// The first of them, with its place.
    pub first_bad: Option<String>,
}

struct Job {
    number: u64,
    source: Arc<(Source, Parser)>,
    block: Block,
    /// Records of the source before this were handed over already.
    from_row: u64,
}

#[derive(Default)]
struct Done {
    documents: Vec<Incoming>,
    bad: u64,
    first_bad: Option<String>,
}

impl Done {
    fn bad(&mut self, source: &str, offset: u64, bad: &BadRecord) {
        self.bad += 1;
        self.first_bad.get_or_insert_with(|| format!("{source}: record at {offset}: {}", bad.message));
    }
}

type Sent = (u64, Result<Done, Error>);

impl Feed<'_> {
    /// Hands over all documents, block by block and in order.
    pub fn read<E: From<Error>>(
        &self,
        take: impl FnMut(Vec<Incoming>) -> Result<(), E>,
    ) -> Result<FeedSummary, E> {
        self.hand_over(false, take)
    }

    /// Hands over all documents with their texts.
    pub fn read_texts<E: From<Error>>(
        &self,
        take: impl FnMut(Vec<Incoming>) -> Result<(), E>,
    ) -> Result<FeedSummary, E> {
        self.hand_over(true, take)
    }

    fn hand_over<E: From<Error>>(
        &self,
        texts: bool,
        mut take: impl FnMut(Vec<Incoming>) -> Result<(), E>,
    ) -> Result<FeedSummary, E> {
        let found = self.selection.look(&self.plan.fields)?;
        let mut summary = FeedSummary { bad: found.bad.len() as u64, ..FeedSummary::default() };
        summary.first_bad = found.bad.first().map(BadFile::told);
        let threads = self.threads.max(1);
        std::thread::scope(|scope| {
            let (jobs, waiting) = sync_channel::<Job>(threads);
            let (done, results) = sync_channel::<Sent>(threads);
            let waiting = Arc::new(Mutex::new(waiting));
            for _ in 0..threads {
                let (waiting, done) = (Arc::clone(&waiting), done.clone());
                scope.spawn(move || self.work(texts, &waiting, &done));
            }
            drop(waiting);
            let sources = found.sources;
            scope.spawn(move || {
                let mut number = 0;
                if let Err(error) = self.produce(sources, &jobs, &mut number) {
                    // Nobody listens once the caller has stopped.
                    let _ = done.send((number, Err(error)));
                }
            });
            let mut early: BTreeMap<u64, Result<Done, Error>> = BTreeMap::new();
            let mut next = 0;
            while let Ok((number, result)) = results.recv() {
                early.insert(number, result);
                while let Some(result) = early.remove(&next) {
                    next += 1;
                    let done = result?;
                    summary.documents += done.documents.len() as u64;
                    summary.bad += done.bad;
                    summary.first_bad = summary.first_bad.take().or(done.first_bad);
                    take(done.documents)?;
                }
            }
            Ok(summary)
        })
    }

    /// Reads all sources; returns early where nobody takes blocks any more.
    fn produce(&self, sources: Vec<Source>, jobs: &SyncSender<Job>, number: &mut u64) -> Result<(), Error> {
        let limit = self.plan.max_document_bytes as usize;
        for mut source in sources {
            let mut from_row = 0;
            'again: loop {
                let fields = &self.plan.fields;
                let mut reader = Reader::open_stoppable(&source, fields, limit, (0, 0), self.cancel)?;
                let parser = parser_of(&source, &self.plan.fields, limit)?;
                let shared = Arc::new((source.clone(), parser));
                let mut rows = 0;
                loop {
                    if self.cancel.load(Ordering::Relaxed) {
                        return Err(Error::Interrupted);
                    }
                    let mut block = Block::default();
                    let progress = match reader.next_block(&mut block) {
                        // It does not know why it was called off.
                        Err(_) if self.cancel.load(Ordering::Relaxed) => return Err(Error::Interrupted),
                        progress => progress?,
                    };
                    match progress {
                        Progress::Block => {
                            // A filler has the row of the record behind it.
                            let is_record = |kind: &FrameKind| !matches!(kind, FrameKind::Filler { .. });
                            let last = block.frames.iter().rfind(|frame| is_record(&frame.kind));
                            rows = last.map_or(rows, |frame| frame.row + 1);
                            let job = Job { number: *number, source: Arc::clone(&shared), block, from_row };
                            if jobs.send(job).is_err() {
                                return Ok(());
                            }
                            *number += 1;
                        }
                        Progress::End => break 'again,
                        Progress::NotMembers => {
                            source.layout = Layout::Stream;
                            from_row = rows;
                            continue 'again;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn work(&self, texts: bool, waiting: &Mutex<Receiver<Job>>, done: &SyncSender<Sent>) {
        at_desk(self.plan, |desk| {
            desk.texts = texts;
            loop {
                let job = lock(waiting).recv();
                let Ok(job) = job else { return };
                let sketched = sketch_block(&job, desk);
                if done.send((job.number, Ok(sketched))).is_err() {
                    return;
                }
            }
        });
    }
}

/// Sets up what sketches documents by a plan, for `work` to use; one a thread.
pub fn at_desk<R>(plan: &Plan, work: impl FnOnce(&mut Desk<'_>) -> R) -> R {
    let sets = match plan.method {
        Method::Exact => false,
        Method::Simhash => plan.verify != Verify::None,
        _ => true,
    };
    let plan = whole_sketches(plan);
    let recipe = Recipe::blank(&plan, 0);
    let (sketcher, sketches) = (Sketcher::new(&recipe), Sketches::default());
    work(&mut Desk { recipe: &recipe, sketcher, sketches, sets, texts: false })
}

/// The plan under which a record holds 64-bit fingerprints whatever the method, and whole signatures where they are used.
fn whole_sketches(plan: &Plan) -> Plan {
    let method = match plan.method {
        Method::Exact | Method::Simhash => Method::Simhash,
        _ => Method::Combined,
    };
    let mut plan = Plan { method, signature_bits: ValueBits::B64, ..plan.clone() };
    plan.simhash.bits = Bits::B64;
    plan
}

/// Makes documents what the index takes.
pub struct Desk<'p> {
    recipe: &'p Recipe<'p>,
    sketcher: Sketcher<'p>,
    sketches: Sketches,
    /// Whether matches are verified by shingles.
    sets: bool,
    /// Whether texts are handed over too.
    pub texts: bool,
}

impl Desk<'_> {
    /// Sketches a document that is in no file. One that cannot be read passes for an empty text.
    pub fn sketch_one(&mut self, document: &Document<'_>) -> Incoming {
        let sketched = self.sketcher.sketch(document, &mut self.sketches);
        let sketched = sketched.unwrap_or_else(|_| self.sketcher.skip(&mut self.sketches));
        self.incoming(document, sketched, String::new)
    }

    fn try_sketch(
        &mut self,
        document: &Document<'_>,
        fallback: impl FnOnce() -> String,
    ) -> Result<Incoming, BadRecord> {
        let sketched = self.sketcher.sketch(document, &mut self.sketches)?;
        Ok(self.incoming(document, sketched, fallback))
    }

    fn incoming(
        &mut self,
        document: &Document<'_>,
        sketched: Sketched,
        fallback: impl FnOnce() -> String,
    ) -> Incoming {
        let shingles = match self.sets {
            true => self.sketcher.shingles(document).1.hashes().to_vec(),
            false => Vec::new(),
        };
        let text = self.texts.then(|| self.sketcher.text(document).1);
        let (layout, record) = (self.recipe.layout, &self.sketches.record);
        let values = layout.signature(record).as_chunks::<8>().0.iter();
        let url = document.url.as_deref().map(str::to_owned);
        Incoming {
            id: document.name().map_or_else(fallback, str::to_owned),
            key: url.as_deref().and_then(|url| onefold_page::url::key(url).ok()),
            url,
            source: Arc::default(),
            offset: 0,
            digest: sketched.digest,
            empty: sketched.empty,
            rank: self.recipe.plan.keep.rank(&RankInput {
                url: document.url.as_deref(),
                date: document.date.as_deref(),
                score: document.score,
                normalised_bytes: sketched.normalised_bytes,
            }),
            signature: (!sketched.empty && self.recipe.plan.method == Method::Combined)
                .then(|| values.map(|value| u64::from_le_bytes(*value)).collect()),
            fingerprint: (!sketched.empty).then(|| layout.fingerprint(record) as u64),
            shingles,
            text,
        }
    }
}

fn sketch_block(job: &Job, desk: &mut Desk<'_>) -> Done {
    let mut done = Done::default();
    let (source, parser) = &*job.source;
    let name: Arc<str> = source.name.as_str().into();
    for frame in job.block.frames.iter().filter(|frame| frame.row >= job.from_row) {
        if matches!(frame.kind, FrameKind::Filler { .. }) {
            continue;
        }
        match parser.parse(job.block.bytes_of(frame), &frame.kind) {
            Parsed::Document(document) => {
                let fallback = || format!("{}#{}", source.name, frame.row);
                let (name, offset) = (Arc::clone(&name), frame.offset);
                match desk.try_sketch(&document, fallback) {
                    Ok(incoming) => done.documents.push(Incoming { source: name, offset, ..incoming }),
                    Err(bad) => done.bad(&source.name, frame.offset, &bad),
                }
            }
            Parsed::Passed(_) | Parsed::Skipped(_) => {}
            Parsed::Bad(bad) => done.bad(&source.name, frame.offset, &bad),
        }
    }
    done
}
