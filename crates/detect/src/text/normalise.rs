//! A document's text to its normalised form and the hashes of its tokens.

use super::ascii::AsciiScratch;
use super::choices::Choices;
use super::general::General;
use super::packed::Packed;
use super::sink::TokenSink;
use super::stop_words::StopWords;
use super::wide;
use super::words::Words;

/// Reusable state that turns one text after the other into tokens.
///
/// Under the default choices there are three ways, with the same result: `wide` where the processor has it, else
/// `ascii` for stretches of ASCII and `words` for all other.
#[derive(Clone, Debug, Default)]
pub struct Normaliser {
    sink: TokenSink,
    packed: Packed,
    portable: Portable,
    other: Other,
}

/// What is done beside, or instead of, cutting tokens by default.
#[derive(Clone, Debug, Default)]
enum Other {
    #[default]
    Nothing,
    /// Tokens are cut by default, and stop words dropped from them.
    Drop(StopWords),
    /// Tokens are cut another way.
    Cut(General),
}

/// Shorter ASCII stretches inside other text are not worth a change of path.
const WORTHWHILE: usize = 96;

impl Normaliser {
    /// One that reads texts under these choices.
    pub fn new(choices: &Choices) -> Self {
        let other = if !choices.cuts_by_default() {
            Other::Cut(General::new(choices))
        } else {
            choices.stop_words.map_or(Other::Nothing, |language| Other::Drop(StopWords::of(language)))
        };
        Normaliser { other, ..Normaliser::default() }
    }

    /// Reads a text; what was read before is forgotten.
    pub fn read(&mut self, text: &str) {
        let Normaliser { sink, packed, portable, other } = self;
        sink.clear();
        if let Other::Cut(general) = other {
            return general.tokens(text, sink);
        }
        if !wide::cut(text, packed, sink) {
            portable.cut(text, sink);
        }
        sink.hash_waiting();
        if let Other::Drop(stop_words) = other {
            stop_words.drop_from(sink);
        }
    }

    /// Tokens joined by one blank.
    pub fn normalised(&self) -> &[u8] {
        &self.sink.text[..self.sink.used.saturating_sub(1)]
    }

    /// Each token, in order; [`Self::token_hashes`] has their hashes.
    pub fn tokens(&self) -> impl Iterator<Item = &[u8]> {
        self.normalised().split(|&byte| byte == b' ').take(self.sink.hashes().len())
    }

    /// Hash of each token, in order.
    pub fn token_hashes(&self) -> &[u64] {
        self.sink.hashes()
    }
}

/// Tokens under the default choices, on every processor.
#[derive(Clone, Debug, Default)]
pub(super) struct Portable(AsciiScratch);

