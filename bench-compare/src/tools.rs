//! What is run: the command of each tool, where its answer lands, and one sentence on what it does for its seconds.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Options;
use crate::score::Answer;

/// A tool and how it is run.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) does: &'static str,
    pub(crate) answer: Answer,
    pub(crate) input: Input,
    program: PathBuf,
    arguments: Vec<PathBuf>,
    /// A file for what the tool writes to stdout.
    pub(crate) stdout: Option<PathBuf>,
    /// Whether it is held to one thread: CPU seconds are compared, and a peer's idle threads would only add some.
    one_thread: bool,
    /// A folder that must not exist when the tool starts.
    pub(crate) fresh: Option<PathBuf>,
}

/// Which of the two files a tool reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Jsonl,
    Wet,
}

impl Tool {
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        if self.one_thread {
            for name in ["RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"] {
                command.env(name, "1");
            }
        }
        command
    }

    /// The command as one would type it, without the folders.
    pub(crate) fn shown(&self) -> String {
        let short =
            |path: &PathBuf| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let words: Vec<String> = std::iter::once(&self.program).chain(&self.arguments).map(short).collect();
        words.join(" ")
    }
}

type MakeAnswer = fn(PathBuf) -> Answer;

/// Every tool that the options allow, ours first.
pub(crate) fn tools(options: &Options, this: &Path) -> Vec<Tool> {
    let mut tools = Vec::new();
    if let Some(onefold) = &options.onefold {
        tools.push(dedup(
            "onefold dedup",
            "JSONL to JSONL, every removal verified, evidence kept",
            onefold,
            options,
            Input::Jsonl,
        ));
        let pairs = options.work.join("onefold-pairs.tsv");
        tools.push(Tool {
            name: "onefold pairs",
            does: "every verified pair",
            program: onefold.clone(),
            arguments: vec!["pairs".into(), options.corpus.clone(), "--expand".into(), "--quiet".into()],
            answer: Answer::Pairs(pairs.clone()),
            input: Input::Jsonl,
            stdout: Some(pairs),
            one_thread: false,
            fresh: None,
        });
    }
    tools.push(peer(
        "gaoya 0.2.2",
        "pairs by estimate, nothing verified or written",
        this,
        &["gaoya-minhash"],
        Answer::Pairs,
        options,
    ));
    if let Some(onefold) = &options.onefold {
        let printed = options.work.join("onefold-fingerprints.tsv");
        let flags = ["--features", "word:5", "--threads", "1", "--quiet"].map(PathBuf::from);
        let mut arguments = vec!["fingerprints".into(), options.corpus.clone()];
        arguments.extend(flags);
        tools.push(Tool {
            name: "onefold fingerprints",
            does: "digest and SimHash of five-word shingles, one thread",
            program: onefold.clone(),
            arguments,
            answer: Answer::Nothing,
            input: Input::Jsonl,
            stdout: Some(printed),
            one_thread: false,
            fresh: None,
        });
    }
    tools.push(peer(
        "txtfp 0.3.2",
        "SimHash of five-word shingles",
        this,
        &["txtfp-simhash"],
        |_| Answer::Nothing,
        options,
    ));
    if let Some(python) = &options.python {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/python/peers.py");
        let rows: [(_, _, _, MakeAnswer); 4] = [
            (
                "rensa 0.5.0 R-MinHash",
                "pairs by estimate, nothing verified or written",
                "rensa",
                Answer::Pairs,
            ),
            (
                "rensa 0.5.0 rho",
                "flags documents that have a partner, from sampled shingles",
                "rensa-rho",
                Answer::Flags,
            ),
            (
                "datasketch 2.0.0",
                "pairs by estimate, nothing verified or written",
                "datasketch",
                Answer::Pairs,
            ),
            (
                "Python reading alone",
                "JSON to lists of 5-grams, the floor under the Python rows",
                "read",
                |_| Answer::Nothing,
            ),
        ];
        for (name, does, mode, answer) in rows {
            tools.push(peer(name, does, python, &[script, mode], answer, options));
        }
    }
    if let Some(wet) = &options.wet {
        if let Some(onefold) = &options.onefold {
            tools.push(dedup(
                "onefold dedup, WET",
                "WET .gz to WET, every removal verified",
                onefold,
                options,
                Input::Wet,
            ));
        }
        tools.push(Tool {
            name: "gzip -dc, WET",
            does: "inflates and does nothing else",
            program: "gzip".into(),
            arguments: vec!["-dc".into(), wet.clone()],
            answer: Answer::Nothing,
            input: Input::Wet,
            stdout: None,
            one_thread: true,
            fresh: None,
        });
    }
    tools
}

fn dedup(name: &'static str, does: &'static str, onefold: &Path, options: &Options, input: Input) -> Tool {
    let (file, folder) = match (input, &options.wet) {
        (Input::Wet, Some(wet)) => (wet, options.work.join("onefold-dedup-wet")),
        _ => (&options.corpus, options.work.join("onefold-dedup")),
    };
    let answer = Answer::Removals(folder.join("removed.jsonl"));
    let arguments = vec!["dedup".into(), file.clone(), "--output".into(), folder.clone(), "--quiet".into()];
    Tool {
        name,
        does,
        program: onefold.to_owned(),
        arguments,
        answer,
        input,
        stdout: None,
        one_thread: false,
        fresh: Some(folder),
    }
}

fn peer(
    name: &'static str,
    does: &'static str,
    program: &Path,
    before: &[&str],
    answer: MakeAnswer,
    options: &Options,
) -> Tool {
    let output = options.work.join(format!("{}.out", before[before.len() - 1]));
    let mut arguments: Vec<PathBuf> = before.iter().map(PathBuf::from).collect();
    arguments.extend([options.corpus.clone(), output.clone()]);
    let (answer, input) = (answer(output), Input::Jsonl);
    Tool {
        name,
        does,
        program: program.to_owned(),
        arguments,
        answer,
        input,
        stdout: None,
        one_thread: true,
        fresh: None,
    }
}
