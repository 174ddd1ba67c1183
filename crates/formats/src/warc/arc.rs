//! ARC 1: records of one header line `URL IP date type length` and a body. Version 2 of the header line has five more parts
//! before the length.

use super::header::block;
use super::{Behind, HEAD, LOOK, LOOK_PAST, Resync, content_length};
use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::reader::{Framer, Step};

/// Longest header line.
const LONGEST_LINE: usize = 1 << 16;

/// An ARC record's header line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArcHeader<'a> {
    /// The URL.
    pub url: &'a [u8],
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
        let line = HeaderLine::split(record)?;
        if !line.has_date() {
            return None;
        }
        let text = |bytes: &'a [u8]| std::str::from_utf8(bytes).ok();
        Some(ArcHeader {
            url: line.url,
            date: text(line.date)?,
            content_type: text(line.content_type)?,
            content_length: line.length()?,
            len: line.len,
        })
    }

    /// What a record with this header holds, of bytes that may go on behind it: up to its length, where that is there.
    pub fn block<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        block(&record[self.len..], self.content_length)
    }
}

/// A line of five parts and more, of which the first has a colon.
struct HeaderLine<'a> {
    url: &'a [u8],
    address: &'a [u8],
    date: &'a [u8],
    content_type: &'a [u8],
    length: &'a [u8],
    len: usize,
}

impl<'a> HeaderLine<'a> {
    fn split(bytes: &'a [u8]) -> Option<Self> {
        let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(LONGEST_LINE)])?;
        let line = bytes[..end].trim_ascii_end();
        let of = |more| Self::of_parts(line, more, end + 1);
        let is_whole = |line: &Self| line.has_date() && line.has_address();
        of(5)
            .filter(is_whole)
            .or_else(|| of(0).filter(is_whole))
            .or_else(|| Self::with_blanks_in_type(line, end + 1).filter(is_whole))
            .or_else(|| of(0))
    }

    /// With a type such as `text/html; charset=utf-8`, as some crawlers wrote it.
    fn with_blanks_in_type(line: &'a [u8], len: usize) -> Option<Self> {
        let at = memchr::memrchr(b' ', line)?;
        let (before, length) = (&line[..at], &line[at + 1..]);
        let slash = memchr::memrchr(b'/', before)?;
        let start = memchr::memrchr(b' ', &before[..slash])?;
        let mut parts = before[..start].rsplitn(3, |&byte| byte == b' ');
        let (date, address) = (parts.next()?, parts.next()?);
        let url = parts.next().filter(|url| url.contains(&b':'))?;
        Some(HeaderLine { url, address, date, content_type: &before[start + 1..], length, len })
    }

    /// With so many parts between the type and the length. From the right, since URLs in old archives have blanks in them.
    fn of_parts(line: &'a [u8], more: usize, len: usize) -> Option<Self> {
        let mut parts = line.rsplitn(more + 5, |&byte| byte == b' ');
        let length = parts.next()?;
        let content_type = parts.nth(more)?;
        let (date, address) = (parts.next()?, parts.next()?);
        let url = parts.next().filter(|url| url.contains(&b':'))?;
        Some(HeaderLine { url, address, date, content_type, length, len })
    }

    fn length(&self) -> Option<u64> {
        std::str::from_utf8(self.length).ok().filter(|length| !length.starts_with('+'))?.parse().ok()
    }

    fn has_date(&self) -> bool {
        self.date.len() >= 8 && self.date.iter().all(u8::is_ascii_digit)
    }

    fn has_address(&self) -> bool {
        let part = |&byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b':');
        self.address.len() >= 7 && self.address.iter().all(part)
    }

    /// Whether the line is meant as a header, though one of its parts may be wrong: else the body before it would
    /// be blamed for the fault of its neighbour.
    fn is_meant(&self) -> bool {
        let right = [self.length().is_some(), self.has_date(), self.has_address()];
        let scheme = self.url.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        scheme > 0 && self.url.get(scheme) == Some(&b':') && right.iter().filter(|&&right| right).count() >= 2
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

    fn resync(&self, unread: &[u8], from: usize, ended: bool, bad: BadRecord) -> Step {
        let next = next_record(unread, from);
        Resync { next, margin: LONGEST_LINE, limit: self.limit }.step(unread, ended, bad)
    }
}

