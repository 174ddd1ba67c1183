//! What the user named, as a list of files in a stated order.
//!
//! Inputs come in the order given. A folder is walked recursively in byte order of names, a pattern's matches in
//! byte order of paths, a list of paths line by line.

mod names;
mod pattern;

use crate::bad::{BadKind, BadRecord};
use crate::error::Error;
pub use names::{name_of, paths_of};
use pattern::Matches;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where it is.
    pub path: PathBuf,
    /// Its name below the output folder.
    pub relative: PathBuf,
}

/// What naming inputs led to.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The files.
    pub files: Vec<Input>,
    /// Files and folders that may not be read.
    pub bad: Vec<(PathBuf, BadRecord)>,
    /// What is left aside and is no fault: a folder without files, what in a folder is no file.
    pub notes: Vec<String>,
    /// Files and folders that are passed over where a folder has them.
    own: Vec<PathBuf>,
}

/// Folder in which a run keeps what is not output yet.
pub const WORKING: &str = ".onefold";

impl Inputs {
    /// Nothing yet, and nothing of these paths when folders are walked: what a run writes is no input of it.
    pub fn without(own: &[PathBuf]) -> Self {
        let own = own.iter().filter_map(|path| path.canonicalize().ok());
        Inputs { own: own.collect(), ..Inputs::default() }
    }

    /// Adds a file, a folder or a pattern.
    pub fn add(&mut self, named: &Path) -> Result<(), Error> {
        if named.is_dir() {
            let before = (self.files.len(), self.bad.len());
            self.walk(named, named)?;
            if (self.files.len(), self.bad.len()) == before {
                self.notes.push(format!("{}: no files in this folder", named.display()));
            }
            return Ok(());
        }
        if named.exists() || named.symlink_metadata().is_ok() {
            let relative = named.file_name().map_or_else(|| PathBuf::from("input"), PathBuf::from);
            self.files.push(Input { path: named.to_owned(), relative });
            return Ok(());
        }
        if let Some(pattern) = named.to_str().filter(|named| pattern::is_pattern(named)) {
            return self.add_matches(pattern);
        }
        match named.symlink_metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                self.bad.push((named.to_owned(), BadRecord::new(BadKind::Permission, error.to_string())));
                Ok(())
            }
            _ => Err(Error::NotFound(named.to_owned())),
        }
    }

    fn add_matches(&mut self, pattern: &str) -> Result<(), Error> {
        let Matches { paths: mut matches, bad, links } = pattern::find(pattern)
            .map_err(|error| Error::Pattern { pattern: pattern.into(), message: error.to_string() })?;
        if matches.is_empty() && bad.is_empty() {
            return Err(Error::NoMatch(pattern.into()));
        }
        let from = self.bad.len();
        let bad = bad.into_iter();
        self.bad
            .extend(bad.map(|(path, error)| (path, BadRecord::new(BadKind::Permission, error.to_string()))));
        self.notes.extend(links.iter().map(|link| aside(link, "a link to a folder")));
        matches.sort_by(|a, b| a.as_os_str().as_bytes().cmp(b.as_os_str().as_bytes()));
        // Names below the output keep what the matches do not share.
        let base: PathBuf = Path::new(pattern)
            .components()
            .take_while(|part| !pattern::is_pattern(&part.as_os_str().to_string_lossy()))
            .collect();
        // Nothing is read twice: `**` may match a path in two ways, and what is in a folder that matches, too.
        matches.dedup();
        let mut walked = BTreeSet::new();
        for path in matches {
            if path.ancestors().skip(1).any(|above| walked.contains(above)) {
                continue;
            }
            if path.is_dir() {
                self.walk(&path, &base)?;
                walked.insert(path);
            } else {
                self.found(path, &base)?;
            }
        }
        // What was not seen on the way may match, and is then not seen again.
        let mut told = BTreeSet::new();
        let mut number = 0;
        self.bad.retain(|(path, _)| {
            number += 1;
            number <= from || told.insert(path.clone())
        });
        Ok(())
    }

    fn walk(&mut self, folder: &Path, base: &Path) -> Result<(), Error> {
        let entries = match fs_err::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                self.bad.push((folder.to_owned(), BadRecord::new(BadKind::Permission, error.to_string())));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let mut names =
            entries.map(|entry| entry.map(|e| e.file_name())).collect::<Result<Vec<OsString>, _>>()?;
        names.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
        names.into_iter().try_for_each(|name| self.found(folder.join(name), base))
    }

    /// Takes what a folder or a pattern led to.
    fn found(&mut self, path: PathBuf, base: &Path) -> Result<(), Error> {
        let linked = path.is_symlink();
        let metadata = match path.metadata() {
            Ok(metadata) => metadata,
            Err(error) => {
                let message = match error.kind() {
                    std::io::ErrorKind::NotFound if linked => "a link to nothing".to_owned(),
                    _ if linked => format!("a link that cannot be followed: {error}"),
                    _ => error.to_string(),
                };
                self.bad.push((path, BadRecord::new(BadKind::Permission, message)));
                return Ok(());
            }
        };
        if self.is_own(&path) || (metadata.is_dir() && path.ends_with(WORKING)) {
            self.notes.push(aside(&path, "what a run writes"));
        } else if metadata.is_dir() && !linked {
            // A link to a folder may lead back here.
            self.walk(&path, base)?;
        } else if metadata.is_file() {
            let relative = path.strip_prefix(base).unwrap_or(&path).to_owned();
            self.files.push(Input { path, relative });
        } else {
            let what = if metadata.is_dir() { "a link to a folder" } else { "a pipe, socket or device" };
            self.notes.push(aside(&path, what));
        }
        Ok(())
    }

    fn is_own(&self, path: &Path) -> bool {
        let named = |own: &&PathBuf| own.file_name() == path.file_name();
        self.own.iter().filter(named).any(|own| path.canonicalize().is_ok_and(|path| path == *own))
    }

    /// Gives inputs of one name different names below the output: `a.jsonl`, `a.2.jsonl`, …
    pub fn tell_apart(&mut self) {
        for file in &mut self.files {
            // Names that climb out of the output folder lose their dots.
            let clean: PathBuf =
                file.relative.components().filter(|c| matches!(c, std::path::Component::Normal(_))).collect();
            file.relative = clean;
        }
        // A name that is a folder above another cannot be a file.
        let above = |file: &Input| file.relative.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>();
        let mut taken: BTreeSet<PathBuf> = self.files.iter().flat_map(above).collect();
        for file in &mut self.files {
            let mut number = 2;
            let original = file.relative.clone();
            while !taken.insert(file.relative.clone()) {
                let name = original.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let (stem, ending) = name.split_once('.').unwrap_or((&name, ""));
                let ending =
                    if ending.is_empty() { format!(".{number}") } else { format!(".{number}.{ending}") };
                // Of names as long as they may be, what stands in front is shortened.
                let most = LONGEST_NAME.saturating_sub(ending.len()).min(stem.len());
                let cut = (0..=most).rev().find(|&at| stem.is_char_boundary(at)).unwrap_or(0);
                file.relative = original.with_file_name(stem[..cut].to_owned() + &ending);
                number += 1;
            }
        }
    }
}

