//! Sorted entries in blocks: the part of a segment that one kind of key has.
//!
//! An entry is a key and the number of a document. Entries are sorted by both, [`BLOCK`] of them make a block, and a
//! directory in memory holds the first key of each. Blocks are either plain, keys and then numbers, or coded as Manku,
//! Jain and Das Sarma (2007) do: of each key the difference to the one before it (exclusive or), as a Huffman code for
//! the position of its leading bit and the bits below it as they are. Numbers have as many bits as the largest needs, and
//! lie apart from the keys, so that only those of matching keys are read.
//!
//! ```text
//! plain block   key u64 × n | number u32 × n, or u64 × n where one needs more than 32 bits
//! coded block   number × n | for each entry but the first: code of h, h − 1 bits; h = 0 where keys are equal
//! ```

use crate::bits::{BitReader, BitWriter};
use crate::filter::Filter;
use crate::huffman::{Code, Counts, SYMBOLS};
use crate::row::Number;
use crate::search;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Entries of a block.
pub(crate) const BLOCK: usize = 128;

/// A key and a document.
pub(crate) type Entry = (u64, Number);

/// How blocks are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coding {
    /// As they are: the fastest look-up.
    #[default]
    Plain,
    /// Neighbours' differences in a Huffman code: the least memory.
    Coded,
}

impl Coding {
    /// The name it is chosen by.
    pub fn name(self) -> &'static str {
        match self {
            Coding::Plain => "plain",
            Coding::Coded => "coded",
        }
    }
}

/// What must be known of all entries before the first is written.
#[derive(Clone)]
pub(crate) struct Census {
    pub(crate) entries: u64,
    pub(crate) largest: Number,
    pub(crate) leading: Counts,
    last: Option<u64>,
}

impl Default for Census {
    fn default() -> Self {
        Census { entries: 0, largest: 0, leading: [0; SYMBOLS], last: None }
    }
}

impl Census {
    pub(crate) fn count(&mut self, (key, number): Entry) {
        if let Some(last) = self.last.replace(key) {
            self.leading[leading(last ^ key) as usize] += 1;
        }
        self.entries += 1;
        self.largest = self.largest.max(number);
    }

    /// Bits of the differences between neighbours of one block, in the code that the differences of all would have.
    pub(crate) fn coded_key_bits(&self, across_blocks: &Counts) -> u64 {
        let code = Code::of(&self.leading);
        let bits = |h: usize| u64::from(code.lengths()[h]) + (h as u64).saturating_sub(1);
        (0..SYMBOLS).map(|h| (self.leading[h] - across_blocks[h]) * bits(h)).sum()
    }
}

/// Position of the leading bit, from 1; 0 if there is none.
#[inline(always)]
pub(crate) fn leading(difference: u64) -> u32 {
    64 - difference.leading_zeros()
}

/// How the blocks of one section are read.
#[derive(Clone)]
pub(crate) struct Layout {
    pub(crate) coding: Coding,
    /// Bits of a number.
    pub(crate) width: u32,
    pub(crate) code: Code,
}

impl Layout {
    pub(crate) fn of(census: &Census, coding: Coding) -> Self {
        let bits = 64 - census.largest.leading_zeros();
        let width = match coding {
            Coding::Coded => bits,
            Coding::Plain if bits <= 32 => 32,
            Coding::Plain => 64,
        };
        Layout { coding, width, code: Code::of(&census.leading) }
    }

    pub(crate) fn write(&self, block: &[Entry], out: &mut Vec<u8>) {
        match self.coding {
            Coding::Plain => {
                block.iter().for_each(|(key, _)| out.extend_from_slice(&key.to_le_bytes()));
                let bytes = self.width as usize / 8;
                block.iter().for_each(|(_, number)| out.extend_from_slice(&number.to_le_bytes()[..bytes]));
            }
            Coding::Coded => {
                let mut bits = BitWriter::default();
                block.iter().for_each(|&(_, number)| bits.push(number, self.width));
                for pair in block.windows(2) {
                    let difference = pair[0].0 ^ pair[1].0;
                    let position = leading(difference);
                    self.code.write(position, &mut bits);
                    bits.push(difference, position.saturating_sub(1));
                }
                out.extend_from_slice(&bits.finish());
            }
        }
    }

