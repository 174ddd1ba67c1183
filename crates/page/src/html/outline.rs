//! A page as blocks of text in a light tree.
//!
//! A block is one line of the visible text. The tree holds the elements around the blocks, not those inside a
//! line; it is built on the fly by the few rules of the standard that matter for it: void elements, end tags
//! that may be left out, end tags that match nothing. One pass over the page gives text, tree and, beside them,
//! what the page says about itself (`meta`).
//!
//! Depth, nodes and blocks are bounded: past a bound, text goes to what is there already, and none is lost.

use super::attributes::Attributes;
use super::element::Element;
use super::groups::{self, GROUPS, group};
use super::meta::Meta;
use super::rules::{Content, Rules};
use super::scan::{Sink, StartTag, scan};
use super::tag::{Kind as TagKind, Tag};
use super::writer::Kind;

/// Elements open at once; deeper ones are not kept.
const MAX_DEPTH: usize = 400;
/// Nodes and blocks of a page; real pages have some thousands. A block takes about 250 bytes and 7 µs.
pub(crate) const MAX_NODES: usize = 1 << 16;
/// How many open elements an end tag looks at.
const MAX_LOOK_UP: usize = 128;
/// No ancestor is in the group.
pub(crate) const FAR: u8 = 40;

/// An element around blocks.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) element: Element,
    /// A list with numbers.
    pub(crate) is_ordered: bool,
    pub(crate) depth: u16,
    /// Elements and classes from the root to here, hashed.
    pub(crate) path: u32,
    /// Levels up to the nearest element of each group; 0 is this one, `FAR` none.
    pub(crate) near: [u8; GROUPS],
}

impl Node {
    /// Whether it, or an element around it, is in a group.
    pub(crate) fn is_in(&self, group: u32) -> bool {
        self.near[group as usize] < FAR
    }
}

/// A line of text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) node: u32,
    /// Bytes of it in links and in bold type.
    pub(crate) link_bytes: usize,
    pub(crate) bold_bytes: usize,
    pub(crate) inline_tags: u32,
    /// Images and the like since the block before.
    pub(crate) voids_before: u32,
}

/// Text, blocks and tree of a page.
pub(crate) struct Outline {
    pub(crate) text: String,
    pub(crate) blocks: Vec<Block>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) meta: Meta,
}

impl Outline {
    /// The path of each block.
    pub(crate) fn paths(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().map(|block| self.nodes[block.node as usize].path)
    }

    /// The text without the title.
    pub(crate) fn body(&self) -> &str {
        self.blocks.first().map_or("", |first| &self.text[first.start..])
    }
}

/// Less text than this is not a page's content but a word to readers without script.
const LITTLE_BYTES: usize = 200;

/// Blocks that a page may have at most.
pub(crate) fn most_blocks(html: &[u8]) -> usize {
    memchr::memchr_iter(b'<', html).take(MAX_NODES).count()
}

/// Reads a page.
///
/// What stands in `noscript` is read only where there is little else: some forums put the whole page there for
/// readers without script, most pages a counter or a request to turn script on.
pub(crate) fn outline(html: &str) -> Outline {
    let page = read(html, false);
    if page.text.len() >= page.meta.title.len() + LITTLE_BYTES || !page.meta.has_noscript {
        return page;
    }
    let mut without_script = read(html, true);
    if without_script.text.len() < page.text.len() + LITTLE_BYTES {
        return page;
    }
    // The title is the one that everybody sees.
    without_script.meta.title = page.meta.title;
    without_script
}

fn read(html: &str, reads_noscript: bool) -> Outline {
    let mut text = String::new();
    let root =
        Node { parent: 0, element: Element::Html, is_ordered: false, depth: 0, path: 0, near: [FAR; GROUPS] };
    let mut builder = Builder {
        rules: Rules::new(&mut text),
        nodes: vec![root],
        open: vec![0],
        overflow: 0,
        blocks: Vec::new(),
        ended: 0,
        block: Block::default(),
        link: None,
        bold: 0,
        in_title: false,
        meta: Meta::default(),
        scratch: Vec::new(),
        reads_noscript,
    };
    scan(html, &mut builder);
    builder.end_link();
    builder.end_block();
    if builder.meta.title.is_empty() {
        builder.meta.title = builder.rules.late_title().to_owned();
    }
    let Builder { nodes, blocks, meta, .. } = builder;
    Outline { text, blocks, nodes, meta }
}

