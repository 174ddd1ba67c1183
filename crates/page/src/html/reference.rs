//! Character references in text: `&amp;`, `&#38;`, `&#x26;`, and `&amp` where the standard allows it.
//!
//! The longest name wins: `&notin;` is `∉`, `&notit;` is `¬it;`. Names are letters and digits, so the longest
//! match is either the whole run before a `;`, or one of the names that need no `;`, of which none is longer
//! than six bytes. That bounds the work at each `&`. Attribute values follow other rules and are not read here.
//!
//! Spec: <https://html.spec.whatwg.org/multipage/parsing.html#character-reference-state>.

use super::named::{NAMED, WITHOUT_SEMICOLON};

/// The characters a reference stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Characters {
    Named(&'static str),
    Numbered(char),
}

const LONGEST_NAME: usize = 31;
const LONGEST_WITHOUT_SEMICOLON: usize = 6;

/// Reads the reference after an `&`: its characters and its length, or `None` if the `&` is only an `&`.
pub(super) fn read(after_ampersand: &str) -> Option<(Characters, usize)> {
    match after_ampersand.as_bytes() {
        [b'#', b'x' | b'X', digits @ ..] => number(digits, 16).map(|(char, len)| (char, len + 2)),
        [b'#', digits @ ..] => number(digits, 10).map(|(char, len)| (char, len + 1)),
        _ => name(after_ampersand),
    }
}

fn name(text: &str) -> Option<(Characters, usize)> {
    let bytes = text.as_bytes();
    let len = bytes.iter().take(LONGEST_NAME + 1).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if bytes.get(len) == Some(&b';')
        && let Some(characters) = look_up(&text[..len])
    {
        return Some((characters, len + 1));
    }
    (2..=len.min(LONGEST_WITHOUT_SEMICOLON)).rev().find_map(|len| {
        WITHOUT_SEMICOLON.binary_search(&&text[..len]).ok()?;
        Some((look_up(&text[..len])?, len))
    })
}

fn look_up(name: &str) -> Option<Characters> {
    // The few that make up nearly all references of real pages.
    match name {
        "nbsp" => return Some(Characters::Named("\u{a0}")),
        "amp" => return Some(Characters::Named("&")),
        "quot" => return Some(Characters::Named("\"")),
        _ => {}
    }
    let found = NAMED.binary_search_by_key(&name, |&(name, _)| name).ok()?;
    Some(Characters::Named(NAMED[found].1))
}

fn number(digits: &[u8], radix: u32) -> Option<(Characters, usize)> {
    let mut code = 0u32;
    let mut len = 0;
    while let Some(digit) = digits.get(len).and_then(|&byte| char::from(byte).to_digit(radix)) {
        // Saturation keeps a too large number too large.
        code = code.saturating_mul(radix).saturating_add(digit);
        len += 1;
    }
    if len == 0 {
        return None;
    }
    len += usize::from(digits.get(len) == Some(&b';'));
    Some((Characters::Numbered(char_of(code)), len))
}

/// The character of a number; what is none becomes U+FFFD, and 128 to 159 are read as windows-1252.
fn char_of(code: u32) -> char {
    match code {
        0 => char::REPLACEMENT_CHARACTER,
        0x80..=0x9f => WINDOWS_1252[code as usize - 0x80],
        _ => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

#[rustfmt::skip]
static WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, usize)>) {
        let found = read(text).map(|(characters, len)| match characters {
            Characters::Named(named) => (named.to_string(), len),
            Characters::Numbered(char) => (char.to_string(), len),
        });
        assert_eq!(found, expected.map(|(text, len)| (text.to_string(), len)), "&{text}");
    }

    #[test]
    fn every_name_of_the_standard_is_found() {
        assert!(NAMED.is_sorted_by(|a, b| a.0 < b.0) && WITHOUT_SEMICOLON.is_sorted_by(|a, b| a < b));
        assert_eq!(NAMED.len() + WITHOUT_SEMICOLON.len(), 2231);
        assert_eq!(NAMED.iter().map(|(name, _)| name.len()).max(), Some(LONGEST_NAME));
        assert_eq!(WITHOUT_SEMICOLON.iter().map(|name| name.len()).max(), Some(LONGEST_WITHOUT_SEMICOLON));
        for (name, characters) in NAMED {
            check(&format!("{name};"), Some((characters, name.len() + 1)));
        }
        for name in WITHOUT_SEMICOLON {
            assert!(read(name).is_some_and(|(_, len)| len == name.len()), "&{name}");
        }
    }

    #[test]
    fn the_longest_name_wins() {
        check("notin;", Some(("∉", 6)));
        check("notit;", Some(("¬", 3)));
        check("timesbar;", Some(("⨱", 9)));
        check("timesbar", Some(("×", 5)));
        check("ampamp;", Some(("&", 3)));
    }

    #[test]
    fn a_semicolon_is_needed_except_by_the_old_names() {
        check("copyright", Some(("©", 4)));
        check("alpha", None);
        check("alpha;", Some(("α", 6)));
        check("LT", Some(("<", 2)));
    }

    #[test]
    fn what_is_no_reference_stays_as_it_is() {
        for text in
            ["", " ", "&", "#", "#;", "#x", "#xg", ";", "unknown;", "é;", "CounterClockwiseContourIntegralx;"]
        {
            check(text, None);
        }
    }

    #[test]
    fn numbers_follow_the_table_of_the_standard() {
        check("#38;#", Some(("&", 4)));
        check("#x2014", Some(("—", 6)));
        check("#X2014;", Some(("—", 7)));
        check("#150;", Some(("–", 5)));
        check("#x81;", Some(("\u{81}", 5)));
        for bad in ["#0;", "#xd800;", "#x110000;", "#99999999999999999999;"] {
            check(bad, Some(("\u{fffd}", bad.len())));
        }
    }
}
