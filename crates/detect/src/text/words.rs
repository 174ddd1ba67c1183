//! Tokens of text in any script, a character at a time.
//!
//! A character is looked at together with its successor: where the successor leans back on it (a combining mark,
//! a jamo, a composing vowel), both and what follows are folded by the full algorithms; all else by table.

use super::classes::{self, Class};
use super::sink::TokenSink;

/// Reads tokens off any text into a sink.
pub(super) struct Words<'a> {
    sink: &'a mut TokenSink,
    /// Whether a token is under way.
    in_word: bool,
}

impl<'a> Words<'a> {
    /// Goes on where a sink is, with a token under way or not.
    pub(super) fn new(sink: &'a mut TokenSink, in_word: bool) -> Self {
        Words { sink, in_word }
    }

    /// Whether a token is under way.
    pub(super) fn is_in_word(&self) -> bool {
        self.in_word
    }

    /// Takes the characters of `text` from byte `at` on until `stop` says, at a character boundary, that the rest
    /// is for somebody else, and tells where that is. `stop` is asked only behind ASCII separators.
    pub(super) fn run(&mut self, text: &str, mut at: usize, stop: impl Fn(usize) -> bool) -> usize {
        let bytes = text.as_bytes();
        // Folding by table never makes more than 5 bytes of 2 (a two-byte single and its blank).
        self.sink.reserve((text.len() - at) * 3);
        while at < bytes.len() {
            let byte = bytes[at];
            if byte < 0x80 && bytes.get(at + 1).is_none_or(|&next| next < 0x80) {
                at += 1;
                let folded = ASCII_FOLD[byte as usize];
                if folded != 0 {
                    self.word_byte(folded);
                } else {
                    self.close();
                    self.sink.hash_if_many();
                    if stop(at) {
                        return at;
                    }
                }
            } else {
                at = self.others(text, at);
            }
        }
        self.close();
        at
    }

    /// Takes the character at `at` and the ones behind it up to the next ASCII one, each looked up once.
    #[inline(always)]
    fn others(&mut self, text: &str, mut at: usize) -> usize {
        let bytes = text.as_bytes();
        let load = |at: usize| {
            let (c, next) = decode(bytes, at);
            (c, next, classes::entry(c))
        };
        let (mut c, mut next, mut entry) = load(at);
        // Marks in canonical order, none of which composes, are taken as they come; at one that is not so, all is
        // taken back to the character it leans on.
        let mut base = (at, self.mark());
        let mut last = entry.combining;
        loop {
            if entry.class == Class::Complex {
                break;
            }
            self.take(c, entry.class);
            let Some(&byte) = bytes.get(next) else { return next };
            if byte < 0x80 {
                return next;
            }
            at = next;
            (c, next, entry) = load(at);
            if entry.combining == 0 {
                if entry.class != Class::Complex {
                    self.sink.hash_if_many();
                    base = (at, self.mark());
                }
            } else if last > entry.combining {
                break;
            }
            last = entry.combining;
        }
        self.back_to(base.1);
        self.character(text, base.0)
    }

    /// What is needed to take back what is taken from here on.
    #[inline(always)]
    fn mark(&self) -> Mark {
        Mark { place: self.sink.place(), in_word: self.in_word }
    }

    fn back_to(&mut self, mark: Mark) {
        self.sink.back_to(mark.place);
        self.in_word = mark.in_word;
    }

    /// Takes the character at `at`, with those behind that lean on it; tells where the next one starts.
    pub(super) fn character(&mut self, text: &str, at: usize) -> usize {
        let mut following = text[at..].chars();
        let Some(c) = following.next() else { return text.len() };
        self.sink.reserve(c.len_utf8() * 3);
        let entry = classes::entry(c);
        let next = at + c.len_utf8();
        if entry.class != Class::Complex
            && !following.clone().next().is_some_and(|n| classes::entry(n).leans_back())
        {
            self.take(c, entry.class);
            return next;
        }
        // The run of characters that lean on this one. Marks in canonical order, none of which composes, stand
        // still; anything else is folded together with its base.
        let (mut end, mut last, mut still) = (next, entry.combining, entry.class != Class::Complex);
        for follower in following {
            let follower_entry = classes::entry(follower);
            if !follower_entry.leans_back() {
                break;
            }
            still &= follower_entry.class != Class::Complex && last <= follower_entry.combining;
            last = follower_entry.combining;
            end += follower.len_utf8();
        }
        let mut behind = text[next..end].chars();
        if let (Some(only), None) = (behind.next(), behind.next())
            && classes::stay_apart(c, only)
        {
            self.word(c);
            self.word(only);
        } else if still {
            self.sink.reserve((end - at) * 3);
            for c in text[at..end].chars() {
                self.take(c, classes::entry(c).class);
            }
        } else {
            self.take_folded(&classes::fold_fully(&text[at..end]));
        }
        end
    }

