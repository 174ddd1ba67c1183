//! Lists of documents that may be duplicates of each other.

use crate::table::DocId;

/// Lists, one behind the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buckets {
    members: Vec<DocId>,
    ends: Vec<usize>,
}

impl Buckets {
    pub(crate) fn push(&mut self, bucket: &[DocId]) {
        self.members.extend_from_slice(bucket);
        self.ends.push(self.members.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, index: usize) -> &[DocId] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.members[start..self.ends[index]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[DocId]> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The buckets that are not equal to another.
    pub(crate) fn distinct(&self) -> Vec<&[DocId]> {
        let mut buckets: Vec<&[DocId]> = self.iter().collect();
        buckets.sort_unstable();
        buckets.dedup();
        buckets
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        (self.members.len() * 4 + self.ends.len() * 8) as u64
    }
}

/// Buckets of all slices as they come. Most are pairs, and most pairs meet in several keys: they are kept once.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pairs: Vec<(DocId, DocId)>,
    /// Pairs from which on repeats are dropped again.
    full: usize,
    larger: Buckets,
}

/// Bytes of a bucket's root and number.
const BYTES_A_PLACE: usize = 8;
/// Pairs held before repeats are looked for.
const AT_LEAST: usize = 1 << 16;

impl Gathered {
    pub(crate) fn add(&mut self, buckets: &Buckets) {
        for bucket in buckets.iter() {
            match bucket {
                [first, second] => self.pairs.push((*first, *second)),
                larger => self.larger.push(larger),
            }
        }
        if self.pairs.len() > self.full.max(AT_LEAST) {
            self.shrink();
            self.full = 2 * self.pairs.len();
        }
    }

    fn shrink(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// Bytes held once all are finished: a pair is then a bucket with its place among the components.
    pub(crate) fn bytes(&self) -> u64 {
        (self.pairs.len() * (16 + BYTES_A_PLACE)) as u64 + self.larger.bytes()
    }

    pub(crate) fn finish(mut self) -> Buckets {
        self.shrink();
        let mut all = self.larger;
        all.members.reserve(self.pairs.len() * 2);
        all.ends.reserve(self.pairs.len());
        self.pairs.iter().for_each(|&(first, second)| all.push(&[first, second]));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_meet_often_are_kept_once() {
        let mut gathered = Gathered::default();
        let mut buckets = Buckets::default();
        (0..AT_LEAST as u32).for_each(|i| buckets.push(&[i % 7, 9]));
        buckets.push(&[1, 2, 3]);
        (0..3).for_each(|_| gathered.add(&buckets));
        let all = gathered.finish();
        assert_eq!(all.iter().filter(|bucket| bucket.len() == 2).count(), 7);
    }
}
