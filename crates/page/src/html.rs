//! HTML: is it, and what does a reader see of it.
//!
//! [`visible_text`] runs in one pass and builds no tree. The scanner (`scan`) finds tokens as the tokenizer of
//! the HTML standard does, the `rules` decide from tag names alone what is hidden and where a line ends, and
//! the `writer` folds white space. A tree would also move text that stands wrongly in a table to before it, and
//! ignore a stray `<body>` that ends a line here: 6 of 896 real pages differ so, and none of them in its words.
//! Why the scanner is our own: docs/decisions/0004-html-tokenizer.md.
//!
//! Spec: <https://html.spec.whatwg.org/multipage/parsing.html#tokenization>.

mod attributes;
mod canonical;
pub(crate) mod element;
pub(crate) mod groups;
pub(crate) mod meta;
mod named;
#[cfg(test)]
mod oracle;
pub(crate) mod outline;
pub(crate) mod paths;
pub(crate) mod plateau;
mod raw;
#[cfg(test)]
mod real_pages;
mod reference;
mod rules;
mod scan;
pub(crate) mod slots;
mod sniff;
mod tag;
mod writer;

pub use canonical::canonical_link;
pub use sniff::looks_like_html;

/// Appends to `out` the text a reader sees of the page `html`.
///
/// The first `<title>` comes first, on a line of its own. The contents of `script`, `style`, `noscript`,
/// `template`, `svg`, `iframe`, `noembed` and `noframes`, comments and attributes (so `alt`, too) are not text.
/// A block element, table cell, list item, `br`, `hr`, form control with text or the like ends a line, inline
/// elements leave no mark, runs of Unicode white space (so `&nbsp;`, too) become one blank. Lines are joined by
/// `\n`; no line is empty, begins or ends with white space, and none is ended at the end of the text.
///
/// Takes any input, in time and memory linear in its length; what is written is never longer than three times
/// the input. Style sheets and the `hidden` attribute are not looked at.
///
/// ```
/// let mut text = String::new();
/// onefold_page::visible_text("<p>Fish &amp;\n chips<br>un<b>believ</b>able<script>x</script>", &mut text);
/// assert_eq!(text, "Fish & chips\nunbelievable");
/// ```
pub fn visible_text(html: &str, out: &mut String) {
    let mut rules = rules::Rules::new(out);
    scan::scan(html, &mut rules);
    rules.finish();
}

/// At most `bytes` bytes of a text, whole characters.
pub(crate) fn start_of(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests;
