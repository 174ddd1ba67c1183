//! Tables out of pages of one template: what differs between pages laid over each other.
//!
//! Each page is read once into its slots: lines of text and a few attributes, in the elements around them. What is held of
//! a page is its visible text and these places, within [`MAX_HELD_BYTES`] for all. Then pages are sorted by layout, the
//! largest set of one layout is laid over each other, what recurs is template, and what is left makes the columns. Nothing depends on
//! more than the pages and their order.

mod align;
mod items;
mod labels;
mod layout;
mod names;
#[cfg(test)]
mod tests;
mod unit;

use crate::html::paths::Paths;
use crate::html::slots::{Slots, slots};
use align::{Column, Ground, align};
use items::{List, Repeated, repeated};
use unit::Unit;

/// Most that is held of all pages.
pub const MAX_HELD_BYTES: usize = 1 << 30;

/// Names that are not given to fields, for a table has columns of its own.
const TAKEN: [&str; 3] = ["url", "source", "item"];

/// What a row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// An item if most of what differs is in a list of items, else a page.
    #[default]
    Auto,
    /// A page; lists of items are left out.
    Pages,
    /// An item of the list that has the most to say.
    Items,
}

/// Why there is no table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// One page does not tell what is template.
    #[error("a table is made of two HTML pages or more of one template, found {0}")]
    TooFewPages(usize),
    /// No two pages are alike.
    #[error("no two of {0} pages share a layout")]
    NoLayout(usize),
    /// All is template.
    #[error("no field differs between {0} pages of one layout")]
    NoField(usize),
    /// Items were asked for.
    #[error("{0} pages of one layout repeat no items of two fields or more")]
    NoItems(usize),
    /// Too much text.
    #[error("page {0} would make the text that is held more than {MAX_HELD_BYTES} bytes")]
    TooLarge(usize),
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Names of the fields.
    pub columns: Vec<String>,
    /// The rows, in the order of the pages.
    pub rows: Vec<Row>,
    /// Pages of other layouts, by their numbers.
    pub left_out: Vec<usize>,
    /// Whether rows are items and not pages.
    pub has_items: bool,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Number of the page, in the order they were added.
    pub page: usize,
    /// Number of the item on its page from 1; 0 if the row is a page.
    pub item: usize,
    /// A value a column, empty where there is none.
    pub values: Vec<String>,
}

/// Pages to make a table of.
///
/// ```
/// use onefold_page::records::{Records, Rows};
///
/// let mut records = Records::default();
/// for (name, price) in [("Anvil", "12"), ("Bellows", "30")] {
///     records.add(&format!("<h1>{name}</h1><p>Price: <b>{price}</b><p>All prices without tax")).unwrap();
/// }
/// let table = records.table(Rows::Auto).unwrap();
/// assert_eq!(table.columns, ["h1", "price"]);
/// assert_eq!(table.rows[1].values, ["Bellows", "30"]);
/// ```
#[derive(Debug, Default)]
pub struct Records {
    paths: Paths,
    pages: Vec<Slots>,
    held_bytes: usize,
}

impl Records {
    /// Adds a page of decoded HTML.
    pub fn add(&mut self, html: &str) -> Result<(), RecordsError> {
        let page = slots(html, &mut self.paths);
        self.held_bytes += page.bytes();
        if self.held_bytes > MAX_HELD_BYTES {
            return Err(RecordsError::TooLarge(self.pages.len() + 1));
        }
        self.pages.push(page);
        Ok(())
    }

    /// Makes the table of the largest set of pages that share a layout.
    pub fn table(&self, rows: Rows) -> Result<Table, RecordsError> {
        if self.pages.len() < 2 {
            return Err(RecordsError::TooFewPages(self.pages.len()));
        }
        let members = layout::largest(&self.pages);
        if members.len() < 2 {
            return Err(RecordsError::NoLayout(self.pages.len()));
        }
        let ground = Ground { pages: &self.pages, paths: &self.paths };
        let repeated = repeated(ground, &members);
        let list = repeated.main(ground);
        let list = match rows {
            Rows::Pages => None,
            Rows::Items => Some(list.ok_or(RecordsError::NoItems(members.len()))?),
            Rows::Auto => list.filter(|list| list.mass * 2 >= repeated.mass),
        };
        let mut table = match list {
            Some(list) => self.items(ground, list, &repeated),
            None => self.whole_pages(ground, &members, &repeated),
        };
        if table.columns.is_empty() {
            return Err(RecordsError::NoField(members.len()));
        }
        table.left_out = (0..self.pages.len()).filter(|page| members.binary_search(page).is_err()).collect();
        Ok(table)
    }

    fn items(&self, ground: Ground<'_>, list: &List, repeated: &Repeated<'_>) -> Table {
        let columns = align(ground, &list.items, &repeated.labels);
        let mut table = self.filled(&columns, &list.items, list.path);
        table.has_items = true;
        let mut last = (usize::MAX, 0);
        for row in &mut table.rows {
            last = (row.page, if row.page == last.0 { last.1 + 1 } else { 1 });
            row.item = last.1;
        }
        table
    }

    fn whole_pages(&self, ground: Ground<'_>, members: &[usize], repeated: &Repeated<'_>) -> Table {
        let is_list = |path: u32| repeated.lists.binary_search_by_key(&path, |list| list.path).is_ok();
        let units: Vec<Unit> = members
            .iter()
            .map(|&number| {
                let page = &self.pages[number];
                let mut in_list = vec![false; page.nodes.len()];
                for (at, node) in page.nodes.iter().enumerate().skip(1) {
                    in_list[at] = in_list[node.parent as usize] || is_list(node.path);
                }
                let lines = page.lines.iter().enumerate();
                let lines = lines.filter(|(_, line)| !in_list[line.node as usize]).map(|(at, _)| at as u32);
                Unit { page: number, root: 0, lines: lines.collect() }
            })
            .collect();
        self.filled(&align(ground, &units, &repeated.labels), &units, 0)
    }

    fn filled(&self, columns: &[Column<'_>], units: &[Unit], root: u32) -> Table {
        let rows = units.iter().enumerate().map(|(at, unit)| {
            let values = columns.iter().map(|column| column.values[at].clone()).collect();
            Row { page: unit.page, item: 0, values }
        });
        Table {
            columns: names::names(&self.paths, columns, root, &TAKEN),
            rows: rows.collect(),
            left_out: Vec::new(),
            has_items: false,
        }
    }
}
