//! The tag plateau: where a page has many words and few tags.
//!
//! Read the page as a row of tokens, words and tags, and ask for the run of it that has the most words inside and
//! the most tags outside. With +1 for a word and −1 for a tag this is the run of greatest sum, found in one pass
//! (Kadane) without a tree. Three weights differ from the plain method, as measured on real pages: a word in a
//! link counts as a fraction, for menus are words, too; a tag inside a line costs less than one that ends it; and
//! a run reaches over a gap if what follows is worth more than the gap costs.
//!
//! Finn, Kushmerick, Smyth: Fact or fiction: content classification for digital libraries, 2001.

use super::element::Element;
use super::rules::{Content, Rules};
use super::scan::{Sink, StartTag, scan};
use super::tag::Tag;
use super::writer::Kind;

/// What the tokens count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    pub(crate) word: i64,
    pub(crate) link_word: i64,
    pub(crate) line_tag: i64,
    pub(crate) inline_tag: i64,
}

/// Chosen on half of the pages, see docs/decisions/0010-main-content.md.
pub(crate) const WEIGHTS: Weights = Weights { word: 10, link_word: 2, line_tag: 30, inline_tag: 5 };

/// The visible text of a page and the part of it on the plateau.
pub(crate) struct Plateau {
    pub(crate) text: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Finds the plateau of a page.
pub(crate) fn plateau(html: &str, weights: Weights) -> Plateau {
    let mut text = String::new();
    let mut run = Run {
        rules: Rules::new(&mut text),
        weights,
        in_link: false,
        sum: 0,
        start: 0,
        best_sum: 0,
        best: (0, 0),
    };
    scan(html, &mut run);
    let (start, end) = run.best;
    Plateau { text, start, end }
}

struct Run<'out> {
    rules: Rules<'out>,
    weights: Weights,
    in_link: bool,
    /// Of the run that ends here.
    sum: i64,
    start: usize,
    best_sum: i64,
    best: (usize, usize),
}

impl Run<'_> {
    fn tag(&mut self, cost: i64) {
        self.sum -= cost;
        if self.sum <= 0 {
            self.sum = 0;
            self.start = self.rules.written().len();
        }
    }

    fn cost(&self, tag: Tag) -> i64 {
        if tag.ends_line { self.weights.line_tag } else { self.weights.inline_tag }
    }
}

impl Sink for Run<'_> {
    fn text(&mut self, text: &str, kind: Kind) {
        let before = self.rules.written().len();
        self.rules.text(text, kind);
        let written = &self.rules.written()[before..];
        if written.is_empty() {
            return;
        }
        let words = words_in(written.as_bytes());
        self.sum += words * if self.in_link { self.weights.link_word } else { self.weights.word };
        if self.sum > self.best_sum {
            self.best_sum = self.sum;
            self.best = (self.start, self.rules.written().len());
        }
    }

    fn start_tag(&mut self, tag: StartTag<'_>) -> Content {
        if !self.rules.is_hidden() {
            self.tag(self.cost(tag.tag));
            if matches!(tag.name, b"a" | b"A") {
                self.in_link = true;
            }
        }
        self.rules.start_tag(tag.tag, tag.self_closing)
    }

    fn end_tag(&mut self, tag: Tag, name: &[u8]) {
        if !self.rules.is_hidden() {
            self.tag(self.cost(tag));
            if tag.ends_line || Element::of(name) == Element::A {
                self.in_link = false;
            }
        }
        self.rules.end_tag(tag);
    }

    fn is_in_svg(&self) -> bool {
        self.rules.is_in_svg()
    }
}

/// Words of written text: its blanks and line ends, for each stands before a word; three bytes of a script
/// without blanks are half a word.
fn words_in(written: &[u8]) -> i64 {
    let (mut gaps, mut wide) = (1, 0);
    for &byte in written {
        gaps += i64::from(byte == b' ');
        wide += i64::from(byte >= 0xe3);
    }
    gaps + wide / 2
}
