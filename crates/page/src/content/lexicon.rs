//! Phrases that tell what a line is for.
//!
//! Each list is one sign: a line of few words with "subscribe" in it asks for something, one with "reply" stands
//! in a forum. Sought in any case by one Aho–Corasick automaton; lines longer than some hundred bytes are text
//! whatever words they have, so only their start is looked at.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::html::start_of;

/// How many signs there are.
pub(super) const SIGNS: usize = 18;

/// How much of a line is looked at.
const LOOKED_AT_BYTES: usize = 400;

#[rustfmt::skip]
static PHRASES: [&[&str]; SIGNS] = [
    &["cookie", "consent", "gdpr", "we use ", "this site uses", "this website uses", "your browser", "javascript"],
    &["©", "copyright", "all rights reserved", "(c) 20", "powered by", "a registered trademark"],
    &["subscribe", "newsletter", "sign up", "your email", "email address", "inbox", "enter your", "join our", "mailing list"],
    &["log in", "login", "sign in", "register", "my account", "password", "forgot", "create account", "join now", "member"],
    &["share", "tweet", "facebook", "twitter", "linkedin", "pinterest", "instagram", "whatsapp", "youtube", "follow us", "reddit", "copy link", "telegram"],
    &["comment", "replies", "leave a reply", "responses", "your email address will not"],
    &["read more", "learn more", "see more", "view all", "show more", "continue reading", "see all", "click here", "find out more", "view more", "load more", "read full", "shop now", "get started", "book now", "contact us", "view details", "buy now", "download"],
    &["privacy", "terms of", "terms &", "conditions", "policy", "disclaimer", "accessibility", "sitemap", "do not sell"],
    &["related", "you may also", "recommended", "popular", "more from", "you might", "also like", "trending", "latest", "recent posts", "more stories", "top stories", "editor's pick", "similar", "read next", "more articles", "also read", "see also", "read also", "don't miss", "customers also", "recently viewed"],
    &["advertisement", "sponsored", "affiliate", "promoted", "advertise", "ad choices", "commission"],
    &["posted by", "posted on", "published", "updated", "written by", "min read", "minutes read", " ago", "last modified", "by ", "author", "reviewed by"],
    &["january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december", "jan ", "feb ", "mar ", "apr ", "jun ", "jul ", "aug ", "sep ", "oct ", "nov ", "dec ", "2019", "2020", "2021", "2022", "2023", "2024", "2025", "2026"],
    &["reply", "quote", "report", "upvote", "like", "joined", "posts:", "thread", "moderator", "senior member", "points", "votes", "solved", "answer"],
    &["$", "€", "£", "add to cart", "add to bag", "in stock", "out of stock", "free shipping", "price", "sale", "% off", "sku", "qty", "wishlist", "compare"],
    &["tags", "filed under", "categories", "category", "topics", "posted in", "tagged"],
    &["previous", "next", "page ", "back to", "home", "skip to", "menu", "search", "top", "close", "toggle", "print", "navigation"],
    &["photo", "image", "getty", "credit", "courtesy", "source:", "via ", "screenshot", "caption", "illustration", "reuters", "associated press"],
    &[". ", "! ", "? ", "; ", ": "],
];

static AUTOMATON: LazyLock<(AhoCorasick, Vec<u8>)> = LazyLock::new(|| {
    let phrases = PHRASES.iter().flat_map(|phrases| phrases.iter());
    let signs = (0..).zip(&PHRASES).flat_map(|(sign, phrases)| phrases.iter().map(move |_| sign)).collect();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(phrases);
    (automaton.expect("a fixed list of short phrases builds"), signs)
});

/// How often each sign is seen in a line, up to 255.
pub(super) fn signs(line: &str) -> [u8; SIGNS] {
    let (automaton, signs) = &*AUTOMATON;
    let start = start_of(line, LOOKED_AT_BYTES);
    let mut counts = [0u8; SIGNS];
    for found in automaton.find_overlapping_iter(start) {
        let count = &mut counts[usize::from(signs[found.pattern().as_usize()])];
        *count = count.saturating_add(1);
    }
    counts
}

/// Words without which hardly a sentence is made, of the languages most pages are in; sorted.
#[rustfmt::skip]
static FUNCTION_WORDS: [&str; 105] = [
    "a", "about", "after", "all", "an", "and", "are", "as", "at", "auf", "avec", "be", "been", "but", "by", "can",
    "che", "como", "con", "da", "das", "de", "del", "den", "der", "des", "di", "die", "do", "du", "e", "een", "ein",
    "eine", "el", "en", "er", "es", "est", "et", "for", "from", "had", "has", "have", "he", "her", "het", "his", "i",
    "if", "il", "in", "is", "ist", "it", "its", "la", "las", "le", "les", "los", "mit", "my", "na", "nicht", "no",
    "not", "o", "of", "on", "or", "os", "our", "para", "per", "por", "pour", "que", "se", "sich", "so", "sur", "than",
    "that", "the", "their", "they", "this", "to", "un", "una", "und", "une", "van", "von", "was", "we", "were",
    "which", "will", "with", "you", "your", "zu",
];

/// Is this word one of them, in any case?
pub(super) fn is_function_word(word: &str) -> bool {
    let mut lower = [0; 8];
    let Some(lower) = lower.get_mut(..word.len()) else { return false };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    FUNCTION_WORDS.binary_search_by(|known| known.as_bytes().cmp(lower)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_words_are_sorted_for_the_search() {
        assert!(FUNCTION_WORDS.is_sorted(), "{:?}", FUNCTION_WORDS.windows(2).find(|pair| pair[0] > pair[1]));
        assert!(is_function_word("The") && is_function_word("zu") == FUNCTION_WORDS.contains(&"zu"));
    }
}
