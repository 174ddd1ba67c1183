//! Facts of the visible text.

use proptest::prelude::*;

use super::oracle::{by_tokens, by_tree};
use super::visible_text;

fn text_of(html: &str) -> String {
    let mut out = String::new();
    visible_text(html, &mut out);
    out
}

/// The text must be as expected, and html5ever's tokens must agree.
fn check(html: &str, expected: &str) {
    assert_eq!(text_of(html), expected, "{html}");
    assert_eq!(by_tokens(html), expected, "html5ever: {html}");
}

#[test]
fn inline_elements_leave_words_whole() {
    check("un<b>believ</b>able <a href='>'>l</a>ink", "unbelievable link");
    check("a<script>b</script>c<!-- d -->e<svg><text>f</text></svg>g<img alt=h>i", "acegi");
}

#[test]
fn blocks_cells_and_breaks_end_lines() {
    check("<ul><li>a<li>b</ul>c<br>d<hr/>e", "a\nb\nc\nd\ne");
    check("<table><tr><td>a</td><td>b</td></tr><tr><th>c", "a\nb\nc");
    check("<h1>a</h1>\n\n<div><div> <p>b </div></div> c</BR>d", "a\nb\nc\nd");
    check("<select><option>a<option>b</select><textarea>c</textarea><button>d</button>e", "a\nb\nc\nd\ne");
}

#[test]
fn white_space_folds_and_lines_are_trimmed() {
    check(" \n a \t\r\n b&nbsp;&nbsp;c\u{3000}d \n<p> \n</p>\n e ", "a b c d\ne");
    check("<pre>a\n  b</pre>", "a b");
    check(" \n\t", "");
}

#[test]
fn text_is_appended_to_what_is_there() {
    let mut out = String::from("before ");
    visible_text(" <p>a<title>t</title> b", &mut out);
    assert_eq!(out, "before t\na b");
}

#[test]
fn the_first_title_comes_first_and_others_are_not_shown() {
    check("<head><title> A &amp; <b>B </title></head><body>c", "A & <b>B\nc");
    check("<p>a</p><title>T</title>b<title>U</title>c", "T\na\nbc");
    check("<svg><title>icon</title></svg><template><title>x</title></template>a<title>T</title>", "T\na");
    check("<title></title><title>second</title>a", "a");
    check("<title>open to the end <p>a", "open to the end <p>a");
}

#[test]
fn references_are_decoded_in_text_and_titles_only() {
    check("&lt;b&gt; &copy &eacute;t&#233; &#x1F600; &notit;", "<b> © été 😀 ¬it;");
    check("<title>&amp;amp;</title><textarea>&lt;</textarea><xmp>&lt;<b></xmp>", "&amp;\n<\n&lt;<b>");
}

#[test]
fn content_nobody_sees_is_dropped() {
    check("a<style>p{}</style><noscript><p>b</p></noscript><iframe>c</iframe><noframes>d</noframes>e", "ae");
    check("a<template><p>b<template>c</template>d</p></template>e", "ae");
    check("<head><meta charset=utf-8><link><base>a", "a");
}

#[test]
fn math_and_objects_are_seen() {
    check("<math><mi>x</mi><mo>=</mo></math><object>y</object>", "x=y");
}

#[test]
fn svg_is_dropped_with_the_html_in_it() {
    check("a<svg><foreignObject><p>b</p><script>'</svg>'</script></foreignObject></svg>c", "ac");
    check("a<svg/>b<svg><svg></svg>c</svg>d", "abd");
    check("a<svg><style>b > c {}</style><![CDATA[ <p>d</p> ]]></svg>e", "ae");
}

#[test]
fn an_unclosed_svg_ends_at_the_next_html_tag() {
    check("a<svg><path d='M0'><p>b", "a\nb");
    check("<div>a<svg><path></div>b", "a\nb");
}

#[test]
fn comments_doctypes_and_bogus_markup_are_dropped() {
    check("<!DOCTYPE html PUBLIC \"a>b\">c", "b\">c");
    check("a<!-- > -- > <p> --!>b<!-->c<!--->d<!---->e<!>f<?php echo '>' ?>g", "abcdef' ?>g");
    check("a<![CDATA[b>c]]>d</ e>f</>g", "ac]]>dfg");
    check("a<!-- open <p>b", "a");
}

