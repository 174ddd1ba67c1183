//! Tokens of ASCII text, 64 bytes at a time.
//!
//! First the span is lower-cased and each byte's place in a word becomes a bit; then words are read off the bits.
//! Both loops are plain code that compilers vectorise; compiled for AVX2 and BMI2 it was slower. Processors with AVX-512
//! take another path, [`super::wide`].

use super::hash;
use super::sink::{SLACK, TokenSink};

/// Scratch of the ASCII path.
#[derive(Clone, Debug, Default)]
pub(super) struct AsciiScratch {
    lower: Vec<u8>,
    words: Vec<u64>,
}

impl AsciiScratch {
    /// Appends the tokens of an ASCII span; the span must not cut a token.
    pub(super) fn tokens(&mut self, span: &[u8], sink: &mut TokenSink) {
        let blocks = self.classify(span);
        let lower = self.lower.as_slice();
        let (text, hashes) = sink.room(span.len() + 1, span.len() / 2 + 1);
        let (mut at, mut token) = (0, 0);
        let mut put = |start: usize, end: usize| {
            hashes[token] = emit(lower, start, end, text, &mut at);
            token += 1;
        };
        let mut carry = 0u64;
        let mut open: Option<usize> = None;
        for (block, &word) in self.words[..blocks].iter().enumerate() {
            let base = block * 64;
            let mut edges = word ^ (word << 1 | carry);
            carry = word >> 63;
            // A word that came from the block before ends at the first edge.
            if edges != 0
                && let Some(start) = open.take()
            {
                put(start, base + edges.trailing_zeros() as usize);
                edges &= edges - 1;
            }
            while edges != 0 {
                let start = base + edges.trailing_zeros() as usize;
                edges &= edges - 1;
                if edges == 0 {
                    open = Some(start);
                    break;
                }
                let end = base + edges.trailing_zeros() as usize;
                edges &= edges - 1;
                put(start, end);
            }
        }
        sink.advance(at, token);
        debug_assert!(open.is_none(), "the last block ends in at least one byte outside a word");
    }

    /// Fills `lower` and `words`, with at least one word's worth of separators behind the span, and tells how many of
    /// the words are in use.
    #[inline(always)]
    fn classify(&mut self, span: &[u8]) -> usize {
        let blocks = span.len() / 64 + 1;
        // They only grow: a shorter text behind a longer one costs no zeroing.
        if self.words.len() < blocks {
            self.lower.resize(blocks * 64 + SLACK, 0);
            self.words.resize(blocks, 0);
        }
        let (whole, rest) = span.as_chunks::<64>();
        let mut last = [0u8; 64];
        last[..rest.len()].copy_from_slice(rest);
        let (lower, _) = self.lower.as_chunks_mut::<64>();
        for ((block, lower), word) in
            whole.iter().chain(std::iter::once(&last)).zip(lower).zip(self.words.iter_mut())
        {
            *word = classify_block(block, lower);
        }
        blocks
    }
}

/// Appends a token and a blank to `text` at `at`, and tells the token's hash.
#[inline(always)]
fn emit(lower: &[u8], start: usize, end: usize, text: &mut [u8], at: &mut usize) -> u64 {
    let len = end - start;
    let hash = if len <= 16 {
        let chunk: &[u8; 16] = lower[start..start + 16].try_into().expect("16 bytes because of the slice");
        text[*at..*at + 16].copy_from_slice(chunk);
        hash::short(chunk, len)
    } else {
        text[*at..*at + len].copy_from_slice(&lower[start..end]);
        hash::token(&lower[start..end])
    };
    text[*at + len] = b' ';
    *at += len + 1;
    hash
}

/// Lower-cases a block and tells which of its bytes belong to words.
#[inline(always)]
fn classify_block(block: &[u8; 64], lower: &mut [u8; 64]) -> u64 {
    let mut is_word = [0u8; 64];
    for i in 0..64 {
        let byte = block[i];
        let folded = byte | (u8::from(byte.wrapping_sub(b'A') < 26) << 5);
        lower[i] = folded;
        is_word[i] = u8::from(folded.wrapping_sub(b'a') < 26)
            | u8::from(byte.wrapping_sub(b'0') < 10)
            | u8::from(byte == b'_');
    }
    let (eights, _) = is_word.as_chunks::<8>();
    let mut word = 0u64;
    for (i, eight) in eights.iter().enumerate() {
        // Gathers the lowest bit of eight bytes into one byte.
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        word |= bits << (8 * i);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(span: &str) -> (String, Vec<u64>) {
        let (mut sink, mut scratch) = (TokenSink::default(), AsciiScratch::default());
        // Behind another span, as most are.
        for span in ["before it ", span] {
            scratch.tokens(span.as_bytes(), &mut sink);
        }
        let text = String::from_utf8(sink.text[..sink.used].to_vec()).unwrap();
        (text["before it ".len()..].to_owned(), sink.hashes()[2..].to_vec())
    }

    #[test]
    fn words_are_runs_of_letters_digits_and_underscores() {
        assert_eq!(tokens("Hello, WORLD_2 a-b").0, "hello world_2 a b ");
        assert_eq!(tokens("").0, "");
        assert_eq!(tokens(" .,").0, "");
    }

    #[test]
    fn words_across_and_at_block_borders_are_whole() {
        for lead in 0..140 {
            for len in [1, 2, 15, 16, 17, 40, 64, 70] {
                let word = "x".repeat(len);
                let (text, hashes) = tokens(&format!("{}{word}", " ".repeat(lead)));
                assert_eq!(text, format!("{word} "), "lead {lead}");
                assert_eq!(hashes, [hash::token(word.as_bytes())]);
            }
        }
    }
}
