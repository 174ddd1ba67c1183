//! Equal texts, collapsed: a hundred thousand copies cost a hundred thousand look-ups.

use crate::error::Error;
use crate::table::{DocId, Table};
use crate::urls::Versions;

/// For each document the one that stands for its text: itself unless a better-ranked one has an equal text.
pub(crate) struct Representatives {
    of: Vec<DocId>,
    /// A bit for each document that is out of the run, up to the last; none unless the run is held against an index.
    gone: Vec<u64>,
    /// Representatives of two and more documents.
    pub(crate) with_copies: Vec<DocId>,
}

impl Representatives {
    /// Every document stands for itself.
    pub(crate) fn none(table: &Table<'_>) -> Self {
        Representatives { of: (0..table.len() as DocId).collect(), gone: Vec::new(), with_copies: Vec::new() }
    }

    /// Older versions of a page that go anyway stand for nothing, their newest for them.
    pub(crate) fn find(table: &Table<'_>, versions: &Versions) -> Result<Self, Error> {
        let is_older =
            |document: DocId| versions.older.binary_search_by_key(&document, |pair| pair.0).is_ok();
        let mut order: Vec<(u64, DocId)> = (0..table.len() as DocId)
            .filter(|&document| !table.is_empty(document) && !is_older(document))
            .map(|document| ((table.digest[document as usize] >> 64) as u64, document))
            .collect();
        order.sort_unstable();
        let mut of: Vec<DocId> = (0..table.len() as DocId).collect();
        let mut with_copies = Vec::new();
        let mut equal = Vec::new();
        for half in order.chunk_by(|a, b| a.0 == b.0).filter(|half| half.len() > 1) {
            // The leading halves agree; documents whose whole digests do are one text.
            let mut documents: Vec<DocId> = half.iter().map(|&(_, document)| document).collect();
            documents.sort_unstable_by_key(|&document| (table.digest[document as usize], document));
            for group in documents.chunk_by(|&a, &b| table.digest[a as usize] == table.digest[b as usize]) {
                if let [_, _, ..] = group {
                    equal.clear();
                    equal.extend_from_slice(group);
                    let best = best(table, &mut equal)?;
                    equal.iter().for_each(|&document| of[document as usize] = best);
                    with_copies.push(best);
                }
            }
        }
        with_copies.sort_unstable();
        versions.older.iter().for_each(|&(older, newest)| of[older as usize] = newest);
        Ok(Representatives { of, gone: Vec::new(), with_copies })
    }

    /// Takes representatives, given in order, out of the run: they meet nobody.
    pub(crate) fn take_out(&mut self, documents: impl Iterator<Item = DocId>) {
        for document in documents {
            let word = document as usize / 64;
            self.gone.resize(self.gone.len().max(word + 1), 0);
            self.gone[word] |= 1 << (document % 64);
        }
        let gone = &self.gone;
        self.with_copies.retain(|&document| !is_gone(gone, document));
    }

    pub(crate) fn of(&self, document: DocId) -> DocId {
        self.of[document as usize]
    }

    /// A representative as a list of itself.
    pub(crate) fn slice(&self, representative: DocId) -> &[DocId] {
        let at = representative as usize;
        &self.of[at..at + 1]
    }

    pub(crate) fn is_one(&self, document: DocId) -> bool {
        self.of(document) == document && !is_gone(&self.gone, document)
    }
}

fn is_gone(gone: &[u64], document: DocId) -> bool {
    gone.get(document as usize / 64).is_some_and(|bits| bits >> (document % 64) & 1 == 1)
}

fn best(table: &Table<'_>, documents: &mut [DocId]) -> Result<DocId, Error> {
    table.sort_by_rank(documents)?;
    Ok(documents[0])
}
