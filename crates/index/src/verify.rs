//! Is everything as it should be?
//!
//! Every checksum, every row, every reference from member to keeper, and every key: the keys that rows should have and
//! those in segments and head must be the same. Both are many and in different orders, so their sums of hashes are
//! compared, which needs one pass over each.

use crate::decide::{Keys, digest_key, id_key};
use crate::error::Error;
use crate::finer::{LONG_RUN, long_runs};
use crate::index::{Index, lock};
use crate::overlay;
use crate::row::{Document, Evidence, Number};
use crate::section::Entry;
use crate::segment::Kind;
use crate::store::Lookup;
use onefold_detect::mix;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

/// Problems named at most.
const MOST: usize = 100;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Documents looked at.
    pub documents: u64,
    /// Keys looked at.
    pub keys: u64,
    /// What is wrong; empty if nothing is. The first hundred at most.
    pub problems: Vec<String>,
}

impl Report {
    fn say(&mut self, problem: String) {
        if self.problems.len() < MOST {
            self.problems.push(problem);
        }
    }
}

/// A set of entries, as the sum of their hashes and their count.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Sum(u128, u64);

impl Sum {
    fn add(&mut self, (key, number): Entry) {
        let hash = u128::from(mix::pair(key, number)) << 64 | u128::from(mix::pair(number, !key));
        *self = Sum(self.0.wrapping_add(hash), self.1 + 1);
    }
}

/// Numbers as bits, in pages: a damaged store may hold any number, and takes no more than a page for it.
#[derive(Default)]
struct Bits(BTreeMap<u64, [u64; PAGE_WORDS]>);

const PAGE_WORDS: usize = 64;

impl Bits {
    /// The page of a number, the word there, and its bit.
    fn place(number: Number) -> (u64, usize, u64) {
        let word = number / 64;
        (word / PAGE_WORDS as u64, (word % PAGE_WORDS as u64) as usize, 1 << (number % 64))
    }

    fn set(&mut self, number: Number) {
        let (page, word, bit) = Self::place(number);
        self.0.entry(page).or_insert([0; PAGE_WORDS])[word] |= bit;
    }

    fn has(&self, number: Number) -> bool {
        let (page, word, bit) = Self::place(number);
        self.0.get(&page).is_some_and(|words| words[word] & bit != 0)
    }
}

impl Index {
    /// Reads everything. What is wrong is in the report; an error means that it could not be read to the end.
    pub fn verify(&self) -> Result<Report, Error> {
        let snapshot = self.inner.snapshot();
        let (view, keys) = (&snapshot.view, &snapshot.keys);
        let mut report = Report::default();
        if let Some(fault) = self.store_fault()? {
            report.say(fault);
        }
        for segment in keys.segments.iter() {
            if let Err(error) = segment.verify(&self.inner.folder.segment_path(segment.number)) {
                report.say(error.to_string());
            }
        }
        self.verify_finer(keys, &mut report)?;
        let (mut there, mut keepers) = (Bits::default(), Bits::default());
        for entry in view.states(0)? {
            let (number, state) = entry?;
            there.set(number);
            if state.member_of.is_none() {
                keepers.set(number);
            }
        }
        let mut expected: BTreeMap<Kind, Sum> = BTreeMap::new();
        let next = view.number("next")?;
        let mut members = 0;
        for entry in view.states(0)? {
            let (number, state) = entry?;
            report.documents += 1;
            // A tree whose keys are out of order lists rows that it does not find.
            if view.rows.state(number)? != Some(state) {
                report.say(format!("document {number} is listed, but not found"));
            }
            if number >= next {
                report.say(format!("document {number} has a number that is not given out yet"));
            }
            if let Some((keeper, _)) = state.member_of {
                members += 1;
                if !keepers.has(keeper) {
                    report.say(format!("document {number} is a member of {keeper}, which is no keeper"));
                }
                if !view.is_member(keeper, number)? {
                    report.say(format!("document {number} is not found among the members of {keeper}"));
                }
            }
            match view.rows.document(number) {
                Ok(Some(document)) => {
                    for (kind, key) in self.keys_of(&document, state.member_of.is_none()) {
                        expected.entry(kind).or_default().add((key, number));
                    }
                }
                Ok(None) => report.say(format!("document {number} has no row")),
                Err(error) => report.say(error.to_string()),
            }
            match view.rows.evidence(number, Evidence::from_bytes) {
                Ok(Some(_)) => {}
                Ok(None) => report.say(format!("document {number} has no evidence")),
                Err(error) => report.say(error.to_string()),
            }
        }
        for number in view.text_numbers()? {
            if !there.has(number) {
                report.say(format!("text {number} belongs to no document"));
                continue;
            }
            match view.text(number, crate::text::unpack) {
                Ok(Some(_)) => {}
                Ok(None) => report.say(format!("text {number} is listed, but not found")),
                Err(error) => report.say(error.to_string()),
            }
        }
        let counts = (report.documents, report.documents, members);
        if view.row_counts()? != counts {
            report.say(format!(
                "rows of documents, evidence and members: expected {counts:?}, found {:?}",
                view.row_counts()?
            ));
        }
        for entry in view.all_members()? {
            let (keeper, member) = entry?;
            let state = view.rows.state(member)?;
            if state.and_then(|state| state.member_of).map(|(keeper, _)| keeper) != Some(keeper) {
                report
                    .say(format!("{member} is listed as a member of {keeper}, but its state says otherwise"));
            }
        }
        for number in view.dead()? {
            if there.has(number) {
                report.say(format!("document {number} is here and listed as removed"));
            }
        }
        let found = found_keys(keys, &there, &keepers, &mut report)?;
        let kinds: BTreeSet<Kind> = expected.keys().chain(found.keys()).copied().collect();
        for kind in kinds {
            let (expected, found) = (
                expected.get(&kind).copied().unwrap_or_default(),
                found.get(&kind).copied().unwrap_or_default(),
            );
            if expected != found {
                report.say(format!(
                    "keys of kind {}: {} are expected and {} there, and they are not the same",
                    kind.0, expected.1, found.1
                ));
            }
        }
        Ok(report)
    }