    /// Reads the `count` entries of a block whose first key is known.
    #[inline(always)]
    pub(crate) fn read<'b>(
        &self,
        block: &'b [u8],
        count: usize,
        first: u64,
        mut take: impl FnMut(u64, Place<'b>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let width = self.width as usize;
        let place = |bit: usize| Place { block, bit, width: self.width };
        match self.coding {
            Coding::Plain => {
                let (keys, _) = block.split_at_checked(count * 8).unwrap_or_default();
                for (at, key) in keys.as_chunks::<8>().0.iter().enumerate() {
                    take(u64::from_le_bytes(*key), place(count * 64 + at * width))?;
                }
            }
            Coding::Coded => {
                let mut bits = BitReader::from(block, count * width);
                let mut key = first;
                take(key, place(0))?;
                for at in 1..count {
                    key ^= self.difference(&mut bits);
                    take(key, place(at * width))?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The difference of the next key of a coded block to the one before it.
    #[inline(always)]
    pub(crate) fn difference(&self, bits: &mut BitReader<'_>) -> u64 {
        let next = bits.peek();
        let short = self.code.short(next);
        if short.total == 0 {
            return self.long_difference(bits);
        }
        bits.skip(short.total.into());
        let leading = 1 << (short.below & 63);
        next >> (short.length & 63) & (leading - 1) | leading
    }

    #[cold]
    fn long_difference(&self, bits: &mut BitReader<'_>) -> u64 {
        let (position, length) = self.code.symbol(bits.peek());
        bits.skip(length);
        match position {
            0 => 0,
            _ => 1 << (position - 1) | bits.read(position - 1),
        }
    }

    /// Where a block of so many entries is, if blocks are plain.
    #[inline]
    pub(crate) fn plain_span(&self, block: usize, count: usize) -> Option<std::ops::Range<usize>> {
        let entry = 8 + self.width as usize / 8;
        let start = block * BLOCK * entry;
        (self.coding == Coding::Plain).then_some(start..start + count * entry)
    }

    /// Where the number of an entry is.
    pub(crate) fn place<'b>(&self, block: &'b [u8], count: usize, at: usize) -> Place<'b> {
        let keys = if self.coding == Coding::Plain { count * 64 } else { 0 };
        Place { block, bit: keys + at * self.width as usize, width: self.width }
    }
}

/// Where the number of an entry is.
#[derive(Clone, Copy)]
pub(crate) struct Place<'b> {
    block: &'b [u8],
    bit: usize,
    width: u32,
}

impl Place<'_> {
    #[inline]
    pub(crate) fn number(self) -> Number {
        BitReader::from(self.block, self.bit).read(self.width)
    }
}

/// What a visitor of entries wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The next entry.
    Entry,
    /// The next entry of another key: a million equal ones cost one block.
    Key,
    /// No more.
    Done,
}

/// Where first keys begin with what: narrows a search to a few of them with one look.
#[derive(Default)]
struct Radix {
    /// For each beginning, the number of first keys below it; and the number of all.
    starts: Vec<u32>,
    shift: u32,
}

impl Radix {
    fn of(blocks: &[Start]) -> Self {
        let bits = blocks.len().max(2).ilog2();
        let shift = 64 - bits;
        let mut starts = Vec::with_capacity((1 << bits) + 1);
        for (at, block) in blocks.iter().enumerate() {
            while starts.len() as u64 <= block.key >> shift {
                starts.push(at as u32);
            }
        }
        starts.resize((1 << bits) + 1, blocks.len() as u32);
        Radix { starts, shift }
    }
}