impl Portable {
    /// Appends the tokens of a text.
    pub(super) fn cut(&mut self, text: &str, sink: &mut TokenSink) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let run = ascii_run(&bytes[at..]);
            if at + run == bytes.len() {
                self.0.tokens(&bytes[at..], sink);
                return;
            }
            if run >= WORTHWHILE {
                // Up to the last separator that no following character can lean on: the byte right before the
                // first other character is left to the general path.
                if let Some(end) = bytes[at..at + run - 1].iter().rposition(|&b| !is_word(b)) {
                    self.0.tokens(&bytes[at..at + end + 1], sink);
                    at += end + 1;
                }
            }
            let mut words = Words::new(sink, false);
            at = words.run(text, at, |next| {
                bytes[next..].len() > WORTHWHILE && bytes[next..next + WORTHWHILE].is_ascii()
            });
            debug_assert!(!words.is_in_word());
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Length of the ASCII stretch a text starts with.
pub(super) fn ascii_run(bytes: &[u8]) -> usize {
    let mut at = 0;
    for chunk in bytes.chunks(256) {
        if !chunk.is_ascii() {
            return at + chunk.iter().position(|b| !b.is_ascii()).unwrap_or(chunk.len());
        }
        at += chunk.len();
    }
    at
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::classes::{Class, fold_fully, plain};
    use super::super::hash;
    use super::*;
    use proptest::prelude::*;

    /// The definition, word for word.
    fn oracle(text: &str) -> String {
        let (mut tokens, mut word) = (Vec::new(), String::new());
        for c in fold_fully(text).chars() {
            match plain(c) {
                Class::Word(c) => word.push(c),
                other => {
                    if !word.is_empty() {
                        tokens.push(std::mem::take(&mut word));
                    }
                    if let Class::Single(c) = other {
                        tokens.push(c.to_string());
                    }
                }
            }
        }
        if !word.is_empty() {
            tokens.push(word);
        }
        tokens.join(" ")
    }

    fn normalised(text: &str) -> String {
        let mut normaliser = Normaliser::default();
        normaliser.read(text);
        let tokens = normaliser.normalised().split(|&b| b == b' ').filter(|t| !t.is_empty()).count();
        assert_eq!(normaliser.token_hashes().len(), tokens);
        assert!(normaliser.tokens().map(hash::token).eq(normaliser.token_hashes().iter().copied()));
        String::from_utf8(normaliser.normalised().to_vec()).unwrap()
    }

    #[test]
    fn texts_of_many_scripts_follow_the_definition() {
        for (text, expected) in [
            ("The Quick, brown_fox 42!", "the quick brown_fox 42"),
            ("Straße ﬁnd ™ №5", "strasse find tm no5"),
            ("Ёлка И ЁЖ", "ёлка и ёж"),
            ("e\u{301}te\u{301} É", "été é"),
            ("中文ABC字", "中 文 abc 字"),
            ("ｶﾞﾊﾞ カ\u{3099}", "ガ バ ガ"),
            ("ภาษาไทย", "ภ า ษ า ไ ท ย"),
            ("<\u{338} a", "a"),
            ("½ … ½x", "1 2 1 2x"),
            ("", ""),
        ] {
            assert_eq!(normalised(text), expected, "{text}");
            assert_eq!(oracle(text), expected, "oracle {text}");
        }
    }

    #[test]
    fn a_long_ascii_text_with_one_other_character_is_read_the_same_way() {
        let words = "alpha Beta gamma_delta 12 ".repeat(30);
        for place in (0..words.len()).step_by(7) {
            for other in ["é", "\u{301}", "中", "\u{338}", "“"] {
                let mut text = words.clone();
                text.insert_str(place, other);
                assert_eq!(normalised(&text), oracle(&text), "{other} at {place}");
            }
        }
    }

    /// A stretch of text of some script, or of what makes trouble.
    pub(in crate::text) fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-zA-Z0-9_ ,.<=>]{1,120}",
            "[\u{300}-\u{345}\u{338}\u{3099}\u{64b}-\u{655}\u{e48}-\u{e4b}\u{5b0}-\u{5c2}]{1,3}",
            "[àéîõüßÅŉİıſﬁ½…„“”\u{a0}\u{ad}\u{212b}\u{fb1d}\u{1e9b}]{1,4}",
            "[а-яА-ЯёЁα-ωΑ-Ως]{1,10}",
            "[\u{620}-\u{652}\u{905}-\u{94d}\u{995}-\u{9d7}\u{b95}-\u{bd7}]{1,8}",
            "[中文字。，ひかがガカーｶﾞﾊﾟＡｚ１]{1,6}",
            "[\u{e01}-\u{e4e}\u{e81}-\u{edd}\u{1780}-\u{17d3}\u{1000}-\u{1039}]{1,8}",
            "[\u{1100}-\u{1112}\u{1161}-\u{1175}\u{11a8}-\u{11c2}가-힣]{1,4}",
            "\\PC{0,6}",
            any::<char>().prop_map(String::from),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn every_text_follows_the_definition(pieces in proptest::collection::vec(piece(), 0..12)) {
            let text = pieces.concat();
            prop_assert_eq!(normalised(&text), oracle(&text));
        }
    }
}
