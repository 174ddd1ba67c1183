//! From signatures and fingerprints to candidates: bands, Hamming tables, and how to choose them.

mod bands;
mod hamming;
mod rotate;

pub use bands::{Bands, BandsError};
pub use hamming::{Tables, TablesError, within};
pub use rotate::{neighbours, rotated_neighbours};
