//! Where the inputs of a finished run are now.
//!
//! A run knows its inputs by the names they were given under, which often are relative to the folder it was started in.
//! That folder is not recorded, so that the same job leaves the same bytes wherever it runs; but it is mostly the current
//! one or lies above the run's own, and stays there when all is moved together.

use crate::manifest::{Manifest, ManifestError};
use onefold_formats::inputs::paths_of;
use std::path::{Path, PathBuf};

impl Manifest {
    /// The file that an input of the run in the folder `run` is: below the current folder, or below one above `run`. Of
    /// several, one of the size that was read.
    pub fn locate(&self, run: &Path, name: &str) -> Result<PathBuf, ManifestError> {
        let is_absolute = Path::new(name).is_absolute();
        let absolute = std::path::absolute(run)?;
        let above = absolute.ancestors().skip(1).filter(|_| !is_absolute);
        let folders = std::iter::once(Path::new("")).chain(above);
        let found: Vec<PathBuf> = folders
            .flat_map(|folder| paths_of(name).map(|given| folder.join(given)))
            .filter(|path| path.exists())
            .collect();
        let size = self.inputs.iter().find(|input| input.source == name).map(|input| input.size);
        let same = |path: &&PathBuf| fs_err::metadata(path).is_ok_and(|about| Some(about.len()) == size);
        match found.iter().find(same).or(found.first()) {
            Some(path) => Ok(path.clone()),
            None if is_absolute => Err(ManifestError::InputGone { name: name.into() }),
            None => Err(ManifestError::InputElsewhere { name: name.into(), run: run.to_owned() }),
        }
    }
}
