//! What the user named, looked at: sources to read, and what cannot be read.

use crate::error::Error;
use crate::progress::Progress;
use onefold_formats::BadRecord;
use onefold_formats::inputs::{Input, Inputs, name_of};
use onefold_formats::source::{Fields, Look, Source};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Which inputs a job reads.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Files, folders, patterns, and names of what is spooled, in order.
    pub paths: Vec<PathBuf>,
    /// What of them is no file, already spooled.
    pub spooled: Vec<Spooled>,
}

/// What is no file, in files, since it is read more than once.
#[derive(Clone, Debug)]
pub struct Spooled {
    /// What the user named it by.
    pub named: PathBuf,
    /// Where it is now.
    pub files: Vec<SpooledFile>,
}

/// One file of what is spooled.
#[derive(Clone, Debug)]
pub struct SpooledFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its name in evidence.
    pub name: String,
    /// Its name below the output folder.
    pub relative: PathBuf,
}

impl Spooled {
    /// Copies standard input into `folder`, which nobody else writes into; it is known as `-`.
    pub fn standard_input(reader: impl Read, folder: &Path) -> Result<Self, Error> {
        let path = folder.join("onefold-stdin");
        Self::copied(reader, path, "-".as_ref(), "stdin".as_ref())
    }

    /// Copies what comes out of a pipe, which can be read once, into `folder`; it is known by its name.
    pub fn pipe(named: &Path, folder: &Path) -> Result<Self, Error> {
        let relative = named.file_name().map_or_else(|| "pipe".as_ref(), Path::new);
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("onefold-pipe-{number}"));
        Self::copied(fs_err::File::open(named)?, path, named, relative)
    }

    fn copied(mut reader: impl Read, path: PathBuf, named: &Path, relative: &Path) -> Result<Self, Error> {
        if let Some(folder) = path.parent() {
            fs_err::create_dir_all(folder)?;
        }
        let mut file = fs_err::OpenOptions::new().write(true).create_new(true).open(&path)?;
        std::io::copy(&mut reader, &mut file)?;
        file.flush()?;
        let file = SpooledFile { path, name: name_of(named), relative: relative.to_owned() };
        Ok(Spooled { named: named.to_owned(), files: vec![file] })
    }
}

/// A word on files that are named more than once: they are read each time, and copies of themselves.
fn named_twice(files: &[Input]) -> Option<String> {
    let mut seen: HashSet<PathBuf> = HashSet::with_capacity(files.len());
    let paths = files.iter().map(|file| file.path.components().collect::<PathBuf>());
    let twice: BTreeSet<PathBuf> = paths.filter(|path| !seen.insert(path.clone())).collect();
    let first = twice.first()?;
    let more = match twice.len() - 1 {
        0 => String::new(),
        1 => " and another".to_owned(),
        more => format!(" and {more} others"),
    };
    Some(format!("{}{more}: named more than once, and read each time", name_of(first)))
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) sources: Vec<Source>,
    pub(crate) unread: Vec<Unread>,
    pub(crate) bad: Vec<BadFile>,
    pub(crate) notes: Vec<String>,
}

/// A file or folder that is bad as a whole.
#[derive(Clone, Debug)]
pub(crate) struct BadFile {
    /// Its name in evidence.
    pub(crate) name: String,
    /// Bytes of a file.
    pub(crate) size: u64,
    pub(crate) bad: BadRecord,
}

impl BadFile {
    /// What is told of it where the first bad record is.
    pub(crate) fn told(&self) -> String {
        format!("{}: {}", self.name, self.bad.message)
    }
}

/// A file without anything to read, or one that is bad as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Unread {
    pub(crate) path: PathBuf,
    /// Its name in evidence.
    pub(crate) name: String,
    pub(crate) size: u64,
    /// Sources named before it.
    pub(crate) sources_before: usize,
    pub(crate) is_bad: bool,
}

impl Found {
    /// Tells the notes at once, where there is no manifest to put them into.
    pub(crate) fn tell_notes(&self, progress: &dyn Progress) {
        self.notes.iter().for_each(|note| progress.note(note));
    }

    /// All inputs in order, by name, path and size.
    pub(crate) fn files(&self) -> Vec<(&str, &Path, u64)> {
        let sources = self.sources.iter().enumerate();
        let sources = sources.map(|(at, source)| ((at, 1), (&*source.name, &*source.path, source.size)));
        let unread = self.unread.iter();
        let unread = unread.map(|file| ((file.sources_before, 0), (&*file.name, &*file.path, file.size)));
        let mut files: Vec<_> = unread.chain(sources).collect();
        files.sort_by_key(|(place, _)| *place);
        files.into_iter().map(|(_, file)| file).collect()
    }

    fn add_blank(&mut self, path: PathBuf, name: String, how: &str) -> Result<(), Error> {
        self.notes.push(format!("{name}: {how} file"));
        self.add_unread(path, name, false).map(|_| ())
    }

    fn add_bad(&mut self, path: PathBuf, name: String, bad: BadRecord) -> Result<(), Error> {
        let size = self.add_unread(path, name.clone(), true)?;
        self.bad.push(BadFile { name, size, bad });
        Ok(())
    }

    fn add_unread(&mut self, path: PathBuf, name: String, is_bad: bool) -> Result<u64, Error> {
        let (size, sources_before) = (fs_err::metadata(&path)?.len(), self.sources.len());
        self.unread.push(Unread { path, name, size, sources_before, is_bad });
        Ok(size)
    }
}

impl Selection {
    /// The files that are named, in order, and the names of those that something was spooled into.
    pub fn files(&self) -> Result<(Inputs, BTreeMap<&Path, &str>), Error> {
        self.files_without(&[])
    }

    fn files_without(&self, own: &[PathBuf]) -> Result<(Inputs, BTreeMap<&Path, &str>), Error> {
        let mut inputs = Inputs::without(own);
        let mut names = BTreeMap::new();
        for path in &self.paths {
            let Some(spooled) = self.spooled.iter().find(|spooled| spooled.named == *path) else {
                inputs.add(path)?;
                continue;
            };
            for SpooledFile { path, name, relative } in &spooled.files {
                names.insert(path.as_path(), name.as_str());
                inputs.files.push(Input { path: path.clone(), relative: relative.clone() });
            }
        }
        Ok((inputs, names))
    }

    pub(crate) fn look(&self, fields: &Fields) -> Result<Found, Error> {
        self.look_without(fields, &[])
    }

    /// The same for a run that writes `own`, which may lie in a folder that it reads.
    pub(crate) fn look_without(&self, fields: &Fields, own: &[PathBuf]) -> Result<Found, Error> {
        let (mut inputs, names) = self.files_without(own)?;
        inputs.notes.extend(named_twice(&inputs.files));
        inputs.tell_apart();
        let mut found = Found { notes: inputs.notes, ..Found::default() };
        if self.paths.is_empty() {
            found.notes.push("no input: the list of --files-from is empty".into());
        }
        for (path, bad) in inputs.bad {
            found.bad.push(BadFile { name: name_of(&path), size: 0, bad });
        }
        for Input { path, relative } in inputs.files {
            let name = names.get(path.as_path()).map_or_else(|| name_of(&path), |&name| name.to_owned());
            match Source::look(&path, &name, &relative, fields)? {
                Look::Source(source) => found.sources.push(source),
                Look::Empty => found.add_blank(path, name, "empty")?,
                Look::Blank => found.add_blank(path, name, "blank")?,
                Look::Bad(bad) => found.add_bad(path, name, bad)?,
            }
        }
        Ok(found)
    }
}
