//! The durable truth: an embedded store of rows by number.
//!
//! ```text
//! states      number → state           small, rewritten when a document is seen again or changes keeper
//! documents   number → document        written once
//! evidence    number → evidence        written once
//! texts       number → text            written once, where texts are stored, see `text`
//! members     (keeper, member) → ()
//! promoted    number → ()              members that became keepers since the last segment was written
//! dead        number → ()              removed, but perhaps still in a segment
//! segments    segment → ()             those that count; other files are leftovers
//! about       name → bytes             format, settings, next, covered, segment, texts
//! ```
//!
//! `next` is the number of the next document, `covered` the first whose keys are in no segment, `segment` the number of
//! the next segment. Keys in memory are made anew from rows `covered..next` and `promoted`, so a crash needs no repair:
//! the store has the rows or it has not.

use crate::engine::{Held, failed, guard, guard_next, value};
use crate::error::Error;
use crate::folder::{Fence, Folder, StoreFile};
use crate::row::{Damaged, Document, Number, State};
use redb::{
    AccessGuard, Database, Durability, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTable,
    ReadableTableMetadata, Table, TableDefinition, WriteTransaction,
};
use std::path::{Path, PathBuf};

/// Format of the store's tables.
pub(crate) const FORMAT: u32 = 1;

const STATES: TableDefinition<'_, u64, &[u8; State::BYTES]> = TableDefinition::new("states");
const DOCUMENTS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("documents");
const EVIDENCE: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("evidence");
const TEXTS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("texts");
const MEMBERS: TableDefinition<'_, (u64, u64), ()> = TableDefinition::new("members");
const PROMOTED: TableDefinition<'_, u64, ()> = TableDefinition::new("promoted");
const DEAD: TableDefinition<'_, u64, ()> = TableDefinition::new("dead");
const SEGMENTS: TableDefinition<'_, u64, ()> = TableDefinition::new("segments");
const ABOUT: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("about");

type States = &'static [u8; State::BYTES];
type Bytes = &'static [u8];

/// The store, open.
pub(crate) struct Store {
    database: Held<Database>,
    path: PathBuf,
    fence: Fence,
}

/// The tables of rows in a transaction, whether it reads or writes: these have methods of one name and no trait of them.
macro_rules! open_rows {
    ($txn:expr, $path:expr, $dead:expr) => {
        Rows {
            states: $txn.open_table(STATES).map_err(failed($path))?,
            documents: $txn.open_table(DOCUMENTS).map_err(failed($path))?,
            evidence: $txn.open_table(EVIDENCE).map_err(failed($path))?,
            members: $txn.open_table(MEMBERS).map_err(failed($path))?,
            clean: $dead.is_empty().map_err(failed($path))?,
            path: $path.to_owned(),
        }
    };
}

impl Store {
    pub(crate) fn open(folder: &Folder, cache_bytes: usize) -> Result<Self, Error> {
        let file = folder.store_file()?;
        // The engine would take an empty file for one to begin with.
        if file.is_empty()? {
            return Err(Error::damaged(folder.store_path(), "empty, and no store"));
        }
        Self::with_file(folder, file, cache_bytes)
    }

    /// A store in the making, empty.
    pub(crate) fn create(folder: &Folder, cache_bytes: usize) -> Result<Self, Error> {
        Self::with_file(folder, folder.new_store_file()?, cache_bytes)
    }

    fn with_file(folder: &Folder, file: StoreFile, cache_bytes: usize) -> Result<Self, Error> {
        let path = folder.store_path();
        let fence = file.fence();
        let mut builder = Database::builder();
        builder.set_cache_size(cache_bytes);
        let database = guard(&path, || builder.create_with_backend(file).map_err(failed(&path)))?;
        Ok(Store { database: Held::new(database), path, fence })
    }

    /// Keeps this opening from ever writing again.
    pub(crate) fn fence(&self) {
        self.fence.close();
    }

