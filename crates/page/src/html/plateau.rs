//! The tag plateau: where a page has many words and few tags.
//!
//! Read the page as a row of tokens, words and tags, and ask for the run of it that has the most words inside and
//! the most tags outside. With +1 for a word and −1 for a tag this is the run of greatest sum, found in one pass
//! (Kadane) without a tree. One weight differs from the plain method: a word in a link counts as a fraction, for
//! menus are words, too.
//!
//! Finn, Kushmerick, Smyth: Fact or fiction: content classification for digital libraries, 2001.

use super::element::Element;
use super::meta::Meta;
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
pub(crate) const WEIGHTS: Weights = Weights { word: 10, link_word: 5, line_tag: 10, inline_tag: 10 };

/// The visible text of a page and the part of it on the plateau.
pub(crate) struct Plateau {
    pub(crate) text: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Where the text after the title begins.
    pub(crate) body: usize,
    pub(crate) meta: Meta,
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
        meta: Meta::default(),
        title: None,
        body: 0,
    };
    scan(html, &mut run);
    run.end_link();
    run.end_title();
    if run.meta.title.is_empty() {
        run.meta.title = run.rules.late_title().to_owned();
    }
    let Run { best: (start, end), body, meta, .. } = run;
    Plateau { text, start, end, body, meta }
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
    meta: Meta,
    /// Where the text of the open title begins.
    title: Option<usize>,
    body: usize,
}

impl Run<'_> {
    fn tag(&mut self, cost: i64) {
        self.sum -= cost;
        if self.sum <= 0 {
            self.sum = 0;
            self.start = self.rules.written().len();
        }
    }

    /// The title is not part of any run.
    fn end_title(&mut self) {
        let written = self.rules.written().len();
        if self.title.take().is_some_and(|start| start < written) {
            self.meta.title = self.rules.written().to_owned();
            (self.sum, self.start, self.body) = (0, written, written);
            (self.best_sum, self.best) = (0, (written, written));
        }
    }

    fn end_link(&mut self) {
        if self.in_link {
            self.meta.end_link(self.rules.written());
            self.in_link = false;
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
            let (element, written) = (Element::of(tag.name), self.rules.written().len());
            self.meta.start_tag(element, tag.attributes);
            match element {
                Element::A => {
                    self.end_link();
                    self.in_link = self.meta.start_link(tag.attributes, written);
                }
                Element::Title if written == 0 => self.title = Some(0),
                _ => {}
            }
        }
        self.rules.start_tag(tag.tag, tag.self_closing)
    }

    fn end_tag(&mut self, tag: Tag, name: &[u8]) {
        if !self.rules.is_hidden() {
            self.tag(self.cost(tag));
            match Element::of(name) {
                Element::A => self.end_link(),
                Element::Title => self.end_title(),
                _ => {}
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
