//! A segment is written.

use super::{Kind, MAGIC, Segment, TRAILER, VERSION};
use crate::error::Error;
use crate::filter::Filter;
use crate::folder::{Folder, Output};
use crate::section::{BLOCK, Census, Coding, Entry, Layout};
use std::io::Write;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// A source of sorted entries that can be gone through more than once.
pub(crate) type Source<'a> = dyn Fn(&mut dyn FnMut(Entry)) -> Result<(), Error> + 'a;

/// Writes a segment and opens it.
pub(crate) fn write(
    folder: &Folder,
    number: u64,
    coding: Coding,
    sections: &[(Kind, &Source<'_>)],
) -> Result<Segment, Error> {
    let path = folder.segment_path(number);
    folder.write_whole(&path, |output| {
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&[0; 4]);
        output.write_all(&header)?;
        let mut table = Vec::new();
        for (kind, source) in sections {
            write_section(output, *kind, coding, source, &mut table)?;
        }
        let mut trailer = Vec::new();
        trailer.extend_from_slice(&output.position().to_le_bytes());
        trailer.extend_from_slice(&(sections.len() as u32).to_le_bytes());
        trailer.extend_from_slice(&[0; 4]);
        let length = output.position() + table.len() as u64 + TRAILER;
        trailer.extend_from_slice(&length.to_le_bytes());
        let checksum = xxh3_64(&[&header[..], &table, &trailer].concat());
        trailer.extend_from_slice(&checksum.to_le_bytes());
        output.write_all(&table)?;
        Ok(output.write_all(&trailer)?)
    })?;
    Segment::open(folder, number)
}

fn write_section(
    output: &mut Output,
    kind: Kind,
    coding: Coding,
    source: &Source<'_>,
    table: &mut Vec<u8>,
) -> Result<(), Error> {
    // Blocks read from disk cost a read whatever their coding, so only those held in memory are ever plain.
    let coding = if kind.is_table() { coding } else { Coding::Coded };
    let mut census = Census::default();
    source(&mut |entry| census.count(entry))?;
    let layout = Layout::of(&census, coding);
    let start = output.position();
    let mut filter = (!kind.is_table()).then(|| Filter::new(census.entries));
    let mut rest = Vec::new();
    let mut blocks =
        Blocks { layout: &layout, output, start, bytes: Vec::new(), sum: Xxh3::new(), failed: None };
    let mut block: Vec<Entry> = Vec::with_capacity(BLOCK);
    source(&mut |entry| {
        if let Some(filter) = &mut filter {
            filter.add(entry.0);
        }
        block.push(entry);
        if block.len() == BLOCK {
            blocks.put(&block, &mut rest);
            block.clear();
        }
    })?;
    blocks.put(&block, &mut rest);
    let (checksum, failed) = (blocks.sum.digest(), blocks.failed);
    failed.map_or(Ok(()), Err)?;
    let block_bytes = output.position() - start;
    rest.extend_from_slice(&block_bytes.to_le_bytes());
    let filter = filter.map(|filter| filter.to_bytes()).unwrap_or_default();
    rest.extend_from_slice(&filter);
    output.write_all(&rest)?;
    table.extend_from_slice(&kind.0.to_le_bytes());
    table.extend_from_slice(&[coding as u8, layout.width as u8, u8::from(!kind.is_table()), 0]);
    for number in [census.entries, start, block_bytes, filter.len() as u64] {
        table.extend_from_slice(&number.to_le_bytes());
    }
    table.extend_from_slice(layout.code.lengths());
    table.extend_from_slice(&[0; 7]);
    for number in [checksum, xxh3_64(&rest), 0, 0] {
        table.extend_from_slice(&number.to_le_bytes());
    }
    Ok(())
}

struct Blocks<'a> {
    layout: &'a Layout,
    output: &'a mut Output,
    start: u64,
    bytes: Vec<u8>,
    sum: Xxh3,
    failed: Option<std::io::Error>,
}

impl Blocks<'_> {
    fn put(&mut self, block: &[Entry], directory: &mut Vec<u8>) {
        let Some(first) = block.first().filter(|_| self.failed.is_none()) else { return };
        directory.extend_from_slice(&first.0.to_le_bytes());
        directory.extend_from_slice(&(self.output.position() - self.start).to_le_bytes());
        self.bytes.clear();
        self.layout.write(block, &mut self.bytes);
        self.sum.update(&self.bytes);
        self.failed = self.output.write_all(&self.bytes).err();
    }
}
