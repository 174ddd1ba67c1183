//! What a Parquet file takes in memory, by its footer and its pages: one is decoded whole, however many rows are asked for.

use super::file::RowFile;
use super::handle::{Handle, HandleAt, Trouble};
use super::strips::{ANNOTATION_BYTES, written_at_once};
use crate::source::Source;
use bytes::Bytes;
use parquet::column::page::PageReader;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use std::io::BufReader;
use std::sync::{Arc, Mutex, PoisonError};

/// What a table is like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableShape {
    /// Rows.
    pub rows: u64,
    /// Bytes of the largest page, decompressed, by the compression of its column.
    pub largest_page: u64,
    /// Chunks of columns, each of which has a place in the footer.
    pub chunks: u64,
    /// Bytes of all columns, decompressed.
    pub plain_bytes: u64,
    /// What is written together of it is about that large; pages of it are in memory as they are and packed.
    pub written_at_once: u64,
}

impl TableShape {
    /// What the column of annotations adds to what is written together.
    pub const ANNOTATION: u64 = ANNOTATION_BYTES;
}

/// The shape of a table; `None` where that cannot be told, as of a damaged file.
pub fn table_shape(source: &Source) -> Option<TableShape> {
    let file = RowFile::open(source).ok()?;
    let groups = file.metadata.row_groups();
    let mut shape = TableShape {
        rows: file.rows(),
        chunks: groups.iter().map(|group| group.columns().len() as u64).sum(),
        written_at_once: written_at_once(&file),
        ..TableShape::default()
    };
    let mut largest = 0;
    for (index, group) in file.metadata.row_groups().iter().enumerate() {
        if file.fault(index).is_some() {
            continue;
        }
        for column in group.columns() {
            let (packed, plain) =
                (column.compressed_size().max(1) as u64, column.uncompressed_size().max(0) as u64);
            shape.plain_bytes = shape.plain_bytes.saturating_add(plain);
            // No page is larger than all of them.
            if plain <= largest {
                continue;
            }
            let page = file.handle.guard(|| {
                let told = Told { handle: file.handle.clone(), starts: Arc::default() };
                let starts = Arc::clone(&told.starts);
                let rows = group.num_rows().max(0) as usize;
                let mut pages = SerializedPageReader::new(Arc::new(told), column, rows, None)?;
                while pages.peek_next_page()?.is_some() {
                    pages.skip_next_page()?;
                }
                let mut starts = starts.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let (from, len) = column.byte_range();
                starts.push(from + len);
                starts.sort_unstable();
                Ok::<u64, parquet::errors::ParquetError>(
                    starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0),
                )
            });
            match page {
                Ok(page) => largest = largest.max((page as f64 / packed as f64 * plain as f64) as u64),
                Err(Trouble::Data(_) | Trouble::Disk(_)) => return None,
            }
        }
    }
    Some(TableShape { largest_page: largest, ..shape })
}

/// The file, and where it was read from: pages that are passed over are read where they start, and no further.
struct Told {
    handle: Handle,
    starts: Arc<Mutex<Vec<u64>>>,
}

impl Length for Told {
    fn len(&self) -> u64 {
        self.handle.len()
    }
}

impl ChunkReader for Told {
    type T = BufReader<HandleAt>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).push(start);
        self.handle.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.handle.get_bytes(start, length)
    }
}
