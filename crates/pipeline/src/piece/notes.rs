//! What a piece tells of records beside its documents: bad ones, gaps, WARC records tied to others.
//!
//! A source may have more of these than documents, so they are not held with the table of all documents: each piece has
//! its own on disk, and whoever needs them goes through the pieces.

use crate::links::Name;
use onefold_formats::BadRecord;
use serde::{Deserialize, Serialize};

/// A record that is left out of the output although it is no document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Gap {
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// A bad record and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BadEntry {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) bad: BadRecord,
}

/// A WARC record tied to others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LinkEntry {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// The document it is, by its number in the piece, if it is one.
    pub(crate) document: Option<u32>,
    /// By its own id.
    pub(crate) own: Option<Name>,
    pub(crate) revisit: bool,
    /// The records it is tied to; of a revisit what it may be one of, the surest first.
    pub(crate) to: Vec<Name>,
    /// Of a revisit: hash of its URL.
    pub(crate) url: Option<u64>,
    /// Of a revisit: hash of the URL it refers to, where it names one.
    pub(crate) leads_to: Option<u64>,
}

/// The notes of a piece, in the order of its records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Notes {
    pub(crate) bad: Vec<BadEntry>,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) links: Vec<LinkEntry>,
    /// WARC records that are bad, by their ids.
    pub(crate) lost: Vec<Name>,
    /// Hashes of the URLs that redirects lead from and to.
    pub(crate) redirects: Vec<(u64, u64)>,
    /// Pages that need something to show their content, by number in the piece, and what.
    pub(crate) needs: Vec<(u32, String)>,
}

/// What an allocation takes beside its bytes.
const BYTES_AN_ALLOCATION: usize = 16;

impl Notes {
    pub(crate) fn is_empty(&self) -> bool {
        self == &Notes::default()
    }

    /// Memory they take, about.
    pub(crate) fn bytes(&self) -> u64 {
        let text = |text: &String| text.len() + BYTES_AN_ALLOCATION;
        let bad = self.bad.iter().map(|entry| size_of::<BadEntry>() + text(&entry.bad.message));
        let links = self
            .links
            .iter()
            .map(|link| size_of::<LinkEntry>() + size_of_val(&link.to[..]) + BYTES_AN_ALLOCATION);
        let needs = self.needs.iter().map(|(_, what)| size_of::<(u32, String)>() + text(what));
        let plain =
            size_of_val(&self.gaps[..]) + size_of_val(&self.lost[..]) + size_of_val(&self.redirects[..]);
        (plain + bad.sum::<usize>() + links.sum::<usize>() + needs.sum::<usize>()) as u64
    }

    pub(super) fn clear(&mut self) {
        self.bad.clear();
        self.gaps.clear();
        self.links.clear();
        self.lost.clear();
        self.redirects.clear();
        self.needs.clear();
    }

    /// Appends those of what comes behind `documents` documents, and empties that.
    pub(super) fn append(&mut self, next: &mut Notes, documents: u32) {
        self.bad.append(&mut next.bad);
        self.gaps.append(&mut next.gaps);
        self.lost.append(&mut next.lost);
        self.redirects.append(&mut next.redirects);
        self.needs.extend(next.needs.drain(..).map(|(document, needs)| (document + documents, needs)));
        self.links.extend(
            next.links.drain(..).map(|link| LinkEntry {
                document: link.document.map(|document| document + documents),
                ..link
            }),
        );
    }
}
