use std::time::{Duration, Instant};

use super::*;

const ALL: [Content; 3] = [Content::Main, Content::Plateau, Content::All];

fn article() -> String {
    let menu = "<li><a href=/x>Menu entry</a>".repeat(30);
    let body =
        "<p>The lighthouse stood on the rock for a hundred years, and the keeper, who had never been to the \
                mainland, wrote down every ship that passed. He did so with care, and without hurry."
            .repeat(8);
    format!(
        "<!doctype html><html lang=en-GB><head><title>The keeper &amp; the sea</title>\
         <meta name=description content='A story'><meta name=robots content=noindex>\
         <link rel=canonical href='https://example.org/keeper?a=1&amp;b=2'>\
         <link rel=alternate type=application/rss+xml href=/feed><link rel=sitemap href=/sitemap.xml></head>\
         <body><nav><ul>{menu}</ul></nav><main><article><h1>The keeper</h1>{body}\
         <p>More in the <a href='/archive' rel='nofollow noopener'>old <b>archive</b></a>.</article></main>\
         <footer><a href=/privacy>Privacy policy</a> © 2024 Example. All rights reserved.</footer></body></html>"
    )
}

#[test]
fn main_takes_the_article_and_leaves_menu_and_footer() {
    let page = extract(article().as_bytes(), None, Content::Main);
    assert!(page.text.contains("lighthouse stood"), "{}", page.text);
    assert!(!page.text.contains("Menu entry") && !page.text.contains("Privacy policy"), "{}", page.text);
    assert!(!page.fallback);
    // The paragraph stands eight times on the page.
    assert_eq!(page.text.matches("lighthouse").count(), 1);
}

/// A page of reference: hardly a sentence, and below it more words of law than of matter.
fn reference(item: &str) -> String {
    format!(
        "<!doctype html><title>Struct {item}</title><body><table><tr><td><a href=/>Home</a><td><a href=/l>Libraries</a></table>\
         <div class=section><h2>Struct template {item}</h2><p>units::abstract::{item}</p><h2>Synopsis</h2>\
         <pre><span>// In header: &lt;units/systems/abstract.hpp&gt;</span> <span>struct</span> {item} : <span>public</span> \
         base_unit&lt; {item}, <span>length_dimension</span>, -30 &gt; {{ }};</pre></div>\
         <div class=copyright-footer>Copyright © 2003-2008 A. N. Author<br>Copyright © 2007-2010 A. Nother<p>Distributed under \
         the Software License, Version 1.0. (See accompanying file LICENSE.txt or the copy on the site of the project.) No \
         warranty is given, and none of the authors is liable for any damage that comes of it.</div>"
    )
}

#[test]
fn law_below_a_page_of_few_words_is_not_its_content() {
    for item in ["length_unit_tag", "time_unit_tag"] {
        let page = extract(reference(item).as_bytes(), None, Content::Main);
        assert!(page.text.contains(&format!("units::abstract::{item}")), "{}", page.text);
        assert!(!page.text.contains("warranty") && !page.text.contains("Libraries"), "{}", page.text);
        let shown = clean_html(&reference(item), Content::Main);
        assert!(shown.contains(item) && !shown.contains("warranty"), "{shown}");
    }
}

#[test]
fn plateau_takes_the_run_of_words() {
    let page = extract(article().as_bytes(), None, Content::Plateau);
    assert!(page.text.contains("lighthouse") && !page.text.contains("Menu entry"), "{}", page.text);
}

#[test]
fn what_a_page_says_of_itself_is_kept_beside_the_text() {
    for content in ALL {
        let page = extract(article().as_bytes(), None, content);
        assert_eq!(page.title, "The keeper & the sea");
        assert_eq!(page.description, "A story");
        assert_eq!(page.language, "en-GB");
        assert_eq!(page.robots, "noindex");
        assert_eq!(page.canonical, "https://example.org/keeper?a=1&b=2");
        assert_eq!((page.feeds, page.sitemaps), (vec!["/feed".to_owned()], vec!["/sitemap.xml".to_owned()]));
        assert_eq!(page.links.len(), 32);
        let archive =
            Link { href: "/archive".into(), anchor: "old archive".into(), rel: "nofollow noopener".into() };
        assert_eq!(page.links[30], archive);
        assert_eq!((page.charset, page.replaced, page.needs), ("UTF-8", 0, None));
    }
}

#[test]
fn all_is_the_visible_text_without_the_title() {
    let html = article();
    let mut visible = String::new();
    crate::visible_text(&html, &mut visible);
    let page = extract_html(&html, Content::All);
    assert_eq!(format!("{}\n{}", page.title, page.text), visible);
}

