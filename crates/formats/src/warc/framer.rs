//! Where WARC records start and end, and where the next one is when a record is not what its header says.

use super::ending::{Ending, ending};
use super::{Behind, HEAD, LOOK, LOOK_PAST, Resync, WarcHeader, content_length};
use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::http::{Response, content_type};
use crate::reader::{Framer, Step};

/// Longest header that is looked for.
const LONGEST_HEADER: usize = 1 << 20;
/// Longest version line, its end included, with room to spare.
const VERSION_LINE: usize = 16;
/// Longest version line with the name of a field behind it.
const START: usize = 64;
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
        Resync { next, margin: START, limit: self.limit }.step(unread, ended, bad)
    }

    /// A record too large to be held, all of which is not needed.
    fn pass(&self, unread: &[u8], ended: bool, header: &WarcHeader<'_>, content: u64, len: u64) -> Step {
        let look = LOOK_PAST.min(usize::try_from(len).unwrap_or(usize::MAX));
        if unread.len() < look && !ended {
            return Step::More;
        }
        let seen = &unread[..unread.len().min(look)];
        match next_record(seen, header.len, ended && unread.len() <= look) {
            // Where an archive is what the record holds, its records are none of this file.
            Some(at) if !holds_archive(header, &seen[header.len..at]) => {
                Step::bad(at, content_length(content, at - header.len))
            }
            _ => Step::Pass { head: seen.len().min(HEAD.max(header.len)), len },
        }
    }
}

/// Whether a record may hold an archive: it is of a kind and of a declared type that can, and its content before another
/// record's start is nothing, or a header of HTTP alone.
fn holds_archive(header: &WarcHeader<'_>, before: &[u8]) -> bool {
    let http = Response::parse(before);
    let body = http.map_or(before, |http| http.body);
    let declared = http.map_or_else(|| header.text("Content-Type"), |http| http.header("Content-Type"));
    let (essence, _) = content_type(declared.unwrap_or_default());
    body.trim_ascii().is_empty()
        && matches!(header.get("WARC-Type"), Some(b"response" | b"resource" | b"conversion"))
        && matches!(
            essence.as_str(),
            "" | "application/warc" | "application/x-warc" | "application/octet-stream"
        )
}

/// Whether bytes start a record: a version line, then a field.
pub(crate) fn starts_record(bytes: &[u8]) -> bool {
    let Some(version) = bytes.strip_prefix(b"WARC/") else { return false };
    let line = version.split(|&b| b == b'\n').next().unwrap_or(version).trim_ascii_end();
    !line.is_empty() && line.len() <= 8 && line.iter().all(|b| b.is_ascii_digit() || *b == b'.')
}

/// Whether bytes start a record beyond doubt: a version line, then the name of a field.
fn starts_header(bytes: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b'\n', &bytes[..bytes.len().min(VERSION_LINE)]) else { return false };
    let rest = &bytes[end + 1..];
    let name = rest.iter().take_while(|&&b| b.is_ascii_alphanumeric() || b == b'-').count();
    starts_record(bytes) && name > 0 && name < START - VERSION_LINE && rest.get(name) == Some(&b':')
}

/// Whether a record starts there: on a line of its own, or beyond doubt, for what was cut off before it has no line end.
/// One that cannot be seen far enough is none yet.
fn is_start(bytes: &[u8], at: usize, ended: bool) -> bool {
    let starts_line = at == 0 || bytes[at - 1] == b'\n';
    let seen = &bytes[at..];
    (ended || seen.len() >= START) && (starts_header(seen) || (starts_line && starts_record(seen)))
}

/// Where a record starts from `from` on.
fn next_record(bytes: &[u8], from: usize, ended: bool) -> Option<usize> {
    let from = from.min(bytes.len());
    let mut places = memchr::memmem::find_iter(&bytes[from..], b"WARC/").map(|at| from + at);
    places.find(|&at| is_start(bytes, at, ended))
}

/// Where the last record starts in a stretch that is to be one header, but for the one that the stretch starts with.
fn last_start(header: &[u8]) -> Option<usize> {
    let mut end = header.len();
    while let Some(at) = memchr::memmem::rfind(&header[..end], b"WARC/").filter(|&at| at > 0) {
        if is_start(header, at, true) {
            return Some(at);
        }
        end = at;
    }
    None
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
        self.frame(unread, Behind::at(ended))
    }

    fn step_in_member(&mut self, member: &[u8], next: Option<&[u8]>) -> Step {
        self.frame(member, Behind::Member(next))
    }

    fn step_before_damage(&mut self, unread: &[u8]) -> Step {
        self.frame(unread, Behind::Lost)
    }
}

