//! Arguments of `onefold index`.

use crate::args::{InputArgs, MachineArgs, MatchArgs};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// The index, and what is done with it.
#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    #[command(subcommand)]
    pub(crate) command: IndexCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum IndexCommand {
    /// Make an empty index
    Create(Box<Create>),
    /// Make an index of a finished `dedup` run: what it kept and what it removed, as it decided
    Import(Box<Import>),
    /// Check documents and add them: prints a JSON line for each, once it is on disk
    Add(Box<Add>),
    /// Say of each document whether it was seen, and change nothing
    Check(Box<Check>),
    /// Print what is stored of documents; exit code 1 if one is missing
    Get(Get),
    /// Remove documents; the first member of a keeper takes its place
    Remove(Ids),
    /// Note that documents were seen again
    Touch(Touch),
    /// Remove documents that were not seen for a time
    Expire(Expire),
    /// Print counts and sizes
    Stats(Stats),
    /// Read everything and check it: checksums, references, keys; exit code 1 if something is wrong
    Verify(Dir),
    /// Merge all segments into one and forget what was removed
    Compact(Dir),
    /// Copy the index into a new folder
    Backup(FromTo),
    /// Make an index of a backup, and verify it
    Restore(FromTo),
    /// Print all documents as JSON lines, in the order in which they came
    Export(Export),
    /// Add all documents of another index
    Merge(FromTo),
    /// Say which tables of fingerprints suit a number of documents
    Plan(PlanArgs),
    /// Look up many fingerprints at once, going through the index once
    QueryBatch(QueryBatch),
    /// Draw how the fingerprints lie: where sorted neighbours differ, and how full buckets are
    Pictures(PicturesArgs),
}

/// How the fingerprints of tables are held in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum CodingKind {
    /// As they are: the fastest look-up
    #[default]
    Plain,
    /// Differences of neighbours in a Huffman code: a quarter less memory
    Coded,
}

/// What is stored beside what documents are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StoreKind {
    /// Texts as they are compared
    Text,
}

/// When an add is on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DurabilityKind {
    /// Before it is acknowledged
    #[default]
    Commit,
    /// Within a second of being acknowledged: a crash may lose that second
    Interval,
}

#[derive(Args, Debug)]
#[command(
    after_help = "An index knows --method exact, minhash and simhash, and verifies by shingles. What needs a whole corpus at once \
                  is for batch runs and refused here: --method join and combined, --containment, --within, --templates, \
                  --weight tfidf, --candidates, --bits, and --verify but none. --max-bucket counts the keepers \
                  that are there, not those of a whole corpus.\n\nExample: onefold index create pages"
)]
pub(crate) struct Create {
    /// Folder of the index, not there yet or empty
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    /// Near duplicates are documents whose SimHash fingerprints differ in at most this many bits and nothing else counts,
    /// instead of --method; `--method simhash` stores shingle sets too and verifies by them, as `dedup` does
    #[arg(long, value_name = "BITS", help_heading = "Matching")]
    pub(crate) distance: Option<u32>,
    /// Store texts too, compressed: the server then shows what differs
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Index")]
    pub(crate) store: Option<StoreKind>,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
}

