//! The `onefold` command: arguments, calls, printing.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod dedup;
mod explain;
mod pairs;
mod progress;
mod size;
mod terminal;

use clap::Parser;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the first interrupt; the second ends the process at once.
static CANCEL: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    let command = args::Cli::parse().command;
    let handler = ctrlc::set_handler(|| {
        if CANCEL.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    if let Err(error) = handler {
        eprintln!("warning: interrupts will end the run at once: {error}");
    }
    let outcome = match command {
        args::Command::Dedup(arguments) => dedup::run(&arguments),
        args::Command::Pairs(arguments) => pairs::run(&arguments),
        args::Command::Explain(arguments) => explain::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => terminal::report(&error),
    }
}
