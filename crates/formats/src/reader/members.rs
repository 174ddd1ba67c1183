//! Gzip with one member a record: each member is inflated whole, and its place in the file is its address.

use super::{BLOCK, Framer, Progress, Step};
use crate::bad::{BadKind, BadRecord};
use crate::block::{Block, Frame, FrameKind};
use crate::compress::{MemberError, MemberInflater};
use crate::error::Error;
use crate::source::OpenFile;
use crate::warc::LOOK_PAST;
use flate2::bufread::GzDecoder;
use std::io::{self, BufReader, Read};

/// Compressed bytes read at a time.
const READ: usize = 1 << 20;
/// A member is inflated from at least this much input, or all there is.
const AHEAD: usize = 1 << 17;
/// Compressed input held at most while a member that looks damaged might only be long.
const LONGEST_INPUT: usize = 1 << 26;

/// What a member holds at most that is looked at for its end.
const NEIGHBOUR: usize = 1 << 20;

/// A record, and where in its member its content is.
type Framed = (FrameKind, std::ops::Range<usize>);

/// Line ends behind a record at most, as bytes.
const LONGEST_SEPARATOR: u64 = 8;

/// Reads members and frames the record in each.
pub struct MemberReader {
    file: OpenFile,
    framer: Box<dyn Framer>,
    inflater: MemberInflater,
    input: Vec<u8>,
    start: usize,
    filled: usize,
    ended: bool,
    /// Offset of `input[start]` in the file.
    offset: u64,
    row: u64,
    limit: usize,
}

enum Inflated {
    /// Compressed and decompressed length.
    Member(usize, usize),
    /// The block has no room left for it.
    Full,
    /// Longer than a document may be.
    Oversize,
    Bad(BadKind),
}

impl MemberReader {
    pub(super) fn new(file: OpenFile, framer: Box<dyn Framer>, limit: usize, from: (u64, u64)) -> Self {
        MemberReader {
            file,
            framer,
            inflater: MemberInflater::default(),
            input: Vec::new(),
            start: 0,
            filled: 0,
            ended: false,
            offset: from.0,
            row: from.1,
            limit,
        }
    }

    pub(super) fn file(&self) -> &OpenFile {
        &self.file
    }

    pub(super) fn position(&self) -> (u64, u64) {
        (self.offset, self.row)
    }

    pub(super) fn next_block(&mut self, block: &mut Block) -> Result<Progress, Error> {
        if block.bytes.len() < 2 * BLOCK {
            block.bytes.resize(2 * BLOCK, 0);
        }
        let mut used = 0;
        while used < BLOCK && block.frames.len() < block.most_frames {
            self.fill(AHEAD)?;
            if self.start == self.filled {
                break;
            }
            match self.inflate(block, used)? {
                Inflated::Full => break,
                Inflated::Member(taken, filled) => {
                    let Some((kind, body)) = self.frame(&block.bytes[used..used + filled], taken)? else {
                        return Ok(Progress::NotMembers);
                    };
                    self.push(block, taken as u64, used + body.start..used + body.end, kind);
                    self.consume(taken);
                    used += filled;
                }
                Inflated::Oversize if !block.frames.is_empty() => break,
                // Its head stands where the next member would be inflated to.
                Inflated::Oversize if self.oversize(block)? => used = LOOK_PAST,
                Inflated::Oversize => return Ok(Progress::NotMembers),
                Inflated::Bad(_) if self.is_padding() => {
                    let length = (self.filled - self.start) as u64;
                    self.push(block, length, 0..0, FrameKind::Filler { keep: true });
                    self.skip(length)?;
                }
                Inflated::Bad(kind) => {
                    let (length, message) = self.find_next_member(kind)?;
                    self.push(block, length, 0..0, FrameKind::Bad(BadRecord::new(kind, message)));
                    self.skip(length)?;
                }
            }
        }
        Ok(if block.frames.is_empty() { Progress::End } else { Progress::Block })
    }

