//! What is measured of each block.
//!
//! One row of small integers a block, so that the model's answer is the same on every machine. A row speaks of
//! the line itself, of the elements around it, of the lines before and after it, of all lines that share its
//! path of elements and classes, of the containers it stands in, and of the page.

use std::collections::HashMap;

use super::lexicon::{self, SIGNS};
use crate::html::element::Element;
use crate::html::groups::group;
use crate::html::outline::{Block, Node, Outline};

/// One block's row.
type Row = Vec<i16>;

/// The containers looked at above a block.
const LEVELS: usize = 6;
/// Neighbours looked at, before and after.
const NEIGHBOURS: usize = 3;

/// Signs that often stand where the content ends: comments, related pages, shares, tags, subscriptions, authors.
const ENDINGS: [usize; 6] = [5, 8, 4, 14, 2, 10];

/// What is counted of a line alone.
#[derive(Clone, Default)]
struct Line {
    words: u32,
    chars: u32,
    link_chars: u32,
    function_words: u32,
    sentences: u32,
    commas: u32,
    digits: u32,
    capitals: u32,
    ends_sentence: bool,
    hash: u64,
    signs: [u8; SIGNS],
}

/// Sums over lines.
#[derive(Clone, Copy, Default)]
struct Sum {
    blocks: u32,
    words: u32,
    link_words: u32,
    function_words: u32,
    sentences: u32,
    /// Words in lines of at least ten that are not links.
    text_words: u32,
}

impl Sum {
    fn add(&mut self, line: &Line) {
        self.blocks += 1;
        self.words += line.words;
        self.link_words += line.link_words();
        self.function_words += line.function_words;
        self.sentences += line.sentences;
        self.text_words += line.text_words();
    }

    fn merge(&mut self, other: &Sum) {
        self.blocks += other.blocks;
        self.words += other.words;
        self.link_words += other.link_words;
        self.function_words += other.function_words;
        self.sentences += other.sentences;
        self.text_words += other.text_words;
    }

    fn without(&self, other: &Sum) -> Sum {
        Sum {
            blocks: self.blocks - other.blocks,
            words: self.words - other.words,
            link_words: self.link_words - other.link_words,
            function_words: self.function_words - other.function_words,
            sentences: self.sentences - other.sentences,
            text_words: self.text_words - other.text_words,
        }
    }
}

impl Line {
    fn link_words(&self) -> u32 {
        share(self.link_chars, self.chars, self.words)
    }

    fn text_words(&self) -> u32 {
        if self.words >= 10 && self.link_chars * 2 < self.chars { self.words } else { 0 }
    }

    fn read(text: &str, link_bytes: usize) -> Line {
        let mut line = Line { signs: lexicon::signs(text), ..Line::default() };
        for word in text.split(' ') {
            line.words += 1;
            line.function_words += u32::from(lexicon::is_function_word(word));
            line.capitals += u32::from(word.starts_with(char::is_uppercase));
            line.sentences += u32::from(word.ends_with(['.', '!', '?', '。', '！', '？']));
            line.commas += u32::from(word.ends_with([',', ';', '、', '，']));
        }
        let mut wide = 0;
        for char in text.chars() {
            line.chars += 1;
            wide += u32::from(char >= '\u{2e80}');
            line.digits += u32::from(char.is_ascii_digit());
            line.hash = (line.hash ^ u64::from(u32::from(char))).wrapping_mul(0x0000_0100_0000_01b3);
        }
        // Scripts without blanks: two characters a word.
        line.words += wide / 2;
        line.ends_sentence =
            text.trim_end_matches(['"', '”', '’', '\'', ')', '»']).ends_with(['.', '!', '?', ':', '。']);
        line.link_chars = share(
            u32::try_from(link_bytes.min(text.len())).unwrap_or(u32::MAX),
            text.len() as u32,
            line.chars,
        );
        line
    }
}

/// `of · part / whole`, 0 where there is no whole.
fn share(part: u32, whole: u32, of: u32) -> u32 {
    if whole == 0 { 0 } else { (u64::from(of) * u64::from(part) / u64::from(whole)) as u32 }
}

/// A share in thousandths.
fn permille(part: u32, whole: u32) -> i16 {
    share(part, whole, 1000).min(1000) as i16
}

fn small(number: impl TryInto<i16>) -> i16 {
    number.try_into().unwrap_or(i16::MAX)
}

/// 16 · log₂(1 + n), in integers: large counts differ by their ratio.
fn scale(number: u32) -> i16 {
    let number = number.saturating_add(1);
    let whole = number.ilog2();
    let rest = if whole >= 4 { (number >> (whole - 4)) & 15 } else { (number << (4 - whole)) & 15 };
    (whole * 16 + rest) as i16
}

