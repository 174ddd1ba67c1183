//! Arguments of `digest`.

use clap::Args;
use onefold_detect::digest::checksum::Kind;
use std::path::PathBuf;

const EXAMPLES: &str = "Examples:
  onefold digest page.html                          one line, as sha256sum prints it
  onefold digest --algorithm md5,sha1 *.warc.gz     lines of the form MD5 (file) = …
  onefold digest crawl/* > SHA256SUMS
  onefold digest --check SHA256SUMS                 exit code 1 if a file has changed

Of these, sum is BSD's with the number of blocks, and byte-sum adds up all bytes. They and crc32
tell accidents only: files that share one are easily found. Files that share an md5 or sha1 can be
made on purpose; xxh3-128 is the fastest, for files nobody forges.";

#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Digest {
    /// Files; standard input if there is none, or where one is `-`
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Which digest, or several with commas between: sum, byte-sum, crc32, md5, sha1, sha256, sha3-256, ripemd160,
    /// blake3, xxh3-128 [default: sha256]
    #[arg(long, short, value_name = "NAME", value_delimiter = ',')]
    pub(crate) algorithm: Vec<Kind>,
    /// Lines of the form `SHA256 (file) = …`, as with several algorithms
    #[arg(long, conflicts_with = "check")]
    pub(crate) tag: bool,
    /// Read lists of digests from the files and check what they name
    #[arg(long, short)]
    pub(crate) check: bool,
    /// With --check: say nothing of files that match
    #[arg(long, short, requires = "check")]
    pub(crate) quiet: bool,
    /// With --check: print nothing, the exit code tells
    #[arg(long, requires = "check")]
    pub(crate) status: bool,
    /// With --check: pass over files that are not there
    #[arg(long, requires = "check")]
    pub(crate) ignore_missing: bool,
    /// With --check: a line that is no digest is a failure too
    #[arg(long, requires = "check")]
    pub(crate) strict: bool,
}
