//! What becomes a row: a page, or an item that a page repeats.

use crate::html::slots::{Line, Slots};

/// A page without its lists, or one item of a list.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) page: usize,
    /// The element around it.
    pub(super) root: u32,
    /// Numbers of its lines, in order.
    pub(super) lines: Vec<u32>,
}

impl Unit {
    pub(super) fn lines<'a>(&self, page: &'a Slots) -> impl Iterator<Item = &'a Line> {
        self.lines.iter().map(|&line| &page.lines[line as usize])
    }
}

/// So many of `count` units are nearly all of them: nine in ten.
pub(super) fn nearly_all(count: usize) -> usize {
    (count * 9).div_ceil(10)
}
