//! Arguments of `evaluate`.

use super::{InputArgs, MachineArgs, MatchArgs, MethodName};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What else than methods is held against a truth.
#[derive(Subcommand, Debug)]
pub(crate) enum EvaluateOther {
    /// How well the content of pages is found: F1 on pages with known content, by kind of page
    Extract(EvaluateExtract),
}

#[derive(Args, Debug)]
#[command(after_help = "DIR has one or both of:
  scrapinghub/ground-truth.json.gz and scrapinghub/html/NAME.html.gz: articles; F1 of mean precision
    and mean recall over multisets of 4-grams of words
  wcxb/truth.jsonl.gz and wcxb/html/: pages of seven kinds; mean F1 over multisets of words")]
pub(crate) struct EvaluateExtract {
    /// Folder of pages with known content
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("against").required(true).args(["truth", "oracle"])))]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:
  onefold evaluate corpus.jsonl --truth pairs.tsv --methods minhash,simhash,combined
  onefold evaluate corpus.jsonl --oracle --sample-documents 10
  onefold evaluate extract pages/")]
pub(crate) struct Evaluate {
    #[command(subcommand)]
    pub(crate) other: Option<EvaluateOther>,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// True pairs, tab-separated: two ids, and a similarity (column `jaccard` or `similarity`, or the third) or a
    /// judgement of 0 or 1 (column `label`)
    #[arg(long, value_name = "FILE", help_heading = "Truth")]
    pub(crate) truth: Option<PathBuf>,
    /// Take for true what --method join finds, which is every pair
    #[arg(long, help_heading = "Truth")]
    pub(crate) oracle: bool,
    /// Look at one document in N only, chosen by its id; intervals say how sure the result is
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Truth")]
    pub(crate) sample_documents: Option<u64>,
    /// Methods to hold against it
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "exact,minhash,simhash,combined",
        help_heading = "Truth"
    )]
    pub(crate) methods: Vec<MethodName>,
    /// Also tell what fingerprints within each distance from 0 to 10 come to, unverified
    #[arg(long, help_heading = "Truth")]
    pub(crate) distances: bool,
    /// Print JSON
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}
