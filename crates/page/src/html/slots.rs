//! A page as the slots of a template: lines of text in the elements around them, cut where inline elements begin and end.
//!
//! Where the outline is made to weigh lines, this is made to lay pages over each other: every element counts, inline ones
//! with their classes too, and what attributes say in place of text (`itemprop` with `content`, `datetime`, the target of
//! a link) is a slot of its own. The few rules of the standard that matter for the tree are those of the outline.

use super::attributes::Attributes;
use super::element::Element;
use super::meta::decoded;
use super::paths::{Names, Paths};
use super::rules::{Content, Rules};
use super::scan::{Sink, StartTag, scan};
use super::tag::{Kind as TagKind, Tag};
use super::writer::Kind;
use std::ops::Range;

/// Elements open at once; deeper ones are not kept.
const MAX_DEPTH: usize = 400;
/// Nodes and pieces of a page; real pages have some thousands.
const MAX_NODES: usize = 1 << 19;
/// How many open elements a tag looks at.
const MAX_LOOK_UP: usize = 128;

/// An element around lines. Parents come before their children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) path: u32,
}

/// A stretch of a line that no inline tag cuts, or the value of an attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) path: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) is_attribute: bool,
}

/// A line of text and the innermost element around it.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) node: u32,
    pub(crate) pieces: Range<usize>,
}

/// The slots of a page and what they hold.
#[derive(Debug)]
pub(crate) struct Slots {
    text: String,
    pub(crate) nodes: Vec<Node>,
    pub(crate) lines: Vec<Line>,
    pieces: Vec<Piece>,
}

impl Slots {
    pub(crate) fn pieces(&self, line: &Line) -> &[Piece] {
        &self.pieces[line.pieces.clone()]
    }

    pub(crate) fn piece(&self, piece: &Piece) -> &str {
        self.text[piece.start..piece.end].trim()
    }

    /// The text of some pieces of a line, with what stands between them.
    pub(crate) fn text(&self, pieces: &[Piece]) -> &str {
        let mut texts = pieces.iter().filter(|piece| !piece.is_attribute);
        let Some(first) = texts.next() else { return "" };
        let last = texts.next_back().unwrap_or(first);
        self.text[first.start..last.end].trim()
    }

    pub(crate) fn path(&self, line: &Line) -> u32 {
        self.nodes[line.node as usize].path
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len()
            + self.nodes.len() * size_of::<Node>()
            + self.lines.len() * size_of::<Line>()
            + self.pieces.len() * size_of::<Piece>()
    }
}

/// Reads a page.
pub(crate) fn slots(html: &str, paths: &mut Paths) -> Slots {
    let mut text = String::new();
    let mut builder = Builder {
        rules: Rules::new(&mut text),
        paths,
        values: String::new(),
        nodes: vec![Node { parent: 0, path: 0 }],
        open: Vec::new(),
        overflow: 0,
        lines: Vec::new(),
        pieces: Vec::new(),
        line_start: 0,
    };
    scan(html, &mut builder);
    builder.end_line();
    let Builder { values, mut nodes, mut lines, mut pieces, .. } = builder;
    for piece in pieces.iter_mut().filter(|piece| piece.is_attribute) {
        piece.start += text.len();
        piece.end += text.len();
    }
    text.push_str(&values);
    text.shrink_to_fit();
    nodes.shrink_to_fit();
    lines.shrink_to_fit();
    pieces.shrink_to_fit();
    Slots { text, nodes, lines, pieces }
}

/// An open element; inline ones are no nodes.
struct Open {
    element: Element,
    name: u128,
    path: u32,
    node: Option<u32>,
}

struct Builder<'a> {
    rules: Rules<'a>,
    paths: &'a mut Paths,
    /// Values of attributes.
    values: String,
    nodes: Vec<Node>,
    open: Vec<Open>,
    /// Open blocks past the greatest depth.
    overflow: usize,
    lines: Vec<Line>,
    pieces: Vec<Piece>,
    /// The first piece of the line.
    line_start: usize,
}

