//! A segment: sorted keys of many documents in one file that never changes.
//!
//! ```text
//! header    "onefsegm" | version u32 = 1 | 0 u32
//! section   blocks | for each block: first key u64, offset u64; end of the last u64 | filter, see `filter`
//! …
//! table     for each section, 144 bytes:
//!           kind u32 | coding u8 | number bits u8 | filtered u8 | 0 u8 | entries u64 | start u64 | block bytes u64 |
//!           filter bytes u64 | code lengths u8 × 65 | 0 u8 × 7 | checksum of blocks u64 | checksum of the rest u64 | 0 u64 × 2
//! trailer   start of the table u64 | sections u32 | 0 u32 | length of the file u64 | checksum u64
//! ```
//!
//! Numbers are little-endian, checksums XXH3-64 with seed 0; the trailer's is over header, table and the trailer before
//! it. Kinds: 0 ids, 1 digests, 2 bands, 16 + t the fingerprints permuted for table t, 1024 + 8·t + j those of its long
//! runs permuted for its finer table j.

mod cursor;
mod write;

use crate::error::Error;
use crate::filter::Filter;
use crate::folder::Folder;
use crate::huffman::{Code, SYMBOLS};
use crate::lockstep::Lane;
use crate::row::{Number, Reader};
use crate::runs::{self, Runs};
use crate::section::{BLOCK, Coding, Directory, Entry, Layout, Next, Place, Start};
pub(crate) use cursor::Cursor;
use std::ops::{ControlFlow, RangeInclusive};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
pub(crate) use write::{Source, write};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const MAGIC: &[u8; 8] = b"onefsegm";
const VERSION: u32 = 1;
const HEADER: u64 = 16;
const TABLE_ROW: usize = 144;
const TRAILER: u64 = 32;
/// No block is longer: 128 entries of 12 + 63 + 64 bits.
const MOST_BLOCK_BYTES: usize = 4096;

/// What a section's keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Kind(pub(crate) u32);

impl Kind {
    pub(crate) const IDS: Kind = Kind(0);
    pub(crate) const DIGESTS: Kind = Kind(1);
    pub(crate) const BANDS: Kind = Kind(2);

    pub(crate) fn table(table: usize) -> Kind {
        Kind(16 + table as u32)
    }

    /// Long runs of a table, in the order of a finer one.
    pub(crate) fn finer(table: usize, part: usize) -> Kind {
        Kind(1024 + 8 * table as u32 + part as u32)
    }

    /// Whether its entries are made from those of another kind.
    pub(crate) fn is_finer(self) -> bool {
        self.0 >= 1024
    }

    /// Fingerprints are looked up by ranges of keys, and always: they stay in memory and need no filter.
    fn is_table(self) -> bool {
        self.0 >= 16
    }
}

struct Section {
    kind: Kind,
    layout: Layout,
    directory: Directory,
    start: u64,
    block_bytes: u64,
    checksum: u64,
    /// The blocks, where they are held in memory.
    memory: Option<Vec<u8>>,
    /// Where runs of keys are, if blocks are plain and in memory.
    runs: Option<Runs>,
}

/// A segment, open.
pub(crate) struct Segment {
    pub(crate) number: u64,
    file: fs_err::File,
    sections: Vec<Section>,
}

impl Segment {
    /// Opens a segment and checks all of it that is held in memory.
    pub(crate) fn open(folder: &Folder, number: u64) -> Result<Self, Error> {
        let path = folder.segment_path(number);
        let file = fs_err::File::open(&path)?;
        let bad = |what: &str| Error::damaged(&path, what);
        let length = file.metadata()?.len();
        if length < HEADER + TRAILER {
            return Err(bad("too short for a segment"));
        }
        let header = read(&file, 0, HEADER)?;
        let trailer = read(&file, length - TRAILER, TRAILER)?;
        if &header[..8] != MAGIC {
            return Err(bad("no segment"));
        }
        let version = Reader::new(&header[8..]).u32().map_err(|_| bad("header"))?;
        if version > VERSION {
            return Err(Error::Version { path, found: version, known: VERSION });
        }
        let mut fields = Reader::new(&trailer);
        let mut field = || fields.u64().map_err(|_| bad("trailer"));
        let (table_start, count, written, checksum) = (field()?, field()?, field()?, field()?);
        let table_bytes = (length - TRAILER).checked_sub(table_start).filter(|_| written == length);
        let table_bytes = table_bytes.ok_or_else(|| bad("cut short or grown"))?;
        let table = read(&file, table_start, table_bytes)?;
        let body = &trailer[..TRAILER as usize - 8];
        if xxh3_64(&[&header[..], &table, body].concat()) != checksum {
            return Err(bad("checksum of the table of sections does not match"));
        }
        if count.checked_mul(TABLE_ROW as u64) != Some(table.len() as u64) {
            return Err(bad("table of sections has another length"));
        }
        let rows = table.as_chunks::<TABLE_ROW>().0;
        let sections = rows.iter().map(|row| Section::open(row, &file, &path)).collect::<Result<_, _>>()?;
        Ok(Segment { number, file, sections })
    }