/// Where a block starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// Its first key.
    pub(crate) key: u64,
    /// Its place in the data.
    pub(crate) offset: u64,
}

/// First keys and places of blocks, and which keys are not there at all.
#[derive(Default)]
pub(crate) struct Directory {
    radix: Radix,
    pub(crate) starts: Vec<Start>,
    /// Where the last block ends.
    pub(crate) end: u64,
    pub(crate) filter: Option<Filter>,
    pub(crate) entries: u64,
}

impl Directory {
    pub(crate) fn blocks(&self) -> usize {
        self.starts.len()
    }

    /// First key of a block.
    pub(crate) fn first_key(&self, block: usize) -> u64 {
        self.starts[block].key
    }

    /// Where a block is in the data.
    pub(crate) fn span(&self, block: usize) -> std::ops::Range<usize> {
        let end = self.starts.get(block + 1).map_or(self.end, |next| next.offset);
        self.starts[block].offset as usize..end as usize
    }

    /// Entries of a block.
    pub(crate) fn count(&self, block: usize) -> usize {
        (self.entries as usize - block * BLOCK).min(BLOCK)
    }

    /// The block in which the first entry not below `key` may be.
    pub(crate) fn start(&self, key: u64) -> usize {
        let place = (key >> self.radix.shift) as usize;
        let (low, high) = (self.radix.starts[place] as usize, self.radix.starts[place + 1] as usize);
        (low + search::below_by(&self.starts[low..high], |start| start.key, key)).saturating_sub(1)
    }

    /// The blocks in which keys of a range may be; `None` if they are more than so many.
    pub(crate) fn blocks_of(
        &self,
        keys: std::ops::RangeInclusive<u64>,
        most: usize,
    ) -> Option<std::ops::Range<usize>> {
        let (low, high, inside) = (*keys.start(), *keys.end(), (1 << self.radix.shift) - 1);
        if low & inside == 0 && high & inside == inside {
            // The range begins and ends where beginnings do: first keys need not be looked at.
            let place = |key: u64| (key >> self.radix.shift) as usize;
            let start = self.radix.starts[place(low)].saturating_sub(1) as usize;
            let end = self.radix.starts[place(high) + 1] as usize;
            return (end - start <= most).then_some(start..end);
        }
        let start = self.start(low);
        let firsts = self.starts[start..].iter().take(most + 1);
        let count = firsts.take_while(|start| start.key <= high).count();
        (count <= most).then(|| start..start + count)
    }

    /// Makes searches fast, once all keys are there.
    pub(crate) fn finish(mut self) -> Self {
        self.radix = Radix::of(&self.starts);
        self
    }

