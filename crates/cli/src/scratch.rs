//! A folder for what is spooled on its way in or out.

use crate::args::MachineArgs;
use crate::terminal::escape;
use anyhow::{Context, Result, bail};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use tempfile::TempDir;

/// Folders that are there, for an interrupt that ends the process at once.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// So often is a folder removed into which other threads may still write.
const TRIES: usize = 5;

/// A folder that nobody else has, made when it is first asked for and removed in the end. Its name is new and its owner alone
/// may look into it: processes of other hosts and containers that share the place have the same numbers.
pub(crate) struct Scratch {
    place: PathBuf,
    made: OnceLock<TempDir>,
}

impl Scratch {
    /// A folder in that for temporary files.
    pub(crate) fn new(machine: &MachineArgs) -> Result<Self> {
        Ok(Scratch::within(temp_folder(machine)?.unwrap_or_else(std::env::temp_dir)))
    }

    fn within(place: PathBuf) -> Self {
        Scratch { place, made: OnceLock::new() }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> Result<&Path> {
        if self.made.get().is_none() {
            fs_err::create_dir_all(&self.place)?;
            let own = Permissions::from_mode(0o700);
            // Held until it is listed: an interrupt that comes meanwhile waits for it.
            let mut all = MADE.lock().unwrap_or_else(PoisonError::into_inner);
            let made = tempfile::Builder::new().prefix("onefold-").permissions(own).tempdir_in(&self.place);
            let made =
                made.with_context(|| format!("failed to create a folder in `{}`", self.place.display()))?;
            all.push(made.path().to_owned());
            drop(all);
            // Of two threads that ask first, one has made a folder for nothing.
            let _ = self.made.set(made);
        }
        Ok(self.made.get().expect("a folder because one was just made").path())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(made) = self.made.take() {
            let path = made.path().to_owned();
            // Whatever goes wrong here, the result of the command is what it is.
            let _ = made.close();
            MADE.lock().unwrap_or_else(PoisonError::into_inner).retain(|known| *known != path);
        }
    }
}

/// Removes what is there, where the process ends at once.
pub(crate) fn remove_all() {
    for path in std::mem::take(&mut *MADE.lock().unwrap_or_else(PoisonError::into_inner)) {
        let _ = (0..TRIES).find(|_| fs_err::remove_dir_all(&path).is_ok());
    }
}

/// The folder for temporary files, if one is named; it need not be there yet.
pub(crate) fn temp_folder(machine: &MachineArgs) -> Result<Option<PathBuf>> {
    let temp = machine.temp.clone();
    let file = temp.as_deref().and_then(|temp| temp.ancestors().find(|path| path.exists()));
    if let (Some(temp), Some(file)) = (&temp, file.filter(|path| !path.is_dir())) {
        let [temp, file] = [temp.as_path(), file].map(|path| escape(&path.to_string_lossy()));
        bail!("--temp {temp}: expected a folder, found the file {file}");
    }
    Ok(temp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_another_for_its_owner_alone_and_gone_in_the_end() {
        let place = tempfile::tempdir().unwrap();
        let [first, second] = [0, 1].map(|_| Scratch::within(place.path().join("temp")));
        assert!(!place.path().join("temp").exists(), "nothing is made that is not asked for");
        let paths = [&first, &second].map(|scratch| scratch.path().unwrap().to_owned());
        assert_ne!(paths[0], paths[1]);
        assert_eq!(first.path().unwrap(), paths[0]);
        for path in &paths {
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
        drop((first, second));
        assert!(paths.iter().all(|path| !path.exists()));
    }
}
