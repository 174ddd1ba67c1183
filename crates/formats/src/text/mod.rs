//! Framing of text formats: lines, CSV, whole files.

mod csv;
mod fields;
mod lines;
mod long;
mod whole;

pub(crate) use csv::{CsvFramer, begins_table};
pub(crate) use lines::LineFramer;
pub(crate) use whole::WholeFramer;

pub use csv::CsvHeader;
