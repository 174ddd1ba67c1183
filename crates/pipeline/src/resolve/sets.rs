//! Shingle sets of the component at hand, within a budget.

use crate::error::Error;
use crate::load::Loader;
use crate::table::DocId;
use onefold_detect::text::ShingleSet;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

/// Loads sets and holds them while the budget lasts; the ones loaded first go first and are loaded again if they
/// are asked for again.
pub(crate) struct Sets<'a> {
    loader: Loader<'a>,
    held: HashMap<DocId, Rc<ShingleSet>>,
    order: VecDeque<DocId>,
    bytes: u64,
    budget: u64,
    lens: HashMap<DocId, u32>,
}

impl<'a> Sets<'a> {
    pub(crate) fn new(loader: Loader<'a>, budget: u64) -> Self {
        let (held, order, lens) = (HashMap::new(), VecDeque::new(), HashMap::new());
        Sets { loader, held, order, bytes: 0, budget, lens }
    }

    pub(crate) fn get(&mut self, document: DocId) -> Result<Rc<ShingleSet>, Error> {
        if let Some(set) = self.held.get(&document) {
            return Ok(Rc::clone(set));
        }
        let set = Rc::new(self.loader.shingles(document)?);
        self.bytes += set.bytes() as u64;
        self.lens.insert(document, set.len() as u32);
        self.held.insert(document, Rc::clone(&set));
        self.order.push_back(document);
        while self.bytes > self.budget && self.order.len() > 2 {
            if let Some(oldest) = self.order.pop_front() {
                self.forget(oldest);
            }
        }
        Ok(set)
    }

    pub(crate) fn both(&mut self, a: DocId, b: DocId) -> Result<(Rc<ShingleSet>, Rc<ShingleSet>), Error> {
        Ok((self.get(a)?, self.get(b)?))
    }

    /// Number of shingles of a document that was loaded.
    pub(crate) fn known_len(&self, document: DocId) -> Option<u32> {
        self.lens.get(&document).copied()
    }

    /// Lets go of a set that will not be asked for again.
    pub(crate) fn forget(&mut self, document: DocId) {
        if let Some(set) = self.held.remove(&document) {
            self.bytes -= set.bytes() as u64;
        }
    }

    /// Lets go of everything.
    pub(crate) fn clear(&mut self) {
        self.held.clear();
        self.order.clear();
        self.lens.clear();
        self.bytes = 0;
    }
}
