//! Arguments of `compare`.

use super::TextArgs;
use crate::size;
use clap::{Args, ValueEnum};
use onefold_detect::digest::Algorithm;
use onefold_detect::text::Shingling;
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
    /// What shingles are: word:N (N words) or char:N (N characters)
    #[arg(long, value_name = "KIND:N", default_value_t, help_heading = "Measures")]
    pub(crate) shingle: Shingling,
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
