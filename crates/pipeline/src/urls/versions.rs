//! Versions of one page: documents of one canonical URL, of which the newest stays.

use crate::error::Error;
use crate::exact::Representatives;
use crate::load::Context;
use crate::scan::{lock, parallel};
use crate::spool::Spools;
use crate::table::{DocId, Table};
use crate::verdicts::{Fate, Near, Verdicts};
use crate::verify::{Likeness, Verifier};
use crate::workdir::Workdir;
use onefold_detect::mix;
use onefold_run::{LAST_RANK, UrlRule};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What memory each document takes while versions are found.
pub(crate) const BYTES_A_VERSION: u64 = 24;

/// Older versions with the newest of their page, in order of documents.
#[derive(Debug, Default)]
pub(crate) struct Versions {
    pub(crate) older: Vec<(DocId, DocId)>,
    /// What to say where they were told by no date.
    pub(crate) note: Option<String>,
}

impl Versions {
    /// Finds the older versions, if they are to go. The newest is that of the latest date, of equal ones the first in
    /// the input. Documents without text, without a URL or of a failed response are no versions of anything.
    pub(crate) fn find(context: &Context<'_>, table: &Table<'_>) -> Result<Self, Error> {
        let mut older = Vec::new();
        if !context.job.plan.keeps_newest_version() {
            return Ok(Versions::default());
        }
        let mut pages: Vec<(u64, u64, DocId)> = Vec::new();
        table.each_url(|document, marks, within| {
            if marks.own != 0 {
                let page = within.map_or(marks.own, |within| mix::pair(marks.own, within));
                pages.push((page, marks.age, document));
            }
        })?;
        pages.sort_unstable();
        for page in pages.chunk_by(|a, b| a.0 == b.0) {
            let newest = page[0].2;
            older.extend(page[1..].iter().map(|&(_, _, document)| (document, newest)));
        }
        older.sort_unstable();
        let is_undated = !pages.is_empty() && pages.iter().all(|&(_, age, _)| age == LAST_RANK);
        let note = is_undated.then(|| {
            "--versions newest: no document has a date that can be read; of each page the first in the input was kept"
                .to_owned()
        });
        Ok(Versions { older, note })
    }
}

/// Adds the older versions to the verdicts, each with the document that was kept for its page and how alike they are.
pub(crate) fn measure_versions(
    context: &Context<'_>,
    table: &Table<'_>,
    representatives: &Representatives,
    versions: &Versions,
    workdir: &Workdir,
    verdicts: &mut Verdicts,
) -> Result<(), Error> {
    if versions.older.is_empty() {
        return Ok(());
    }
    let kept = |newest: DocId| match verdicts.fate(representatives, newest) {
        // A run that keeps the newest versions alone is held against no index.
        Fate::Kept | Fate::Outside(_) => newest,
        Fate::Exact { keeper, .. } => keeper,
        Fate::Near(near) => near.keeper,
    };
    let pairs: Vec<(DocId, DocId)> =
        versions.older.iter().map(|&(document, newest)| (document, kept(newest))).collect();
    let mut documents: Vec<DocId> = pairs.iter().flat_map(|&(document, keeper)| [document, keeper]).collect();
    documents.sort_unstable();
    documents.dedup();
    let spools = Spools::for_shingles(context, table, &documents, workdir)?;
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    parallel(context.job, |_| {
        let mut verifier = Verifier::new(context, table, &spools, None);
        let mut mine = Vec::new();
        while let Some(&(document, keeper)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
            context.job.check()?;
            let likeness = verifier.measure(document, keeper)?;
            let url = Some(UrlRule::Version);
            mine.push(Near::new(document, keeper, &Likeness { url, by_url: true, ..likeness }));
            verifier.forget(document);
        }
        lock(&all).append(&mut mine);
        Ok(())
    })?;
    verdicts.near.append(&mut all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner));
    verdicts.sort();
    Ok(())
}
