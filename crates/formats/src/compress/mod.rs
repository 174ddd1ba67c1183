//! Compression, told by content: gzip, zstd, lz4 or none.

mod members;

pub use members::{MemberError, MemberInflater};

use crate::source::OpenFile;
use flate2::bufread::GzDecoder;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Read, Write};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not at all.
    None,
    /// RFC 1952, one member or many.
    Gzip,
    /// RFC 8878, one frame or many.
    Zstd,
    /// LZ4 frames.
    Lz4,
}

impl Compression {
    /// Told by the first bytes of a file.
    pub fn of(head: &[u8]) -> Self {
        match head {
            [0x1f, 0x8b, 0x08, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            // A skippable frame; WARC files in zstd start with one that holds their dictionary.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            [0x04, 0x22, 0x4d, 0x18, ..] => Compression::Lz4,
            _ => Compression::None,
        }
    }
}

/// Largest zstd window that is accepted, as log₂: a frame can ask for gigabytes.
const ZSTD_WINDOW_LOG: u32 = 27;

/// Decompressed bytes asked for at a time. Decoders lose what they have made when they meet damage, so the step is
/// small; and it is the same whatever buffer the caller has, so that two readings of damaged data end at one place.
const STEP: usize = 1 << 16;

/// A decompressing reader that can tell a bad file from a bad disk.
pub struct Decoder {
    inner: Inner,
    file: OpenFile,
}

enum Inner {
    Plain,
    Compressed {
        reader: Box<dyn Read + Send>,
        /// Decompressed bytes not yet asked for are `step[start..filled]`.
        step: Box<[u8]>,
        start: usize,
        filled: usize,
    },
}

impl Decoder {
    /// Reads `file` from its current position on.
    pub fn new(file: OpenFile, compression: Compression) -> io::Result<Self> {
        let buffered = BufReader::with_capacity(1 << 18, file.share());
        let reader: Box<dyn Read + Send> = match compression {
            Compression::None => return Ok(Decoder { inner: Inner::Plain, file }),
            Compression::Gzip => Box::new(GzipMembers::new(buffered)),
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
            Compression::Lz4 => Box::new(Lz4Frames::new(buffered)),
        };
        let step = vec![0; STEP].into_boxed_slice();
        Ok(Decoder { inner: Inner::Compressed { reader, step, start: 0, filled: 0 }, file })
    }

    /// The error of the file itself, if reading it failed.
    pub(crate) fn take_file_error(&self) -> Option<io::Error> {
        self.file.take_error()
    }
}

impl Read for Decoder {
    /// Damage is [`InvalidData`](io::ErrorKind::InvalidData), an early end
    /// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof).
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Inner::Compressed { reader, step, start, filled } = &mut self.inner else {
            return self.file.read(buffer);
        };
        if start == filled {
            *start = 0;
            *filled = 0;
            *filled = reader.read(step).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof | io::ErrorKind::Interrupted => error,
                _ => io::Error::new(io::ErrorKind::InvalidData, error),
            })?;
        }
        let count = buffer.len().min(*filled - *start);
        buffer[..count].copy_from_slice(&step[*start..*start + count]);
        *start += count;
        Ok(count)
    }
}

/// Gzip members one after the other; zero padding behind the last one, as tape drives leave it, is no fault.
struct GzipMembers {
    /// The member being read; none behind the last.
    decoder: Option<GzDecoder<BufReader<OpenFile>>>,
}

impl GzipMembers {
    fn new(reader: BufReader<OpenFile>) -> Self {
        GzipMembers { decoder: Some(GzDecoder::new(reader)) }
    }

    /// Whether another member starts here; else only padding may follow.
    fn starts_member(reader: &mut BufReader<OpenFile>) -> io::Result<bool> {
        loop {
            let chunk = reader.fill_buf()?;
            match chunk.first() {
                None => return Ok(false),
                Some(0x1f) => return Ok(true),
                Some(_) if chunk.iter().any(|&byte| byte != 0) => {
                    let message = "garbage behind the last gzip member";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                Some(_) => {
                    let len = chunk.len();
                    reader.consume(len);
                }
            }
        }
    }
}

impl Read for GzipMembers {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let count = decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let mut reader = self.decoder.take().expect("present because it was just read").into_inner();
            if Self::starts_member(&mut reader)? {
                self.decoder = Some(GzDecoder::new(reader));
            }
        }
        Ok(0)
    }
}

/// LZ4 frames one after the other, as `lz4` concatenates them (the decoder reads one).
struct Lz4Frames {
    decoder: lz4_flex::frame::FrameDecoder<Watched>,
}

/// A reader that knows whether it was asked for more than it has.
struct Watched {
    reader: BufReader<OpenFile>,
    ran_out: bool,
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.ran_out |= count == 0 && !buffer.is_empty();
        Ok(count)
    }
}

impl Lz4Frames {
    fn new(reader: BufReader<OpenFile>) -> Self {
        Lz4Frames { decoder: lz4_flex::frame::FrameDecoder::new(Watched { reader, ran_out: false }) }
    }
}

