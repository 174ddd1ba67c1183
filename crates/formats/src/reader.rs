//! From a source to blocks of framed records, in bounded memory.

mod members;
mod starts;

pub use starts::start_behind;

use crate::bad::{BadKind, BadRecord};
use crate::block::{Block, Frame, FrameKind};
use crate::compress::Decoder;
use crate::error::Error;
use crate::source::{Format, Layout, OpenFile, Source};
use crate::stream::{GAP, Stream};
use crate::text::{CsvFramer, LineFramer, WholeFramer};
use crate::warc::{ArcFramer, WarcFramer};
use members::MemberReader;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// What a framer finds at the start of the unread bytes.
pub(crate) enum Step {
    /// Not enough bytes to tell; never said at the end.
    More,
    /// A record of `len` bytes with its content in `body`.
    Take { len: usize, body: Range<usize>, kind: FrameKind },
    /// A record of `len` bytes that is too large to be held; its first `head` bytes are enough to judge it.
    Pass { head: usize, len: u64 },
    /// A line too long to be held, up to its end wherever that is.
    SkipLine(BadRecord),
    /// A record too long to be held, up to the end that [`Framer::go_on`] finds.
    PassOver(BadRecord),
    /// The rest of the stream, which is not to be held.
    Rest(BadRecord),
}

/// What of the unread bytes belongs to a record that is passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Not enough bytes to tell; never said at the end.
    More,
    /// So many bytes.
    Bytes(usize),
    /// None: it has ended.
    End,
}

impl Step {
    /// A record with the whole of its bytes as content.
    pub(crate) fn take(len: usize, kind: FrameKind) -> Self {
        Step::Take { len, body: 0..len, kind }
    }

    pub(crate) fn bad(len: usize, bad: BadRecord) -> Self {
        Step::take(len, FrameKind::Bad(bad))
    }
}

/// Finds where records start and end.
pub(crate) trait Framer: Send {
    /// Looks at the unread bytes, of which there is at least one; `ended` if no more will come.
    fn step(&mut self, unread: &[u8], ended: bool) -> Step;

    /// Looks at the whole of a gzip member that is to hold one record. Says [`Step::More`] only if it has to know what the next member
    /// holds; that is nothing if there is none, or if it is large.
    fn step_in_member(&mut self, member: &[u8], next: Option<&[u8]>) -> Step {
        let _ = next;
        self.step(member, true)
    }

    /// Looks at unread bytes behind which the stream is damaged, where [`step`](Self::step) needs more of them: whether there is
    /// a whole record all the same.
    fn step_before_damage(&mut self, unread: &[u8]) -> Step {
        let _ = unread;
        Step::More
    }

    /// Goes on in the record that [`Step::PassOver`] told of, and is not asked for a step before its end. Without unread bytes only at
    /// the end.
    fn go_on(&mut self, unread: &[u8], ended: bool) -> Piece {
        let _ = (unread, ended);
        Piece::End
    }

    /// Is told that what comes next does not follow on what came last; `starts_line` if it starts a line all the same.
    fn behind_gap(&mut self, starts_line: bool) {
        let _ = starts_line;
    }

    /// Whether a stream is one record, which a gap spoils as a whole.
    fn is_one_record(&self) -> bool {
        false
    }
}

fn framer(format: Format, limit: usize) -> Box<dyn Framer> {
    match format {
        Format::Warc => Box::new(WarcFramer::new(limit)),
        Format::Arc => Box::new(ArcFramer::new(limit)),
        Format::Csv => Box::new(CsvFramer::new(b',', limit)),
        Format::Tsv => Box::new(CsvFramer::new(b'\t', limit)),
        Format::Jsonl => Box::new(LineFramer::new(limit)),
        Format::Html | Format::Text | Format::File | Format::Parquet => Box::new(WholeFramer::new(limit)),
    }
}

/// Whether decompressed bytes are one record and nothing else.
pub(crate) fn holds_one_record(bytes: &[u8], format: Format) -> bool {
    match framer(format, usize::MAX).step_in_member(bytes, Some(&[])) {
        Step::Take { len, kind: FrameKind::Record, .. } => bytes[len..].iter().all(u8::is_ascii_whitespace),
        // One that is wrong about its length is no reason to read all others in another way.
        Step::Take { len, kind: FrameKind::Bad(bad), .. } => {
            bad.kind == BadKind::ContentLength && len == bytes.len()
        }
        _ => false,
    }
}