/// Calls `take` with the row of each block, in order, and the words of its line.
pub(super) fn each_row(outline: &Outline, mut take: impl FnMut(&[i16], u32)) {
    let read = |block: &Block| Line::read(&outline.text[block.start..block.end], block.link_bytes);
    let lines: Vec<Line> = outline.blocks.iter().map(read).collect();
    let page = Page::read(outline, &lines);
    let mut words_before = 0;
    let mut since_heading = 0u32;
    let mut heading_words = 0u32;
    let mut heading_signs = [0; ENDINGS.len()];
    let mut since_sign = [i16::MAX; ENDINGS.len()];
    let mut row = Row::with_capacity(256);
    for (index, line) in lines.iter().enumerate() {
        let node = page.node(index);
        if node.element.heading_level() > 0 {
            since_heading = 0;
            heading_words = line.words;
            heading_signs = ENDINGS.map(|sign| line.signs[sign]);
        }
        for (since, sign) in since_sign.iter_mut().zip(ENDINGS) {
            *since = if line.words <= 8 && line.signs[sign] > 0 { 0 } else { since.saturating_add(1) };
        }
        row.clear();
        page.push_own(&mut row, index);
        row.extend(node.near.iter().map(|&levels| i16::from(levels)));
        page.push_place(&mut row, index, words_before);
        row.extend([small(since_heading), small(heading_words)]);
        row.extend(heading_signs.map(i16::from));
        row.extend(since_sign);
        page.push_core(&mut row, index);
        page.push_neighbours(&mut row, index);
        page.push_containers(&mut row, index);
        page.push_page(&mut row);
        take(&row, line.words);
        words_before += line.words;
        since_heading = since_heading.saturating_add(1);
    }
}

struct Page<'a> {
    outline: &'a Outline,
    lines: &'a [Line],
    /// Sums below each node.
    below: Vec<Sum>,
    all: Sum,
    /// Sums over the lines that share a path.
    by_path: HashMap<u32, Sum>,
    /// How often each line occurs.
    repeats: HashMap<u64, u32>,
    /// Sums of the first n lines.
    prefix: Vec<Sum>,
    title: Vec<u64>,
    first_h1: Option<usize>,
    title_line: Option<usize>,
    elements: [u32; 6],
    /// The deepest node with most of the words that are text.
    heart: u32,
    core: Core,
}

/// The element that holds the most text directly, or one level down, and where its lines are.
#[derive(Clone, Copy, Default)]
struct Core {
    node: u32,
    path: u32,
    first: usize,
    last: usize,
    text_words: u32,
}

