//! The content of a page as clean HTML: headings, lists, tables, quotes and links, and nothing else.
//!
//! Made of the outline: each line opens the elements around it that matter and are not open yet.

use super::{Content, lines};
use crate::html::element::Element;
use crate::html::outline::{Node, Outline};

/// The content of decoded HTML as clean HTML: what belongs into a `body`.
///
/// ```
/// use onefold_page::content::{Content, clean_html};
///
/// let page = "<div class=x><h2 style='y'>Ships</h2><ol><li>The <b>first</b><li><a href=/two onclick=z()>two</a></ol></div>";
/// assert_eq!(
///     clean_html(page, Content::All),
///     "<h2>Ships</h2>\n<ol>\n<li>The first</li>\n<li><a href=\"/two\">two</a></li>\n</ol>\n"
/// );
/// ```
pub fn clean_html(html: &str, content: Content) -> String {
    let (outline, taken) = lines(html, content);
    let mut writer = Writer::new(&outline);
    for (index, _) in taken.iter().enumerate().filter(|(_, taken)| **taken) {
        writer.line(index, "");
    }
    writer.finish()
}

/// Plain text as clean HTML, a paragraph a line.
pub fn clean_text(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        out.push_str("<p>");
        escape(line.trim(), &mut out);
        out.push_str("</p>\n");
    }
    out
}

/// Writes lines of an outline with the elements around them.
pub(super) struct Writer<'a> {
    outline: &'a Outline,
    out: String,
    /// Nodes whose elements are open.
    open: Vec<u32>,
    /// Whether the innermost has a line.
    has_line: bool,
    /// Links before this one end before the next line.
    link: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(outline: &'a Outline) -> Self {
        Writer { outline, out: String::new(), open: Vec::new(), has_line: false, link: 0 }
    }

    /// Writes a line; `class`, if there is one, tells it from others.
    pub(super) fn line(&mut self, index: usize, class: &str) {
        let block = &self.outline.blocks[index];
        let path = self.path(block.node);
        let shared = self.open.iter().zip(&path).take_while(|(open, new)| open == new).count();
        let is_same = shared == self.open.len() && shared == path.len();
        if !is_same {
            self.close_to(shared);
            for &node in &path[shared..] {
                self.open(node);
            }
        }
        let innermost = self.open.last().map(|&node| self.node(node).element);
        let holds_lines = innermost.is_some_and(holds_lines);
        match (holds_lines, class) {
            (true, _) if is_same && self.has_line => {
                self.out.push_str(if innermost == Some(Element::Pre) { "\n" } else { "<br>\n" });
            }
            (false, "") => self.out.push_str("<p>"),
            (false, _) => self.out.push_str(&format!("<p class={class}>")),
            _ => {}
        }
        if holds_lines && !class.is_empty() {
            self.out.push_str(&format!("<span class={class}>"));
        }
        self.text(block.start, block.end);
        if holds_lines && !class.is_empty() {
            self.out.push_str("</span>");
        }
        if !holds_lines {
            self.out.push_str("</p>\n");
        }
        self.has_line = true;
    }

    pub(super) fn finish(mut self) -> String {
        self.close_to(0);
        self.out
    }

    fn node(&self, node: u32) -> &'a Node {
        &self.outline.nodes[node as usize]
    }

    /// The nodes around a line that are written, outermost first.
    fn path(&self, node: u32) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = node;
        while at != 0 {
            if tag_of(self.node(at)).is_some() {
                path.push(at);
            }
            at = self.node(at).parent;
        }
        path.reverse();
        // Items without a list and cells without a row are no items and cells.
        let mut kept: Vec<u32> = Vec::with_capacity(path.len());
        for node in path {
            let above = kept.last().map(|&node| self.node(node).element);
            let fits = match self.node(node).element {
                Element::Li => above == Some(Element::List),
                Element::Dt | Element::Dd => above == Some(Element::Dl),
                Element::Caption | Element::Tr => above == Some(Element::Table),
                Element::Td | Element::Th => above == Some(Element::Tr),
                _ => true,
            };
            if fits {
                kept.push(node);
            }
        }
        kept
    }

    fn open(&mut self, node: u32) {
        let (element, tag) = (self.node(node).element, tag_of(self.node(node)).unwrap_or("p"));
        self.out.push_str(&format!("<{tag}>"));
        if !holds_lines(element) {
            self.out.push('\n');
        }
        self.open.push(node);
        self.has_line = false;
    }

    fn close_to(&mut self, count: usize) {
        while self.open.len() > count {
            let node = self.open.pop().unwrap_or_default();
            let tag = tag_of(self.node(node)).unwrap_or("p");
            self.out.push_str(&format!("</{tag}>\n"));
            self.has_line = true;
        }
    }

    /// Writes a stretch of the text, links and all.
    fn text(&mut self, start: usize, end: usize) {
        let (text, meta) = (&self.outline.text, &self.outline.meta);
        while meta.spans.get(self.link).is_some_and(|span| span.1 <= start) {
            self.link += 1;
        }
        let mut at = start;
        for (span, link) in meta.spans.iter().zip(&meta.links).skip(self.link) {
            if span.0 >= end {
                break;
            }
            let (from, to) = (span.0.max(at), span.1.min(end));
            let Some(anchor) = text.get(from..to).filter(|anchor| !anchor.trim().is_empty()) else {
                continue;
            };
            let lead = anchor.len() - anchor.trim_start().len();
            escape(&text[at..from + lead], &mut self.out);
            let is_safe = is_safe(&link.href);
            if is_safe {
                self.out.push_str("<a href=\"");
                escape(&link.href, &mut self.out);
                self.out.push_str("\">");
            }
            escape(anchor.trim(), &mut self.out);
            if is_safe {
                self.out.push_str("</a>");
            }
            at = from + lead + anchor.trim().len();
        }
        escape(&text[at..end], &mut self.out);
    }
}