    fn section(&self, kind: Kind) -> Option<&Section> {
        self.sections.iter().find(|section| section.kind == kind)
    }

    /// Visits the entries of a kind whose keys are in a range.
    pub(crate) fn visit(
        &self,
        kind: Kind,
        keys: RangeInclusive<u64>,
        take: impl FnMut(u64, Place<'_>) -> Next,
    ) -> Result<(), Error> {
        let Some(section) = self.section(kind) else { return Ok(()) };
        let read =
            |block: usize, use_bytes: &mut dyn FnMut(&[u8])| section.block(&self.file, block, use_bytes);
        Ok(section.directory.visit(&section.layout, keys, read, take)?)
    }

    /// The blocks of a kind in which keys of a range may be, with the fingerprint that is looked for, if they are in memory
    /// and at most so many.
    pub(crate) fn short_run(
        &self,
        kind: Kind,
        keys: RangeInclusive<u64>,
        own: u64,
        most: usize,
    ) -> Option<ShortRun<'_>> {
        let Some(section) = self.section(kind) else { return Some(ShortRun::default()) };
        let memory = section.memory.as_deref()?;
        let (end, all) = (*keys.end(), section.directory.entries as usize);
        let entries = match &section.runs {
            Some(runs) => runs.holding(&keys),
            None if section.layout.coding == Coding::Plain => return None,
            None => {
                let blocks = section.directory.blocks_of(keys, most)?;
                blocks.start * BLOCK..(blocks.end * BLOCK).min(all)
            }
        };
        (entries.len() <= most * BLOCK).then_some(ShortRun {
            held: Some((section, memory)),
            entries,
            own,
            end,
        })
    }

    /// Visits the documents that have a key.
    pub(crate) fn get(&self, kind: Kind, key: u64, mut take: impl FnMut(Number)) -> Result<(), Error> {
        let Some(section) = self.section(kind) else { return Ok(()) };
        if section.directory.filter.as_ref().is_some_and(|filter| !filter.may_hold(key)) {
            return Ok(());
        }
        self.visit(kind, key..=key, |_, place| {
            take(place.number());
            Next::Entry
        })
    }

    /// Whether there is an entry of a kind in a range of keys.
    pub(crate) fn any(&self, kind: Kind, keys: RangeInclusive<u64>) -> Result<bool, Error> {
        let mut any = false;
        let first = keys.start().to_owned();
        if self.section(kind).is_some() {
            // The first entry decides, and it is in the first block or at the start of the next.
            self.visit(kind, first..=*keys.end(), |_, _| {
                any = true;
                Next::Done
            })?;
        }
        Ok(any)
    }

    /// Entries of a kind.
    pub(crate) fn entries(&self, kind: Kind) -> u64 {
        self.section(kind).map_or(0, |section| section.directory.entries)
    }