impl<'a> Page<'a> {
    fn read(outline: &'a Outline, lines: &'a [Line]) -> Page<'a> {
        let mut below = vec![Sum::default(); outline.nodes.len()];
        let mut by_path = HashMap::<u32, Sum>::new();
        let mut repeats = HashMap::<u64, u32>::new();
        let mut prefix = Vec::with_capacity(lines.len() + 1);
        let mut all = Sum::default();
        prefix.push(all);
        for (block, line) in outline.blocks.iter().zip(lines) {
            below[block.node as usize].add(line);
            by_path.entry(outline.nodes[block.node as usize].path).or_default().add(line);
            *repeats.entry(line.hash).or_default() += 1;
            all.add(line);
            prefix.push(all);
        }
        let mut elements = [0; 6];
        for (index, node) in outline.nodes.iter().enumerate().skip(1).rev() {
            let sum = below[index];
            below[node.parent as usize].merge(&sum);
            match node.element {
                Element::Article => elements[0] += 1,
                Element::Main => elements[1] += 1,
                Element::P => elements[2] += 1,
                Element::Li => elements[3] += 1,
                Element::Tr => elements[4] += 1,
                element if element.heading_level() > 0 => elements[5] += 1,
                _ => {}
            }
        }
        let title: Vec<u64> = words_of(&outline.meta.title).collect();
        let mut page = Page {
            outline,
            lines,
            below,
            all,
            by_path,
            repeats,
            prefix,
            title,
            first_h1: None,
            title_line: None,
            elements,
            heart: 0,
            core: Core::default(),
        };
        page.first_h1 = (0..lines.len()).find(|&index| page.node(index).element == Element::H1);
        page.title_line = page.line_of_title();
        page.heart = page.find_heart();
        page.core = page.find_core();
        page
    }

    /// The first of the greatest, so there is one answer.
    fn find_core(&self) -> Core {
        let mut direct = vec![0u32; self.outline.nodes.len()];
        let mut by_path: (u32, u32) = (0, 0);
        for (index, line) in self.lines.iter().enumerate() {
            direct[self.core_of(index) as usize] += line.text_words();
            let path = self.node(index).path;
            let words = self.by_path.get(&path).map_or(0, |sum| sum.text_words);
            if words > by_path.0 {
                by_path = (words, path);
            }
        }
        let mut core = Core { path: by_path.1, ..Core::default() };
        for (node, &words) in direct.iter().enumerate() {
            if words > core.text_words {
                (core.node, core.text_words) = (node as u32, words);
            }
        }
        let is_in = |index: &usize| self.core_of(*index) == core.node && self.lines[*index].text_words() > 0;
        core.first = (0..self.lines.len()).find(is_in).unwrap_or(0);
        core.last = (0..self.lines.len()).rfind(is_in).unwrap_or(0);
        core
    }

    /// The element a line counts for: the one around its own.
    fn core_of(&self, index: usize) -> u32 {
        let node = self.outline.blocks[index].node;
        match self.outline.nodes[node as usize].element {
            Element::P | Element::Li | Element::Pre | Element::Blockquote | Element::Td | Element::Dd => {
                self.outline.nodes[node as usize].parent
            }
            _ => node,
        }
    }

    fn push_core(&self, row: &mut Row, index: usize) {
        // Levels from the line and from the core to the element that holds both.
        let (mut line, mut core) = (self.outline.blocks[index].node, self.core.node);
        let (mut up, mut down) = (0, 0);
        while line != core {
            // Parents come before children.
            if line > core {
                line = self.outline.nodes[line as usize].parent;
                up += 1;
            } else {
                core = self.outline.nodes[core as usize].parent;
                down += 1;
            }
        }
        let outside = if index < self.core.first {
            -small(self.core.first - index)
        } else {
            small(index.saturating_sub(self.core.last))
        };
        row.extend([
            up,
            down,
            outside,
            i16::from(self.node(index).path == self.core.path),
            permille(self.core.text_words, self.all.text_words),
            permille(self.below[line as usize].words, self.all.words),
        ]);
    }

    /// Nodes come before those in them, so the last that holds enough is the deepest.
    fn find_heart(&self) -> u32 {
        let needed = self.all.text_words / 2 + 1;
        self.below.iter().rposition(|sum| sum.text_words >= needed).unwrap_or(0) as u32
    }

    fn node(&self, index: usize) -> &'a Node {
        &self.outline.nodes[self.outline.blocks[index].node as usize]
    }

    fn text(&self, index: usize) -> &'a str {
        &self.outline.text[self.outline.blocks[index].start..self.outline.blocks[index].end]
    }

    /// The share of the title's words in a line and of the line's in the title, the smaller of both.
    fn title_share(&self, index: usize) -> i16 {
        if self.title.is_empty() || self.lines[index].words > 40 {
            return 0;
        }
        let common = words_of(self.text(index)).filter(|word| self.title.contains(word)).count() as u32;
        permille(common, self.lines[index].words)
    }

    /// The line that says most of the title: where the page's own matter often begins.
    fn line_of_title(&self) -> Option<usize> {
        let mut best = (499, 0, None);
        for index in 0..self.lines.len() {
            let line = &self.lines[index];
            if line.words < 2 || line.words > 40 {
                continue;
            }
            let level = 6 - i16::from(self.node(index).element.heading_level()).min(5);
            let is_heading = self.node(index).element.heading_level() > 0;
            let covered = words_of(self.text(index)).filter(|word| self.title.contains(word)).count() as u32;
            let share = self.title_share(index).min(permille(covered, self.title.len() as u32) + 300);
            let rank = if is_heading { level } else { 0 };
            if (share, rank) > (best.0, best.1) {
                best = (share, rank, Some(index));
            }
        }
        best.2
    }

    fn push_own(&self, row: &mut Row, index: usize) {
        let (line, block, node) = (&self.lines[index], &self.outline.blocks[index], self.node(index));
        row.extend([
            small(line.words),
            small(line.chars),
            small(share(10, line.words, line.chars)),
            permille(line.link_chars, line.chars),
            permille(line.function_words, line.words),
            small(line.sentences),
            small(line.commas),
            permille(line.digits, line.chars),
            permille(line.capitals, line.words),
            i16::from(line.ends_sentence),
            permille(block.bold_bytes.min(1 << 20) as u32, (block.end - block.start).min(1 << 20) as u32),
            small(block.inline_tags),
            small(block.voids_before),
            i16::from(node.element.heading_level()),
            node.element as i16,
            self.outline.nodes[node.parent as usize].element as i16,
            small(node.depth),
            small(self.repeats.get(&line.hash).copied().unwrap_or(0)),
            self.title_share(index),
            i16::from(line.words > 0 && !self.text(index).contains(char::is_lowercase)),
        ]);
        row.extend(line.signs.iter().map(|&count| i16::from(count)));
        let path = self.by_path.get(&node.path).copied().unwrap_or_default();
        self.push_sum(row, &path);
    }

    fn push_sum(&self, row: &mut Row, sum: &Sum) {
        row.extend([
            scale(sum.blocks),
            scale(sum.words),
            permille(sum.link_words, sum.words),
            small(share(10, sum.blocks, sum.words)),
            permille(sum.function_words, sum.words),
            permille(sum.text_words, self.all.text_words),
        ]);
    }

    fn push_place(&self, row: &mut Row, index: usize, words_before: u32) {
        let distance = |from: Option<usize>| {
            from.map_or(i16::MIN, |from| small((index as i64 - from as i64).clamp(-9999, 9999)))
        };
        row.extend([
            permille(index as u32, self.lines.len() as u32),
            permille(words_before, self.all.words),
            small(index),
            small(self.lines.len() - index),
            distance(self.first_h1),
            distance(self.title_line),
        ]);
    }

    fn push_neighbours(&self, row: &mut Row, index: usize) {
        let node = self.outline.blocks[index].node;
        for step in 1..=NEIGHBOURS {
            for other in [index.checked_sub(step), Some(index + step)] {
                match other.filter(|&other| other < self.lines.len()) {
                    Some(other) => {
                        let (line, block) = (&self.lines[other], &self.outline.blocks[other]);
                        row.extend([
                            small(line.words),
                            permille(line.link_chars, line.chars),
                            permille(line.function_words, line.words),
                            self.node(other).element as i16,
                            i16::from(block.node == node)
                                + 2 * i16::from(
                                    self.node(other).parent == self.outline.nodes[node as usize].parent,
                                )
                                + 4 * i16::from(
                                    self.node(other).path == self.outline.nodes[node as usize].path,
                                ),
                        ]);
                    }
                    None => row.extend([-1; 5]),
                }
            }
        }
        for reach in [4, 10] {
            for (start, end) in [(index.saturating_sub(reach), index), (index + 1, index + 1 + reach)] {
                let (start, end) = (start.min(self.lines.len()), end.min(self.lines.len()));
                let sum = self.prefix[end].without(&self.prefix[start]);
                row.extend([
                    small(sum.words),
                    permille(sum.link_words, sum.words),
                    permille(sum.function_words, sum.words),
                    small(sum.text_words),
                ]);
            }
        }
    }

    /// The containers of a block from the innermost out, the root for those there are not. A container that
    /// holds no more words than the one in it tells nothing new and is passed over.
    fn containers(&self, index: usize) -> [u32; LEVELS] {
        let mut found = [0; LEVELS];
        let mut at = self.outline.blocks[index].node;
        let mut last_words = u32::MAX;
        let mut levels = 0;
        while levels < LEVELS && at != 0 {
            let words = self.below[at as usize].words;
            if words != last_words {
                last_words = words;
                found[levels] = at;
                levels += 1;
            }
            at = self.outline.nodes[at as usize].parent;
        }
        found
    }

    fn push_containers(&self, row: &mut Row, index: usize) {
        for at in self.containers(index) {
            if at == 0 {
                row.extend([-1; 7]);
            } else {
                self.push_sum(row, &self.below[at as usize]);
                row.push(self.outline.nodes[at as usize].element as i16);
            }
        }
        row.push(self.levels_to_heart(index));
    }

    /// How far up the heart of the page is; -1 if the block is not in it.
    fn levels_to_heart(&self, index: usize) -> i16 {
        let mut at = self.outline.blocks[index].node;
        let mut levels = 0;
        while at > self.heart {
            at = self.outline.nodes[at as usize].parent;
            levels += 1;
        }
        if at == self.heart { levels } else { -1 }
    }

    fn push_page(&self, row: &mut Row) {
        let meta = &self.outline.meta;
        self.push_sum(row, &self.all);
        row.extend(self.elements.map(scale));
        row.extend(meta.item_types.map(scale));
        row.extend([
            i16::from(meta.kind.starts_with("article")),
            i16::from(meta.kind.starts_with("product") || meta.kind.ends_with("product")),
            i16::from(meta.kind == "website"),
            scale(meta.forms),
            scale(meta.fields),
            scale(meta.scripts),
            scale(meta.links.len() as u32),
            permille(self.below[self.heart as usize].words, self.all.words),
            i16::from(self.outline.nodes[self.heart as usize].near[group::ARTICLE as usize]),
        ]);
    }
}

fn words_of(text: &str) -> impl Iterator<Item = u64> {
    text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty()).map(|word| {
        word.chars().flat_map(char::to_lowercase).fold(0xcbf2_9ce4_8422_2325, |hash: u64, char| {
            (hash ^ u64::from(u32::from(char))).wrapping_mul(0x0000_0100_0000_01b3)
        })
    })
}
