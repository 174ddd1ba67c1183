//! ARC 1: records of one header line `URL IP date type length` and a body.

use super::HEAD;
use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::reader::{Framer, Step};

/// Longest header line.
const LONGEST_LINE: usize = 1 << 16;

/// An ARC record's header line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArcHeader<'a> {
    /// The URL.
    pub url: &'a str,
    /// Fourteen digits.
    pub date: &'a str,
    /// As the server said.
    pub content_type: &'a str,
    /// Bytes of the body.
    pub content_length: u64,
    /// Bytes of the line, its end included.
    pub len: usize,
}

impl<'a> ArcHeader<'a> {
    /// Reads the header line a record starts with.
    pub fn parse(record: &'a [u8]) -> Option<Self> {
        let end = memchr::memchr(b'\n', &record[..record.len().min(LONGEST_LINE)])?;
        let line = std::str::from_utf8(record[..end].trim_ascii_end()).ok()?;
        // From the right, since URLs in old archives have blanks in them.
        let mut parts = line.rsplitn(5, ' ');
        let content_length = parts.next()?.parse().ok()?;
        let content_type = parts.next()?;
        let date = parts.next().filter(|date| date.len() >= 8 && date.bytes().all(|b| b.is_ascii_digit()))?;
        let _address = parts.next()?;
        let url = parts.next().filter(|url| url.contains(':'))?;
        Some(ArcHeader { url, date, content_type, content_length, len: end + 1 })
    }
}

/// Frames ARC records.
pub(crate) struct ArcFramer {
    limit: usize,
}

impl ArcFramer {
    pub(crate) fn new(limit: usize) -> Self {
        ArcFramer { limit }
    }
}

/// Where a record starts behind `from`: at a line that reads as a header.
fn next_record(bytes: &[u8], from: usize) -> Option<usize> {
    let from = from.min(bytes.len());
    memchr::memchr_iter(b'\n', &bytes[from..])
        .map(|at| from + at + 1)
        .find(|&at| ArcHeader::parse(&bytes[at..]).is_some_and(|header| header.url.contains("://")))
}

impl Framer for ArcFramer {
    fn step(&mut self, unread: &[u8], ended: bool) -> Step {
        let blank = unread.iter().position(|b| !matches!(b, b'\n' | b'\r')).unwrap_or(unread.len());
        if blank > 0 {
            return Step::take(blank, FrameKind::Filler { keep: true });
        }
        let resync = |from: usize, bad: BadRecord| match next_record(unread, from) {
            Some(at) => Step::bad(at, bad),
            None if ended || unread.len() > self.limit => Step::bad(unread.len(), bad),
            None => Step::More,
        };
        let Some(header) = ArcHeader::parse(unread) else {
            if !ended && unread.len() < LONGEST_LINE {
                return Step::More;
            }
            let found = String::from_utf8_lossy(&unread[..unread.len().min(24)]).into_owned();
            return resync(
                0,
                BadRecord::new(BadKind::Header, format!("expected an ARC header line, found {found:?}")),
            );
        };
        let len = header.content_length.saturating_add(header.len as u64);
        if len > self.limit.saturating_add(header.len) as u64 && len > unread.len() as u64 {
            return Step::Pass { head: unread.len().min(HEAD), len };
        }
        let len = len as usize;
        if unread.len() < len {
            if !ended {
                return Step::More;
            }
            let message = format!(
                "length {}, found {} before end of file",
                header.content_length,
                unread.len() - header.len
            );
            return resync(header.len, BadRecord::new(BadKind::Truncated, message));
        }
        if unread.len() < len + 2 && !ended {
            return Step::More;
        }
        // One line end follows the body; a header line comes next, or the length was wrong.
        let end = len + usize::from(unread.get(len) == Some(&b'\n'));
        let rest = unread[end..].trim_ascii_start();
        if !rest.is_empty() && rest.contains(&b'\n') && ArcHeader::parse(rest).is_none() {
            let message = format!("length {}, no header line follows", header.content_length);
            return resync(header.len, BadRecord::new(BadKind::ContentLength, message));
        }
        Step::Take { len: end, body: 0..len, kind: FrameKind::Record }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_may_have_blanks() {
        let header = ArcHeader::parse(b"http://x/a b 1.2.3.4 20080430204825 text/html 12\nbody").unwrap();
        assert_eq!(
            (header.url, header.content_length, header.content_type),
            ("http://x/a b", 12, "text/html")
        );
        assert!(ArcHeader::parse(b"HTTP/1.1 200 OK\n").is_none());
    }
}
