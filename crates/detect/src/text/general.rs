//! Tokens under any choices, a character at a time, as the definition says.
//!
//! The slower of two ways: the other one knows the default choices only. With these both give the same tokens.

use super::ascii::TokenSink;
use super::choices::{Case, Choices, Digits, Form, Punctuation, Space};
use super::classes::{self, Class};
use super::hash;
use super::stop_words::StopWords;
use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizer;
use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};
use std::borrow::Cow;

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
        let folded = self.folded(text);
        let mut cutter = Cutter { general: self, sink, word: String::new(), gap: None };
        let mut in_digits = false;
        for mut c in folded.chars() {
            if self.choices.digits == Digits::Fold {
                let goes_on = in_digits;
                in_digits = is_digit(c);
                if in_digits {
                    if goes_on {
                        continue;
                    }
                    c = '0';
                }
            }
            cutter.take(c);
        }
        cutter.close();
    }

    /// The text in its form, with its case folded if it shall be.
    fn folded<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let normaliser = match self.choices.form {
            Form::Nfkc => Some(ComposingNormalizer::new_nfkc()),
            Form::Nfc => Some(ComposingNormalizer::new_nfc()),
            Form::None => None,
        };
        let formed = match &normaliser {
            Some(normaliser) => normaliser.normalize(text),
            None => Cow::Borrowed(text),
        };
        if self.choices.case == Case::Keep {
            return formed;
        }
        let folded = CaseMapper::new().fold_string(&formed);
        Cow::Owned(match &normaliser {
            Some(normaliser) => normaliser.normalize(&folded).into_owned(),
            None => folded.into_owned(),
        })
    }

    /// Whether a token is a stop word, in whatever case and form it was kept.
    fn drops(&self, word: &str) -> bool {
        let Some(stop_words) = &self.stop_words else { return false };
        if self.choices.case == Case::Fold && self.choices.form == Form::Nfkc {
            stop_words.contain(hash::token(word.as_bytes()))
        } else {
            stop_words.contain(hash::token(classes::fold_fully(word).as_bytes()))
        }
    }
}

/// Cuts folded text into tokens.
struct Cutter<'a> {
    general: &'a General,
    sink: &'a mut TokenSink,
    /// The token under way.
    word: String,
    /// The white space since the last token, as a token.
    gap: Option<&'static str>,
}

impl Cutter<'_> {
    fn take(&mut self, c: char) {
        match Kind::of(c) {
            Kind::Word => self.word.push(c),
            Kind::Single => self.single(c),
            Kind::Blank => {
                self.close();
                self.gap.get_or_insert(Space::BLANK);
            }
            Kind::Break => {
                self.close();
                self.gap = Some(Space::BREAK);
            }
            Kind::Symbol if self.general.choices.punctuation == Punctuation::Keep => self.single(c),
            Kind::Symbol | Kind::Other => self.close(),
        }
    }

    fn single(&mut self, c: char) {
        self.close();
        self.word.push(c);
        self.close();
    }

    fn close(&mut self) {
        if self.word.is_empty() {
            return;
        }
        if !self.general.drops(&self.word) {
            let gap = self.gap.take().filter(|_| self.general.choices.space == Space::Keep);
            if let Some(gap) = gap.filter(|_| self.sink.used > 0) {
                push(self.sink, gap);
            }
            push(self.sink, &self.word);
        }
        self.word.clear();
    }
}

fn push(sink: &mut TokenSink, token: &str) {
    sink.reserve(token.len() + 1);
    let end = sink.used + token.len();
    sink.text[sink.used..end].copy_from_slice(token.as_bytes());
    sink.text[end] = b' ';
    sink.used = end + 1;
    sink.hashes.push(hash::token(token.as_bytes()));
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

fn is_digit(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_digit()
    } else {
        CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::DecimalNumber
    }
}

#[cfg(test)]
mod tests {
    use super::super::normalise::tests::piece;
    use super::super::{Language, Normaliser};
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
        (sink.text[..sink.used.saturating_sub(1)].to_vec(), sink.hashes)
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