/// How an index is laid out.
#[derive(Args, Debug)]
pub(crate) struct LayoutArgs {
    /// Documents expected, by which the tables for --distance are chosen
    #[arg(long, value_name = "N", default_value_t = 10_000_000, help_heading = "Index")]
    pub(crate) documents: u64,
    /// How the fingerprints of tables are held in memory
    #[arg(long, value_enum, default_value_t, help_heading = "Index")]
    pub(crate) coding: CodingKind,
    /// Do not store shingle sets: near matches are then estimated, not verified
    #[arg(long, help_heading = "Index")]
    pub(crate) no_sets: bool,
    /// Documents whose keys are held in memory before they go into a segment
    #[arg(long, value_name = "N", default_value_t = onefold_index::Settings::HEAD_DOCUMENTS, help_heading = "Index", hide_short_help = true)]
    pub(crate) head: usize,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold index import pages deduplicated")]
pub(crate) struct Import {
    /// Folder of the index, not there yet or empty
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Folder a `dedup` run has written; its inputs have to be where they were
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Store texts too, compressed: the server then shows what differs
    #[arg(long, value_name = "WHAT", value_enum, help_heading = "Index")]
    pub(crate) store: Option<StoreKind>,
    #[command(flatten)]
    pub(crate) layout: LayoutArgs,
    /// When the documents were seen, in seconds since 1970 [default: now]
    #[arg(long, value_name = "SECONDS", help_heading = "Index")]
    pub(crate) seen: Option<u64>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold index add pages crawl.warc.gz > verdicts.jsonl")]
pub(crate) struct Add {
    /// Folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// When an add is on disk
    #[arg(long, value_enum, default_value_t, help_heading = "Index")]
    pub(crate) durability: DurabilityKind,
    /// Documents acknowledged by one commit
    #[arg(long, value_name = "N", default_value = "1000", value_parser = crate::args::at_least_one, help_heading = "Index")]
    pub(crate) batch: std::num::NonZeroUsize,
    /// When the documents were seen, in seconds since 1970 [default: now]
    #[arg(long, value_name = "SECONDS", help_heading = "Index")]
    pub(crate) seen: Option<u64>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold index check pages new.html")]
pub(crate) struct Check {
    /// Folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Print all matches, not only the best
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Args, Debug)]
pub(crate) struct Ids {
    /// Folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Ids of documents
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold index get pages https://example.org/ --full")]
pub(crate) struct Get {
    #[command(flatten)]
    pub(crate) ids: Ids,
    /// Print the signature, the shingle set and the text too, where they are stored
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) index: Dir,
    /// Print signatures, shingle sets and texts too, where they are stored
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Touch {
    #[command(flatten)]
    pub(crate) ids: Ids,
    /// When they were seen, in seconds since 1970 [default: now]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) seen: Option<u64>,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold index expire pages --older-than 90d")]
pub(crate) struct Expire {
    /// Folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Time for which a document was not seen: seconds, or a number with m, h, d, w or y
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) older_than: u64,
}

#[derive(Args, Debug)]
pub(crate) struct Stats {
    /// Folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Dir {
    /// Folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct FromTo {
    /// The one that is read by backup and restore, and added to by merge
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// The one that is made by backup and restore, and read by merge
    #[arg(value_name = "OTHER")]
    pub(crate) other: PathBuf,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold index plan --documents 8000000000")]
pub(crate) struct PlanArgs {
    /// Documents expected
    #[arg(long, value_name = "N")]
    pub(crate) documents: u64,
    /// Bits in which fingerprints may differ
    #[arg(long, value_name = "BITS", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=i64::from(onefold_index::MOST_BITS)))]
    pub(crate) distance: u32,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold index query-batch pages fingerprints.tsv > pairs.tsv")]
pub(crate) struct QueryBatch {
    /// Folder of an index made with --distance
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Table with the columns id and fingerprint, as `onefold fingerprints` writes it, or a fingerprint of 16
    /// hexadecimal digits a line; `-` is standard input
    #[arg(value_name = "FINGERPRINTS")]
    pub(crate) fingerprints: PathBuf,
    /// Worker threads [default: one a processor]
    #[arg(long, value_name = "N", value_parser = crate::args::at_least_one)]
    pub(crate) threads: Option<std::num::NonZeroUsize>,
    /// Print nothing on standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold index pictures pages --output pictures")]
pub(crate) struct PicturesArgs {
    /// Folder of the index
    #[arg(value_name = "DIR")]
    pub(crate) dir: PathBuf,
    /// Folder for leading.tsv, leading.svg, buckets.tsv, buckets.svg and spikes.tsv
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: PathBuf,
}

/// A length of time in seconds.
fn seconds(text: &str) -> Result<u64, String> {
    let wrong = || format!("expected a time such as 90d, 12h or 3600, found {text:?}");
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "w" => 7 * 86_400,
        "y" => 365 * 86_400,
        _ => return Err(wrong()),
    };
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!((seconds("90"), seconds("2h"), seconds("1w")), (Ok(90), Ok(7_200), Ok(604_800)));
        assert!(
            seconds("").is_err() && seconds("3 days").is_err() && seconds("99999999999999999999").is_err()
        );
    }
}
