//! Places in the middle of a source where reading can start.

use crate::compress::member_behind;
use crate::source::{Format, Layout, Source};
use std::io;

/// Bytes in which the start of a record is looked for.
const WINDOW: usize = 1 << 20;

/// Where a record starts behind an address, if reading can start there and that is found near by. What lies within a record may
/// look like the start of one: good enough for a sample.
pub fn start_behind(source: &Source, offset: u64) -> io::Result<Option<u64>> {
    let file = source.open()?;
    let sign: &[u8] = match (source.layout, source.format) {
        (Layout::Members, _) => return member_behind(file, source.compression, offset),
        (Layout::Plain, Format::Jsonl) => b"\n",
        (Layout::Plain, Format::Warc) => b"\nWARC/",
        _ => return Ok(None),
    };
    let mut window = vec![0; WINDOW];
    let filled = file.fill_at(&mut window, offset)?;
    Ok(memchr::memmem::find(&window[..filled], sign).map(|at| offset + at as u64 + 1))
}
