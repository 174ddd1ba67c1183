//! Arguments of `compare`.

use crate::size;
use clap::{Args, ValueEnum};
use onefold_detect::digest::Algorithm;
use onefold_detect::text::{Case, Choices, Digits, Form, Language, Punctuation, Shingling, Space};
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  onefold compare old.html new.html                   every measure, and what differs
  git show HEAD:README.md | onefold compare - README.md
  onefold compare ID1 ID2 --in crawl/                 two documents, by ids or URLs
  onefold compare a.txt b.txt --shingle char:5 --digits fold --no-diff
  onefold compare a.txt b.txt --groups synonyms.txt   words of one line count as one

Resemblance is |A∩B| / |A∪B| of the shingles, containment |A∩B| / |A|; weighted resemblance counts
repeats. Cosine and Euclidean distance are those of the counts of words. Indel counts insertions and
deletions that make one text of the other, Levenshtein replacements too.";

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never: [-removed-] and {+added+} instead
    Never,
}

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Compare {
    /// A file of text or HTML, `-` for standard input, or with --in the id of a document
    #[arg(value_name = "A")]
    pub(crate) a: PathBuf,
    /// The other
    #[arg(value_name = "B")]
    pub(crate) b: PathBuf,
    /// Corpus that has two documents of these ids: files, folders or patterns, as for `dedup`
    #[arg(long = "in", value_name = "CORPUS", num_args = 1.., help_heading = "Input")]
    pub(crate) corpus: Vec<PathBuf>,
    /// Field of a document's id in the corpus; without it the URL is its id, else `file#row`
    #[arg(long, value_name = "NAME", default_value = "id", requires = "corpus", help_heading = "Input")]
    pub(crate) id_field: String,
    /// Field of the text in the corpus
    #[arg(long, value_name = "NAME", default_value = "text", requires = "corpus", help_heading = "Input")]
    pub(crate) text_field: String,
    /// Field of the URL in the corpus
    #[arg(long, value_name = "NAME", default_value = "url", requires = "corpus", help_heading = "Input")]
    pub(crate) url_field: String,
    /// Take files as plain text, HTML with its markup
    #[arg(long, conflicts_with = "corpus", help_heading = "Input")]
    pub(crate) plain: bool,
    /// Largest document that is read
    #[arg(long, value_name = "SIZE", default_value = "32MiB", value_parser = size::parse, help_heading = "Input")]
    pub(crate) max_document: u64,
    #[command(flatten)]
    pub(crate) text: TextArgs,
    /// What the features of a fingerprint are: word:N or char:N
    #[arg(long, value_name = "KIND:N", default_value = "word:2", help_heading = "Measures")]
    pub(crate) features: Shingling,
    /// Also compare over groups of words, a line of the file each: words of one group count as one
    #[arg(long, value_name = "FILE", help_heading = "Measures")]
    pub(crate) groups: Option<PathBuf>,
    /// Digest that tells equal texts: xxh3-128, blake3, sha256, sha1 or md5
    #[arg(long, value_name = "NAME", default_value_t, help_heading = "Measures")]
    pub(crate) digest: Algorithm,
    /// Compute edit distances however long that takes; else of long texts that differ much only a lower bound is
    #[arg(long, help_heading = "Measures")]
    pub(crate) full_edit: bool,
    /// Measures alone
    #[arg(long, help_heading = "Output")]
    pub(crate) no_diff: bool,
    /// Words around each difference
    #[arg(long, value_name = "N", default_value_t = 12, conflicts_with_all = ["no_diff", "json"], help_heading = "Output")]
    pub(crate) context: usize,
    /// When to use colour: auto, always or never
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        default_value_t,
        conflicts_with_all = ["no_diff", "json"],
        hide_possible_values = true,
        help_heading = "Output"
    )]
    pub(crate) color: ColorChoice,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
}

/// What of a text counts. Defaults are those of `dedup`.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct TextArgs {
    /// What shingles are: word:N (N words) or char:N (N characters) [default: word:5]
    #[arg(long, value_name = "KIND:N", help_heading = "Shingles")]
    shingle: Option<Shingling>,
    /// Upper and lower case: fold or keep [default: fold]
    #[arg(long, value_name = "HOW", help_heading = "Shingles")]
    case: Option<Case>,
    /// Punctuation: drop, or keep each mark as a word [default: drop]
    #[arg(long, value_name = "HOW", help_heading = "Shingles")]
    punctuation: Option<Punctuation>,
    /// White space: drop, or keep each run as a word [default: drop]
    #[arg(long, value_name = "HOW", help_heading = "Shingles")]
    space: Option<Space>,
    /// Unicode form: nfkc, nfc or none [default: nfkc]
    #[arg(long, value_name = "FORM", help_heading = "Shingles")]
    form: Option<Form>,
    /// Digits: keep, or fold every number to one [default: keep]
    #[arg(long, value_name = "HOW", help_heading = "Shingles")]
    digits: Option<Digits>,
    /// Leave out the stop words of a language: en, de, fr, es, it, pt, nl, sv, da, no, fi, pl, cs, ru, el, ro, hu, tr
    #[arg(long, value_name = "LANGUAGE", help_heading = "Shingles")]
    stop_words: Option<Language>,
    /// Count replicas of a shingle in resemblance, containment and sketches too
    #[arg(long, help_heading = "Shingles")]
    bag: bool,
}

impl TextArgs {
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

    pub(crate) fn shingling(&self) -> Shingling {
        self.shingle.unwrap_or_default()
    }
}
