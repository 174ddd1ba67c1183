//! Which keys a section certainly lacks: a split-block Bloom filter (Putze, Sanders and Singler 2007).
//!
//! A key falls into one block of 256 bits by its high half and sets one bit in each of its eight words by its low
//! half, so a look-up costs one cache line. At [`BITS`] bits a key 1 in 100 look-ups of keys that are not there goes
//! on to the block itself. Keys are hashes and need no mixing.

/// Bits a key.
const BITS: u64 = 10;
const WORDS: usize = 8;

/// Odd multipliers, one a word.
const SALT: [u32; WORDS] = {
    let mut salt = [0; WORDS];
    let mut i = 0;
    while i < WORDS {
        salt[i] = onefold_detect::mix::pair(i as u64, 0x5a17) as u32 | 1;
        i += 1;
    }
    salt
};

/// A filter over keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    blocks: Vec<[u32; WORDS]>,
}

impl Filter {
    /// Bytes of a block on disk.
    pub(crate) const BLOCK: usize = WORDS * 4;

    pub(crate) fn new(keys: u64) -> Self {
        let blocks = (keys * BITS).div_ceil(Self::BLOCK as u64 * 8);
        Filter { blocks: vec![[0; WORDS]; blocks as usize] }
    }

    fn place(&self, key: u64) -> (usize, [u32; WORDS]) {
        let block = ((key >> 32) * self.blocks.len() as u64) >> 32;
        (block as usize, SALT.map(|salt| 1 << ((key as u32).wrapping_mul(salt) >> 27)))
    }

    pub(crate) fn add(&mut self, key: u64) {
        let (block, bits) = self.place(key);
        if let Some(words) = self.blocks.get_mut(block) {
            words.iter_mut().zip(bits).for_each(|(word, bit)| *word |= bit);
        }
    }

    /// False only if the key was never added.
    #[inline]
    pub(crate) fn may_hold(&self, key: u64) -> bool {
        let (block, bits) = self.place(key);
        self.blocks.get(block).is_some_and(|words| {
            words.iter().zip(bits).fold(0, |missing, (word, bit)| missing | (bit & !word)) == 0
        })
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.blocks.iter().flatten().flat_map(|word| word.to_le_bytes()).collect()
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let words = |block: &[u8; Self::BLOCK]| {
            let mut words = [0; WORDS];
            for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
                *word = u32::from_le_bytes(*bytes);
            }
            words
        };
        Filter { blocks: bytes.as_chunks::<{ Self::BLOCK }>().0.iter().map(words).collect() }
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.blocks.len() * Self::BLOCK) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onefold_detect::mix::pair;

    #[test]
    fn nothing_added_is_missed_and_little_else_is_held() {
        let mut filter = Filter::new(100_000);
        (0..100_000).for_each(|i| filter.add(pair(i, 1)));
        let filter = Filter::from_bytes(&filter.to_bytes());
        assert!((0..100_000).all(|i| filter.may_hold(pair(i, 1))));
        let wrong = (0..100_000).filter(|&i| filter.may_hold(pair(i, 2))).count();
        assert!(wrong < 1_800, "{wrong} of 100,000");
    }
}
