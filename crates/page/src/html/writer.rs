//! Visible text as it is written: white space folded, lines ended between blocks.
//!
//! A separator is owed, not written, until the next word comes: so none stands at the start or end of a line
//! or of the text, and a line's end swallows the blanks around it.

use memchr::memchr;

use super::reference::{self, Characters};

/// What the bytes of a text mean besides themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Between tags: references are decoded, NUL is dropped.
    Markup,
    /// In `title` and `textarea`: references are decoded, NUL becomes U+FFFD.
    WithReferences,
    /// In `xmp` and after `plaintext`: NUL becomes U+FFFD.
    Raw,
}

/// What is owed before the next word; the greater wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Blank,
    Line,
}

/// The state of one text that is being written to the end of a string.
pub(super) struct Writer {
    start: usize,
    gap: Gap,
}

impl Writer {
    /// Starts a text at the end of `out`.
    pub(super) fn new(out: &str) -> Writer {
        Writer { start: out.len(), gap: Gap::None }
    }

    /// Where in `out` the text starts.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Puts what follows on another line.
    pub(super) fn end_line(&mut self) {
        self.gap = Gap::Line;
    }

    /// Appends text as it stands in the page.
    pub(super) fn source(&mut self, out: &mut String, mut text: &str, kind: Kind) {
        if kind != Kind::Markup {
            while let Some(nul) = memchr(0, text.as_bytes()) {
                self.decoded_source(out, &text[..nul], kind);
                self.plain(out, "\u{fffd}");
                text = &text[nul + 1..];
            }
        }
        self.decoded_source(out, text, kind);
    }

    fn decoded_source(&mut self, out: &mut String, mut text: &str, kind: Kind) {
        if kind != Kind::Raw {
            while let Some(ampersand) = memchr(b'&', text.as_bytes()) {
                let after = &text[ampersand + 1..];
                let Some((characters, len)) = reference::read(after) else {
                    self.plain(out, &text[..=ampersand]);
                    text = after;
                    continue;
                };
                self.plain(out, &text[..ampersand]);
                match characters {
                    Characters::Named(named) => self.plain(out, named),
                    Characters::Numbered(char) => self.plain(out, char.encode_utf8(&mut [0; 4])),
                }
                text = &after[len..];
            }
        }
        self.plain(out, text);
    }

    /// Appends text without references; NUL is dropped.
    pub(super) fn plain(&mut self, out: &mut String, text: &str) {
        let bytes = text.as_bytes();
        let mut run = 0;
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let skipped = match CLASSES[byte as usize] {
                Class::Letter => 0,
                // One blank between words is copied with them.
                Class::Space
                    if byte == b' '
                        && at > run
                        && bytes.get(at + 1).is_some_and(|&next| CLASSES[next as usize] == Class::Letter) =>
                {
                    0
                }
                Class::Space | Class::Nul => 1,
                Class::MayBeSpace => len_of_wide_space(&bytes[at..]),
            };
            if skipped > 0 {
                self.words(out, &text[run..at]);
                if byte != 0 {
                    self.gap = self.gap.max(Gap::Blank);
                }
                run = at + skipped;
            }
            at += skipped.max(1);
        }
        self.words(out, &text[run..]);
    }

    fn words(&mut self, out: &mut String, words: &str) {
        if words.is_empty() {
            return;
        }
        if out.len() > self.start {
            match self.gap {
                Gap::None => {}
                Gap::Blank => out.push(' '),
                Gap::Line => out.push('\n'),
            }
        }
        self.gap = Gap::None;
        out.push_str(words);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Letter,
    Space,
    Nul,
    /// The first byte of a white space character outside ASCII, and of other characters.
    MayBeSpace,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Letter; 256];
    classes[0] = Class::Nul;
    let mut space = b'\t';
    while space <= b'\r' {
        classes[space as usize] = Class::Space;
        space += 1;
    }
    classes[b' ' as usize] = Class::Space;
    classes[0xc2] = Class::MayBeSpace;
    classes[0xe1] = Class::MayBeSpace;
    classes[0xe2] = Class::MayBeSpace;
    classes[0xe3] = Class::MayBeSpace;
    classes
};

/// The length of the white space character outside ASCII that `bytes` start with, else 0.
fn len_of_wide_space(bytes: &[u8]) -> usize {
    match bytes {
        [0xc2, 0x85 | 0xa0, ..] => 2,
        [0xe1, 0x9a, 0x80, ..] => 3,
        [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..] => 3,
        [0xe2, 0x81, 0x9f, ..] => 3,
        [0xe3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(texts: &[&str], kind: Kind) -> String {
        let mut out = String::from("before");
        let mut writer = Writer::new(&out);
        texts.iter().for_each(|text| writer.source(&mut out, text, kind));
        out["before".len()..].to_string()
    }

    #[test]
    fn exactly_the_white_space_of_unicode_folds() {
        for char in '\u{1}'..=char::MAX {
            let text = format!("a{char}b");
            let expected = if char.is_whitespace() { "a b" } else { text.as_str() };
            assert_eq!(written(&[&text], Kind::Raw), expected, "{char:?}");
        }
    }

    #[test]
    fn blanks_fold_across_pieces_and_vanish_at_the_ends() {
        assert_eq!(written(&[" \n", " a ", "\u{a0}", " b", "c \t ", ""], Kind::Markup), "a bc");
        assert_eq!(written(&["a &nbsp;&#32; b"], Kind::Markup), "a b");
    }

    #[test]
    fn a_nul_is_dropped_between_tags_and_replaced_elsewhere() {
        assert_eq!(written(&["a\0b &am\0p;"], Kind::Markup), "ab &amp;");
        assert_eq!(written(&["a\0b&amp;"], Kind::WithReferences), "a\u{fffd}b&");
        assert_eq!(written(&["a\0b&amp;"], Kind::Raw), "a\u{fffd}b&amp;");
    }

    #[test]
    fn an_ampersand_that_starts_no_reference_is_text() {
        assert_eq!(written(&["A&B & &; &#x; &&amp;&"], Kind::Markup), "A&B & &; &#x; &&&");
    }
}
