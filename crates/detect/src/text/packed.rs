//! What each character of the basic plane leaves in the normalised text, in four bytes: for [`super::wide`], which looks
//! sixteen of them up at once.
//!
//! The lowest three bytes are the UTF-8 of what a character becomes, zeros behind it; none for one that ends a token. The
//! highest has [`SINGLE`] for a character that is a token by itself, and below it the rank of its canonical combining
//! class. What does not fit, or needs its neighbours, is [`OTHER`]. The table is filled a page of 256 characters at a
//! time.

use super::classes::{self, Class};
use std::fmt;

/// Characters of the basic plane.
pub(super) const PLANE: usize = 0x1_0000;
/// Not in the table: it needs the full algorithms or more room, or its page is not filled.
pub(super) const OTHER: u32 = u32::MAX;
/// A token by itself.
pub(super) const SINGLE: u32 = 0x4000_0000;
/// How far up the rank of the canonical combining class is, which has six bits.
pub(super) const RANK_SHIFT: u32 = 24;

/// Canonical combining classes in their order, none first: a class is known by its rank among them.
const COMBINING: [u8; 56] = [
    0, 1, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 84, 91, 103, 107, 118, 122, 129, 130, 132, 202, 214, 216, 218, 220, 222, 224, 226,
    228, 230, 232, 233, 234, 240,
];

/// The table; empty until something is looked up.
#[derive(Clone, Default)]
pub(super) struct Packed {
    entries: Vec<u32>,
    filled: Vec<bool>,
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pages = self.filled.iter().filter(|&&filled| filled).count();
        f.debug_struct("Packed").field("pages", &pages).finish()
    }
}

impl Packed {
    /// The entry of each character.
    #[inline(always)]
    pub(super) fn entries(&mut self) -> &[u32; PLANE] {
        if self.entries.is_empty() {
            (self.entries, self.filled) = (vec![OTHER; PLANE], vec![false; PLANE / 256]);
        }
        self.entries
            .as_slice()
            .try_into()
            .expect("as many entries as the plane has characters because it was made so")
    }

    /// Fills the pages of a text's characters; false where they were all there.
    #[cold]
    pub(super) fn learn(&mut self, text: &str) -> bool {
        let mut news = false;
        for c in text.chars() {
            let page = c as usize >> 8;
            if page < self.filled.len() && !self.filled[page] {
                for code in (page as u32) << 8..(page as u32 + 1) << 8 {
                    self.entries[code as usize] = char::from_u32(code).map_or(OTHER, pack);
                }
                self.filled[page] = true;
                news = true;
            }
        }
        news
    }
}

fn pack(c: char) -> u32 {
    let entry = classes::entry(c);
    let Ok(rank) = COMBINING.binary_search(&entry.combining) else { return OTHER };
    let rank = (rank as u32) << RANK_SHIFT;
    let packed = match entry.class {
        Class::Separator if rank == 0 => Some(0),
        Class::Word(folded) => utf8(folded).map(|bytes| bytes | rank),
        // The blank behind it takes the fourth byte, so it must leave it the third.
        Class::Single(folded) => {
            utf8(folded).filter(|bytes| bytes >> 16 != 0).map(|bytes| bytes | SINGLE | rank)
        }
        Class::Expand if rank == 0 => expanded(classes::expansion(c)),
        Class::Separator | Class::Expand | Class::Complex => None,
    };
    packed.unwrap_or(OTHER)
}

/// The UTF-8 of a character, if it has at most three bytes and they are not zero.
fn utf8(c: char) -> Option<u32> {
    let mut bytes = [0; 4];
    let len = c.encode_utf8(&mut bytes).len();
    (c != '\0' && len <= 3).then(|| u32::from_le_bytes(bytes))
}

/// Several characters: words, with at most separators between them.
fn expanded(text: &str) -> Option<u32> {
    let (mut bytes, mut len, mut is_open, mut separators) = ([0; 4], 0, false, false);
    for c in text.chars() {
        match classes::plain(c) {
            Class::Word(c) => {
                if separators && len > 0 {
                    *bytes.get_mut(len)? = b' ';
                    len += 1;
                }
                // One that begins with a separator ends the word before it, which has no place here.
                if separators && len == 0 {
                    return None;
                }
                let to = bytes.get_mut(len..len + c.len_utf8())?;
                c.encode_utf8(to);
                len += c.len_utf8();
                (is_open, separators) = (true, false);
            }
            Class::Separator => (is_open, separators) = (false, true),
            Class::Single(_) | Class::Expand | Class::Complex => return None,
        }
    }
    // One that ends in a separator would need a blank behind it.
    (len == 0 || is_open && len <= 3).then(|| u32::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(c: char) -> u32 {
        let mut table = Packed::default();
        table.entries();
        assert!(table.learn(&c.to_string()));
        assert!(!table.learn(&c.to_string()));
        table.entries()[c as usize]
    }

    #[test]
    fn characters_become_bytes_with_what_they_are_above_them() {
        let bytes = |text: &str| {
            let mut bytes = [0; 4];
            bytes[..text.len()].copy_from_slice(text.as_bytes());
            u32::from_le_bytes(bytes)
        };
        assert_eq!(packed('A'), bytes("a"));
        assert_eq!(packed('Ж'), bytes("ж"));
        assert_eq!(packed('ß'), bytes("ss"));
        assert_eq!(packed('½'), bytes("1 2"));
        assert_eq!(packed('中'), bytes("中") | SINGLE);
        assert_eq!(packed('…'), 0);
        assert_eq!(packed(' '), 0);
        assert_eq!(packed('\0'), 0);
        assert_eq!(
            packed('\u{e48}') & !SINGLE,
            bytes("\u{e48}") | 36 << RANK_SHIFT,
            "a tone mark of Thai, class 107"
        );
        // It composes with what stands before it; it becomes two tokens; its three words are too long.
        for other in ['\u{301}', '\u{e33}', '\u{fdfa}'] {
            assert_eq!(packed(other), OTHER, "{other:?}");
        }
    }

    #[test]
    fn every_combining_class_has_a_rank_that_keeps_its_order() {
        assert!(COMBINING.is_sorted() && COMBINING.len() <= 64);
        for c in '\0'..='\u{ffff}' {
            assert!(COMBINING.contains(&classes::entry(c).combining), "{c:?}");
        }
    }
}
