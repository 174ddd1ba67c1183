//! What a zstd file needs to be read: the window that the decoder looks back into (RFC 8878, 3.1.1.1.2).

use super::{Compression, skippable};
use crate::source::{OpenFile, Source};
use std::io;

/// Bytes of the longest frame header.
const LONGEST_HEADER: usize = 18;
/// Skippable frames that are passed over.
const MOST_SKIPPED: usize = 16;
/// A window holds no more than there is. Text compresses to a hundredth at the most, nearly always.
const MOST_EXPANSION: u64 = 100;

/// Largest window that is accepted of any frame, as log₂: one can ask for gigabytes.
pub(super) const WINDOW_LOG: u32 = 27;
/// Largest window that is accepted where the first frame asks for it, so that it was counted: the most that zstd makes.
const LONGEST_WINDOW_LOG: u32 = 31;

/// Bytes of the window that a source is decompressed with, by its first frame; 0 where there is none.
pub fn window_bytes(source: &Source) -> io::Result<u64> {
    if source.compression != Compression::Zstd {
        return Ok(0);
    }
    let window = first_window(&source.open()?)?;
    Ok(window.min(source.size.saturating_mul(MOST_EXPANSION)))
}

/// The largest window that is accepted in a zstd file, as log₂.
pub(super) fn window_log(file: &OpenFile) -> io::Result<u32> {
    let window = first_window(file)?;
    Ok(window.clamp(1 << WINDOW_LOG, 1 << LONGEST_WINDOW_LOG).next_power_of_two().ilog2())
}

/// The window of the first frame that is none to be skipped; 0 where there is none.
fn first_window(file: &OpenFile) -> io::Result<u64> {
    let mut at = 0;
    for _ in 0..MOST_SKIPPED {
        let mut head = [0; LONGEST_HEADER];
        let filled = file.fill_at(&mut head, at)?;
        match skippable(&head[..filled]) {
            Some(length) => at += 8 + length,
            None => return Ok(of_frame(&head[..filled]).unwrap_or(0)),
        }
    }
    Ok(0)
}

fn of_frame(head: &[u8]) -> Option<u64> {
    let rest = head.strip_prefix(b"\x28\xb5\x2f\xfd")?;
    let (&descriptor, rest) = rest.split_first()?;
    let is_single_segment = descriptor & 0x20 != 0;
    if !is_single_segment {
        let window = *rest.first()?;
        let base = 1u64 << (10 + (window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // All of it is one segment, whose length is told.
    let rest = rest.get([0, 1, 2, 4][usize::from(descriptor & 3)]..)?;
    let length = |bytes: usize| {
        let number = rest.get(..bytes)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        Some(number)
    };
    match descriptor >> 6 {
        0 => length(1),
        1 => Some(length(2)? + 256),
        2 => length(4),
        _ => length(8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn windows_are_read_from_the_header_of_a_frame() {
        let text = vec![b'x'; 70_000];
        for log in [10, 17, 23, 27] {
            let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
            encoder.window_log(log).unwrap();
            encoder.write_all(&text).unwrap();
            assert_eq!(of_frame(&encoder.finish().unwrap()), Some(1 << log));
        }
        for length in [0, 1, 255, 256, 70_000] {
            let whole = zstd::bulk::compress(&text[..length], 1).unwrap();
            assert_eq!(of_frame(&whole), Some(length as u64), "{length}");
        }
        for cut in 0..4 {
            assert_eq!(of_frame(&b"\x28\xb5\x2f\xfd"[..cut]), None);
        }
        assert_eq!(of_frame(b"\x28\xb5\x2f\xfd"), None);
    }
}
