//! Compression, told by content: gzip, zstd, lz4 or none.

mod members;

pub use members::{MemberError, MemberInflater};

use crate::source::OpenFile;
use flate2::bufread::MultiGzDecoder;
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

/// A decompressing reader that can tell a bad file from a bad disk.
pub struct Decoder {
    inner: Inner,
    file: OpenFile,
}

enum Inner {
    Plain,
    Boxed(Box<dyn Read + Send>),
}

impl Decoder {
    /// Reads `file` from its current position on.
    pub fn new(file: OpenFile, compression: Compression) -> io::Result<Self> {
        let buffered = BufReader::with_capacity(1 << 18, file.share());
        let inner = match compression {
            Compression::None => Inner::Plain,
            Compression::Gzip => {
                Inner::Boxed(Box::new(GzipStream { decoder: Some(MultiGzDecoder::new(buffered)) }))
            }
            Compression::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(buffered)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Inner::Boxed(Box::new(decoder))
            }
            Compression::Lz4 => Inner::Boxed(Box::new(Lz4Frames::new(buffered))),
        };
        Ok(Decoder { inner, file })
    }

    /// The error of the file itself, if reading it failed.
    pub(crate) fn take_file_error(&self) -> Option<io::Error> {
        self.file.take_error()
    }
}

impl Read for Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.inner {
            Inner::Plain => self.file.read(buffer),
            Inner::Boxed(reader) => reader.read(buffer),
        }
    }
}

/// Gzip members one after the other; zero padding behind the last one, as tape drives leave it, is no fault.
struct GzipStream {
    decoder: Option<MultiGzDecoder<BufReader<OpenFile>>>,
}

impl Read for GzipStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(decoder) = &mut self.decoder else { return Ok(0) };
        match decoder.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                let mut rest = self.decoder.take().expect("present because it was just read").into_inner();
                loop {
                    let chunk = rest.fill_buf()?;
                    if chunk.is_empty() {
                        return Ok(0);
                    }
                    if chunk.iter().any(|&byte| byte != 0) {
                        return Err(io::Error::new(
                            io::ErrorKind::InvalidData,
                            "garbage behind the last gzip member",
                        ));
                    }
                    let len = chunk.len();
                    rest.consume(len);
                }
            }
            other => other,
        }
    }
}

/// LZ4 frames one after the other, as `lz4` concatenates them (the decoder reads one).
struct Lz4Frames {
    decoder: lz4_flex::frame::FrameDecoder<BufReader<OpenFile>>,
}

impl Lz4Frames {
    fn new(reader: BufReader<OpenFile>) -> Self {
        Lz4Frames { decoder: lz4_flex::frame::FrameDecoder::new(reader) }
    }
}

impl Read for Lz4Frames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if self.decoder.get_mut().fill_buf()?.is_empty() {
                return Ok(0);
            }
            // The decoder goes on with the next frame when it is read again.
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
            Compression::Zstd => Encoder::Zstd(zstd::stream::write::Encoder::new(writer, 0)?),
            Compression::Lz4 => Encoder::Lz4(Box::new(lz4_flex::frame::FrameEncoder::new(writer))),
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