    /// Entries of all kinds, by which segments are weighed against each other.
    pub(crate) fn weight(&self) -> u64 {
        self.sections.iter().map(|section| section.directory.entries).sum()
    }

    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> + '_ {
        self.sections.iter().map(|section| section.kind)
    }

    /// Bytes of a kind: its blocks with their directory.
    pub(crate) fn bytes_of(&self, kind: Kind) -> u64 {
        self.section(kind).map_or(0, |section| section.block_bytes + section.directory.blocks() as u64 * 16)
    }

    /// Bytes on disk.
    pub(crate) fn file_bytes(&self) -> Result<u64, Error> {
        Ok(self.file.metadata()?.len())
    }

    /// Bytes held in memory.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let held = |section: &Section| section.memory.as_ref().map_or(0, |bytes| bytes.len() as u64);
        let runs = |section: &Section| section.runs.as_ref().map_or(0, Runs::bytes);
        self.sections.iter().map(|section| section.directory.bytes() + held(section) + runs(section)).sum()
    }

    /// Blocks of a kind.
    pub(crate) fn blocks(&self, kind: Kind) -> usize {
        self.section(kind).map_or(0, |section| section.directory.blocks())
    }

    /// Entries of some blocks of a kind, in order.
    pub(crate) fn each(
        &self,
        kind: Kind,
        blocks: std::ops::Range<usize>,
        mut take: impl FnMut(Entry),
    ) -> Result<(), Error> {
        let Some(section) = self.section(kind) else { return Ok(()) };
        for block in blocks {
            let (count, first) = (section.directory.count(block), section.directory.first_key(block));
            section.block(&self.file, block, &mut |bytes| {
                let _ = section.layout.read(bytes, count, first, |key, place| {
                    take((key, place.number()));
                    ControlFlow::Continue(())
                });
            })?;
        }
        Ok(())
    }

    /// Entries of a kind in order, a block at a time.
    pub(crate) fn cursor(&self, kind: Kind) -> Option<Cursor<'_>> {
        let section = self.section(kind)?;
        Some(Cursor { section, file: &self.file, block: 0, entries: Vec::new(), at: 0 })
    }

    /// Reads everything: checksums, order, directory, filter.
    pub(crate) fn verify(&self, path: &Path) -> Result<(), Error> {
        for section in &self.sections {
            let bad = |what: &str| Error::damaged(path, format!("section {}: {what}", section.kind.0));
            let mut sum = Xxh3::new();
            let mut last = None;
            let directory = &section.directory;
            for block in 0..directory.blocks() {
                let first = directory.first_key(block);
                let mut sound = true;
                let mut seen = 0;
                section.block_from_disk(&self.file, block, &mut |bytes| {
                    sum.update(bytes);
                    let _ = section.layout.read(bytes, directory.count(block), first, |key, place| {
                        let number = place.number();
                        sound &= last < Some((key, number)) && (seen > 0 || key == first);
                        sound &= directory.filter.as_ref().is_none_or(|filter| filter.may_hold(key));
                        last = Some((key, number));
                        seen += 1;
                        ControlFlow::Continue(())
                    });
                })?;
                if !sound || seen != directory.count(block) {
                    return Err(bad(&format!("block {block} is out of order")));
                }
            }
            if sum.digest() != section.checksum {
                return Err(bad("checksum of the blocks does not match"));
            }
        }
        Ok(())
    }
}

impl Section {
    fn open(row: &[u8; TABLE_ROW], file: &fs_err::File, path: &Path) -> Result<Self, Error> {
        let bad = |what: &str| Error::damaged(path, what);
        let mut fields = Reader::new(row);
        let parsed = (|| {
            let kind = Kind(fields.u32()?);
            let [coding, width, filtered, _] = fields.array()?;
            let [entries, start, block_bytes, filter_bytes] =
                [fields.u64()?, fields.u64()?, fields.u64()?, fields.u64()?];
            let lengths: [u8; SYMBOLS] = fields.array()?;
            fields.take(7)?;
            Ok((
                kind,
                coding,
                width,
                filtered,
                [entries, start, block_bytes, filter_bytes],
                lengths,
                [fields.u64()?, fields.u64()?],
            ))
        })();
        let (kind, coding, width, filtered, [entries, start, block_bytes, filter_bytes], lengths, sums) =
            parsed.map_err(|_: crate::row::Damaged| bad("row of a section"))?;
        let coding = match coding {
            0 => Coding::Plain,
            1 => Coding::Coded,
            _ => return Err(bad("unknown coding")),
        };
        let code = Code::from_lengths(lengths).ok_or_else(|| bad("no code"))?;
        let blocks = entries.div_ceil(BLOCK as u64) as usize;
        let rest_start = start.checked_add(block_bytes);
        let rest_place = rest_start.zip((blocks as u64 * 16 + 8).checked_add(filter_bytes));
        let (rest_start, rest_bytes) = rest_place.ok_or_else(|| bad("a section of impossible length"))?;
        let rest = read(file, rest_start, rest_bytes)?;
        if xxh3_64(&rest) != sums[1] {
            return Err(bad("checksum of a directory does not match"));
        }
        let (pairs, rest) = rest.split_at(blocks * 16);
        let number = |bytes: &[u8]| Reader::new(bytes).u64().unwrap_or_default();
        let mut directory = Directory::default();
        directory.entries = entries;
        for pair in pairs.as_chunks::<16>().0 {
            directory.starts.push(Start { key: number(&pair[..8]), offset: number(&pair[8..]) });
        }
        directory.end = number(rest);
        directory.filter = (filtered == 1).then(|| Filter::from_bytes(&rest[8..]));
        let bounded = |block: usize| {
            let span = directory.span(block);
            span.start <= span.end && span.len() <= MOST_BLOCK_BYTES
        };
        if !(0..blocks).all(bounded) || directory.end > block_bytes || width > 64 {
            return Err(bad("blocks of impossible length"));
        }
        let memory = if kind.is_table() { Some(read(file, start, block_bytes)?) } else { None };
        if memory.as_ref().is_some_and(|bytes| xxh3_64(bytes) != sums[0]) {
            return Err(bad("checksum of the blocks does not match"));
        }
        let layout = Layout { coding, width: width.into(), code };
        let directory = directory.finish();
        let mut section =
            Section { kind, layout, directory, start, block_bytes, checksum: sums[0], memory, runs: None };
        section.runs = section.find_runs();
        Ok(section)
    }

