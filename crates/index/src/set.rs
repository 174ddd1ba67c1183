//! Shingle sets as bytes.
//!
//! Sorted uniform hashes, n of them: of each the highest log₂ n bits, rounded, are written as the distance to those of the one
//! before it, in unary, and the others as they are (Elias 1974, Fano 1971). That is 64 − log₂ n + 2 bits a hash, just over half a
//! bit above what any code needs.
//!
//! `count` varint, then the bits.

use crate::bits::{BitReader, BitWriter};
use crate::row::{Damaged, Reader, put_varint};

/// Appends a sorted set without repeats.
pub(crate) fn put_set(hashes: &[u64], out: &mut Vec<u8>) {
    put_varint(hashes.len() as u64, out);
    if hashes.is_empty() {
        return;
    }
    let low = low_bits(hashes.len());
    let mut bits = BitWriter::default();
    let mut above = 0;
    for &hash in hashes {
        let high = high(hash, low);
        let mut gap = high - above;
        while gap >= 56 {
            bits.push(0, 56);
            gap -= 56;
        }
        bits.push(1 << gap, gap as u32 + 1);
        bits.push(hash, low);
        above = high;
    }
    out.extend_from_slice(&bits.finish());
}

/// Reads what [`put_set`] wrote, to the end of the bytes.
pub(crate) fn read_set(reader: &mut Reader<'_>) -> Result<Vec<u64>, Damaged> {
    let count = reader.varint()? as usize;
    if count == 0 {
        return Ok(Vec::new());
    }
    // Each hash takes at least eight bits, so a count that lies asks for no more than eight times the bytes.
    let low = low_bits(count);
    let bytes = reader.rest();
    if count > bytes.len() {
        return Err(Damaged);
    }
    let mut bits = BitReader::new(bytes);
    let mut hashes = Vec::with_capacity(count);
    let mut high = 0u64;
    for _ in 0..count {
        loop {
            let zeros = bits.peek().trailing_zeros().min(56);
            high += u64::from(zeros);
            bits.skip(zeros);
            if zeros < 56 {
                break;
            }
            if bits.overrun() {
                return Err(Damaged);
            }
        }
        bits.skip(1);
        let rest = bits.read(low);
        hashes.push(if low == 64 { rest } else { high << low | rest });
    }
    if bits.overrun() || hashes.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(Damaged);
    }
    Ok(hashes)
}

/// Bits of a hash that are written as they are.
fn low_bits(count: usize) -> u32 {
    let floor = count.ilog2();
    let square = count as u128 * count as u128;
    64 - floor - u32::from(square > 1 << (2 * floor + 1))
}

fn high(hash: u64, low: u32) -> u64 {
    if low == 64 { 0 } else { hash >> low }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_set_comes_back(hashes in proptest::collection::btree_set(prop_oneof![any::<u64>(), 0u64..99, Just(u64::MAX)], 0..600)) {
            let hashes: Vec<u64> = hashes.into_iter().collect();
            let mut bytes = Vec::new();
            put_set(&hashes, &mut bytes);
            prop_assert_eq!(read_set(&mut Reader::new(&bytes)).unwrap(), hashes);
        }

        #[test]
        fn any_bytes_are_a_set_or_damaged(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_set(&mut Reader::new(&bytes));
        }
    }

    #[test]
    fn a_uniform_set_takes_little_more_than_it_must() {
        let mut hashes: Vec<u64> = (0..500).map(|i| onefold_detect::mix::pair(i, 1)).collect();
        hashes.sort_unstable();
        let mut bytes = Vec::new();
        put_set(&hashes, &mut bytes);
        let bits = bytes.len() as f64 * 8.0 / 500.0;
        assert!(bits < 64.0 - 500f64.log2() + 2.1, "{bits}");
    }
}
