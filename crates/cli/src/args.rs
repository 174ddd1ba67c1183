//! Arguments. Each is described here once; help and docs use these words.

mod compare;
mod digest;
mod evaluate;
mod extract;
mod matching;
mod text;
mod tune;
mod url;
mod urls;

use crate::size;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
pub(crate) use compare::{ColorChoice, Compare};
pub(crate) use digest::Digest;
pub(crate) use evaluate::{Evaluate, EvaluateExtract, EvaluateOther};
pub(crate) use extract::{ContentKind, Extract, ExtractFormat, RecordsKind};
pub(crate) use matching::{MatchArgs, MethodName, SketchArgs};
use onefold_formats::source::Fields;
use onefold_run::{KeepRule, Plan};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use text::TextArgs;
pub(crate) use tune::{SketchRule, Tune};
pub(crate) use url::{Url, UrlCommand, UrlLearn};
pub(crate) use urls::UrlArgs;

/// Find exact and near-duplicate pages in web crawls, with evidence.
#[derive(Parser, Debug)]
#[command(name = "onefold", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Reads the arguments of the process; what is wrong with them is printed, and ends it.
    pub(crate) fn read() -> Self {
        // Of the flags of matching, `evaluate` has a list instead of this one, and says so where it is given.
        let evaluate = |verb: clap::Command| verb.mut_arg("method", |method| method.hide(true));
        let command = Cli::command().mut_subcommand("evaluate", evaluate);
        let matches = numbers_may_be_negative(command).get_matches();
        Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// Lets the flag say what it takes where a negative number is given, instead of taking that for a flag.
fn numbers_may_be_negative(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|argument: clap::Arg| {
        let takes_value = argument.get_action().takes_values() && argument.get_long().is_some();
        if takes_value { argument.allow_negative_numbers(true) } else { argument }
    });
    command.mut_subcommands(numbers_may_be_negative)
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Keep one page of each: write the corpus without its duplicates, and why each went
    Dedup(Box<Dedup>),
    /// List verified pairs of duplicates and remove nothing
    Pairs(Box<Pairs>),
    /// Print what documents are known by: digest, fingerprint, number of tokens
    Fingerprints(Box<Fingerprints>),
    /// List the documents most like one, below the threshold of duplicates too
    Related(Box<Related>),
    /// Hold methods against a truth: precision, recall and F1, side by side
    Evaluate(Box<Evaluate>),
    /// Say why a document of a run was removed or kept
    Explain(Explain),
    /// Have we seen this page? A durable index that documents are added to and checked against
    Index(crate::index::IndexArgs),
    /// Serve an index over HTTP, with a page to look at it
    Serve(Box<crate::serve::Serve>),
    /// Say how alike two texts are, by every measure, and show what differs
    Compare(Box<Compare>),
    /// Show which pairs bands and sketches find, and what they would cost on a corpus
    Tune(Box<Tune>),
    /// Print or check digests of files, as sha256sum does
    Digest(Digest),
    /// Print what pages say: main content, title, links
    Extract(Extract),
    /// Print the forms of URLs to compare by: canonical, key, site
    Url(Url),
}

/// How pairs become clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClusterKind {
    /// Every removed document is similar to the one that was kept
    #[default]
    Star,
    /// Chains of similar documents are one cluster
    Components,
}

/// What is cut out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnitKind {
    /// Whole documents
    #[default]
    Document,
    /// Lines of text that stood in an earlier document, or earlier in the same one; documents stay
    Paragraph,
}

/// How evidence is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvidenceKind {
    /// One JSON object a line
    #[default]
    Jsonl,
    /// Parquet tables
    Parquet,
}

/// How pairs are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PairsFormat {
    /// Tab-separated, with a header
    #[default]
    Tsv,
    /// One JSON object a line
    Jsonl,
    /// A Parquet table
    Parquet,
}

