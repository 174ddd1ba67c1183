//! Where a compressed file goes on behind damage.
//!
//! A start is believed if it has the magic number and a sound header, and if the first bytes behind it decompress. The
//! work for a false one is bounded by what its few bytes could decompress to anyway, and no stretch of a file is searched
//! twice.

use super::frames::zstd_decoder;
use super::window::window_log;
use super::{Compression, skippable};
use crate::source::OpenFile;
use flate2::{Decompress, FlushDecompress, Status};
use std::io::{self, Read};
use zstd::stream::raw::Operation;

/// Bytes read at a time.
const READ: usize = 1 << 20;
/// Bytes that are looked at behind a start: more than a block of zstd takes.
const AHEAD: usize = (1 << 17) + (1 << 10);
/// The same where the start is expected, as it mostly is one.
const AHEAD_EXPECTED: usize = 1 << 12;
/// Decompressed bytes that are enough.
const ENOUGH: usize = 1 << 12;
/// Longest name or comment that is believed in a gzip header.
const LONGEST_NAME: usize = 1 << 12;
/// Starts that are looked at more closely in a file that seems to be cut, and how many decompressed bytes then.
const CLOSE_LOOKS: u32 = 1 << 12;
const ENOUGH_CLOSELY: usize = 1 << 20;
/// Bytes before an end that are looked at for members that lead there, and what all looks may decompress while such are
/// looked for.
const LONGEST_LEAD: u64 = 1 << 22;
const MOST_MADE: u64 = 1 << 28;

/// Looks for starts of members, from the front to the back.
pub(super) struct Search {
    file: OpenFile,
    size: u64,
    compression: Compression,
    inflate: Decompress,
    zstd: zstd::stream::raw::Decoder<'static>,
    output: Vec<u8>,
    /// `window[..filled]` is the file from `base` on.
    window: Vec<u8>,
    base: u64,
    filled: usize,
    close_looks: u32,
    /// Bytes that looks decompressed.
    made: u64,
}

/// What comes of decompressing a start.
enum Start {
    False,
    /// Nothing speaks against it, but there is too little of it.
    Unclear,
    Sound,
    /// It ends after so many bytes.
    Ends(usize),
}

impl Search {
    pub(super) fn new(
        file: OpenFile,
        compression: Compression,
        dictionary: Option<&[u8]>,
    ) -> io::Result<Self> {
        let size = file.file().metadata()?.len();
        let zstd = zstd_decoder(dictionary, window_log(&file)?)?;
        Ok(Search {
            file,
            size,
            compression,
            inflate: Decompress::new(false),
            zstd,
            output: vec![0; ENOUGH],
            window: Vec::new(),
            base: 0,
            filled: 0,
            close_looks: CLOSE_LOOKS,
            made: 0,
        })
    }

    /// Bytes of the file.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Whether a member starts at a place where one is expected.
    pub(super) fn starts_at(&mut self, at: u64) -> io::Result<bool> {
        let mut head = [0; AHEAD_EXPECTED];
        let filled = self.file.fill_at(&mut head[..self.magic().len()], at)?;
        if &head[..filled] != self.magic() {
            return Ok(false);
        }
        let filled = self.file.fill_at(&mut head, at)?;
        Ok(!matches!(self.look(&head[..filled], ENOUGH), Start::False))
    }

    /// The first member from `from` on behind which whole members follow each other up to `end`. A compressed file inside a
    /// member does not end where that does.
    pub(super) fn leading_to(&mut self, end: u64, from: u64) -> io::Result<Option<u64>> {
        if self.compression == Compression::Lz4 || end - from > LONGEST_LEAD {
            return Ok(None);
        }
        let mut bytes = vec![0; (end - from) as usize];
        let filled = self.file.fill_at(&mut bytes, from)?;
        let bytes = &bytes[..filled];
        for start in memchr::memmem::find_iter(bytes, self.magic()) {
            let mut at = start;
            while at < bytes.len()
                && self.made < MOST_MADE
                && let Start::Ends(length) = self.look(&bytes[at..], (MOST_MADE - self.made) as usize)
            {
                at += length;
            }
            if at == bytes.len() {
                return Ok(Some(from + start as u64));
            }
        }
        Ok(None)
    }

    /// The first member that starts at `from` or behind it. A file that `ran_out` is cut, unless what is found leads to
    /// another member or to the end: else it is a compressed file inside a member.
    pub(super) fn next(&mut self, from: u64, ran_out: bool) -> io::Result<Option<u64>> {
        let mut at = from;
        loop {
            self.slide_to(at)?;
            let window = &self.window[(at - self.base) as usize..self.filled];
            let Some(hit) = memchr::memmem::find(window, self.magic()) else {
                if self.reaches_end() {
                    return Ok(None);
                }
                // A magic number may lie across the end of the window.
                at = self.base + (self.filled - self.magic().len() + 1) as u64;
                continue;
            };
            at += hit as u64;
            self.slide_to(at)?;
            if self.is_start(at, ran_out) {
                return Ok(Some(at));
            }
            at += 1;
        }
    }

