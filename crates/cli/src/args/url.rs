//! Arguments of `url`.

use clap::Args;

const EXAMPLES: &str = "Examples:
  onefold url 'HTTPS://Example.org:443/a/../b?utm_source=x#top'     all three forms, with a header
  onefold url --site https://news.example.co.uk/today               example.co.uk
  onefold url --key < urls.txt | sort | uniq -c | sort -rn          pages under several URLs

The canonical form is what every browser asks for: fetch and compare by it. The key has the host's
labels in reverse and no scheme, www, session id or tracking parameter, its parameters sorted: group
by it, never fetch it. The site is the registrable domain by the public suffix list, or the host
where there is none; a URL without a host, as mailto:, has no site. What has no scheme is read as
http://, as in an address bar. There is a line of output for each URL; of what is none the fields
are empty, it is named on standard error, and the exit code is 1.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, group(clap::ArgGroup::new("form").args(["canonical", "key", "site"])))]
pub(crate) struct Url {
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
    /// Print JSON, a line a URL
    #[arg(long)]
    pub(crate) json: bool,
}
