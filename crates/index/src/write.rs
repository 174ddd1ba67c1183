//! Changing an index: add, touch, and what a transaction is.

use crate::decide::{Keys, Wanted, id_key};
use crate::error::Error;
use crate::index::{Durability, Index, Inner, Writer, describe, lock, numbers_of};
use crate::row::{Document, Evidence, Number, State, Tie};
use crate::segment::Kind;
use crate::settings::Settings;
use crate::sketch::{Answer, Match, Sketch, Verdict};
use crate::store::{Lookup, Writing};
use std::sync::PoisonError;

/// A document on its way in, with its rows as bytes: made before the one writer is asked for.
pub(crate) struct Arrival {
    document: Document,
    evidence: Evidence,
    /// As it is stored.
    text: Option<Vec<u8>>,
    document_bytes: Vec<u8>,
    evidence_bytes: Vec<u8>,
    first_seen: u64,
    last_seen: u64,
}

impl Arrival {
    pub(crate) fn new(document: Document, evidence: Evidence, (first_seen, last_seen): (u64, u64)) -> Self {
        let (mut document_bytes, mut evidence_bytes) = (Vec::new(), Vec::new());
        document.put(&mut document_bytes);
        evidence.put(&mut evidence_bytes);
        Arrival { document, evidence, text: None, document_bytes, evidence_bytes, first_seen, last_seen }
    }

    /// The same with its text, as it is stored.
    pub(crate) fn with_text(self, text: Option<Vec<u8>>) -> Self {
        Arrival { text, ..self }
    }

    pub(crate) fn of(sketch: &Sketch, settings: &Settings) -> Result<Self, Error> {
        let (document, evidence) = sketch.rows(settings)?;
        Ok(Arrival::new(document, evidence, (sketch.seen, sketch.seen)))
    }
}

/// The number a document is to have, the document, and its keeper.
pub(crate) type Placed = (Number, Arrival, Option<(Number, Tie)>);

impl Index {
    /// Checks and adds a document in one step: of two equal pages that come at once, one is new.
    pub fn add(&self, sketch: &Sketch) -> Result<Answer, Error> {
        let mut answers = self.add_batch(std::slice::from_ref(sketch))?;
        Ok(answers.pop().expect("an answer for each document because one was added"))
    }

    /// Adds documents in their order, each seen by those behind it, and acknowledges all with one commit.
    pub fn add_batch(&self, sketches: &[Sketch]) -> Result<Vec<Answer>, Error> {
        let arrivals = sketches.iter().map(|sketch| Arrival::of(sketch, self.settings()));
        self.add_arrivals(&arrivals.collect::<Result<Vec<_>, Error>>()?)
    }

    pub(crate) fn add_arrivals(&self, arrivals: &[Arrival]) -> Result<Vec<Answer>, Error> {
        if arrivals.is_empty() {
            return Ok(Vec::new());
        }
        self.change(|change| arrivals.iter().map(|arrival| change.add(arrival)).collect())
    }

    /// Puts documents in as somebody else has decided.
    pub(crate) fn place(&self, arrivals: &[Placed]) -> Result<(), Error> {
        if arrivals.is_empty() {
            return Ok(());
        }
        self.change(|change| {
            arrivals.iter().try_for_each(|(number, arrival, keeper)| change.place(*number, arrival, *keeper))
        })
    }

    /// Notes that the documents of an id were seen again; tells how many there are.
    pub fn touch(&self, id: &str, seen: u64) -> Result<u64, Error> {
        self.change(|change| {
            let numbers = change.numbers_of(id)?;
            numbers.iter().try_for_each(|&number| change.touch(number, seen))?;
            Ok(numbers.len() as u64)
        })
    }

    /// Makes deferred adds durable.
    pub fn sync(&self) -> Result<(), Error> {
        self.inner.sync(&mut lock(&self.inner.writer))
    }

    /// Runs a change in a transaction, shows readers the result, and writes a segment if the head is full.
    pub(crate) fn change<R>(
        &self,
        work: impl FnOnce(&mut Change<'_, '_>) -> Result<R, Error>,
    ) -> Result<R, Error> {
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
    pub(crate) inner: &'c Inner,
    pub(crate) writing: &'c mut Writing<'t>,
    pub(crate) keys: &'c Keys,
    next: Number,
    pub(crate) waiting: usize,
}

impl Change<'_, '_> {
    pub(crate) fn numbers_of(&self, id: &str) -> Result<Vec<Number>, Error> {
        Ok(numbers_of(self.keys, &self.writing.rows, id)?.into_iter().map(|(number, _)| number).collect())
    }

    fn add(&mut self, arrival: &Arrival) -> Result<Answer, Error> {
        let Arrival { document, evidence, last_seen, .. } = arrival;
        if let Some(number) = self.known_number(document)? {
            self.touch(number, *last_seen)?;
            return self.known(number, document);
        }
        let found = self.first_match(document, evidence)?;
        self.insert(self.next, arrival, found)?;
        self.answer(document, found, false)
    }

    /// Puts a document in that is not here, as a keeper or as a member.
    fn insert(
        &mut self,
        number: Number,
        arrival: &Arrival,
        member_of: Option<(Number, Tie)>,
    ) -> Result<(), Error> {
        let Arrival { document, first_seen, last_seen, .. } = arrival;
        let state = State { first_seen: *first_seen, last_seen: *last_seen, member_of };
        self.writing.insert(number, state, &arrival.document_bytes, &arrival.evidence_bytes)?;
        if let Some(text) = &arrival.text {
            self.writing.put_text(number, text)?;
        }
        let mut head = self.keys.head.write().unwrap_or_else(PoisonError::into_inner);
        head.add(Kind::IDS, 0, (id_key(&document.id), number));
        if member_of.is_none() {
            self.inner.decider.add_keys(&mut head, number, document);
        }
        self.next = self.next.max(number + 1);
        self.waiting += 1;
        Ok(())
    }

    /// Puts a document in as somebody else has decided, unless it is here.
    fn place(
        &mut self,
        number: Number,
        arrival: &Arrival,
        member_of: Option<(Number, Tie)>,
    ) -> Result<(), Error> {
        match self.known_number(&arrival.document)? {
            Some(_) => Ok(()),
            None => self.insert(number, arrival, member_of),
        }
    }

    /// The document with this id and text, if it is here.
    fn known_number(&self, document: &Document) -> Result<Option<Number>, Error> {
        let known = numbers_of(self.keys, &self.writing.rows, &document.id)?;
        Ok(known.into_iter().find(|(_, other)| other.digest == document.digest).map(|(number, _)| number))
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
            .map(|(number, tie)| {
                describe(
                    &self.writing.rows,
                    &self.inner.decider.settings.rule,
                    document.fingerprint,
                    number,
                    tie,
                )
            })
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
}