    /// Where runs are, if all blocks are plain, in memory and where they are expected.
    fn find_runs(&self) -> Option<Runs> {
        let memory = self.memory.as_deref()?;
        let directory = &self.directory;
        let expected = |block: usize| {
            Some(directory.span(block)) == self.layout.plain_span(block, directory.count(block))
        };
        if !(0..directory.blocks()).all(expected) {
            return None;
        }
        let keys = (0..directory.blocks()).flat_map(|block| {
            let keys =
                memory.get(directory.span(block)).and_then(|bytes| bytes.get(..directory.count(block) * 8));
            keys.unwrap_or_default().as_chunks::<8>().0.iter().map(|key| u64::from_le_bytes(*key))
        });
        Runs::of(directory.entries, keys)
    }

    fn block(
        &self,
        file: &fs_err::File,
        block: usize,
        use_bytes: &mut dyn FnMut(&[u8]),
    ) -> std::io::Result<()> {
        let Some(memory) = &self.memory else { return self.block_from_disk(file, block, use_bytes) };
        use_bytes(self.bytes(memory, block));
        Ok(())
    }

    /// The bytes of a block that is held in memory.
    fn bytes<'m>(&self, memory: &'m [u8], block: usize) -> &'m [u8] {
        let known =
            self.runs.as_ref().and_then(|_| self.layout.plain_span(block, self.directory.count(block)));
        let span = known.unwrap_or_else(|| self.directory.span(block));
        // Bits are read eight bytes at a time, so a few more than the block's own save a copy.
        let more = if self.layout.coding == Coding::Coded { 8 } else { 0 };
        &memory[span.start..(span.end + more).min(memory.len())]
    }

    fn block_from_disk(
        &self,
        file: &fs_err::File,
        block: usize,
        use_bytes: &mut dyn FnMut(&[u8]),
    ) -> std::io::Result<()> {
        let span = self.directory.span(block);
        let mut buffer = [0; MOST_BLOCK_BYTES];
        let bytes = &mut buffer[..span.len()];
        read_exact_at(file, bytes, self.start + span.start as u64)?;
        use_bytes(bytes);
        Ok(())
    }
}

/// Entries of a section in which a fingerprint is looked for.
#[derive(Clone, Default)]
pub(crate) struct ShortRun<'s> {
    held: Option<(&'s Section, &'s [u8])>,
    entries: std::ops::Range<usize>,
    own: u64,
    end: u64,
}

impl<'s> ShortRun<'s> {
    /// Their blocks, to be read.
    pub(crate) fn lanes(self) -> impl Iterator<Item = Lane<'s>> {
        let ShortRun { held, entries, own, end } = self;
        held.into_iter().flat_map(move |(section, memory)| {
            let Section { layout, directory, .. } = section;
            runs::blocks(entries.clone()).map(move |(block, within)| Lane {
                layout,
                bytes: section.bytes(memory, block),
                count: directory.count(block),
                // The directory is not looked at where it need not be.
                first: if section.runs.is_some() { 0 } else { directory.first_key(block) },
                own,
                end,
                from: within.start,
                to: within.end,
            })
        })
    }
}

fn read(file: &fs_err::File, offset: u64, length: u64) -> Result<Vec<u8>, Error> {
    let path: PathBuf = file.path().to_owned();
    let size = file.metadata()?.len();
    if offset.checked_add(length).is_none_or(|end| end > size) {
        return Err(Error::damaged(path, "points behind its end"));
    }
    let mut bytes = vec![0; length as usize];
    read_exact_at(file, &mut bytes, offset)?;
    Ok(bytes)
}

/// Fills the buffer from a place of a file, with an error that names the file.
pub(crate) fn read_exact_at(file: &fs_err::File, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
    let named = |error: std::io::Error| {
        std::io::Error::new(error.kind(), format!("{}: {error}", file.path().display()))
    };
    file.file().read_exact_at(buffer, offset).map_err(named)
}