impl Read for Lz4Frames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            // The decoder takes a file that stops between two blocks for one that ends. A whole frame ends with a
            // mark, behind which the decoder asks for nothing more.
            let watched = self.decoder.get_mut();
            if watched.ran_out {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "LZ4 frame without its end mark"));
            }
            if watched.reader.fill_buf()?.is_empty() {
                return Ok(0);
            }
            // It goes on with the next frame when it is read again.
        }
    }
}

/// A compressing writer.
pub enum Encoder<W: Write> {
    /// As it comes.
    Plain(W),
    /// One gzip member.
    Gzip(flate2::write::GzEncoder<W>),
    /// One zstd frame.
    Zstd(zstd::stream::write::Encoder<'static, W>),
    /// One LZ4 frame.
    Lz4(Box<lz4_flex::frame::FrameEncoder<W>>),
}

impl<W: Write> Encoder<W> {
    /// Compresses into `writer`.
    pub fn new(writer: W, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Encoder::Plain(writer),
            Compression::Gzip => {
                Encoder::Gzip(flate2::write::GzEncoder::new(writer, flate2::Compression::default()))
            }
            Compression::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(writer, 0)?;
                encoder.include_checksum(true)?;
                Encoder::Zstd(encoder)
            }
            Compression::Lz4 => {
                let info = lz4_flex::frame::FrameInfo::new().content_checksum(true);
                Encoder::Lz4(Box::new(lz4_flex::frame::FrameEncoder::with_frame_info(info, writer)))
            }
        })
    }

    /// Writes what is left and gives the writer back.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Encoder::Plain(writer) => Ok(writer),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
            Encoder::Lz4(encoder) => encoder.finish().map_err(io::Error::other),
        }
    }
}

impl<W: Write> Write for Encoder<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Encoder::Plain(writer) => writer.write(bytes),
            Encoder::Gzip(encoder) => encoder.write(bytes),
            Encoder::Zstd(encoder) => encoder.write(bytes),
            Encoder::Lz4(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Encoder::Plain(writer) => writer.flush(),
            Encoder::Gzip(encoder) => encoder.flush(),
            Encoder::Zstd(encoder) => encoder.flush(),
            Encoder::Lz4(encoder) => encoder.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compress(bytes: &[u8], compression: Compression) -> Vec<u8> {
        let mut encoder = Encoder::new(Vec::new(), compression).unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn decompress(bytes: &[u8], compression: Compression) -> (Vec<u8>, Option<io::ErrorKind>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs_err::write(file.path(), bytes).unwrap();
        let mut decoder = Decoder::new(OpenFile::open(file.path()).unwrap(), compression).unwrap();
        let mut out = Vec::new();
        let error = decoder.read_to_end(&mut out).err();
        (out, error.map(|error| error.kind()))
    }

    /// Words that no compression makes much of.
    fn noise(len: usize) -> Vec<u8> {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            b'a' + (state >> 60) as u8
        };
        (0..len).map(|_| next()).collect()
    }

    const ALL: [Compression; 3] = [Compression::Gzip, Compression::Zstd, Compression::Lz4];

    #[test]
    fn frames_and_members_follow_each_other() {
        for compression in ALL {
            let parts =
                [compress(b"one ", compression), compress(b"", compression), compress(b"two", compression)];
            assert_eq!(
                decompress(&parts.concat(), compression),
                (b"one two".to_vec(), None),
                "{compression:?}"
            );
        }
    }

    #[test]
    fn a_cut_is_never_the_end() {
        let text = noise(400);
        for compression in ALL {
            let whole = compress(&text, compression);
            for len in 1..whole.len() {
                let (out, error) = decompress(&whole[..len], compression);
                assert!(error.is_some(), "{compression:?} cut to {len} of {}", whole.len());
                assert!(text.starts_with(&out));
            }
        }
    }

    #[test]
    fn a_tail_of_zeros_is_damage_inside_a_member_and_padding_behind_it() {
        let text = noise(400);
        let whole = compress(&text, Compression::Gzip);
        for len in 1..whole.len() - 8 {
            let mut damaged = whole[..len].to_vec();
            damaged.resize(whole.len() + 1000, 0);
            assert!(decompress(&damaged, Compression::Gzip).1.is_some(), "zeros from {len}");
        }
        let padded = [whole, vec![0; 1 << 19]].concat();
        assert_eq!(decompress(&padded, Compression::Gzip), (text, None));
    }

    #[test]
    fn what_stands_before_damage_is_read() {
        let text = noise(1 << 20);
        for compression in ALL {
            let mut damaged = compress(&text, compression);
            let middle = damaged.len() / 2;
            damaged[middle..middle + 64].fill(0xff);
            let (out, error) = decompress(&damaged, compression);
            assert_eq!(error, Some(io::ErrorKind::InvalidData), "{compression:?}");
            // LZ4 and zstd work in blocks, of 4 MiB and 128 KiB at most.
            let lost = if compression == Compression::Lz4 { 1 << 20 } else { 1 << 18 };
            assert!(out.len() + lost > text.len() / 2, "{compression:?} gave {}", out.len());
        }
    }
}
