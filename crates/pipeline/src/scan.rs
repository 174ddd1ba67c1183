//! Stage one: every source is read once.
//!
//! Workers take turns at a source: one reads the next block under its lock, the others work on theirs outside of
//! it, and an assembler puts what the blocks leave back in order into pieces. So the serial part of a source is
//! its decompression alone, and a single large file keeps several threads busy.

mod assemble;
mod block;

use crate::error::Error;
use crate::hold::{HeldShingles, Hold};
use crate::inputs::BadFile;
use crate::job::Job;
use crate::large::Limits;
use crate::payload::parser_for;
use crate::piece::{BadEntry, Handles, Piece, PieceFile, Room};
use crate::preflight;
use crate::progress::StageKind;
use crate::recipe::Recipe;
use crate::table::Table;
use crate::workdir::Workdir;
use assemble::Assembler;
use block::BlockSketcher;
use onefold_formats::document::Parser;
use onefold_formats::reader::{Progress, Reader};
use onefold_formats::source::{Fields, Format, Layout, Source};
use onefold_formats::{Block, FrameKind};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// How many pieces each source has.
pub(crate) struct Pieces {
    counts: Vec<usize>,
    /// Bytes of pieces that were just written, while the budget lasted.
    held: HashMap<PathBuf, Vec<u8>>,
    shingles: HeldShingles,
    documents: u64,
}

impl Pieces {
    /// The table of all documents.
    pub(crate) fn into_table<'s>(
        self,
        job: &Job<'_>,
        recipe: &Recipe<'_>,
        sources: &'s [Source],
        workdir: &Workdir,
    ) -> Result<Table<'s>, Error> {
        let Pieces { counts, mut held, mut shingles, documents } = self;
        let spare = preflight::shared_bytes(job, recipe, sources, documents)
            .saturating_sub(preflight::needed_bytes(job));
        shingles.keep_within(spare);
        let mut table = Table::new(sources, &job.plan.keep, recipe.layout, shingles);
        let mut room = Room { pieces: spare / PIECES_SHARE, notes: spare / NOTES_SHARE };
        for (source, &count) in counts.iter().enumerate() {
            for number in 0..count {
                let path = workdir.piece(source, number);
                let opened = match held.remove(&path) {
                    Some(bytes) => PieceFile::of(&path, bytes, &mut room),
                    None => PieceFile::open_and_hold(&path, &mut room)?,
                };
                let (file, rows) = opened.ok_or_else(|| {
                    std::io::Error::other(format!("{}: damaged while in use", path.display()))
                })?;
                table.add(source, file, &rows)?;
            }
        }
        Ok(table)
    }
}

/// The memory of a block that held a large document is kept for the next up to this size.
const KEPT_BLOCK: usize = 4 << 20;

/// What a block leaves may take one in so many of what a piece may.
const BLOCK_SHARE: u64 = 4;
/// Records that are put into a block whatever they leave.
const FEWEST_FRAMES: usize = 8;

/// The shares of the budget for what is held to save time that pieces and their notes may take: one in so many.
const PIECES_SHARE: u64 = 4;
const NOTES_SHARE: u64 = 16;

/// A source being read.
struct Active {
    index: usize,
    source: Source,
    parser: Parser,
    turn: Mutex<Turn>,
    assembler: Mutex<Assembler>,
    abandoned: AtomicBool,
}

struct Turn {
    reader: Reader,
    blocks: u64,
    ended: bool,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Scan<'a> {
    job: &'a Job<'a>,
    recipe: &'a Recipe<'a>,
    workdir: &'a Workdir,
    sources: Vec<Source>,
    queue: Mutex<Queue>,
    /// Told when a source has been opened, or not.
    opened: Condvar,
    bad: Mutex<Bad>,
    documents: AtomicU64,
    /// Bytes of the sources that were read, and documents found in them.
    read: Mutex<(u64, u64)>,
    hold: Hold,
    /// The budget for what is held to save time: what a run needs in any case is not given away.
    spare_bytes: u64,
    /// Held while a large document is worked on.
    large: Mutex<()>,
    limits: Limits,
}

/// Bad records so far, counted where there may be only so many.
#[derive(Default)]
struct Bad {
    total: u64,
    /// How many each source has, and the first of them.
    sources: BTreeMap<Option<usize>, (u64, String)>,
}

impl Bad {
    /// Takes back what was counted of a source that is read anew.
    fn forget(&mut self, source: usize) {
        self.total -= self.sources.remove(&Some(source)).map_or(0, |(count, _)| count);
    }
}

