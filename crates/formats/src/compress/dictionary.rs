//! The dictionary that a zstd file brings along.
//!
//! A WARC file in zstd may begin with a skippable frame that holds the dictionary of all its frames, as it is or packed
//! as a zstd frame itself: <https://iipc.github.io/warc-specifications/specifications/warc-zstd/>.

use super::frames::zstd_decoder;
use super::skippable;
use super::window::WINDOW_LOG;
use crate::source::OpenFile;
use std::io::{self, Read};
use std::sync::Arc;

/// The skippable frame that is one of a dictionary.
const FRAME: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
const DICTIONARY: [u8; 4] = [0x37, 0xa4, 0x30, 0xec];
/// Bytes of the largest dictionary that is loaded, packed or not. Those in use have about a megabyte.
const LARGEST: u64 = 1 << 26;

/// The dictionary that a file begins with. One that is too large or damaged is none: the frames that need it tell.
///
/// # Errors
/// Those of the disk.
pub(super) fn of(file: &OpenFile) -> io::Result<Option<Arc<[u8]>>> {
    let mut head = [0; 8];
    let filled = file.fill_at(&mut head, 0)?;
    if !head.starts_with(&FRAME) {
        return Ok(None);
    }
    let size = file.file().metadata()?.len();
    let length = skippable(&head[..filled]).filter(|&length| length <= LARGEST && length + 8 <= size);
    let Some(length) = length else { return Ok(None) };
    let mut content = vec![0; length as usize];
    let filled = file.fill_at(&mut content, 8)?;
    content.truncate(filled);
    let dictionary = if content.starts_with(&DICTIONARY) { Some(content) } else { unpacked(&content) };
    let dictionary = dictionary.filter(|bytes| bytes.starts_with(&DICTIONARY));
    Ok(dictionary.filter(|bytes| zstd_decoder(Some(bytes), WINDOW_LOG).is_ok()).map(Arc::from))
}

fn unpacked(packed: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(packed).ok()?;
    decoder.window_log_max(WINDOW_LOG).ok()?;
    let mut dictionary = Vec::new();
    decoder.take(LARGEST + 1).read_to_end(&mut dictionary).ok()?;
    (dictionary.len() as u64 <= LARGEST).then_some(dictionary)
}