impl WarcFramer {
    fn frame(&self, unread: &[u8], behind: Behind<'_>) -> Step {
        let ended = behind.is_end();
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
        let window = &unread[..unread.len().min(LONGEST_HEADER)];
        let header = WarcHeader::parse(window);
        if header.is_none() && !ended && unread.len() < LONGEST_HEADER {
            return Step::More;
        }
        // None of the records that start before the last one has a blank line behind its header.
        if let Some(at) = last_start(header.map_or(window, |header| &window[..header.len])) {
            let bad = BadRecord::new(BadKind::Header, "record header without a blank line behind it");
            return Step::bad(at, bad);
        }
        let Some(header) = header else {
            let bad = if ended && unread.len() < LONGEST_HEADER {
                behind.no_end_of_header()
            } else {
                BadRecord::new(BadKind::Header, "record header without a blank line behind it")
            };
            return self.resync(unread, 1, ended, bad);
        };
        if memchr::memchr(0, &window[..header.len]).is_some() {
            let bad = BadRecord::new(BadKind::Header, "NUL bytes in a record header");
            return self.resync(unread, header.len, ended, bad);
        }
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
                None => Step::bad(unread.len(), behind.cut(content, unread.len() - header.len)),
            };
        }
        let (lines, separator) = separator(&unread[len..]);
        let end = len + separator;
        let rest = unread[end..].trim_ascii_start();
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
        match ending(unread, &header, len, behind) {
            Ending::Fits => {}
            Ending::TooLong { content: found } => return Step::bad(end, content_length(content, found)),
            Ending::Unseen => return Step::More,
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
    fn a_length_that_takes_in_line_ends_costs_one_record_where_the_next_one_is_a_witness() {
        let good = record(5, "right");
        for over in 1..=4 {
            let wrong = record(5 + over, "wrong");
            let file = format!("{good}{wrong}{good}{good}");
            assert_eq!(kinds(file.as_bytes()), [None, Some(BadKind::ContentLength), None, None], "{over}");
        }
        // Nothing is told before the end of the next record is seen; where that is lost the record stays.
        let wrong = record(7, "wrong");
        let start = format!("{wrong}{good}");
        for seen in [wrong.len() + 40, start.len() - 5, start.len() - 1] {
            let (mut framer, seen) = (WarcFramer::new(1 << 20), &start.as_bytes()[..seen]);
            assert!(matches!(framer.step(seen, false), Step::More), "{}", seen.len());
            let step = framer.step_before_damage(seen);
            assert!(matches!(step, Step::Take { kind: FrameKind::Record, .. }), "{}", seen.len());
        }
        // Some in a row, but no habit.
        for (row, is_bad) in [(2, true), (4, true), (5, false), (20, false)] {
            let file = format!("{good}{}{good}{good}", record(9, "wrong").repeat(row));
            let first = kinds(file.as_bytes())[1];
            assert_eq!(first, is_bad.then_some(BadKind::ContentLength), "{row}");
        }
        // How much is seen behind the next record does not decide.
        let odd = format!("{}{good}\r\n{good}", record(9, "wrong"));
        let seen = odd.len() - good.len() - 2;
        assert!(matches!(WarcFramer::new(1 << 20).step(&odd.as_bytes()[..seen], false), Step::More));
        assert_eq!(kinds(odd.as_bytes())[0], None);
        // A writer that does so with each record, and blank lines of the content that are left out.
        for habit in [record(9, "right"), record(7, "right"), record(5, "right\n"), record(7, "right\r\n")] {
            assert_eq!(kinds(habit.repeat(3).as_bytes()), [None; 3], "{habit:?}");
        }
    }

    #[test]
    fn the_next_member_is_a_witness() {
        let (mut framer, good) = (WarcFramer::new(1 << 20), record(5, "right"));
        let is_bad = |step: &Step| matches!(step, Step::Take { kind: FrameKind::Bad(_), .. });
        for over in 1..=4 {
            let wrong = record(5 + over, "wrong").replace("resource", "conversion");
            let first = framer.step_in_member(wrong.as_bytes(), None);
            // No content ends within a line end.
            assert!(if over % 2 == 1 { is_bad(&first) } else { matches!(first, Step::More) }, "{over}");
            assert!(is_bad(&framer.step_in_member(wrong.as_bytes(), Some(good.as_bytes()))), "{over}");
            let other = framer.step_in_member(wrong.as_bytes(), Some(wrong.as_bytes()));
            assert_eq!(is_bad(&other), over % 2 == 1, "{over}");
        }
        // What is no document passes.
        for right in [good, record(9, "wrong")] {
            assert!(!is_bad(&framer.step_in_member(right.as_bytes(), None)));
        }
    }

    #[test]
    fn messages_of_http_are_witnesses_of_their_length() {
        let http = |content_length: usize, block: &str| {
            format!(
                "WARC/1.0\r\nWARC-Type: response\r\nContent-Length: {content_length}\r\n\r\n{block}\r\n\r\n"
            )
        };
        let good = record(5, "right");
        for block in [
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n<p>",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n<p>\r\n0\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\nA: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        ] {
            for over in 1..=4 {
                let wrong = http(block.len() + over, block);
                // At the end of a file, and before a writer that does so always.
                assert_eq!(kinds(wrong.as_bytes()), [Some(BadKind::ContentLength)], "{wrong:?}");
                assert_eq!(kinds(wrong.repeat(2).as_bytes()), [Some(BadKind::ContentLength); 2], "{wrong:?}");
            }
            // Without line ends behind it, it is right.
            let bare = http(block.len(), block);
            let file = format!("{}{good}", &bare[..bare.len() - 4]);
            assert_eq!(kinds(file.as_bytes()), [None, None], "{file:?}");
        }
        // At the end of a file, a message that says nothing of its length.
        let page = "HTTP/1.1 200 OK\r\n\r\n<p>";
        assert_eq!(kinds(http(page.len() + 4, page).as_bytes()), [None]);
        assert_eq!(kinds(http(page.len() + 1, page).as_bytes()), [Some(BadKind::ContentLength)]);
    }

    /// What becomes of the records of a file.
    fn kinds(file: &[u8]) -> Vec<Option<BadKind>> {
        frames(file).into_iter().map(|(_, kind)| kind).collect()
    }

    #[test]
    fn what_ends_without_a_line_end_costs_itself_alone() {
        let good = record(5, "right");
        let header = "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 40\r\n\r\n";
        for (damaged, kind) in [
            (format!("{header}cut off"), BadKind::ContentLength),
            (header.into(), BadKind::ContentLength),
            (header[..header.len() - 2].into(), BadKind::Header),
            (header[..20].into(), BadKind::Header),
            (header[..10].into(), BadKind::Header),
            ("garbage".into(), BadKind::Header),
            ("\0".repeat(100), BadKind::Header),
        ] {
            let file = format!("{good}{damaged}{good}{damaged}{good}");
            assert_eq!(kinds(file.as_bytes()), [None, Some(kind), None, Some(kind), None], "{damaged:?}");
        }
    }

    #[test]
    fn a_header_with_zeroes_in_it_is_bad() {
        let good = record(5, "right");
        let file = format!("{good}{}{good}", good.replace("resource", "\0\0\0\0\0\0\0\0"));
        assert_eq!(kinds(file.as_bytes()), [None, Some(BadKind::Header), None]);
    }

    #[test]
    fn headers_without_end_are_gone_through_once() {
        let good = record(5, "right");
        let file = format!("{good}{}{good}", "WARC/1.0\r\nA: b\r\n".repeat(200_000));
        let kinds = kinds(file.as_bytes());
        assert!(
            kinds.len() < 16 && kinds[1..kinds.len() - 1].iter().all(|kind| *kind == Some(BadKind::Header))
        );
        assert_eq!((kinds[0], kinds[kinds.len() - 1]), (None, None));
    }

    #[test]
    fn a_length_beyond_the_limit_is_right_or_wrong_by_what_comes_behind() {
        let good = record(5, "right");
        let mut framer = WarcFramer::new(1 << 20);
        let large = |body: &str| record(50 << 20, body) + &good + &"x".repeat(2 << 20);
        let Step::Take { len, kind: FrameKind::Bad(bad), .. } =
            framer.step(large(&"y".repeat(1 << 19)).as_bytes(), false)
        else {
            panic!("the next record is found")
        };
        assert_eq!((bad.kind, len), (BadKind::ContentLength, record(50 << 20, &"y".repeat(1 << 19)).len()));
        // What follows a record that is large by a small limit is not in it.
        let body = "z".repeat(1 << 19);
        let file = record(body.len(), &body) + &good;
        let step = WarcFramer::new(1 << 18).step(file.as_bytes(), true);
        assert!(matches!(step, Step::Pass { .. }), "a record that is as long as it says");
        for header in ["", "HTTP/1.1 200 OK\r\nContent-Type: application/warc\r\n\r\n"] {
            let step = framer.step(large(&format!("{header}{good}{good}")).as_bytes(), false);
            assert!(matches!(step, Step::Pass { .. }), "an archive in an archive");
        }
        // Those that hold none are cut off or wrong about their length.
        let http = "HTTP/1.1 302 Found\r\nContent-Type: text/html\r\n\r\n";
        for (kind, header) in [("revisit", http), ("warcinfo", ""), ("response", http), ("metadata", "")] {
            let file = large(&format!("{header}{good}{good}")).replacen("resource", kind, 1);
            let step = framer.step(file.as_bytes(), false);
            let Step::Take { len, kind: FrameKind::Bad(bad), .. } = step else { panic!("{kind}") };
            assert_eq!(bad.kind, BadKind::ContentLength, "{kind}");
            assert!(file[len..].starts_with(&good), "{kind}");
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
