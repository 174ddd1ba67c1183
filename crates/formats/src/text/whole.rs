//! A file that is one document.

use crate::bad::{BadKind, BadRecord};
use crate::block::FrameKind;
use crate::reader::{Framer, Step};

/// Frames everything as one record.
pub(crate) struct WholeFramer {
    limit: usize,
}

impl WholeFramer {
    pub(crate) fn new(limit: usize) -> Self {
        WholeFramer { limit }
    }
}

impl Framer for WholeFramer {
    fn step(&mut self, unread: &[u8], ended: bool) -> Step {
        if unread.len() > self.limit {
            let message = format!("expected a document of at most {} bytes", self.limit);
            return Step::Rest(BadRecord::new(BadKind::TooLarge, message));
        }
        if ended { Step::take(unread.len(), FrameKind::Record) } else { Step::More }
    }

    fn is_one_record(&self) -> bool {
        true
    }
}