#[test]
fn no_page_with_text_is_emptied() {
    for html in
        ["<p>Short", "<nav><a href=x>Home</a></nav>", "<title>t</title><div>One<div>two", "<li>a<li>b<li>c"]
    {
        for content in ALL {
            assert!(!extract_html(html, content).text.is_empty(), "{html} {content:?}");
        }
    }
}

#[test]
fn content_too_short_to_believe_is_widened_and_said_so() {
    let html = article();
    let page = widened(&html, outline(&html), "The keeper".to_owned());
    assert!(page.fallback && page.text.contains("lighthouse"), "{page:?}");
    let menu = "<li><a href=/>Menu</a>".repeat(30);
    let page = widened(&menu, outline(&menu), String::new());
    assert_eq!((page.fallback, page.text), (true, extract_html(&menu, Content::All).text));
    // All there is cannot be too little.
    let page = widened("<p>Short", outline("<p>Short"), "Short".to_owned());
    assert_eq!((page.fallback, page.text.as_str()), (false, "Short"));
}

#[test]
fn plain_text_is_its_own_content() {
    let page = extract(b"2 < 3, said he\n\nand left", None, Content::Main);
    assert_eq!(page.text, "2 < 3, said he\n\nand left");
}

#[test]
fn a_page_in_noscript_is_read_where_there_is_no_other() {
    let post = "A post that somebody wrote about something, in some words. ".repeat(10);
    let html =
        format!("<title>Forum</title><noscript><div>{post}</div></noscript><div id=main-outlet></div>");
    assert!(extract_html(&html, Content::Main).text.contains("A post"));
    let html = format!("<p>{post}{post}<noscript>Turn script on</noscript>");
    assert!(!extract_html(&html, Content::Main).text.contains("Turn script on"));
}

#[test]
fn hostile_pages_are_read_in_bounded_time() {
    let cases = [
        "<div>".repeat(100_000),
        "<div>a".repeat(100_000) + &"</div>".repeat(100_000),
        "<table><tr><td>".repeat(50_000) + "x",
        "<a href=x><b>".repeat(100_000) + "x",
        "<ul><li>".repeat(50_000) + &"</p></x></td>".repeat(50_000),
        format!("<p title=\"{}\">x", "a".repeat(20 << 20)),
        format!("<p class=\"{}\">x", "nav ad ".repeat(1 << 20)),
        format!("<a href=\"{}\">x</a>", "&amp;".repeat(1 << 20)),
        format!("<!--{}", "-".repeat(10 << 20)),
        "\0".repeat(10 << 20),
        "<p>\0a\0".repeat(100_000),
        "<svg>".repeat(100_000) + "<p>x",
        "<template>".repeat(100_000) + "<p>x",
        "x ".repeat(2 << 20),
        "<p>x".repeat(300_000),
        "<title>".repeat(100_000),
        "<noscript>".repeat(100_000),
        "<".repeat(1 << 20),
        "&".repeat(1 << 20),
    ];
    for html in cases {
        for content in ALL {
            let start = Instant::now();
            let page = extract_html(&html, content);
            assert!(page.text.len() <= 3 * html.len());
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "{:.30} {content:?}: {:?}",
                html,
                start.elapsed()
            );
        }
    }
}

mod any_page {
    use proptest::prelude::*;

    use super::*;

    fn soup() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-z é]{0,12}",
            "</?(p|div|li|ul|td|tr|table|a|b|h1|title|script|svg|template|noscript|nav|x-y|option)( class=nav| href=a)?/?>",
            "[<>/!&\"'= \0-]{0,4}",
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn lines_of_main_are_lines_of_the_page_and_answers_are_repeatable(html in soup()) {
            let all = extract_html(&html, Content::All);
            let page = extract_html(&html, Content::Main);
            prop_assert_eq!(&page, &extract_html(&html, Content::Main));
            if !page.fallback && !html.contains("<noscript") {
                let lines: Vec<&str> = all.text.lines().collect();
                prop_assert!(page.text.lines().all(|line| lines.contains(&line)), "{:?} {:?}", page, all);
            }
            prop_assert!(!page.text.is_empty() || all.text.is_empty());
            prop_assert_eq!(page.title, all.title);
        }

        #[test]
        fn all_agrees_with_the_visible_text(html in soup()) {
            let all = extract_html(&html, Content::All);
            let mut visible = String::new();
            crate::visible_text(&html, &mut visible);
            let gap = if all.title.is_empty() || all.text.is_empty() { "" } else { "\n" };
            prop_assert_eq!(visible, format!("{}{gap}{}", all.title, all.text));
        }
    }
}
