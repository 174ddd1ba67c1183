//! What the user named, looked at: sources to read, and what cannot be read.

use crate::error::Error;
use onefold_formats::BadRecord;
use onefold_formats::inputs::{Input, Inputs};
use onefold_formats::source::{Fields, Look, Source};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Which inputs a job reads.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Files, folders and patterns, in order; `-` is where standard input stands among them.
    pub paths: Vec<PathBuf>,
    /// Files that list more of them.
    pub lists: Vec<PathBuf>,
    /// Standard input, already spooled.
    pub spooled: Option<Spooled>,
}

/// Standard input in a file, since it is read more than once.
#[derive(Clone, Debug)]
pub struct Spooled {
    path: PathBuf,
}

impl Spooled {
    /// Copies `reader` into `folder`.
    pub fn read(mut reader: impl Read, folder: &Path) -> Result<Self, Error> {
        fs_err::create_dir_all(folder)?;
        let path = folder.join(format!("onefold-stdin-{}", std::process::id()));
        let mut file = fs_err::File::create(&path)?;
        std::io::copy(&mut reader, &mut file)?;
        file.flush()?;
        Ok(Spooled { path })
    }

    /// Removes the file.
    pub fn remove(self) -> Result<(), Error> {
        Ok(fs_err::remove_file(&self.path)?)
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) sources: Vec<Source>,
    pub(crate) bad: Vec<(String, BadRecord)>,
    pub(crate) notes: Vec<String>,
}

impl Selection {
    pub(crate) fn look(&self, fields: &Fields) -> Result<Found, Error> {
        let mut inputs = Inputs::default();
        for path in &self.paths {
            match &self.spooled {
                Some(spooled) if path == Path::new("-") => {
                    inputs.files.push(Input { path: spooled.path.clone(), relative: PathBuf::from("stdin") });
                }
                _ => inputs.add(path)?,
            }
        }
        for list in &self.lists {
            inputs.add_list(list)?;
        }
        inputs.tell_apart();
        let mut found = Found::default();
        for (path, bad) in inputs.bad {
            found.bad.push((path.display().to_string(), bad));
        }
        for Input { path, relative } in inputs.files {
            let is_stdin = self.spooled.as_ref().is_some_and(|spooled| spooled.path == path);
            let name = if is_stdin { "-".to_owned() } else { path.display().to_string() };
            match Source::look(&path, &name, &relative, fields)? {
                Look::Source(source) => found.sources.push(source),
                Look::Empty => found.notes.push(format!("{name}: empty file")),
                Look::Bad(bad) => found.bad.push((name, bad)),
            }
        }
        Ok(found)
    }
}