/// Where a record starts behind `from`: at a line that reads as a header, or at the URL in one that has all of a header
/// behind it, for what was cut off before it has no line end.
fn next_record(bytes: &[u8], from: usize) -> Option<usize> {
    let from = from.min(bytes.len());
    memchr::memchr_iter(b'\n', &bytes[from..]).map(|at| from + at + 1).find_map(|at| start_in_line(bytes, at))
}

fn start_in_line(bytes: &[u8], at: usize) -> Option<usize> {
    let line = HeaderLine::split(&bytes[at..])?;
    if line.is_meant() {
        return Some(at);
    }
    let is_whole = line.length().is_some() && line.has_date() && line.has_address();
    let schemes = [b"http://".as_slice(), b"https://"].into_iter();
    let url = schemes.filter_map(|scheme| memchr::memmem::rfind(line.url, scheme)).max();
    url.filter(|_| is_whole).map(|url| at + url)
}

impl Framer for ArcFramer {
    fn step(&mut self, unread: &[u8], ended: bool) -> Step {
        self.frame(unread, Behind::at(ended))
    }

    fn step_in_member(&mut self, member: &[u8], next: Option<&[u8]>) -> Step {
        self.frame(member, Behind::Member(next))
    }
}

impl ArcFramer {
    fn frame(&self, unread: &[u8], behind: Behind<'_>) -> Step {
        let ended = behind.is_end();
        let blank = unread.iter().position(|b| !matches!(b, b'\n' | b'\r')).unwrap_or(unread.len());
        if blank > 0 {
            return Step::take(blank, FrameKind::Filler { keep: true });
        }
        let inside = start_in_line(unread, 0).filter(|&at| at > 0);
        let Some(header) = ArcHeader::parse(unread).filter(|_| inside.is_none()) else {
            let line = &unread[..unread.len().min(LONGEST_LINE)];
            if !ended && line.len() < LONGEST_LINE && !line.contains(&b'\n') {
                return Step::More;
            }
            let found = String::from_utf8_lossy(&unread[..unread.len().min(24)]).into_owned();
            let bad =
                BadRecord::new(BadKind::Header, format!("expected an ARC header line, found {found:?}"));
            let next = inside.or_else(|| next_record(unread, 0));
            return Resync { next, margin: LONGEST_LINE, limit: self.limit }.step(unread, ended, bad);
        };
        let content = header.content_length;
        let Some(len) = content.checked_add(header.len as u64).filter(|&len| len < 1 << 62) else {
            let bad = BadRecord::new(BadKind::Header, format!("length {content} is too large"));
            return self.resync(unread, header.len - 1, ended, bad);
        };
        let large = content > self.limit as u64;
        if large && len > LOOK as u64 {
            let look = LOOK_PAST.min(usize::try_from(len).unwrap_or(usize::MAX));
            if unread.len() < look && !ended {
                return Step::More;
            }
            let seen = &unread[..unread.len().min(look)];
            return match next_record(seen, header.len - 1) {
                Some(at) => Step::bad(at, content_length(content, at - header.len)),
                None => Step::Pass { head: seen.len().min(HEAD.max(header.len)), len },
            };
        }
        let len = len as usize;
        if unread.len() < len {
            if !ended {
                return Step::More;
            }
            return match next_record(unread, header.len - 1) {
                Some(at) => Step::bad(at, content_length(content, at - header.len)),
                None => Step::bad(unread.len(), behind.cut(content, unread.len() - header.len)),
            };
        }
        let (is_closed, end) = match &unread[len..] {
            [b'\n', ..] => (true, len + 1),
            [b'\r', b'\n', ..] => (true, len + 2),
            _ => (false, len),
        };
        let rest = unread[end..].trim_ascii_start();
        let line = &rest[..rest.len().min(LONGEST_LINE)];
        let is_followed = HeaderLine::split(line).is_some_and(|line| line.is_meant());
        // Behind a line end comes what may, unless another record starts before it: it is not waited for, since at damage it
        // never comes.
        let is_whole = is_followed || (is_closed && next_record(&unread[..len], header.len - 1).is_none());
        if !is_whole && !ended && unread.len() < end + LONGEST_LINE && !line.contains(&b'\n') {
            return Step::More;
        }
        if !is_whole && !line.is_empty() {
            let next = next_record(unread, header.len - 1);
            let found = next.unwrap_or(unread.len()) - header.len;
            return self.resync(unread, header.len - 1, ended, content_length(content, found));
        }
        if large {
            return Step::Pass { head: len.min(HEAD.max(header.len)), len: len as u64 };
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
            (b"http://x/a b".as_slice(), 12, "text/html")
        );
        assert!(ArcHeader::parse(b"HTTP/1.1 200 OK\n").is_none());
    }

