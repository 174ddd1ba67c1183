//! Arguments of `extract`.

use super::FieldArgs;
use crate::size;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  onefold extract page.html                                     the text a reader came for
  onefold extract --content all page.html                       all text, menus and footers too
  onefold extract --as html page.html                           headings, lists, tables and links stay
  onefold extract --show kept.html page.html                    see what was kept and what was dropped
  onefold extract --as json crawl.warc.gz > pages.jsonl         a line a page, with title and links
  onefold extract --as json crawl.warc.gz | onefold dedup - --output out
  onefold extract --records shop/*.html > products.csv          what differs between pages of one template
  onefold extract --records=items --as jsonl shop/*.html        the reviews they list, a line each

One page is printed as its text. Of an archive, or of several files, each text comes after a line of \
a form feed and the id of its document. What has no text, as an image, is skipped and counted by its type; \
what cannot be read is named on standard error with its place, and counted.";

/// How pages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExtractFormat {
    /// The text, a line a block; the default
    Text,
    /// Clean HTML that keeps headings, lists, tables and links; an article a page
    Html,
    /// One JSON object a line: text, title, description, language, links and more
    Json,
    /// Of --records: a table with a line of names first; what --records writes by default
    Csv,
    /// Of --records: one JSON object a row
    Jsonl,
}

/// What a row of a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordsKind {
    /// An item where most of what differs is in a list of items, else a page
    Auto,
    /// A page; lists of items are left out
    Pages,
    /// An item of the list that pages repeat, such as a review or a product
    Items,
}

/// How much of a page is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContentKind {
    /// What a reader came for, without navigation, advertisements, notices and related links
    #[default]
    Main,
    /// The run of the page with the most words and the fewest tags; fast
    Plateau,
    /// All visible text
    All,
}

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Extract {
    /// Files, folders (walked in byte order of names), patterns, or `-` for standard input. HTML, text, PDF, office
    /// files, WARC, WET, ARC and tables of texts; gzip, zstd, lz4 or plain; all told by content
    #[arg(value_name = "FILE", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// How pages are written to standard output
    #[arg(long = "as", value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<ExtractFormat>,
    /// Write a table of the fields that differ between HTML pages of one template, two or more. Columns are named by the
    /// label beside the value, by itemprop, class or id, or by tags. Pages of other layouts are left out and counted
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "auto",
        value_name = "ROWS",
        conflicts_with_all = ["content", "show"]
    )]
    pub(crate) records: Option<RecordsKind>,
    /// How much of a page is taken; where less than 100 characters are found on a page with more, more is taken
    #[arg(long, value_enum, default_value_t, value_name = "KIND")]
    pub(crate) content: ContentKind,
    /// Write an HTML page to FILE that marks what was kept of each page and what was dropped
    #[arg(long, value_name = "FILE")]
    pub(crate) show: Option<PathBuf>,
    /// Overwrite FILE of --show if it exists
    #[arg(long, requires = "show")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
    /// Largest record that is read; a larger document is bad
    #[arg(long, value_name = "SIZE", default_value = "32MiB", value_parser = size::parse, help_heading = "Input")]
    pub(crate) max_document: u64,
    /// Print nothing on standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
