//! Changing an index: add, touch, remove, expire. Each is one transaction.

use crate::decide::{Keys, Wanted, id_key};
use crate::error::Error;
use crate::index::{Durability, Index, Inner, Writer, describe, lock, numbers_of};
use crate::row::{Document, Evidence, Number, State, Tie};
use crate::segment::Kind;
use crate::sketch::{Answer, Match, Sketch, Verdict};
use crate::store::{Lookup, Writing};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

/// A document on its way in.
pub(crate) struct Arrival {
    pub(crate) document: Document,
    pub(crate) evidence: Evidence,
    /// As it is stored.
    pub(crate) text: Option<Vec<u8>>,
    pub(crate) first_seen: u64,
    pub(crate) last_seen: u64,
}

impl Index {
    /// Checks and adds a document in one step: of two equal pages that come at once, one is new.
    pub fn add(&self, sketch: &Sketch) -> Result<Answer, Error> {
        let mut answers = self.add_batch(std::slice::from_ref(sketch))?;
        Ok(answers.pop().expect("an answer for each document because one was added"))
    }

    /// Adds documents in their order, each seen by those behind it, and acknowledges all with one commit.
    pub fn add_batch(&self, sketches: &[Sketch]) -> Result<Vec<Answer>, Error> {
        let arrivals = sketches.iter().map(|sketch| {
            let (document, evidence) = sketch.rows(self.settings())?;
            Ok(Arrival { document, evidence, text: None, first_seen: sketch.seen, last_seen: sketch.seen })
        });
        self.add_arrivals(&arrivals.collect::<Result<Vec<_>, Error>>()?)
    }

    pub(crate) fn add_arrivals(&self, arrivals: &[Arrival]) -> Result<Vec<Answer>, Error> {
        if arrivals.is_empty() {
            return Ok(Vec::new());
        }
        self.change(|change| arrivals.iter().map(|arrival| change.add(arrival)).collect())
    }

    /// Notes that the documents of an id were seen again; tells how many there are.
    pub fn touch(&self, id: &str, seen: u64) -> Result<u64, Error> {
        self.change(|change| {
            let numbers = change.numbers_of(id)?;
            numbers.iter().try_for_each(|&number| change.touch(number, seen))?;
            Ok(numbers.len() as u64)
        })
    }

    /// Removes all documents of an id; tells how many there were. The first member of a keeper takes its place, the
    /// others are decided anew.
    pub fn remove(&self, id: &str) -> Result<u64, Error> {
        self.change(|change| {
            let numbers = change.numbers_of(id)?;
            change.remove(numbers.into_iter().collect())
        })
    }

    /// Removes all documents last seen before a time; tells how many there were.
    pub fn expire(&self, before: u64) -> Result<u64, Error> {
        let removed = self.change(|change| {
            let snapshot = change.inner.snapshot();
            let mut old = BTreeSet::new();
            for entry in snapshot.view.states(0)? {
                let (number, state) = entry?;
                if state.last_seen < before {
                    old.insert(number);
                }
            }
            change.remove(old)
        })?;
        self.tidy()?;
        Ok(removed)
    }

    /// Makes deferred adds durable.
    pub fn sync(&self) -> Result<(), Error> {
        self.inner.sync(&mut lock(&self.inner.writer))
    }

    /// Runs a change in a transaction, shows readers the result, and writes a segment if the head is full.
    fn change<R>(&self, work: impl FnOnce(&mut Change<'_, '_>) -> Result<R, Error>) -> Result<R, Error> {
        let inner = &self.inner;
        let mut writer = lock(&inner.writer);
        if writer.broken {
            inner.recover(&mut writer)?;
        }
        let done = transact(inner, &mut writer, work);
        let result = match done {
            Ok(result) => result,
            Err(error) => {
                // If the store cannot be opened now, the next change tries again.
                let _ = inner.recover(&mut writer);
                return Err(error);
            }
        };
        if writer.waiting >= inner.decider.settings.head_documents {
            // The change is committed, so it is acknowledged whatever becomes of the segment.
            inner.settle(&mut writer);
            drop(writer);
            self.merge_if_due();
        }
        Ok(result)
    }
}

fn transact<R>(
    inner: &Inner,
    writer: &mut Writer,
    work: impl FnOnce(&mut Change<'_, '_>) -> Result<R, Error>,
) -> Result<R, Error> {
    let durable = inner.options.durability == Durability::Commit;
    let keys = inner.snapshot().keys.clone();
    let (first, waiting) = (writer.next, writer.waiting);
    let (result, next, waiting) = writer.store.write(durable, |writing| {
        let mut change = Change { inner, writing, keys: &keys, next: first, waiting };
        let result = work(&mut change)?;
        let (next, waiting) = (change.next, change.waiting);
        writing.set_number("next", next)?;
        Ok((result, next, waiting))
    })?;
    (writer.next, writer.waiting) = (next, waiting);
    writer.unsynced |= !durable;
    inner.publish(writer, keys)?;
    Ok(result)
}

