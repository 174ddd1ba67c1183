//! One block of records to what it leaves.

use crate::error::Error;
use crate::groups;
use crate::hold::{Hold, Met, Wanted};
use crate::large::Limits;
use crate::links;
use crate::piece::{BadEntry, Gap, LinkEntry, Piece, Row};
use crate::recipe::Recipe;
use crate::scan::lock;
use crate::sketcher::{Sketcher, Sketches};
use crate::urls::{Marker, canonical_hash, target_hash};
use onefold_formats::BadRecord;
use onefold_formats::block::{Block, Frame, FrameKind};
use onefold_formats::document::{Document, Link, Parsed, Parser};
use onefold_formats::source::{Format, Source};
use onefold_formats::warc::WarcHeader;
use onefold_run::RankInput;
use std::sync::Mutex;

/// Works through blocks for one worker.
pub(super) struct BlockSketcher<'a> {
    recipe: &'a Recipe<'a>,
    sketcher: Sketcher<'a>,
    sketches: Sketches,
    marker: Marker<'a>,
    hold: &'a Hold,
    /// Shingles to be held.
    held: Wanted,
    limits: Limits,
    /// Held while a large document is worked on.
    large: &'a Mutex<()>,
}

impl<'a> BlockSketcher<'a> {
    pub(super) fn new(recipe: &'a Recipe<'a>, hold: &'a Hold, limits: Limits, large: &'a Mutex<()>) -> Self {
        let marker = Marker::new(recipe.plan, recipe.url_rules);
        let (sketcher, sketches) = (Sketcher::new(recipe), Sketches::default());
        BlockSketcher { recipe, sketcher, sketches, marker, hold, held: Wanted::default(), limits, large }
    }

    /// Puts what a block leaves into a piece.
    pub(super) fn work(
        &mut self,
        block: &Block,
        source: &Source,
        parser: &Parser,
        piece: &mut Piece,
    ) -> Result<(), Error> {
        for frame in &block.frames {
            if let FrameKind::Filler { keep } = frame.kind {
                if !keep {
                    piece.notes.gaps.push(Gap { offset: frame.offset, length: frame.length });
                }
                continue;
            }
            match parser.parse(block.bytes_of(frame), &frame.kind) {
                Parsed::Document(document) => {
                    let memory = self.limits.memory(&document, frame.end - frame.start);
                    self.limits.check(memory, document.body.len(), source, frame.offset)?;
                    let large = (memory > self.limits.from).then(|| lock(self.large));
                    self.document((frame, block.bytes_of(frame)), &document, source, piece);
                    if large.is_some() {
                        // The memory it took is not kept for those behind it.
                        self.sketcher = Sketcher::new(self.recipe);
                        self.sketches = Sketches::default();
                    }
                }
                Parsed::Passed(link) => {
                    piece.meta.passed += 1;
                    match link {
                        Some(link) if link.revisit || link.leads_to.is_none() => {
                            piece.notes.links.push(self.link_entry(frame, link));
                        }
                        Some(Link { url: Some(url), leads_to: Some(target), .. }) => {
                            self.redirect(&url, &target, piece);
                        }
                        _ => {}
                    }
                }
                Parsed::Skipped(what) => {
                    piece.meta.passed += 1;
                    *piece.meta.pages.skipped.entry(what.to_owned()).or_default() += 1;
                }
                Parsed::Bad(bad) => lose(frame, block.bytes_of(frame), bad, source, piece),
            }
        }
        self.hold.add(&mut self.held);
        Ok(())
    }

