//! Records that cannot be read: counted values, never the end of the job.

use serde::{Deserialize, Serialize};

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BadKind {
    /// Compressed data or a record ends before it should.
    Truncated,
    /// Compressed data that does not decompress.
    Corrupt,
    /// A record whose length is not what its header says.
    ContentLength,
    /// A record header that cannot be read.
    Header,
    /// A line that is not a JSON object.
    Json,
    /// A row with another number of fields than the header.
    Csv,
    /// A document without the field its text should be in.
    MissingField,
    /// A field of another type than text.
    FieldType,
    /// Bytes that are not UTF-8 where text is expected.
    Utf8,
    /// Text with NUL bytes.
    Nul,
    /// A record over the size limit.
    TooLarge,
    /// A file of no known format.
    Unrecognised,
    /// A file or folder that may not be read.
    Permission,
    /// A Parquet file or row group that cannot be read.
    Parquet,
    /// An HTTP payload that does not decode.
    Http,
    /// A PDF or office file that is damaged, encrypted or unpacks to too much.
    File,
}

impl BadKind {
    /// The name used in evidence files.
    pub fn name(self) -> &'static str {
        match self {
            BadKind::Truncated => "truncated",
            BadKind::Corrupt => "corrupt",
            BadKind::ContentLength => "content-length",
            BadKind::Header => "header",
            BadKind::Json => "json",
            BadKind::Csv => "csv",
            BadKind::MissingField => "missing-field",
            BadKind::FieldType => "field-type",
            BadKind::Utf8 => "utf8",
            BadKind::Nul => "nul",
            BadKind::TooLarge => "too-large",
            BadKind::Unrecognised => "unrecognised",
            BadKind::Permission => "permission",
            BadKind::Parquet => "parquet",
            BadKind::Http => "http",
            BadKind::File => "file",
        }
    }
}

/// A record that cannot be read, with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadRecord {
    /// What is wrong.
    pub kind: BadKind,
    /// The same in words, with what was expected and what came.
    pub message: String,
}

impl BadRecord {
    /// A bad record.
    pub fn new(kind: BadKind, message: impl Into<String>) -> Self {
        BadRecord { kind, message: message.into() }
    }
}
