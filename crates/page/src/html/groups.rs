//! What elements and the words of their classes say about the part of the page they hold.
//!
//! A group is a kind of part: navigation, footer, comments, article. An element is in a group by its name or
//! role, or because `class`, `id` or `role` have one of the group's words. The words are sought at once by an
//! Aho–Corasick automaton in the attribute in lower case, with one blank for what is no letter: so ` ad ` is a
//! word by itself, `nav` any part of one.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::element::Element;

/// How many groups there are.
pub(crate) const GROUPS: usize = 49;

/// A set of groups, one bit each.
pub(crate) type Set = u64;

/// Groups by element or role, and those by words that are asked for one by one.
pub(crate) mod group {
    pub(crate) const NAV: u32 = 0;
    pub(crate) const HEADER: u32 = 1;
    pub(crate) const FOOTER: u32 = 2;
    pub(crate) const ASIDE: u32 = 3;
    pub(crate) const MAIN: u32 = 4;
    pub(crate) const ARTICLE: u32 = 5;
    pub(crate) const FORM: u32 = 6;
    pub(crate) const TABLE: u32 = 7;
    pub(crate) const LIST: u32 = 8;
    pub(crate) const FIGURE: u32 = 9;
    pub(crate) const SECTION: u32 = 10;
    pub(crate) const LINK: u32 = 11;
    pub(crate) const CONTROL: u32 = 12;
    pub(crate) const HIDDEN: u32 = 13;
    pub(crate) const DIALOG: u32 = 14;
    pub(crate) const QUOTE: u32 = 15;
    pub(crate) const PRE: u32 = 16;
    pub(crate) const DETAILS: u32 = 17;
    pub(crate) const NAV_BY_NAME: u32 = 18;
    pub(crate) const FOOTER_BY_NAME: u32 = 22;
    pub(crate) const LEGAL_BY_NAME: u32 = 44;
}

/// The first group that is known by words.
const FIRST_BY_WORDS: u32 = 18;

/// The words of each group from `FIRST_BY_WORDS` on.
#[rustfmt::skip]
static WORDS: [&[&str]; GROUPS - FIRST_BY_WORDS as usize] = [
    /* navigation */ &["nav"],
    /* menu */ &["menu", "dropdown"],
    /* breadcrumb */ &["breadcrumb", "crumb"],
    /* header */ &["header", "masthead", " top", "hdr", "topbar"],
    /* footer */ &["footer", "bottom", "colophon"],
    /* sidebar */ &["sidebar", "side ", "aside", "widget", " rail", "right", "secondary", "sticky"],
    /* comments */ &["comment", "disqus", "respond", "discussion"],
    /* share */ &["share", "sharing", "social", "follow", "facebook", "twitter", "addtoany", "sharedaddy"],
    /* related */ &["related", "recommend", "similar", "also", "more", "popular", "trending", "latest", "recent", "next", "prev", "read", "upsell", "crosssell", "cross sell", "suggest"],
    /* advertisement */ &[" ad ", " ads ", "advert", "promo", "sponsor", "banner", "adsense", "dfp", "outbrain", "taboola", "affiliate", " cta", "call to action"],
    /* consent */ &["cookie", "consent", "gdpr", "privacy", "modal", "popup", "overlay", "lightbox", "onetrust", "notice", "alert", "toast"],
    /* author */ &["author", "byline", "meta", " date", "time", "posted", "publish", " by ", "contributor", "bio"],
    /* tags */ &[" tag", "categor", "topic", "label", "keyword", "badge"],
    /* article */ &["article", "post", "entry", "story", "blog", "news"],
    /* container */ &["content", "body", "text", "main", "page", "primary", "rich", "prose", "copy", "wysiwyg"],
    /* product */ &["product", "price", "sku", "cart", "buy", "shop", "pdp", "variant", "quantity", "swatch", "stock"],
    /* review */ &["review", "rating", "star", "testimonial", "feedback", "customer"],
    /* forum */ &["forum", "thread", "message", "reply", "question", "answer", "bbs", "userpost", "replies", "votes", "signature", "quote"],
    /* search */ &["search", "filter", "sort", "facet", "refine"],
    /* login */ &["login", "signin", "sign in", "signup", "sign up", "subscri", "newsletter", "register", "account", "user", "member", "paywall"],
    /* media */ &["caption", "credit", "media", "gallery", "image", "video", "photo", "thumb", "player", "figure", "avatar", "icon"],
    /* pages */ &["paginat", "pager", "paging", "page numbers", "load more"],
    /* list */ &["list", "item", "card", "grid", "tile", "teaser", "result", "row", "block", "feed", "loop"],
    /* title */ &["title", "headline", "heading", "headings", "subtitle", "name"],
    /* contents */ &[" toc", "contents", "index", "anchor", "jump", "table of"],
    /* description */ &["descri", "detail", "spec", "feature", "summary", "overview", "about", "info", "intro", "lead", "excerpt"],
    /* legal */ &["copyright", "legal", "terms", "disclaimer", "policy"],
    /* hero */ &["hero", "slider", "carousel", "swiper", "slide", "jumbotron", "splash"],
    /* questions */ &["faq", "accordion", "collaps", " tab", "expand", "panel", "toggle"],
    /* documentation */ &[" doc", "markdown", "wiki", "reference", " api", "sphinx", "rst ", "highlight", "code", "section", "function", "method", "param"],
    /* tools */ &["skip", "print", "tool", "action", "button", "btn", "edit", "screen reader", "sr only", "visually hidden", "hidden", "noprint", "mobile", "desktop"],
];

