//! Streams documents in and out of the files crawls and corpora are kept in.
//!
//! - [`inputs`]: what the user named → a list of files, in a stated order
//! - [`source`]: one file → its format and compression, by content
//! - [`reader`]: a source → blocks of framed records, in bounded memory
//! - [`document`]: a framed record → id, url, date and body; [`payload`]: what its payload is
//! - [`fetch`]: a record again, by its address
//! - [`copy`]: a source again, without some records or with others in their place
//!
//! A record's *address* is its offset and length in the file where records can be reached there (plain files, and
//! gzip with one member a record), else in the decompressed stream.

pub mod bad;
pub mod block;
pub mod compress;
pub mod copy;
pub mod document;
mod error;
pub mod fetch;
pub mod http;
pub mod inputs;
pub mod json;
pub mod payload;
pub mod reader;
mod row;
pub mod score;
mod sniff;
pub mod source;
mod stream;
pub mod text;
pub mod warc;

#[cfg(feature = "parquet")]
pub mod parquet;

pub use bad::{BadKind, BadRecord};
pub use block::{Block, Frame, FrameKind};
pub use error::Error;
