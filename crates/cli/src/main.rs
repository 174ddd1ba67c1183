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
mod pairs;
mod progress;
mod related;
mod serve;
mod size;
mod terminal;
mod tune;
mod url;

use crate::terminal::note;
use nix::sys::signal::{SigSet, Signal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Set by the first interrupt; the second ends the process at once.
static CANCEL: AtomicBool = AtomicBool::new(false);

/// While an interrupt ends the process at once: the folder to remove then, if there is one.
static WAITING: Mutex<Option<Option<PathBuf>>> = Mutex::new(None);

/// The time in which an interrupt ends the process at once.
struct Waiting;

impl Waiting {
    fn begin(scratch: &Path) -> Self {
        Self::with(Some(scratch.to_owned()))
    }

    /// Where nothing is made that would have to be taken back.
    fn with_nothing_made() -> Self {
        Self::with(None)
    }

    fn with(scratch: Option<PathBuf>) -> Self {
        *WAITING.lock().unwrap_or_else(PoisonError::into_inner) = Some(scratch);
        Waiting
    }
}

/// Signals that were ignored when the process began stay so, as for `nohup` and jobs in the background of scripts: a handler
/// would take them, but none arrives that is blocked, in this thread and those that come later.
fn leave_ignored_what_is() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    for signal in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM] {
        if mask >> (signal as u32 - 1) & 1 == 1 {
            let _ = SigSet::from(signal).thread_block();
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        *WAITING.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

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
    leave_ignored_what_is();
    let command = args::Cli::read().command;
    let handler = ctrlc::set_handler(|| {
        let waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(scratch) = &waiting {
            // What was spooled so far is of no use.
            let _ = scratch.as_ref().map(fs_err::remove_dir_all);
            note!("error: interrupted");
        }
        if waiting.is_some() || CANCEL.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    if let Err(error) = handler {
        note!("warning: interrupts will end the run at once: {error}");
    }
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
