//! Whether a record ends where its length says, by the line ends behind it.
//!
//! Two line ends stand behind a record. A length that takes in some of them is wrong, and where it takes in both, some readers
//! lose the next record. Not every record without line ends behind it is such a one: content may end in line ends, some writers
//! put fewer behind each record, and old archives were edited by hand. So it takes a witness: the message of HTTP that a record
//! holds, which tells its own length, or the next record, if the line ends behind that one are all there. Of several such
//! records in a row, the one behind them is the witness.
//!
//! A length that leaves blank lines of the content to the line ends behind it is believed: the content is what it was but
//! for them, and readers go on.

use super::framer::starts_record;
use super::{Behind, WarcHeader};
use crate::http::message_length;
use crate::warc::header_end;

/// What is behind a record.
const ENDS: &[u8] = b"\r\n\r\n";
/// Longest next record that is waited for, to see how it ends.
const NEIGHBOUR: usize = 1 << 20;
/// So many records in a row may be wrong. More are a writer's habit.
const ROW: usize = 4;
/// Bytes that tell the start of a record.
const START: usize = 16;

/// What the line ends behind a record say of its length.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Nothing against it.
    Fits,
    /// It takes in line ends behind the record, whose content has so many bytes.
    TooLong { content: usize },
    /// More bytes have to be seen.
    Unseen,
}

/// Looks at a record that ends, as its header says, behind `len` bytes.
pub(super) fn ending(bytes: &[u8], header: &WarcHeader<'_>, len: usize, behind: Behind<'_>) -> Ending {
    let rest = &bytes[len..];
    let blank = rest.iter().take(ENDS.len()).take_while(|byte| ENDS.contains(byte)).count();
    if blank == ENDS.len() {
        return Ending::Fits;
    }
    let block = &bytes[header.len..len + blank];
    if !block.ends_with(ENDS) {
        return Ending::Fits;
    }
    let next = &rest[blank..];
    if next.len() < START && behind == Behind::Comes {
        return Ending::Unseen;
    }
    if !next.is_empty() && !starts_record(next) {
        return Ending::Fits;
    }
    let content = block.len() - ENDS.len();
    let own = message_length(block);
    // Without the line ends, the header of a message would have no end.
    let is_http = own.is_some() || block.starts_with(b"HTTP/");
    if own == Some(len - header.len) || (is_http && header_end(&block[..content]).is_none()) {
        return Ending::Fits;
    }
    // No writer ends content between the two bytes of a line end.
    let within_line_end = rest.starts_with(b"\n") && bytes[len - 1] == b'\r';
    if own == Some(content) || within_line_end {
        return Ending::TooLong { content };
    }
    let witness = match (next, behind) {
        // In a member of its own a wrong length costs nobody a record: those that are no documents pass as they are.
        ([], Behind::Member(_)) if !is_document(header) => Some(false),
        ([], Behind::Member(next)) => next.and_then(|next| ends_as_it_should(next, Behind::Ended)),
        ([], _) => Some(false),
        (next, behind) => ends_as_it_should(next, behind),
    };
    match witness {
        Some(true) => Ending::TooLong { content },
        Some(false) => Ending::Fits,
        None => Ending::Unseen,
    }
}

fn is_document(header: &WarcHeader<'_>) -> bool {
    matches!(header.get("WARC-Type"), Some(b"response" | b"conversion"))
}

/// Whether two line ends stand right behind the record that bytes start with, or behind the one after it if that one takes
/// in some, too; `None` if that cannot be seen yet.
fn ends_as_it_should(bytes: &[u8], behind: Behind<'_>) -> Option<bool> {
    let window = &bytes[..bytes.len().min(NEIGHBOUR)];
    let unseen = if behind == Behind::Comes && window.len() < NEIGHBOUR { None } else { Some(false) };
    let mut record = window;
    for _ in 0..ROW {
        let Some(header) = WarcHeader::parse(record) else { return unseen };
        let length = header.content_length().and_then(|length| length.checked_add(header.len as u64));
        let Some(end) = length.and_then(|length| usize::try_from(length).ok()) else { return Some(false) };
        let Some(rest) = record.get(end..) else { return unseen };
        let blank = rest.iter().take(ENDS.len()).take_while(|byte| ENDS.contains(byte)).count();
        let Some(next) = rest.get(blank) else {
            return if blank == ENDS.len() { unseen.map(|_| rest == ENDS) } else { unseen };
        };
        if blank == ENDS.len() {
            return Some(rest.starts_with(ENDS) && !next.is_ascii_whitespace());
        }
        if !record[header.len..end + blank].ends_with(ENDS) {
            return Some(false);
        }
        record = &rest[blank..];
    }
    Some(false)
}
