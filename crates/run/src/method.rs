//! The ways to find duplicates, and what each can be told.

use onefold_detect::sketch::Bits;
use onefold_detect::text::Shingling;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How duplicates are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Equal digests alone.
    Exact,
    /// Equal digests, then MinHash bands and verification.
    #[default]
    Minhash,
    /// Equal digests, then SimHash fingerprints within a Hamming distance, and verification.
    Simhash,
    /// MinHash candidates that are near by SimHash too, verified.
    Combined,
    /// Equal digests, then every pair at or above the threshold, guaranteed.
    Join,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 5] =
        [Method::Exact, Method::Minhash, Method::Simhash, Method::Combined, Method::Join];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Minhash => "minhash",
            Method::Simhash => "simhash",
            Method::Combined => "combined",
            Method::Join => "join",
        }
    }

    /// Whether documents get a MinHash signature.
    pub fn has_signature(self) -> bool {
        matches!(self, Method::Minhash | Method::Combined)
    }

    /// Whether documents get a SimHash fingerprint.
    pub fn has_fingerprint(self) -> bool {
        matches!(self, Method::Simhash | Method::Combined)
    }
}

/// What a feature counts for in a SimHash fingerprint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// As often as it occurs.
    #[default]
    Tf,
    /// Once, however often it occurs.
    Binary,
    /// As often as it occurs, the more the fewer documents have it.
    Tfidf,
}

/// How fingerprints that are near each other are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Neighbours {
    /// By permuted tables: none is missed.
    #[default]
    Tables,
    /// Among neighbours in the sorted order of so many rotations: some are missed.
    Rotate(u32),
}

/// A choice that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("expected {expected}, found {found:?}")]
pub struct ChoiceError {
    expected: &'static str,
    found: String,
}

fn not(expected: &'static str, found: &str) -> ChoiceError {
    ChoiceError { expected, found: found.into() }
}

/// Rotations unless a number is given: one a bit.
const ROTATIONS: u32 = 64;

impl FromStr for Neighbours {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        match text.split_once(':') {
            None if text == "tables" => Ok(Neighbours::Tables),
            None if text == "rotate" => Ok(Neighbours::Rotate(ROTATIONS)),
            Some(("rotate", number)) => match number.parse() {
                Ok(rotations @ 1..=128) => Ok(Neighbours::Rotate(rotations)),
                _ => Err(not("rotate:N with N from 1 to 128", text)),
            },
            _ => Err(not("tables, rotate or rotate:N", text)),
        }
    }
}

impl fmt::Display for Neighbours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Neighbours::Tables => f.write_str("tables"),
            Neighbours::Rotate(rotations) => write!(f, "rotate:{rotations}"),
        }
    }
}

/// How fingerprints are made and compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simhash {
    /// Length of a fingerprint.
    pub bits: Bits,
    /// Largest Hamming distance of a pair.
    pub hamming: u32,
    /// What a feature counts for.
    pub weight: Weight,
    /// What the features are.
    pub features: Shingling,
    /// How near fingerprints are found.
    pub neighbours: Neighbours,
}

impl Default for Simhash {
    fn default() -> Self {
        Simhash {
            bits: Bits::default(),
            hamming: 3,
            weight: Weight::default(),
            features: Shingling::Words(2),
            neighbours: Neighbours::default(),
        }
    }
}

/// What a candidate has to pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Verify {
    /// Resemblance of the true shingle sets at the threshold.
    #[default]
    Shingles,
    /// The same less a tenth of the order of magnitude of the shingles that differ.
    LessDifferences,
    /// Nothing more.
    None,
    /// Agreement of so many entries of a sketch of so many.
    Sketch {
        /// Entries that agree.
        agree: usize,
        /// Entries compared.
        of: usize,
    },
    /// Similarity by edit distance, 1 − distance / length of the longer text.
    Edit(f64),
}

impl Verify {
    /// Whether true shingle sets are compared.
    pub fn compares_shingles(self) -> bool {
        matches!(self, Verify::Shingles | Verify::LessDifferences)
    }
}

