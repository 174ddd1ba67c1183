//! What of a page is seen, decided from its tags.
//!
//! Instead of a tree there are three counters: open `template`s, open `svg`s, and open HTML islands in an `svg`.
//! They suffice because nothing else hides other elements. An `svg` that is never closed must not hide the rest
//! of the page, so the standard's rule is kept by which most HTML tags end it (`Tag::leaves_svg`). The head
//! needs no rule: in it only `title` can hold text that is not raw, and any other text starts the body.
//!
//! Spec: <https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign> for `svg`.

use super::scan::{Sink, StartTag};
use super::tag::{Kind, Tag};
use super::writer::{self, Writer};

/// How the scanner reads on after a start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Markup,
    /// Text with references, to the end tag.
    WithReferences,
    /// Text without references, to the end tag.
    Raw,
    /// Raw text that is not seen, to the end tag.
    HiddenRaw,
    Script,
    /// Raw text to the end of the page.
    Plaintext,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Title {
    NotSeen,
    /// In the first title, with no text before it.
    Reading,
    /// In the first title, after other text.
    ReadingLate,
    /// In a further title, which is not shown.
    Skipping,
    Seen,
}

/// Takes the tokens of a page and writes what is seen.
pub(super) struct Rules<'out> {
    out: &'out mut String,
    page: Writer,
    title: Title,
    late_title: String,
    late_title_writer: Writer,
    open_templates: u32,
    open_svgs: u32,
    html_in_svg: u32,
}

impl<'out> Rules<'out> {
    pub(super) fn new(out: &'out mut String) -> Rules<'out> {
        Rules {
            page: Writer::new(out),
            out,
            title: Title::NotSeen,
            late_title: String::new(),
            late_title_writer: Writer::new(""),
            open_templates: 0,
            open_svgs: 0,
            html_in_svg: 0,
        }
    }

    /// Is this the inside of an `svg`, where HTML's tags and raw text elements mean nothing?
    pub(super) fn is_in_svg(&self) -> bool {
        self.open_svgs > 0 && self.html_in_svg == 0
    }

    /// Is nothing seen of what stands here?
    pub(super) fn is_hidden(&self) -> bool {
        self.open_templates > 0 || self.open_svgs > 0
    }

    /// Takes text as it stands in the page.
    pub(super) fn text(&mut self, text: &str, kind: writer::Kind) {
        if self.is_hidden() {
            return;
        }
        match self.title {
            Title::Skipping => {}
            Title::ReadingLate => self.late_title_writer.source(&mut self.late_title, text, kind),
            Title::NotSeen | Title::Reading | Title::Seen => self.page.source(self.out, text, kind),
        }
    }

    /// Takes a start tag; the answer says how what follows it is read.
    pub(super) fn start_tag(&mut self, tag: Tag, self_closing: bool) -> Content {
        if self.is_in_svg() {
            if !tag.leaves_svg {
                match tag.kind {
                    Kind::Svg if !self_closing => self.open_svgs += 1,
                    Kind::HtmlInSvg | Kind::Title if !self_closing => self.html_in_svg += 1,
                    _ => {}
                }
                return Content::Markup;
            }
            self.open_svgs = 0;
        }
        self.end_line_at(tag);
        match tag.kind {
            Kind::Other | Kind::HtmlInSvg => Content::Markup,
            Kind::Svg => {
                self.open_svgs += u32::from(!self_closing);
                Content::Markup
            }
            Kind::Template => {
                self.open_templates += 1;
                Content::Markup
            }
            Kind::Title => {
                self.start_title();
                Content::WithReferences
            }
            Kind::Textarea => Content::WithReferences,
            Kind::Xmp => Content::Raw,
            Kind::HiddenRaw => Content::HiddenRaw,
            Kind::Script => Content::Script,
            Kind::Plaintext => Content::Plaintext,
        }
    }

    fn start_title(&mut self) {
        if !self.is_hidden() {
            self.title = match self.title {
                Title::NotSeen if self.out.len() == self.page.start() => Title::Reading,
                Title::NotSeen => Title::ReadingLate,
                _ => Title::Skipping,
            };
        }
    }

    /// Takes an end tag.
    pub(super) fn end_tag(&mut self, tag: Tag) {
        if self.is_in_svg() && tag.leaves_svg {
            self.open_svgs = 0;
        }
        match tag.kind {
            Kind::Svg => {
                self.open_svgs = self.open_svgs.saturating_sub(1);
                if self.open_svgs == 0 {
                    self.html_in_svg = 0;
                }
            }
            Kind::Title | Kind::HtmlInSvg if self.open_svgs > 0 => {
                self.html_in_svg = self.html_in_svg.saturating_sub(1);
            }
            Kind::Title if !self.is_hidden() && self.title != Title::NotSeen => {
                if self.title == Title::Reading {
                    self.page.end_line();
                }
                self.title = Title::Seen;
            }
            Kind::Template if self.open_templates > 0 => {
                self.open_templates -= 1;
                self.open_svgs = 0;
                self.html_in_svg = 0;
            }
            _ => {}
        }
        self.end_line_at(tag);
    }

    fn end_line_at(&mut self, tag: Tag) {
        if tag.ends_line && !self.is_hidden() {
            self.page.end_line();
        }
    }

    /// The text so far, what the string held before included.
    pub(super) fn written(&self) -> &str {
        self.out
    }

    /// The title, where it came after other text.
    pub(super) fn late_title(&self) -> &str {
        &self.late_title
    }

    /// Ends the page: a title that came late is put before the other text.
    pub(super) fn finish(mut self) {
        if !self.late_title.is_empty() {
            self.late_title.push('\n');
            self.out.insert_str(self.page.start(), &self.late_title);
        }
    }

    /// Takes text whose references are decoded.
    #[cfg(test)]
    pub(super) fn decoded_text(&mut self, text: &str) {
        self.text(text, writer::Kind::Raw);
    }
}

impl Sink for Rules<'_> {
    fn text(&mut self, text: &str, kind: writer::Kind) {
        self.text(text, kind);
    }

    fn start_tag(&mut self, tag: StartTag<'_>) -> Content {
        self.start_tag(tag.tag, tag.self_closing)
    }

    fn end_tag(&mut self, tag: Tag, _name: &[u8]) {
        self.end_tag(tag);
    }

    fn is_in_svg(&self) -> bool {
        self.is_in_svg()
    }
}