    pub(crate) fn read(&self) -> Result<View, Error> {
        let path = &self.path;
        guard(path, || {
            let txn = self.database.begin_read().map_err(failed(path))?;
            let dead = txn.open_table(DEAD).map_err(failed(path))?;
            Ok(View {
                rows: open_rows!(txn, path, dead),
                promoted: txn.open_table(PROMOTED).map_err(failed(path))?,
                dead,
                segments: txn.open_table(SEGMENTS).map_err(failed(path))?,
                about: txn.open_table(ABOUT).map_err(failed(path))?,
                // Stores of older versions have none.
                texts: match txn.open_table(TEXTS) {
                    Err(redb::TableError::TableDoesNotExist(_)) => None,
                    texts => Some(texts.map_err(failed(path))?),
                },
                _txn: txn,
            })
        })
    }

    /// Runs `work` in one transaction: all of it is there afterwards, or nothing.
    pub(crate) fn write<R>(
        &self,
        durable: bool,
        work: impl FnOnce(&mut Writing<'_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let path = &self.path;
        let durability = if durable { Durability::Immediate } else { Durability::None };
        let txn = guard(path, || {
            let mut txn = self.database.begin_write().map_err(failed(path))?;
            // Opening after a crash then costs nothing that grows with the index.
            txn.set_quick_repair(durable);
            txn.set_durability(durability).map_err(failed(path))?;
            Ok(txn)
        })?;
        let result = guard(path, || Writing::open(&txn, path)).and_then(|mut writing| {
            let result = work(&mut writing);
            let closed = guard(path, || {
                drop(writing);
                Ok(())
            });
            closed.and(result)
        });
        match result {
            Ok(result) => guard(path, || txn.commit().map_err(failed(path))).map(|()| result),
            Err(error) => {
                // That it could not be undone is no news: the store is opened anew.
                let _ = guard(path, || txn.abort().map_err(failed(path)));
                Err(error)
            }
        }
    }
}

/// Rows, in a transaction that reads or one that writes.
pub(crate) struct Rows<S, B, M> {
    states: S,
    documents: B,
    evidence: B,
    members: M,
    /// Whether nothing was removed that may still be in a segment.
    clean: bool,
    path: PathBuf,
}

/// What a decision reads.
pub(crate) trait Lookup {
    fn state(&self, number: Number) -> Result<Option<State>, Error>;
    fn document(&self, number: Number) -> Result<Option<Document>, Error>;
    fn evidence<R>(
        &self,
        number: Number,
        read: impl FnOnce(&[u8]) -> Result<R, Damaged>,
    ) -> Result<Option<R>, Error>;
    fn members(&self, keeper: Number) -> Result<Vec<Number>, Error>;

    /// Whether all that tables of segments hold is a keeper: a keeper stays one until it is removed.
    fn is_clean(&self) -> bool;
}

impl<S, B, M> Rows<S, B, M> {
    fn damaged(&self, table: &str, number: Number) -> Error {
        Error::damaged(&self.path, format!("row {number} of {table} cannot be read"))
    }
}

impl<S, B, M> Lookup for Rows<S, B, M>
where
    S: ReadableTable<u64, States>,
    B: ReadableTable<u64, Bytes>,
    M: ReadableTable<(u64, u64), ()>,
{
    fn state(&self, number: Number) -> Result<Option<State>, Error> {
        let entry = guard(&self.path, || self.states.get(number).map_err(failed(&self.path)))?;
        let read = |entry: AccessGuard<'_, States>| {
            State::from_bytes(value(&self.path, &entry)?).map_err(|Damaged| self.damaged("states", number))
        };
        entry.map(read).transpose()
    }

