//! Which documents have equal texts.

use crate::exact::Representatives;
use crate::table::{DocId, Table};

/// The copies of each representative that has some.
pub(super) struct Copies {
    /// In order of representatives, then of documents.
    documents: Vec<DocId>,
    /// Representatives, in order, and where their documents end.
    ends: Vec<(DocId, u32)>,
}

impl Copies {
    pub(super) fn find(table: &Table<'_>, representatives: &Representatives) -> Self {
        let with_copies = &representatives.with_copies;
        let place = |document| with_copies.binary_search(&representatives.of(document)).ok();
        let mut ends: Vec<(DocId, u32)> = with_copies.iter().map(|&document| (document, 0)).collect();
        let all = || (0..table.len() as DocId).filter_map(|document| Some((document, place(document)?)));
        all().for_each(|(_, place)| ends[place].1 += 1);
        let mut sum = 0;
        for (_, end) in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        // What is the beginning of each list now is its end once the list is filled.
        let mut documents = vec![0; sum as usize];
        for (document, place) in all() {
            documents[ends[place].1 as usize] = document;
            ends[place].1 += 1;
        }
        Copies { documents, ends }
    }

    fn at(&self, place: usize) -> &[DocId] {
        let start = if place == 0 { 0 } else { self.ends[place - 1].1 };
        &self.documents[start as usize..self.ends[place].1 as usize]
    }

    /// The documents of one text, itself included, if it has copies.
    pub(super) fn of(&self, representative: DocId) -> Option<&[DocId]> {
        let place = self.ends.binary_search_by_key(&representative, |entry| entry.0).ok()?;
        Some(self.at(place))
    }

    /// The documents of each text that has copies, in order.
    pub(super) fn each(&self) -> impl Iterator<Item = &[DocId]> {
        (0..self.ends.len()).map(|place| self.at(place))
    }
}