    /// What the record in a member is, or `None` if it is not one record.
    fn frame(&mut self, bytes: &[u8], taken: usize) -> Result<Option<Framed>, Error> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Some((FrameKind::Filler { keep: true }, 0..0)));
        }
        let step = match self.framer.step_in_member(bytes, None) {
            Step::More => {
                let next = self.neighbour(taken)?;
                self.framer.step_in_member(bytes, Some(&next))
            }
            step => step,
        };
        Ok(match step {
            Step::Take { len, body, kind } => {
                bytes[len..].iter().all(u8::is_ascii_whitespace).then_some((kind, body))
            }
            Step::Pass { head, len } => match bytes.get(len as usize..) {
                Some(rest) => {
                    rest.iter().all(u8::is_ascii_whitespace).then_some((FrameKind::HeaderOnly, 0..head))
                }
                None => Some((FrameKind::Bad(too_short(len, bytes.len() as u64)), 0..head)),
            },
            Step::More | Step::PassOver(_) | Step::SkipLine(_) | Step::Rest(_) => None,
        })
    }

    /// What the member behind `taken` bytes holds; nothing if there is none, or if it is large or damaged.
    fn neighbour(&mut self, taken: usize) -> Result<Vec<u8>, Error> {
        // Of what does not compress, a member is a little larger than what it holds.
        self.fill(taken + NEIGHBOUR + NEIGHBOUR / 16)?;
        let mut held = vec![0; NEIGHBOUR];
        let input = &self.input[self.start + taken..self.filled];
        let filled = self.inflater.inflate(input, &mut held).map_or(0, |(_, filled)| filled);
        held.truncate(filled);
        Ok(held)
    }

    fn inflate(&mut self, block: &mut Block, used: usize) -> Result<Inflated, Error> {
        loop {
            let input = &self.input[self.start..self.filled];
            let outcome = self.inflater.inflate(input, &mut block.bytes[used..]);
            let held = input.len();
            match outcome {
                Ok((taken, filled)) => return Ok(Inflated::Member(taken, filled)),
                Err(MemberError::NoSpace) if used > 0 => return Ok(Inflated::Full),
                Err(MemberError::NoSpace) if block.bytes.len() > self.limit.saturating_add(READ) => {
                    return Ok(Inflated::Oversize);
                }
                Err(MemberError::NoSpace) if block.bytes.len() <= 4 * BLOCK && self.passes(block) => {
                    return Ok(Inflated::Oversize);
                }
                Err(MemberError::NoSpace) => {
                    let most = self.limit.saturating_add(READ + 1);
                    block.bytes.resize((block.bytes.len() * 2).min(most.max(block.bytes.len() + 1)), 0);
                }
                Err(MemberError::BadData) if !self.ended && held < LONGEST_INPUT => {
                    self.fill(held * 2)?;
                }
                Err(MemberError::BadData) => {
                    let input = &self.input[self.start..self.filled];
                    let outcome =
                        io::copy(&mut GzDecoder::new(input), &mut io::sink()).map_err(|error| error.kind());
                    let truncated = outcome == Err(io::ErrorKind::UnexpectedEof);
                    return Ok(Inflated::Bad(if truncated { BadKind::Truncated } else { BadKind::Corrupt }));
                }
            }
        }
    }

    /// Whether the record of a member is told by its head to be too large to be held, so that room for it need not be made.
    fn passes(&mut self, block: &mut Block) -> bool {
        let seen = &mut block.bytes[..LOOK_PAST];
        let read = GzDecoder::new(&self.input[self.start..self.filled]).read_exact(seen);
        read.is_ok() && matches!(self.framer.step(seen, false), Step::Pass { .. })
    }

    /// Passes over a member too long to be held, keeping its head; `false` if it is not one record.
    fn oversize(&mut self, block: &mut Block) -> Result<bool, Error> {
        self.file.seek_to(self.offset)?;
        let counted = Counted { reader: self.file.share(), count: 0 };
        let mut decoder = GzDecoder::new(BufReader::with_capacity(READ, counted));
        let seen = &mut block.bytes[..LOOK_PAST];
        let outcome = decoder.read_exact(seen).and_then(|()| io::copy(&mut decoder, &mut io::sink()));
        if let Some(fatal) = self.file.take_error() {
            return Err(fatal.into());
        }
        let reader = decoder.into_inner();
        let length = reader.get_ref().count - reader.buffer().len() as u64;
        let (kind, head) = match (outcome, self.framer.step(seen, false)) {
            (Err(error), _) => {
                (FrameKind::Bad(BadRecord::new(BadKind::Corrupt, format!("compressed data: {error}"))), 0)
            }
            (Ok(rest), Step::Pass { head, len }) => match (rest + LOOK_PAST as u64).checked_sub(len) {
                None => (FrameKind::Bad(too_short(len, rest + LOOK_PAST as u64)), head),
                Some(0..=LONGEST_SEPARATOR) => (FrameKind::HeaderOnly, head),
                Some(_) => return Ok(false),
            },
            _ => return Ok(false),
        };
        self.push(block, length, 0..head, kind);
        self.skip(length)?;
        Ok(true)
    }

    /// How far the next readable member is from the damage at the start of the input.
    fn find_next_member(&mut self, kind: BadKind) -> Result<(u64, String), Error> {
        let input = &self.input[self.start..self.filled];
        let mut probe = vec![0; 1 << 16];
        let next = memchr::memmem::find_iter(&input[1..], b"\x1f\x8b\x08").map(|at| at + 1).find(|&at| {
            !matches!(self.inflater.inflate(&input[at..], &mut probe), Err(MemberError::BadData))
        });
        let what = if kind == BadKind::Truncated {
            "gzip member ends early"
        } else {
            "gzip member does not inflate"
        };
        Ok(match next {
            Some(at) => (at as u64, what.into()),
            None if self.ended => (input.len() as u64, format!("{what}, no member follows")),
            None => (input.len() as u64 - 2, format!("{what}, no member in the next {} bytes", input.len())),
        })
    }

    /// Whether all that is left are zeroes, as tape drives leave them.
    fn is_padding(&self) -> bool {
        self.ended && self.input[self.start..self.filled].iter().all(|&byte| byte == 0)
    }

    fn push(&mut self, block: &mut Block, length: u64, body: std::ops::Range<usize>, kind: FrameKind) {
        let is_record = !matches!(kind, FrameKind::Filler { .. });
        let (offset, row) = (self.offset, self.row);
        block.frames.push(Frame { offset, length, row, start: body.start, end: body.end, kind });
        self.row += u64::from(is_record);
    }

    fn consume(&mut self, count: usize) {
        self.start += count;
        self.offset += count as u64;
    }

    /// Moves on by any number of bytes, in the buffer or beyond it.
    fn skip(&mut self, count: u64) -> Result<(), Error> {
        let buffered = (self.filled - self.start) as u64;
        if count <= buffered {
            self.consume(count as usize);
        } else {
            self.offset += count;
            (self.start, self.filled, self.ended) = (0, 0, false);
        }
        self.file.seek_to(self.offset + (self.filled - self.start) as u64)?;
        Ok(())
    }

    /// Makes sure of `wanted` unread bytes, unless the file ends before.
    fn fill(&mut self, wanted: usize) -> Result<(), Error> {
        if self.ended || self.filled - self.start >= wanted {
            return Ok(());
        }
        self.input.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        let target = wanted.max(READ);
        if self.input.len() < target {
            self.input.resize(target, 0);
        }
        while self.filled < target && !self.ended {
            match self.file.read(&mut self.input[self.filled..target]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.file.take_error().unwrap_or(error).into()),
            }
        }
        Ok(())
    }
}

fn too_short(said: u64, found: u64) -> BadRecord {
    BadRecord::new(
        BadKind::ContentLength,
        format!("record of {said} bytes, found {found} in its gzip member"),
    )
}

struct Counted<R> {
    reader: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.count += count as u64;
        Ok(count)
    }
}
