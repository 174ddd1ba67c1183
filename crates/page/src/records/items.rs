//! What a page repeats: elements of one path side by side, alike in their fields and not in what they say.
//!
//! Rows of a label and a value repeat, too, but name one field each: their labels recur from page to page, and the names
//! of products or the authors of reviews do not.

use super::align::{Ground, align};
use super::labels::front;
use super::unit::{Unit, nearly_all};
use crate::html::slots::{Line, Slots};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A list of items.
pub(super) struct List {
    pub(super) path: u32,
    pub(super) items: Vec<Unit>,
    /// Bytes of text in it that are not template.
    pub(super) mass: usize,
}

/// What the pages repeat.
#[derive(Default)]
pub(super) struct Repeated<'a> {
    /// Lists of items, by path.
    pub(super) lists: Vec<List>,
    /// Labels of rows that are no items, with their paths.
    pub(super) labels: HashSet<(u32, &'a str)>,
    /// Bytes of all text that is not template.
    pub(super) mass: usize,
}

impl Repeated<'_> {
    /// The list that has the most to say; of lists in each other the innermost that has nearly all of it.
    pub(super) fn main(&self, ground: Ground<'_>) -> Option<&List> {
        let most = self.lists.iter().map(|list| list.mass).max()?;
        let rich = self.lists.iter().filter(|list| list.mass * 5 >= most * 4);
        rich.max_by_key(|list| (ground.paths.depth(list.path), list.mass, u32::MAX - list.path))
    }
}

/// Finds what these pages repeat.
pub(super) fn repeated<'a>(ground: Ground<'a>, members: &[usize]) -> Repeated<'a> {
    let template = template_lines(ground, members);
    let is_template =
        |page: &'a Slots, line: &Line| template.contains(&(page.path(line), page.text(page.pieces(line))));
    let mut lists: BTreeMap<u32, List> =
        candidates(ground, members).into_iter().map(|path| (path, empty(path))).collect();
    let mut repeated = Repeated::default();
    for &number in members {
        let page = &ground.pages[number];
        let mut open: HashMap<u32, usize> = HashMap::new();
        for (at, line) in page.lines.iter().enumerate() {
            let mass = if is_template(page, line) { 0 } else { page.text(page.pieces(line)).len() };
            let is_title = &*ground.paths.step(page.path(line)).tag == "title";
            repeated.mass += if is_title { 0 } else { mass };
            let mut node = line.node;
            while node != 0 {
                if let Some(list) = lists.get_mut(&page.nodes[node as usize].path) {
                    let item = *open.entry(node).or_insert_with(|| {
                        list.items.push(Unit { page: number, root: node, lines: Vec::new() });
                        list.items.len() - 1
                    });
                    list.items[item].lines.push(at as u32);
                    list.mass += mass;
                }
                node = page.nodes[node as usize].parent;
            }
        }
    }
    for mut list in lists.into_values() {
        list.items.retain(|item| {
            let page = &ground.pages[item.page];
            item.lines(page).any(|line| !is_template(page, line))
        });
        match labels_of(ground, &list) {
            Some(labels) => repeated.labels.extend(labels),
            None if has_fields(ground, &list) => repeated.lists.push(list),
            None => {}
        }
    }
    repeated
}

fn empty(path: u32) -> List {
    List { path, items: Vec::new(), mass: 0 }
}

/// Lines that nearly all pages have.
fn template_lines<'a>(ground: Ground<'a>, members: &[usize]) -> HashSet<(u32, &'a str)> {
    let mut counts: HashMap<(u32, &'a str), usize> = HashMap::new();
    for &number in members {
        let page = &ground.pages[number];
        let lines: HashSet<(u32, &'a str)> =
            page.lines.iter().map(|line| (page.path(line), page.text(page.pieces(line)))).collect();
        lines.into_iter().for_each(|line| *counts.entry(line).or_default() += 1);
    }
    let all = nearly_all(members.len());
    counts.into_iter().filter(|(_, count)| *count >= all).map(|(line, _)| line).collect()
}

/// Paths of elements that stand side by side on some page, and are more than one and a half a page.
fn candidates(ground: Ground<'_>, members: &[usize]) -> Vec<u32> {
    #[derive(Default)]
    struct Seen {
        elements: usize,
        pages: usize,
        repeats: bool,
    }
    let mut seen: BTreeMap<u32, Seen> = BTreeMap::new();
    for &number in members {
        let page = &ground.pages[number];
        let mut has_text = vec![false; page.nodes.len()];
        for line in &page.lines {
            has_text[line.node as usize] = true;
        }
        // Parents come before their children.
        for node in (1..page.nodes.len()).rev() {
            if has_text[node] {
                has_text[page.nodes[node].parent as usize] = true;
            }
        }
        let mut beside: HashMap<(u32, u32), usize> = HashMap::new();
        let mut here: HashSet<u32> = HashSet::new();
        for (node, _) in page.nodes.iter().zip(&has_text).skip(1).filter(|(_, has_text)| **has_text) {
            let seen = seen.entry(node.path).or_default();
            let count = beside.entry((node.parent, node.path)).or_default();
            *count += 1;
            seen.elements += 1;
            seen.repeats |= *count > 1;
            seen.pages += usize::from(here.insert(node.path));
        }
    }
    let is_list = |seen: &Seen| seen.repeats && seen.elements * 2 >= seen.pages * 3;
    seen.into_iter().filter(|(_, seen)| is_list(seen)).map(|(path, _)| path).collect()
}

/// The labels of a list that is rows of label and value.
fn labels_of<'a>(ground: Ground<'a>, list: &List) -> Option<HashSet<(u32, &'a str)>> {
    let mut firsts: Vec<(usize, u32, &'a str)> = Vec::new();
    for item in &list.items {
        let page: &'a Slots = &ground.pages[item.page];
        let line = item.lines(page).next()?;
        let pieces = page.pieces(line);
        let mut texts = pieces.iter().filter(|piece| !piece.is_attribute);
        let text = match front(page, pieces) {
            Some((label, _)) => label,
            None if texts.clone().count() > 1 => texts.next().map_or("", |first| page.piece(first)),
            None if item.lines.len() > 1 => page.text(pieces).trim_end_matches(':'),
            None => continue,
        };
        if !text.starts_with(|char: char| char.is_ascii_digit()) {
            firsts.push((item.page, page.path(line), text));
        }
    }
    let total = firsts.len();
    if total < 2 || total * 10 < list.items.len() * 9 {
        return None;
    }
    firsts.sort_unstable();
    firsts.dedup();
    let is_once_a_page = firsts.len() == total;
    let labels: HashSet<(u32, &'a str)> = firsts.into_iter().map(|(_, path, text)| (path, text)).collect();
    (is_once_a_page && total * 2 >= labels.len() * 3).then_some(labels)
}

/// Do the items have two fields or more, that most of them fill?
fn has_fields(ground: Ground<'_>, list: &List) -> bool {
    if list.items.len() < 2 {
        return false;
    }
    let columns = align(ground, &list.items, &HashSet::new());
    let texts: Vec<_> = columns.iter().filter(|column| !column.is_attribute).collect();
    let cells = texts.len() * list.items.len();
    let filled = texts.iter().flat_map(|column| &column.values).filter(|value| !value.is_empty()).count();
    texts.len() > 1 && filled * 3 >= cells * 2
}
