//! How large the pages of a Parquet file are: one is decoded whole, however many rows are asked for.

use super::file::RowFile;
use super::handle::{Handle, HandleAt, Trouble};
use crate::source::Source;
use bytes::Bytes;
use parquet::column::page::PageReader;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use std::io::BufReader;
use std::sync::{Arc, Mutex, PoisonError};

/// Rows, and bytes of the largest page, decompressed, by the compression of its column; `None` where that cannot be told, as
/// of a damaged file.
pub fn rows_and_largest_page(source: &Source) -> Option<(u64, u64)> {
    let file = RowFile::open(source).ok()?;
    let mut largest = 0;
    for (index, group) in file.metadata.row_groups().iter().enumerate() {
        if file.fault(index).is_some() {
            continue;
        }
        for column in group.columns() {
            let (packed, plain) =
                (column.compressed_size().max(1) as u64, column.uncompressed_size().max(0) as u64);
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
    Some((file.rows(), largest))
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
