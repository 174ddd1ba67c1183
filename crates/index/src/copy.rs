//! Backups, and one index into another.

use crate::error::Error;
use crate::index::{Index, Options, lock};
use crate::row::Evidence;
use crate::settings::Settings;
use crate::store::Lookup;
use crate::write::Arrival;
use std::path::Path;

/// Documents merged by one commit.
const BATCH: usize = 1_000;

impl Index {
    /// Copies the index as it is now into a folder that is not there yet. Adds wait meanwhile, checks go on.
    pub fn backup(&self, to: &Path) -> Result<(), Error> {
        if fs_err::exists(to)? {
            return Err(Error::Exists(to.to_owned()));
        }
        let mut writer = lock(&self.inner.writer);
        self.inner.sync(&mut writer)?;
        let snapshot = self.inner.snapshot();
        let segments: Vec<u64> = snapshot.keys.segments.iter().map(|segment| segment.number).collect();
        let name = to.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let temporary = to.with_file_name(format!("{name}.new-{}", std::process::id()));
        fs_err::create_dir_all(&temporary)?;
        let copied =
            self.copy_files(&segments, &temporary).and_then(|()| Ok(fs_err::rename(&temporary, to)?));
        if copied.is_err() {
            let _ = fs_err::remove_dir_all(&temporary);
        }
        copied
    }

    fn copy_files(&self, segments: &[u64], to: &Path) -> Result<(), Error> {
        let folder = &self.inner.folder;
        let files = segments.iter().map(|&number| folder.segment_path(number)).chain([folder.store_path()]);
        for file in files {
            let target = to.join(file.file_name().unwrap_or_default());
            fs_err::copy(&file, &target)?;
            fs_err::File::open(&target)?.sync_all()?;
        }
        Ok(fs_err::File::open(to)?.sync_all()?)
    }

    /// Makes an index of a backup, in a folder that is not there yet, and verifies it.
    pub fn restore(backup: &Path, to: &Path, options: Options) -> Result<Self, Error> {
        Index::open(backup, options.clone())?.backup(to)?;
        let restored = Index::open(to, options).and_then(|index| {
            let report = index.verify()?;
            match report.problems.first() {
                Some(problem) => Err(Error::damaged(backup, problem)),
                None => Ok(index),
            }
        });
        if restored.is_err() {
            // What was made here a moment ago is of no use. The reason counts, not whether it could be removed.
            let _ = fs_err::remove_dir_all(to);
        }
        restored
    }

    /// Adds all documents of another index, in the order in which they came to it; tells how many were new here.
    pub fn merge(&self, other: &Index) -> Result<u64, Error> {
        let (ours, theirs) = (self.settings(), other.settings());
        if (&ours.plan, &ours.rule, ours.sets) != (&theirs.plan, &theirs.rule, theirs.sets) {
            let show = |settings| serde_json::to_string(settings).unwrap_or_default();
            return Err(Error::Mismatch { expected: show(ours), found: show(theirs) });
        }
        self.merge_alike(other)
    }

    /// The same for an index whose plan the caller knows to mean the same, whatever its words.
    pub fn merge_alike(&self, other: &Index) -> Result<u64, Error> {
        let (ours, theirs) = (self.settings(), other.settings());
        if (&ours.rule, ours.sets) != (&theirs.rule, theirs.sets) {
            let show = |settings: &Settings| format!("{:?}, sets {}", settings.rule, settings.sets);
            return Err(Error::Mismatch { expected: show(ours), found: show(theirs) });
        }
        let snapshot = other.inner.snapshot();
        let rows = &snapshot.view.rows;
        let mut batch = Vec::new();
        let mut new = 0;
        let mut add = |batch: &mut Vec<Arrival>| -> Result<(), Error> {
            new += self.add_arrivals(batch)?.iter().filter(|answer| answer.matched.is_none()).count() as u64;
            batch.clear();
            Ok(())
        };
        for entry in snapshot.view.states(0)? {
            let (number, state) = entry?;
            let Some(document) = rows.document(number)? else { continue };
            let evidence = rows.evidence(number, Evidence::from_bytes)?.unwrap_or_default();
            let seen = (state.first_seen, state.last_seen);
            let text = snapshot.view.text(number, |bytes| Ok(bytes.to_vec()))?;
            batch.push(Arrival::new(document, evidence, seen).with_text(text));
            if batch.len() == BATCH {
                add(&mut batch)?;
            }
        }
        add(&mut batch)?;
        Ok(new)
    }
}
