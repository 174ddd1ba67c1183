//! The `onefold` command: arguments, calls, printing.

mod args;
mod compare;
mod dedup;
mod digest;
mod evaluate;
mod explain;
mod extract;
mod fingerprints;
mod heap;
mod index;
mod inputs;
mod interrupt;
mod pairs;
mod progress;
mod related;
mod scratch;
mod serve;
mod size;
mod terminal;
mod tune;
mod url;

use nix::sys::signal::{SigSet, Signal};
use std::process::ExitCode;

/// A panic of a library that is caught and told as damage of a file is not told as a panic, too.
fn keep_quiet_what_is_caught() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let caught = onefold_index::catches_panics();
        #[cfg(feature = "parquet")]
        let caught = caught || onefold_formats::parquet::catches_panics();
        if !caught {
            tell(panic);
        }
    }));
}

fn main() -> ExitCode {
    keep_quiet_what_is_caught();
    // Where the size of files is limited, the write that goes beyond fails and is told, instead of ending the process. Threads
    // that come later inherit this.
    let _ = SigSet::from(Signal::SIGXFSZ).thread_block();
    interrupt::listen();
    let command = args::Cli::read().command;
    let outcome = match command {
        args::Command::Dedup(arguments) => dedup::run(&arguments),
        args::Command::Pairs(arguments) => pairs::run(&arguments),
        args::Command::Fingerprints(arguments) => fingerprints::run(&arguments),
        args::Command::Related(arguments) => related::run(&arguments),
        args::Command::Evaluate(arguments) => evaluate::run(&arguments),
        args::Command::Explain(arguments) => explain::run(&arguments),
        args::Command::Index(arguments) => index::run(&arguments),
        args::Command::Serve(arguments) => serve::run(&arguments),
        args::Command::Compare(arguments) => compare::run(&arguments),
        args::Command::Tune(arguments) => tune::run(&arguments),
        args::Command::Digest(arguments) => match digest::run(&arguments) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::from(1),
            Err(error) => Err(error),
        },
        args::Command::Extract(arguments) => extract::run(&arguments),
        args::Command::Url(arguments) => match url::run(&arguments) {
            Ok(true) => Ok(()),
            Ok(false) => return ExitCode::from(1),
            Err(error) => Err(error),
        },
    };
    let outcome = outcome.and_then(|()| Ok(terminal::printed()?));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => terminal::report(&error),
    }
}
