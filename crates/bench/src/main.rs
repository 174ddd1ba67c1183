//! Our own benchmarks, each the answer to a written question.
//!
//! - `onefold-bench kernels`: where does the CPU time of reading go, step by step?
//! - `onefold-bench scripts`: what does a byte of other scripts cost, against one of English?
//! - `onefold-bench pages FOLDER`: what does the content of a page cost, against html5ever's tree?
//! - `onefold-bench plot < scale.tsv > scale.svg`: does cost grow linearly? (`crates/bench/scale.sh` makes the table.)
//!
//! Times are CPU seconds of this process, the best of several rounds.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod kernels;
mod pages;
mod plot;
mod scripts;

use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("kernels") => kernels::run(),
        Some("scripts") => scripts::run(),
        Some("plot") => return plot::run(),
        Some("pages") => {
            let folder = std::env::args_os().nth(2).unwrap_or_else(|| "crates/page/tests/data".into());
            if let Err(error) = pages::run(folder.as_ref()) {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
        _ => {
            eprintln!("usage: onefold-bench kernels|scripts|pages [FOLDER]|plot");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// CPU seconds so far.
fn cpu() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The least CPU seconds of several rounds.
fn best_of(rounds: usize, mut work: impl FnMut()) -> f64 {
    (0..rounds)
        .map(|_| {
            let start = cpu();
            work();
            cpu() - start
        })
        .fold(f64::INFINITY, f64::min)
}

/// Texts of a generated corpus.
fn texts(documents: u64, script: onefold_testkit::Script) -> Vec<String> {
    let corpus = onefold_testkit::Corpus { script, ..onefold_testkit::Corpus::new(documents) };
    corpus.documents().expect("a corpus of defaults").map(|document| document.text).collect()
}
