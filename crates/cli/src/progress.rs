//! Progress on a terminal: a bar for each stage.

use crate::terminal::note;
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use onefold_pipeline::{Progress, StageKind};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Shows bars on a terminal, notes everywhere, nothing if it is to be quiet.
pub(crate) struct Bars {
    quiet: bool,
    terminal: bool,
    bar: Mutex<Option<ProgressBar>>,
    documents: AtomicU64,
}

impl Bars {
    pub(crate) fn new(quiet: bool) -> Self {
        let terminal = !quiet && std::io::stderr().is_terminal();
        Bars { quiet, terminal, bar: Mutex::new(None), documents: AtomicU64::new(0) }
    }

    /// Takes the last bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.lock().unwrap_or_else(|e| e.into_inner()).take() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bars {
    fn start(&self, stage: StageKind, total: u64) {
        if !self.terminal {
            return;
        }
        let template = match stage {
            StageKind::Count | StageKind::Read | StageKind::Write => {
                "{prefix:>7} {bar:30} {decimal_bytes}/{decimal_total_bytes}  {decimal_bytes_per_sec}  {msg}  {eta} left"
            }
            StageKind::Match | StageKind::Verify => {
                "{prefix:>7} {bar:30} {human_pos}/{human_len} documents  {rate}  {eta} left"
            }
        };
        let bar = ProgressBar::new(total).with_prefix(stage.name());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
                // A bar that cannot be drawn is no error.
                let _ = write!(out, "{}/s", HumanCount(state.per_sec().round() as u64));
            }));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        self.documents.store(0, Ordering::Relaxed);
        if let Some(before) = self.bar.lock().unwrap_or_else(|e| e.into_inner()).replace(bar) {
            before.finish_and_clear();
        }
    }

    fn advance(&self, work: u64, documents: u64) {
        if !self.terminal {
            return;
        }
        if let Some(bar) = &*self.bar.lock().unwrap_or_else(|e| e.into_inner()) {
            bar.inc(work);
            let documents = self.documents.fetch_add(documents, Ordering::Relaxed) + documents;
            let rate = documents as f64 / bar.elapsed().as_secs_f64().max(1e-3);
            bar.set_message(format!("{documents} documents, {rate:.0}/s"));
        }
    }

    fn note(&self, text: &str) {
        if !self.quiet {
            note!("note: {}", crate::terminal::escape(text));
        }
    }
}