    fn document(
        &mut self,
        (frame, record): (&Frame, &[u8]),
        document: &Document<'_>,
        source: &Source,
        piece: &mut Piece,
    ) {
        let number = piece.documents();
        let (url, date) = (document.url.as_deref(), document.date.as_deref());
        let fallback;
        let id = match document.name() {
            Some(id) => id,
            None => {
                fallback = format!("{}#{}", source.name, frame.row);
                &fallback
            }
        };
        let sketched = match self.recipe.takes(id) {
            true => self.sketcher.sketch(document, &mut self.sketches),
            false => Ok(self.sketcher.skip(&mut self.sketches)),
        };
        let sketched = match sketched {
            Ok(sketched) => sketched,
            Err(bad) => return lose(frame, record, bad, source, piece),
        };
        sketched.notice.count(&mut piece.meta.pages);
        if let Some(needs) = sketched.notice.needs {
            piece.notes.needs.push((number, needs.name().to_owned()));
        }
        if self.recipe.layout.has_urls() {
            if !sketched.empty {
                let marks = self.marker.marks(document, sketched.notice.canonical.as_deref());
                self.recipe.layout.put_urls(&mut self.sketches.record, &marks);
            }
            if let (Some(url), Some(target)) = (url, document.redirect) {
                self.redirect(url, target, piece);
            }
        }
        let length = document.body.len();
        if !sketched.empty {
            self.hold(sketched.digest.0, !self.limits.is_long(length as u64));
        }
        piece.push_sketches(&self.sketches);
        piece.meta.text_bytes += length as u64;
        piece.meta.ungrouped += u64::from(!groups::is_told(&self.recipe.plan.within, document));
        let input =
            RankInput { url, date, score: document.score, normalised_bytes: sketched.normalised_bytes };
        let row = Row {
            digest: sketched.digest.0,
            offset: frame.offset,
            length: frame.length as u32,
            rank: self.recipe.plan.keep.rank(&input),
            empty: sketched.empty,
        };
        // Dates are asked for again only where a WARC record refers to another, or to one of ARC.
        let is_archived = matches!(source.format, Format::Warc | Format::Arc);
        let (record_id, date) = (document.record_id, date.filter(|_| is_archived));
        piece.push(row, [Some(id), url, record_id, date, document.payload_digest]);
        if !document.concurrent_to.is_empty() {
            piece.notes.links.push(LinkEntry {
                offset: frame.offset,
                length: frame.length,
                document: Some(number),
                own: None,
                revisit: false,
                to: document.concurrent_to.iter().map(|id| links::by_id(id)).collect(),
                url: None,
                leads_to: None,
            });
        }
    }

    /// Holds what will be asked for of the document that was sketched last, unless it is large.
    fn hold(&mut self, digest: u128, fits: bool) {
        match self.hold.meets(digest, &self.sketches.keys) {
            Met::Like if fits => {
                self.sketcher.with_last_shingles(|hashes| self.held.push(digest, hashes));
            }
            Met::Copy if fits && self.hold.is_uncounted(digest) => {
                self.sketcher.with_last_shingles(|hashes| self.hold.count(digest, hashes));
            }
            _ => {}
        }
    }

    fn redirect(&self, url: &str, target: &str, piece: &mut Piece) {
        if self.recipe.layout.has_urls() {
            piece.notes.redirects.push((canonical_hash(url), target_hash(url, target)));
        }
    }

    fn link_entry(&self, frame: &Frame, link: Link<'_>) -> LinkEntry {
        let tied = link.revisit && self.recipe.layout.has_urls();
        LinkEntry {
            offset: frame.offset,
            length: frame.length,
            document: None,
            own: link.record_id.map(links::by_id),
            revisit: link.revisit,
            to: links::names_of_tied(&link),
            url: link.url.filter(|_| tied).map(|url| canonical_hash(&url)),
            leads_to: link.leads_to.filter(|_| tied).map(|url| canonical_hash(&url)),
        }
    }
}

/// Notes a bad record, and by its id that it is not there, for what is tied to it.
fn lose(frame: &Frame, record: &[u8], bad: BadRecord, source: &Source, piece: &mut Piece) {
    piece.notes.bad.push(BadEntry { offset: frame.offset, length: frame.length, bad });
    if source.format == Format::Warc
        && let Some(id) = WarcHeader::parse(record).and_then(|header| header.text("WARC-Record-ID"))
    {
        piece.notes.lost.push(links::by_id(id));
    }
}