struct Builder<'out> {
    rules: Rules<'out>,
    nodes: Vec<Node>,
    open: Vec<u32>,
    /// Open elements past the greatest depth.
    overflow: usize,
    blocks: Vec<Block>,
    /// Where the last line ended.
    ended: usize,
    block: Block,
    /// Depth at which a link was opened.
    link: Option<usize>,
    bold: u32,
    in_title: bool,
    meta: Meta,
    scratch: Vec<u8>,
    reads_noscript: bool,
}

impl Builder<'_> {
    fn top(&self) -> u32 {
        self.open.last().copied().unwrap_or(0)
    }

    fn top_element(&self) -> Element {
        self.nodes[self.top() as usize].element
    }

    /// Ends the line; it is a block if there is text.
    fn end_block(&mut self) {
        let written = self.rules.written().len();
        if written == self.ended {
            return;
        }
        // A line end stands between two lines, the title's among them.
        let start = if self.ended == 0 { 0 } else { self.ended + 1 };
        self.ended = written;
        let mut block = std::mem::take(&mut self.block);
        if self.in_title {
            self.meta.title = self.rules.written()[start..].to_owned();
            return;
        }
        (block.start, block.end, block.node) = (start, written, self.top());
        let is_full = self.blocks.len() >= MAX_NODES;
        match self.blocks.last_mut() {
            Some(last) if is_full => last.end = written,
            _ => self.blocks.push(block),
        }
    }

    fn push(&mut self, element: Element, name: &[u8], attributes: &str) {
        if self.open.len() >= MAX_DEPTH || self.nodes.len() >= MAX_NODES {
            self.overflow += 1;
            return;
        }
        let parent = self.top();
        let above = &self.nodes[parent as usize];
        let mut near = above.near;
        near.iter_mut().for_each(|levels| *levels = (*levels + 1).min(FAR));
        let mut path = above.path.rotate_left(5) ^ (element as u32 + 1);
        path = path.wrapping_mul(0x9e37_79b1);
        let depth = above.depth + 1;
        let mut set = groups::by_element(element);
        for (name, value) in Attributes::new(attributes) {
            match name.len() {
                5 if name.eq_ignore_ascii_case("class") => {
                    set |= groups::by_words(value, &mut self.scratch);
                    for &byte in &self.scratch {
                        path = (path ^ u32::from(byte)).wrapping_mul(0x0100_0193);
                    }
                }
                2 if name.eq_ignore_ascii_case("id") => set |= groups::by_words(value, &mut self.scratch),
                4 if name.eq_ignore_ascii_case("role") => set |= groups::by_role(value),
                5 if name.eq_ignore_ascii_case("style") && hides(value) => set |= 1 << group::HIDDEN,
                6 if name.eq_ignore_ascii_case("hidden") => set |= 1 << group::HIDDEN,
                11 if name.eq_ignore_ascii_case("aria-hidden") && value.trim() == "true" => {
                    set |= 1 << group::HIDDEN
                }
                8 if name.eq_ignore_ascii_case("itemtype") => self.meta.item_type(value),
                8 if name.eq_ignore_ascii_case("itemprop") && value.eq_ignore_ascii_case("articleBody") => {
                    set |= 1 << group::ARTICLE;
                }
                _ => {}
            }
        }
        if self.link.is_some() {
            set |= 1 << group::LINK;
        }
        while set != 0 {
            near[set.trailing_zeros() as usize] = 0;
            set &= set - 1;
        }
        let node = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let is_ordered = element == Element::List && name.eq_ignore_ascii_case(b"ol");
        self.nodes.push(Node { parent, element, is_ordered, depth, path, near });
        self.open.push(node);
    }

    /// Closes the nearest open element that `is`, if it is in scope.
    fn close(&mut self, is: impl Fn(Element) -> bool, stops: impl Fn(Element) -> bool) {
        for (above, &node) in self.open.iter().skip(1).rev().take(MAX_LOOK_UP).enumerate() {
            let element = self.nodes[node as usize].element;
            if is(element) {
                self.open.truncate(self.open.len() - above - 1);
                if self.link.is_some_and(|depth| depth > self.open.len()) {
                    self.end_link();
                }
                return;
            }
            if stops(element) {
                return;
            }
        }
    }

    /// Closes what a start tag ends without a word.
    fn close_implied(&mut self, element: Element) {
        use Element::{Caption, Dd, Dl, Dt, Li, List, Option, P, Table, TableRows, Td, Th, Tr};
        let in_table = |found: Element| found == Table;
        match element {
            Li => self.close(|found| found == Li, |found| found == List || found.is_table_part()),
            Dd | Dt => {
                self.close(|found| matches!(found, Dd | Dt), |found| found == Dl || found.is_table_part())
            }
            Option => self.close(|found| found == Option, |found| found != Option),
            Td | Th => self.close(|found| matches!(found, Td | Th), |found| matches!(found, Tr | Table)),
            Tr => self.close(|found| found == Tr, in_table),
            TableRows => self.close(|found| matches!(found, TableRows | Caption), in_table),
            _ => {}
        }
        if self.top_element() == P {
            self.open.pop();
        }
    }

    fn end_link(&mut self) {
        if self.link.take().is_some() {
            self.meta.end_link(self.rules.written());
        }
    }
}

