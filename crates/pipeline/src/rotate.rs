//! Near fingerprints among neighbours in the sorted order of some rotations: cheap, and some are missed.

use crate::buckets::Buckets;
use crate::error::Error;
use crate::exact::Representatives;
use crate::load::Context;
use crate::table::{DocId, Table};
use onefold_detect::matching::rotated_neighbours;

/// Pairs of neighbours within the plan's distance, group by group.
pub(crate) fn neighbours(
    context: &Context<'_>,
    table: &Table<'_>,
    representatives: &Representatives,
    rotations: u32,
) -> Result<Buckets, Error> {
    let (simhash, layout) = (&context.job.plan.simhash, context.recipe.layout);
    // Of equal fingerprints the neighbours alone meet, so that their order must not be that of the input.
    let mut documents: Vec<(u64, u128, DocId)> = Vec::new();
    for document in 0..table.len() as DocId {
        if representatives.is_one(document) && !table.is_empty(document) {
            let group = if layout.has_group() { layout.group(&table.record(document)?) } else { 0 };
            documents.push((group, table.digest[document as usize], document));
        }
    }
    documents.sort_unstable();
    let mut pairs = Buckets::default();
    for group in documents.chunk_by(|a, b| a.0 == b.0) {
        context.job.check()?;
        let fingerprints: Vec<u128> =
            group.iter().map(|&(.., document)| table.fingerprints[document as usize]).collect();
        for (first, second) in
            rotated_neighbours(&fingerprints, simhash.bits.count(), rotations, simhash.hamming)
        {
            let mut pair = [group[first as usize].2, group[second as usize].2];
            pair.sort_unstable();
            pairs.push(&pair);
        }
    }
    Ok(pairs)
}
