//! Which texts are the same, or nearly so.
//!
//! Pure functions over bytes: no I/O, clock, thread pool, log or unseeded randomness, so the same text and the
//! same parameters give the same result on every platform. The modules do not import each other, save that all
//! of them may use [`mix`], the one family of hashes:
//!
//! - [`text`]: normalise, tokenise, shingle
//! - [`digest`]: equal texts, and checksums
//! - [`sketch`]: MinHash signatures, SimHash fingerprints, samples
//! - [`matching`]: bands and Hamming tables, and their tuning
//! - [`measure`]: similarities of sets, bags, vectors and sequences, and what sketches estimate
//! - [`resolve`]: who joins whom

pub mod digest;
pub mod matching;
pub mod measure;
pub mod mix;
pub mod resolve;
pub mod sketch;
pub mod text;