#[test]
fn a_lone_bracket_is_text() {
    check("1 < 2 <3 a<", "1 < 2 <3 a<");
    check("<<p>a</", "<\na</");
    check("a<b", "a");
    check("a<b c='", "a");
}

#[test]
fn nul_bytes_are_dropped_or_replaced() {
    check("a\0b<d\0iv>c<title>\0</title>", "\u{fffd}\nabc");
    check("<plaintext>\0</plaintext>", "\u{fffd}</plaintext>");
}

#[test]
fn a_script_hides_what_the_standard_says() {
    check("a<script><!--<script></script>--></script>b", "ab");
    check("a<script>'<\\/script>' </script foo='>'>b", "ab");
    check("a<script>open <p>b</p>", "a");
}

#[test]
fn every_named_reference_agrees_with_html5ever() {
    let mut html = String::new();
    for (name, _) in super::named::NAMED {
        for after in [";", "", "x;", "=1"] {
            html.push_str(&format!("[&{name}{after}]<br>"));
        }
    }
    assert_eq!(text_of(&html), by_tokens(&html));
}

#[test]
fn a_million_open_tags_and_other_monsters_take_linear_time() {
    for piece in [
        "<div>",
        "<svg><foreignObject>",
        "<template>",
        "<b",
        "<!--",
        "<!-- -- > ",
        "<script><!--<script>",
        "<",
        "&",
        "&#",
        "&nGt;",
        "<title>",
        "</title ",
        "<a b='",
        "<![CDATA[",
        "<svg><![CDATA[",
        "</",
        "<xmp>",
        "\0",
    ] {
        let html = piece.repeat(1_000_000);
        assert!(text_of(&html).len() <= 3 * html.len(), "{piece}");
    }
}

/// Pieces from which tag soup is cooked: all that the scanner and the rules know, and halves of it.
fn soup() -> impl Strategy<Value = String> {
    #[rustfmt::skip]
    let pieces = prop::sample::select(vec![
        "<", ">", "</", "/>", "/", "!", "-", "--", "-->", "--!>", "<!--", "<!", "<?", "<!doctype html>", "[CDATA[", "]]>",
        "<![CDATA[", "'", "\"", "=", " ", "\n", "\r\n", "\0", "a", "é", "\u{a0}", "\u{3000}", "<p>", "</p>", "<p", "<b>", "</b>",
        "<br/>", "<a href=\"x\">", "<a b='>", "<title>", "</title>", "</title", "<textarea>", "</textarea>", "<script>",
        "<script ", "</script>", "</script ", "<style>", "</style>", "<noscript>", "</noscript>", "<template>", "</template>",
        "<svg>", "</svg>", "<svg/>", "<desc>", "</desc>", "<foreignObject>", "</foreignobject>", "<math>", "</math>",
        "<xmp>", "</xmp>", "<iframe>", "</iframe>", "<plaintext>", "<table>", "<td>", "<option>", "&", "&amp;", "&amp", "&lt;",
        "&not", "it;", "&notin;", "&#", "&#x", "41", "0;", "&#128;", "&nGt;", ";", "<DIV\n", "script", "title",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

fn holds_for(html: &str) -> Result<(), TestCaseError> {
    let text = text_of(html);
    prop_assert!(text.len() <= 3 * html.len());
    for line in text.split('\n').filter(|_| !text.is_empty()) {
        prop_assert!(!line.is_empty() && line.trim() == line && !line.contains("  "), "{:?}", line);
    }
    prop_assert_eq!(text, by_tokens(html));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tag_soup_agrees_with_html5ever(html in soup()) {
        holds_for(&html)?;
    }

    #[test]
    fn any_string_agrees_with_html5ever(html in any::<String>()) {
        holds_for(&html)?;
    }

    #[test]
    fn any_bytes_are_decoded_sniffed_and_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let is_html = super::looks_like_html(&bytes);
        let decoded = crate::decode(&bytes, None, is_html);
        prop_assert!(text_of(&decoded.text).len() <= 3 * decoded.text.len());
    }
}

#[test]
fn the_tree_gives_the_same_text_on_a_tidy_page() {
    let html = "<!doctype html><title>T</title><body><h1>a &amp; b</h1><p>c<b>d</b><svg><p>e</svg><ul><li>f<li>g</ul>";
    assert_eq!(text_of(html), by_tree(html));
}
