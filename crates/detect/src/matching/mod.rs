//! From signatures to candidates: bands, and how to choose them.

mod bands;

pub use bands::{Bands, BandsError};
