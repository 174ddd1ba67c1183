//! Tokens where the processor has AVX-512 with byte permutation and compression (Ice Lake, Zen 4 and later).
//!
//! Two steps take turns. In ASCII, 64 bytes are lower-cased and compressed to their words with a blank behind each, which
//! is the normalised text; where blanks come to lie, tokens end. In other text, up to 16 characters are decoded, looked up
//! in a table of what each becomes ([`super::packed`]) and compressed in the same way. What the table does not have, and
//! marks out of order, are left to [`super::words`], from the character on that they lean on: so the last character before
//! one that may be such, and of each step, belongs to the next.

use super::packed::Packed;
use super::sink::TokenSink;

/// Longer texts are left to the portable loops: places in them are no 32-bit numbers.
const LONGEST: usize = 1 << 30;

/// Appends the tokens of a text; false where this cannot be done.
pub(super) fn cut(text: &str, packed: &mut Packed, sink: &mut TokenSink) -> bool {
    text.len() <= LONGEST && avx512::cut(text, packed, sink)
}

#[cfg(target_arch = "x86_64")]
#[expect(
    unsafe_code,
    reason = "vector instructions, called where they were found; loads, stores and look-ups in whole arrays"
)]
mod avx512 {
    use crate::text::packed::{OTHER, PLANE, Packed, RANK_SHIFT, SINGLE};
    use crate::text::sink::TokenSink;
    use crate::text::words::Words;
    use std::arch::x86_64::*;
    use std::array;

    /// Bytes of text that a step looks at.
    const BLOCK: usize = 64;
    /// Characters, and ends of tokens, that are worked on at a time.
    const LANES: usize = 16;
    /// Shorter stretches of ASCII are not worth a step of their own.
    const WORTHWHILE: usize = 20;

    /// Whether this processor has what [`cut_steps`] is compiled for.
    fn is_here() -> bool {
        is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }

