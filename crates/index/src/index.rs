//! The index: opening it, and asking it.

use crate::decide::{Decider, Keys, Wanted, id_key};
use crate::error::Error;
use crate::folder::{Folder, Gate, NEW_STORE};
use crate::head::Head;
use crate::row::{Document, Evidence, Number, Tie};
use crate::segment::{Kind, Segment};
use crate::settings::{Rule, Settings};
use crate::sketch::{Answer, Match, Sketch, Stored, Verdict};
use crate::store::{FORMAT, Lookup, Store, View};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// When an add is on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Before it is acknowledged.
    #[default]
    Commit,
    /// At the next [`Index::sync`], or before: a crash may lose what came since the last one, and nothing else.
    Deferred,
}

/// How an index is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// When an add is on disk.
    pub durability: Durability,
    /// Memory for rows read before.
    pub cache_bytes: usize,
    /// Whether segments are merged by a thread of their own, so that adds do not wait for it.
    pub background_merges: bool,
    /// What becomes of writes; for tests.
    pub gate: Option<Arc<dyn Gate>>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            durability: Durability::Commit,
            cache_bytes: 256 << 20,
            background_merges: true,
            gate: None,
        }
    }
}

/// A durable index of documents.
pub struct Index {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) folder: Folder,
    pub(crate) options: Options,
    pub(crate) decider: Decider,
    pub(crate) writer: Mutex<Writer>,
    /// What readers see: replaced as a whole after each commit.
    snapshot: RwLock<Arc<Snapshot>>,
    /// A merge that is under way.
    pub(crate) merging: Mutex<Option<std::thread::JoinHandle<()>>>,
    /// Tells it to give up.
    pub(crate) closing: AtomicBool,
}

/// What only one thread at a time may do.
pub(crate) struct Writer {
    pub(crate) store: Store,
    /// Number of the next document.
    pub(crate) next: Number,
    /// Documents in the head.
    pub(crate) waiting: usize,
    /// Number of the next segment.
    pub(crate) segment: u64,
    /// Whether something was committed that is not on disk.
    pub(crate) unsynced: bool,
    /// A failed transaction left keys in the head that belong to no row.
    pub(crate) broken: bool,
    /// Why the last segment could not be written or merged, if it could not.
    pub(crate) trouble: Option<String>,
}

