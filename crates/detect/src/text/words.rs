//! Tokens of text in any script, a character at a time.
//!
//! A character is looked at together with its successor: where the successor leans back on it (a combining mark,
//! a jamo, a composing vowel), both and what follows are folded by the full algorithms; all else by table.

use super::ascii::TokenSink;
use super::classes::{self, Class};
use super::hash;

/// Reads tokens off any text into a sink.
pub(super) struct Words<'a> {
    sink: &'a mut TokenSink,
    /// Where the token under way starts in the sink's text, if one is.
    start: Option<usize>,
}

impl<'a> Words<'a> {
    pub(super) fn new(sink: &'a mut TokenSink) -> Self {
        Words { sink, start: None }
    }

    /// Whether no token is under way.
    pub(super) fn is_between_tokens(&self) -> bool {
        self.start.is_none()
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
        loop {
            let follower = bytes.get(next).filter(|&&byte| byte >= 0x80).map(|_| load(next));
            if entry.class == Class::Complex || follower.is_some_and(|(_, _, follower)| follower.leans_back())
            {
                return self.character(text, at);
            }
            self.take(c, entry.class);
            match follower {
                Some(follower) => {
                    at = next;
                    (c, next, entry) = follower;
                }
                None => return next,
            }
        }
    }

    /// Takes the character at `at`, with those behind that lean on it; tells where the next one starts.
    fn character(&mut self, text: &str, at: usize) -> usize {
        let mut following = text[at..].chars();
        let Some(c) = following.next() else { return text.len() };
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
        if still {
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
            Class::Expand(folded) => self.take_folded(folded),
            Class::Complex => self.take_folded(&classes::fold_fully(c.encode_utf8(&mut [0; 4]))),
        }
    }

    #[inline(always)]
    fn word_byte(&mut self, byte: u8) {
        let at = self.sink.used;
        self.start.get_or_insert(at);
        self.sink.text[at] = byte;
        self.sink.used = at + 1;
    }

    #[inline(always)]
    fn word(&mut self, c: char) {
        let at = self.sink.used;
        self.start.get_or_insert(at);
        self.sink.used = at + c.encode_utf8(&mut self.sink.text[at..at + 4]).len();
    }

    #[inline(always)]
    fn single(&mut self, c: char) {
        self.close();
        self.word(c);
        self.close();
    }

    #[inline(always)]
    fn close(&mut self) {
        if let Some(start) = self.start.take() {
            let end = self.sink.used;
            // Where a token is short, the bytes behind it that are read with it are masked.
            let hash = match self.sink.text[start..].first_chunk::<16>() {
                Some(chunk) if end - start <= 16 => hash::short(chunk, end - start),
                _ => hash::token(&self.sink.text[start..end]),
            };
            self.sink.hashes.push(hash);
            self.sink.text[end] = b' ';
            self.sink.used = end + 1;
            // A long run of words that are longer folded than not may outgrow what was reserved.
            if self.sink.text.len() < self.sink.used + 32 {
                self.sink.reserve(self.sink.used);
            }
        }
    }
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
