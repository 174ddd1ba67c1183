//! The page that a page names as canonical, where nothing else of its head is read.

use memchr::{memmem, memrchr};

use super::attributes::skip;
use super::element::Element;
use super::meta::Meta;

/// Places of the word that are looked at: the first is nearly always it.
const MOST_PLACES: usize = 64;

/// The target of `<link rel=canonical>`, as written; `None` if there is none.
///
/// It looks for the word alone, at the speed of that, so that one in a comment counts too.
///
/// ```
/// let html = "<head><link href='/a?b=1&amp;c' rel=canonical><p>canonical";
/// assert_eq!(onefold_page::html::canonical_link(html).as_deref(), Some("/a?b=1&c"));
/// ```
pub fn canonical_link(html: &str) -> Option<String> {
    let bytes = html.as_bytes();
    let mut meta = Meta::default();
    for place in memmem::find_iter(bytes, b"canonical").take(MOST_PLACES) {
        let Some(start) = memrchr(b'<', &bytes[..place]) else { continue };
        let is_link = bytes[start + 1..].get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"link"));
        let name_end = start + 5;
        if let Some(end) = is_link.then(|| skip(bytes, name_end)).flatten() {
            meta.start_tag(Element::Link, &html[name_end..end.after]);
        }
        if !meta.canonical.is_empty() {
            return Some(meta.canonical);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::canonical_link;

    #[test]
    fn the_word_alone_is_no_link() {
        assert_eq!(canonical_link("<p>canonical <a rel=canonical href=/x>"), None);
        assert_eq!(canonical_link("<link rel=canonical"), None);
        assert_eq!(canonical_link("<LINK rel='canonical nofollow' href= /x >").as_deref(), Some("/x"));
    }
}
