//! Small summaries of shingle sets from which similarity can be estimated.

mod bits;
mod classic;
mod minhash;
mod sampled;
mod simhash;
mod weight;

pub use bits::{Bits, BitsError};
pub use classic::ClassicMinHash;
pub use minhash::{MinHash, agreement};
pub use sampled::{Sample, SampleError};
pub use simhash::{SimHash, distance};
pub use weight::idf_weight;
