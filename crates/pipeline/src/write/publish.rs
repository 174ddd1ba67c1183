//! Where outputs are made, who may make them, and how they come to their place.

use crate::error::Error;
use crate::job::{EvidenceFormat, Job};
use crate::workdir::{Workdir, lock};
use onefold_formats::inputs::WORKING;
use onefold_run::Manifest;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Folder of the output that holds what is not output yet.
pub(crate) const STAGING: &str = WORKING;
/// Lists in the working folder what is staged, once everything is.
const PUBLISHING: &str = "publishing";
/// Tables of evidence; the last one is there only where it has rows.
const TABLES: [&str; 4] = ["removed", "clusters", "bad", "needs"];
const ALWAYS: usize = 3;

/// Keeps other runs from writing at the same place, wherever their working folders are.
pub(crate) struct OutputLock {
    folder: PathBuf,
    path: PathBuf,
    _file: fs_err::File,
}

impl OutputLock {
    /// Takes the lock, or says that another run has it.
    pub(crate) fn take(output: &Path) -> Result<Self, Error> {
        let folder = output.join(STAGING);
        fs_err::create_dir_all(&folder)?;
        let path = folder.join("lock");
        let file = lock(&path, output)?;
        // The run that had it may have removed it just then, and a third one have made another.
        let is_there = fs_err::metadata(&path).is_ok_and(|there| {
            file.metadata().is_ok_and(|held| (there.dev(), there.ino()) == (held.dev(), held.ino()))
        });
        if !is_there {
            return Err(Error::OutputBusy(output.to_owned()));
        }
        Ok(OutputLock { folder, path, _file: file })
    }

    /// Lets go of it after a failure; folders that hold nothing else go.
    pub(crate) fn release(self) {
        let _ = fs_err::remove_file(&self.path);
        let emptied = fs_err::remove_dir(&self.folder);
        if let (Ok(()), Some(output)) = (emptied, self.folder.parent()) {
            let _ = fs_err::remove_dir(output);
        }
    }
}

/// Everything a run may leave in its output folder.
pub(super) fn written(output: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = ["manifest.json", "kept", STAGING].map(|name| output.join(name)).into();
    for ending in [EvidenceFormat::Jsonl, EvidenceFormat::Parquet].map(EvidenceFormat::ending) {
        all.extend(TABLES.map(|table| output.join(format!("{table}.{ending}"))));
    }
    all
}

/// What of an output folder and of a working folder is a run's own. Where no run is known to have written there, it may be
/// anybody's but for its name.
pub(crate) fn own(output: &Path, place: &Path) -> Vec<PathBuf> {
    let mut own = vec![output.join(STAGING), place.to_owned()];
    if place.join(PUBLISHING).exists() || Manifest::read(output).is_ok() {
        own.extend(written(output));
    }
    own
}

pub(super) fn staged(output: &Path) -> PathBuf {
    output.join(STAGING).join("out")
}

/// Removes what another run staged.
pub(crate) fn clear_staged(output: &Path) -> Result<(), Error> {
    remove(&staged(output))
}

/// Removes half-written output after an error; what a resumed run can use stays.
pub(crate) fn discard_staged(workdir: &Workdir, output: &Path, error: &Error) {
    if !matches!(error, Error::Interrupted) && !workdir.file(PUBLISHING).exists() {
        // The error at hand is the one worth telling.
        let _ = clear_staged(output);
    }
}

/// Whether an earlier run had staged everything and begun to move it to its place.
pub(crate) fn publishing(workdir: &Workdir, output: &Path) -> Result<bool, Error> {
    let begun = workdir.file(PUBLISHING).exists();
    Ok(begun && (staged(output).join("manifest.json").exists() || output.join("manifest.json").exists()))
}

/// Moves what is staged to its place, the manifest last: where it is, all is. Goes on where an earlier attempt ended.
pub(crate) fn publish(job: &Job<'_>, workdir: &Workdir, output: &Path) -> Result<(), Error> {
    let staged = staged(output);
    let names = match fs_err::read_to_string(workdir.file(PUBLISHING)) {
        Ok(names) if !names.is_empty() => names.lines().map(str::to_owned).collect(),
        _ => list(job, workdir, &staged)?,
    };
    if staged.join("manifest.json").exists() {
        remove(&output.join("manifest.json"))?;
    }
    // Only a run that was told to overwrite comes here with another one's output in place.
    for old in written(output) {
        if !names.iter().any(|name| old.ends_with(name)) && !old.ends_with(STAGING) {
            remove(&old)?;
        }
    }
    for name in &names {
        let (from, to) = (staged.join(name), output.join(name));
        // What is not there any more was moved by an earlier attempt.
        if from.exists() || !to.exists() {
            remove(&to)?;
            fs_err::rename(from, to)?;
        }
    }
    Ok(())
}

/// Lists what is staged, for the case that moving it is interrupted.
fn list(job: &Job<'_>, workdir: &Workdir, staged: &Path) -> Result<Vec<String>, Error> {
    let ending = job.switches.evidence.ending();
    let mut names = vec!["kept".to_owned()];
    for (number, table) in TABLES.iter().enumerate() {
        let name = format!("{table}.{ending}");
        if number < ALWAYS || staged.join(&name).exists() {
            names.push(name);
        }
    }
    names.push("manifest.json".to_owned());
    let temporary = workdir.file("publishing.tmp");
    fs_err::write(&temporary, names.join("\n"))?;
    fs_err::rename(temporary, workdir.file(PUBLISHING))?;
    Ok(names)
}

fn remove(path: &Path) -> Result<(), Error> {
    match path.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(metadata) if metadata.is_dir() => Ok(fs_err::remove_dir_all(path)?),
        Ok(_) => Ok(fs_err::remove_file(path)?),
    }
}