/// Elements whose lines stand in them without paragraphs.
fn holds_lines(element: Element) -> bool {
    use Element::{Caption, Dd, Dt, Li, Pre, Td, Th};
    element.heading_level() > 0 || matches!(element, Caption | Dd | Dt | Li | Pre | Td | Th)
}

/// The tag that is written for a node, if one is.
fn tag_of(node: &Node) -> Option<&'static str> {
    Some(match node.element {
        Element::H1 => "h1",
        Element::H2 => "h2",
        Element::H3 => "h3",
        Element::H4 => "h4",
        Element::H5 => "h5",
        Element::H6 => "h6",
        Element::List if node.is_ordered => "ol",
        Element::List => "ul",
        Element::Li => "li",
        Element::Dl => "dl",
        Element::Dt => "dt",
        Element::Dd => "dd",
        Element::Table => "table",
        Element::Caption => "caption",
        Element::Tr => "tr",
        Element::Td => "td",
        Element::Th => "th",
        Element::Blockquote => "blockquote",
        Element::Pre => "pre",
        _ => return None,
    })
}

/// Whether a link leads to an address and does not run anything.
fn is_safe(href: &str) -> bool {
    let scheme = href.trim_start_matches(|char: char| char.is_control() || char == ' ');
    match scheme.split(['/', '?', '#']).next().unwrap_or_default().split_once(':') {
        Some((scheme, _)) => {
            ["http", "https", "mailto", "tel", "ftp"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
        }
        None => true,
    }
}

/// Appends text for HTML, in content and between double quotes.
pub(super) fn escape(text: &str, out: &mut String) {
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(char),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{looks_like_html, visible_text};

    fn check(html: &str, clean: &str) {
        assert_eq!(clean_html(html, Content::All), clean, "{html}");
    }

    #[test]
    fn structure_stays_and_the_rest_goes() {
        check("<p class=x>One<p>Two &lt; 3", "<p>One</p>\n<p>Two &lt; 3</p>\n");
        check(
            "<table><thead><tr><th>Year<th>Ships</thead><tr><td>1878<td>412</table>",
            "<table>\n<tr>\n<th>Year</th>\n<th>Ships</th>\n</tr>\n<tr>\n<td>1878</td>\n<td>412</td>\n</tr>\n</table>\n",
        );
        check(
            "<ul><li>a<ul><li>b</ul><li>c</ul>",
            "<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ul>\n",
        );
        check("<blockquote><p>Said</blockquote>", "<blockquote>\n<p>Said</p>\n</blockquote>\n");
        check("<li>alone<td>lost", "<p>alone</p>\n<p>lost</p>\n");
        check("<dl><dt>T<dd>one<br>two</dl>", "<dl>\n<dt>T</dt>\n<dd>one<br>\ntwo</dd>\n</dl>\n");
    }

    #[test]
    fn links_stay_and_programs_do_not() {
        check(
            "<p>See <a href='/a?b=1&amp;c=\"'>this &amp; that</a>, <a href=' JavaScript:x()'>run</a> <a name=q>here</a>",
            "<p>See <a href=\"/a?b=1&amp;c=&quot;\">this &amp; that</a>, run here</p>\n",
        );
        check(
            "<a href=/x><h2>Title</h2><p>Text</p></a>",
            "<h2><a href=\"/x\">Title</a></h2>\n<p><a href=\"/x\">Text</a></p>\n",
        );
    }

    #[test]
    fn clean_html_of_real_pages_says_what_the_pages_say() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "html") {
                continue;
            }
            let html = crate::decode(&fs_err::read(&path).unwrap(), None, true).text.into_owned();
            for content in [Content::All, Content::Main, Content::Plateau] {
                let clean = clean_html(&html, content);
                assert!(looks_like_html(clean.as_bytes()), "{}", path.display());
                let mut text = String::new();
                visible_text(&clean, &mut text);
                let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                let page = crate::extract_html(&html, content);
                // A plateau may start within a line, and clean HTML has whole ones.
                if content == Content::Plateau {
                    assert!(words(&text).len() >= words(&page.text).len(), "{}", path.display());
                } else {
                    assert_eq!(words(&text), words(&page.text), "{}", path.display());
                }
            }
        }
    }
}
