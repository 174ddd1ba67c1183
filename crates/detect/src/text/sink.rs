//! Where tokens go: the normalised text, each token followed by a blank, and the hash of each.
//!
//! Tokens are hashed some time after they were written: bytes that are read back at once have to be waited for.

use super::hash;

/// The normalised text and the hashes of its tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenSink {
    /// Normalised text; valid up to `used`.
    pub text: Vec<u8>,
    /// Bytes of `text` in use.
    pub used: usize,
    /// Hash of each token; valid up to `count`.
    hashes: Vec<u64>,
    /// Tokens that are hashed.
    count: usize,
    /// Where each token ends that waits to be hashed, counted from `hashed`; valid up to `waiting`.
    ends: Vec<u32>,
    /// Tokens that wait to be hashed.
    waiting: usize,
    /// Where the first token starts that is not hashed.
    hashed: usize,
}

/// Slack behind the text so that a vector can be stored at any position in use.
pub(super) const SLACK: usize = 80;
/// So many tokens may wait, and more only where they cannot be hashed yet.
const MOST_WAITING: usize = 2048;
/// A block leaves fewer tokens.
const TOKENS_OF_BLOCK: usize = 96;

impl TokenSink {
    /// Makes room for `bytes` more bytes of tokens and blanks.
    #[inline(always)]
    pub(super) fn reserve(&mut self, bytes: usize) {
        let wanted = self.used + bytes + SLACK;
        if self.text.len() < wanted {
            self.grow(wanted);
        }
    }

    #[cold]
    fn grow(&mut self, wanted: usize) {
        self.text.resize(wanted.max(self.text.len() * 2), 0);
    }

    /// Makes room for the hashes of so many more tokens.
    fn reserve_hashes(&mut self, tokens: usize) {
        let wanted = self.count + tokens;
        if self.hashes.len() < wanted {
            self.hashes.resize(wanted.max(self.hashes.len() * 2), 0);
        }
    }

    /// Room for so many more bytes of text and so many more tokens, which come with their hashes.
    pub(super) fn room(&mut self, bytes: usize, tokens: usize) -> (&mut [u8], &mut [u64]) {
        self.hash_waiting();
        self.reserve(bytes);
        self.reserve_hashes(tokens);
        (&mut self.text[self.used..], &mut self.hashes[self.count..])
    }

    /// Takes over what was put into the room.
    pub(super) fn advance(&mut self, bytes: usize, tokens: usize) {
        self.used += bytes;
        self.count += tokens;
        self.hashed = self.used;
    }

    /// Room for what a block of a text leaves of which `rest` bytes are to come: the text from here on, and the ends of
    /// tokens, with what they are counted from.
    #[inline(always)]
    pub(super) fn block_room(&mut self, rest: usize) -> (&mut [u8], &mut [u32], u32) {
        if self.text.len() < self.used + 2 * SLACK {
            self.grow(self.used + rest + 2 * SLACK);
        }
        if self.ends.len() < self.waiting + TOKENS_OF_BLOCK {
            self.hash_waiting();
            self.ends.resize(self.ends.len().max(MOST_WAITING + TOKENS_OF_BLOCK), 0);
        }
        (&mut self.text[self.used..], &mut self.ends[self.waiting..], (self.used - self.hashed) as u32)
    }

    /// Takes over what a block left.
    #[inline(always)]
    pub(super) fn advance_block(&mut self, bytes: usize, tokens: usize) {
        self.used += bytes;
        self.waiting += tokens;
    }

    /// Forgets all tokens, and keeps the memory.
    pub(super) fn clear(&mut self) {
        (self.used, self.count, self.waiting, self.hashed) = (0, 0, 0, 0);
    }

    /// Hash of each token; none may wait.
    #[inline(always)]
    pub(super) fn hashes(&self) -> &[u64] {
        debug_assert_eq!(self.waiting, 0, "tokens wait to be hashed");
        &self.hashes[..self.count]
    }

    /// Appends a token with its hash.
    pub(super) fn push(&mut self, token: &[u8], hash: u64) {
        let (text, hashes) = self.room(token.len() + 1, 1);
        text[..token.len()].copy_from_slice(token);
        text[token.len()] = b' ';
        hashes[0] = hash;
        self.advance(token.len() + 1, 1);
    }

    /// Ends the token that was written up to here.
    #[inline(always)]
    pub(super) fn end_token(&mut self) {
        let end = self.used - self.hashed;
        self.text[self.used] = b' ';
        self.used += 1;
        if self.waiting == self.ends.len() || end > u32::MAX as usize {
            return self.end_token_without_room(end);
        }
        self.ends[self.waiting] = end as u32;
        self.waiting += 1;
    }

    #[cold]
    fn end_token_without_room(&mut self, end: usize) {
        match u32::try_from(end) {
            Ok(end) => {
                self.ends.resize((self.ends.len() * 2).max(MOST_WAITING), 0);
                self.ends[self.waiting] = end;
                self.waiting += 1;
            }
            Err(_) => {
                self.hash_waiting();
                self.reserve_hashes(1);
                self.hashes[self.count] = hash::token(&self.text[self.hashed..self.used - 1]);
                self.count += 1;
                self.hashed = self.used;
            }
        }
    }

    /// A place to come back to, as long as nothing is hashed.
    #[inline(always)]
    pub(super) fn place(&self) -> (usize, usize) {
        (self.used, self.waiting)
    }

    /// Takes back what was written since.
    #[inline(always)]
    pub(super) fn back_to(&mut self, place: (usize, usize)) {
        (self.used, self.waiting) = place;
    }

    /// Hashes what waits, if it has become much.
    #[inline(always)]
    pub(super) fn hash_if_many(&mut self) {
        if self.waiting >= MOST_WAITING {
            self.hash_waiting();
        }
    }

    /// Hashes the tokens that wait.
    pub(super) fn hash_waiting(&mut self) {
        self.reserve_hashes(self.waiting);
        let text = &self.text[self.hashed..];
        let mut start = 0;
        for (hash, &end) in self.hashes[self.count..].iter_mut().zip(&self.ends[..self.waiting]) {
            let end = end as usize;
            *hash = match text[start..].first_chunk::<16>() {
                Some(chunk) if end - start <= 16 => hash::short(chunk, end - start),
                _ => hash::token(&text[start..end]),
            };
            start = end + 1;
        }
        self.hashed += start;
        self.count += self.waiting;
        self.waiting = 0;
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
