//! Small summaries of shingle sets from which similarity can be estimated.

mod minhash;

pub use minhash::{MinHash, agreement};
