//! Where WARC records start and end, and where the next one is when a record is not what its header says.

use super::{HEAD, LOOK, Resync, WarcHeader, content_length, cut};
use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::reader::{Framer, Step};

/// Longest header that is looked for.
const LONGEST_HEADER: usize = 1 << 20;
/// Longest version line, its end included, with room to spare.
const VERSION_LINE: usize = 16;
/// Blanks behind a record that are looked at for what follows them.
const BLANKS: usize = 1 << 12;

/// Frames WARC records.
pub(crate) struct WarcFramer {
    limit: usize,
}

impl WarcFramer {
    pub(crate) fn new(limit: usize) -> Self {
        WarcFramer { limit }
    }

    fn resync(&self, unread: &[u8], from: usize, ended: bool, bad: BadRecord) -> Step {
        let next = next_record(unread, from, ended);
        Resync { next, margin: VERSION_LINE, limit: self.limit }.step(unread, ended, bad)
    }

    /// A record too large to be held, all of which is not needed.
    fn pass(&self, unread: &[u8], ended: bool, header: &WarcHeader<'_>, content: u64, len: u64) -> Step {
        if unread.len() < LOOK && !ended {
            return Step::More;
        }
        let seen = &unread[..unread.len().min(LOOK)];
        match next_record(seen, header.len, ended) {
            Some(at) => Step::bad(at, content_length(content, at - header.len)),
            None => Step::Pass { head: seen.len().min(HEAD.max(header.len)), len },
        }
    }
}

/// Whether bytes start a record: a version line, then a field.
pub(crate) fn starts_record(bytes: &[u8]) -> bool {
    let Some(version) = bytes.strip_prefix(b"WARC/") else { return false };
    let line = version.split(|&b| b == b'\n').next().unwrap_or(version).trim_ascii_end();
    !line.is_empty() && line.len() <= 8 && line.iter().all(|b| b.is_ascii_digit() || *b == b'.')
}

/// Where a record starts behind `from`; one that cannot be seen far enough is none yet.
fn next_record(bytes: &[u8], from: usize, ended: bool) -> Option<usize> {
    let from = from.min(bytes.len());
    memchr::memmem::find_iter(&bytes[from..], b"\nWARC/")
        .map(|at| from + at + 1)
        .find(|&at| starts_record(&bytes[at..]) && (ended || bytes.len() - at >= VERSION_LINE))
}

/// Line ends behind a record's body, at most two, and their bytes.
fn separator(bytes: &[u8]) -> (usize, usize) {
    let mut len = 0;
    for lines in 0..2 {
        match &bytes[len..] {
            [b'\r', b'\n', ..] => len += 2,
            [b'\n', ..] => len += 1,
            _ => return (lines, len),
        }
    }
    (2, len)
}

impl Framer for WarcFramer {
    fn step(&mut self, unread: &[u8], ended: bool) -> Step {
        let blank = unread.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(unread.len());
        if blank > 0 {
            return Step::take(blank, FrameKind::Filler { keep: true });
        }
        if unread.len() < VERSION_LINE && !ended {
            return Step::More;
        }
        if !starts_record(unread) {
            let found = String::from_utf8_lossy(&unread[..unread.len().min(16)]).into_owned();
            let bad = BadRecord::new(BadKind::Header, format!("expected a WARC record, found {found:?}"));
            return self.resync(unread, 0, ended, bad);
        }
        let Some(header) = WarcHeader::parse(&unread[..unread.len().min(LONGEST_HEADER)]) else {
            if !ended && unread.len() < LONGEST_HEADER {
                return Step::More;
            }
            let bad = if ended && next_record(unread, 1, ended).is_none() && unread.len() < LONGEST_HEADER {
                BadRecord::new(BadKind::Truncated, "record header, found no blank line before end of file")
            } else {
                BadRecord::new(BadKind::Header, "record header without a blank line behind it")
            };
            return self.resync(unread, 1, ended, bad);
        };
        let Some(content) = header.content_length() else {
            let bad = BadRecord::new(BadKind::Header, "record header without a readable content-length");
            return self.resync(unread, header.len, ended, bad);
        };
        let Some(len) = content.checked_add(header.len as u64).filter(|&len| len < 1 << 62) else {
            let bad = BadRecord::new(BadKind::Header, format!("content-length {content} is too large"));
            return self.resync(unread, header.len, ended, bad);
        };
        let large = content > self.limit as u64;
        if large && len > LOOK as u64 {
            return self.pass(unread, ended, &header, content, len);
        }
        let len = len as usize;
        if unread.len() < len {
            if !ended {
                return Step::More;
            }
            return match next_record(unread, header.len, ended) {
                Some(at) => Step::bad(at, content_length(content, at - header.len)),
                None => Step::bad(unread.len(), cut(content, unread.len() - header.len)),
            };
        }
        let (lines, separator) = separator(&unread[len..]);
        let end = len + separator;
        let rest = unread[end..].trim_ascii_start();
        // Behind two line ends comes what may.
        if lines < 2 && rest.len() < VERSION_LINE && unread.len() < end + BLANKS && !ended {
            return Step::More;
        }
        if lines < 2 && !rest.is_empty() && !starts_record(rest) {
            let next = next_record(unread, header.len, ended);
            let found = next.unwrap_or(unread.len()) - header.len;
            return self.resync(unread, header.len, ended, content_length(content, found));
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

    fn frames(file: &[u8]) -> Vec<(usize, Option<BadKind>)> {
        let (mut framer, mut at, mut out) = (WarcFramer::new(1 << 20), 0, Vec::new());
        while at < file.len() {
            let Step::Take { len, kind, .. } = framer.step(&file[at..], true) else {
                panic!("no record at {at}")
            };
            match kind {
                FrameKind::Record => out.push((len, None)),
                FrameKind::Bad(bad) => out.push((len, Some(bad.kind))),
                _ => {}
            }
            at += len;
        }
        out
    }

    fn record(content_length: usize, body: &str) -> String {
        format!("WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: {content_length}\r\n\r\n{body}\r\n\r\n")
    }

    #[test]
    fn a_wrong_length_costs_one_record() {
        let good = record(5, "right");
        for wrong in [3, 4, 60, 100_000] {
            let file = format!("{good}{}{good}", record(wrong, "wrong"));
            let kinds: Vec<_> = frames(file.as_bytes()).into_iter().map(|(_, kind)| kind).collect();
            assert_eq!(kinds, [None, Some(BadKind::ContentLength), None], "{wrong}");
        }
    }

    #[test]
    fn a_cut_record_is_truncated() {
        let file = record(500, "too little");
        assert_eq!(frames(file.as_bytes())[0].1, Some(BadKind::Truncated));
    }

    #[test]
    fn garbage_between_records_is_named() {
        let file = format!("{}garbage here, long enough\n{}", record(2, "ab"), record(2, "cd"));
        let kinds: Vec<_> = frames(file.as_bytes()).into_iter().map(|(_, kind)| kind).collect();
        assert_eq!(kinds, [None, Some(BadKind::Header), None]);
    }
}
