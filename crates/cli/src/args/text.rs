//! What of a text counts: the flags that every verb which reads texts shares.

use clap::Args;
use onefold_detect::text::{Case, Choices, Digits, Form, Language, Punctuation, Space};

/// What of a text counts. Defaults are those of the plan.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TextArgs {
    /// Upper and lower case: fold or keep [default: fold]
    #[arg(long, value_name = "HOW", help_heading = "What counts of a text", hide_short_help = true)]
    pub(crate) case: Option<Case>,
    /// Punctuation: drop, or keep each mark as a word [default: drop]
    #[arg(long, value_name = "HOW", help_heading = "What counts of a text", hide_short_help = true)]
    pub(crate) punctuation: Option<Punctuation>,
    /// White space: drop, or keep each run as a word [default: drop]
    #[arg(long, value_name = "HOW", help_heading = "What counts of a text", hide_short_help = true)]
    pub(crate) space: Option<Space>,
    /// Unicode form: nfkc, nfc or none [default: nfkc]
    #[arg(long, value_name = "FORM", help_heading = "What counts of a text", hide_short_help = true)]
    pub(crate) form: Option<Form>,
    /// Digits: keep, or fold every number to one: dates, prices and counters do not matter [default: keep]
    #[arg(long, value_name = "HOW", help_heading = "What counts of a text", hide_short_help = true)]
    pub(crate) digits: Option<Digits>,
    /// Leave out the stop words of a language: en, de, fr, es, it, pt, nl, sv, da, no, fi, pl, cs, ru, el, ro, hu, tr
    #[arg(long, value_name = "LANGUAGE", help_heading = "What counts of a text", hide_short_help = true)]
    pub(crate) stop_words: Option<Language>,
    /// Count replicas of a shingle: weighted Jaccard
    #[arg(long, help_heading = "What counts of a text", hide_short_help = true)]
    pub(crate) bag: bool,
}

impl TextArgs {
    /// The first flag given of those that say which words are equal.
    pub(crate) fn given_of_words(&self) -> Option<&'static str> {
        let given = [
            ("case", self.case.is_some()),
            ("punctuation", self.punctuation.is_some()),
            ("space", self.space.is_some()),
            ("form", self.form.is_some()),
            ("digits", self.digits.is_some()),
            ("stop-words", self.stop_words.is_some()),
        ];
        given.into_iter().find_map(|(flag, is_given)| is_given.then_some(flag))
    }

    pub(crate) fn choices(&self) -> Choices {
        Choices {
            case: self.case.unwrap_or_default(),
            punctuation: self.punctuation.unwrap_or_default(),
            space: self.space.unwrap_or_default(),
            form: self.form.unwrap_or_default(),
            digits: self.digits.unwrap_or_default(),
            stop_words: self.stop_words,
            bag: self.bag,
        }
    }
}