/// A consistent state.
pub(crate) struct Snapshot {
    pub(crate) view: View,
    pub(crate) keys: Keys,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Index {
    /// Makes an index in a folder that is not there or is empty. The store has another name until it is whole, so that
    /// what a crash leaves can be made anew.
    pub fn create(path: &Path, settings: Settings, options: Options) -> Result<Self, Error> {
        settings.check()?;
        fs_err::create_dir_all(path)?;
        let refuse = || if is_free(path)? { Ok(()) } else { Err(Error::Exists(path.to_owned())) };
        refuse()?;
        let folder = Folder::lock(path, options.gate.clone())?;
        // Another process may have made one since.
        refuse()?;
        folder.sweep(&[])?;
        let store = Store::create(&folder, options.cache_bytes)?;
        let json = serde_json::to_vec(&settings).map_err(|error| Error::Settings(error.to_string()))?;
        store.write(true, |writing| {
            writing.set_about("format", &FORMAT.to_le_bytes())?;
            writing.set_about("settings", &json)?;
            ["next", "covered", "segment"].into_iter().try_for_each(|name| writing.set_number(name, 0))
        })?;
        folder.finish_store()?;
        Self::start(folder, store, options)
    }

    /// Opens an index. Another process that has it open is an error at once.
    pub fn open(path: &Path, options: Options) -> Result<Self, Error> {
        if !path.join("store.redb").is_file() {
            return Err(Error::Missing(path.to_owned()));
        }
        let folder = Folder::lock(path, options.gate.clone())?;
        let store = Store::open(&folder, options.cache_bytes)?;
        Self::start(folder, store, options)
    }

    fn start(folder: Folder, store: Store, options: Options) -> Result<Self, Error> {
        let view = store.read()?;
        let path = folder.store_path();
        let format = view.about("format")?.and_then(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?)));
        match format {
            Some(found) if found > FORMAT => return Err(Error::Version { path, found, known: FORMAT }),
            Some(_) => {}
            None => return Err(Error::damaged(path, "no format")),
        }
        let settings: Settings = serde_json::from_slice(&view.about("settings")?.unwrap_or_default())
            .map_err(|error| Error::damaged(&path, format!("settings: {error}")))?;
        settings.check()?;
        let decider = Decider::new(settings);
        let live = view.segments()?;
        folder.sweep(&live)?;
        let segments = live.iter().map(|&number| Ok(Arc::new(Segment::open(&folder, number)?)));
        let segments = Arc::new(segments.collect::<Result<Vec<_>, Error>>()?);
        let (head, waiting) = load_head(&decider, &view)?;
        let (next, segment) = (view.number("next")?, view.number("segment")?);
        let keys = Keys { segments, head: Arc::new(RwLock::new(head)) };
        let writer = Writer { store, next, waiting, segment, unsynced: false, broken: false, trouble: None };
        Ok(Index {
            inner: Arc::new(Inner {
                folder,
                options,
                decider,
                writer: Mutex::new(writer),
                snapshot: RwLock::new(Arc::new(Snapshot { view, keys })),
                merging: Mutex::new(None),
                closing: AtomicBool::new(false),
            }),
        })
    }

    /// What the index was made for.
    pub fn settings(&self) -> &Settings {
        &self.inner.decider.settings
    }

    /// Whether a document was seen. Nothing is changed.
    pub fn check(&self, sketch: &Sketch) -> Result<Answer, Error> {
        let matches = self.matching(sketch, Wanted::First)?;
        let matched = matches.into_iter().next();
        let verdict = matched.as_ref().map_or(Verdict::New, Match::verdict);
        Ok(Answer { verdict, matched, known: false })
    }

    /// All keepers a document matches: those of equal text first, then in order of arrival.
    pub fn matches(&self, sketch: &Sketch) -> Result<Vec<Match>, Error> {
        self.matching(sketch, Wanted::All)
    }

    fn matching(&self, sketch: &Sketch, wanted: Wanted) -> Result<Vec<Match>, Error> {
        let (document, evidence) = sketch.rows(self.settings())?;
        let snapshot = self.inner.snapshot();
        let found = self.inner.decider.matches(
            &snapshot.keys,
            &snapshot.view.rows,
            (&document, &evidence),
            wanted,
        )?;
        let one = |(number, tie)| {
            describe(&snapshot.view.rows, &self.settings().rule, document.fingerprint, number, tie)
        };
        found.into_iter().map(one).collect()
    }

    /// Keepers whose fingerprints are within the distance of the index, the first that came, or all of them; with their
    /// distances, in order of arrival.
    pub fn check_fingerprint(&self, fingerprint: u64, all: bool) -> Result<Vec<(Number, u32)>, Error> {
        let snapshot = self.inner.snapshot();
        let wanted = if all { Wanted::All } else { Wanted::First };
        self.inner.decider.by_fingerprint(&snapshot.keys, &snapshot.view.rows, fingerprint, wanted)
    }

    /// What is stored under an id: one document for each text it had.
    pub fn get(&self, id: &str) -> Result<Vec<Stored>, Error> {
        let snapshot = self.inner.snapshot();
        let numbers = numbers_of(&snapshot.keys, &snapshot.view.rows, id)?;
        numbers
            .into_iter()
            .filter_map(|(number, _)| stored(&snapshot.view, &self.settings().rule, number).transpose())
            .collect()
    }

    /// What is stored under a number.
    pub fn get_number(&self, number: Number) -> Result<Option<Stored>, Error> {
        stored(&self.inner.snapshot().view, &self.settings().rule, number)
    }

    /// The signature of a document, a byte a value, and its shingle set; empty where they are not stored.
    pub fn evidence(&self, number: Number) -> Result<(Vec<u8>, Vec<u64>), Error> {
        let snapshot = self.inner.snapshot();
        let evidence = snapshot.view.rows.evidence(number, Evidence::from_bytes)?.unwrap_or_default();
        Ok((evidence.signature, evidence.shingles))
    }

    /// Hands over all documents in order of arrival, until `take` returns an error.
    pub fn export<E: From<Error>>(&self, mut take: impl FnMut(Stored) -> Result<(), E>) -> Result<(), E> {
        let snapshot = self.inner.snapshot();
        for entry in snapshot.view.states(0)? {
            if let Some(stored) = stored(&snapshot.view, &self.settings().rule, entry?.0)? {
                take(stored)?;
            }
        }
        Ok(())
    }

    /// Counts and sizes.
    pub fn stats(&self) -> Result<Stats, Error> {
        let trouble = lock(&self.inner.writer).trouble.clone();
        let snapshot = self.inner.snapshot();
        let (view, keys) = (&snapshot.view, &snapshot.keys);
        let documents = view.len()?;
        let members = view.member_count()?;
        let head = keys.head.read().unwrap_or_else(PoisonError::into_inner);
        let tables = self.inner.decider.permutations().map_or(0, crate::permuted::Permutations::len);
        let table_sum = |of: &dyn Fn(&Segment, Kind) -> u64| -> u64 {
            (0..tables)
                .flat_map(|t| keys.segments.iter().map(move |s| (s, t)))
                .map(|(s, t)| of(s, Kind::table(t)))
                .sum()
        };
        let mut segment_bytes = 0;
        for segment in keys.segments.iter() {
            segment_bytes += segment.file_bytes()?;
        }
        Ok(Stats {
            documents,
            // Counts of a damaged store may be any.
            keepers: documents.saturating_sub(members),
            members,
            dead: view.dead_count()?,
            segments: keys.segments.len() as u64,
            head_entries: head.len() as u64,
            tables: tables as u64,
            table_entries: table_sum(&Segment::entries),
            table_bytes: table_sum(&Segment::bytes_of),
            memory_bytes: keys.segments.iter().map(|segment| segment.memory_bytes()).sum::<u64>()
                + head.bytes(),
            segment_bytes,
            store_bytes: fs_err::metadata(self.inner.folder.store_path())?.len(),
            trouble,
        })
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.inner.closing.store(true, Ordering::Relaxed);
        let merging = lock(&self.inner.merging).take();
        if let Some(merging) = merging {
            // It gives up at its next look, and what it wrote is swept at the next opening.
            let _ = merging.join();
        }
        let mut writer = lock(&self.inner.writer);
        if writer.unsynced && !writer.broken {
            // Deferred adds were not promised, but an orderly end need not lose them.
            let _ = self.inner.sync(&mut writer);
        }
    }
}

