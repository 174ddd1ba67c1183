//! Who joins whom: the one definition of clusters, for batch and for the live index.
//!
//! *Stars*: documents are decided in rank order and each is compared only with the keepers that are its
//! candidates; it joins the best-ranked one it verifies against, else it becomes a keeper. *Components*: verified
//! pairs are closed transitively, and the best-ranked document of each closure is its keeper.

use serde::{Deserialize, Serialize};

/// How verified pairs become clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clustering {
    /// Each removed document is similar to the one that was kept.
    #[default]
    Star,
    /// Transitive closure: chains of neighbours are one cluster.
    Components,
}

/// Numbers of buckets of each of some documents, one list behind the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BucketLists {
    buckets: Vec<u32>,
    ends: Vec<u32>,
    bucket_count: usize,
}

impl BucketLists {
    /// The buckets of documents 0 to `documents`, given the documents of each bucket, twice.
    ///
    /// # Panics
    /// If a document is not below `documents`.
    pub fn new<B: IntoIterator<Item = u32>>(
        documents: usize,
        buckets: impl Iterator<Item = B> + Clone,
    ) -> Self {
        let mut ends = vec![0u32; documents];
        for document in buckets.clone().flatten() {
            ends[document as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        // What is the beginning of each list now is its end once the list is filled.
        let (mut lists, mut bucket_count) = (vec![0; sum as usize], 0);
        for bucket in buckets {
            for document in bucket {
                let at = &mut ends[document as usize];
                lists[*at as usize] = bucket_count as u32;
                *at += 1;
            }
            bucket_count += 1;
        }
        BucketLists { buckets: lists, ends, bucket_count }
    }

    /// The buckets of a document, in order.
    pub fn of(&self, document: usize) -> &[u32] {
        let start = if document == 0 { 0 } else { self.ends[document - 1] };
        &self.buckets[start as usize..self.ends[document] as usize]
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// Which documents stay, by bucket.
#[derive(Clone, Debug)]
pub struct Staying<'b> {
    lists: &'b BucketLists,
    /// Room for all documents of each bucket, one behind the other.
    documents: Vec<u32>,
    /// Where each bucket begins, and where what stays of it ends.
    places: Vec<(u32, u32)>,
}

impl<'b> Staying<'b> {
    /// Nobody stays so far.
    pub fn new(lists: &'b BucketLists) -> Self {
        let mut places = vec![(0, 0); lists.bucket_count];
        for &bucket in &lists.buckets {
            places[bucket as usize].1 += 1;
        }
        let mut sum = 0;
        for (start, end) in &mut places {
            let size = *end;
            (*start, *end) = (sum, sum);
            sum += size;
        }
        Staying { lists, documents: vec![0; lists.buckets.len()], places }
    }

    /// A document stays; each may be told once.
    pub fn add(&mut self, document: usize) {
        for &bucket in self.lists.of(document) {
            let end = &mut self.places[bucket as usize].1;
            self.documents[*end as usize] = document as u32;
            *end += 1;
        }
    }

    /// Those that stay and share a bucket with a document, in order.
    pub fn near(&self, document: usize, near: &mut Vec<u32>) {
        near.clear();
        for &bucket in self.lists.of(document) {
            let (start, end) = self.places[bucket as usize];
            near.extend_from_slice(&self.documents[start as usize..end as usize]);
        }
        near.sort_unstable();
        near.dedup();
    }
}

/// What [`stars`] needs to know of the documents, numbered from 0, the best first.
pub trait Candidates {
    /// Why a comparison could not be made.
    type Error;
    /// Whether `document` verifies against `keeper`.
    fn verify(&mut self, document: usize, keeper: usize) -> Result<bool, Self::Error>;
    /// Called once a document is decided: `None` if it is a keeper.
    fn decided(&mut self, document: usize, keeper: Option<usize>) -> Result<(), Self::Error>;
}

/// Decides documents in an order, each among those that stay so far and share a bucket with it. Work is linear where a bucket
/// holds few that stay, however many documents it holds.
pub fn stars<C: Candidates>(
    order: impl IntoIterator<Item = usize>,
    staying: &mut Staying<'_>,
    candidates: &mut C,
) -> Result<(), C::Error> {
    let mut near: Vec<u32> = Vec::new();
    for document in order {
        staying.near(document, &mut near);
        let mut keeper = None;
        for &candidate in &near {
            if candidates.verify(document, candidate as usize)? {
                keeper = Some(candidate as usize);
                break;
            }
        }
        if keeper.is_none() {
            staying.add(document);
        }
        candidates.decided(document, keeper)?;
    }
    Ok(())
}

/// A dense union-find over numbers; the smallest number of a set is its root.
#[derive(Clone, Debug)]
pub struct Unions {
    parent: Vec<u32>,
}

impl Unions {
    /// `count` sets of one.
    pub fn new(count: usize) -> Self {
        Unions { parent: (0..count as u32).collect() }
    }

    /// The root of a number's set.
    pub fn root(&mut self, mut x: u32) -> u32 {
        while self.parent[x as usize] != x {
            let above = self.parent[self.parent[x as usize] as usize];
            self.parent[x as usize] = above;
            x = above;
        }
        x
    }

    /// Joins two sets; tells whether they were two.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
        low != high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Line {
        verified: usize,
        keepers: Vec<Option<usize>>,
    }

    /// Documents on a line, alike where at most one step apart.
    impl Candidates for Line {
        type Error = std::convert::Infallible;
        fn verify(&mut self, document: usize, keeper: usize) -> Result<bool, Self::Error> {
            self.verified += 1;
            Ok(document.abs_diff(keeper) <= 1)
        }
        fn decided(&mut self, _: usize, keeper: Option<usize>) -> Result<(), Self::Error> {
            self.keepers.push(keeper);
            Ok(())
        }
    }

    #[test]
    fn a_chain_is_not_one_star() {
        let lists = BucketLists::new(5, std::iter::once(0..5));
        let keepers = |settled: &[usize], order: &[usize]| {
            let (mut line, mut staying) = (Line::default(), Staying::new(&lists));
            settled.iter().for_each(|&document| staying.add(document));
            stars(order.iter().copied(), &mut staying, &mut line).unwrap();
            line.keepers
        };
        assert_eq!(keepers(&[], &[0, 1, 2, 3, 4]), [None, Some(0), None, Some(2), None]);
        assert_eq!(keepers(&[0, 1], &[2, 3, 4]), [Some(1), None, Some(3)]);
        assert_eq!(
            keepers(&[3], &[4, 1, 2, 0]),
            [Some(3), None, Some(1), Some(1)],
            "the best of two comes first"
        );
    }

    #[test]
    fn documents_meet_those_that_stay_in_their_buckets() {
        let buckets: [&[u32]; 4] = [&[0, 3, 4], &[1, 2], &[], &[3, 4]];
        let lists = BucketLists::new(6, buckets.iter().map(|bucket| bucket.iter().copied()));
        let all: Vec<&[u32]> = (0..lists.len()).map(|document| lists.of(document)).collect();
        assert_eq!(all, [&[0][..], &[1], &[1], &[0, 3], &[0, 3], &[]]);
        let mut staying = Staying::new(&lists);
        let mut near = Vec::new();
        [0, 3, 1].iter().for_each(|&document| staying.add(document));
        for (document, expected) in [(4, &[0, 3][..]), (2, &[1]), (5, &[])] {
            staying.near(document, &mut near);
            assert_eq!(near, expected);
        }
    }

    #[test]
    fn unions_root_at_the_smallest() {
        let mut unions = Unions::new(6);
        assert!(unions.join(5, 3) && unions.join(3, 4) && !unions.join(4, 5));
        assert_eq!((unions.root(5), unions.root(0)), (3, 0));
    }
}
