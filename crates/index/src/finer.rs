//! Finer tables for the fingerprints of long runs, in the head and in segments.

use crate::error::Error;
use crate::head::Head;
use crate::permuted::Permutations;
use crate::section::Entry;
use crate::segment::Kind;

/// Entries of a head that begin alike from which on they are found by finer tables.
pub(crate) const LONG_CHAIN: usize = 256;

/// Puts an entry of a long chain into the finer tables, and at first all of the chain.
pub(crate) fn refine(head: &mut Head, tables: &Permutations, table: usize, entry: Entry, all: bool) {
    let mut chain = vec![entry];
    if all {
        chain.clear();
        head.visit(Kind::table(table), entry.0, |key, number| chain.push((key, number)));
    }
    for (key, number) in chain {
        let fingerprint = tables.restore(table, key);
        for (part, finer) in tables.finer(table).iter().enumerate() {
            head.add(Kind::finer(table, part), finer.shift(), (finer.permute(fingerprint), number));
        }
    }
}

/// Entries of a segment that begin alike from which on they are found by finer tables.
pub(crate) const LONG_RUN: usize = 4096;

/// Of the sorted entries of a table those in runs of `least` and more, sorted for each finer table but the first.
pub(crate) fn long_runs(
    tables: &Permutations,
    table: usize,
    least: usize,
    each: impl FnOnce(&mut dyn FnMut(Entry)) -> Result<(), Error>,
) -> Result<Vec<(Kind, Vec<Entry>)>, Error> {
    let shift = tables.shift(table);
    let (mut long, mut run): (Vec<Entry>, Vec<Entry>) = (Vec::new(), Vec::new());
    let mut close = |run: &mut Vec<Entry>| {
        if run.len() >= least {
            long.append(run);
        }
        run.clear();
    };
    each(&mut |entry| {
        if run.last().is_some_and(|last| last.0 >> shift != entry.0 >> shift) {
            close(&mut run);
        }
        run.push(entry);
    })?;
    close(&mut run);
    if long.is_empty() {
        return Ok(Vec::new());
    }
    let finer = tables.finer(table).iter().enumerate().skip(1);
    let sorted = finer.map(|(part, finer)| {
        let permute = |&(key, number): &Entry| (finer.permute(tables.restore(table, key)), number);
        let mut entries: Vec<Entry> = long.iter().map(permute).collect();
        entries.sort_unstable();
        (Kind::finer(table, part), entries)
    });
    Ok(sorted.collect())
}
