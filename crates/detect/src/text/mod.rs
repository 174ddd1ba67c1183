//! Text to shingles: normalise, tokenise, roll.
//!
//! A *token* is a maximal run of letters, numbers, marks and `_` after NFKC, case folding and NFKC; in scripts
//! written without spaces (Han, Kana, Thai, Lao, Khmer, Myanmar) each character is a token by itself. The
//! *normalised text* is the tokens joined by one blank. [`Choices`] are other definitions to choose from.

mod ascii;
mod choices;
mod classes;
mod folding;
mod general;
mod growth;
mod hash;
mod named;
mod normalise;
mod packed;
mod set;
mod shingle;
mod sink;
mod stop_words;
mod units;
mod wide;
mod words;

pub use choices::{Case, Choices, Digits, Form, Punctuation, Space};
pub use growth::growth_bytes;
pub use named::NameError;
pub use normalise::Normaliser;
pub use set::ShingleSet;
pub use shingle::{Shingling, ShinglingError, word_shingles};
pub use stop_words::Language;
