//! Rows of Parquet files, read, fetched, copied and written in bounded memory.
//!
//! Columns of bytes (strings and binary alike, dictionary-encoded or not) are read as Arrow *views* on the pages
//! they come from. A text that is repeated a thousand times in a dictionary page is thus held once, and a string
//! that is not UTF-8 spoils its own row and not its whole row group, since it is checked here and not by the decoder.
//!
//! The decoder may panic on hostile bytes; that is caught and told as damage of the file. It may also ask for more memory than
//! there is, which ends a program, so the headers of pages are checked before it sees them.

mod annotation;
mod claims;
mod copy;
mod fetch;
mod file;
mod handle;
mod pages;
mod read_table;
mod reader;
mod scan;
mod spill;
mod strips;
mod table;
mod text;
mod value;

#[cfg(test)]
mod tests;

pub use annotation::{Annotation, RowEdit, check_annotated};
pub use copy::copy_rows;
pub use fetch::{TakeRow, fetch_rows};
pub use handle::catches_panics;
pub use pages::{TableShape, table_shape};
pub use read_table::{OwnedCell, TakeCells, read_table};
pub use reader::ParquetReader;
pub use table::{Cell, ColumnType, TableWriter};
