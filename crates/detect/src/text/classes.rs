//! What each character does to a token, by its Unicode properties.
//!
//! Most characters come out of NFKC, case folding and NFKC as the same characters whatever stands beside them, so
//! a table look-up replaces the algorithms. The few that may compose with or reorder against their neighbours are
//! [`Class::Complex`], and the text around them takes the full algorithms. The table is filled a page of 256
//! characters at a time, when the first of a page is seen.

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizer;
use icu_normalizer::properties::{
    CanonicalCombiningClassMap, CanonicalComposition, CanonicalDecomposition, Decomposed,
};
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup, Script};
use std::sync::OnceLock;

/// What a character does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Ends a token.
    Separator,
    /// Goes on with a token, as this character.
    Word(char),
    /// Is a token by itself, as this character.
    Single(char),
    /// Becomes several characters, none of which meddles with its neighbours: see [`expansion`].
    Expand,
    /// Needs the full algorithms together with its neighbours.
    Complex,
}

/// A character's class with its canonical combining class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) class: Class,
    pub(super) combining: u8,
}

impl Entry {
    /// Whether the character may move against, or melt into, what stands before it.
    #[inline(always)]
    pub(super) fn leans_back(self) -> bool {
        self.combining != 0 || self.class == Class::Complex
    }
}

const PAGES: usize = 0x11_0000 / 256;

/// 256 characters. Entries are small, so that those of a script stay in the cache.
struct Page {
    entries: [Entry; 256],
    /// What becomes of those that become several, by the last byte of their code.
    expansions: Vec<(u8, Box<str>)>,
}

static TABLE: [OnceLock<Box<Page>>; PAGES] = [const { OnceLock::new() }; PAGES];

/// The entry of a character.
#[inline(always)]
pub(super) fn entry(c: char) -> Entry {
    page(c).entries[c as usize & 0xff]
}

/// What a character of [`Class::Expand`] becomes; nothing for others.
pub(super) fn expansion(c: char) -> &'static str {
    let expansions = &page(c).expansions;
    let found = expansions.binary_search_by_key(&(c as u32 as u8), |(last, _)| *last);
    found.map_or("", |at| &expansions[at].1)
}

#[inline(always)]
fn page(c: char) -> &'static Page {
    TABLE[c as usize >> 8].get_or_init(|| fill_page(c as u32 & !0xff))
}

#[cold]
fn fill_page(first: u32) -> Box<Page> {
    let separator = Entry { class: Class::Separator, combining: 0 };
    let mut page = Box::new(Page { entries: [separator; 256], expansions: Vec::new() });
    for (code, last) in (first..).zip(0u8..=255) {
        if let Some(c) = char::from_u32(code) {
            let (entry, expansion) = compute(c);
            page.entries[usize::from(last)] = entry;
            page.expansions.extend(expansion.map(|text| (last, text)));
        }
    }
    page
}

/// The entry of a character, and what becomes of it where that is several.
fn compute(c: char) -> (Entry, Option<Box<str>>) {
    let combining = combining_class(c);
    let mut utf8 = [0; 4];
    let source = c.encode_utf8(&mut utf8);
    let nfkc = ComposingNormalizer::new_nfkc();
    let composed = nfkc.normalize(source);
    let folded = CaseMapper::new().fold_string(&composed);
    let result = nfkc.normalize(&folded);
    let mut all = composed.chars().chain(folded.chars()).chain(result.chars());
    let mut expansion = None;
    let class = if may_compose_with_previous(c) || all.clone().any(may_compose_with_previous) {
        Class::Complex
    } else if combining != 0 {
        if all.all(|other| other == c) { plain(c) } else { Class::Complex }
    } else if all.any(|other| combining_class(other) != 0) {
        Class::Complex
    } else {
        let mut chars = result.chars();
        match (chars.next(), chars.next()) {
            (Some(only), None) => plain(only),
            _ => {
                expansion = Some(result.into_owned().into_boxed_str());
                Class::Expand
            }
        }
    };
    (Entry { class, combining }, expansion)
}

/// Whether a character and the one behind it stay what they are beside each other, though the second composes with
/// others: vowel signs of Bengali or Tamil, which are of two parts behind some letters only.
pub(super) fn stay_apart(c: char, next: char) -> bool {
    entry(c) == Entry { class: Class::Word(c), combining: 0 }
        && combining_class(next) == 0
        && plain(next) == Class::Word(next)
        && folds_to_itself(next)
        && CanonicalComposition::new().compose(c, next).is_none()
}

