//! Taking documents out: remove and expire.
//!
//! A keeper that goes leaves its members: the first of them takes its place, the others are decided anew.

use crate::decide::Wanted;
use crate::error::Error;
use crate::index::Index;
use crate::row::{Damaged, Document, Evidence, Number, State};
use crate::store::Lookup;
use crate::write::Change;
use std::sync::PoisonError;

/// Documents taken out by one transaction.
const CHUNK: usize = 10_000;

impl Index {
    /// Removes all documents of an id; tells how many there were. The first member of a keeper takes its place, the
    /// others are decided anew.
    pub fn remove(&self, id: &str) -> Result<u64, Error> {
        self.change(|change| {
            let gone = change.numbers_of(id)?;
            change.remove(&gone, &gone)?;
            Ok(gone.len() as u64)
        })
    }

    /// Removes all documents last seen before a time; tells how many there were. They go in transactions of bounded
    /// size: after a crash some are gone, and the next call takes the others.
    pub fn expire(&self, before: u64) -> Result<u64, Error> {
        let mut old = Vec::new();
        let snapshot = self.inner.snapshot();
        for entry in snapshot.view.states(0)? {
            let (number, state) = entry?;
            if state.last_seen < before {
                old.push(number);
            }
        }
        drop(snapshot);
        let mut removed = 0;
        for chunk in old.chunks(CHUNK) {
            removed += self.change(|change| {
                // Others may have seen a document again, or removed it, since it was found to be old.
                let mut still = Vec::with_capacity(chunk.len());
                for &number in chunk {
                    let state = change.writing.rows.state(number)?;
                    if state.is_some_and(|state| state.last_seen < before) {
                        still.push(number);
                    }
                }
                change.remove(&still, &old)?;
                Ok(still.len() as u64)
            })?;
        }
        self.tidy()?;
        Ok(removed)
    }
}

impl Change<'_, '_> {
    /// Removes documents, given in order. Nobody joins a keeper that is among `doomed`, also in order.
    fn remove(&mut self, gone: &[Number], doomed: &[Number]) -> Result<(), Error> {
        let mut orphans = Vec::new();
        for &number in gone {
            let mut left = self.writing.rows.members(number)?;
            left.retain(|member| doomed.binary_search(member).is_err());
            orphans.push(left);
        }
        for &number in gone {
            self.writing.remove(number)?;
        }
        for members in orphans {
            for (place, member) in members.into_iter().enumerate() {
                self.decide_anew(member, place == 0, doomed)?;
            }
        }
        Ok(())
    }

    /// Makes an orphan a keeper, or finds it another.
    fn decide_anew(&mut self, number: Number, promote: bool, doomed: &[Number]) -> Result<(), Error> {
        let rows = Without { rows: &self.writing.rows, doomed };
        let (Some(state), Some(document)) = (rows.state(number)?, rows.document(number)?) else {
            return Ok(());
        };
        let evidence = rows.evidence(number, Evidence::from_bytes)?.unwrap_or_default();
        let decider = &self.inner.decider;
        let found = match promote {
            true => None,
            false => {
                decider.matches(self.keys, &rows, (&document, &evidence), Wanted::First)?.into_iter().next()
            }
        };
        self.writing.set_state(number, State { member_of: found, ..state })?;
        if found.is_none() {
            self.writing.promote(number)?;
            let mut head = self.keys.head.write().unwrap_or_else(PoisonError::into_inner);
            decider.add_keys(&mut head, number, &document);
            self.waiting += 1;
        }
        Ok(())
    }
}

/// Rows as they will be without some documents.
struct Without<'a, R> {
    rows: &'a R,
    doomed: &'a [Number],
}

impl<R: Lookup> Lookup for Without<'_, R> {
    fn state(&self, number: Number) -> Result<Option<State>, Error> {
        if self.doomed.binary_search(&number).is_ok() { Ok(None) } else { self.rows.state(number) }
    }

    fn document(&self, number: Number) -> Result<Option<Document>, Error> {
        self.rows.document(number)
    }

    fn evidence<T>(
        &self,
        number: Number,
        read: impl FnOnce(&[u8]) -> Result<T, Damaged>,
    ) -> Result<Option<T>, Error> {
        self.rows.evidence(number, read)
    }

    fn members(&self, keeper: Number) -> Result<Vec<Number>, Error> {
        self.rows.members(keeper)
    }

    fn is_clean(&self) -> bool {
        false
    }
}
