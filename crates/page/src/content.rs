//! What of a page is its content, and what the page says beside it.
//!
//! Three answers to how much of a page is compared ([`Content`]). `All` is the visible text. `Plateau` is the run of
//! the page with the most words and the fewest tags, in one pass at the speed of the scanner. `Main` cuts the page
//! into lines and asks a small model, learned from pages with known content, how likely each is content; then it
//! takes the set of lines whose expected F1 is greatest. It knows no kinds of page and keeps no state: the same
//! bytes give the same text on every machine. Why so: docs/decisions/0010-main-content.md.

mod choice;
mod clean;
mod features;
mod lexicon;
mod model;
mod needs;
mod show;

use std::collections::HashSet;

use crate::html::groups::group;
use crate::html::looks_like_html;
pub use crate::html::meta::Link;
use crate::html::meta::Meta;
use crate::html::outline::{Block, MAX_NODES, Outline, most_blocks, outline};
use crate::html::plateau::{self, WEIGHTS};
pub use clean::{clean_html, clean_text};
pub use needs::Needs;
pub use show::{SHOW_HEAD, show_html, show_section, show_text};

/// Less than this is not believed to be all the content of a page that has more text.
const LEAST_CHARS: usize = 100;

/// Lines of at least this many words that the page has twice are taken once.
const REPEATED_WORDS: u32 = 10;

/// How much of a page is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Content {
    /// What a reader came for, without navigation, advertisements, notices and related links.
    #[default]
    Main,
    /// The run of the page with the most words and the fewest tags; fast.
    Plateau,
    /// All visible text.
    All,
}

/// A page's text, and what the page says beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The text, a line a block, without the title.
    pub text: String,
    /// The first `<title>`.
    pub title: String,
    /// `<meta name=description>`, else that of Open Graph.
    pub description: String,
    /// `<html lang>`, else `<meta http-equiv=content-language>`.
    pub language: String,
    /// The target of `<link rel=canonical>`, as written.
    pub canonical: String,
    /// The target of `<base>`, as written.
    pub base: String,
    /// `<meta name=robots>`; more than one are joined by a comma.
    pub robots: String,
    /// Targets of links to feeds.
    pub feeds: Vec<String>,
    /// Targets of links to sitemaps.
    pub sitemaps: Vec<String>,
    /// Links with their text, in order.
    pub links: Vec<Link>,
    /// The name of the encoding the bytes were read in.
    pub charset: &'static str,
    /// How many U+FFFD stand for bytes that were not of that encoding.
    pub replaced: usize,
    /// The content found was too short to believe, so more of the page was taken.
    pub fallback: bool,
    /// What the page needs before it shows its content; such a page is not to be compared.
    pub needs: Option<Needs>,
}

/// Lines that any page is cut into at most to find its main content.
pub const MOST_LINES: usize = MAX_NODES;

/// Lines that a page may be cut into to find its main content, at most: each takes about 250 bytes of memory.
pub fn most_lines(bytes: &[u8], content: Content) -> usize {
    match content {
        Content::Main => most_blocks(bytes),
        Content::Plateau | Content::All => 0,
    }
}

/// Extracts the content of fetched bytes, HTML or plain text. `charset` is that of the Content-Type header.
///
/// ```
/// use onefold_page::content::{Content, extract};
///
/// let page = extract(b"<title>T</title><nav><a href=/>Home</a></nav><p>Words.", None, Content::All);
/// assert_eq!((page.title.as_str(), page.text.as_str()), ("T", "Home\nWords."));
/// assert_eq!(page.links[0].anchor, "Home");
/// ```
pub fn extract(bytes: &[u8], charset: Option<&str>, content: Content) -> Page {
    let is_html = looks_like_html(bytes);
    let decoded = crate::decode(bytes, charset, is_html);
    let mut page = if is_html {
        extract_html(&decoded.text, content)
    } else {
        Page { text: decoded.text.into_owned(), ..Page::default() }
    };
    (page.charset, page.replaced) = (decoded.charset, decoded.replaced);
    page
}

/// Extracts the content of decoded HTML.
pub fn extract_html(html: &str, content: Content) -> Page {
    match content {
        Content::Main => {
            let outline = outline(html);
            let text = main_text(&outline);
            widened(html, outline, text)
        }
        Content::Plateau => {
            let mut found = plateau::plateau(html, WEIGHTS);
            let all = found.text[found.body..].trim_start_matches('\n');
            let needs = needs::of(&found.meta, all);
            let text = found.text[found.start..found.end].trim_matches(['\n', ' ']);
            let is_enough = is_enough(text, all);
            let text = if is_enough { text } else { all }.to_owned();
            page_of(std::mem::take(&mut found.meta), text, !is_enough, needs)
        }
        Content::All => {
            let mut found = plateau::plateau(html, WEIGHTS);
            let text = found.text[found.body..].trim_start_matches('\n').to_owned();
            let needs = needs::of(&found.meta, &text);
            page_of(std::mem::take(&mut found.meta), text, false, needs)
        }
    }
}