/// Whether folding leaves a character as it is: one of the scripts of India, which have no cases, and of one part.
fn folds_to_itself(c: char) -> bool {
    matches!(c, '\u{0900}'..='\u{0dff}')
        && matches!(CanonicalDecomposition::new().decompose(c), Decomposed::Default)
}

/// The full algorithms over a stretch of text.
pub(super) fn fold_fully(text: &str) -> String {
    let nfkc = ComposingNormalizer::new_nfkc();
    nfkc.normalize(&CaseMapper::new().fold_string(&nfkc.normalize(text))).into_owned()
}

fn combining_class(c: char) -> u8 {
    CanonicalCombiningClassMap::new().get_u8(c)
}

/// The class of a character that is already folded and stands still.
pub(super) fn plain(c: char) -> Class {
    let group = CodePointMapData::<GeneralCategory>::new().get(c);
    let in_word = c == '_'
        || GeneralCategoryGroup::Letter.contains(group)
        || GeneralCategoryGroup::Number.contains(group)
        || GeneralCategoryGroup::Mark.contains(group);
    if !in_word {
        Class::Separator
    } else if is_unspaced(c) {
        Class::Single(c)
    } else {
        Class::Word(c)
    }
}

/// Whether a character belongs to a script written without spaces between words. The prolonged sound mark is
/// common to both kana by its script property, and a kana here.
fn is_unspaced(c: char) -> bool {
    const UNSPACED: [Script; 7] = [
        Script::Han,
        Script::Hiragana,
        Script::Katakana,
        Script::Thai,
        Script::Lao,
        Script::Khmer,
        Script::Myanmar,
    ];
    c == 'ー' || UNSPACED.contains(&CodePointMapData::<Script>::new().get(c))
}

/// Characters that canonical composition can join to the one before; a superset of those with
/// `NFC_Quick_Check=Maybe`, which a test checks against the composition data.
fn may_compose_with_previous(c: char) -> bool {
    const RANGES: &[(u32, u32)] = &[
        (0x0300, 0x0345),
        (0x0653, 0x0655),
        (0x093c, 0x093c),
        (0x09be, 0x09be),
        (0x09d7, 0x09d7),
        (0x0b3e, 0x0b3e),
        (0x0b56, 0x0b57),
        (0x0bbe, 0x0bbe),
        (0x0bd7, 0x0bd7),
        (0x0c56, 0x0c56),
        (0x0cc2, 0x0cc2),
        (0x0cd5, 0x0cd6),
        (0x0d3e, 0x0d3e),
        (0x0d57, 0x0d57),
        (0x0dca, 0x0dca),
        (0x0dcf, 0x0dcf),
        (0x0ddf, 0x0ddf),
        (0x102e, 0x102e),
        (0x1161, 0x1175),
        (0x11a8, 0x11c2),
        (0x1b35, 0x1b35),
        (0x3099, 0x309a),
        (0x1_1000, 0x1_6fff),
        (0x1_d000, 0x1_d1ff),
    ];
    let code = c as u32;
    // The blocks from U+11000 hold a few scripts with composing vowels; only their marks count.
    RANGES.iter().any(|&(from, to)| (from..=to).contains(&code))
        && (code < 0x1_1000
            || GeneralCategoryGroup::Mark.contains(CodePointMapData::<GeneralCategory>::new().get(c))
            || (0x1_6100..0x1_6fff).contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_that_composes_with_its_predecessor_is_known() {
        let (compose, decompose) = (CanonicalComposition::new(), CanonicalDecomposition::new());
        let mut missing = Vec::new();
        for c in '\0'..=char::MAX {
            if let Decomposed::Expansion(a, b) = decompose.decompose(c)
                && compose.compose(a, b).is_some()
                && !may_compose_with_previous(b)
            {
                missing.push(b as u32);
            }
        }
        assert!(missing.is_empty(), "{missing:x?}");
    }

    #[test]
    fn characters_said_to_fold_to_themselves_do() {
        for c in ('\0'..=char::MAX).filter(|&c| folds_to_itself(c)) {
            assert_eq!(fold_fully(&c.to_string()), c.to_string());
        }
        assert!(folds_to_itself('\u{9be}') && !folds_to_itself('\u{9cb}'));
    }

    #[test]
    fn common_characters_of_all_scripts_are_simple() {
        let common = "Ёжик большой кит 中文字符，。！ひらがなカタカナー日本語ไทยภาษาที่นี่ العربية كتاب é ü ß ﬁ … “quotes” – — ½ ™ 한국어 ελληνικά עברית";
        for c in common.chars() {
            assert_ne!(entry(c).class, Class::Complex, "{c} U+{:04X}", c as u32);
        }
    }
}
