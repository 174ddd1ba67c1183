//! The writing systems a corpus can be made in, and what differs between them outside the words themselves.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// A writing system; see `words` for how its words are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Script {
    /// Pronounceable ASCII words.
    #[default]
    Latin,
    /// Latin with the accents of French, German and Vietnamese.
    Accented,
    /// Russian letters.
    Cyrillic,
    /// Arabic roots in patterns, with articles and now and then a vowel mark.
    Arabic,
    /// Han characters without blanks.
    Chinese,
    /// Kanji with hiragana endings, particles and katakana, without blanks.
    Japanese,
    /// Thai syllables with vowel and tone marks, blanks only between phrases.
    Thai,
}

/// What stands after a word: nothing special, a comma, a full stop, a full stop that ends a paragraph. The order is
/// that of the form codes in `vocabulary`.
pub(crate) struct Separators {
    pub(crate) plain: &'static str,
    pub(crate) paragraph: &'static str,
    pub(crate) stop: &'static str,
    pub(crate) comma: &'static str,
}

impl Script {
    /// Every script, in the order of the help text.
    pub const ALL: [Self; 7] = [
        Self::Latin,
        Self::Accented,
        Self::Cyrillic,
        Self::Arabic,
        Self::Chinese,
        Self::Japanese,
        Self::Thai,
    ];

    /// The name used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Latin => "latin",
            Self::Accented => "accented",
            Self::Cyrillic => "cyrillic",
            Self::Arabic => "arabic",
            Self::Chinese => "chinese",
            Self::Japanese => "japanese",
            Self::Thai => "thai",
        }
    }

    /// The ISO 639-3 codes Common Crawl would put into a WET record of such text.
    #[must_use]
    pub fn languages(self) -> &'static str {
        match self {
            Self::Latin => "eng",
            Self::Accented => "fra,deu,vie",
            Self::Cyrillic => "rus",
            Self::Arabic => "ara",
            Self::Chinese => "zho",
            Self::Japanese => "jpn",
            Self::Thai => "tha",
        }
    }

    /// Whether words are separated by blanks. Where they are not, every character is a token of its own.
    #[must_use]
    pub fn has_blanks(self) -> bool {
        !matches!(self, Self::Chinese | Self::Japanese | Self::Thai)
    }

    pub(crate) fn separators(self) -> Separators {
        let (plain, paragraph, stop, comma) = match self {
            Self::Latin | Self::Accented | Self::Cyrillic => (" ", ".\n", ". ", ", "),
            Self::Arabic => (" ", ".\n", ". ", "، "),
            Self::Chinese => ("", "。\n", "。", "，"),
            Self::Japanese => ("", "。\n", "。", "、"),
            Self::Thai => ("", "\n", " ", " "),
        };
        Separators { plain, paragraph, stop, comma }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Script {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|script| script.name() == name).ok_or_else(|| Error::Setting {
            name: "script",
            value: name.to_owned(),
            expected: "latin, accented, cyrillic, arabic, chinese, japanese or thai",
        })
    }
}