    /// Visits the entries whose keys are in `keys`, in order. `read` hands over the bytes of a block.
    pub(crate) fn visit<E>(
        &self,
        layout: &Layout,
        keys: std::ops::RangeInclusive<u64>,
        mut read: impl FnMut(usize, &mut dyn FnMut(&[u8])) -> Result<(), E>,
        mut take: impl FnMut(u64, Place<'_>) -> Next,
    ) -> Result<(), E> {
        let (low, high) = (*keys.start(), *keys.end());
        let mut block = self.start(low);
        let mut skip: Option<u64> = None;
        let mut done = false;
        while !done && block < self.blocks() && self.first_key(block) <= high {
            let (count, first) = (self.count(block), self.first_key(block));
            read(block, &mut |bytes| {
                let _ = layout.read(bytes, count, first, |key, place| {
                    if key > high {
                        return ControlFlow::Break(());
                    }
                    if key >= low && skip != Some(key) {
                        match take(key, place) {
                            Next::Entry => skip = None,
                            Next::Key => skip = Some(key),
                            Next::Done => {
                                done = true;
                                return ControlFlow::Break(());
                            }
                        }
                    }
                    ControlFlow::Continue(())
                });
            })?;
            block += 1;
            if let Some(key) = skip
                && self.starts.get(block).is_some_and(|start| start.key == key)
            {
                // Blocks that begin with the key hold nothing else, all but the last of them.
                block += self.starts[block..].partition_point(|start| start.key <= key) - 1;
            }
        }
        Ok(())
    }

    /// Bytes held in memory.
    pub(crate) fn bytes(&self) -> u64 {
        (self.starts.len() * size_of::<Start>()) as u64
            + self.radix.starts.len() as u64 * 4
            + self.filter.as_ref().map_or(0, Filter::bytes)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn build(entries: &[Entry], coding: Coding) -> (Layout, Directory, Vec<u8>) {
        let mut census = Census::default();
        entries.iter().for_each(|&entry| census.count(entry));
        let layout = Layout::of(&census, coding);
        let mut directory = Directory { entries: entries.len() as u64, ..Directory::default() };
        let mut data = Vec::new();
        for block in entries.chunks(BLOCK) {
            directory.starts.push(Start { key: block[0].0, offset: data.len() as u64 });
            layout.write(block, &mut data);
            directory.end = data.len() as u64;
        }
        (layout, directory.finish(), data)
    }

    fn visit(
        built: &(Layout, Directory, Vec<u8>),
        keys: std::ops::RangeInclusive<u64>,
        next: Next,
    ) -> (Vec<Entry>, usize) {
        let (layout, directory, data) = built;
        let (mut found, mut blocks) = (Vec::new(), 0);
        let read = |block: usize, take: &mut dyn FnMut(&[u8])| -> Result<(), ()> {
            blocks += 1;
            take(&data[directory.span(block)]);
            Ok(())
        };
        let take = |key, place: Place<'_>| {
            found.push((key, place.number()));
            next
        };
        directory.visit(layout, keys, read, take).unwrap();
        (found, blocks)
    }

    proptest! {
        #[test]
        fn a_range_holds_what_a_filter_over_all_holds(
            mut entries in proptest::collection::vec((prop_oneof![any::<u64>(), 0u64..20], 0u64..1 << 40), 0..900),
            low in prop_oneof![any::<u64>(), 0u64..20], high in prop_oneof![any::<u64>(), 0u64..20], coded in any::<bool>(),
        ) {
            entries.sort_unstable();
            entries.dedup();
            let built = build(&entries, if coded { Coding::Coded } else { Coding::Plain });
            let (low, high) = (low.min(high), low.max(high));
            let mut expected: Vec<Entry> = entries.iter().copied().filter(|entry| (low..=high).contains(&entry.0)).collect();
            prop_assert_eq!(&visit(&built, low..=high, Next::Entry).0, &expected);
            expected.dedup_by_key(|entry| entry.0);
            prop_assert_eq!(visit(&built, low..=high, Next::Key).0, expected);
        }
    }

    #[test]
    fn a_million_equal_keys_cost_two_blocks() {
        let mut entries: Vec<Entry> = (0..1_000_000).map(|number| (7 << 50, number)).collect();
        entries.push((8 << 50, 3));
        let (found, blocks) = visit(&build(&entries, Coding::Coded), 0..=u64::MAX, Next::Key);
        assert_eq!(found, [(7 << 50, 0), (8 << 50, 3)]);
        assert!(blocks <= 3, "{blocks}");
    }

    #[test]
    fn uniform_keys_take_little_more_than_they_must() {
        let n = 200_000u64;
        let mut entries: Vec<Entry> = (0..n).map(|i| (onefold_detect::mix::pair(i, 3), 0)).collect();
        entries.sort_unstable();
        let (_, directory, data) = build(&entries, Coding::Coded);
        let bits = (data.len() + directory.blocks() * 16) as f64 * 8.0 / n as f64;
        let bound = 64.0 - (n as f64).log2() + 1.44;
        assert!(bits < bound * 1.1, "{bits} bits, bound {bound}");
    }
}
