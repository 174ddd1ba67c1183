//! `explain`: why a document was removed or kept.
