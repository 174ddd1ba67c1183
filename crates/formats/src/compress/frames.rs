//! The members or frames of a compressed file, one after the other, and where each starts.

use super::gzip::GzipMembers;
use super::window::window_log;
use super::{Compression, skippable};
use crate::source::OpenFile;
use lz4_flex::frame::FrameDecoder;
use std::io::{self, BufRead, BufReader, Read};
use std::num::NonZeroU32;
use zstd::stream::raw::{DParameter, Operation};

/// Decompresses what comes; a read gives bytes of one member.
pub(super) trait Frames: Read + Send {
    /// Where in the file the member starts that the last read was about.
    fn member(&self) -> u64;

    /// How far the file has been used. After an error of zstd that is a place before it.
    fn position(&self) -> u64;

    /// The reader behind it, to start anew.
    fn into_reader(self: Box<Self>) -> Option<BufReader<OpenFile>>;
}

/// Reads from where `reader` is; zstd by its dictionary, if there is one.
pub(super) fn open(
    reader: BufReader<OpenFile>,
    compression: Compression,
    dictionary: Option<&[u8]>,
) -> io::Result<Option<Box<dyn Frames>>> {
    let member = position(&reader);
    Ok(Some(match compression {
        Compression::None => return Ok(None),
        Compression::Gzip => Box::new(GzipMembers::new(reader)),
        Compression::Zstd => {
            let decoder = zstd_decoder(dictionary, window_log(reader.get_ref())?)?;
            let (inside, dictionary) = (false, None);
            Box::new(ZstdFrames { decoder, reader, member, inside, dictionary, wanted: 0, is_full: false })
        }
        Compression::Lz4 => {
            let decoder = FrameDecoder::new(Watched { reader, ran_out: false });
            Box::new(Lz4Frames { decoder: Some(decoder), member, inside: false })
        }
    }))
}

pub(super) fn position(reader: &BufReader<OpenFile>) -> u64 {
    reader.get_ref().position() - reader.buffer().len() as u64
}

/// A decoder that takes windows up to `window_log`.
pub(super) fn zstd_decoder(
    dictionary: Option<&[u8]>,
    window_log: u32,
) -> io::Result<zstd::stream::raw::Decoder<'static>> {
    let mut decoder = zstd::stream::raw::Decoder::with_dictionary(dictionary.unwrap_or_default())?;
    decoder.set_parameter(DParameter::WindowLogMax(window_log))?;
    Ok(decoder)
}

/// Zstd frames, skippable ones included.
///
/// At damage the library keeps to itself what the same call made before it. So it gets a block at a time, and none before the
/// last one has come out.
struct ZstdFrames {
    decoder: zstd::stream::raw::Decoder<'static>,
    reader: BufReader<OpenFile>,
    member: u64,
    /// Whether a frame has begun and not ended.
    inside: bool,
    /// The dictionary that it was made with.
    dictionary: Option<NonZeroU32>,
    /// Bytes up to the end of the block or header that comes next.
    wanted: usize,
    /// Whether the last call filled its buffer, so that more of a block may be left.
    is_full: bool,
}

/// The least bytes that a zstd frame is told by.
const ZSTD_START: usize = 5;

impl Read for ZstdFrames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let input = self.reader.fill_buf()?;
            let ended = input.is_empty();
            if !self.inside {
                if ended {
                    return Ok(0);
                }
                let length = input.len() as u64;
                self.member = self.reader.get_ref().position() - length;
                self.decoder.reinit()?;
                self.dictionary = zstd::zstd_safe::get_dict_id_from_frame(self.reader.buffer());
                (self.inside, self.wanted, self.is_full) = (true, ZSTD_START, false);
            }
            let input = self.reader.buffer();
            // Behind the end of the file there may be something left to be handed out, too.
            let given = if self.is_full { 0 } else { self.wanted.max(1).min(input.len()) };
            let status = self.decoder.run_on_buffers(&input[..given], buffer);
            let status = status.map_err(|error| named(error, self.dictionary))?;
            self.reader.consume(status.bytes_read);
            (self.inside, self.wanted) = (status.remaining > 0, status.remaining);
            self.is_full = !buffer.is_empty() && status.bytes_written == buffer.len();
            if status.bytes_written > 0 || buffer.is_empty() {
                return Ok(status.bytes_written);
            }
            if self.inside && ended {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "zstd frame without its end"));
            }
        }
    }
}

/// An error of zstd; of a frame that needs a dictionary, one that names it.
fn named(error: io::Error, id: Option<NonZeroU32>) -> io::Error {
    // The library's own text is all that there is of the kind of its errors.
    if error.to_string() != "Dictionary mismatch" {
        return error;
    }
    let name = id.map_or("a dictionary".into(), |id| format!("the dictionary {id}"));
    let message = format!("needs {name}, which the file does not begin with");
    io::Error::new(io::ErrorKind::InvalidData, message)
}

impl Frames for ZstdFrames {
    fn member(&self) -> u64 {
        self.member
    }

    fn position(&self) -> u64 {
        position(&self.reader)
    }

    fn into_reader(self: Box<Self>) -> Option<BufReader<OpenFile>> {
        Some(self.reader)
    }
}

/// LZ4 frames as `lz4` concatenates them. The decoder reads one, and trips over skippable ones and over a next one with
/// blocks of another size.
struct Lz4Frames {
    /// Always there but for a moment between two frames.
    decoder: Option<FrameDecoder<Watched>>,
    member: u64,
    /// Whether a frame has begun and not ended.
    inside: bool,
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

impl Read for Lz4Frames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            if !self.inside {
                let reader = &mut decoder.get_mut().reader;
                self.member = position(reader);
                while pass_skippable(reader)? {
                    self.member = position(reader);
                }
                if reader.fill_buf()?.is_empty() {
                    break;
                }
                self.inside = true;
                self.decoder = self.decoder.take().map(|decoder| FrameDecoder::new(decoder.into_inner()));
                continue;
            }
            let count = decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            // The decoder takes a file that stops between two blocks for one that ends. A whole frame ends with a
            // mark, behind which the decoder asks for nothing more.
            if decoder.get_ref().ran_out {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "LZ4 frame without its end mark"));
            }
            self.inside = false;
        }
        Ok(0)
    }
}

/// Passes over a skippable frame, if one starts here.
fn pass_skippable(reader: &mut BufReader<OpenFile>) -> io::Result<bool> {
    let mut head = Vec::new();
    reader.by_ref().take(8).read_to_end(&mut head)?;
    let Some(length) = skippable(&head) else {
        reader.seek_relative(-(head.len() as i64))?;
        return Ok(false);
    };
    let passed = io::copy(&mut reader.by_ref().take(length), &mut io::sink())?;
    if passed < length {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "skippable frame without its end"));
    }
    Ok(true)
}

impl Frames for Lz4Frames {
    fn member(&self) -> u64 {
        self.member
    }

    fn position(&self) -> u64 {
        self.decoder.as_ref().map_or(self.member, |decoder| position(&decoder.get_ref().reader))
    }

    fn into_reader(self: Box<Self>) -> Option<BufReader<OpenFile>> {
        self.decoder.map(|decoder| decoder.into_inner().reader)
    }
}