impl FromStr for Verify {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        match text.split_once(':') {
            None if text == "shingles" => Ok(Verify::Shingles),
            None if text == "less-differences" => Ok(Verify::LessDifferences),
            None if text == "none" => Ok(Verify::None),
            Some(("sketch", rule)) => {
                let rule = rule.split_once('/').map(|(agree, of)| (agree.parse(), of.parse()));
                match rule {
                    Some((Ok(agree), Ok(of))) if 0 < agree && agree <= of => Ok(Verify::Sketch { agree, of }),
                    _ => Err(not("sketch:K/N with K of N entries, such as sketch:90/100", text)),
                }
            }
            Some(("edit", least)) => match least.parse() {
                Ok(least) if least > 0.0 && least <= 1.0 => Ok(Verify::Edit(least)),
                _ => Err(not("edit:S with S above 0 and at most 1", text)),
            },
            _ => Err(not("shingles, less-differences, none, sketch:K/N or edit:S", text)),
        }
    }
}

impl fmt::Display for Verify {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verify::Shingles => f.write_str("shingles"),
            Verify::LessDifferences => f.write_str("less-differences"),
            Verify::None => f.write_str("none"),
            Verify::Sketch { agree, of } => write!(f, "sketch:{agree}/{of}"),
            Verify::Edit(least) => write!(f, "edit:{least}"),
        }
    }
}

/// Which MinHash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SketchKind {
    /// About one hash a shingle.
    #[default]
    Fast,
    /// One permutation of its own, (a·x + b) mod p, for each value.
    Classic,
}

/// How much of an HTML page is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageContent {
    /// What a reader came for, without navigation, advertisements and notices.
    #[default]
    Main,
    /// The run of the page with the most words and the fewest tags.
    Plateau,
    /// All visible text.
    All,
}

/// What is taken for a duplicate, and cut out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Whole documents.
    #[default]
    Document,
    /// Paragraphs: lines of text that stood before.
    Paragraph,
}

/// Which documents are compared with each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Within {
    /// All of them.
    #[default]
    All,
    /// Those of one site: the registrable domain of the URL.
    Site,
    /// Those with one value in a field.
    Field(String),
}

impl FromStr for Within {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        match text {
            "all" => Ok(Within::All),
            "site" => Ok(Within::Site),
            "" => Err(not("site or the name of a field", text)),
            name => Ok(Within::Field(name.strip_prefix("field:").unwrap_or(name).into())),
        }
    }
}

impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Within::All => f.write_str("all"),
            Within::Site => f.write_str("site"),
            Within::Field(name) => write!(f, "field:{name}"),
        }
    }
}

/// Plans hold these choices in the words of their flags.
macro_rules! as_words {
    ($($kind:ty),*) => {$(
        impl From<$kind> for String {
            fn from(choice: $kind) -> String {
                choice.to_string()
            }
        }

        impl TryFrom<String> for $kind {
            type Error = ChoiceError;

            fn try_from(text: String) -> Result<Self, ChoiceError> {
                text.parse()
            }
        }
    )*};
}

as_words!(Neighbours, Verify, Within);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_and_written_the_same() {
        for text in ["shingles", "none", "sketch:90/100", "edit:0.8"] {
            assert_eq!(text.parse::<Verify>().unwrap().to_string(), text);
        }
        for text in ["tables", "rotate:12"] {
            assert_eq!(text.parse::<Neighbours>().unwrap().to_string(), text);
        }
        for text in ["all", "site", "field:language"] {
            assert_eq!(text.parse::<Within>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_cannot_be_says_what_could() {
        for bad in ["sketch:101/100", "sketch:0/9", "edit:1.5", "edit:", "shingle"] {
            assert!(bad.parse::<Verify>().is_err(), "{bad}");
        }
        let error = "rotate:0".parse::<Neighbours>().unwrap_err();
        assert_eq!(error.to_string(), "expected rotate:N with N from 1 to 128, found \"rotate:0\"");
    }
}
