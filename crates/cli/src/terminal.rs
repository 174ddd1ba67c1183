//! Messages to people: errors, hints, text from outside made harmless.

use onefold_pipeline::Error;
use std::fmt::Arguments;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Prints a line on standard output. What cannot be written is told by [`printed`] at the end.
macro_rules! outln {
    () => { $crate::terminal::print(format_args!("\n")) };
    ($($text:tt)*) => { $crate::terminal::print(format_args!("{}\n", format_args!($($text)*))) };
}

/// Prints on standard output.
macro_rules! out {
    ($($text:tt)*) => { $crate::terminal::print(format_args!($($text)*)) };
}

/// Tells people something on standard error. Where that is gone, nobody is there to be told.
macro_rules! note {
    ($($text:tt)*) => { $crate::terminal::tell(format_args!($($text)*)) };
}

pub(crate) use {note, out, outln};

/// Whether what runs can go on where it was interrupted.
pub(crate) static RESUMABLE: AtomicBool = AtomicBool::new(false);

/// Why standard output could not be written.
static FAILED: Mutex<Option<std::io::Error>> = Mutex::new(None);

pub(crate) fn print(text: Arguments<'_>) {
    let mut failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner);
    if failed.is_none() {
        *failed = stdout().write_fmt(text).err();
    }
}

/// Standard output, whose errors name it.
pub(crate) fn stdout() -> Stdout {
    Stdout(std::io::stdout())
}

#[derive(Debug)]
pub(crate) struct Stdout(std::io::Stdout);

impl Stdout {
    pub(crate) fn is_terminal(&self) -> bool {
        self.0.is_terminal()
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes).map_err(named)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush().map_err(named)
    }
}

fn named(error: std::io::Error) -> std::io::Error {
    match error.kind() {
        // It is tried again by those who write.
        std::io::ErrorKind::Interrupted => error,
        kind => std::io::Error::new(kind, format!("standard output: {error}")),
    }
}

pub(crate) fn tell(text: Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Whether all that was printed arrived.
pub(crate) fn printed() -> std::io::Result<()> {
    let failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner).take();
    failed.map_or_else(|| stdout().flush(), Err)
}

/// Prints an error with what to do next, and tells the exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    };
    let known = error.downcast_ref::<Error>();
    // An error that passes another on as its own hides it from the chain.
    let passed_on = match known {
        Some(Error::Io(error) | Error::Formats(onefold_formats::Error::Io(error))) => Some(error),
        _ => None,
    };
    if error.chain().any(closed) || passed_on.is_some_and(|error| closed(error)) {
        return ExitCode::SUCCESS;
    }
    note!("error: {}", escape(&format!("{error:#}")));
    if let Some(hint) = known.and_then(hint) {
        note!("hint: {hint}");
    }
    match known {
        Some(Error::Interrupted) => ExitCode::from(130),
        _ => ExitCode::from(2),
    }
}

fn hint(error: &Error) -> Option<String> {
    Some(match error {
        Error::OutputIsFile { .. } => "choose another --output".into(),
        Error::OutputExists(_) => {
            "choose another --output, --force to overwrite it, or --resume to go on with a stopped run".into()
        }
        Error::MaxRemoved { .. } => {
            "nothing was written; `onefold pairs` shows what matches, --max-removed 1 removes it all the same"
                .into()
        }
        Error::Interrupted if RESUMABLE.load(Ordering::Relaxed) => {
            "nothing was written; the same command with --resume goes on from here".into()
        }
        Error::Memory { enough_mib, .. } => format!("about --memory {enough_mib}MiB would do"),
        Error::LargeDocument { needed_mib, .. } | Error::LargeCluster { needed_mib, .. }
            if RESUMABLE.load(Ordering::Relaxed) => format!(
            "nothing was written; the same command with --resume and --memory {needed_mib}MiB goes on from here"
        ),
        Error::LargeDocument { needed_mib, .. } | Error::LargeCluster { needed_mib, .. } => format!("--memory {needed_mib}MiB would do"),
        Error::ManyDocuments { enough_mib, .. } if RESUMABLE.load(Ordering::Relaxed) => format!(
            "nothing was written; the same command with --resume and about --memory {enough_mib}MiB goes on from here"
        ),
        Error::ManyDocuments { enough_mib, .. } => format!("about --memory {enough_mib}MiB would do"),
        Error::Manifest(onefold_run::ManifestError::NoRun { .. }) => {
            "this is the folder that `onefold dedup` wrote with --output; a run that was stopped goes on with --resume".into()
        }
        Error::NotOwn(_) => "choose another --temp".into(),
        Error::Disk { .. } => "--temp and --output can be on another disk".into(),
        Error::ResumeChanged { .. } => {
            "run without --resume, with --force, to start from the beginning".into()
        }
        Error::MaxPairs { .. } => "--max-pairs raises the limit; `onefold dedup` needs no such list".into(),
        Error::Io(error) | Error::Formats(onefold_formats::Error::Io(error))
            if error.kind() == std::io::ErrorKind::StorageFull =>
        {
            if RESUMABLE.load(Ordering::Relaxed) {
                "nothing half-written is left; --resume goes on once there is room, and without it --temp and --output can \
                 be on another disk"
                    .into()
            } else {
                "no temporary file is left; --temp, and what is written to, can be on another disk".into()
            }
        }
        Error::Io(error) | Error::Formats(onefold_formats::Error::Io(error))
            if error.kind() == std::io::ErrorKind::FileTooLarge =>
        {
            "nothing half-written is left; files may be no larger here: see `ulimit -f`, or what the disk allows"
                .into()
        }
        Error::UnknownDocument { bad: 1, named_in, .. } => {
            format!("1 record of the run could not be read, and its id is not known: {named_in} names it")
        }
        Error::UnknownDocument { bad, named_in, .. } if *bad > 0 => {
            format!("{bad} records of the run could not be read, and their ids are not known: {named_in} names them")
        }
        _ => return None,
    })
}

/// Names the first bad record, if there is one.
pub(crate) fn first_bad(place: Option<&str>) {
    if let Some(place) = place {
        note!("the first bad one: {}", escape(place));
    }
}

/// Text from outside with its control characters made visible, so that it cannot steer a terminal.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && steers(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Whether a character moves the cursor, changes colours or the direction of what follows.
fn steers(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The same on one line.
pub(crate) fn escape_line(text: &str) -> String {
    escape(text).replace('\n', "\\n")
}

/// A field of a TSV line: no tab and no line end in it, and on a terminal nothing that steers it.
pub(crate) fn tsv_field(text: &str, out: &mut String) {
    static TO_TERMINAL: LazyLock<bool> = LazyLock::new(|| std::io::stdout().is_terminal());
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            _ if *TO_TERMINAL && steers(c) => out.extend(c.escape_default()),
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(escape("a\u{1b}[31mb\u{202e}c"), "a\\u{1b}[31mb\\u{202e}c");
    }
}