static AUTOMATON: LazyLock<(AhoCorasick, Vec<u32>)> = LazyLock::new(|| {
    let words = WORDS.iter().flat_map(|words| words.iter());
    let groups =
        (FIRST_BY_WORDS..).zip(&WORDS).flat_map(|(group, words)| words.iter().map(move |_| group)).collect();
    let automaton =
        AhoCorasick::builder().match_kind(MatchKind::Standard).kind(Some(AhoCorasickKind::DFA)).build(words);
    (automaton.expect("a fixed list of short words builds"), groups)
});

/// The groups that have a word in `value`; `scratch` holds its clean form afterwards.
pub(crate) fn by_words(value: &str, scratch: &mut Vec<u8>) -> Set {
    scratch.clear();
    scratch.push(b' ');
    // Long values are data, not names; the bound keeps hostile ones cheap.
    for &byte in value.as_bytes().iter().take(256) {
        match byte {
            b'a'..=b'z' => scratch.push(byte),
            b'A'..=b'Z' => {
                // `adSlot` is `ad slot`.
                if scratch.last().is_some_and(|&last| last != b' ')
                    && !scratch.last().is_some_and(u8::is_ascii_uppercase)
                {
                    scratch.push(b' ');
                }
                scratch.push(byte);
            }
            b'0'..=b'9' => {}
            _ if scratch.last() != Some(&b' ') => scratch.push(b' '),
            _ => {}
        }
    }
    scratch.push(b' ');
    scratch.make_ascii_lowercase();
    let (automaton, groups) = &*AUTOMATON;
    automaton
        .find_overlapping_iter(scratch.as_slice())
        .fold(0, |set, found| set | 1 << groups[found.pattern().as_usize()])
}

/// The groups of an element by its name.
pub(crate) const fn by_element(element: Element) -> Set {
    1 << match element {
        Element::Nav => group::NAV,
        Element::Header => group::HEADER,
        Element::Footer => group::FOOTER,
        Element::Aside => group::ASIDE,
        Element::Main => group::MAIN,
        Element::Article => group::ARTICLE,
        Element::Form | Element::Fieldset => group::FORM,
        Element::Table => group::TABLE,
        Element::List | Element::Dl => group::LIST,
        Element::Figure | Element::Figcaption => group::FIGURE,
        Element::Section => group::SECTION,
        Element::A => group::LINK,
        Element::Button | Element::Select | Element::Option | Element::Label | Element::Textarea => {
            group::CONTROL
        }
        Element::Dialog => group::DIALOG,
        Element::Blockquote => group::QUOTE,
        Element::Pre => group::PRE,
        Element::Details => group::DETAILS,
        _ => return 0,
    }
}

/// The group of an ARIA role.
pub(crate) fn by_role(role: &str) -> Set {
    1 << match role.trim() {
        "navigation" | "menu" | "menubar" | "tablist" => group::NAV,
        "banner" => group::HEADER,
        "contentinfo" => group::FOOTER,
        "complementary" => group::ASIDE,
        "main" => group::MAIN,
        "article" => group::ARTICLE,
        "search" | "form" => group::FORM,
        "dialog" | "alertdialog" => group::DIALOG,
        "button" => group::CONTROL,
        _ => return 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(value: &str) -> Set {
        by_words(value, &mut Vec::new())
    }

    #[test]
    fn words_are_found_in_any_spelling() {
        let navigation = words("nav");
        assert_eq!(navigation.count_ones(), 1);
        for value in ["main-nav", "topNav", "NAVBAR", "x_nav_2"] {
            assert!(words(value) & navigation != 0, "{value}");
        }
    }

    #[test]
    fn groups_asked_for_by_name_are_those_of_their_words() {
        for (word, group) in [
            ("nav", group::NAV_BY_NAME),
            ("footer", group::FOOTER_BY_NAME),
            ("copyright", group::LEGAL_BY_NAME),
        ] {
            assert!(words(word) & 1 << group != 0, "{word}");
        }
    }

    #[test]
    fn a_short_word_counts_only_by_itself() {
        let advertisement = words("ad");
        assert!(advertisement != 0);
        assert!(words("adSlot") & advertisement != 0);
        assert_eq!(words("shadow gradient") & advertisement, 0);
    }
}
