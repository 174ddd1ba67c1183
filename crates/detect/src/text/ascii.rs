//! Tokens of ASCII text, 64 bytes at a time.
//!
//! First the span is lower-cased and each byte's place in a word becomes a bit; then words are read off the bits.
//! Both loops are plain code that compilers vectorise; compiled for AVX2 and BMI2 it was slower. Processors with AVX-512
//! take another path, [`super::wide`].

use super::{hash, wide};

/// Scratch of the ASCII path.
#[derive(Clone, Debug, Default)]
pub(super) struct AsciiScratch {
    lower: Vec<u8>,
    words: Vec<u64>,
    ends: Vec<u32>,
}

/// Where tokens go: the normalised text (each token followed by a blank) and the hash of each.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenSink {
    /// Normalised text; valid up to `used`.
    pub text: Vec<u8>,
    /// Bytes of `text` in use.
    pub used: usize,
    /// Hash of each token; valid up to `count`.
    hashes: Vec<u64>,
    /// Tokens.
    count: usize,
}

/// Slack behind the text so that 16 bytes can be stored at any position in use.
pub(super) const SLACK: usize = 32;

impl TokenSink {
    /// Makes room for `bytes` more bytes of tokens and blanks.
    pub(super) fn reserve(&mut self, bytes: usize) {
        let wanted = self.used + bytes + SLACK;
        if self.text.len() < wanted {
            self.text.resize(wanted.max(self.text.len() * 2), 0);
        }
    }

    /// Makes room for the hashes of so many more tokens.
    fn reserve_hashes(&mut self, tokens: usize) {
        let wanted = self.count + tokens;
        if self.hashes.len() < wanted {
            self.hashes.resize(wanted.max(self.hashes.len() * 2), 0);
        }
    }

    /// Room for so many more bytes of text and so many more tokens.
    pub(super) fn room(&mut self, bytes: usize, tokens: usize) -> (&mut [u8], &mut [u64]) {
        self.reserve(bytes);
        self.reserve_hashes(tokens);
        (&mut self.text[self.used..], &mut self.hashes[self.count..])
    }

    /// Takes over what was put into the room.
    pub(super) fn advance(&mut self, bytes: usize, tokens: usize) {
        self.used += bytes;
        self.count += tokens;
    }

    /// Forgets all tokens, and keeps the memory.
    pub(super) fn clear(&mut self) {
        (self.used, self.count) = (0, 0);
    }

    /// Hash of each token.
    #[inline(always)]
    pub(super) fn hashes(&self) -> &[u64] {
        &self.hashes[..self.count]
    }

    /// Appends the hash of a token.
    #[inline(always)]
    pub(super) fn push(&mut self, hash: u64) {
        if self.count == self.hashes.len() {
            self.reserve_hashes(1);
        }
        self.hashes[self.count] = hash;
        self.count += 1;
    }

    /// Forgets the hashes behind so many tokens.
    pub(super) fn truncate(&mut self, tokens: usize) {
        self.count = self.count.min(tokens);
    }

    /// Keeps the hashes for which `keep` says so.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) {
        let mut kept = 0;
        for at in 0..self.count {
            let hash = self.hashes[at];
            if keep(hash) {
                self.hashes[kept] = hash;
                kept += 1;
            }
        }
        self.count = kept;
    }
}

impl AsciiScratch {
    /// Appends the tokens of an ASCII span; the span must not cut a token.
    pub(super) fn tokens(&mut self, span: &[u8], sink: &mut TokenSink) {
        if !wide::tokens(span, &mut self.ends, sink) {
            self.portable(span, sink);
        }
    }

    /// The same on every processor.
    fn portable(&mut self, span: &[u8], sink: &mut TokenSink) {
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
    use proptest::prelude::*;

    fn tokens(span: &str) -> (String, Vec<u64>) {
        let (mut sink, mut portable) = (TokenSink::default(), TokenSink::default());
        let mut scratch = AsciiScratch::default();
        // Behind another span, as most are.
        for span in ["before it ", span] {
            scratch.tokens(span.as_bytes(), &mut sink);
            scratch.portable(span.as_bytes(), &mut portable);
        }
        let text = |sink: &TokenSink| String::from_utf8(sink.text[..sink.used].to_vec()).unwrap();
        assert_eq!((text(&sink), sink.hashes()), (text(&portable), portable.hashes()));
        (text(&sink)["before it ".len()..].to_owned(), sink.hashes()[2..].to_vec())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn every_processor_cuts_the_same_tokens(span in "([a-zA-Z0-9_]{0,3}[ -~\t\n\x00\x7f]{0,2}|[A-Za-z]{0,40}){0,90}") {
            tokens(&span);
        }
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
