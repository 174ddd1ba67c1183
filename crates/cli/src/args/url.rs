//! Arguments of `url`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  onefold url 'HTTPS://Example.org:443/a/../b?utm_source=x#top'     all three forms, with a header
  onefold url --site https://news.example.co.uk/today               example.co.uk
  onefold url --key < urls.txt | sort | uniq -c | sort -rn          pages under several URLs

The canonical form is what every browser asks for: fetch and compare by it. The key has the host's \
labels in reverse and no scheme, www, session id or tracking parameter, its parameters sorted: group \
by it, never fetch it. The site is the registrable domain by the public suffix list, or the host \
where there is none; a URL without a host, as mailto:, has no site. What has no scheme is read as \
http://, as in an address bar. There is a line of output for each URL; of what is none the fields \
are empty, it is named on standard error, and the exit code is 1.";

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES, group(clap::ArgGroup::new("form").args(["canonical", "key", "site"])))]
pub(crate) struct Url {
    #[command(subcommand)]
    pub(crate) command: Option<UrlCommand>,
    /// URLs; standard input, a line a URL, if there is none or where one is `-`
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// Print the canonical form alone
    #[arg(long)]
    pub(crate) canonical: bool,
    /// Print the key alone
    #[arg(long)]
    pub(crate) key: bool,
    /// Print the site alone
    #[arg(long)]
    pub(crate) site: bool,
    /// Learned rules that keys follow, as `url learn` writes them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["canonical", "site"])]
    pub(crate) url_rules: Option<PathBuf>,
    /// Print JSON, a line a URL
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum UrlCommand {
    /// Learn which parameters, suffixes and parts of paths never change the page, from a finished run
    Learn(UrlLearn),
}

const LEARN_EXAMPLES: &str = "Example: onefold url learn deduplicated > rules.json

Rules are learned for each host from pages that differ in one thing alone: a parameter, the end of the \
path, a part of it. Pages with one content speak for a rule, pages with different ones against it. \
They change the key of a URL and nothing else: dedup --url-rules compares documents of one key, and \
removes those whose texts agree.";

#[derive(Args, Debug)]
#[command(after_help = LEARN_EXAMPLES)]
pub(crate) struct UrlLearn {
    /// Output folder of a `dedup`
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Distinct contents that must stay the same with and without what a rule takes out
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) min_support: u64,
    /// Share of the pages seen with and without it whose content must stay the same
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, value_parser = super::share)]
    pub(crate) min_confidence: f64,
    #[command(flatten)]
    pub(crate) machine: super::MachineArgs,
}
