//! Gzip members (RFC 1952), one after the other.
//!
//! Taken apart here and not by the crate's reader, which keeps what came out before damage to itself: that may be all of a
//! small file.

use super::frames::{Frames, position};
use crate::source::OpenFile;
use flate2::{Crc, Decompress, FlushDecompress, Status};
use std::io::{self, BufRead, BufReader, Read};

const CHECKSUM: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;
const RESERVED: u8 = 0xe0;

/// Gzip members; zero padding behind the last one, as tape drives leave it, is no fault.
pub(super) struct GzipMembers {
    reader: BufReader<OpenFile>,
    member: u64,
    inflate: Decompress,
    checksum: Crc,
    place: Place,
}

/// Where in a member reading is.
enum Place {
    Header,
    Body,
    Trailer,
    /// At damage that is to be told, once what came out before it was handed over.
    Damage(io::Error),
    End,
}

impl GzipMembers {
    pub(super) fn new(reader: BufReader<OpenFile>) -> Self {
        let member = position(&reader);
        let inflate = Decompress::new(false);
        GzipMembers { reader, member, inflate, checksum: Crc::new(), place: Place::Header }
    }

    fn header(&mut self) -> io::Result<()> {
        let mut head = [0; 10];
        self.reader.read_exact(&mut head)?;
        let [0x1f, 0x8b, 8, flags, ..] = head else { return Err(damaged("invalid gzip header")) };
        if flags & RESERVED != 0 {
            return Err(damaged("invalid gzip header"));
        }
        if flags & EXTRA != 0 {
            let mut length = [0; 2];
            self.reader.read_exact(&mut length)?;
            self.skip(u16::from_le_bytes(length).into())?;
        }
        for text in [NAME, COMMENT] {
            if flags & text != 0 {
                self.skip_text()?;
            }
        }
        if flags & CHECKSUM != 0 {
            self.skip(2)?;
        }
        self.inflate.reset(false);
        self.checksum.reset();
        Ok(())
    }

    fn skip(&mut self, length: u64) -> io::Result<()> {
        let passed = io::copy(&mut self.reader.by_ref().take(length), &mut io::sink())?;
        if passed < length { Err(cut()) } else { Ok(()) }
    }

    fn skip_text(&mut self) -> io::Result<()> {
        loop {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                return Err(cut());
            }
            let end = memchr::memchr(0, chunk);
            let used = end.map_or(chunk.len(), |end| end + 1);
            self.reader.consume(used);
            if end.is_some() {
                return Ok(());
            }
        }
    }

    /// Decompresses some of a member; gives the bytes made.
    fn body(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let input = self.reader.fill_buf()?;
            let ended = input.is_empty();
            let before = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(input, buffer, FlushDecompress::None);
            let used = (self.inflate.total_in() - before.0) as usize;
            let made = (self.inflate.total_out() - before.1) as usize;
            self.reader.consume(used);
            self.checksum.update(&buffer[..made]);
            match status {
                Ok(Status::StreamEnd) => self.place = Place::Trailer,
                Ok(_) if made > 0 => {}
                Ok(_) if ended => return Err(cut()),
                Ok(_) => continue,
                Err(_) => self.place = Place::Damage(damaged("corrupt deflate stream")),
            }
            return Ok(made);
        }
    }

    fn trailer(&mut self) -> io::Result<()> {
        let mut trailer = [0; 8];
        self.reader.read_exact(&mut trailer)?;
        let expected = u64::from_le_bytes(trailer);
        let found = u64::from(self.checksum.sum()) | u64::from(self.checksum.amount()) << 32;
        if expected != found {
            return Err(damaged("corrupt gzip stream does not have a matching checksum"));
        }
        Ok(())
    }

    /// Whether another member starts behind padding, or the file ends.
    fn starts_member(&mut self) -> io::Result<bool> {
        loop {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                return Ok(false);
            }
            let padding = chunk.iter().position(|&byte| byte != 0).unwrap_or(chunk.len());
            let next = chunk.get(padding).copied();
            self.reader.consume(padding);
            match next {
                None => {}
                Some(0x1f) => return Ok(true),
                Some(_) => return Err(damaged("garbage behind a gzip member")),
            }
        }
    }
}

fn damaged(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn cut() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "gzip member without its end")
}

impl Read for GzipMembers {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match &mut self.place {
                Place::Header => {
                    self.header()?;
                    self.place = Place::Body;
                }
                Place::Body => {
                    let made = self.body(buffer)?;
                    if made > 0 {
                        return Ok(made);
                    }
                }
                Place::Trailer => {
                    self.trailer()?;
                    let starts = self.starts_member();
                    self.member = position(&self.reader);
                    self.place = if starts? { Place::Header } else { Place::End };
                }
                Place::Damage(error) => return Err(std::mem::replace(error, damaged("damaged before"))),
                Place::End => return Ok(0),
            }
        }
    }
}

impl Frames for GzipMembers {
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
