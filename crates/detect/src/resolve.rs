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

/// What [`stars`] needs to know of the documents, numbered in rank order from 0.
pub trait Candidates {
    /// Why a comparison could not be made.
    type Error;
    /// Buckets of a document.
    fn buckets(&self, document: usize) -> &[u32];
    /// Number of buckets.
    fn bucket_count(&self) -> usize;
    /// Whether `document` verifies against `keeper`.
    fn verify(&mut self, document: usize, keeper: usize) -> Result<bool, Self::Error>;
    /// Called once a document is decided: `None` if it is a keeper.
    fn decided(&mut self, document: usize, keeper: Option<usize>) -> Result<(), Self::Error>;
}

/// Decides `count` documents in rank order. Work is linear where a bucket holds few keepers, however many
/// documents it holds.
pub fn stars<C: Candidates>(count: usize, candidates: &mut C) -> Result<(), C::Error> {
    let mut keepers_of_bucket: Vec<Vec<u32>> = vec![Vec::new(); candidates.bucket_count()];
    let mut near: Vec<u32> = Vec::new();
    for document in 0..count {
        near.clear();
        for &bucket in candidates.buckets(document) {
            near.extend_from_slice(&keepers_of_bucket[bucket as usize]);
        }
        near.sort_unstable();
        near.dedup();
        let mut keeper = None;
        for &candidate in &near {
            if candidates.verify(document, candidate as usize)? {
                keeper = Some(candidate as usize);
                break;
            }
        }
        if keeper.is_none() {
            for &bucket in candidates.buckets(document) {
                keepers_of_bucket[bucket as usize].push(document as u32);
            }
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

    struct Line {
        buckets: Vec<Vec<u32>>,
        verified: usize,
        keepers: Vec<Option<usize>>,
    }

    /// Documents on a line, alike where at most one step apart.
    impl Candidates for Line {
        type Error = std::convert::Infallible;
        fn buckets(&self, document: usize) -> &[u32] {
            &self.buckets[document]
        }
        fn bucket_count(&self) -> usize {
            1
        }
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
        let mut line = Line { buckets: vec![vec![0]; 5], verified: 0, keepers: Vec::new() };
        stars(5, &mut line).unwrap();
        assert_eq!(line.keepers, [None, Some(0), None, Some(2), None]);
    }

    #[test]
    fn unions_root_at_the_smallest() {
        let mut unions = Unions::new(6);
        assert!(unions.join(5, 3) && unions.join(3, 4) && !unions.join(4, 5));
        assert_eq!((unions.root(5), unions.root(0)), (3, 0));
    }
}