    /// What is wrong with the pages of the store, while nobody writes to it.
    fn store_fault(&self) -> Result<Option<String>, Error> {
        let _writer = lock(&self.inner.writer);
        overlay::fault(&self.inner.folder)
    }

    /// Finer tables are those that the tables give.
    fn verify_finer(&self, keys: &Keys, report: &mut Report) -> Result<(), Error> {
        let Some(tables) = self.inner.decider.permutations() else { return Ok(()) };
        for segment in keys.segments.iter() {
            let mut expected = Vec::new();
            for table in (0..tables.len()).filter(|&table| !tables.finer(table).is_empty()) {
                let kind = Kind::table(table);
                let each = |take: &mut dyn FnMut(Entry)| segment.each(kind, 0..segment.blocks(kind), take);
                expected.append(&mut long_runs(tables, table, LONG_RUN, each)?);
            }
            for (kind, entries) in &expected {
                let mut found = Vec::new();
                segment.each(*kind, 0..segment.blocks(*kind), |entry| found.push(entry))?;
                if found != *entries {
                    report.say(format!("finer table {} of segment {} is another", kind.0, segment.number));
                }
            }
            let finer = segment.kinds().filter(|kind| kind.is_finer()).count();
            if finer != expected.len() {
                report.say(format!(
                    "segment {} has {finer} finer tables, expected {}",
                    segment.number,
                    expected.len()
                ));
            }
        }
        Ok(())
    }

    /// The keys by which a document is found.
    fn keys_of(&self, document: &Document, keeper: bool) -> BTreeSet<(Kind, u64)> {
        let mut keys = BTreeSet::from([(Kind::IDS, id_key(&document.id))]);
        if keeper && !document.empty {
            keys.insert((Kind::DIGESTS, digest_key(document.digest)));
            keys.extend(document.band_keys.iter().map(|&key| (Kind::BANDS, key)));
            if let (Some(tables), Some(fingerprint)) =
                (self.inner.decider.permutations(), document.fingerprint)
            {
                keys.extend((0..tables.len()).map(|t| (Kind::table(t), tables.permute(t, fingerprint))));
            }
        }
        keys
    }
}

/// Keys in segments and head of documents that are there, and of keepers where only those have keys.
fn found_keys(
    keys: &Keys,
    there: &Bits,
    keepers: &Bits,
    report: &mut Report,
) -> Result<BTreeMap<Kind, Sum>, Error> {
    let mut found: BTreeMap<Kind, Sum> = BTreeMap::new();
    let mut count = |kind: Kind, entry: Entry| {
        report.keys += 1;
        let counts = if kind == Kind::IDS { there } else { keepers };
        if counts.has(entry.1) {
            found.entry(kind).or_default().add(entry);
        }
    };
    for segment in keys.segments.iter() {
        for kind in segment.kinds().filter(|kind| !kind.is_finer()) {
            let Some(mut cursor) = segment.cursor(kind) else { continue };
            while let Some(entry) = cursor.peek()? {
                count(kind, entry);
                cursor.take();
            }
        }
    }
    let head = keys.head.read().unwrap_or_else(PoisonError::into_inner);
    for kind in head.kinds() {
        head.sorted(kind).into_iter().for_each(|entry| count(kind, entry));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn any_number_takes_a_page_at_most() {
        let mut bits = Bits::default();
        let numbers = [0, 63, 64, 4_095, 4_096, u64::MAX];
        numbers.into_iter().for_each(|number| bits.set(number));
        assert!(numbers.into_iter().all(|number| bits.has(number)));
        assert!([1, 62, 65, 4_094, 4_097, u64::MAX - 1].into_iter().all(|number| !bits.has(number)));
        assert_eq!(bits.0.len(), 3);
    }
}
