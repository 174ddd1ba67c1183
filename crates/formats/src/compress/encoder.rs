//! A compressing writer.

use super::Compression;
use flate2::write::GzEncoder;
use lz4_flex::frame::{FrameEncoder, FrameInfo};
use std::io::{self, Write};
use zstd::stream::raw::{CParameter, Operation};
use zstd::stream::zio;

/// Compresses what is written, as one member or frame until the next is begun.
pub enum Encoder<W: Write> {
    /// As it comes.
    Plain(W),
    /// Gzip members.
    Gzip(GzEncoder<W>),
    /// Zstd frames.
    Zstd(zio::Writer<W, zstd::stream::raw::Encoder<'static>>),
    /// LZ4 frames.
    Lz4(Box<FrameEncoder<W>>),
}

impl<W: Write> Encoder<W> {
    /// Compresses into `writer`.
    pub fn new(writer: W, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Encoder::Plain(writer),
            Compression::Gzip => Encoder::Gzip(GzEncoder::new(writer, flate2::Compression::default())),
            Compression::Zstd => {
                let mut encoder = zstd::stream::raw::Encoder::new(zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.set_parameter(CParameter::ChecksumFlag(true))?;
                Encoder::Zstd(zio::Writer::new(writer, encoder))
            }
            Compression::Lz4 => {
                let info = FrameInfo::new().content_checksum(true);
                Encoder::Lz4(Box::new(FrameEncoder::with_frame_info(info, writer)))
            }
        })
    }

    /// Ends the member or frame and begins the next.
    pub fn restart(self) -> io::Result<Self> {
        Ok(match self {
            Encoder::Plain(writer) => Encoder::Plain(writer),
            Encoder::Gzip(encoder) => Self::new(encoder.finish()?, Compression::Gzip)?,
            Encoder::Zstd(mut writer) => {
                writer.finish()?;
                // Its tables are large, and serve again.
                let (writer, mut encoder) = writer.into_inner();
                encoder.reinit()?;
                Encoder::Zstd(zio::Writer::new(writer, encoder))
            }
            Encoder::Lz4(mut encoder) => {
                encoder.try_finish().map_err(io::Error::other)?;
                Encoder::Lz4(encoder)
            }
        })
    }

    /// Writes what is left and gives the writer back.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Encoder::Plain(writer) => Ok(writer),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(mut writer) => {
                writer.finish()?;
                Ok(writer.into_inner().0)
            }
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