    #[test]
    fn types_may_have_blanks() {
        let line = b"http://x/a b 1.2.3.4 20080430204825 text/html; charset=utf-8 12\nbody";
        let header = ArcHeader::parse(line).unwrap();
        assert_eq!(
            (header.url, header.date, header.content_length, header.content_type),
            (b"http://x/a b".as_slice(), "20080430204825", 12, "text/html; charset=utf-8")
        );
    }

    fn kinds(file: &[u8]) -> Vec<Option<BadKind>> {
        let (mut framer, mut at, mut out) = (ArcFramer::new(1 << 20), 0, Vec::new());
        while at < file.len() {
            let Step::Take { len, kind, .. } = framer.step(&file[at..], true) else {
                panic!("no record at {at}")
            };
            match kind {
                FrameKind::Record => out.push(None),
                FrameKind::Bad(bad) => out.push(Some(bad.kind)),
                _ => {}
            }
            at += len;
        }
        out
    }

    fn record(length: &str) -> String {
        format!("http://x/ 127.0.0.1 20140102000000 text/plain {length}\nbody\n")
    }

    #[test]
    fn a_fault_costs_one_record_and_not_its_neighbour() {
        let good = record("4");
        for (length, kind) in [
            ("-1", BadKind::Header),
            ("abc", BadKind::Header),
            ("2", BadKind::ContentLength),
            ("40", BadKind::ContentLength),
            ("18446744073709551615", BadKind::Header),
        ] {
            let file = format!("{good}{}{good}", record(length));
            assert_eq!(kinds(file.as_bytes()), [None, Some(kind), None], "{length}");
        }
        assert_eq!(kinds(record("500").as_bytes()), [Some(BadKind::Truncated)]);
    }

    #[test]
    fn what_ends_without_a_line_end_costs_itself_alone() {
        let good = record("4");
        for (damaged, kind) in [
            (record("400").trim_end().to_owned() + " cut off: he", BadKind::ContentLength),
            ("<p>garbage".into(), BadKind::Header),
            (good.replace("http://x/", &"\0".repeat(9)), BadKind::Header),
        ] {
            let file = format!("{good}{good}{damaged}{good}");
            assert_eq!(kinds(file.as_bytes()), [None, None, Some(kind), None], "{damaged}");
        }
    }

    #[test]
    fn a_record_that_ends_in_a_line_end_is_whole_whatever_follows() {
        let good = record("4");
        let mut framer = ArcFramer::new(1 << 20);
        for behind in ["", "\0", "http://x/ 127."] {
            let step = framer.step(format!("{good}{behind}").as_bytes(), false);
            assert!(matches!(step, Step::Take { len, kind: FrameKind::Record, .. } if len == good.len()));
        }
        assert!(matches!(framer.step(good.trim_end().as_bytes(), false), Step::More));
        // A length that takes the next record along may end in a line end, too.
        let length = (good.len() + "body\n".len() - 1).to_string();
        let file = record(&length) + &good;
        assert!(matches!(framer.step(file.as_bytes(), false), Step::More));
        assert_eq!(kinds((file + "\0damage\n").as_bytes())[..2], [Some(BadKind::ContentLength), None]);
    }
}
