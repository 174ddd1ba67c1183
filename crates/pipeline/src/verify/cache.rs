//! What was loaded of the documents at hand, within a budget.

use crate::error::Error;
use crate::table::DocId;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Holds things while the budget lasts; the ones loaded first go first and are loaded again if they are asked for
/// again.
pub(super) struct Cache<T> {
    held: HashMap<DocId, (Arc<T>, u64)>,
    order: VecDeque<DocId>,
    bytes: u64,
    budget: u64,
}

/// What holding a thing takes beside it: its place in the tables, and what the allocator adds.
const BYTES_A_THING: u64 = 96;

impl<T> Cache<T> {
    pub(super) fn new(budget: u64) -> Self {
        Cache { held: HashMap::new(), order: VecDeque::new(), bytes: 0, budget }
    }

    pub(super) fn get(
        &mut self,
        document: DocId,
        load: impl FnOnce(DocId) -> Result<T, Error>,
        size: impl FnOnce(&T) -> u64,
    ) -> Result<Arc<T>, Error> {
        if let Some((thing, _)) = self.held.get(&document) {
            return Ok(Arc::clone(thing));
        }
        // Room is made first: the next may be as large as the last, of which one is about to be compared.
        self.make_room(1);
        let thing = Arc::new(load(document)?);
        let bytes = size(&thing) + BYTES_A_THING;
        self.bytes += bytes;
        self.held.insert(document, (Arc::clone(&thing), bytes));
        self.order.push_back(document);
        self.make_room(2);
        Ok(thing)
    }

    /// Lets go of the oldest while the budget is overdrawn, down to so many.
    fn make_room(&mut self, least: usize) {
        while self.bytes > self.budget && self.order.len() > least {
            if let Some(oldest) = self.order.pop_front() {
                self.forget(oldest);
            }
        }
    }

    pub(super) fn forget(&mut self, document: DocId) {
        if let Some((_, bytes)) = self.held.remove(&document) {
            self.bytes -= bytes;
        }
    }

    pub(super) fn clear(&mut self) {
        self.held.clear();
        self.order.clear();
        self.bytes = 0;
    }
}
