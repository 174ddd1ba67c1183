//! WARC and ARC: framing and headers.
//!
//! Read by hand rather than by a crate because the copy of a file without some records needs each record's exact
//! place, and damaged records have to be named and stepped over, not to end the file.

mod arc;
mod framer;
mod header;

pub(crate) use arc::ArcFramer;
pub(crate) use framer::{WarcFramer, starts_record};

pub use arc::ArcHeader;
pub use header::WarcHeader;

/// First bytes of an over-long record that are kept to judge it by: its header and that of HTTP.
pub(crate) const HEAD: usize = 1 << 14;