/// Counts and sizes of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    /// Documents stored.
    pub documents: u64,
    /// Those that are match targets.
    pub keepers: u64,
    /// Those that are members of a keeper.
    pub members: u64,
    /// Removed documents whose keys are still in a segment.
    pub dead: u64,
    /// Segments.
    pub segments: u64,
    /// Keys in memory that are in no segment yet.
    pub head_entries: u64,
    /// Hamming tables.
    pub tables: u64,
    /// Fingerprints in all tables of all segments.
    pub table_entries: u64,
    /// Bytes of these, with the numbers of their documents and the directory.
    pub table_bytes: u64,
    /// Memory that keys hold.
    pub memory_bytes: u64,
    /// Bytes of segments on disk.
    pub segment_bytes: u64,
    /// Bytes of the store on disk.
    pub store_bytes: u64,
    /// Why the last segment could not be written or merged, if it could not. It is tried again.
    pub trouble: Option<String>,
}

impl Inner {
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Shows readers what was committed.
    pub(crate) fn publish(&self, writer: &Writer, keys: Keys) -> Result<(), Error> {
        let snapshot = Arc::new(Snapshot { view: writer.store.read()?, keys });
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
        Ok(())
    }

    /// Opens the store anew after a failure and makes the head from it.
    pub(crate) fn recover(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.broken = true;
        writer.store.fence();
        writer.store = Store::open(&self.folder, self.options.cache_bytes)?;
        let view = writer.store.read()?;
        let (head, waiting) = load_head(&self.decider, &view)?;
        writer.next = view.number("next")?;
        writer.segment = writer.segment.max(view.number("segment")?);
        writer.waiting = waiting;
        // A commit that failed may have taken effect: the store knows which segments count.
        let open = Arc::clone(&self.snapshot().keys.segments);
        let mut segments = Vec::new();
        for number in view.segments()? {
            segments.push(match open.iter().find(|segment| segment.number == number) {
                Some(segment) => Arc::clone(segment),
                None => Arc::new(Segment::open(&self.folder, number)?),
            });
        }
        self.publish(writer, Keys { segments: Arc::new(segments), head: Arc::new(RwLock::new(head)) })?;
        (writer.broken, writer.unsynced) = (false, false);
        Ok(())
    }

