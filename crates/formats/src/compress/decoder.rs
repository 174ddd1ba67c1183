//! A decompressed stream, with gaps where the file is damaged.

use super::frames::{Frames, open};
use super::search::Search;
use super::{Compression, dictionary};
use crate::source::OpenFile;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

/// Decompressed bytes asked for at a time. Decoders lose what they have made when they meet damage, so the step is
/// small; and it is the same whatever buffer the caller has, so that two readings of damaged data end at one place.
const STEP: usize = 1 << 16;

/// A decompressing reader that can tell a bad file from a bad disk, and that finds the next member behind damage.
pub struct Decoder {
    packed: Option<Box<Packed>>,
    file: OpenFile,
}

/// A stretch of a compressed file that does not decompress, with a member behind it that may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// What is damaged, and where reading goes on.
    pub message: String,
    /// Whether the damaged member starts a line, as the next one then does too in all likelihood.
    pub starts_line: bool,
}

struct Packed {
    compression: Compression,
    dictionary: Option<Arc<[u8]>>,
    /// Always there but while the decoder is made anew.
    frames: Option<Box<dyn Frames>>,
    /// Decompressed bytes not yet asked for are `step[start..filled]`.
    step: Box<[u8]>,
    start: usize,
    filled: usize,
    /// Where the member starts that is being read.
    member: u64,
    /// The byte before that member and the last byte so far, in the stream.
    before: Option<u8>,
    last: Option<u8>,
    search: Option<Box<Search>>,
    /// Bytes of the file that were or will be decoded again because a member was found where the damaged one seemed to
    /// go on.
    again: u64,
}

impl Decoder {
    /// Reads `file` from its current position on.
    pub fn new(file: OpenFile, compression: Compression) -> io::Result<Self> {
        let dictionary = match compression {
            Compression::Zstd => dictionary::of(&file)?,
            _ => None,
        };
        let frames = open(buffered(&file), compression, dictionary.as_deref())?;
        let packed = frames.map(|frames| {
            Box::new(Packed {
                compression,
                dictionary,
                member: frames.member(),
                frames: Some(frames),
                step: vec![0; STEP].into_boxed_slice(),
                start: 0,
                filled: 0,
                before: None,
                last: None,
                search: None,
                again: 0,
            })
        });
        Ok(Decoder { packed, file })
    }

    /// Where in the file the member or frame starts that the last bytes came from.
    pub(crate) fn member(&self) -> u64 {
        self.packed.as_ref().map_or(0, |packed| packed.member)
    }

    /// How much of the file was decompressed, and how many bytes of what it gave were not yet asked for.
    pub(crate) fn bytes_taken(&self) -> (u64, usize) {
        match &self.packed {
            Some(packed) => {
                let taken = packed.frames.as_ref().map_or(packed.member, |frames| frames.position());
                (taken, packed.filled - packed.start)
            }
            None => (self.file.position(), 0),
        }
    }

    /// Where the member is that nothing could be read behind, and how much of the file that is, in words.
    pub(crate) fn unread(&self) -> String {
        let (member, size) = (self.member(), self.file.file().metadata().map_or(0, |about| about.len()));
        format!("; the file goes on from byte {member} for {} bytes", size.saturating_sub(member))
    }

    /// After an error of [`read`](Read::read): goes on at the next member, if there is one.
    ///
    /// # Errors
    /// Where it was the disk's error, or is one now.
    pub fn resume(&mut self, error: &io::Error) -> io::Result<Option<Gap>> {
        if let Some(fatal) = self.file.take_error() {
            return Err(fatal);
        }
        match &mut self.packed {
            Some(packed) => packed.resume(&self.file, error),
            None => Ok(None),
        }
    }
}

fn buffered(file: &OpenFile) -> BufReader<OpenFile> {
    BufReader::with_capacity(1 << 18, file.share())
}

impl Read for Decoder {
    /// Damage is [`InvalidData`](io::ErrorKind::InvalidData), an early end
    /// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof).
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(packed) = &mut self.packed else { return self.file.read(buffer) };
        if packed.start == packed.filled {
            packed.fill().map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof | io::ErrorKind::Interrupted => error,
                _ => io::Error::new(io::ErrorKind::InvalidData, error),
            })?;
        }
        let count = buffer.len().min(packed.filled - packed.start);
        buffer[..count].copy_from_slice(&packed.step[packed.start..packed.start + count]);
        packed.start += count;
        Ok(count)
    }
}

impl Packed {
    fn fill(&mut self) -> io::Result<()> {
        (self.start, self.filled) = (0, 0);
        let Some(frames) = &mut self.frames else { return Ok(()) };
        let read = frames.read(&mut self.step);
        if frames.member() != self.member {
            (self.member, self.before) = (frames.member(), self.last);
        }
        self.filled = read?;
        self.last = self.step[..self.filled].last().copied().or(self.last);
        Ok(())
    }

    fn resume(&mut self, file: &OpenFile, error: &io::Error) -> io::Result<Option<Gap>> {
        let Some(frames) = &self.frames else { return Ok(None) };
        let (member, noticed) = (self.member, frames.position());
        let search = match &mut self.search {
            Some(search) => search,
            none => none.insert(Box::new(Search::new(
                file.share(),
                self.compression,
                self.dictionary.as_deref(),
            )?)),
        };
        // A member of which only the checksum is wrong ends where the next one starts; so may one that ran on over the
        // members behind it, and those are told by leading there, too. Else the decoder may have run past that start
        // before it noticed; but not again and again, or members made to overlap would be decoded for ever.
        let next = if noticed > member && search.starts_at(noticed)? {
            Some(search.leading_to(noticed, member + 1)?.unwrap_or(noticed))
        } else {
            let from = if self.again > search.size() { noticed } else { member };
            let ran_out = error.kind() == io::ErrorKind::UnexpectedEof;
            search.next(from + 1, ran_out)?
        };
        let Some(next) = next else { return Ok(None) };
        self.again += noticed.saturating_sub(next);
        let reader = self.frames.take().and_then(|frames| frames.into_reader());
        let mut reader = reader.unwrap_or_else(|| buffered(file));
        // Mostly near by, and then in the buffer.
        let there = file.position() - reader.buffer().len() as u64;
        reader.seek_relative(next as i64 - there as i64)?;
        self.frames = open(reader, self.compression, self.dictionary.as_deref())?;
        let part = self.compression.part();
        let starts_line = self.before.is_none_or(|byte| byte == b'\n');
        // Records come out before the damage behind them is seen, or the checksum at the end.
        let message = format!(
            "{part} at byte {member} is damaged: {error}; what was read of it may be altered, the next one is at byte {next}"
        );
        // What stands before the next one is not known, and may be taken for what stands before this one.
        (self.member, self.last) = (next, self.before);
        Ok(Some(Gap { message, starts_line }))
    }
}
