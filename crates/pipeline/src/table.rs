//! All documents of a run, by number: the order of the input.

use crate::error::Error;
use crate::hold::HeldShingles;
use crate::piece::{Handles, Names, Notes, PieceFile, Row};
use crate::record::Layout;
use crate::urls::UrlMarks;
use onefold_formats::source::Source;
use onefold_run::{DocumentRef, KeepRule, Rank};
use std::borrow::Cow;

/// Bytes of ids that are held at once to be sorted.
const LOADED_IDS: usize = 8 << 20;
/// Bytes by which they are sorted where there are more.
const PREFIX: usize = 32;

/// A document's number: its place in the order of the input.
pub(crate) type DocId = u32;

/// What memory each document takes while a run is decided, for estimates: the columns below, the representative,
/// the component and what sorting digests takes.
pub(crate) const BYTES_A_DOCUMENT: u64 = 72;

/// The documents of all sources.
pub(crate) struct Table<'s> {
    pub(crate) sources: &'s [Source],
    pub(crate) digest: Vec<u128>,
    offset: Vec<u64>,
    length: Vec<u32>,
    /// Empty under the rule `first`.
    rank: Vec<u64>,
    /// What decides between equal ranks, under a rule that goes by numbers of a field.
    fine_rank: Vec<u16>,
    empty: Vec<bool>,
    /// Of each document, where documents have one.
    pub(crate) fingerprints: Vec<u128>,
    /// Number of distinct shingles of each document, where it is recorded.
    pub(crate) set_len: Vec<u32>,
    layout: Layout,
    pieces: Vec<TablePiece>,
    /// Number of the first piece of each source, and of the first behind the last.
    pieces_from: Vec<usize>,
    pub(crate) handles: Handles,
    rule: KeepRule,
    shingles: HeldShingles,
}

/// A piece with its place in the table.
pub(crate) struct TablePiece {
    pub(crate) file: PieceFile,
    pub(crate) source: usize,
    pub(crate) first: DocId,
}

impl<'s> Table<'s> {
    pub(crate) fn new(
        sources: &'s [Source],
        rule: &KeepRule,
        layout: Layout,
        shingles: HeldShingles,
    ) -> Self {
        Table {
            sources,
            digest: Vec::new(),
            offset: Vec::new(),
            length: Vec::new(),
            rank: Vec::new(),
            fine_rank: Vec::new(),
            empty: Vec::new(),
            fingerprints: Vec::new(),
            set_len: Vec::new(),
            layout,
            pieces: Vec::new(),
            pieces_from: vec![0; sources.len() + 1],
            handles: Handles::default(),
            rule: rule.clone(),
            shingles,
        }
    }

    /// Adds the next piece of a source; pieces come in order, and every source has one.
    pub(crate) fn add(&mut self, source: usize, file: PieceFile, rows: &[Row]) -> Result<(), Error> {
        const LIMIT: usize = u32::MAX as usize - 1;
        if self.len() + rows.len() > LIMIT {
            return Err(Error::TooManyDocuments { limit: LIMIT as u64 });
        }
        let first = self.len() as DocId;
        for row in rows {
            self.digest.push(row.digest);
            self.offset.push(row.offset);
            self.length.push(row.length);
            self.empty.push(row.empty);
            if self.rule != KeepRule::First {
                self.rank.push(row.rank.coarse);
            }
            if matches!(self.rule, KeepRule::Field(_)) {
                self.fine_rank.push(row.rank.fine);
            }
        }
        let layout = self.layout;
        if (layout.has_fingerprint() || layout.has_set()) && !rows.is_empty() {
            for record in file.records(&self.handles)?.chunks_exact(layout.bytes()) {
                if layout.has_fingerprint() {
                    self.fingerprints.push(layout.fingerprint(record));
                }
                if layout.has_set() {
                    self.set_len.push(layout.set_len(record));
                }
            }
        }
        self.pieces.push(TablePiece { file, source, first });
        self.pieces_from[source + 1] = self.pieces.len();
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.digest.len()
    }

    pub(crate) fn pieces(&self) -> &[TablePiece] {
        &self.pieces
    }

