//! How alike two documents are: exact measures of sets, bags, vectors and sequences, and what sketches estimate.
//!
//! Distances that are metrics: 1 − resemblance of sets, of bags and of groups, [`euclidean`],
//! [`levenshtein`](edit::levenshtein), [`indel`](edit::indel), and the angle whose cosine [`cosine`] is.

pub mod curve;
pub mod edit;
pub mod estimate;
mod groups;
mod overlap;
mod rows;
mod vector;
mod weighted;

pub use groups::{Groups, GroupsError};
pub use overlap::{Overlap, overlap, overlap_reaching};
pub use vector::{cosine, euclidean};
pub use weighted::{BagOverlap, bag, bag_overlap, bag_overlap_reaching};

#[cfg(test)]
mod axioms;
