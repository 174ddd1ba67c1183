//! The tokens of an HTML page, found by leaps from one `<` to the next.
//!
//! It follows the tokenizer of the HTML standard wherever visible text depends on it and keeps no more of a tag
//! than its meaning. Each step goes on from where the last one ended and what is unfinished at the end of the
//! input is dropped as the standard says, so no byte is read more than a fixed number of times and nothing is
//! allocated. Every place that is sliced at is beside an ASCII byte, thus between characters.
//!
//! Spec: <https://html.spec.whatwg.org/multipage/parsing.html#tokenization>.

use memchr::{memchr, memmem};

use super::rules::Content;
use super::tag::Tag;
use super::writer::Kind;
use super::{attributes, raw};

/// Takes the tokens of a page.
pub(super) trait Sink {
    /// Takes text as it stands in the page.
    fn text(&mut self, text: &str, kind: Kind);
    /// Takes a start tag; the answer says how what follows it is read.
    fn start_tag(&mut self, tag: StartTag<'_>) -> Content;
    /// Takes an end tag and its name as written.
    fn end_tag(&mut self, tag: Tag, name: &[u8]);
    /// Is this the inside of an `svg`, where HTML's tags and raw text elements mean nothing?
    fn is_in_svg(&self) -> bool;
}

/// A start tag with its name and attributes as written.
#[derive(Clone, Copy)]
pub(super) struct StartTag<'a> {
    pub(super) tag: Tag,
    pub(super) name: &'a [u8],
    pub(super) attributes: &'a str,
    pub(super) self_closing: bool,
}

/// Hands all of `html` to `sink`.
pub(super) fn scan(html: &str, sink: &mut impl Sink) {
    let mut at = 0;
    while let Some(text_len) = memchr(b'<', &html.as_bytes()[at..]) {
        let open = at + text_len;
        if text_len > 0 {
            sink.text(&html[at..open], Kind::Markup);
        }
        match markup(html, open, sink) {
            Some(after) => at = after,
            None => return,
        }
    }
    sink.text(&html[at..], Kind::Markup);
}

/// Reads what begins with the `<` at `open`; returns where it ends, or `None` if it takes all the rest.
fn markup(html: &str, open: usize, sink: &mut impl Sink) -> Option<usize> {
    let bytes = html.as_bytes();
    match bytes.get(open + 1) {
        Some(byte) if byte.is_ascii_alphabetic() => start_tag(html, open, sink),
        Some(b'/') => match bytes.get(open + 2) {
            Some(byte) if byte.is_ascii_alphabetic() => end_tag(bytes, open, sink),
            Some(_) => after_bracket(bytes, open + 2),
            None => {
                sink.text("</", Kind::Markup);
                None
            }
        },
        Some(b'!') => declaration(html, open, sink),
        Some(b'?') => after_bracket(bytes, open + 2),
        _ => {
            sink.text("<", Kind::Markup);
            Some(open + 1)
        }
    }
}

fn start_tag(html: &str, open: usize, sink: &mut impl Sink) -> Option<usize> {
    let bytes = html.as_bytes();
    let (tag, name_end) = Tag::read(bytes, open + 1);
    let attributes::TagEnd { after, self_closing } = attributes::skip(bytes, name_end)?;
    let name = &bytes[open + 1..name_end];
    let attributes = &html[name_end..after];
    match sink.start_tag(StartTag { tag, name, attributes, self_closing }) {
        Content::Markup => Some(after),
        Content::Script => Some(raw::end_of_script(bytes, after)),
        Content::HiddenRaw => Some(raw::end_of_element(bytes, after, name)),
        content @ (Content::WithReferences | Content::Raw) => {
            let end = raw::end_of_element(bytes, after, name);
            let kind = if content == Content::Raw { Kind::Raw } else { Kind::WithReferences };
            sink.text(&html[after..end], kind);
            Some(end)
        }
        Content::Plaintext => {
            sink.text(&html[after..], Kind::Raw);
            None
        }
    }
}

fn end_tag(bytes: &[u8], open: usize, sink: &mut impl Sink) -> Option<usize> {
    let (tag, name_end) = Tag::read(bytes, open + 2);
    let end = attributes::skip(bytes, name_end)?;
    sink.end_tag(tag, &bytes[open + 2..name_end]);
    Some(end.after)
}

/// Comments, doctypes, and CDATA, which is text in SVG and a comment elsewhere.
fn declaration(html: &str, open: usize, sink: &mut impl Sink) -> Option<usize> {
    let bytes = html.as_bytes();
    let body = open + 2;
    if bytes[body..].starts_with(b"--") {
        after_comment(bytes, body + 2)
    } else if sink.is_in_svg() && bytes[body..].starts_with(b"[CDATA[") {
        let text = body + b"[CDATA[".len();
        let end = text + memmem::find(&bytes[text..], b"]]>")?;
        Some(end + b"]]>".len())
    } else {
        after_bracket(bytes, body)
    }
}

fn after_bracket(bytes: &[u8], from: usize) -> Option<usize> {
    Some(from + memchr(b'>', &bytes[from..])? + 1)
}

/// Where a comment ends whose text begins at `start`: at `-->` or `--!>`, or at once with `<!-->` or `<!--->`.
fn after_comment(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at = after_bracket(bytes, at)?;
        let text = &bytes[start..at - 1];
        if text.ends_with(b"--") || text.ends_with(b"--!") || text.is_empty() || text == b"-" {
            return Some(at);
        }
    }
}
