//! Which documents of a bucket may be pairs: what their records alone can tell, so that strangers who met by chance
//! are not tied together.

use crate::error::Error;
use crate::recipe::Recipe;
use crate::record::bitmap_distance;
use crate::sketcher::ShingleKey;
use crate::table::{DocId, Table};
use onefold_detect::measure::Overlap;
use onefold_detect::resolve::Unions;
use onefold_run::Plan;

/// Comparisons within one bucket at most; what larger buckets hold is told apart when it is verified.
const MOST_COMPARISONS: u64 = 1 << 21;
/// Pairs of a bucket that are handed over as pairs, for each of its documents.
const MOST_PAIRS_A_DOCUMENT: usize = 4;

/// Tells the documents of a bucket apart.
pub(crate) struct Meeting<'a> {
    recipe: &'a Recipe<'a>,
    table: &'a Table<'a>,
    records: Vec<Vec<u8>>,
    close: Vec<[DocId; 2]>,
}

impl<'a> Meeting<'a> {
    pub(crate) fn new(recipe: &'a Recipe<'a>, table: &'a Table<'a>) -> Self {
        Meeting { recipe, table, records: Vec::new(), close: Vec::new() }
    }

    /// A bucket of documents that share a key: those whose fingerprints are near, where there are fingerprints.
    pub(crate) fn by_key(&mut self, bucket: &[DocId], take: &mut impl FnMut(&[DocId])) {
        let fingerprints = &self.table.fingerprints;
        let comparisons = bucket.len() as u64 * (bucket.len() as u64 - 1) / 2;
        if fingerprints.is_empty() || comparisons > MOST_COMPARISONS {
            return take(bucket);
        }
        let most = self.recipe.plan.simhash.hamming;
        self.close.clear();
        for (at, &first) in bucket.iter().enumerate() {
            let fingerprint = fingerprints[first as usize];
            for &second in &bucket[at + 1..] {
                if (fingerprint ^ fingerprints[second as usize]).count_ones() <= most {
                    self.close.push([first, second]);
                }
            }
        }
        self.hand_over(bucket, comparisons, take);
    }

    /// A bucket of documents that share a shingle: those whose sets may overlap enough.
    pub(crate) fn by_shingle(
        &mut self,
        bucket: &[(DocId, ShingleKey)],
        take: &mut impl FnMut(&[DocId]),
    ) -> Result<(), Error> {
        let with = |role| bucket.iter().filter(|(_, key)| key.has(role)).count() as u64;
        let (prefixes, queries) = (with(ShingleKey::PREFIX), with(ShingleKey::QUERY));
        if prefixes < 2 && queries == 0 {
            return Ok(());
        }
        let documents: Vec<DocId> = bucket.iter().map(|&(document, _)| document).collect();
        let comparisons = prefixes * prefixes.saturating_sub(1) / 2 + queries * (bucket.len() as u64 - 1);
        if comparisons > MOST_COMPARISONS {
            take(&documents);
            return Ok(());
        }
        self.records.clear();
        self.close.clear();
        for (at, &(first, first_key)) in bucket.iter().enumerate() {
            for (place, &(second, second_key)) in bucket.iter().enumerate().skip(at + 1) {
                let both = first_key.has(ShingleKey::PREFIX) && second_key.has(ShingleKey::PREFIX);
                if !both && !first_key.has(ShingleKey::QUERY) && !second_key.has(ShingleKey::QUERY) {
                    continue;
                }
                // All that two sets share lies from the first shared shingle on: at that one, this bound holds.
                let shared = 1 + u64::from(first_key.behind().min(second_key.behind()));
                let bound = Bound::new(self.table, first, second).at_most(shared);
                if !bound.may_pass(self.recipe.plan) {
                    continue;
                }
                while self.records.len() < bucket.len() {
                    self.records.push(self.table.record(bucket[self.records.len()].0)?);
                }
                let bitmap = |at: usize| self.recipe.layout.bitmap(&self.records[at]);
                if bound.apart(bitmap_distance(bitmap(at), bitmap(place))).may_pass(self.recipe.plan) {
                    self.close.push([first.min(second), first.max(second)]);
                }
            }
        }
        let all = documents.len() as u64 * (documents.len() as u64 - 1) / 2;
        self.hand_over(&documents, all, take);
        Ok(())
    }

    /// A bucket in which all are close stays whole; else its pairs are. Many pairs take more room than the documents
    /// they tie: those are handed over together then, and told apart when they are verified.
    fn hand_over(&self, bucket: &[DocId], pairs: u64, take: &mut impl FnMut(&[DocId])) {
        if self.close.len() as u64 == pairs {
            return take(bucket);
        }
        if self.close.len() <= MOST_PAIRS_A_DOCUMENT * bucket.len() {
            return self.close.iter().for_each(|pair| take(pair));
        }
        let place = |document: DocId| bucket.partition_point(|&other| other < document) as u32;
        let mut unions = Unions::new(bucket.len());
        for &[first, second] in &self.close {
            unions.join(place(first), place(second));
        }
        let mut tied: Vec<(u32, DocId)> =
            bucket.iter().zip(0..).map(|(&document, place)| (unions.root(place), document)).collect();
        tied.sort_unstable();
        let mut group: Vec<DocId> = Vec::new();
        for tied in tied.chunk_by(|a, b| a.0 == b.0).filter(|tied| tied.len() > 1) {
            group.clear();
            group.extend(tied.iter().map(|&(_, document)| document));
            take(&group);
        }
    }
}

/// What two sets may share at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    first: u32,
    second: u32,
    shared: u64,
}

impl Bound {
    /// By their sizes.
    pub(crate) fn new(table: &Table<'_>, first: DocId, second: DocId) -> Self {
        let (first, second) = (table.set_len[first as usize], table.set_len[second as usize]);
        Bound { first, second, shared: first.min(second).into() }
    }

    fn at_most(self, shared: u64) -> Self {
        Bound { shared: self.shared.min(shared), ..self }
    }

    /// Given shingles that one of them has and the other not.
    pub(crate) fn apart(self, shingles: u32) -> Self {
        let sum = u64::from(self.first) + u64::from(self.second);
        self.at_most(sum.saturating_sub(shingles.into()) / 2)
    }

    /// Whether they may pass verification.
    pub(crate) fn may_pass(self, plan: &Plan) -> bool {
        let overlap = Overlap { shared: self.shared as u32, first: self.first, second: self.second };
        if overlap.reaches(plan.threshold) {
            return true;
        }
        plan.containment.is_some_and(|least| {
            let smaller = f64::from(self.first.min(self.second).max(1));
            self.shared as f64 / smaller >= least
        })
    }
}
