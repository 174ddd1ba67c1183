//! Tokens of ASCII text where the processor has AVX-512 with byte compression (Ice Lake, Zen 4 and later).
//!
//! One pass lower-cases a block of 64 bytes and compresses it to its words with one blank behind each, which is the
//! normalised text; where blanks come to lie, tokens end. A second pass hashes tokens between those places, when the
//! text behind them has long left the store buffer. Half the time of [`super::ascii`]'s portable loop, with the same
//! result.

use super::ascii::TokenSink;
use super::hash;

/// Room behind the text for the last block that is stored.
const BLOCK: usize = 64;
/// Ends are stored so many at a time.
const LANES: usize = 16;
/// Longer spans are left to the portable loop: places in them are no 32-bit numbers.
const LONGEST: usize = 1 << 31;

/// Appends the tokens of an ASCII span that cuts none; false where this cannot be done. `ends` is working space.
pub(super) fn tokens(span: &[u8], ends: &mut Vec<u32>, sink: &mut TokenSink) -> bool {
    if span.len() > LONGEST || !avx512::is_here() {
        return false;
    }
    let most_tokens = span.len() / 2 + 1;
    if ends.len() < most_tokens + BLOCK {
        ends.resize(most_tokens + BLOCK, 0);
    }
    let (text, hashes) = sink.room(span.len() + 1 + BLOCK, most_tokens);
    let Some((bytes, tokens)) = avx512::compress(span, text, ends) else { return false };
    let mut start = 0;
    for (hash, &end) in hashes.iter_mut().zip(&ends[..tokens]) {
        let end = end as usize;
        *hash = match text[start..].first_chunk::<16>() {
            Some(chunk) if end - start <= 16 => hash::short(chunk, end - start),
            _ => hash::token(&text[start..end]),
        };
        start = end + 1;
    }
    sink.advance(bytes, tokens);
    true
}

#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "vector instructions, called where they were found; loads and stores of whole arrays"
)]
mod avx512 {
    use super::LANES;
    use std::arch::x86_64::*;
    use std::array;

    /// Whether this processor has what [`compress`] is compiled for.
    pub(super) fn is_here() -> bool {
        is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt")
    }

    /// Puts the words of a span, lower-cased and each with a blank behind it, into `text`, and where the blanks are into
    /// `ends`; tells how much of both was filled, if this processor can.
    pub(super) fn compress(span: &[u8], text: &mut [u8], ends: &mut [u32]) -> Option<(usize, usize)> {
        // SAFETY: the features were just found.
        is_here().then(|| unsafe { compress_blocks(span, text, ends) })
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
    fn compress_blocks(span: &[u8], text: &mut [u8], ends: &mut [u32]) -> (usize, usize) {
        let (whole, rest) = span.as_chunks::<64>();
        // Ends in at least one byte outside a word, so that the last word ends, too.
        let mut last = [0; 64];
        last[..rest.len()].copy_from_slice(rest);
        let places = load(&array::from_fn(|i| i as u8));
        let (mut bytes, mut tokens, mut carry) = (0, 0, 0);
        for block in whole.iter().chain(std::iter::once(&last)) {
            let block = load(block);
            let is_upper = is_within(block, b'A', 26);
            let lower = _mm512_mask_add_epi8(block, is_upper, block, _mm512_set1_epi8(0x20));
            let is_word = is_within(lower, b'a', 26) | is_within(block, b'0', 10) | is_within(block, b'_', 1);
            let is_behind = (is_word << 1 | carry) & !is_word;
            carry = is_word >> 63;
            let stays = is_word | is_behind;
            let spaced = _mm512_mask_mov_epi8(lower, is_behind, _mm512_set1_epi8(b' ' as i8));
            store(_mm512_maskz_compress_epi8(stays, spaced), &mut text[bytes..]);
            let is_end = _pext_u64(is_behind, stays);
            let mut here = _mm512_maskz_compress_epi8(is_end, places);
            let count = is_end.count_ones() as usize;
            for some in 0..count.div_ceil(LANES) {
                let first = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(here));
                let first = _mm512_add_epi32(first, _mm512_set1_epi32(bytes as i32));
                store_lanes(first, &mut ends[tokens + some * LANES..]);
                here = _mm512_alignr_epi64::<2>(here, here);
            }
            bytes += stays.count_ones() as usize;
            tokens += count;
        }
        (bytes, tokens)
    }

    /// Which bytes are among `count` from `first` on.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn is_within(bytes: __m512i, first: u8, count: i8) -> u64 {
        let from = _mm512_sub_epi8(bytes, _mm512_set1_epi8(first as i8));
        _mm512_cmplt_epu8_mask(from, _mm512_set1_epi8(count))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(bytes: &[u8; 64]) -> __m512i {
        // SAFETY: 64 bytes are there, and none need be aligned.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(bytes: __m512i, to: &mut [u8]) {
        let to: &mut [u8; 64] =
            to.first_chunk_mut().expect("room for a block because the text has it behind");
        // SAFETY: 64 bytes are there, and none need be aligned.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), bytes) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store_lanes(lanes: __m512i, to: &mut [u32]) {
        let to: &mut [u32; LANES] =
            to.first_chunk_mut().expect("room for a block because ends have it behind");
        // SAFETY: 16 numbers are there, and none need be aligned.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), lanes) }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod avx512 {
    pub(super) fn is_here() -> bool {
        false
    }

    pub(super) fn compress(_: &[u8], _: &mut [u8], _: &mut [u32]) -> Option<(usize, usize)> {
        None
    }
}
