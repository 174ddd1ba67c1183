//! WARC records tied to documents that go: requests and metadata follow their response, revisits of it are turned
//! to its keeper.

use crate::error::Error;
use crate::piece::LinkEntry;
use crate::table::DocId;
use crate::verdicts::Fate;
use crate::write::{Run, keeper_of};
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

/// Names of WARC records, as digests.
#[derive(Default)]
pub(crate) struct Links {
    /// Documents that were removed, by record id and by URL and date.
    removed: HashMap<u128, DocId>,
    /// Records that go with them, directly or through others.
    gone: HashSet<u128>,
    /// Kept documents that records with several ties are tied to.
    held: HashSet<u128>,
}

fn digest(id: &str) -> u128 {
    xxh3_128(id.as_bytes())
}

fn target_digest(url: &str, date: &str) -> u128 {
    xxh3_128(format!("{url}\0{date}").as_bytes())
}

impl Links {
    /// Collects the names, if any record is tied to another at all.
    pub(crate) fn collect(run: &Run<'_>) -> Result<Self, Error> {
        let mut links = Links::default();
        let warc = || {
            run.table.pieces().iter().filter(|piece| run.context.sources[piece.source].format == Format::Warc)
        };
        let entries =
            || warc().flat_map(|piece| piece.file.meta.links.iter().map(move |link| (piece.first, link)));
        if entries().next().is_none() {
            return Ok(links);
        }
        let several: HashSet<u128> = entries()
            .filter(|(_, link)| link.to.len() > 1)
            .flat_map(|(_, link)| link.to.iter().map(|id| digest(id)))
            .collect();
        for document in warc().flat_map(|piece| piece.first..piece.first + piece.file.documents) {
            let kept = matches!(run.fate(document), Fate::Kept);
            if kept && several.is_empty() {
                continue;
            }
            let names = run.table.names(document)?;
            let id = names.record_id.as_deref().map(digest);
            if kept {
                links.held.extend(id.filter(|id| several.contains(id)));
                continue;
            }
            links.removed.extend(id.map(|id| (id, document)));
            if let (Some(url), Some(date)) = (&names.url, &names.date) {
                links.removed.insert(target_digest(url, date), document);
            }
        }
        for (first, link) in entries() {
            if link.document.is_some_and(|number| !matches!(run.fate(first + number), Fate::Kept)) {
                links.gone.extend(link.to.iter().map(|id| digest(id)));
            }
        }
        // Ties of ties, until nothing more goes; chains are short.
        loop {
            let before = links.gone.len();
            for (_, link) in entries().filter(|(_, link)| link.document.is_none() && !link.revisit) {
                if links.goes(link) {
                    links.gone.extend(link.record_id.as_deref().map(digest));
                }
            }
            if links.gone.len() == before {
                return Ok(links);
            }
        }
    }

    fn goes(&self, link: &LinkEntry) -> bool {
        let own = link.record_id.as_deref().is_some_and(|id| self.gone.contains(&digest(id)));
        let tied = |id: &String| self.removed.contains_key(&digest(id)) || self.gone.contains(&digest(id));
        let held = link.to.iter().any(|id| self.held.contains(&digest(id)));
        !held && (own || link.to.iter().any(tied))
    }

    /// What happens to a record that is no document.
    pub(crate) fn fate(&self, link: &LinkEntry) -> LinkFate {
        if !link.revisit {
            return if self.goes(link) { LinkFate::Goes } else { LinkFate::Stays };
        }
        let named = || link.to.iter().find_map(|id| self.removed.get(&digest(id)));
        let by_target =
            || link.target.as_ref().and_then(|(url, date)| self.removed.get(&target_digest(url, date)));
        named().or_else(by_target).map_or(LinkFate::Stays, |&document| LinkFate::Turns(document))
    }

    /// The keepers that revisits are turned to, in order.
    pub(crate) fn keepers(&self, run: &Run<'_>) -> Vec<DocId> {
        let entries = run.table.pieces().iter().flat_map(|piece| &piece.file.meta.links);
        let mut keepers: Vec<DocId> = entries
            .filter(|link| link.document.is_none())
            .filter_map(|link| match self.fate(link) {
                LinkFate::Turns(document) => keeper_of(run, document),
                _ => None,
            })
            .collect();
        keepers.sort_unstable();
        keepers.dedup();
        keepers
    }
}
