//! Text to shingles: normalise, tokenise, roll.
//!
//! A *token* is a maximal run of letters, numbers, marks and `_` after NFKC, case folding and NFKC; in scripts
//! written without spaces (Han, Kana, Thai, Lao, Khmer, Myanmar) each character is a token by itself. The
//! *normalised text* is the tokens joined by one blank.

mod ascii;
mod classes;
mod hash;
mod normalise;
mod set;
mod shingle;
mod words;

pub use normalise::Normaliser;
pub use set::ShingleSet;
pub use shingle::{Shingling, ShinglingError};
