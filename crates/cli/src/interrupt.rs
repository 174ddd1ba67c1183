//! What interrupts do: the first asks what runs to end, the second ends the process at once.

use crate::terminal::note;
use nix::sys::signal::{SigSet, Signal};
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by the first interrupt.
pub(crate) static CANCEL: AtomicBool = AtomicBool::new(false);

/// Whether an interrupt ends the process at once.
static WAITING: AtomicBool = AtomicBool::new(false);

/// The time in which an interrupt ends the process at once: nothing is made then but what is scratch, and what is waited for
/// cannot be called off.
pub(crate) struct Waiting;

impl Waiting {
    pub(crate) fn begin() -> Self {
        WAITING.store(true, Ordering::Relaxed);
        Waiting
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        WAITING.store(false, Ordering::Relaxed);
    }
}

/// Listens to interrupts from here on.
pub(crate) fn listen() {
    leave_ignored_what_is();
    let handler = ctrlc::set_handler(|| {
        let asked_before = CANCEL.swap(true, Ordering::Relaxed);
        if asked_before || WAITING.load(Ordering::Relaxed) {
            // Before anything is told, since whoever hears of it may look.
            crate::scratch::remove_all();
            crate::terminal::report(&onefold_pipeline::Error::Interrupted.into());
            std::process::exit(130);
        }
    });
    if let Err(error) = handler {
        note!("warning: interrupts will end the run at once: {error}");
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