    fn document(&self, number: Number) -> Result<Option<Document>, Error> {
        let entry = guard(&self.path, || self.documents.get(number).map_err(failed(&self.path)))?;
        let read = |entry: AccessGuard<'_, Bytes>| {
            Document::from_bytes(value(&self.path, &entry)?)
                .map_err(|Damaged| self.damaged("documents", number))
        };
        entry.map(read).transpose()
    }

    fn evidence<R>(
        &self,
        number: Number,
        read: impl FnOnce(&[u8]) -> Result<R, Damaged>,
    ) -> Result<Option<R>, Error> {
        let entry = guard(&self.path, || self.evidence.get(number).map_err(failed(&self.path)))?;
        let read = |entry: AccessGuard<'_, Bytes>| {
            read(value(&self.path, &entry)?).map_err(|Damaged| self.damaged("evidence", number))
        };
        entry.map(read).transpose()
    }

    fn members(&self, keeper: Number) -> Result<Vec<Number>, Error> {
        guard(&self.path, || {
            let range = self.members.range((keeper, 0)..=(keeper, u64::MAX)).map_err(failed(&self.path))?;
            range.map(|entry| Ok(entry.map_err(failed(&self.path))?.0.value().1)).collect()
        })
    }

    fn is_clean(&self) -> bool {
        self.clean
    }
}

type ReadMembers = ReadOnlyTable<(u64, u64), ()>;
type ReadRows = Rows<ReadOnlyTable<u64, States>, ReadOnlyTable<u64, Bytes>, ReadMembers>;
type WriteMembers<'t> = Table<'t, (u64, u64), ()>;
type WriteRows<'t> = Rows<Table<'t, u64, States>, Table<'t, u64, Bytes>, WriteMembers<'t>>;

/// A consistent view that later writes do not change.
pub(crate) struct View {
    pub(crate) rows: ReadRows,
    promoted: ReadOnlyTable<u64, ()>,
    dead: ReadOnlyTable<u64, ()>,
    segments: ReadOnlyTable<u64, ()>,
    about: ReadOnlyTable<&'static str, Bytes>,
    texts: Option<ReadOnlyTable<u64, Bytes>>,
    _txn: ReadTransaction,
}

impl View {
    pub(crate) fn about(&self, name: &str) -> Result<Option<Vec<u8>>, Error> {
        let path = &self.rows.path;
        guard(path, || Ok(self.about.get(name).map_err(failed(path))?.map(|bytes| bytes.value().to_vec())))
    }

