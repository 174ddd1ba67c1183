//! One record a line.

use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::reader::{Framer, Step};

/// Frames lines; blank ones are no records.
pub(crate) struct LineFramer {
    limit: usize,
}

impl LineFramer {
    pub(crate) fn new(limit: usize) -> Self {
        LineFramer { limit }
    }
}

impl Framer for LineFramer {
    fn step(&mut self, unread: &[u8], ended: bool) -> Step {
        let (len, mut end) = match memchr::memchr(b'\n', unread) {
            Some(end) => (end + 1, end),
            None if ended => (unread.len(), unread.len()),
            None if unread.len() > self.limit => {
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
        let blank = unread[..end].iter().all(u8::is_ascii_whitespace);
        let kind = if blank { FrameKind::Filler { keep: false } } else { FrameKind::Record };
        Step::Take { len, body: 0..end, kind }
    }
}