/// Bytes of records in a block, unless one record is larger.
const BLOCK: usize = 1 << 20;

/// Reads a source block by block.
pub enum Reader {
    /// Plain files and decompressed streams.
    Stream(StreamReader),
    /// Gzip with one member a record.
    Members(Box<MemberReader>),
    /// Rows of a Parquet file.
    #[cfg(feature = "parquet")]
    Parquet(Box<crate::parquet::ParquetReader>),
}

/// What came of asking for a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The block holds at least one frame.
    Block,
    /// The source has no more records.
    End,
    /// A gzip member holds more or less than a record: the source has to be read as a stream, from the start.
    NotMembers,
}

impl Reader {
    /// Opens a source. Records over `limit` bytes are not held. `from` continues an earlier reading at the address
    /// behind its last record, with the number of records before it.
    pub fn open(
        source: &Source,
        fields: &crate::source::Fields,
        limit: usize,
        from: (u64, u64),
    ) -> Result<Self, Error> {
        Reader::opened(source, fields, limit, from, None)
    }

    /// The same, of a reader that fails once `stop` is set, also within a record. Of tables no record takes long.
    pub fn open_stoppable(
        source: &Source,
        fields: &crate::source::Fields,
        limit: usize,
        from: (u64, u64),
        stop: &'static AtomicBool,
    ) -> Result<Self, Error> {
        Reader::opened(source, fields, limit, from, Some(stop))
    }

    fn opened(
        source: &Source,
        fields: &crate::source::Fields,
        limit: usize,
        from: (u64, u64),
        stop: Option<&'static AtomicBool>,
    ) -> Result<Self, Error> {
        #[cfg(feature = "parquet")]
        if source.layout == Layout::Rows {
            let reader = crate::parquet::ParquetReader::open(source, fields, limit, from.0)?;
            return Ok(Reader::Parquet(Box::new(reader)));
        }
        let _ = fields;
        let file = source.open()?;
        file.start_digest();
        stop.into_iter().for_each(|stop| file.stop_on(stop));
        let framer = framer(source.format, limit);
        if source.layout == Layout::Members {
            file.seek_to(from.0)?;
            return Ok(Reader::Members(Box::new(MemberReader::new(file, framer, limit, from))));
        }
        let mut reader =
            if source.layout == Layout::Plain && source.format != Format::Csv && source.format != Format::Tsv
            {
                file.seek_to(from.0)?;
                let stream = Stream::new(Decoder::new(file.share(), source.compression)?).at(from.0);
                StreamReader { file, stream, framer, row: from.1 }
            } else {
                let stream = Stream::new(Decoder::new(file.share(), source.compression)?);
                StreamReader { file, stream, framer, row: 0 }
            };
        reader.skip_to(from.0)?;
        Ok(Reader::Stream(reader))
    }

    /// Fills `block` with the next records.
    pub fn next_block(&mut self, block: &mut Block) -> Result<Progress, Error> {
        block.frames.clear();
        match self {
            Reader::Stream(reader) => reader.next_block(block),
            Reader::Members(reader) => reader.next_block(block),
            #[cfg(feature = "parquet")]
            Reader::Parquet(reader) => reader.next_block(block),
        }
    }

    /// XXH3-128 of the whole file, to be asked for at the end.
    pub fn digest(&self) -> Result<u128, Error> {
        Ok(match self {
            Reader::Stream(reader) => reader.file.finish_digest()?,
            Reader::Members(reader) => reader.file().finish_digest()?,
            #[cfg(feature = "parquet")]
            Reader::Parquet(reader) => reader.digest()?,
        })
    }

    /// How far the file has been read, compressed or not; of a table, in proportion to its rows.
    pub fn bytes_read(&self) -> u64 {
        match self {
            Reader::Stream(reader) => reader.file.position(),
            Reader::Members(reader) => reader.file().position(),
            #[cfg(feature = "parquet")]
            Reader::Parquet(reader) => reader.bytes_read(),
        }
    }

    /// How much of the file the records so far took, as it is compressed; a buffer ahead of them is none of it. 0 where that is
    /// not known.
    pub fn bytes_taken(&self) -> u64 {
        match self {
            Reader::Stream(reader) => reader.stream.bytes_taken(),
            Reader::Members(_) => self.bytes_read(),
            #[cfg(feature = "parquet")]
            Reader::Parquet(_) => 0,
        }
    }