    /// The notes of a piece.
    pub(crate) fn notes<'p>(&self, piece: &'p TablePiece) -> Result<Cow<'p, Notes>, Error> {
        piece.file.notes(&self.handles)
    }

    /// The pieces of a source with the documents in each.
    pub(crate) fn pieces_of(&self, source: usize) -> &[TablePiece] {
        &self.pieces[self.pieces_from[source]..self.pieces_from[source + 1]]
    }

    /// The documents of a source.
    pub(crate) fn documents_of(&self, source: usize) -> std::ops::Range<DocId> {
        match self.pieces_of(source) {
            [] => 0..0,
            [first, .., last] => first.first..last.first + last.file.documents,
            [only] => only.first..only.first + only.file.documents,
        }
    }

    fn piece(&self, document: DocId) -> &TablePiece {
        let after = self.pieces.partition_point(|piece| piece.first <= document);
        // Pieces without documents share their first number with the one behind them.
        &self.pieces[after - 1]
    }

    pub(crate) fn source_of(&self, document: DocId) -> usize {
        self.piece(document).source
    }

    /// Offset and length.
    pub(crate) fn address(&self, document: DocId) -> (u64, u64) {
        (self.offset[document as usize], self.length[document as usize].into())
    }

    pub(crate) fn is_empty(&self, document: DocId) -> bool {
        self.empty[document as usize]
    }

    pub(crate) fn names(&self, document: DocId) -> Result<Names, Error> {
        let piece = self.piece(document);
        piece.file.names(document - piece.first, &self.handles)
    }

    /// The shingles of a document with repeats, if they are held since it or one of its copies was read.
    pub(crate) fn held_shingles(&self, document: DocId) -> Option<&[u64]> {
        self.shingles.get(self.digest[document as usize])
    }

    /// The number of a document's shingles, if it was counted when a copy was read.
    pub(crate) fn held_count(&self, document: DocId) -> Option<u32> {
        self.shingles.count(self.digest[document as usize])
    }

    /// The record of a document's sketches.
    pub(crate) fn record(&self, document: DocId) -> Result<Vec<u8>, Error> {
        let (piece, mut bytes) = (self.piece(document), Vec::new());
        piece.file.record(document - piece.first, &self.handles, &mut bytes)?;
        Ok(bytes)
    }

    /// Hands over what is kept of the URLs of each document, with the group it is compared within, if there are groups.
    pub(crate) fn each_url(&self, mut take: impl FnMut(DocId, &UrlMarks, Option<u64>)) -> Result<(), Error> {
        let layout = self.layout;
        if !layout.has_urls() {
            return Ok(());
        }
        for piece in self.pieces.iter().filter(|piece| piece.file.documents > 0) {
            let records = piece.file.records(&self.handles)?;
            for (record, document) in records.chunks_exact(layout.bytes()).zip(piece.first..) {
                let group = layout.has_group().then(|| layout.group(record));
                take(document, &layout.urls(record), group);
            }
        }
        Ok(())
    }

    pub(crate) fn document_ref(&self, document: DocId) -> Result<DocumentRef, Error> {
        let names = self.names(document)?;
        let source = self.sources[self.source_of(document)].name.clone();
        Ok(DocumentRef { id: names.id, url: names.url, source, offset: self.address(document).0 })
    }

    /// Whether there are documents, and none has what the rule of the run ranks by.
    pub(crate) fn all_rank_last(&self) -> bool {
        !self.rank.is_empty() && self.rank.iter().all(|&rank| rank == onefold_run::LAST_RANK)
    }

    /// Orders documents best first: the keep rule, then id, digest, source and offset. `first` is source and
    /// offset alone.
    pub(crate) fn sort_by_rank(&self, documents: &mut [DocId]) -> Result<(), Error> {
        if self.rule == KeepRule::First {
            documents.sort_unstable();
            return Ok(());
        }
        documents.sort_unstable_by_key(|&document| (self.rank_of(document), document));
        // Ids are read only where the rule does not decide.
        let mut rest = documents;
        while let Some(&first) = rest.first() {
            let rank = self.rank_of(first);
            let equal = rest.partition_point(|&document| self.rank_of(document) <= rank);
            let (tied, behind) = std::mem::take(&mut rest).split_at_mut(equal);
            if tied.len() > 1 {
                self.sort_tied(tied)?;
            }
            rest = behind;
        }
        Ok(())
    }

    fn rank_of(&self, document: DocId) -> Rank {
        let fine = self.fine_rank.get(document as usize).copied().unwrap_or_default();
        Rank { coarse: self.rank[document as usize], fine }
    }

    /// Sorts documents by id, digest and place.
    fn sort_tied(&self, tied: &mut [DocId]) -> Result<(), Error> {
        let (mut ids, mut bytes) = (Vec::new(), 0);
        for &document in tied.iter() {
            let id = self.names(document)?.id;
            bytes += id.len() + size_of::<(String, DocId)>();
            if bytes > LOADED_IDS {
                drop(ids);
                return self.sort_by_prefix(tied);
            }
            ids.push((id, document));
        }
        ids.sort_unstable_by(|(id, document), (other_id, other)| {
            let digests = || self.digest[*document as usize].cmp(&self.digest[*other as usize]);
            id.cmp(other_id).then_with(digests).then(document.cmp(other))
        });
        tied.iter_mut().zip(ids).for_each(|(place, (_, document))| *place = document);
        Ok(())
    }

    /// The same for ids that are not to be held all at once: by some bytes behind what all have in common, then those
    /// that are alike so far.
    fn sort_by_prefix(&self, tied: &mut [DocId]) -> Result<(), Error> {
        let first = self.names(tied[0])?.id;
        let mut common = first.len();
        for &document in tied.iter() {
            let id = self.names(document)?.id;
            common = first.bytes().zip(id.bytes()).take(common).take_while(|(a, b)| a == b).count();
        }
        // Padded with zeroes, and told from an id that has those by its length.
        let mut keys: Vec<([u8; PREFIX], u8, DocId)> = Vec::with_capacity(tied.len());
        for &document in tied.iter() {
            let id = self.names(document)?.id;
            let rest = &id.as_bytes()[common.min(id.len())..];
            let (mut prefix, len) = ([0; PREFIX], rest.len().min(PREFIX));
            prefix[..len].copy_from_slice(&rest[..len]);
            keys.push((prefix, len as u8, document));
        }
        keys.sort_unstable();
        tied.iter_mut().zip(&keys).for_each(|(place, &(_, _, document))| *place = document);
        let mut rest = tied;
        for alike in keys.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (run, behind) = rest.split_at_mut(alike.len());
            match usize::from(alike[0].1) {
                _ if run.len() == 1 => {}
                PREFIX => self.sort_tied(run)?,
                // The ids end here, and are equal.
                _ => run.sort_unstable_by_key(|&document| (self.digest[document as usize], document)),
            }
            rest = behind;
        }
        Ok(())
    }
}
