//! Bits in a row, the first in the lowest bit of the first byte.

/// Appends bits to bytes.
#[derive(Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits not yet in `bytes`, the oldest lowest.
    pending: u128,
    count: u32,
}

impl BitWriter {
    /// Appends the `count` lowest bits of `value`, at most 64.
    #[inline]
    pub(crate) fn push(&mut self, value: u64, count: u32) {
        let kept = if count < 64 { value & ((1 << count) - 1) } else { value };
        self.pending |= u128::from(kept) << self.count;
        self.count += count;
        if self.count >= 64 {
            self.bytes.extend_from_slice(&(self.pending as u64).to_le_bytes());
            self.pending >>= 64;
            self.count -= 64;
        }
    }

    /// The bytes, the last filled up with zeros.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let rest = self.pending.to_le_bytes();
        self.bytes.extend_from_slice(&rest[..self.count.div_ceil(8) as usize]);
        self.bytes
    }
}

/// Reads bits; behind the end all are zero.
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Position in bits.
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        BitReader { bytes, at: 0 }
    }

    /// Reads from a bit on.
    pub(crate) fn from(bytes: &'a [u8], at: usize) -> Self {
        BitReader { bytes, at }
    }

    /// At least 56 bits from here on.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u64 {
        let start = self.at / 8;
        let word = match self.bytes.get(start..start + 8) {
            Some(word) => {
                u64::from_le_bytes(word.try_into().expect("eight bytes because the range has eight"))
            }
            None => self.tail(start),
        };
        word >> (self.at % 8)
    }

    #[cold]
    fn tail(&self, start: usize) -> u64 {
        let mut word = [0; 8];
        let rest = self.bytes.get(start..).unwrap_or_default();
        word[..rest.len().min(8)].copy_from_slice(&rest[..rest.len().min(8)]);
        u64::from_le_bytes(word)
    }

    #[inline(always)]
    pub(crate) fn skip(&mut self, count: u32) {
        self.at += count as usize;
    }

    /// The next `count` bits, at most 64.
    #[inline(always)]
    pub(crate) fn read(&mut self, count: u32) -> u64 {
        if count <= 56 {
            let value = self.peek() & ((1 << count) - 1);
            self.skip(count);
            return value;
        }
        self.read_long(count)
    }

    #[cold]
    fn read_long(&mut self, count: u32) -> u64 {
        let low = self.peek() & u64::from(u32::MAX);
        self.skip(32);
        let high = self.peek() & ((1 << (count - 32)) - 1);
        self.skip(count - 32);
        low | high << 32
    }

    /// Whether more was read than there is.
    pub(crate) fn overrun(&self) -> bool {
        self.at > self.bytes.len() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_was_written_is_read(values in proptest::collection::vec((any::<u64>(), 0u32..=64), 0..200)) {
            let mut writer = BitWriter::default();
            values.iter().for_each(|&(value, count)| writer.push(value, count));
            let bytes = writer.finish();
            let mut reader = BitReader::new(&bytes);
            for (value, count) in values {
                let kept = if count == 64 { value } else { value & ((1 << count) - 1) };
                prop_assert_eq!(reader.read(count), kept);
            }
            prop_assert!(!reader.overrun());
        }
    }
}