    /// Where the next record starts, and how many there were: what [`open`](Self::open) takes to continue.
    pub fn position(&self) -> (u64, u64) {
        match self {
            Reader::Stream(reader) => (reader.stream.offset(), reader.row),
            Reader::Members(reader) => reader.position(),
            #[cfg(feature = "parquet")]
            Reader::Parquet(reader) => reader.position(),
        }
    }
}

/// Frames a byte stream.
pub struct StreamReader {
    file: OpenFile,
    stream: Stream,
    framer: Box<dyn Framer>,
    row: u64,
}

impl StreamReader {
    /// Passes over records up to an address, so that a framer with a state (a CSV header) has it.
    fn skip_to(&mut self, offset: u64) -> Result<(), Error> {
        let mut block = Block::default();
        while self.stream.offset() < offset && self.next_block_until(&mut block, offset)? == Progress::Block {
            block.frames.clear();
        }
        Ok(())
    }

    fn next_block(&mut self, block: &mut Block) -> Result<Progress, Error> {
        self.next_block_until(block, u64::MAX)
    }

    fn next_block_until(&mut self, block: &mut Block, until: u64) -> Result<Progress, Error> {
        self.stream.compact();
        loop {
            let (unread, ended) = (self.stream.unread(), self.stream.ended());
            let full = self.stream.position() >= BLOCK
                || block.frames.len() >= block.most_frames
                || self.stream.offset() >= until;
            if full && !block.frames.is_empty() {
                break;
            }
            if unread.is_empty() {
                if !ended {
                    self.stream.fill()?;
                    continue;
                }
                match self.stream.take_fault() {
                    Some(fault) => return self.cut(block, fault),
                    None => break,
                }
            }
            // Behind a fault in compressed data, what looks like the last record is a piece of one.
            let step = match self.framer.step(unread, ended && !self.stream.has_fault()) {
                Step::More if ended => self.framer.step_before_damage(unread),
                step => step,
            };
            match step {
                Step::More if ended => {
                    let fault = self.stream.take_fault();
                    let fault =
                        fault.expect("a framer asks for more at the end only where a fault hides it from it");
                    return self.cut(block, fault);
                }
                Step::More => {
                    if !block.frames.is_empty() {
                        break;
                    }
                    self.stream.fill()?;
                }
                Step::Take { len, body, kind } => {
                    self.push(block, len as u64, body, kind);
                    self.stream.consume(len);
                }
                Step::Pass { .. } | Step::PassOver(_) | Step::SkipLine(_) | Step::Rest(_)
                    if !block.frames.is_empty() =>
                {
                    break;
                }
                Step::PassOver(bad) => return self.pass_record(block, bad),
                Step::Pass { head, len } => return self.pass(block, head, len),
                Step::SkipLine(bad) => return self.skip(block, bad, Some(b'\n')),
                Step::Rest(bad) => return self.skip(block, bad, None),
            }
        }
        Ok(self.hand_out(block))
    }

    fn hand_out(&mut self, block: &mut Block) -> Progress {
        if block.frames.is_empty() {
            return Progress::End;
        }
        self.stream.swap_out(&mut block.bytes);
        Progress::Block
    }

    /// Ends a block with what is left before a fault, which is a piece of a record or nothing, and goes on behind it.
    fn cut(&mut self, block: &mut Block, fault: BadRecord) -> Result<Progress, Error> {
        if self.framer.is_one_record() {
            let (offset, length, _) = self.pass_over(None)?;
            block.bytes.clear();
            return Ok(self.hand_over(block, offset, length, FrameKind::Bad(fault)));
        }
        let len = self.stream.unread().len();
        self.push(block, len as u64, 0..len, FrameKind::Bad(fault));
        self.stream.consume(len);
        if let Some(frame) = block.frames.last_mut() {
            frame.length += self.cross_gap();
        }
        Ok(self.hand_out(block))
    }

    /// Goes on behind a gap, if there is one; gives the bytes it takes of the addresses.
    fn cross_gap(&mut self) -> u64 {
        match self.stream.cross_gap() {
            Some(starts_line) => {
                self.framer.behind_gap(starts_line);
                GAP
            }
            None => 0,
        }
    }

    fn push(&mut self, block: &mut Block, length: u64, body: Range<usize>, kind: FrameKind) {
        let at = self.stream.position();
        let is_record = !matches!(kind, FrameKind::Filler { .. });
        block.frames.push(Frame {
            offset: self.stream.offset(),
            length,
            row: self.row,
            start: at + body.start,
            end: at + body.end,
            kind,
        });
        self.row += u64::from(is_record);
    }

