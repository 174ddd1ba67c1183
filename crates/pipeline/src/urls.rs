//! What URLs say beside the texts: which documents are versions of one page, and which others claim to be one page.
//!
//! A URL counts in its canonical form, as a hash. Three kinds of claim tie the document at one URL to that at another:
//! a redirect found in an archive, a revisit record of another URL, and `rel=canonical` to a page of the same site.
//! Nothing else folds `http` and `https` or `www`. A claim is never enough: documents that are tied are compared, and
//! only those whose texts agree are one page.

mod learn;
mod mark;
mod ties;
mod versions;

pub use learn::learn_url_rules;
pub(crate) use mark::{Marker, UrlMarks, canonical_hash, target_hash};
pub(crate) use ties::Ties;
pub(crate) use versions::{BYTES_A_VERSION, Versions, measure_versions};
