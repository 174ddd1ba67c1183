//! Tokens under any choices, a character at a time, as the definition says.
//!
//! The slower of two ways: the other one knows the default choices only. With these both give the same tokens.

use super::choices::{Case, Choices, Form, Punctuation, Space};
use super::classes::{self, Class};
use super::sink::TokenSink;
use super::stop_words::StopWords;
use super::{folding, hash};
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

/// Reads tokens off a text under some choices.
#[derive(Clone, Debug)]
pub(super) struct General {
    choices: Choices,
    stop_words: Option<StopWords>,
}

impl General {
    pub(super) fn new(choices: &Choices) -> Self {
        General { choices: *choices, stop_words: choices.stop_words.map(StopWords::of) }
    }

    /// Appends the tokens of a text.
    pub(super) fn tokens(&self, text: &str, sink: &mut TokenSink) {
        let folded = folding::fold(text, &self.choices);
        let mut cutter = Cutter { general: self, text: &folded, start: None, gap: None, sink };
        for (at, c) in folded.char_indices() {
            cutter.take(at, c);
        }
        cutter.close(folded.len());
    }

    /// Whether a token is a stop word, in whatever case and form it was kept.
    fn drops(&self, token: &str, hash: u64) -> bool {
        self.stop_words.as_ref().is_some_and(|stop_words| {
            if self.choices.case == Case::Fold && self.choices.form == Form::Nfkc {
                stop_words.contain(hash)
            } else {
                stop_words.contain(hash::token(folding::fold(token, &Choices::default()).as_bytes()))
            }
        })
    }
}

/// Cuts folded text into tokens.
struct Cutter<'a> {
    general: &'a General,
    text: &'a str,
    /// Where the token under way starts, if one is.
    start: Option<usize>,
    /// The white space since the last token, as a token.
    gap: Option<&'static str>,
    sink: &'a mut TokenSink,
}

impl Cutter<'_> {
    fn take(&mut self, at: usize, c: char) {
        let kind = Kind::of(c);
        if kind == Kind::Word {
            self.start.get_or_insert(at);
            return;
        }
        self.close(at);
        match kind {
            Kind::Single => self.single(at, c),
            Kind::Symbol if self.general.choices.punctuation == Punctuation::Keep => self.single(at, c),
            Kind::Blank => _ = self.gap.get_or_insert(Space::BLANK),
            Kind::Break => self.gap = Some(Space::BREAK),
            Kind::Word | Kind::Symbol | Kind::Other => {}
        }
    }

    fn single(&mut self, at: usize, c: char) {
        self.start = Some(at);
        self.close(at + c.len_utf8());
    }

    fn close(&mut self, end: usize) {
        let Some(start) = self.start.take() else { return };
        let token = &self.text[start..end];
        let hash = hash::token(token.as_bytes());
        if self.general.drops(token, hash) {
            return;
        }
        if let Some(gap) = self.gap.take()
            && self.general.choices.space == Space::Keep
            && self.sink.used > 0
        {
            self.sink.push(gap.as_bytes(), hash::token(gap.as_bytes()));
        }
        self.sink.push(token.as_bytes(), hash);
    }
}

/// What a folded character is, as far as any choice asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Part of a token.
    Word,
    /// A token by itself.
    Single,
    /// Punctuation or a symbol.
    Symbol,
    /// White space within a line.
    Blank,
    /// White space that ends a line.
    Break,
    /// Controls, formats and what is not assigned: ends a token and is never one.
    Other,
}

impl Kind {
    fn of(c: char) -> Kind {
        if c.is_ascii() { ASCII[c as usize] } else { Kind::of_other(c) }
    }

    fn of_other(c: char) -> Kind {
        match (classes::plain(c), c) {
            (Class::Word(_), _) => Kind::Word,
            (Class::Single(_), _) => Kind::Single,
            (_, '\u{85}' | '\u{2028}' | '\u{2029}') => Kind::Break,
            _ if c.is_whitespace() => Kind::Blank,
            _ => {
                let category = CodePointMapData::<GeneralCategory>::new().get(c);
                let is_symbol = GeneralCategoryGroup::Punctuation.contains(category)
                    || GeneralCategoryGroup::Symbol.contains(category);
                if is_symbol { Kind::Symbol } else { Kind::Other }
            }
        }
    }
}

const ASCII: [Kind; 128] = {
    let mut kinds = [Kind::Other; 128];
    let mut byte = 0u8;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'_' => Kind::Word,
            b'\n'..=b'\r' => Kind::Break,
            b'\t' | b' ' => Kind::Blank,
            _ if byte.is_ascii_alphanumeric() => Kind::Word,
            _ if byte.is_ascii_punctuation() => Kind::Symbol,
            _ => Kind::Other,
        };
        byte += 1;
    }
    kinds
};

#[cfg(test)]
mod tests {
    use super::super::normalise::tests::piece;
    use super::super::{Digits, Language, Normaliser};
    use super::*;
    use proptest::prelude::*;

    fn read(choices: Choices, text: &str) -> String {
        let mut normaliser = Normaliser::new(&choices);
        normaliser.read(text);
        let tokens: Vec<&[u8]> = normaliser.tokens().collect();
        assert_eq!(tokens.join(&b' '), normaliser.normalised());
        assert!(tokens.iter().all(|token| !token.is_empty()));
        assert!(tokens.iter().map(|token| hash::token(token)).eq(normaliser.token_hashes().iter().copied()));
        String::from_utf8(normaliser.normalised().to_vec()).unwrap()
    }

