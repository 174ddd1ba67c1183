//! One record a line.

use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::reader::{Framer, Step};

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Frames lines; blank ones are no records.
pub(crate) struct LineFramer {
    limit: usize,
}

impl LineFramer {
    pub(crate) fn new(limit: usize) -> Self {
        LineFramer { limit }
    }

    /// Bytes of the blank lines that come first, if there are any: a run of them is one frame, however many they are. One
    /// over the limit is not among them. A byte order mark is no more than a blank.
    fn blank_lines(&self, unread: &[u8]) -> Option<usize> {
        let window = &unread[..unread.len().min(self.limit)];
        let text = window.strip_prefix(MARK).unwrap_or(window);
        let blank = window.len() - text.trim_ascii_start().len();
        memchr::memrchr(b'\n', &window[..blank]).map(|end| end + 1)
    }
}

impl Framer for LineFramer {
    fn step(&mut self, unread: &[u8], ended: bool) -> Step {
        if let Some(len) = self.blank_lines(unread) {
            return Step::take(len, FrameKind::Filler { keep: false });
        }
        let (len, mut end) = match memchr::memchr(b'\n', unread) {
            Some(end) => (end + 1, end),
            None if ended => (unread.len(), unread.len()),
            // A carriage return behind the line is none of it.
            None if unread.len() > self.limit.saturating_add(1) => {
                let message = format!("expected a line of at most {} bytes", self.limit);
                return Step::SkipLine(BadRecord::new(BadKind::TooLarge, message));
            }
            None => return Step::More,
        };
        if unread[..end].last() == Some(&b'\r') {
            end -= 1;
        }
        if end > self.limit {
            let message = format!("expected a line of at most {} bytes, found {end}", self.limit);
            return Step::bad(len, BadRecord::new(BadKind::TooLarge, message));
        }
        let line = &unread[..end];
        let blank = line.strip_prefix(MARK).unwrap_or(line).trim_ascii().is_empty();
        let kind = if blank { FrameKind::Filler { keep: false } } else { FrameKind::Record };
        Step::Take { len, body: 0..end, kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The records and faults of a file, each with its place, and how many steps they took; so many bytes are given at a time.
    fn framed(file: &[u8], part: usize) -> (Vec<(usize, usize, Option<BadKind>)>, usize) {
        let (mut framer, mut frames, mut steps) = (LineFramer::new(9), Vec::new(), 0);
        let (mut at, mut seen) = (0, 0);
        while at < file.len() {
            if at == seen {
                seen = (seen + part).min(file.len());
            }
            steps += 1;
            let (len, kind) = match framer.step(&file[at..seen], seen == file.len()) {
                Step::More => {
                    seen = (seen + part).min(file.len());
                    continue;
                }
                Step::Take { len, kind, .. } => (len, kind),
                Step::SkipLine(bad) => {
                    let end = memchr::memchr(b'\n', &file[at..]).map_or(file.len(), |end| at + end + 1);
                    (end - at, FrameKind::Bad(bad))
                }
                _ => panic!("no line at {at}"),
            };
            match kind {
                FrameKind::Record => frames.push((at, len, None)),
                FrameKind::Bad(bad) => frames.push((at, len, Some(bad.kind))),
                _ => {}
            }
            at += len;
            seen = seen.max(at);
        }
        (frames, steps)
    }

    #[test]
    fn a_run_of_blank_lines_is_one_step() {
        let file = [b"one\n".as_slice(), &b"\n \t\n\r\n".repeat(2000), b"two\n\n\n"].concat();
        let (frames, _) = framed(&file, 10);
        assert_eq!(frames, [(0, 4, None), (12_004, 4, None)]);
        let mut framer = LineFramer::new(1 << 20);
        let Step::Take { len, .. } = framer.step(&file[4..], true) else { panic!("no lines") };
        assert_eq!(len, 12_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn records_are_the_lines_that_are_not_blank(file in "[a \\t\\r\\n]{0,80}|(\n| {0,14}\n|a{0,14}\n){0,9}", part in 1_usize..40) {
            let (mut expected, mut at) = (Vec::new(), 0);
            for line in file.split_inclusive('\n') {
                let content = line.strip_suffix('\n').unwrap_or(line);
                let content = content.strip_suffix('\r').unwrap_or(content);
                if content.len() > 9 {
                    expected.push((at, line.len(), Some(BadKind::TooLarge)));
                } else if !content.trim_ascii().is_empty() {
                    expected.push((at, line.len(), None));
                }
                at += line.len();
            }
            prop_assert_eq!(framed(file.as_bytes(), part).0, expected);
        }
    }
}