    /// The text of a document, if it is stored.
    pub(crate) fn text<R>(
        &self,
        number: Number,
        read: impl FnOnce(&[u8]) -> Result<R, Damaged>,
    ) -> Result<Option<R>, Error> {
        let Some(texts) = &self.texts else { return Ok(None) };
        let path = &self.rows.path;
        let entry = guard(path, || texts.get(number).map_err(failed(path)))?;
        let read = |entry: AccessGuard<'_, Bytes>| {
            read(value(path, &entry)?).map_err(|Damaged| self.rows.damaged("texts", number))
        };
        entry.map(read).transpose()
    }

    /// Numbers of documents whose texts are stored.
    pub(crate) fn text_numbers(&self) -> Result<Vec<Number>, Error> {
        let Some(texts) = &self.texts else { return Ok(Vec::new()) };
        numbers("texts", texts, &self.rows.path)
    }

    pub(crate) fn number(&self, name: &str) -> Result<u64, Error> {
        let bytes = self.about(name)?.unwrap_or_default();
        let bytes = <[u8; 8]>::try_from(bytes.as_slice())
            .map_err(|_| Error::damaged(&self.rows.path, format!("{name} cannot be read")))?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub(crate) fn segments(&self) -> Result<Vec<u64>, Error> {
        numbers("segments", &self.segments, &self.rows.path)
    }

    pub(crate) fn promoted(&self) -> Result<Vec<Number>, Error> {
        numbers("promoted", &self.promoted, &self.rows.path)
    }

    pub(crate) fn dead(&self) -> Result<Vec<Number>, Error> {
        numbers("dead", &self.dead, &self.rows.path)
    }

    pub(crate) fn dead_count(&self) -> Result<u64, Error> {
        guard(&self.rows.path, || self.dead.len().map_err(failed(&self.rows.path)))
    }

    /// Documents stored.
    pub(crate) fn len(&self) -> Result<u64, Error> {
        guard(&self.rows.path, || self.rows.states.len().map_err(failed(&self.rows.path)))
    }

    /// Members among them.
    pub(crate) fn member_count(&self) -> Result<u64, Error> {
        guard(&self.rows.path, || self.rows.members.len().map_err(failed(&self.rows.path)))
    }

    /// States from a number on, in order.
    pub(crate) fn states(
        &self,
        from: Number,
    ) -> Result<impl Iterator<Item = Result<(Number, State), Error>> + '_, Error> {
        let path = &self.rows.path;
        let mut range = guard(path, || self.rows.states.range(from..).map_err(failed(path)))?;
        let read = |entry: Result<_, _>| {
            let (number, bytes): (AccessGuard<'_, u64>, AccessGuard<'_, States>) =
                entry.map_err(failed::<redb::StorageError>(path))?;
            let number = number.value();
            let state =
                State::from_bytes(bytes.value()).map_err(|Damaged| self.rows.damaged("states", number))?;
            Ok((number, state))
        };
        Ok(std::iter::from_fn(move || guard_next(path, || range.next().map(read))))
    }

    /// Rows of documents, evidence and members there are.
    pub(crate) fn row_counts(&self) -> Result<(u64, u64, u64), Error> {
        let path = &self.rows.path;
        let documents = guard(path, || self.rows.documents.len().map_err(failed(path)))?;
        let evidence = guard(path, || self.rows.evidence.len().map_err(failed(path)))?;
        Ok((documents, evidence, self.member_count()?))
    }

    /// Whether a pair of keeper and member is found where it is looked for.
    pub(crate) fn is_member(&self, keeper: Number, member: Number) -> Result<bool, Error> {
        let path = &self.rows.path;
        guard(path, || Ok(self.rows.members.get((keeper, member)).map_err(failed(path))?.is_some()))
    }

    /// All pairs of keeper and member, in order.
    pub(crate) fn all_members(
        &self,
    ) -> Result<impl Iterator<Item = Result<(Number, Number), Error>> + '_, Error> {
        let path = &self.rows.path;
        let mut range = guard(path, || self.rows.members.iter().map_err(failed(path)))?;
        let mut next = move || Some(range.next()?.map(|entry| entry.0.value()).map_err(failed(path)));
        Ok(std::iter::from_fn(move || guard_next(path, &mut next)))
    }
}

/// The numbers of a table, each greater than the one before: out of order, a number is listed but not found when it is
/// asked for.
fn numbers<V: redb::Value>(
    name: &str,
    table: &ReadOnlyTable<u64, V>,
    path: &Path,
) -> Result<Vec<u64>, Error> {
    let listed: Vec<u64> = guard(path, || {
        let range = table.iter().map_err(failed(path))?;
        range.map(|entry| Ok(entry.map_err(failed(path))?.0.value())).collect()
    })?;
    match listed.is_sorted_by(|before, after| before < after) {
        true => Ok(listed),
        false => Err(Error::damaged(path, format!("{name} are not in order"))),
    }
}

/// A transaction that writes.
pub(crate) struct Writing<'t> {
    pub(crate) rows: WriteRows<'t>,
    promoted: Table<'t, u64, ()>,
    dead: Table<'t, u64, ()>,
    segments: Table<'t, u64, ()>,
    about: Table<'t, &'static str, Bytes>,
    texts: Table<'t, u64, Bytes>,
}

impl<'t> Writing<'t> {
    fn open(txn: &'t WriteTransaction, path: &Path) -> Result<Self, Error> {
        let dead = txn.open_table(DEAD).map_err(failed(path))?;
        Ok(Writing {
            rows: open_rows!(txn, path, dead),
            promoted: txn.open_table(PROMOTED).map_err(failed(path))?,
            dead,
            segments: txn.open_table(SEGMENTS).map_err(failed(path))?,
            about: txn.open_table(ABOUT).map_err(failed(path))?,
            texts: txn.open_table(TEXTS).map_err(failed(path))?,
        })
    }