    #[test]
    fn case_is_kept() {
        let choices = Choices { case: Case::Keep, ..Choices::default() };
        assert_eq!(read(choices, "The WHO, who? Straße ＡＢ"), "The WHO who Straße AB");
    }

    #[test]
    fn each_punctuation_and_symbol_character_is_a_token() {
        let choices = Choices { punctuation: Punctuation::Keep, ..Choices::default() };
        assert_eq!(read(choices, "a_b!! (5 €) «x» a\u{ad}b \u{0}"), "a_b ! ! ( 5 € ) « x » a b");
        assert_eq!(read(choices, "好。"), "好 。");
    }

    #[test]
    fn runs_of_white_space_between_tokens_are_tokens() {
        let choices = Choices { space: Space::Keep, ..Choices::default() };
        assert_eq!(read(choices, " \n a b\u{a0}\tc \r\n\r\n d.e - f\u{2028}g \n"), "a ␠ b ␠ c ␤ d e ␠ f ␤ g");
        assert_eq!(read(choices, "a \u{ad} b 中 文"), "a ␠ b ␠ 中 ␠ 文");
        assert_eq!(read(choices, " \n "), "");
        let choices = Choices { punctuation: Punctuation::Keep, ..choices };
        assert_eq!(read(choices, "a , b"), "a ␠ , ␠ b");
    }

    #[test]
    fn forms_unite_less_and_less() {
        let form = |form| read(Choices { form, ..Choices::default() }, "É e\u{301} ａ m²");
        assert_eq!(form(Form::Nfkc), "é é a m2");
        assert_eq!(form(Form::Nfc), "é é ａ m²");
        assert_eq!(form(Form::None), "é e\u{301} ａ m²");
    }

    #[test]
    fn a_run_of_digits_is_one_nought() {
        let choices = Choices { digits: Digits::Fold, ..Choices::default() };
        assert_eq!(read(choices, "12:05 v17b3 ٣٤ ４2 ปี๒๕๖๗ 1,299.00 x²"), "0 0 v0b0 0 0 ป ี 0 0 0 0 x0");
        assert_eq!(read(choices, "0 00 a"), "0 0 a");
    }

    #[test]
    fn stop_words_go_in_any_case_and_form_and_leave_no_gap() {
        let english = Choices { stop_words: Some(Language::English), ..Choices::default() };
        assert_eq!(read(english, "The cat isn't IN the hat"), "cat hat");
        assert_eq!(read(english, "To be, or not to be"), "");
        let kept = Choices { case: Case::Keep, space: Space::Keep, ..english };
        assert_eq!(read(kept, "The Cat is\nIN THE Hat of the"), "Cat ␤ Hat");
        let french = Choices { stop_words: Some(Language::French), form: Form::None, ..Choices::default() };
        assert_eq!(read(french, "L'heure a e\u{301}te\u{301} change\u{301}e"), "heure change\u{301}e");
    }

    fn cut(general: &General, text: &str) -> (Vec<u8>, Vec<u64>) {
        let mut sink = TokenSink::default();
        general.tokens(text, &mut sink);
        (sink.text[..sink.used.saturating_sub(1)].to_vec(), sink.hashes().to_vec())
    }

    fn choices() -> impl Strategy<Value = Choices> {
        let languages: Vec<_> = Language::ALL.iter().map(|&language| Some(language)).chain([None]).collect();
        (
            proptest::sample::select(Case::ALL),
            proptest::sample::select(Punctuation::ALL),
            proptest::sample::select(Space::ALL),
            proptest::sample::select(Form::ALL),
            proptest::sample::select(Digits::ALL),
            proptest::sample::select(languages),
        )
            .prop_map(|(case, punctuation, space, form, digits, stop_words)| Choices {
                case,
                punctuation,
                space,
                form,
                digits,
                stop_words,
                bag: false,
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_default_choices_are_what_the_fast_paths_do(pieces in proptest::collection::vec(piece(), 0..12)) {
            let text = pieces.concat();
            let mut fast = Normaliser::default();
            fast.read(&text);
            let (normalised, hashes) = cut(&General::new(&Choices::default()), &text);
            prop_assert_eq!(normalised, fast.normalised());
            prop_assert_eq!(hashes, fast.token_hashes());
        }

        #[test]
        fn stop_words_are_dropped_the_same_from_what_the_fast_paths_cut(
            words in proptest::collection::vec(prop_oneof!["[a-c]{1,2}", "(the|THE|of|And|été|ÉTAIT|c)", piece()], 0..40),
            language in proptest::sample::select(&[Language::English, Language::French][..]),
        ) {
            let text = words.join(" ");
            let choices = Choices { stop_words: Some(language), ..Choices::default() };
            let mut fast = Normaliser::new(&choices);
            fast.read("what was read before");
            fast.read(&text);
            let (normalised, hashes) = cut(&General::new(&choices), &text);
            prop_assert_eq!(normalised, fast.normalised());
            prop_assert_eq!(hashes, fast.token_hashes());
        }

        #[test]
        fn tokens_are_the_normalised_text_under_any_choices(
            pieces in proptest::collection::vec(piece(), 0..8),
            choices in choices(),
        ) {
            read(choices, &pieces.concat());
        }
    }
}