    fn magic(&self) -> &'static [u8] {
        match self.compression {
            Compression::Gzip => b"\x1f\x8b\x08",
            Compression::Zstd => b"\x28\xb5\x2f\xfd",
            Compression::Lz4 => b"\x04\x22\x4d\x18",
            Compression::None => b"",
        }
    }

    fn reaches_end(&self) -> bool {
        self.filled < READ
    }

    /// Makes sure that what is looked at of a start at `at` is in the window.
    fn slide_to(&mut self, at: u64) -> io::Result<()> {
        let end = self.base + self.filled as u64;
        let holds = at >= self.base && at <= end && (end - at >= AHEAD as u64 || self.reaches_end());
        if holds && !self.window.is_empty() {
            return Ok(());
        }
        let mut window = std::mem::take(&mut self.window);
        window.resize(READ, 0);
        let filled = self.file.fill_at(&mut window, at)?;
        (self.window, self.base, self.filled) = (window, at, filled);
        Ok(())
    }

    fn is_start(&mut self, at: u64, ran_out: bool) -> bool {
        let window = std::mem::take(&mut self.window);
        let start = (at - self.base) as usize;
        let input = &window[start..self.filled.min(start + AHEAD)];
        let is_start = if ran_out {
            self.close_looks > 0 && {
                self.close_looks -= 1;
                match self.look(input, ENOUGH_CLOSELY) {
                    Start::Ends(end) => self.leads_on(&input[end..]),
                    Start::Sound => true,
                    Start::False | Start::Unclear => false,
                }
            }
        } else {
            matches!(self.look(input, ENOUGH), Start::Sound | Start::Ends(_))
        };
        self.window = window;
        is_start
    }

    /// Whether what is behind a member may be there.
    fn leads_on(&self, rest: &[u8]) -> bool {
        match self.compression {
            _ if rest.is_empty() || rest.starts_with(self.magic()) => true,
            Compression::Gzip => rest[0] == 0,
            Compression::Zstd | Compression::Lz4 => skippable(rest).is_some(),
            Compression::None => false,
        }
    }

    /// Decompresses what may be the start of a member.
    fn look(&mut self, input: &[u8], enough: usize) -> Start {
        match self.compression {
            Compression::Gzip => self.look_gzip(input, enough),
            Compression::Zstd => self.look_zstd(input, enough),
            Compression::Lz4 => look_lz4(input),
            Compression::None => Start::False,
        }
    }

    fn look_gzip(&mut self, input: &[u8], enough: usize) -> Start {
        let Some(header) = gzip_header(input) else { return Start::False };
        let input = &input[header..];
        self.inflate.reset(false);
        loop {
            let (taken, made) = (self.inflate.total_in(), self.inflate.total_out());
            let rest = &input[taken as usize..];
            let outcome = self.inflate.decompress(rest, &mut self.output, FlushDecompress::None);
            self.made += self.inflate.total_out() - made;
            match outcome {
                Err(_) => return Start::False,
                Ok(Status::StreamEnd) => {
                    let end = self.inflate.total_in() as usize + 8;
                    return Start::Ends(header + end.min(input.len()));
                }
                Ok(_) if self.inflate.total_out() >= enough as u64 => return Start::Sound,
                Ok(_) if (self.inflate.total_in(), self.inflate.total_out()) == (taken, made) => {
                    return if made > 0 { Start::Sound } else { Start::Unclear };
                }
                Ok(_) => {}
            }
        }
    }

    fn look_zstd(&mut self, input: &[u8], enough: usize) -> Start {
        if self.zstd.reinit().is_err() {
            return Start::False;
        }
        let (mut taken, mut made) = (0, 0);
        loop {
            match self.zstd.run_on_buffers(&input[taken..], &mut self.output) {
                Err(_) => return Start::False,
                Ok(status) => {
                    (taken, made) = (taken + status.bytes_read, made + status.bytes_written);
                    self.made += status.bytes_written as u64;
                    if status.remaining == 0 {
                        return Start::Ends(taken);
                    }
                    if made >= enough {
                        return Start::Sound;
                    }
                    if status.bytes_read == 0 && status.bytes_written == 0 {
                        return if made > 0 { Start::Sound } else { Start::Unclear };
                    }
                }
            }
        }
    }
}

/// Length of a gzip header, if there is a whole one with nothing in it that must not be.
fn gzip_header(input: &[u8]) -> Option<usize> {
    const CHECKSUM: u8 = 2;
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    const RESERVED: u8 = 0xe0;
    let flags = *input.get(3)?;
    if flags & RESERVED != 0 {
        return None;
    }
    let mut len = 10;
    if flags & EXTRA != 0 {
        let extra = input.get(len..len + 2)?;
        len += 2 + usize::from(u16::from_le_bytes([extra[0], extra[1]]));
    }
    for _ in 0..(flags & (NAME | COMMENT)).count_ones() {
        let name = &input.get(len..)?[..LONGEST_NAME.min(input.len() - len)];
        len += memchr::memchr(0, name)? + 1;
    }
    len += if flags & CHECKSUM != 0 { 2 } else { 0 };
    (len <= input.len()).then_some(len)
}

/// The header of an LZ4 frame has a checksum, which is all that is looked at.
fn look_lz4(input: &[u8]) -> Start {
    let Some(flags) = input.get(4) else { return Start::False };
    let content_size = if flags & 8 != 0 { 8 } else { 0 };
    let dictionary = if flags & 1 != 0 { 4 } else { 0 };
    let Some(header) = input.get(..7 + content_size + dictionary) else { return Start::False };
    // Behind a sound header the decoder finds no block, which is no error to it.
    if lz4_flex::frame::FrameDecoder::new(header).read(&mut [0]).is_ok() {
        Start::Sound
    } else {
        Start::False
    }
}