    fn pass(&mut self, block: &mut Block, head: usize, len: u64) -> Result<Progress, Error> {
        let offset = self.stream.offset();
        block.bytes.clear();
        block.bytes.extend_from_slice(&self.stream.unread()[..head]);
        let mut left = len;
        while left > 0 {
            if self.stream.unread().is_empty() {
                if self.stream.ended() {
                    break;
                }
                self.stream.compact();
                self.stream.fill()?;
                continue;
            }
            let count = left.min(self.stream.unread().len() as u64);
            self.stream.consume(count as usize);
            left -= count;
        }
        let kind = if left == 0 {
            self.pass_separator()?;
            FrameKind::HeaderOnly
        } else {
            let message = format!("record of {len} bytes, found {} before end of file", len - left);
            let cut = BadRecord::new(BadKind::Truncated, message);
            FrameKind::Bad(self.stream.take_fault().unwrap_or(cut))
        };
        if left > 0 {
            self.cross_gap();
        }
        let length = self.stream.offset() - offset;
        block.frames.push(Frame { offset, length, row: self.row, start: 0, end: head, kind });
        self.row += 1;
        Ok(Progress::Block)
    }

    /// The line ends behind a record belong to it.
    fn pass_separator(&mut self) -> Result<(), Error> {
        self.stream.compact();
        while self.stream.unread().len() < 4 && !self.stream.ended() {
            self.stream.fill()?;
        }
        for _ in 0..2 {
            let len = match self.stream.unread() {
                [b'\n', ..] => 1,
                [b'\r', b'\n', ..] => 2,
                _ => break,
            };
            self.stream.consume(len);
        }
        Ok(())
    }

    /// Passes over a record, piece by piece.
    fn pass_record(&mut self, block: &mut Block, mut bad: BadRecord) -> Result<Progress, Error> {
        let offset = self.stream.offset();
        block.bytes.clear();
        loop {
            let (unread, ended) = (self.stream.unread(), self.stream.ended());
            let piece = match unread {
                [] if !ended => Piece::More,
                _ => self.framer.go_on(unread, ended && !self.stream.has_fault()),
            };
            match piece {
                Piece::Bytes(len) => self.stream.consume(len),
                Piece::End => break,
                // Behind a fault nothing tells where it ends.
                Piece::More if ended => {
                    self.stream.consume(self.stream.unread().len());
                    break;
                }
                Piece::More => {
                    self.stream.compact();
                    self.stream.fill()?;
                }
            }
        }
        let length = self.stream.offset() - offset;
        if bad.kind == BadKind::TooLarge {
            bad.message = format!("{}, found {length}", bad.message);
        }
        Ok(self.hand_over(block, offset, length, FrameKind::Bad(bad)))
    }

    /// Passes over what is not to be held, up to a byte or to the end.
    fn skip(&mut self, block: &mut Block, mut bad: BadRecord, until: Option<u8>) -> Result<Progress, Error> {
        let (offset, length, fault) = self.pass_over(until)?;
        bad.message = format!("{}, found {length}", bad.message);
        if let Some(fault) = fault {
            bad.message = format!("{}; {}", bad.message, fault.message);
        }
        block.bytes.clear();
        Ok(self.hand_over(block, offset, length, FrameKind::Bad(bad)))
    }

    /// Moves on behind the next such byte, or the next gap; without a byte to the end. Gives where it started, how far it
    /// came, and the first fault it came upon.
    fn pass_over(&mut self, until: Option<u8>) -> Result<(u64, u64, Option<BadRecord>), Error> {
        let (offset, mut fault) = (self.stream.offset(), None);
        loop {
            let unread = self.stream.unread();
            if let Some(end) = until.and_then(|byte| memchr::memchr(byte, unread)) {
                self.stream.consume(end + 1);
                break;
            }
            let len = unread.len();
            self.stream.consume(len);
            if self.stream.ended() {
                fault = fault.or(self.stream.take_fault());
                if self.cross_gap() == 0 || until.is_some() {
                    break;
                }
            }
            self.stream.compact();
            self.stream.fill()?;
        }
        Ok((offset, self.stream.offset() - offset, fault))
    }

    fn hand_over(&mut self, block: &mut Block, offset: u64, length: u64, kind: FrameKind) -> Progress {
        block.frames.push(Frame { offset, length, row: self.row, start: 0, end: 0, kind });
        self.row += 1;
        Progress::Block
    }
}