/// What is read.
#[derive(Args, Debug)]
pub(crate) struct InputArgs {
    /// Files, folders, patterns, or `-` for standard input; told by content
    ///
    /// WARC, WET, ARC, JSONL, Parquet, CSV, TSV, HTML, text; gzip, zstd, lz4 or plain. Folders are walked in byte order
    /// of names. URLs of object stores, such as s3://bucket/prefix, where this program was built to read them.
    #[arg(value_name = "INPUT", required_unless_present = "files_from")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Read more inputs from a file that lists paths, one a line; `-` is standard input
    ///
    /// Every line that is not blank is a path, those that start with `#` too.
    ///
    /// Example: --files-from list.txt --text-field content --id-field page_id
    #[arg(long, value_name = "FILE", help_heading = "Input", hide_short_help = true)]
    pub(crate) files_from: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
    /// Largest record that is read; a larger document is bad
    #[arg(long, value_name = "SIZE", default_value = "32MiB", value_parser = size::parse, help_heading = "Input", hide_short_help = true)]
    pub(crate) max_document: u64,
    /// Fail, with exit code 2, if more records than this are bad; by default they are counted and named
    #[arg(long, value_name = "N", help_heading = "Input", hide_short_help = true)]
    pub(crate) max_bad_records: Option<u64>,
}

impl InputArgs {
    /// These files and no lists of them, as far as no flag says more.
    pub(crate) fn of(inputs: Vec<PathBuf>, fields: FieldArgs) -> Self {
        let max_document = Plan::default().max_document_bytes;
        InputArgs { inputs, files_from: Vec::new(), fields, max_document, max_bad_records: None }
    }
}

/// Where the parts of a document are.
#[derive(Args, Clone, Debug)]
pub(crate) struct FieldArgs {
    /// Field of a document's id; without it the URL is its id, else `file#row`
    #[arg(long, value_name = "NAME", default_value = "id", help_heading = "Input", hide_short_help = true)]
    id_field: String,
    /// Field of the text
    #[arg(long, value_name = "NAME", default_value = "text", help_heading = "Input")]
    text_field: String,
    /// Field of the URL
    #[arg(long, value_name = "NAME", default_value = "url", help_heading = "Input", hide_short_help = true)]
    url_field: String,
}

impl FieldArgs {
    /// The usual ones, but for the text.
    pub(crate) fn with_text(text: &str) -> Self {
        let Fields { id, url, .. } = Fields::default();
        FieldArgs { id_field: id, text_field: text.into(), url_field: url }
    }

    pub(crate) fn fields(&self) -> Fields {
        Fields {
            id: self.id_field.clone(),
            text: self.text_field.clone(),
            url: self.url_field.clone(),
            ..Fields::default()
        }
    }
}

/// What the machine may be asked for.
#[derive(Args, Debug)]
pub(crate) struct MachineArgs {
    /// Worker threads [default: one a processor]
    ///
    /// Example: --threads 4 --memory 8GiB --temp /scratch
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = "Machine")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Memory to stay within [default: half of what is free]
    ///
    /// In a container with a limit, what is free is what it has left.
    #[arg(long, value_name = "SIZE", value_parser = size::parse, help_heading = "Machine")]
    pub(crate) memory: Option<u64>,
    /// Folder for temporary files [default: beside the output folder of `dedup`, else that of the system]
    #[arg(long, value_name = "DIR", help_heading = "Machine", hide_short_help = true)]
    pub(crate) temp: Option<PathBuf>,
    /// Print nothing on standard error but errors
    #[arg(long, short, help_heading = "Machine")]
    pub(crate) quiet: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold dedup crawl/ --output deduplicated")]