/// Is this element a node of the tree?
fn is_kept(tag: Tag, element: Element) -> bool {
    matches!(tag.kind, TagKind::Other | TagKind::Textarea | TagKind::Xmp | TagKind::Plaintext)
        && !element.is_void()
        && !element.is_inline()
        && !matches!(element, Element::Html | Element::Head)
}

/// Does a style say that the element is not shown?
fn hides(style: &str) -> bool {
    let style = style.as_bytes();
    let says = |property: &[u8], value: &[u8]| {
        style.windows(property.len()).position(|part| part.eq_ignore_ascii_case(property)).is_some_and(|at| {
            let rest = style[at + property.len()..].trim_ascii_start();
            rest.strip_prefix(b":").is_some_and(|rest| {
                rest.trim_ascii_start()
                    .get(..value.len())
                    .is_some_and(|found| found.eq_ignore_ascii_case(value))
            })
        })
    };
    style.len() < 512 && (says(b"display", b"none") || says(b"visibility", b"hidden"))
}

impl Sink for Builder<'_> {
    fn text(&mut self, text: &str, kind: Kind) {
        let before = self.rules.written().len();
        self.rules.text(text, kind);
        let bytes = self.rules.written().len() - before;
        if bytes > 0 {
            self.block.link_bytes += if self.link.is_some() { bytes } else { 0 };
            self.block.bold_bytes += if self.bold > 0 { bytes } else { 0 };
        }
    }

    fn start_tag(&mut self, tag: StartTag<'_>) -> Content {
        let in_svg = self.rules.is_in_svg() && !tag.tag.leaves_svg;
        if in_svg || self.rules.is_hidden() {
            return self.rules.start_tag(tag.tag, tag.self_closing);
        }
        if tag.tag.ends_line {
            self.end_block();
        }
        if tag.name.eq_ignore_ascii_case(b"noscript") {
            self.meta.has_noscript = true;
            if self.reads_noscript {
                return Content::Markup;
            }
        }
        let element = Element::of(tag.name);
        self.meta.start_tag(element, tag.attributes);
        match element {
            Element::A => {
                self.end_link();
                if self.meta.start_link(tag.attributes, self.rules.written().len()) {
                    self.link = Some(self.open.len());
                }
            }
            Element::Bold => self.bold = self.bold.saturating_add(1),
            Element::Void => self.block.voids_before += 1,
            _ => {}
        }
        if element.is_inline() {
            self.block.inline_tags += 1;
        } else if is_kept(tag.tag, element) {
            self.close_implied(element);
            self.push(element, tag.name, tag.attributes);
        } else if element == Element::Hr && self.top_element() == Element::P {
            self.open.pop();
        }
        // A title after other text is not written with it.
        self.in_title = tag.tag.kind == TagKind::Title && self.rules.written().is_empty();
        self.rules.start_tag(tag.tag, tag.self_closing)
    }

    fn end_tag(&mut self, tag: Tag, name: &[u8]) {
        let was_hidden = self.rules.is_hidden();
        let element = Element::of(name);
        if !was_hidden && (tag.ends_line || self.in_title) {
            self.end_block();
        }
        self.rules.end_tag(tag);
        self.in_title = false;
        if was_hidden || self.rules.is_hidden() {
            return;
        }
        match element {
            Element::A => self.end_link(),
            Element::Bold => self.bold = self.bold.saturating_sub(1),
            _ if !is_kept(tag, element) || element == Element::Body => {}
            _ if self.overflow > 0 => self.overflow -= 1,
            _ if element.is_table_part() => {
                self.close(|found| found == element, |found| found == Element::Table)
            }
            _ if element.heading_level() > 0 => {
                self.close(|found| found.heading_level() > 0, Element::is_table_part);
            }
            _ => self.close(|found| found == element, Element::is_table_part),
        }
    }

    fn is_in_svg(&self) -> bool {
        self.rules.is_in_svg()
    }
}
