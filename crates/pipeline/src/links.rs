//! WARC records tied to documents that go: requests and metadata follow their response, revisits of it are turned
//! to its keeper.

use crate::error::Error;
use crate::piece::LinkEntry;
use crate::table::DocId;
use crate::verdicts::Fate;
use crate::write::Run;
use onefold_formats::source::Format;
use std::collections::{HashMap, HashSet};
use xxhash_rust::xxh3::xxh3_128;

/// What happens to a tied record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkFate {
    Stays,
    Goes,
    /// A revisit of this removed document.
    Turns(DocId),
}

/// Names of removed WARC documents, as digests.
#[derive(Default)]
pub(crate) struct Links {
    removed: HashMap<u128, DocId>,
    /// Records that a removed document names as concurrent.
    concurrent: HashSet<u128>,
}

fn target_digest(url: &str, date: &str) -> u128 {
    xxh3_128(format!("{url}\0{date}").as_bytes())
}

impl Links {
    /// Collects the names, if any record is tied to another at all.
    pub(crate) fn collect(run: &Run<'_>) -> Result<Self, Error> {
        let mut links = Links::default();
        let pieces = run.table.pieces();
        if pieces.iter().all(|piece| piece.file.meta.links.is_empty()) {
            return Ok(links);
        }
        for piece in pieces {
            if run.context.sources[piece.source].format != Format::Warc {
                continue;
            }
            let is_removed = |document: DocId| !matches!(run.fate(document), Fate::Kept);
            for document in piece.first..piece.first + piece.file.documents {
                if is_removed(document) {
                    let names = run.table.names(document)?;
                    if let Some(id) = &names.record_id {
                        links.removed.insert(xxh3_128(id.as_bytes()), document);
                    }
                    if let (Some(url), Some(date)) = (&names.url, &names.date) {
                        links.removed.insert(target_digest(url, date), document);
                    }
                }
            }
            for link in &piece.file.meta.links {
                if link.document.is_some_and(|number| is_removed(piece.first + number)) {
                    links.concurrent.extend(link.to.iter().map(|id| xxh3_128(id.as_bytes())));
                }
            }
        }
        Ok(links)
    }

    /// What happens to a record that is no document.
    pub(crate) fn fate(&self, link: &LinkEntry) -> LinkFate {
        let named = || link.to.iter().find_map(|id| self.removed.get(&xxh3_128(id.as_bytes())));
        if link.revisit {
            let by_target =
                || link.target.as_ref().and_then(|(url, date)| self.removed.get(&target_digest(url, date)));
            return named().or_else(by_target).map_or(LinkFate::Stays, |&document| LinkFate::Turns(document));
        }
        let own =
            link.record_id.as_ref().is_some_and(|id| self.concurrent.contains(&xxh3_128(id.as_bytes())));
        if own || named().is_some() { LinkFate::Goes } else { LinkFate::Stays }
    }
}