    fn take_folded(&mut self, folded: &str) {
        self.sink.reserve(folded.len() * 2 + 8);
        for c in folded.chars() {
            match classes::plain(c) {
                Class::Word(c) => self.word(c),
                Class::Single(c) => self.single(c),
                _ => self.close(),
            }
        }
    }

    #[inline(always)]
    fn take(&mut self, c: char, class: Class) {
        match class {
            Class::Word(folded) => self.word(folded),
            Class::Single(folded) => self.single(folded),
            Class::Separator => self.close(),
            Class::Expand => self.take_folded(classes::expansion(c)),
            Class::Complex => self.take_folded(&classes::fold_fully(c.encode_utf8(&mut [0; 4]))),
        }
    }

    #[inline(always)]
    fn word_byte(&mut self, byte: u8) {
        self.in_word = true;
        self.sink.text[self.sink.used] = byte;
        self.sink.used += 1;
    }

    #[inline(always)]
    fn word(&mut self, c: char) {
        self.in_word = true;
        self.put(c);
    }

    /// A token of one character.
    #[inline(always)]
    fn single(&mut self, c: char) {
        self.close();
        self.put(c);
        self.sink.end_token();
        self.keep_room();
    }

    #[inline(always)]
    fn put(&mut self, c: char) {
        let (at, (utf8, len)) = (self.sink.used, encode(c));
        self.sink.text[at..at + 8].copy_from_slice(&utf8.to_le_bytes());
        self.sink.used = at + len;
    }

    #[inline(always)]
    fn close(&mut self) {
        if self.in_word {
            self.in_word = false;
            self.sink.end_token();
            self.keep_room();
        }
    }

    /// A long run of words that are longer folded than not may outgrow what was reserved.
    #[inline(always)]
    fn keep_room(&mut self) {
        if self.sink.text.len() < self.sink.used + 32 {
            self.sink.reserve(self.sink.used);
        }
    }
}

/// A place to go back to.
#[derive(Clone, Copy)]
struct Mark {
    place: (usize, usize),
    in_word: bool,
}

/// The character of valid UTF-8 that starts at `at`, and where the next one does.
#[inline(always)]
fn decode(bytes: &[u8], at: usize) -> (char, usize) {
    let rest = |index: usize| u32::from(bytes[at + index] & 0x3f);
    let first = u32::from(bytes[at]);
    let (code, len) = match first {
        0..0x80 => (first, 1),
        0x80..0xe0 => ((first & 0x1f) << 6 | rest(1), 2),
        0xe0..0xf0 => ((first & 0x0f) << 12 | rest(1) << 6 | rest(2), 3),
        _ => ((first & 0x07) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3), 4),
    };
    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), at + len)
}

/// The UTF-8 of a character as a little-endian word, and its length.
#[inline(always)]
fn encode(c: char) -> (u64, usize) {
    let code = u64::from(u32::from(c));
    let tail = |shift: u32| 0x80 | (code >> shift & 0x3f);
    match code {
        0..0x80 => (code, 1),
        0x80..0x800 => (0xc0 | code >> 6 | tail(0) << 8, 2),
        0x800..0x1_0000 => (0xe0 | code >> 12 | tail(6) << 8 | tail(0) << 16, 3),
        _ => (0xf0 | code >> 18 | tail(12) << 8 | tail(6) << 16 | tail(0) << 24, 4),
    }
}

/// Lower case of ASCII letters, digits and `_` as they are, zero for separators.
const ASCII_FOLD: [u8; 128] = {
    let mut fold = [0; 128];
    let mut byte = 0u8;
    while byte < 128 {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            fold[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    fold
};