#[derive(Default)]
struct Queue {
    next: usize,
    /// Sources being opened.
    opening: usize,
    active: Vec<Arc<Active>>,
    counts: Vec<usize>,
    as_stream: Vec<bool>,
    held: HashMap<PathBuf, Vec<u8>>,
    held_bytes: u64,
}

/// Reads all sources into pieces. A source that turns out to be a stream is marked so.
pub(crate) fn scan(
    job: &Job<'_>,
    recipe: &Recipe<'_>,
    sources: &mut [Source],
    workdir: &Workdir,
    bad_files: &[BadFile],
) -> Result<Pieces, Error> {
    job.progress.start(StageKind::Read, sources.iter().map(|source| source.size).sum());
    let spare_bytes =
        preflight::shared_bytes(job, recipe, sources, 0).saturating_sub(preflight::needed_bytes(job));
    let scan = Scan {
        job,
        recipe,
        workdir,
        sources: sources.to_vec(),
        queue: Mutex::new(Queue {
            counts: vec![0; sources.len()],
            as_stream: vec![false; sources.len()],
            ..Queue::default()
        }),
        opened: Condvar::new(),
        bad: Mutex::default(),
        documents: AtomicU64::new(0),
        read: Mutex::new((0, 0)),
        hold: match recipe.holds_shingles {
            true => Hold::new(spare_bytes, sources.iter().map(|source| source.size).sum()),
            false => Hold::nothing(),
        },
        spare_bytes,
        large: Mutex::new(()),
        limits: Limits::of(job),
    };
    let first = || bad_files.first().map(BadFile::told);
    scan.count_bad(None, bad_files.len() as u64, first)?;
    parallel(job, |_| scan.work())?;
    let queue = scan.queue.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (source, as_stream) in sources.iter_mut().zip(&queue.as_stream) {
        if *as_stream {
            source.layout = Layout::Stream;
        }
    }
    let documents = scan.documents.into_inner();
    Ok(Pieces { counts: queue.counts, held: queue.held, shingles: scan.hold.into_held(), documents })
}

