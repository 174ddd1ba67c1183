//! What a pattern matches, folder by folder, so that what may not be read on the way is told and not passed over.
//!
//! `*`, `?` and `[…]` stand for parts of one name, `**` for any number of folders. As in a walk, links to folders are not
//! gone into by `**`. Names that are no UTF-8 match by what can be read of them. As in a shell, a name with a dot in front
//! matches only where the pattern has one, too.

use glob::{MatchOptions, Pattern, PatternError};
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a pattern led to.
#[derive(Debug, Default)]
pub(super) struct Matches {
    /// Files and folders that match, in byte order of names, folder by folder.
    pub(super) paths: Vec<PathBuf>,
    /// What could not be looked at.
    pub(super) bad: Vec<(PathBuf, std::io::Error)>,
    /// Links to folders that were not gone into.
    pub(super) links: Vec<PathBuf>,
}

enum Part {
    Name(OsString),
    Names(Pattern),
    Folders,
}

/// Whether a part of a path stands for more than itself.
pub(super) fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

fn matches(pattern: &Pattern, name: &OsStr) -> bool {
    let options = MatchOptions { require_literal_leading_dot: true, ..MatchOptions::new() };
    pattern.matches_with(&name.to_string_lossy(), options)
}

/// A folder by a name that the system knows.
fn here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Finds what a pattern matches.
pub(super) fn find(pattern: &str) -> Result<Matches, PatternError> {
    let mut parts = Vec::new();
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        parts.push(match part {
            "**" => Part::Folders,
            part if is_pattern(part) => Part::Names(Pattern::new(part)?),
            part => Part::Name(part.into()),
        });
    }
    let mut matches = Matches::default();
    matches.below(Path::new(if pattern.starts_with('/') { "/" } else { "" }), &parts);
    Ok(matches)
}

impl Matches {
    fn below(&mut self, folder: &Path, parts: &[Part]) {
        let Some((part, rest)) = parts.split_first() else {
            self.paths.push(folder.to_owned());
            return;
        };
        match part {
            Part::Name(name) => {
                let path = folder.join(name);
                match path.symlink_metadata() {
                    Ok(_) => self.below(&path, rest),
                    Err(error) => self.not_seen(path, error),
                }
            }
            Part::Names(pattern) => {
                for name in self.names(folder) {
                    let path = folder.join(&name);
                    if matches(pattern, &name) && (rest.is_empty() || path.is_dir()) {
                        self.below(&path, rest);
                    }
                }
            }
            // A folder that matches is walked as a whole.
            Part::Folders if rest.is_empty() => self.paths.push(here(folder).to_owned()),
            Part::Folders => {
                self.below(folder, rest);
                let shown = self.names(folder).into_iter().filter(|name| !name.as_bytes().starts_with(b"."));
                for path in shown.map(|name| folder.join(name)) {
                    match path.symlink_metadata() {
                        Ok(metadata) if metadata.is_dir() => self.below(&path, parts),
                        Ok(metadata) if metadata.is_symlink() && path.is_dir() => self.links.push(path),
                        Ok(_) => {}
                        Err(error) => self.not_seen(path, error),
                    }
                }
            }
        }
    }

    /// The names in a folder, in byte order.
    fn names(&mut self, folder: &Path) -> Vec<OsString> {
        let listed = fs_err::read_dir(here(folder))
            .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.file_name())).collect());
        let mut names: Vec<OsString> = match listed {
            Ok(names) => names,
            Err(error) => {
                self.not_seen(folder.to_owned(), error);
                Vec::new()
            }
        };
        names.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
        names
    }

    /// What is not there, or no folder, does not match; all else is told, once.
    fn not_seen(&mut self, path: PathBuf, error: std::io::Error) {
        let is_absent = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
        if !is_absent && !self.bad.iter().any(|(known, _)| *known == path) {
            self.bad.push((path, error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn names_of_any_bytes_match_and_links_to_folders_are_left_aside_by_stars() {
        let dir = tempfile::tempdir().unwrap();
        let names = [b"a/x.jsonl".as_slice(), b"a/bad\xff.jsonl", b"a/b/x.jsonl", b"c/x.jsonl", b"x.jsonl"];
        let hidden = [b"a/.x.jsonl".as_slice(), b".a/x.jsonl"];
        for name in names.into_iter().chain(hidden) {
            let path = dir.path().join(OsStr::from_bytes(name));
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "x").unwrap();
        }
        std::os::unix::fs::symlink("..", dir.path().join("a/up")).unwrap();
        let found = |pattern: &str| -> (Vec<Vec<u8>>, usize) {
            let matches = find(&format!("{}/{pattern}", dir.path().display())).unwrap();
            assert!(matches.bad.is_empty());
            let below =
                |path: &PathBuf| path.strip_prefix(dir.path()).unwrap().as_os_str().as_bytes().to_vec();
            (matches.paths.iter().map(below).collect(), matches.links.len())
        };
        let of = |names: &[&[u8]]| names.iter().map(|name| name.to_vec()).collect::<Vec<_>>();
        assert_eq!(found("a/*.jsonl"), (of(&[b"a/bad\xff.jsonl", b"a/x.jsonl"]), 0));
        assert_eq!(found("*/x.jsonl"), (of(&[b"a/x.jsonl", b"c/x.jsonl"]), 0));
        assert_eq!(found("[ab]/*/x.jsonl"), (of(&[b"a/b/x.jsonl", b"a/up/x.jsonl"]), 0));
        let all = of(&[b"x.jsonl", b"a/x.jsonl", b"a/b/x.jsonl", b"c/x.jsonl"]);
        assert_eq!(found("**/x.jsonl"), (all, 1));
        assert_eq!(found("a/.*.jsonl"), (of(&[b"a/.x.jsonl"]), 0));
        assert_eq!(found(".*/*"), (of(&[b".a/x.jsonl"]), 0));
        assert_eq!(found("a/**"), (of(&[b"a"]), 0));
        for none in ["*.none", "A/*", "[A-Z]/*", "*.JSONL"] {
            assert_eq!(found(none), (Vec::new(), 0), "{none}");
        }
        assert_eq!(find("**").unwrap().paths, [Path::new(".")]);
        assert!(find("a/[").is_err());
    }
}