pub(crate) struct Dedup {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Field of the date, for --keep newest and oldest and --versions newest; WARC has its own [default: date]
    #[arg(long, value_name = "NAME", help_heading = "Input", hide_short_help = true)]
    pub(crate) date_field: Option<String>,
    /// Folder for the result; `-` writes the kept documents to standard output
    ///
    /// It holds kept/, removed.jsonl, clusters.jsonl, bad.jsonl and manifest.json.
    ///
    /// Example: --output clean --annotate --evidence parquet
    #[arg(long, short, value_name = "DIR", required_unless_present = "plan", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
    /// Keep all documents and mark the duplicates
    ///
    /// By a field `onefold` in JSONL and Parquet, by a revisit record in WARC.
    #[arg(long, help_heading = "Output")]
    pub(crate) annotate: bool,
    /// How evidence is written
    #[arg(long, value_enum, default_value_t, help_heading = "Output", hide_short_help = true)]
    pub(crate) evidence: EvidenceKind,
    /// Overwrite an output that is there
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub(crate) force: bool,
    /// Go on with a run that was stopped
    #[arg(long, help_heading = "Output")]
    pub(crate) resume: bool,
    /// Print what the job will need, from a sample of the input, and stop
    #[arg(long, help_heading = "Output")]
    pub(crate) plan: bool,
    /// Print the summary as JSON on standard output, or on standard error where the kept documents are there
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub(crate) json: bool,
    /// Stop before writing if more than this share of a file of 1,000 documents or more would go
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.9, value_parser = share, help_heading = "Output",
        hide_short_help = true
    )]
    pub(crate) max_removed: f64,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    /// Also remove what an index knows already: its keepers rank before all documents. The index stays as it is
    ///
    /// It has to be made with the same flags of matching; `onefold index import` makes one of an earlier run.
    #[arg(long, value_name = "INDEX", help_heading = "Matching")]
    pub(crate) against: Option<PathBuf>,
    /// How pairs become clusters
    #[arg(long, value_enum, default_value_t, help_heading = "Matching", hide_short_help = true)]
    pub(crate) cluster: ClusterKind,
    /// What is cut out: whole documents, or paragraphs that stood before
    ///
    /// A paragraph is a line of at least as many words, or characters, as a shingle has; a shorter one stays, however often it stands.
    #[arg(long, value_enum, default_value_t, help_heading = "Matching", hide_short_help = true)]
    pub(crate) unit: UnitKind,
    /// Who survives: first, longest, shortest-url, newest, oldest, field:NAME, …
    ///
    /// All rules: first, longest, shortest-url, https-then-shortest-url, newest, oldest, field:NAME (highest).
    #[arg(long, value_name = "RULE", default_value_t, help_heading = "Matching")]
    pub(crate) keep: KeepRule,
    #[command(flatten)]
    pub(crate) urls: UrlArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold pairs crawl/ --threshold 0.9 > pairs.tsv")]
pub(crate) struct Pairs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// How pairs are written to standard output
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: PairsFormat,
    /// List every pair of documents: copies with each other, each copy with each near match
    #[arg(long, help_heading = "Output")]
    pub(crate) expand: bool,
    /// Instead of pairs, print how many there are by score and by band
    #[arg(long, conflicts_with = "format", help_heading = "Output")]
    pub(crate) histogram: bool,
    /// Fail if more pairs are to be listed, before the first is printed
    #[arg(long, value_name = "N", default_value_t = 100_000_000, help_heading = "Output")]
    pub(crate) max_pairs: u64,
    #[command(flatten)]
    pub(crate) matching: MatchArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// How fingerprints are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FingerprintFormat {
    /// Tab-separated, with a header
    #[default]
    Tsv,
    /// A Parquet table, with MinHash signatures
    Parquet,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold fingerprints crawl.wet.gz > fingerprints.tsv")]
pub(crate) struct Fingerprints {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// How fingerprints are written to standard output
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: FingerprintFormat,
    #[command(flatten)]
    pub(crate) sketches: SketchArgs,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold related https://example.org/page --in crawl/ --top 10")]
pub(crate) struct Related {
    /// Id of the document
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Where it is, and the others: files, folders, patterns
    #[arg(long = "in", value_name = "INPUT", required = true, num_args = 1..)]
    pub(crate) corpus: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) input: FieldArgs,
    /// How many are listed
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::builder::RangedI64ValueParser::<usize>::new().range(1..))]
    pub(crate) top: usize,
    /// Least resemblance that is listed
    #[arg(long, value_name = "J", default_value_t = 0.01, value_parser = share)]
    pub(crate) least: f64,
    /// What shingles are: word:N or char:N [default: word:5]
    #[arg(long, value_name = "KIND:N")]
    pub(crate) shingle: Option<onefold_detect::text::Shingling>,
    /// Print JSON, a line a document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Example: onefold explain deduplicated https://example.org/page")]
pub(crate) struct Explain {
    /// Folder a `dedup` run has written; its inputs have to be where they were
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Id of the document
    #[arg(value_name = "ID", allow_hyphen_values = true)]
    pub(crate) id: String,
    /// Print JSON, a line for each document of this id
    #[arg(long)]
    pub(crate) json: bool,
    /// Print passages whole, however long
    #[arg(long)]
    pub(crate) full: bool,
}

/// A number of which there has to be one.
pub(crate) fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| format!("expected 1 or more, found {text}"))
}

/// A share of a whole.
fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!("expected a share from 0 to 1, found {text:?}")),
    }
}
