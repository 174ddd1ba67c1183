//! Runs a child and asks the kernel what it cost.
//!
//! A child's peak resident memory as reported starts at that of the process it was forked from, so this process holds
//! no corpus and no truth while anything is measured.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use fs_err::File;
use wait4::Wait4;

use crate::error::Error;

/// What a run cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) cpu_seconds: f64,
    pub(crate) wall_seconds: f64,
    pub(crate) peak_bytes: u64,
}

/// Runs the command with its data to `stdout` and its messages to `log`.
pub(crate) fn measure(
    tool: &'static str,
    command: &mut Command,
    stdout: Option<&Path>,
    log: &Path,
) -> Result<Cost, Error> {
    let output = match stdout {
        Some(path) => File::create(path)?.into_file().into(),
        None => Stdio::null(),
    };
    let messages = File::create(log)?.into_file();
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(messages)
        .spawn()
        .map_err(|source| Error::Start { program: command.get_program().into(), source })?;
    let used = child.wait4()?;
    if !used.status.success() {
        return Err(Error::Failed { tool, status: used.status.to_string(), log: log.to_owned() });
    }
    Ok(Cost {
        cpu_seconds: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        wall_seconds: started.elapsed().as_secs_f64(),
        peak_bytes: used.rusage.maxrss,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_child_costs_its_own_seconds_and_a_failing_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let busy = measure(
            "busy",
            Command::new("sh").args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]),
            None,
            &log,
        )
        .unwrap();
        assert!(busy.cpu_seconds > 0.01 && busy.cpu_seconds < 60.0, "{busy:?}");
        assert!(busy.peak_bytes > 100_000 && busy.peak_bytes < 1 << 30, "{busy:?}");
        let idle = measure("idle", Command::new("sleep").arg("0.3"), None, &log).unwrap();
        assert!(idle.wall_seconds >= 0.3 && idle.cpu_seconds < 0.2, "{idle:?}");
        let error = measure("false", &mut Command::new("false"), None, &log).unwrap_err();
        assert!(error.to_string().starts_with("false ended with exit status: 1"), "{error}");
    }
}