/// A change under way.
pub(crate) struct Change<'c, 't> {
    inner: &'c Inner,
    writing: &'c mut Writing<'t>,
    keys: &'c Keys,
    next: Number,
    waiting: usize,
}

impl Change<'_, '_> {
    fn numbers_of(&self, id: &str) -> Result<Vec<Number>, Error> {
        Ok(numbers_of(self.keys, &self.writing.rows, id)?.into_iter().map(|(number, _)| number).collect())
    }

    fn add(&mut self, arrival: &Arrival) -> Result<Answer, Error> {
        let Arrival { document, evidence, text, first_seen, last_seen } = arrival;
        let known = numbers_of(self.keys, &self.writing.rows, &document.id)?;
        if let Some((number, _)) = known.into_iter().find(|(_, other)| other.digest == document.digest) {
            self.touch(number, *last_seen)?;
            return self.known(number, document);
        }
        let number = self.next;
        self.next += 1;
        let found = self.first_match(document, evidence)?;
        let state = State { first_seen: *first_seen, last_seen: *last_seen, member_of: found };
        self.writing.insert(number, state, document, evidence)?;
        if let Some(text) = text {
            self.writing.put_text(number, text)?;
        }
        let mut head = self.keys.head.write().unwrap_or_else(PoisonError::into_inner);
        head.add(Kind::IDS, 0, (id_key(&document.id), number));
        if found.is_none() {
            self.inner.decider.add_keys(&mut head, number, document);
        }
        self.waiting += 1;
        drop(head);
        self.answer(document, found, false)
    }

    /// The answer for a document that is here: what was found when it came.
    fn known(&self, number: Number, document: &Document) -> Result<Answer, Error> {
        let state = self.writing.rows.state(number)?;
        match state.and_then(|state| state.member_of) {
            None if document.empty => self.answer(document, None, true),
            None => self.answer(document, Some((number, Tie::Exact)), true),
            member_of => self.answer(document, member_of, true),
        }
    }

    fn answer(
        &self,
        document: &Document,
        found: Option<(Number, Tie)>,
        known: bool,
    ) -> Result<Answer, Error> {
        let matched = found
            .map(|(number, tie)| describe(&self.writing.rows, document.fingerprint, number, tie))
            .transpose()?;
        let verdict = matched.as_ref().map_or(Verdict::New, Match::verdict);
        Ok(Answer { verdict, matched, known })
    }

    fn first_match(&self, document: &Document, evidence: &Evidence) -> Result<Option<(Number, Tie)>, Error> {
        let rows = &self.writing.rows;
        let found = self.inner.decider.matches(self.keys, rows, (document, evidence), Wanted::First)?;
        Ok(found.into_iter().next())
    }

    fn touch(&mut self, number: Number, seen: u64) -> Result<(), Error> {
        if let Some(state) = self.writing.rows.state(number)?
            && state.last_seen < seen
        {
            self.writing.set_state(number, State { last_seen: seen, ..state })?;
        }
        Ok(())
    }

    fn remove(&mut self, gone: BTreeSet<Number>) -> Result<u64, Error> {
        let mut orphans: BTreeMap<Number, Vec<Number>> = BTreeMap::new();
        for &number in &gone {
            let left: Vec<Number> = self
                .writing
                .rows
                .members(number)?
                .into_iter()
                .filter(|member| !gone.contains(member))
                .collect();
            if !left.is_empty() {
                orphans.insert(number, left);
            }
        }
        for &number in &gone {
            self.writing.remove(number)?;
        }
        for members in orphans.into_values() {
            for (place, member) in members.into_iter().enumerate() {
                self.decide_anew(member, place == 0)?;
            }
        }
        Ok(gone.len() as u64)
    }

    /// Makes an orphan a keeper, or finds it another.
    fn decide_anew(&mut self, number: Number, promote: bool) -> Result<(), Error> {
        let rows = &self.writing.rows;
        let (Some(state), Some(document)) = (rows.state(number)?, rows.document(number)?) else {
            return Ok(());
        };
        let evidence = rows.evidence(number, Evidence::from_bytes)?.unwrap_or_default();
        let found = if promote { None } else { self.first_match(&document, &evidence)? };
        self.writing.set_state(number, State { member_of: found, ..state })?;
        if found.is_none() {
            self.writing.promote(number)?;
            let mut head = self.keys.head.write().unwrap_or_else(PoisonError::into_inner);
            self.inner.decider.add_keys(&mut head, number, &document);
            self.waiting += 1;
        }
        Ok(())
    }
}
