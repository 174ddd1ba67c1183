//! Progress on a terminal: a bar for each stage.

use crate::size::human;
use crate::terminal::note;
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use onefold_pipeline::{Progress, StageKind};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What is left is told when so much time has passed, and so much of the work: what comes first is at times unlike the rest.
const TOLD_AFTER: Duration = Duration::from_secs(2);
const TOLD_FROM: f64 = 0.02;
/// What a line has beside its parts: the name of the stage, and a bar of some length.
const NAME_AND_BAR: usize = 8 + 6;

/// Shows bars on a terminal, notes everywhere, nothing if it is to be quiet.
pub(crate) struct Bars {
    quiet: bool,
    terminal: bool,
    bar: Mutex<Option<ProgressBar>>,
    documents: Arc<AtomicU64>,
}

impl Bars {
    pub(crate) fn new(quiet: bool) -> Self {
        let terminal = !quiet && std::io::stderr().is_terminal();
        Bars { quiet, terminal, bar: Mutex::new(None), documents: Arc::default() }
    }

    /// Takes the last bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.lock().unwrap_or_else(PoisonError::into_inner).take() {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Bars {
    fn start(&self, stage: StageKind, total: u64) {
        if !self.terminal {
            return;
        }
        let in_bytes = matches!(stage, StageKind::Count | StageKind::Read | StageKind::Write);
        let bar = ProgressBar::new(total).with_prefix(stage.name());
        if let Ok(style) = ProgressStyle::with_template("{prefix:>7} {wide_bar} {parts}") {
            let passed = Arc::clone(&self.documents);
            bar.set_style(style.with_key("parts", move |state: &ProgressState, out: &mut dyn Write| {
                let (done, total) = (state.pos(), state.len().unwrap_or_default());
                let documents = if in_bytes { passed.load(Ordering::Relaxed) } else { done };
                let work = Work { in_bytes, done, total, documents, elapsed: state.elapsed() };
                let width = usize::from(console::Term::stderr().size().1);
                // A bar that cannot be drawn is no error.
                let _ = out.write_str(&work.parts(width.saturating_sub(NAME_AND_BAR)));
            }));
        }
        self.documents.store(0, Ordering::Relaxed);
        self.finish();
        // Drawn here once, however soon the stage is over.
        bar.tick();
        bar.enable_steady_tick(Duration::from_millis(200));
        *self.bar.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar);
    }

    fn advance(&self, work: u64, documents: u64) {
        if !self.terminal {
            return;
        }
        self.documents.fetch_add(documents, Ordering::Relaxed);
        if let Some(bar) = &*self.bar.lock().unwrap_or_else(PoisonError::into_inner) {
            bar.inc(work);
        }
    }

    fn note(&self, text: &str) {
        if !self.quiet {
            note!("note: {}", crate::terminal::escape(text));
        }
    }
}

/// How far a stage is.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// Whether the work is bytes; else it is documents.
    in_bytes: bool,
    done: u64,
    total: u64,
    documents: u64,
    elapsed: Duration,
}

impl Work {
    /// What is told beside the bar, in at most `width` columns: of several parts the least important go first.
    fn parts(&self, width: usize) -> String {
        let seconds = self.elapsed.as_secs_f64().max(1e-3);
        let rate = |count: u64| (count as f64 / seconds).round() as u64;
        let documents = HumanCount(rate(self.documents));
        let share = if self.total == 0 { 0.0 } else { (self.done as f64 / self.total as f64).min(1.0) };
        let done = if self.in_bytes {
            format!("{}/{}", human(self.done), human(self.total))
        } else {
            format!("{}/{} documents", HumanCount(self.done), HumanCount(self.total))
        };
        let speed = if self.in_bytes {
            format!("{:.1} MB/s", self.done as f64 / 1e6 / seconds)
        } else {
            String::new()
        };
        // In the order they are shown, with the order in which they go.
        let mut parts = vec![
            (0, done),
            (3, format!("{:.0} %", (share * 100.0).floor())),
            (1, speed),
            (2, format!("{documents} documents/s")),
            (4, self.left(share)),
        ];
        parts.retain(|(_, part)| !part.is_empty());
        let columns = |parts: &[(u8, String)]| parts.iter().map(|(_, part)| part.len() + 2).sum::<usize>();
        while columns(&parts) > width + 2 {
            let Some(least) = (0..parts.len()).min_by_key(|&at| parts[at].0) else { break };
            parts.remove(least);
        }
        let parts: Vec<String> = parts.into_iter().map(|(_, part)| part).collect();
        parts.join("  ")
    }

    /// The time that is left, once there is something to tell it by. Work that is done and not at an end waits for the disk.
    fn left(&self, share: f64) -> String {
        if self.elapsed < TOLD_AFTER || !(TOLD_FROM..1.0).contains(&share) {
            return String::new();
        }
        let seconds = (self.elapsed.as_secs_f64() * (1.0 - share) / share).ceil() as u64;
        match seconds {
            0..60 => format!("{seconds}s left"),
            60..3600 => format!("{}m {:02}s left", seconds / 60, seconds % 60),
            _ => format!("{}h {:02}m left", seconds / 3600, seconds / 60 % 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(in_bytes: bool, done: u64, seconds: u64) -> Work {
        let elapsed = Duration::from_secs(seconds);
        Work { in_bytes, done, total: 400_000_000, documents: 120_000, elapsed }
    }

    #[test]
    fn parts_fit_any_width_and_the_least_important_go_first() {
        let half = work(true, 200_000_000, 10);
        let whole = "200 MB/400 MB  50 %  20.0 MB/s  12,000 documents/s  10s left";
        assert_eq!(half.parts(66), whole);
        for width in 0..80 {
            assert!(half.parts(width).len() <= width, "{width}: {:?}", half.parts(width));
        }
        assert_eq!(half.parts(whole.len() - 1), "50 %  20.0 MB/s  12,000 documents/s  10s left");
        assert_eq!(half.parts(26), "50 %  10s left");
    }

    #[test]
    fn time_left_waits_for_time_and_work() {
        assert!(!work(true, 200_000_000, 1).parts(99).contains("left"));
        assert!(!work(true, 4_000_000, 10).parts(99).contains("left"));
        assert!(work(true, 8_000_000, 10).parts(99).ends_with("8m 10s left"));
        assert!(!work(true, 400_000_000, 10).parts(99).contains("left"));
    }

    #[test]
    fn stages_of_documents_tell_documents_a_second() {
        let parts = Work { documents: 2_000, ..work(false, 2_000, 10) }.parts(99);
        assert_eq!(parts, "2,000/400,000,000 documents  0 %  200 documents/s");
    }
}
