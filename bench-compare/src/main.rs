//! Onefold against other people's tools: same machine, same documents, same run, one table.
//!
//! Each tool runs as a child process, and its CPU seconds and peak memory are what the kernel says of that child.
//! Runs are interleaved and the best of each tool counts. Speed never stands alone: recall and precision come from
//! the output of the measured run itself. Peers are used here only, as dependencies, under their own licences
//! (gaoya, txtfp, rensa and datasketch: MIT).

mod compare;
mod error;
mod measure;
mod peer;
mod score;
mod table;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use lexopt::prelude::*;

use crate::error::Error;

const HELP: &str = "\
Compares onefold with other tools on one corpus and prints a Markdown table.

usage: onefold-bench-compare --corpus FILE.jsonl --truth FILE.tsv [options]
       onefold-bench-compare gaoya-minhash FILE.jsonl OUT.tsv
       onefold-bench-compare txtfp-simhash FILE.jsonl OUT.tsv

      --corpus FILE        JSON lines with id and text, as onefold-generate writes them
      --truth FILE         its planted pairs
      --wet FILE           the same documents as WET .gz, to compare with gzip -dc
      --onefold PATH       the onefold binary
      --python PATH        a Python with what python/requirements.txt names; without it those peers are left out
      --peers-only         leave onefold out
      --runs N             runs of each tool, of which the best counts [3]
      --work DIR           for outputs [a folder beside the corpus]
      --raw FILE           also write every run as a line of JSON
  -h, --help               this text
";

/// What to compare.
#[derive(Debug)]
pub(crate) struct Options {
    corpus: PathBuf,
    truth: PathBuf,
    wet: Option<PathBuf>,
    onefold: Option<PathBuf>,
    python: Option<PathBuf>,
    runs: usize,
    work: PathBuf,
    raw: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let outcome = match arguments.first() {
        Some(first) if first == "gaoya-minhash" && arguments.len() == 3 => {
            peer::gaoya_minhash(arguments[1].as_ref(), arguments[2].as_ref())
        }
        Some(first) if first == "txtfp-simhash" && arguments.len() == 3 => {
            peer::txtfp_simhash(arguments[1].as_ref(), arguments[2].as_ref())
        }
        _ => parse(arguments).and_then(|options| match options {
            Some(options) => compare::run(&options).map(|text| print!("{text}")),
            None => {
                print!("{HELP}");
                Ok(())
            }
        }),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("onefold-bench-compare: {error}");
            ExitCode::from(2)
        }
    }
}

fn parse(arguments: Vec<std::ffi::OsString>) -> Result<Option<Options>, Error> {
    let (mut corpus, mut truth, mut wet, mut onefold, mut python) = (None, None, None, None, None);
    let (mut work, mut raw, mut runs, mut peers_only) = (None, None, 3, false);
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("corpus") => corpus = Some(PathBuf::from(parser.value()?)),
            Long("truth") => truth = Some(PathBuf::from(parser.value()?)),
            Long("wet") => wet = Some(PathBuf::from(parser.value()?)),
            Long("onefold") => onefold = Some(PathBuf::from(parser.value()?)),
            Long("python") => python = Some(PathBuf::from(parser.value()?)),
            Long("work") => work = Some(PathBuf::from(parser.value()?)),
            Long("raw") => raw = Some(PathBuf::from(parser.value()?)),
            Long("runs") => runs = parser.value()?.parse()?,
            Long("peers-only") => peers_only = true,
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    let corpus = corpus.ok_or(Error::Missing("--corpus"))?;
    let truth = truth.ok_or(Error::Missing("--truth"))?;
    let onefold = match (peers_only, onefold) {
        (true, _) => None,
        (false, Some(path)) if path.is_file() => Some(path),
        (false, Some(path)) => return Err(Error::NoOnefold(path)),
        (false, None) => return Err(Error::Missing("--onefold (or --peers-only)")),
    };
    let work = work.unwrap_or_else(|| corpus.with_extension("compare"));
    Ok(Some(Options { corpus, truth, wet, onefold, python, runs: runs.max(1), work, raw }))
}
