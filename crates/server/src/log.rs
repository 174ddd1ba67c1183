//! The log: a JSON object a line on standard error. Lines are gathered and written by a thread of their own, so that a slow
//! terminal holds no request; if it cannot keep up, lines are left out and counted. Nothing of a document is logged.

use serde_json::{Map, Value};
use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes that may wait.
const MOST: usize = 4 << 20;
/// Time for which lines are gathered.
const PAUSE: Duration = Duration::from_millis(20);

/// The log.
pub(crate) struct Log {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    more: Condvar,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    left_out: u64,
    closed: bool,
}

impl Log {
    pub(crate) fn start() -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("log".into()).spawn(move || theirs.write())?;
        Ok(Log { shared, thread: Some(thread) })
    }

    /// Notes that something happened.
    pub(crate) fn event(&self, level: &str, event: &str, facts: &[(&str, Value)]) {
        let mut line = Map::new();
        line.insert("time".into(), time(SystemTime::now()).into());
        line.insert("level".into(), level.into());
        line.insert("event".into(), event.into());
        line.extend(facts.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        self.line(Value::Object(line).to_string().as_bytes());
    }

    /// Notes a request. All of it is ours or was checked, so that nothing needs escaping but the reason.
    pub(crate) fn request(&self, request: &Request<'_>) {
        let Request { id, method, route, status, micros, lines, problem } = request;
        let level = if *status >= 500 { "error" } else { "info" };
        let mut line = format!(
            "{{\"time\":\"{}\",\"level\":\"{level}\",\"event\":\"request\",\"id\":\"{id}\",\"method\":\"{method}\",\
             \"route\":\"{route}\",\"status\":{status},\"micros\":{micros}",
            time(SystemTime::now())
        );
        if let Some((lines, failed)) = lines {
            line.push_str(&format!(",\"lines\":{lines},\"failed\":{failed}"));
        }
        if let Some((code, reason)) = problem {
            line.push_str(",\"code\":");
            line.push_str(&serde_json::to_string(code).unwrap_or_default());
            if let Some(reason) = reason {
                line.push_str(",\"reason\":");
                line.push_str(&Value::from(*reason).to_string());
            }
        }
        line.push('}');
        self.line(line.as_bytes());
    }

    fn line(&self, line: &[u8]) {
        let mut waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.bytes.len() + line.len() > MOST {
            waiting.left_out += 1;
            return;
        }
        let wake = waiting.bytes.is_empty();
        waiting.bytes.extend_from_slice(line);
        waiting.bytes.push(b'\n');
        drop(waiting);
        if wake {
            self.shared.more.notify_one();
        }
    }
}

/// A request that was answered.
pub(crate) struct Request<'a> {
    pub(crate) id: &'a str,
    pub(crate) method: &'a str,
    pub(crate) route: &'a str,
    pub(crate) status: u16,
    pub(crate) micros: u128,
    /// Lines of a batch that were answered, and those of them that could not be added.
    pub(crate) lines: Option<(u64, u64)>,
    pub(crate) problem: Option<(crate::problem::Code, Option<&'a str>)>,
}

impl Shared {
    fn write(&self) {
        loop {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            while waiting.bytes.is_empty() && !waiting.closed {
                waiting = self.more.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            let (bytes, left_out) =
                (std::mem::take(&mut waiting.bytes), std::mem::take(&mut waiting.left_out));
            let closed = waiting.closed;
            drop(waiting);
            // Where the log cannot be written there is nowhere to say so.
            let mut stderr = std::io::stderr().lock();
            let _ = stderr.write_all(&bytes);
            if left_out > 0 {
                let _ = writeln!(stderr, "{{\"event\":\"log\",\"level\":\"warn\",\"left_out\":{left_out}}}");
            }
            drop(stderr);
            if closed {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.shared.more.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A time as RFC 3339 writes it. The date is that of Hinnant's `civil_from_days`.
fn time(at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (seconds, millis) = (since.as_secs(), since.subsec_millis());
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day + 2) / 153;
    let (day, month) =
        (day - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        let at = |seconds: u64| time(UNIX_EPOCH + Duration::from_millis(seconds * 1000 + 7));
        assert_eq!(at(0), "1970-01-01T00:00:00.007Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59.007Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.007Z");
        assert_eq!(at(1_794_000_000), "2026-11-06T21:20:00.007Z");
    }
}
