//! The command under a preloaded library that kills it or fails its disk at a named step; see `shim.c`.

use super::Place;
use onefold_testkit::{lacks, skip};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Signals by number.
pub(crate) const SIGINT: u32 = 2;
pub(crate) const SIGKILL: u32 = 9;
pub(crate) const SIGTERM: u32 = 15;

/// A built library.
pub(crate) struct Shim {
    library: PathBuf,
}

impl Shim {
    /// Builds the library with the compiler that Rust links with. Where there is none, or where libraries cannot be
    /// preloaded, the test says so and gets nothing.
    pub(crate) fn build(place: &Place) -> Option<Self> {
        let library = place.path("shim.so");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/shim.c");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([library.as_os_str(), source.as_ref()])
            .args(["-ldl"])
            .stdin(Stdio::null())
            .output();
        match built {
            Ok(output) if output.status.success() && cfg!(target_os = "linux") => Some(Shim { library }),
            _ if !cfg!(target_os = "linux") => {
                skip("no library can be preloaded here");
                None
            }
            other => {
                lacks(&format!("a C compiler that builds a library ({other:?})"));
                None
            }
        }
    }

    /// A command under the library, which looks at what happens below `folder`.
    pub(crate) fn command(&self, place: &Place, arguments: &str, folder: &str) -> Command {
        let mut command = place.command(arguments);
        command.env("LD_PRELOAD", &self.library).env("ONEFOLD_SHIM_DIR", place.path(folder));
        command
    }

    /// Steps that a command takes below `folder`.
    pub(crate) fn steps(&self, place: &Place, arguments: &str, folder: &str) -> u64 {
        let log = place.path("steps");
        let ran = self.command(place, arguments, folder).env("ONEFOLD_SHIM_STEPS", &log).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        let steps = fs_err::metadata(&log).expect("the library was loaded and counted steps").len();
        fs_err::remove_file(log).unwrap();
        steps
    }

    /// A command that gets a signal before step `at`.
    pub(crate) fn signalled(
        &self,
        place: &Place,
        arguments: &str,
        folder: &str,
        signal: u32,
        at: u64,
    ) -> Command {
        let mut command = self.command(place, arguments, folder);
        command.env("ONEFOLD_SHIM_SIGNAL", signal.to_string()).env("ONEFOLD_SHIM_AT", at.to_string());
        command
    }
}