    /// Appends the tokens of a text, if this processor can.
    pub(super) fn cut(text: &str, packed: &mut Packed, sink: &mut TokenSink) -> bool {
        if !is_here() {
            return false;
        }
        // SAFETY: the features were just found.
        unsafe { cut_steps(text, packed, sink) };
        true
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vbmi,avx512vbmi2,bmi2,lzcnt,popcnt")]
    fn cut_steps(text: &str, packed: &mut Packed, sink: &mut TokenSink) {
        let (mut at, mut in_word) = (0, false);
        while at < text.len() {
            let rest = &text.as_bytes()[at..];
            let block = match rest.first_chunk() {
                Some(block) => load(block),
                // Behind the text are zeros, which end a token.
                None => load(&array::from_fn(|i| rest.get(i).copied().unwrap_or(0))),
            };
            let ascii = _mm512_movepi8_mask(block).trailing_zeros() as usize;
            // The last before another character may be one that it leans on.
            let alone = if ascii < BLOCK || rest.get(BLOCK).is_some_and(|next| !next.is_ascii()) {
                ascii.saturating_sub(1)
            } else {
                BLOCK
            };
            if alone >= WORTHWHILE {
                in_word = ascii_step(block, alone, in_word, rest.len(), sink);
                at += alone;
                continue;
            }
            match characters_step(block, in_word, rest.len(), packed, sink) {
                Step::Took(bytes, ends_in_word) => (at, in_word) = (at + bytes, ends_in_word),
                Step::Stands(last) => (at, in_word) = slowly(text, at, at + last, in_word, packed, sink),
            }
        }
        if in_word {
            sink.reserve(1);
            sink.end_token();
        }
    }

    /// Takes the first `count` bytes of a block of ASCII. Tells whether a token is under way.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
    fn ascii_step(block: __m512i, count: usize, in_word: bool, rest: usize, sink: &mut TokenSink) -> bool {
        let these = u64::MAX >> (BLOCK - count);
        let is_upper = is_within(block, b'A', 26);
        let lower = _mm512_mask_add_epi8(block, is_upper, block, _mm512_set1_epi8(0x20));
        let is_word = is_within(lower, b'a', 26) | is_within(block, b'0', 10) | is_within(block, b'_', 1);
        let is_word = is_word & these;
        let is_behind = (is_word << 1 | u64::from(in_word)) & !is_word & these;
        let spaced = _mm512_mask_mov_epi8(lower, is_behind, _mm512_set1_epi8(b' ' as i8));
        put(spaced, is_word | is_behind, is_behind, rest, sink);
        is_word >> (count - 1) & 1 == 1
    }

    enum Step {
        /// So many bytes were taken, and whether a token is under way behind them.
        Took(usize, bool),
        /// The first character needs to be looked at together with those up to this place.
        Stands(usize),
    }

    /// Takes up to 15 characters of a block.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vbmi,avx512vbmi2,bmi2,lzcnt,popcnt")]
    fn characters_step(
        block: __m512i,
        in_word: bool,
        rest: usize,
        packed: &mut Packed,
        sink: &mut TokenSink,
    ) -> Step {
        /// Places at which a character of four bytes is whole.
        const WHOLE: u64 = u64::MAX >> 3;
        let is_first = _mm512_cmpge_epi8_mask(block, _mm512_set1_epi8(-64)) & WHOLE;
        let lanes = (is_first.count_ones() as usize).min(LANES);
        let here = u16::MAX >> (LANES - lanes);
        let codes = code_points(block, is_first);
        let is_known = _mm512_mask_cmplt_epu32_mask(here, codes, _mm512_set1_epi32(PLANE as i32));
        let entries = look_up(packed.entries(), codes, is_known);
        let ranks = _mm512_and_si512(_mm512_srli_epi32::<RANK_SHIFT>(entries), _mm512_set1_epi32(0x3f));
        let before = _mm512_maskz_alignr_epi32::<15>(!1, ranks, ranks);
        let is_mark = _mm512_test_epi32_mask(ranks, ranks);
        let is_other = _mm512_cmpeq_epi32_mask(entries, _mm512_set1_epi32(OTHER as i32))
            | _mm512_mask_cmpgt_epu32_mask(is_mark, before, ranks);
        // Up to the last character that what follows may lean on.
        let before_other = (is_other & is_other.wrapping_neg()).wrapping_sub(1);
        let bases = !is_mark & !is_other & before_other & here;
        let count = 15u32.saturating_sub(bases.leading_zeros()) as usize;
        if count == 0 {
            let last = is_other.trailing_zeros().min(LANES as u32 - 1);
            return Step::Stands(place(is_first, last));
        }
        let these = u16::MAX >> (LANES - count);
        let is_single = _mm512_mask_test_epi32_mask(these, entries, _mm512_set1_epi32(SINGLE as i32));
        let bytes = _mm512_maskz_and_epi32(these, entries, _mm512_set1_epi32(0x00ff_ffff));
        let is_word = _mm512_test_epi32_mask(bytes, bytes) & !is_single;
        // Behind a word whose next character is none of it comes a blank; behind the last one it is the next step's.
        let is_end = is_word & !(is_word >> 1) & these >> 1;
        let bits = _mm512_sub_epi32(
            _mm512_set1_epi32(32),
            _mm512_andnot_si512(_mm512_set1_epi32(7), _mm512_lzcnt_epi32(bytes)),
        );
        let blanks = _mm512_maskz_sllv_epi32(is_end, _mm512_set1_epi32(i32::from(b' ')), bits);
        let blanks = _mm512_mask_mov_epi32(blanks, is_single, _mm512_set1_epi32(i32::from(b' ') << 24));
        let spaced = _mm512_or_si512(bytes, blanks);
        let stays = _mm512_test_epi8_mask(spaced, spaced);
        let is_blank = _mm512_cmpeq_epi8_mask(spaced, _mm512_set1_epi8(b' ' as i8));
        if in_word && is_word & 1 == 0 {
            sink.reserve(1);
            sink.end_token();
        }
        put(spaced, stays, is_blank, rest, sink);
        Step::Took(place(is_first, count as u32).min(rest), is_word >> (count - 1) & 1 == 1)
    }

    /// Where the character of this number starts.
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn place(is_first: u64, number: u32) -> usize {
        _pdep_u64(1 << number, is_first).trailing_zeros() as usize
    }

    /// The code points of the first 16 characters of a block, given where characters begin.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2")]
    fn code_points(block: __m512i, is_first: u64) -> __m512i {
        let by_kind = |ascii: i32, two: i32, three: i32, four: i32| {
            _mm512_setr_epi32(
                ascii, ascii, ascii, ascii, ascii, ascii, ascii, ascii, 0, 0, 0, 0, two, two, three, four,
            )
        };
        // Four bytes from the first of each character on.
        let firsts = _mm512_maskz_compress_epi8(is_first, load(&array::from_fn(|i| i as u8)));
        let fourfold = _mm512_permutexvar_epi8(load(&array::from_fn(|i| (i / 4) as u8)), firsts);
        let places = _mm512_add_epi8(fourfold, _mm512_set1_epi32(0x0302_0100));
        let bytes = _mm512_permutexvar_epi8(places, block);
        // The bits of each that count, six by six; then those behind the character go.
        let kind = _mm512_and_si512(_mm512_srli_epi32::<4>(bytes), _mm512_set1_epi32(0x0f));
        let masks = by_kind(0x3f3f_3f7f, 0x3f3f_3f1f, 0x3f3f_3f0f, 0x3f3f_3f07);
        let bits = _mm512_and_si512(bytes, _mm512_permutexvar_epi32(kind, masks));
        let twelve = _mm512_maddubs_epi16(bits, _mm512_set1_epi32(0x0140_0140));
        let all = _mm512_madd_epi16(twelve, _mm512_set1_epi32(0x0001_1000));
        _mm512_srlv_epi32(all, _mm512_permutexvar_epi32(kind, by_kind(18, 12, 6, 0)))
    }

    /// Looks up those that are known; the others are [`OTHER`].
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn look_up(entries: &[u32; PLANE], codes: __m512i, is_known: u16) -> __m512i {
        let other = _mm512_set1_epi32(OTHER as i32);
        // SAFETY: those that are looked up are below the number of entries.
        unsafe { _mm512_mask_i32gather_epi32::<4>(other, is_known, codes, entries.as_ptr().cast()) }
    }

    /// Takes the character at `at`, and what leans on it, and on to behind the place `last`. Tells where that is, and whether
    /// a token is under way; or nothing has changed, but the table has learnt.
    #[inline(never)]
    fn slowly(
        text: &str,
        mut at: usize,
        last: usize,
        in_word: bool,
        packed: &mut Packed,
        sink: &mut TokenSink,
    ) -> (usize, bool) {
        let end = (last + 1..text.len()).find(|&end| text.is_char_boundary(end)).unwrap_or(text.len());
        if packed.learn(&text[at..end]) {
            return (at, in_word);
        }
        sink.hash_if_many();
        let mut words = Words::new(sink, in_word);
        while at < end {
            at = words.character(text, at);
        }
        (at, words.is_in_word())
    }

    /// Appends the bytes of a block that stay, among them blanks, which end tokens.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
    fn put(bytes: __m512i, stays: u64, is_blank: u64, rest: usize, sink: &mut TokenSink) {
        let (text, ends, base) = sink.block_room(rest);
        store(_mm512_maskz_compress_epi8(stays, bytes), text);
        let is_end = _pext_u64(is_blank, stays);
        let mut here = _mm512_maskz_compress_epi8(is_end, load(&array::from_fn(|i| i as u8)));
        let count = is_end.count_ones() as usize;
        for some in 0..count.div_ceil(LANES) {
            let first = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(here));
            let first = _mm512_add_epi32(first, _mm512_set1_epi32(base as i32));
            store_lanes(first, &mut ends[some * LANES..]);
            here = _mm512_alignr_epi64::<2>(here, here);
        }
        sink.advance_block(stays.count_ones() as usize, count);
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
    fn load(bytes: &[u8; BLOCK]) -> __m512i {
        // SAFETY: 64 bytes are there, and none need be aligned.
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn store(bytes: __m512i, to: &mut [u8]) {
        let to: &mut [u8; BLOCK] =
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
    pub(super) fn cut(_: &str, _: &mut super::Packed, _: &mut super::TokenSink) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::normalise::{Portable, tests::piece};
    use super::*;
    use proptest::prelude::*;

    /// The text and hashes of either way.
    fn both_ways(texts: &[&str]) -> Option<[(String, Vec<u64>); 2]> {
        let (mut packed, mut portable) = (Packed::default(), Portable::default());
        let mut sinks = [TokenSink::default(), TokenSink::default()];
        for text in texts {
            sinks.iter_mut().for_each(TokenSink::clear);
            if !cut(text, &mut packed, &mut sinks[0]) {
                return None;
            }
            portable.cut(text, &mut sinks[1]);
        }
        Some(sinks.map(|mut sink| {
            sink.hash_waiting();
            (String::from_utf8(sink.text[..sink.used].to_vec()).unwrap(), sink.hashes().to_vec())
        }))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn every_processor_cuts_the_same_tokens(
            ascii in "([a-zA-Z0-9_]{0,3}[ -~\t\n\x00\x7f]{0,2}|[A-Za-z]{0,40}){0,90}",
            pieces in proptest::collection::vec(piece(), 0..40),
        ) {
            let mixed = pieces.concat();
            if let Some([wide, portable]) = both_ways(&[&ascii, &mixed]) {
                prop_assert_eq!(wide, portable);
            }
            if let Some([wide, portable]) = both_ways(&[&mixed, &ascii]) {
                prop_assert_eq!(wide, portable);
            }
        }
    }

    #[test]
    fn many_tokens_and_long_ones_are_the_same_either_way() {
        let texts =
            ["wort Straße ".repeat(3000), "中文".repeat(5000), "é".repeat(70_000), "a\u{301}".repeat(5000)];
        for text in &texts {
            if let Some([wide, portable]) = both_ways(&[text]) {
                assert_eq!(wide, portable);
            }
        }
    }

    #[test]
    fn every_character_is_the_same_either_way_between_and_behind_letters() {
        for from in (0..0x11_0000u32).step_by(64) {
            let all: Vec<char> = (from..from + 64).filter_map(char::from_u32).collect();
            let text = all.iter().map(|c| format!("{c} x{c}yz ÄÖ{c}{c}ж中{c}字 ")).collect::<String>();
            if let Some([wide, portable]) = both_ways(&[&text]) {
                assert_eq!(wide, portable, "from U+{from:04X}");
            }
        }
    }
}
