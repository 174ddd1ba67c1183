//! Token hashes.
//!
//! A token is read as 16-byte chunks of its UTF-8 bytes, the last padded with zeros, as two little-endian words
//! each. Starting from the length in bytes, every chunk does `h = fold(low ^ K0, high ^ K1 ^ h)`.

use crate::mix::{K, fold};

/// One step of the hash.
#[inline(always)]
pub(super) fn step(low: u64, high: u64, state: u64) -> u64 {
    fold(low ^ K[0], high ^ K[1] ^ state)
}

/// Masks that keep the first n bytes of a little-endian 16-byte word.
pub(super) const KEEP: [u128; 17] = {
    let mut keep = [0; 17];
    let mut n = 1;
    while n <= 16 {
        keep[n] = u128::MAX >> (128 - 8 * n);
        n += 1;
    }
    keep
};

/// Hash of a token of 1 to 16 bytes, given with whatever follows it.
#[inline(always)]
pub(super) fn short(chunk: &[u8; 16], len: usize) -> u64 {
    let kept = u128::from_le_bytes(*chunk) & KEEP[len];
    step(kept as u64, (kept >> 64) as u64, len as u64)
}

/// Hash of a token.
#[inline]
pub(super) fn token(bytes: &[u8]) -> u64 {
    let mut state = bytes.len() as u64;
    let (chunks, rest) = bytes.as_chunks::<16>();
    for chunk in chunks {
        let (low, high) = words(chunk);
        state = step(low, high, state);
    }
    if !rest.is_empty() {
        let mut last = [0; 16];
        last[..rest.len()].copy_from_slice(rest);
        let (low, high) = words(&last);
        state = step(low, high, state);
    }
    state
}

/// The two little-endian words of a chunk.
#[inline(always)]
pub(super) fn words(chunk: &[u8; 16]) -> (u64, u64) {
    let both = u128::from_le_bytes(*chunk);
    (both as u64, (both >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_does_not_collide_with_zero_bytes() {
        assert_ne!(token(b"a"), token(b"a\0"));
        assert_ne!(token(b"0123456789abcdef"), token(b"0123456789abcdef\0"));
    }

    #[test]
    fn short_tokens_do_not_collide() {
        let mut hashes: Vec<u64> = (0..40_000u32).map(|i| token(format!("w{i:x}").as_bytes())).collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 40_000);
    }
}
