//! Where a run keeps what is not output yet: pieces, verdicts, spools, staged outputs.

use crate::against::Stamp;
use crate::error::Error;
use onefold_formats::source::Source;
use onefold_run::Plan;
use serde::{Deserialize, Serialize};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What a run can be resumed by: the same plan over the same inputs into the same outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) plan: Plan,
    pub(crate) annotate: bool,
    pub(crate) evidence: String,
    pub(crate) inputs: Vec<InputStamp>,
    /// The index the run is held against.
    #[serde(default)]
    pub(crate) against: Option<Stamp>,
}

/// An input as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InputStamp {
    /// The name in evidence: what is spooled lies elsewhere each time.
    pub(crate) name: String,
    pub(crate) size: u64,
    pub(crate) modified_ns: u128,
}

impl InputStamp {
    pub(crate) fn of(path: &Path, name: &str) -> Result<Self, Error> {
        let metadata = fs_err::metadata(path)?;
        let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified_ns = modified.map_or(0, |at| at.as_nanos());
        Ok(InputStamp { name: name.to_owned(), size: metadata.len(), modified_ns })
    }

    /// Fails where an input is not as it was when it was looked at: what was read of it may not be what is copied.
    pub(crate) fn check(stamps: &[InputStamp], sources: &[Source]) -> Result<(), Error> {
        for (then, source) in stamps.iter().zip(sources) {
            if InputStamp::of(&source.path, &source.name)? != *then {
                return Err(Error::InputChanged(source.name.clone()));
            }
        }
        Ok(())
    }
}

/// A run's working folder.
#[derive(Debug)]
pub(crate) struct Workdir {
    path: PathBuf,
    /// Held as long as the run goes on; the system lets go of it whatever ends the process.
    _lock: fs_err::File,
}

/// Name of the file that lists tables to be read whole.
const WHOLE_TABLES: &str = "whole-tables";
/// Name of the file that is locked.
const LOCK: &str = "lock";

impl Workdir {
    /// Whether a run was begun at this place.
    pub(crate) fn is_at(path: &Path) -> bool {
        path.join("run.json").exists()
    }

    /// Makes the folder where others may write, too, for its owner alone, or finds that it is such a one: its name can be foretold,
    /// and what somebody else put there, as a link to a file, would be written through.
    pub(crate) fn make_own(path: &Path) -> Result<(), Error> {
        if let Some(parent) = path.parent() {
            fs_err::create_dir_all(parent)?;
        }
        match fs_err::create_dir(path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => {
                made?;
                return Ok(fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o700))?);
            }
        }
        let about = fs_err::symlink_metadata(path)?;
        if about.is_dir() && about.uid() == rustix::process::geteuid().as_raw() {
            return Ok(());
        }
        Err(Error::NotOwn(path.to_owned()))
    }

    /// Opens the folder for a run. With `resume`, what an earlier run left is kept if it was the same run; without,
    /// it is cleared.
    pub(crate) fn open(path: &Path, identity: &Identity, resume: bool, output: &Path) -> Result<Self, Error> {
        fs_err::create_dir_all(path)?;
        let lock = lock(&path.join(LOCK), output)?;
        let stamp = path.join("run.json");
        let wanted = serde_json::to_vec(identity).map_err(std::io::Error::other)?;
        if resume && stamp.exists() {
            let found: Option<Identity> = serde_json::from_slice(&fs_err::read(&stamp)?).ok();
            let changed =
                |what: &str| Error::ResumeChanged { path: output.to_owned(), what: what.to_owned() };
            match found {
                None => return Err(changed("the program's version")),
                Some(found) if found.plan != identity.plan => return Err(changed("the plan")),
                Some(found) if found.inputs != identity.inputs => return Err(changed("an input")),
                Some(found) if found.against != identity.against => return Err(changed("the index")),
                Some(found) if found != *identity => return Err(changed("what is to be written")),
                Some(_) => return Ok(Workdir { path: path.to_owned(), _lock: lock }),
            }
        }
        clear(path)?;
        let temporary = path.join("run.tmp");
        fs_err::write(&temporary, wanted)?;
        fs_err::rename(&temporary, &stamp)?;
        Ok(Workdir { path: path.to_owned(), _lock: lock })
    }

    /// A folder for a listing, which cannot be resumed.
    pub(crate) fn passing(path: &Path, plan: &Plan) -> Result<Self, Error> {
        let identity = Identity {
            plan: plan.clone(),
            annotate: false,
            evidence: String::new(),
            inputs: Vec::new(),
            against: None,
        };
        Workdir::open(path, &identity, false, path)
    }

    /// A piece of a source.
    pub(crate) fn piece(&self, source: usize, number: usize) -> PathBuf {
        self.path.join(format!("piece-{source:06}-{number:06}"))
    }

    /// Tables that must be read with all their columns, by number of the source.
    pub(crate) fn whole_tables(&self) -> Result<Vec<usize>, Error> {
        match fs_err::read(self.file(WHOLE_TABLES)) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).map_err(std::io::Error::other)?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Marks a table to be read again with all its columns, and lets go of what was decided without.
    pub(crate) fn read_whole(&self, source: usize) -> Result<(), Error> {
        let mut whole = self.whole_tables()?;
        whole.push(source);
        // First what is wrong goes: a run that is stopped here finds the damage once more.
        remove_if_there(&self.file("verdicts"))?;
        let mut number = 0;
        while remove_if_there(&self.piece(source, number))? {
            number += 1;
        }
        let (temporary, bytes) = (self.file("whole.tmp"), serde_json::to_vec(&whole));
        fs_err::write(&temporary, bytes.map_err(std::io::Error::other)?)?;
        Ok(fs_err::rename(temporary, self.file(WHOLE_TABLES))?)
    }

    /// A file of this folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Removes the folder and all in it; first what makes it a run to resume.
    pub(crate) fn remove(self) -> Result<(), Error> {
        fs_err::remove_file(self.path.join("run.json"))?;
        Ok(fs_err::remove_dir_all(&self.path)?)
    }
}

/// Opens and locks a file, which the system lets go of whatever ends the process.
pub(crate) fn lock(path: &Path, output: &Path) -> Result<fs_err::File, Error> {
    let file = fs_err::File::create(path)?;
    match file.file().try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::OutputBusy(output.to_owned())),
        // A file system without locks cannot tell of another run.
        Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(file),
    }
}

/// Removes a file; says whether there was one.
fn remove_if_there(path: &Path) -> Result<bool, Error> {
    match fs_err::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Removes all in a working folder but its lock.
fn clear(path: &Path) -> Result<(), Error> {
    for entry in fs_err::read_dir(path)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs_err::remove_dir_all(entry.path())?;
        } else if entry.file_name() != LOCK {
            fs_err::remove_file(entry.path())?;
        }
    }
    Ok(())
}
