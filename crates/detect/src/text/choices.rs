//! What of a text counts when two are compared, and the one place where the defaults stand.
//!
//! A text is brought to the [`Form`], its case folded, and brought to the form again; then runs of digits are
//! folded, tokens cut, and stop words dropped. The defaults are the definition of a token in [`super`]; two texts
//! are compared only under the same choices.

use super::named::named;
use super::stop_words::Language;
use serde::{Deserialize, Serialize};

named! {
    /// Whether upper and lower case are the same.
    #[derive(Default)]
    Case {
        /// `Fold` and `FOLD` are the same word, as are `Straße` and `STRASSE`.
        #[default]
        Fold = "fold",
        /// They are two.
        Keep = "keep",
    }
}

named! {
    /// Whether punctuation and symbols count.
    #[derive(Default)]
    Punctuation {
        /// They end a token and are dropped.
        #[default]
        Drop = "drop",
        /// They end a token and each character of them is a token by itself; `_` belongs to words as ever.
        Keep = "keep",
    }
}

named! {
    /// Whether white space counts.
    #[derive(Default)]
    Space {
        /// It ends a token and is dropped.
        #[default]
        Drop = "drop",
        /// Each run of it between two tokens is one too: [`Space::BREAK`] if a line ends in it, else
        /// [`Space::BLANK`]. What is dropped does not divide a run, and there is none at either end of the text,
        /// so a blank text stays empty and a line feed behind the last line says nothing.
        Keep = "keep",
    }
}

impl Space {
    /// The token of a run of white space with a line break in it.
    pub const BREAK: &'static str = "␤";
    /// The token of a run of white space within a line.
    pub const BLANK: &'static str = "␠";
}

named! {
    /// The Unicode normalisation form.
    #[derive(Default)]
    Form {
        /// Compatible characters are the same: `ａ` and `a`, `²` and `2`, `㎞` and `km`.
        #[default]
        Nfkc = "nfkc",
        /// Canonically equivalent ones are: `é` in one character or in two.
        Nfc = "nfc",
        /// Only equal ones are.
        None = "none",
    }
}

named! {
    /// Whether numbers count.
    #[derive(Default)]
    Digits {
        /// Digits are characters like others.
        #[default]
        Keep = "keep",
        /// Every run of decimal digits, of whatever script, is the one character `0`, alone or within a word:
        /// `12:05` is `0 0`, `v17b` is `v0b`.
        Fold = "fold",
    }
}

/// What counts when two texts are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choices {
    /// Upper and lower case.
    pub case: Case,
    /// Punctuation and symbols.
    pub punctuation: Punctuation,
    /// White space.
    pub space: Space,
    /// Unicode normalisation form.
    pub form: Form,
    /// Numbers.
    pub digits: Digits,
    /// The language whose most frequent words are dropped, as if they were not in the text.
    pub stop_words: Option<Language>,
    /// Whether a shingle counts as often as it occurs; resemblance is then weighted Jaccard, Σmin/Σmax of counts.
    pub bag: bool,
}

impl Choices {
    /// Whether tokens are cut as by default, before stop words are dropped.
    pub(super) fn cuts_by_default(&self) -> bool {
        let cutting = Choices { stop_words: None, bag: false, ..*self };
        cutting == Choices::default()
    }
}

#[cfg(test)]
mod examples;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_the_same() {
        for (name, value) in Form::NAMES.iter().zip(Form::ALL) {
            assert_eq!(name.parse(), Ok(*value));
            assert_eq!(value.to_string(), *name);
        }
        let error = "nfd".parse::<Form>().unwrap_err();
        assert_eq!(error.to_string(), "expected nfkc or nfc or none, found \"nfd\"");
    }

    #[test]
    fn choices_are_written_by_name_and_those_left_out_are_the_default() {
        let choices =
            Choices { digits: Digits::Fold, stop_words: Some(Language::German), ..Choices::default() };
        let text = serde_json::to_string(&choices).unwrap();
        assert_eq!(
            text,
            "{\"case\":\"fold\",\"punctuation\":\"drop\",\"space\":\"drop\",\"form\":\"nfkc\",\"digits\":\"fold\",\
             \"stop_words\":\"de\",\"bag\":false}"
        );
        assert_eq!(serde_json::from_str::<Choices>(&text).unwrap(), choices);
        assert_eq!(serde_json::from_str::<Choices>("{}").unwrap(), Choices::default());
        assert!(serde_json::from_str::<Choices>("{\"case\":\"upper\"}").is_err());
    }
}