    /// Puts in what is known of a document, its row and evidence as bytes.
    pub(crate) fn insert(
        &mut self,
        number: Number,
        state: State,
        document: &[u8],
        evidence: &[u8],
    ) -> Result<(), Error> {
        self.set_state(number, state)?;
        let path = &self.rows.path;
        guard(path, || {
            self.rows.documents.insert(number, document).map_err(failed(path))?;
            self.rows.evidence.insert(number, evidence).map_err(failed(path))?;
            Ok(())
        })
    }

    /// Stores the text of a document.
    pub(crate) fn put_text(&mut self, number: Number, text: &[u8]) -> Result<(), Error> {
        let path = &self.rows.path;
        guard(path, || self.texts.insert(number, text).map(drop).map_err(failed(path)))
    }

    /// Sets what may change of a document, and its place among members.
    pub(crate) fn set_state(&mut self, number: Number, state: State) -> Result<(), Error> {
        let path = &self.rows.path;
        let bytes = state.to_bytes();
        let keeper = |state: Option<State>| state.and_then(|state| state.member_of).map(|(keeper, _)| keeper);
        guard(path, || {
            let before = self.rows.states.insert(number, &bytes).map_err(failed(path))?;
            let before = before.and_then(|bytes| State::from_bytes(bytes.value()).ok());
            let (old, new) = (keeper(before), keeper(Some(state)));
            if old != new {
                if let Some(old) = old {
                    self.rows.members.remove((old, number)).map_err(failed(path))?;
                }
                if let Some(new) = new {
                    self.rows.members.insert((new, number), ()).map_err(failed(path))?;
                }
            }
            Ok(())
        })
    }

    /// Removes a document, but not its members.
    pub(crate) fn remove(&mut self, number: Number) -> Result<(), Error> {
        let path = &self.rows.path;
        guard(path, || {
            let state = self.rows.states.remove(number).map_err(failed(path))?;
            let state = state.and_then(|bytes| State::from_bytes(bytes.value()).ok());
            if let Some((keeper, _)) = state.and_then(|state| state.member_of) {
                self.rows.members.remove((keeper, number)).map_err(failed(path))?;
            }
            self.rows.documents.remove(number).map_err(failed(path))?;
            self.rows.evidence.remove(number).map_err(failed(path))?;
            self.texts.remove(number).map_err(failed(path))?;
            self.promoted.remove(number).map_err(failed(path))?;
            self.dead.insert(number, ()).map_err(failed(path))?;
            self.rows.clean = false;
            Ok(())
        })
    }

    pub(crate) fn promote(&mut self, number: Number) -> Result<(), Error> {
        let path = &self.rows.path;
        guard(path, || self.promoted.insert(number, ()).map(drop).map_err(failed(path)))
    }

    pub(crate) fn set_about(&mut self, name: &'static str, bytes: &[u8]) -> Result<(), Error> {
        let path = &self.rows.path;
        guard(path, || self.about.insert(name, bytes).map(drop).map_err(failed(path)))
    }

    pub(crate) fn set_number(&mut self, name: &'static str, number: u64) -> Result<(), Error> {
        self.set_about(name, &number.to_le_bytes())
    }

    /// Says which segments count; `promoted` and `dead` may be told that they are in them.
    pub(crate) fn set_segments(&mut self, gone: &[u64], new: u64) -> Result<(), Error> {
        let path = &self.rows.path;
        guard(path, || {
            for segment in gone {
                self.segments.remove(segment).map_err(failed(path))?;
            }
            self.segments.insert(new, ()).map(drop).map_err(failed(path))
        })
    }

    pub(crate) fn clear_promoted(&mut self) -> Result<(), Error> {
        let path = &self.rows.path;
        guard(path, || self.promoted.retain(|_, ()| false).map_err(failed(path)))
    }

    /// Forgets those dead that were known to a merge of all segments.
    pub(crate) fn clear_dead(&mut self, known: &[Number]) -> Result<(), Error> {
        let path = &self.rows.path;
        let mut remove = |number| self.dead.remove(number).map(drop).map_err(failed(path));
        guard(path, || known.iter().try_for_each(&mut remove))
    }
}