    /// Makes everything durable that was committed.
    pub(crate) fn sync(&self, writer: &mut Writer) -> Result<(), Error> {
        if writer.unsynced {
            writer.store.write(true, |_| Ok(()))?;
            writer.unsynced = false;
        }
        Ok(())
    }
}

/// Whether a folder holds nothing but what a `create` that crashed may leave.
fn is_free(path: &Path) -> Result<bool, Error> {
    for entry in fs_err::read_dir(path)? {
        let name = entry?.file_name();
        if name != "lock" && name != NEW_STORE {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The head of a store: keys of rows that no segment covers, and how many of them there are.
fn load_head(decider: &Decider, view: &View) -> Result<(Head, usize), Error> {
    let mut head = Head::default();
    let mut waiting = 0;
    let mut keeper = |head: &mut Head, number, arrived: bool, is_keeper: bool| -> Result<(), Error> {
        let Some(document) = view.rows.document(number)? else { return Ok(()) };
        if arrived {
            head.add(Kind::IDS, 0, (id_key(&document.id), number));
        }
        if is_keeper {
            decider.add_keys(head, number, &document);
        }
        waiting += 1;
        Ok(())
    };
    let covered = view.number("covered")?;
    for entry in view.states(covered)? {
        let (number, state) = entry?;
        keeper(&mut head, number, true, state.member_of.is_none())?;
    }
    for number in view.promoted()?.into_iter().filter(|&number| number < covered) {
        keeper(&mut head, number, false, true)?;
    }
    Ok((head, waiting))
}

/// Documents of an id with their digests, in order of arrival.
pub(crate) fn numbers_of(
    keys: &Keys,
    rows: &impl Lookup,
    id: &str,
) -> Result<Vec<(Number, Document)>, Error> {
    let mut numbers = Vec::new();
    keys.numbers(Kind::IDS, id_key(id), &mut numbers)?;
    numbers.sort_unstable();
    numbers.dedup();
    let mut documents = Vec::new();
    for number in numbers {
        if let Some(document) = rows.document(number)?.filter(|document| document.id == id) {
            documents.push((number, document));
        }
    }
    Ok(documents)
}

/// A match with what is known of the keeper.
pub(crate) fn describe(
    rows: &impl Lookup,
    rule: &Rule,
    fingerprint: Option<u64>,
    number: Number,
    tie: Tie,
) -> Result<Match, Error> {
    let keeper = rows.document(number)?;
    let other = keeper.as_ref().and_then(|keeper| keeper.fingerprint);
    let distance = fingerprint.zip(other).map(|(a, b)| (a ^ b).count_ones());
    let (id, url) = keeper.map(|keeper| (keeper.id, keeper.url)).unwrap_or_default();
    Ok(Match { id, url, number, tie, distance, near_rule: rule.name() })
}

pub(crate) fn stored(view: &View, rule: &Rule, number: Number) -> Result<Option<Stored>, Error> {
    let rows = &view.rows;
    let (Some(document), Some(state)) = (rows.document(number)?, rows.state(number)?) else {
        return Ok(None);
    };
    let keeper = state.member_of.map(|(keeper, tie)| describe(rows, rule, document.fingerprint, keeper, tie));
    Ok(Some(Stored {
        number,
        id: document.id,
        url: document.url,
        key: document.key,
        first_seen: state.first_seen,
        last_seen: state.last_seen,
        digest: document.digest,
        fingerprint: document.fingerprint,
        empty: document.empty,
        keeper: keeper.transpose()?,
        members: rows.members(number)?.len() as u64,
        shingles: rows.evidence(number, Evidence::from_bytes)?.map_or(0, |evidence| evidence.shingles.len()),
    }))
}