impl Builder<'_> {
    fn node(&self) -> u32 {
        self.open.iter().rev().find_map(|open| open.node).unwrap_or(0)
    }

    fn path(&self) -> u32 {
        self.open.last().map_or(0, |open| open.path)
    }

    fn end_line(&mut self) {
        if self.pieces.len() > self.line_start {
            self.lines.push(Line { node: self.node(), pieces: self.line_start..self.pieces.len() });
            self.line_start = self.pieces.len();
        }
    }

    fn push_piece(&mut self, piece: Piece) {
        if self.pieces.len() < MAX_NODES {
            self.pieces.push(piece);
        }
    }

    fn attribute(&mut self, path: u32, value: &str) {
        let start = self.values.len();
        self.values.push_str(&decoded(value));
        let end = self.values.len();
        if end > start {
            self.push_piece(Piece { path, start, end, is_attribute: true });
        }
    }

    /// Closes the nearest open element that `is`, and all in it.
    fn close(&mut self, is: impl Fn(&Open) -> bool, stops: impl Fn(&Open) -> bool) {
        for at in (0..self.open.len()).rev().take(MAX_LOOK_UP) {
            if is(&self.open[at]) {
                self.open.truncate(at);
                return;
            }
            if stops(&self.open[at]) {
                return;
            }
        }
    }

    /// Closes what a start tag ends without a word.
    fn close_implied(&mut self, element: Element) {
        use Element::{Caption, Dd, Dl, Dt, Li, List, Option, P, Table, TableRows, Td, Th, Tr};
        let is = |kinds: &'static [Element]| move |open: &Open| kinds.contains(&open.element);
        let in_table = is(&[Table]);
        match element {
            Li => self.close(is(&[Li]), |open| open.element == List || open.element.is_table_part()),
            Dd | Dt => self.close(is(&[Dd, Dt]), |open| open.element == Dl || open.element.is_table_part()),
            Option => self.close(is(&[Option]), |open| open.element != Option),
            Td | Th => self.close(is(&[Td, Th]), is(&[Tr, Table])),
            Tr => self.close(is(&[Tr]), in_table),
            TableRows => self.close(is(&[TableRows, Caption]), in_table),
            _ => {}
        }
        self.close(is(&[P]), |open| open.node.is_some());
    }

    fn push(&mut self, element: Element, name: &[u8], path: u32, is_node: bool) {
        if self.open.len() >= MAX_DEPTH || self.nodes.len() >= MAX_NODES {
            self.overflow += usize::from(is_node);
            return;
        }
        let node = is_node.then(|| {
            self.nodes.push(Node { parent: self.node(), path });
            self.nodes.len() as u32 - 1
        });
        self.open.push(Open { element, name: packed(name), path, node });
    }
}

/// A name in lower case as a number; what is past sixteen bytes does not count.
fn packed(name: &[u8]) -> u128 {
    name.iter().take(16).fold(0, |packed, byte| packed << 8 | u128::from(byte.to_ascii_lowercase()))
}

/// Elements that every page has once and that say nothing about a place in it.
fn is_frame(element: Element) -> bool {
    matches!(element, Element::Html | Element::Head | Element::Body)
}

impl Sink for Builder<'_> {
    fn text(&mut self, text: &str, kind: Kind) {
        let start = self.rules.written().len();
        self.rules.text(text, kind);
        let end = self.rules.written().len();
        if !self.rules.written()[start..end].trim().is_empty() {
            let path = self.path();
            self.push_piece(Piece { path, start, end, is_attribute: false });
        }
    }

    fn start_tag(&mut self, tag: StartTag<'_>) -> Content {
        let in_svg = self.rules.is_in_svg() && !tag.tag.leaves_svg;
        let element = Element::of(tag.name);
        if in_svg || self.rules.is_hidden() || is_frame(element) {
            return self.rules.start_tag(tag.tag, tag.self_closing);
        }
        let is_title = tag.tag.kind == TagKind::Title;
        let is_node = tag.tag.ends_line || is_title;
        if is_node {
            self.end_line();
        }
        let mut names = Names::default();
        let (mut content, mut target, mut time) = ("", "", "");
        for (name, value) in Attributes::new(tag.attributes) {
            match name.to_ascii_lowercase().as_str() {
                "itemprop" => names.itemprop = value,
                "class" => names.class = value,
                "id" => names.id = value,
                "content" => content = value,
                "href" => target = value,
                "datetime" => time = value,
                _ => {}
            }
        }
        if is_node && !element.is_void() {
            self.close_implied(element);
        }
        let path = self.paths.below(self.path(), tag.name, names);
        let value = match element {
            _ if !names.itemprop.is_empty() && !content.is_empty() => content,
            Element::A => target,
            Element::Link if !names.itemprop.is_empty() => target,
            _ => time,
        };
        self.attribute(path, value);
        let has_content =
            matches!(tag.tag.kind, TagKind::Other | TagKind::Title | TagKind::Textarea | TagKind::Xmp);
        if has_content && !element.is_void() {
            self.push(element, tag.name, path, is_node);
        }
        self.rules.start_tag(tag.tag, tag.self_closing)
    }

    fn end_tag(&mut self, tag: Tag, name: &[u8]) {
        let was_hidden = self.rules.is_hidden();
        let is_title = tag.kind == TagKind::Title;
        let is_node = tag.ends_line || is_title;
        let element = Element::of(name);
        if !was_hidden && is_node {
            self.end_line();
        }
        self.rules.end_tag(tag);
        if was_hidden || self.rules.is_hidden() || element.is_void() || is_frame(element) {
            return;
        }
        let packed = packed(name);
        if !is_node {
            // An inline end tag does not reach out of the block it stands in.
            self.close(|open| open.node.is_none() && open.name == packed, |open| open.node.is_some());
        } else if self.overflow > 0 {
            self.overflow -= 1;
        } else if element.is_table_part() {
            self.close(|open| open.element == element, |open| open.element == Element::Table);
        } else if element.heading_level() > 0 {
            self.close(|open| open.element.heading_level() > 0, |open| open.element.is_table_part());
        } else {
            self.close(|open| open.name == packed, |open| open.element.is_table_part());
        }
    }

    fn is_in_svg(&self) -> bool {
        self.rules.is_in_svg()
    }
}