/// The page with this text as its content, or with more where that is too little to believe.
fn widened(html: &str, outline: Outline, text: String) -> Page {
    let needs = needs::of(&outline.meta, outline.body());
    if is_enough(&text, outline.body()) {
        return page_of(outline.meta, text, false, needs);
    }
    let plain = text_of(&outline, &plain_lines(&outline));
    if is_enough(&plain, outline.body()) {
        return page_of(outline.meta, plain, true, needs);
    }
    let mut page = extract_html(html, Content::Plateau);
    page.fallback = true;
    page.needs = needs;
    if !is_enough(&page.text, outline.body()) {
        page.text = outline.body().to_owned();
    }
    page
}

/// Is a text long enough to be the content of a page with all this text?
fn is_enough(text: &str, all: &str) -> bool {
    text.len() == all.len() || text.chars().take(LEAST_CHARS).count() == LEAST_CHARS
}

fn page_of(meta: Meta, text: String, fallback: bool, needs: Option<Needs>) -> Page {
    Page {
        text,
        title: meta.title,
        description: meta.description,
        language: meta.language,
        canonical: meta.canonical,
        base: meta.base,
        robots: meta.robots,
        feeds: meta.feeds,
        sitemaps: meta.sitemaps,
        links: meta.links,
        charset: encoding_rs::UTF_8.name(),
        replaced: 0,
        fallback,
        needs,
    }
}

fn main_text(outline: &Outline) -> String {
    text_of(outline, &main_lines(outline))
}

/// The lines that are taken, as a text.
fn text_of(outline: &Outline, taken: &[bool]) -> String {
    let mut text = String::new();
    for (block, _) in outline.blocks.iter().zip(taken).filter(|(_, taken)| **taken) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&outline.text[block.start..block.end]);
    }
    text
}

/// Which lines are the main content.
fn main_lines(outline: &Outline) -> Vec<bool> {
    let mut scored = Vec::with_capacity(outline.blocks.len());
    let mut paths = outline.paths();
    features::each_row(outline, |row, words| {
        scored.push((model::log_odds(row), words, paths.next().unwrap_or_default()));
    });
    let likelihoods = choice::pool(&scored).into_iter().map(model::logistic);
    let blocks: Vec<(u32, u32)> =
        likelihoods.zip(&scored).map(|(likelihood, block)| (likelihood, block.1)).collect();
    let mut seen = HashSet::new();
    let mut taken = choice::choose(&blocks);
    for ((block, &(_, words)), is_taken) in outline.blocks.iter().zip(&blocks).zip(&mut taken) {
        let line = &outline.text[block.start..block.end];
        let is_new = words < REPEATED_WORDS || seen.insert(line);
        *is_taken = *is_taken && is_new && !is_small_print(outline, block);
    }
    taken
}

/// Whether a line is in a part that calls itself both legal and a footer. On a page of few words the model takes it for
/// content, for there it is the longest prose.
fn is_small_print(outline: &Outline, block: &Block) -> bool {
    let node = &outline.nodes[block.node as usize];
    node.is_in(group::LEGAL_BY_NAME) && (node.is_in(group::FOOTER) || node.is_in(group::FOOTER_BY_NAME))
}

/// The lines of a page of which the model found too little: those that are not mostly links, and in no part for
/// navigation, in no footer and not legal.
fn plain_lines(outline: &Outline) -> Vec<bool> {
    const FRAME: [u32; 5] =
        [group::NAV, group::NAV_BY_NAME, group::FOOTER, group::FOOTER_BY_NAME, group::LEGAL_BY_NAME];
    let is_plain = |block: &Block| {
        let node = &outline.nodes[block.node as usize];
        let is_linked = block.link_bytes * 2 >= (block.end - block.start).max(1);
        !is_linked && !FRAME.iter().any(|&frame| node.is_in(frame))
    };
    outline.blocks.iter().map(is_plain).collect()
}

/// The lines of a page, and which of them are taken.
fn lines(html: &str, content: Content) -> (Outline, Vec<bool>) {
    let outline = outline(html);
    if content == Content::Main {
        for found in [main_lines, plain_lines] {
            let taken = found(&outline);
            if is_enough(&text_of(&outline, &taken), outline.body()) {
                return (outline, taken);
            }
        }
    }
    let mut taken = vec![true; outline.blocks.len()];
    if content != Content::All {
        let found = plateau::plateau(html, WEIGHTS);
        // They differ where a page is read without script.
        if found.text == outline.text && is_enough(found.text[found.start..found.end].trim(), outline.body())
        {
            let on_plateau = |block: &Block| block.start < found.end && block.end > found.start;
            taken = outline.blocks.iter().map(on_plateau).collect();
        }
    }
    (outline, taken)
}

/// What the model learns from: row, path and text of each block of a page.
#[doc(hidden)]
pub fn training_rows(html: &str) -> Vec<(Vec<i16>, u32, String)> {
    let outline = outline(html);
    let mut rows = Vec::new();
    features::each_row(&outline, |row, _| rows.push(row.to_vec()));
    let texts = outline.blocks.iter().map(|block| outline.text[block.start..block.end].to_owned());
    rows.into_iter().zip(outline.paths()).zip(texts).map(|((row, path), text)| (row, path, text)).collect()
}

#[cfg(test)]
mod tests;
