//! Small summaries of shingle sets from which similarity can be estimated.

mod bits;
mod minhash;
mod simhash;
mod weight;

pub use bits::{Bits, BitsError};
pub use minhash::{MinHash, agreement};
pub use simhash::{SimHash, distance};
pub use weight::idf_weight;
