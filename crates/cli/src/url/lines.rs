//! Lines of URLs, in bounded memory whatever comes.

use std::io::{self, BufRead, Read};

/// Longer lines are no URLs: no browser takes one over 2 MiB.
const MAX_BYTES: u64 = 2 << 20;

/// The lines of a reader.
pub(super) struct Lines<R> {
    reader: R,
    bytes: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Lines { reader, bytes: Vec::new() }
    }

    /// The next line without its end, and why it can be no URL if that is plain from its bytes.
    pub(super) fn next(&mut self) -> io::Result<Option<(String, Result<(), String>)>> {
        self.bytes.clear();
        if self.reader.by_ref().take(MAX_BYTES + 1).read_until(b'\n', &mut self.bytes)? == 0 {
            return Ok(None);
        }
        if self.bytes.last() != Some(&b'\n') && self.bytes.len() as u64 > MAX_BYTES {
            self.reader.skip_until(b'\n')?;
            let start = String::from_utf8_lossy(&self.bytes[..80]).into_owned() + "…";
            return Ok(Some((start, Err(format!("not a URL: longer than {MAX_BYTES} bytes")))));
        }
        let line = self.bytes.strip_suffix(b"\n").unwrap_or(&self.bytes);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Ok(Some(match std::str::from_utf8(line) {
            Ok(text) => (text.to_owned(), Ok(())),
            Err(_) => (String::from_utf8_lossy(line).into_owned(), Err("not a URL: not UTF-8".into())),
        }))
    }
}
