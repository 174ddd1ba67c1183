//! `onefold-generate`: a corpus with known duplicates, and its truth, to files.
#![allow(clippy::print_stderr, reason = "a command reports to its user on stderr")]

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use lexopt::prelude::*;
use onefold_testkit::{Compression, Corpus, Format, write_corpus, write_truth};

const HELP: &str = "\
Writes a corpus with planted exact and near duplicates, the same for the same options on every machine.

usage: onefold-generate --output FILE [options]

      --output FILE        where to write; - is stdout
      --truth FILE         every planted pair: idA, idB, exact Jaccard of word 5-grams, kinds; - is stdout
      --format FORMAT      jsonl or wet [jsonl]
      --gzip               one gzip member a record
      --level N            gzip level, 1 to 9 [6]
      --documents N        documents, copies included [1000]
      --bytes SIZE         bytes of text, about (18GB, 500MiB): sets the mean length, or without --documents
                           their number
      --mean-words N       mean words a document [600]
      --sigma N            standard deviation of the logarithm of the length [0.9]
      --vocabulary N       distinct words [200000]
      --exact SHARE        share of exact copies [0.05]
      --near SHARE         share of near copies, at Jaccard 0.5 to 0.98 [0.15]
      --script SCRIPT      latin, accented, cyrillic, arabic, chinese, japanese or thai [latin]
      --seed N             another corpus of the same kind [1]
      --force              replace files that exist
      --quiet              do not say what was written
  -h, --help               this text
";

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Default)]
struct Arguments {
    corpus: Corpus,
    documents: Option<u64>,
    bytes: Option<u64>,
    format: Format,
    gzip: bool,
    level: Option<u32>,
    output: Option<PathBuf>,
    truth: Option<PathBuf>,
    force: bool,
    quiet: bool,
}

fn main() -> ExitCode {
    let outcome = match parse(std::env::args_os().skip(1)) {
        Ok(Some(arguments)) => run(arguments),
        Ok(None) => io::stdout().write_all(HELP.as_bytes()).map_err(Failure::from),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(error.as_ref()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("onefold-generate: {error}");
            ExitCode::from(2)
        }
    }
}

fn is_closed_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Option<Arguments>, Failure> {
    let mut parsed = Arguments::default();
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("output") => parsed.output = Some(parser.value()?.into()),
            Long("truth") => parsed.truth = Some(parser.value()?.into()),
            Long("format") => parsed.format = parser.value()?.parse()?,
            Long("gzip") => parsed.gzip = true,
            Long("level") => parsed.level = Some(parser.value()?.parse()?),
            Long("documents") => parsed.documents = Some(parser.value()?.parse()?),
            Long("bytes") => parsed.bytes = Some(parser.value()?.parse_with(size)?),
            Long("mean-words") => parsed.corpus.mean_words = parser.value()?.parse()?,
            Long("sigma") => parsed.corpus.sigma = parser.value()?.parse()?,
            Long("vocabulary") => parsed.corpus.vocabulary = parser.value()?.parse()?,
            Long("exact") => parsed.corpus.exact_share = parser.value()?.parse()?,
            Long("near") => parsed.corpus.near_share = parser.value()?.parse()?,
            Long("script") => parsed.corpus.script = parser.value()?.parse()?,
            Long("seed") => parsed.corpus.seed = parser.value()?.parse()?,
            Long("force") => parsed.force = true,
            Long("quiet") => parsed.quiet = true,
            Short('h') | Long("help") => return Ok(None),
            other => return Err(other.unexpected().into()),
        }
    }
    if parsed.level.is_some() && !parsed.gzip {
        return Err("--level has no meaning without --gzip".into());
    }
    Ok(Some(parsed))
}

fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: f64 = match &text[digits.len()..] {
        "" | "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        other => return Err(format!("unknown unit {other:?}, expected kB, MB, GB, TB, KiB, MiB or GiB")),
    };
    let number: f64 = digits.trim().parse().map_err(|_| format!("{digits:?} is no number"))?;
    Ok((number * unit) as u64)
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    let output = arguments.output.as_deref().ok_or("--output is missing")?;
    let compression =
        if arguments.gzip { Compression::Gzip(arguments.level.unwrap_or(6)) } else { Compression::None };
    let mut corpus = arguments.corpus;
    if let Some(bytes) = arguments.bytes {
        let words = bytes as f64 / corpus.generator()?.bytes_per_word();
        match arguments.documents {
            Some(documents) => corpus.mean_words = words / documents.max(1) as f64,
            None => corpus.documents = (words / corpus.mean_words).ceil() as u64,
        }
    }
    corpus.documents = arguments.documents.unwrap_or(corpus.documents);

    let started = Instant::now();
    let generator = corpus.generator()?;
    let format = arguments.format;
    let open = |path: &Path| Target::open(path, arguments.force);
    let truth_target = arguments.truth.as_deref().map(open).transpose()?;
    let mut target = open(output)?;
    let truth = truth_target.map(|target| (generator.clone().truth(), target));
    let (summary, pairs) = std::thread::scope(|scope| {
        let pairs = truth.map(|(truth, mut target)| {
            scope.spawn(move || -> io::Result<u64> {
                let pairs = write_truth(truth, &mut target.output, format)?;
                target.finish()?;
                Ok(pairs)
            })
        });
        let summary = write_corpus(generator, &mut target.output, format, compression)?;
        let pairs =
            pairs.map(|thread| thread.join().map_err(|_| io::Error::other("the truth thread panicked")));
        io::Result::Ok((summary, pairs.transpose()?.transpose()?))
    })?;
    target.finish()?;
    if !arguments.quiet {
        let seconds = started.elapsed().as_secs_f64();
        eprintln!(
            "{} documents, {} bytes of text, {} bytes written, {seconds:.2} s, {:.0} MB/s{}",
            summary.documents,
            summary.text_bytes,
            summary.file_bytes,
            summary.text_bytes as f64 / 1e6 / seconds,
            pairs.map_or(String::new(), |pairs| format!(", {pairs} planted pairs")),
        );
    }
    Ok(())
}

/// A file under a temporary name until it is whole, or stdout. It is not synced: a corpus can be made again.
struct Target {
    output: BufWriter<Box<dyn Write + Send>>,
    names: Option<(PathBuf, PathBuf)>,
}

impl Target {
    fn open(path: &Path, force: bool) -> Result<Self, Failure> {
        let (inner, names): (Box<dyn Write + Send>, _) = if path.as_os_str() == "-" {
            (Box::new(io::stdout()), None)
        } else if path.exists() && path.is_file() && !force {
            return Err(format!("{}: exists already\nhint: --force replaces it", path.display()).into());
        } else if path.exists() && !path.is_file() {
            // A device or a pipe cannot be renamed to.
            (Box::new(fs_err::OpenOptions::new().write(true).open(path)?), None)
        } else {
            let mut temporary = path.as_os_str().to_owned();
            temporary.push(".tmp");
            let temporary = PathBuf::from(temporary);
            (Box::new(fs_err::File::create(&temporary)?), Some((temporary, path.to_owned())))
        };
        Ok(Self { output: BufWriter::with_capacity(1 << 20, inner), names })
    }

    fn finish(mut self) -> io::Result<()> {
        self.output.flush()?;
        self.names.map_or(Ok(()), |(temporary, path)| fs_err::rename(temporary, path))
    }
}
