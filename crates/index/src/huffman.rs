//! A prefix code for the position of the leading bit in which neighbours differ.
//!
//! 65 symbols, code lengths of at most [`LONGEST`] bits chosen by package-merge (Larmore and Hirschberg 1990), codes
//! canonical, so that the lengths alone, one byte each, are the whole table on disk.

use crate::bits::BitWriter;

/// Positions 1 to 64 of a leading bit, and 0 for no difference at all.
pub(crate) const SYMBOLS: usize = 65;
/// Bits of the longest code.
const LONGEST: u32 = 12;
/// Bits of codes that are looked up at once.
const SHORT: u32 = 8;

/// How often each symbol comes.
pub(crate) type Counts = [u64; SYMBOLS];

/// How to read a code and the bits behind it, where a word holds both; all zero where that has to be looked at closer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Short {
    /// Bits of the code.
    pub(crate) length: u8,
    /// Bits behind it, those below the leading bit.
    pub(crate) below: u8,
    /// Both.
    pub(crate) total: u8,
}

/// A code, ready to write and to read.
#[derive(Clone)]
pub(crate) struct Code {
    lengths: [u8; SYMBOLS],
    /// Codes with their first bit lowest.
    codes: [u16; SYMBOLS],
    /// Symbol and length for every next [`LONGEST`] bits.
    table: Vec<(u8, u8)>,
    /// For every next [`SHORT`] bits, which nearly all codes fit, how to read an entry. Small enough to stay in the first
    /// cache beside those of other tables.
    short: [Short; 1 << SHORT],
}

impl Code {
    /// The best code for these counts. Symbols that do not come get a code too, so that any data can be written.
    pub(crate) fn of(counts: &Counts) -> Self {
        let weights: Vec<u64> = counts.iter().map(|count| count.min(&(1 << 44)) * 256 + 1).collect();
        let lengths = package_merge(&weights);
        Code::from_lengths(lengths).expect("complete because package-merge makes a complete code")
    }

    /// The code of lengths as they are on disk; `None` if they are no complete code.
    pub(crate) fn from_lengths(lengths: [u8; SYMBOLS]) -> Option<Self> {
        if lengths.iter().any(|&length| length == 0 || u32::from(length) > LONGEST) {
            return None;
        }
        let space: u32 = lengths.iter().map(|&length| 1 << (LONGEST - u32::from(length))).sum();
        if space != 1 << LONGEST {
            return None;
        }
        let mut order: Vec<usize> = (0..SYMBOLS).collect();
        order.sort_by_key(|&symbol| (lengths[symbol], symbol));
        let mut codes = [0; SYMBOLS];
        let mut table = vec![(0, 0); 1 << LONGEST];
        let mut next = 0u32;
        for symbol in order {
            let length = u32::from(lengths[symbol]);
            let code = (next >> (LONGEST - length)) as u16;
            codes[symbol] = code.reverse_bits() >> (16 - length);
            let step = 1 << length;
            let mut at = usize::from(codes[symbol]);
            while at < table.len() {
                table[at] = (symbol as u8, length as u8);
                at += step;
            }
            next += 1 << (LONGEST - length);
        }
        let mut short = [Short::default(); 1 << SHORT];
        for (slot, &(symbol, length)) in short.iter_mut().zip(&table) {
            if u32::from(length) <= SHORT && symbol > 0 && length + symbol - 1 <= 56 {
                *slot = Short { length, below: symbol - 1, total: length + symbol - 1 };
            }
        }
        Some(Code { lengths, codes, table, short })
    }

    pub(crate) fn lengths(&self) -> &[u8; SYMBOLS] {
        &self.lengths
    }

    #[inline]
    pub(crate) fn write(&self, symbol: u32, out: &mut BitWriter) {
        let symbol = symbol as usize;
        out.push(u64::from(self.codes[symbol]), u32::from(self.lengths[symbol]));
    }

    /// How to read the entry that bits begin with.
    #[inline(always)]
    pub(crate) fn short(&self, bits: u64) -> Short {
        self.short[bits as usize & ((1 << SHORT) - 1)]
    }

    /// The symbol that bits begin with, and the length of its code.
    pub(crate) fn symbol(&self, bits: u64) -> (u32, u32) {
        let (symbol, length) = self.table[bits as usize & ((1 << LONGEST) - 1)];
        (u32::from(symbol), u32::from(length))
    }
}

/// Lengths of at most [`LONGEST`] that minimise the weighted sum.
fn package_merge(weights: &[u64]) -> [u8; SYMBOLS] {
    // An item is a weight and how often each symbol is in it.
    type Item = (u64, Vec<u8>);
    let mut coins: Vec<Item> = weights
        .iter()
        .enumerate()
        .map(|(symbol, &weight)| {
            let mut holds = vec![0; SYMBOLS];
            holds[symbol] = 1;
            (weight, holds)
        })
        .collect();
    coins.sort_by_key(|item| item.0);
    let mut packages: Vec<Item> = Vec::new();
    for _ in 0..LONGEST {
        let mut all = coins.clone();
        all.extend(packages.chunks_exact(2).map(|pair| {
            let holds = pair[0].1.iter().zip(&pair[1].1).map(|(a, b)| a + b).collect();
            (pair[0].0 + pair[1].0, holds)
        }));
        all.sort_by_key(|item| item.0);
        packages = all;
    }
    let mut lengths = [0; SYMBOLS];
    for (_, holds) in &packages[..2 * SYMBOLS - 2] {
        lengths.iter_mut().zip(holds).for_each(|(length, held)| *length += held);
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::BitReader;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_counts_give_a_code_that_reads_what_it_wrote(counts in proptest::collection::vec(0u64..1 << 40, SYMBOLS)) {
            let mut array = [0; SYMBOLS];
            array.copy_from_slice(&counts);
            let code = Code::of(&array);
            let again = Code::from_lengths(*code.lengths()).unwrap();
            let mut out = BitWriter::default();
            (0..SYMBOLS as u32).for_each(|symbol| code.write(symbol, &mut out));
            let bytes = out.finish();
            let mut bits = BitReader::new(&bytes);
            for symbol in 0..SYMBOLS as u32 {
                let (found, length) = again.symbol(bits.peek());
                bits.skip(length);
                prop_assert_eq!(found, symbol);
            }
        }
    }

    #[test]
    fn a_common_symbol_is_short_and_lengths_are_near_the_entropy() {
        let mut counts = [0; SYMBOLS];
        // The shape of uniform fingerprints: each position half as often as the one above it.
        (0..24).for_each(|i| counts[40 + i] = 1 << (24 - i));
        let code = Code::of(&counts);
        let total: u64 = counts.iter().sum();
        let bits: f64 = counts.iter().zip(code.lengths).map(|(&c, l)| c as f64 * f64::from(l)).sum::<f64>()
            / total as f64;
        let entropy: f64 =
            counts.iter().filter(|&&c| c > 0).map(|&c| c as f64 / total as f64).map(|p| -p * p.log2()).sum();
        // The 41 positions that do not come have codes as well.
        assert!(bits < entropy + 0.03, "{bits} bits, entropy {entropy}");
    }

    #[test]
    fn lengths_that_are_no_code_are_refused() {
        assert!(Code::from_lengths([6; SYMBOLS]).is_none());
        assert!(Code::from_lengths([0; SYMBOLS]).is_none());
    }
}
