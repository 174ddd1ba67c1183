//! `related`: the documents most like one, whatever the threshold.

use crate::error::Error;
use crate::job::Job;
use crate::load::{Context, Loader};
use crate::progress::StageKind;
use crate::recipe::Recipe;
use crate::scan::{lock, parallel, scan};
use crate::spool::Spools;
use crate::table::{DocId, Table};
use crate::workdir::Workdir;
use onefold_detect::measure::{Overlap, overlap};
use onefold_run::DocumentRef;
use std::cmp::Reverse;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A document that is like the one asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    /// Which.
    pub document: DocumentRef,
    /// How the one asked for overlaps with it.
    pub overlap: Overlap,
}

/// Documents a worker takes at a time.
const TURN: usize = 256;

/// The `top` documents that resemble the one with this id, or else this URL, most, best first, those of resemblance
/// below `least` left out. Of several such documents the first is meant.
pub fn related(job: &Job<'_>, work: &Path, id: &str, top: usize, least: f64) -> Result<Vec<Related>, Error> {
    let found = job.selection.look(&job.plan.fields)?;
    found.tell_notes(job.progress);
    let workdir = Workdir::passing(work, &job.plan)?;
    let mut sources = found.sources;
    let outcome = (|| {
        let mut recipe = Recipe::learn(job, &sources)?;
        let pieces = scan(job, &recipe, &mut sources, &workdir, &found.bad)?;
        recipe.forget_counts(job);
        let context = Context::new(job, &sources, &recipe)?;
        let table = pieces.into_table(job, &recipe, &sources, &workdir)?;
        let missing = || Error::Unsupported(format!("{id}: no document of this id or URL in the corpus"));
        let wanted = wanted(&table, id)?.ok_or_else(missing)?;
        let all: Vec<DocId> = (0..table.len() as DocId).filter(|&other| !table.is_empty(other)).collect();
        job.progress.start(StageKind::Verify, all.len() as u64);
        let spools = Spools::for_shingles(&context, &table, &all, &workdir)?;
        let ranked = rank(&context, &table, &spools, (wanted, &all), top, least)?;
        ranked
            .into_iter()
            .map(|(other, overlap)| Ok(Related { document: table.document_ref(other)?, overlap }))
            .collect()
    })();
    workdir.remove()?;
    outcome
}

fn wanted(table: &Table<'_>, id: &str) -> Result<Option<DocId>, Error> {
    let mut by_url = None;
    for document in 0..table.len() as DocId {
        let names = table.names(document)?;
        if names.id == id {
            return Ok(Some(document));
        }
        if by_url.is_none() && names.url.as_deref() == Some(id) {
            by_url = Some(document);
        }
    }
    Ok(by_url)
}

fn rank(
    context: &Context<'_>,
    table: &Table<'_>,
    spools: &Spools,
    (wanted, all): (DocId, &[DocId]),
    top: usize,
    least: f64,
) -> Result<Vec<(DocId, Overlap)>, Error> {
    let set = Loader::new(context, table, spools).shingles(wanted)?;
    let next = AtomicUsize::new(0);
    let best: Mutex<Vec<(DocId, Overlap)>> = Mutex::new(Vec::new());
    parallel(context.job, |_| {
        let mut loader = Loader::new(context, table, spools);
        let mut mine = Vec::new();
        loop {
            context.job.check()?;
            let from = next.fetch_add(TURN, Ordering::Relaxed);
            let Some(turn) = all.get(from..).filter(|turn| !turn.is_empty()) else { break };
            let turn = &turn[..turn.len().min(TURN)];
            for &other in turn.iter().filter(|&&other| other != wanted) {
                let found = overlap(set.hashes(), loader.shingles(other)?.hashes());
                if found.shared > 0 && found.resemblance() >= least {
                    mine.push((other, found));
                }
            }
            shorten(&mut mine, top);
            context.job.progress.advance(turn.len() as u64, 0);
        }
        lock(&best).append(&mut mine);
        Ok(())
    })?;
    let mut best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
    shorten(&mut best, top);
    Ok(best)
}

/// The best, in order: by resemblance, then containment, then place in the input.
fn shorten(found: &mut Vec<(DocId, Overlap)>, top: usize) {
    found.sort_unstable_by_key(|&(other, overlap)| {
        // Shares are not negative, so that their bits are in their order.
        (Reverse(overlap.resemblance().to_bits()), Reverse(overlap.containment().to_bits()), other)
    });
    found.truncate(top);
}
