//! WARC and ARC: framing and headers.
//!
//! Read by hand rather than by a crate because the copy of a file without some records needs each record's exact
//! place, and damaged records have to be named and stepped over, not to end the file (docs/decisions/0002).
//!
//! What a framer says of a record depends on its bytes alone and not on how many of those behind it have been read,
//! so that a reading that starts in the middle of a file finds the same records.

mod arc;
mod ending;
mod framer;
mod header;

pub(crate) use arc::ArcFramer;
pub(crate) use framer::{WarcFramer, starts_record};
pub(crate) use header::{bare, header_end};

pub use arc::ArcHeader;
pub use header::{WarcHeader, is_field_value};

use crate::bad::{BadKind, BadRecord};
use crate::reader::Step;

/// First bytes of an over-long record that are kept to judge it by: its header and that of HTTP.
pub(crate) const HEAD: usize = 1 << 14;

/// Bytes of a record that are looked at for another record's start, at least.
const LOOK: usize = 1 << 18;

/// Bytes in which another record is looked for before one too large to be held is passed over.
pub(crate) const LOOK_PAST: usize = 1 << 21;

/// A record that is not what it should be, up to where the next one starts.
struct Resync {
    /// Where the next record starts, as far as it can be seen.
    next: Option<usize>,
    /// Bytes behind a record's start that are needed to know it for one.
    margin: usize,
    /// Bytes that are held at most.
    limit: usize,
}

impl Resync {
    fn step(&self, unread: &[u8], ended: bool, bad: BadRecord) -> Step {
        let most = self.limit.max(LOOK);
        match self.next {
            Some(at) if at <= most => Step::bad(at, bad),
            _ if unread.len() > most.saturating_add(self.margin) => Step::bad(most, bad),
            next if ended => Step::bad(next.unwrap_or(unread.len()), bad),
            _ => Step::More,
        }
    }
}

fn content_length(said: u64, found: usize) -> BadRecord {
    BadRecord::new(
        BadKind::ContentLength,
        format!("content-length {said}, found {found} before the next record"),
    )
}

/// What is behind the bytes that a framer sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind<'n> {
    /// More of the stream.
    Comes,
    /// Its end.
    Ended,
    /// The end of a gzip member with one record, all of which is there. What the next member holds is told if it was asked for;
    /// nothing if there is none.
    Member(Option<&'n [u8]>),
    /// Damage: what is seen last may be a piece of a record, and nothing tells what it went on with.
    Lost,
}

impl Behind<'_> {
    fn at(ended: bool) -> Self {
        if ended { Behind::Ended } else { Behind::Comes }
    }

    fn is_end(self) -> bool {
        matches!(self, Behind::Ended | Behind::Member(_))
    }

    /// A record that is longer than what there is.
    fn cut(self, said: u64, found: usize) -> BadRecord {
        let (kind, place) = self.end(BadKind::ContentLength);
        BadRecord::new(kind, format!("content-length {said}, found {found} before end of {place}"))
    }

    fn no_end_of_header(self) -> BadRecord {
        let (kind, place) = self.end(BadKind::Header);
        BadRecord::new(kind, format!("record header, found no blank line before end of {place}"))
    }

    /// What is wrong where something is short: a file may have been cut, while a member ends where its writer ended it.
    fn end(self, of_member: BadKind) -> (BadKind, &'static str) {
        match self {
            Behind::Member(_) => (of_member, "its gzip member"),
            _ => (BadKind::Truncated, "file"),
        }
    }
}