/// Bytes that a file system allows a name.
const LONGEST_NAME: usize = 255;

/// The note of what is found in a folder and not read.
fn aside(path: &Path, what: &str) -> String {
    format!("{}: {what} in a folder, left aside", path.display())
}

/// The paths of a list, one a line; they are relative to the current folder. There are no comments: what starts with `#` is a
/// path, too. Blanks around a path belong to it if there is such a file.
pub fn listed(list: &[u8]) -> Vec<PathBuf> {
    let path = |line: &[u8]| {
        let whole = PathBuf::from(OsStr::from_bytes(line));
        if whole.exists() { whole } else { PathBuf::from(OsStr::from_bytes(line.trim_ascii())) }
    };
    // Editors put a mark in front that is no part of a name.
    let list = list.strip_prefix(b"\xef\xbb\xbf").unwrap_or(list);
    list.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_walked_in_byte_order_and_equal_names_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b/x.jsonl", "a/x.jsonl", "B.jsonl", "a.jsonl"] {
            let path = dir.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "x").unwrap();
        }
        let mut inputs = Inputs::default();
        inputs.add(dir.path()).unwrap();
        inputs.add(&dir.path().join("a.jsonl")).unwrap();
        inputs.add(&dir.path().join("*.jsonl")).unwrap();
        inputs.tell_apart();
        let names: Vec<_> = inputs.files.iter().map(|f| f.relative.to_str().unwrap()).collect();
        assert_eq!(
            names,
            ["B.jsonl", "a/x.jsonl", "a.jsonl", "b/x.jsonl", "a.2.jsonl", "B.2.jsonl", "a.3.jsonl"]
        );
        let mut inputs = Inputs::default();
        inputs.add(&dir.path().join("**/**/*")).unwrap();
        assert_eq!(inputs.files.len(), 4, "each file once: {inputs:?}");
        assert!(matches!(inputs.add(&dir.path().join("none")), Err(Error::NotFound(_))));
        assert!(matches!(inputs.add(&dir.path().join("*.none")), Err(Error::NoMatch(_))));
    }
    #[test]
    fn a_name_above_another_becomes_a_file_of_another_name() {
        let input = |relative: &str| Input { path: relative.into(), relative: relative.into() };
        let mut inputs =
            Inputs { files: vec![input("a"), input("a/b"), input("a.2"), input("c")], ..Inputs::default() };
        inputs.tell_apart();
        let names: Vec<_> = inputs.files.iter().map(|f| f.relative.to_str().unwrap()).collect();
        assert_eq!(names, ["a.2", "a/b", "a.2.2", "c"]);
    }
}
