//! What a page says about itself, beside its text.

use super::attributes::Attributes;
use super::element::Element;
use super::reference::{self, Characters};

/// Links of a page that are kept; real pages have some hundreds.
const MAX_LINKS: usize = 1 << 16;
/// Longer values are data, not words: they are cut.
const MAX_VALUE_BYTES: usize = 8 << 10;

/// A link with the text a reader clicks on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Where it goes, as written but for character references.
    pub href: String,
    /// The text in it.
    pub anchor: String,
    /// Its `rel`, as written.
    pub rel: String,
}

/// What stands in the head, and the links.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meta {
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) language: String,
    pub(crate) robots: String,
    pub(crate) canonical: String,
    pub(crate) base: String,
    /// `og:type`, in lower case.
    pub(crate) kind: String,
    pub(crate) feeds: Vec<String>,
    pub(crate) sitemaps: Vec<String>,
    pub(crate) links: Vec<Link>,
    /// Where the text of each link stands.
    pub(crate) spans: Vec<(usize, usize)>,
    open: Option<(Link, usize)>,
    /// Schema.org types seen: article, product, forum.
    pub(crate) item_types: [u32; 3],
    /// Forms, fields to type in, password fields, scripts, frames.
    pub(crate) forms: u32,
    pub(crate) fields: u32,
    pub(crate) passwords: u32,
    pub(crate) scripts: u32,
    /// A `meta refresh` with a target.
    pub(crate) refresh: String,
    /// An element that frameworks fill by script, such as `<div id=root>`.
    pub(crate) has_script_root: bool,
    pub(crate) has_noscript: bool,
}

impl Meta {
    /// Takes any start tag.
    pub(super) fn start_tag(&mut self, element: Element, attributes: &str) {
        match element {
            Element::Html => set(
                &mut self.language,
                attribute(attributes, "lang").or_else(|| attribute(attributes, "xml:lang")),
            ),
            Element::Base => set(&mut self.base, attribute(attributes, "href")),
            Element::Meta => self.meta(attributes),
            Element::Link => self.link(attributes),
            Element::Form => self.forms += 1,
            Element::Script => self.scripts += 1,
            Element::Textarea => self.fields += 1,
            Element::Input => match attribute(attributes, "type").unwrap_or("text") {
                kind if kind.eq_ignore_ascii_case("password") => self.passwords += 1,
                kind if ["text", "email", "search", "tel", "number"]
                    .iter()
                    .any(|text| kind.eq_ignore_ascii_case(text)) =>
                {
                    self.fields += 1;
                }
                _ => {}
            },
            Element::Div => {
                const ROOTS: [&str; 7] =
                    ["root", "app", "__next", "__nuxt", "react-root", "ember-app", "app-root"];
                self.has_script_root |= attribute(attributes, "id").is_some_and(|id| ROOTS.contains(&id));
            }
            Element::Other => self.has_script_root |= attribute(attributes, "ng-version").is_some(),
            _ => {}
        }
    }

    fn meta(&mut self, attributes: &str) {
        let Some(content) = attribute(attributes, "content") else { return };
        let name = ["name", "property", "http-equiv", "itemprop"]
            .iter()
            .find_map(|name| attribute(attributes, name));
        match name.unwrap_or("").to_ascii_lowercase().as_str() {
            "description" => set(&mut self.description, Some(content)),
            "og:description" | "twitter:description" if self.description.is_empty() => {
                set(&mut self.description, Some(content))
            }
            "robots" => {
                if !self.robots.is_empty() {
                    self.robots.push_str(", ");
                }
                self.robots.push_str(&decoded(content));
            }
            "og:type" => set(&mut self.kind, Some(&content.to_ascii_lowercase())),
            "content-language" => set(&mut self.language, Some(content)),
            "refresh" => {
                let target =
                    content.split_once(['=']).map(|(_, target)| target.trim().trim_matches(['\'', '"']));
                set(&mut self.refresh, target);
            }
            _ => {}
        }
    }

    fn link(&mut self, attributes: &str) {
        let (Some(rel), Some(href)) = (attribute(attributes, "rel"), attribute(attributes, "href")) else {
            return;
        };
        let kind = attribute(attributes, "type").unwrap_or("").to_ascii_lowercase();
        for word in rel.split_ascii_whitespace().map(str::to_ascii_lowercase) {
            match word.as_str() {
                "canonical" => set(&mut self.canonical, Some(href)),
                "alternate"
                    if kind.contains("rss") || kind.contains("atom") || kind.contains("feed+json") =>
                {
                    push(&mut self.feeds, href);
                }
                "feed" => push(&mut self.feeds, href),
                "sitemap" => push(&mut self.sitemaps, href),
                _ => {}
            }
        }
    }

    /// Takes an `<a>`; says whether it is a link.
    pub(super) fn start_link(&mut self, attributes: &str, at: usize) -> bool {
        let Some(href) = attribute(attributes, "href") else { return false };
        if self.links.len() < MAX_LINKS {
            let rel = attribute(attributes, "rel").map(decoded).unwrap_or_default();
            self.open = Some((Link { href: decoded(href), anchor: String::new(), rel }, at));
        }
        true
    }

    /// Ends the open link; `text` is all text so far.
    pub(super) fn end_link(&mut self, text: &str) {
        if let Some((mut link, start)) = self.open.take() {
            let anchor = text[start..].trim();
            link.anchor = cut(anchor).split_whitespace().collect::<Vec<_>>().join(" ");
            self.links.push(link);
            self.spans.push((start, text.len()));
        }
    }

    /// Takes a schema.org type of some element.
    pub(super) fn item_type(&mut self, value: &str) {
        let kind = value.rsplit('/').next().unwrap_or(value);
        let kinds = [
            ["Article", "NewsArticle", "BlogPosting", "TechArticle", "Recipe"].as_slice(),
            &["Product", "Offer", "AggregateOffer", "IndividualProduct"],
            &["DiscussionForumPosting", "QAPage", "Question", "Answer", "Comment"],
        ];
        for (count, names) in self.item_types.iter_mut().zip(kinds) {
            *count += u32::from(names.contains(&kind));
        }
    }
}

fn set(field: &mut String, value: Option<&str>) {
    if let Some(value) = value.filter(|_| field.is_empty()) {
        *field = decoded(value);
    }
}

fn push(list: &mut Vec<String>, value: &str) {
    if list.len() < MAX_LINKS {
        list.push(decoded(value));
    }
}

/// The raw value of the first attribute of this name.
fn attribute<'a>(attributes: &'a str, name: &str) -> Option<&'a str> {
    Attributes::new(attributes).find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// At most `MAX_VALUE_BYTES` of a value.
fn cut(value: &str) -> &str {
    crate::html::start_of(value, MAX_VALUE_BYTES)
}

/// A value with its character references read and white space at its ends gone.
pub(super) fn decoded(value: &str) -> String {
    let mut rest = cut(value.trim());
    let mut out = String::with_capacity(rest.len());
    while let Some(ampersand) = memchr::memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..ampersand]);
        let after = &rest[ampersand + 1..];
        // In a value, `&copy=` is text: only a reference that ends in `;` counts, the others being rare.
        match reference::read(after).filter(|(_, len)| after[..*len].ends_with(';')) {
            Some((Characters::Named(named), len)) => {
                out.push_str(named);
                rest = &after[len..];
            }
            Some((Characters::Numbered(char), len)) => {
                out.push(char);
                rest = &after[len..];
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}