/// Runs `work` on every thread of the job until all are done; the first error stops the others at their next
/// look at the job.
pub(crate) fn parallel(job: &Job<'_>, work: impl Fn(usize) -> Result<(), Error> + Sync) -> Result<(), Error> {
    let threads = job.resources.threads.max(1);
    if threads == 1 {
        return work(0);
    }
    let failed: Mutex<Option<Error>> = Mutex::new(None);
    std::thread::scope(|scope| {
        for index in 0..threads {
            let (failed, work) = (&failed, &work);
            scope.spawn(move || {
                if let Err(error) = work(index) {
                    // Threads that were told to stop say so after the one that knows why.
                    let mut first = lock(failed);
                    if first.is_none() || matches!(*first, Some(Error::Interrupted)) {
                        *first = Some(error);
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

impl Scan<'_> {
    fn work(&self) -> Result<(), Error> {
        let mut sketcher = BlockSketcher::new(self.recipe, &self.hold, self.limits, &self.large);
        let (mut block, mut piece) = (Block::default(), Piece::default());
        block.most_frames = self.most_frames();
        while let Some(active) = self.take_source()? {
            while self.turn(&active, &mut block, &mut piece, &mut sketcher)? {}
            lock(&self.queue).active.retain(|other| !Arc::ptr_eq(other, &active));
        }
        Ok(())
    }

    /// The next source nobody reads yet, else one that others read.
    fn take_source(&self) -> Result<Option<Arc<Active>>, Error> {
        loop {
            let mut queue = lock(&self.queue);
            if queue.next < self.sources.len() {
                queue.next += 1;
                queue.opening += 1;
                let index = queue.next - 1;
                drop(queue);
                let opened = self.activate(index, self.sources[index].clone());
                lock(&self.queue).opening -= 1;
                self.opened.notify_all();
                if let Some(active) = opened? {
                    return Ok(Some(active));
                }
                continue;
            }
            if let Some(active) = queue.active.first() {
                return Ok(Some(Arc::clone(active)));
            }
            if queue.opening == 0 {
                return Ok(None);
            }
            // Another worker is about to have one.
            drop(self.opened.wait(queue));
        }
    }

    /// Opens a source for reading; `None` if an earlier run has finished it.
    fn activate(&self, index: usize, mut source: Source) -> Result<Option<Arc<Active>>, Error> {
        // What an earlier run finished of this source is not read again.
        let (mut number, mut from, mut done) = (0, (0, 0), false);
        let handles = Handles::default();
        while !done && let Some((piece, _)) = PieceFile::open(&self.workdir.piece(index, number))? {
            if number == 0 && piece.meta.as_stream {
                source.layout = Layout::Stream;
            }
            number += 1;
            self.count_read(piece.meta.end.0.saturating_sub(from.0), piece.documents.into());
            from = piece.meta.end;
            done = piece.meta.last.is_some();
            if piece.meta.bad > 0 {
                let notes = piece.notes(&handles)?;
                self.count_bad(Some(index), piece.meta.bad, || {
                    notes.bad.first().map(|bad| place(&source, bad))
                })?;
            }
            self.count_documents(piece.documents.into())?;
        }
        let as_stream = source.layout == Layout::Stream && self.sources[index].layout == Layout::Members;
        {
            let mut queue = lock(&self.queue);
            queue.counts[index] = number;
            queue.as_stream[index] = as_stream;
        }
        if done {
            self.job.progress.advance(source.size, from.1);
            return Ok(None);
        }
        let reader = self.job.reader(&source, from)?;
        let active = Arc::new(Active {
            index,
            parser: parser(&source, self.job)?,
            turn: Mutex::new(Turn { reader, blocks: 0, ended: false }),
            assembler: Mutex::new(Assembler::new(number, as_stream, self.most_held())),
            abandoned: AtomicBool::new(false),
            source,
        });
        lock(&self.queue).active.push(Arc::clone(&active));
        Ok(Some(active))
    }

    /// Reads and works on one block of a source; false if there is none left.
    fn turn(
        &self,
        active: &Active,
        block: &mut Block,
        piece: &mut Piece,
        sketcher: &mut BlockSketcher<'_>,
    ) -> Result<bool, Error> {
        self.job.check()?;
        let mut turn = lock(&active.turn);
        if turn.ended {
            return Ok(false);
        }
        let before = turn.reader.bytes_read();
        match turn.reader.next_block(block).map_err(|error| self.job.failed(error))? {
            Progress::Block => {}
            Progress::End => {
                turn.ended = true;
                // What was not read, as damage at the end of a table.
                self.job.progress.advance(active.source.size.saturating_sub(before), 0);
                let digest =
                    format!("{:032x}", turn.reader.digest().map_err(|error| self.job.failed(error))?);
                let blocks = turn.blocks;
                drop(turn);
                let mut assembler = lock(&active.assembler);
                assembler.end(blocks, digest);
                self.flush(active, &mut assembler)?;
                return Ok(false);
            }
            Progress::NotMembers => {
                turn.ended = true;
                drop(turn);
                return self.read_as_stream(active).map(|()| false);
            }
        }
        let number = turn.blocks;
        turn.blocks += 1;
        let end = turn.reader.position();
        let read = turn.reader.bytes_read().saturating_sub(before);
        piece.clear();
        piece.meta.end = end;
        let longest = block.frames.iter().map(|frame| frame.end - frame.start).max().unwrap_or(0) as u64;
        let is_long = self.limits.is_long(longest);
        if !is_long {
            drop(turn);
            sketcher.work(block, &active.source, &active.parser, piece)?;
        } else {
            // Nobody reads the next meanwhile, which may be as large.
            sketcher.work(block, &active.source, &active.parser, piece)?;
            drop(turn);
        }
        let documents = piece.rows.len() as u64;
        let mut assembler = lock(&active.assembler);
        if !active.abandoned.load(Ordering::Relaxed) {
            self.job.progress.advance(read, documents);
            self.count_read(read, documents);
            assembler.add(number, piece, block.bytes.len());
            self.flush(active, &mut assembler)?;
        }
        if is_long && block.bytes.capacity() > KEPT_BLOCK {
            block.bytes = Vec::new();
        }
        Ok(true)
    }

    /// Bytes a piece in the making may take: each worker may be at a source of its own. Counts of shingles, where there are
    /// some, take their part of the budget meanwhile.
    fn most_held(&self) -> u64 {
        let share = if self.recipe.shingles.is_some() { 32 } else { 16 };
        self.job.resources.memory_bytes / share / self.job.resources.threads.max(1) as u64
    }

    /// Records of a block: what they leave is a part of a piece.
    fn most_frames(&self) -> usize {
        let most = self.most_held() / BLOCK_SHARE / preflight::left_by_document(self.recipe).max(1);
        usize::try_from(most).unwrap_or(usize::MAX).clamp(FEWEST_FRAMES, Block::MOST_FRAMES)
    }

    fn flush(&self, active: &Active, assembler: &mut Assembler) -> Result<(), Error> {
        while let Some(mut piece) = assembler.take() {
            let number = assembler.written();
            let path = self.workdir.piece(active.index, number - 1);
            let bytes = piece.write(&path)?;
            self.count_documents(piece.documents().into())?;
            assembler.give_back(piece);
            let mut queue = lock(&self.queue);
            queue.counts[active.index] = number;
            if queue.held_bytes + bytes.len() as u64 <= self.spare_bytes / PIECES_SHARE {
                queue.held_bytes += bytes.len() as u64;
                queue.held.insert(path, bytes);
            }
        }
        match assembler.count_bad() {
            Some((count, first)) => {
                self.count_bad(Some(active.index), count, || Some(place(&active.source, first)))
            }
            None => Ok(()),
        }
    }

    /// Starts over with a source whose members are not records.
    fn read_as_stream(&self, active: &Active) -> Result<(), Error> {
        let mut assembler = lock(&active.assembler);
        active.abandoned.store(true, Ordering::Relaxed);
        for number in 0..assembler.written() {
            let path = self.workdir.piece(active.index, number);
            lock(&self.queue).held.remove(&path);
            fs_err::remove_file(path)?;
        }
        lock(&self.bad).forget(active.index);
        assembler.clear();
        drop(assembler);
        let source = Source { layout: Layout::Stream, ..active.source.clone() };
        self.activate(active.index, source).map(|_| ())
    }

    fn count_read(&self, bytes: u64, documents: u64) {
        let mut read = lock(&self.read);
        *read = (read.0 + bytes, read.1 + documents);
    }

    /// Documents of the whole input, by those in what was read of it, and some more.
    fn documents_at_most(&self) -> u64 {
        let (bytes, documents) = *lock(&self.read);
        let total: u64 = self.sources.iter().map(|source| source.size).sum();
        let whole = documents as f64 * (total as f64 / bytes.max(1) as f64).max(1.0);
        (whole * (1.0 + 1.0 / (4 * preflight::MARGIN) as f64)) as u64
    }

    /// Refuses more documents than the budget has room for: a sample does not tell of all.
    fn count_documents(&self, count: u64) -> Result<(), Error> {
        let documents = self.documents.fetch_add(count, Ordering::Relaxed) + count;
        let needed = preflight::needed_bytes(self.job) + preflight::held_by_documents(self.recipe, documents);
        let budget = self.job.resources.memory_bytes;
        if needed <= budget {
            return Ok(());
        }
        let all = documents.max(self.documents_at_most());
        let enough = preflight::needed_bytes(self.job) + preflight::held_by_documents(self.recipe, all);
        Err(Error::ManyDocuments {
            documents,
            needed_mib: needed.div_ceil(1 << 20),
            enough_mib: enough.div_ceil(1 << 20),
            budget_mib: budget >> 20,
        })
    }

    /// Counts bad records of a source, or bad files, which come before all sources.
    fn count_bad(
        &self,
        source: Option<usize>,
        count: u64,
        first: impl FnOnce() -> Option<String>,
    ) -> Result<(), Error> {
        let Some(limit) = self.job.switches.max_bad_records.filter(|_| count > 0) else { return Ok(()) };
        let mut bad = lock(&self.bad);
        bad.total += count;
        bad.sources.entry(source).or_insert_with(|| (0, first().unwrap_or_default())).0 += count;
        match bad.sources.first_key_value() {
            Some((_, (_, first))) if bad.total > limit => Err(Error::MaxBad { limit, first: first.clone() }),
            _ => Ok(()),
        }
    }
}

/// A bad record, with where it is.
fn place(source: &Source, bad: &BadEntry) -> String {
    format!("{}: record at {}: {}", source.name, bad.offset, bad.bad.message)
}

/// The parser of a source's records; that of a CSV file knows its header.
pub(crate) fn parser(source: &Source, job: &Job<'_>) -> Result<Parser, Error> {
    parser_of(source, &job.plan.fields, job.plan.max_document_bytes as usize)
}

pub(crate) fn parser_of(source: &Source, fields: &Fields, limit: usize) -> Result<Parser, Error> {
    if !matches!(source.format, Format::Csv | Format::Tsv) {
        return Ok(parser_for(source, fields, limit, None));
    }
    let mut block = Block::default();
    Reader::open(source, fields, limit, (0, 0))?.next_block(&mut block)?;
    let header = block.frames.iter().find(|frame| matches!(frame.kind, FrameKind::Filler { keep: true }));
    let header = header.map(|frame| block.bytes_of(frame));
    Ok(parser_for(source, fields, limit, header))
}
