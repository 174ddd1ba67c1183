//! What two texts have in common and where they differ, word by word.
//!
//! Finding the fewest differences takes time with the square of the length. Long texts are therefore cut first where both
//! have the same words that neither has twice, and what lies between is compared word by word if it is short; what is long
//! and has nothing to be cut at is told as replaced.

use imara_diff::{Algorithm, Diff, InternedInput, Token};
use serde::Serialize;
use std::ops::Range;
use utoipa::ToSchema;

/// Longest text that is compared word by word.
const MOST_BYTES: usize = 1 << 20;
/// Words of both texts up to which they are compared without cutting them.
const WHOLE: usize = 1 << 14;
/// Words up to which what lies between two cuts is compared word by word.
const PART: usize = 1 << 10;
/// Words in a row at which long texts are cut, from those that are rarely found twice to those that are often there.
const GRAMS: [usize; 3] = [16, 4, 1];

/// Words in a row that both texts have, or one.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Piece {
    /// `both`, `a` or `b`.
    of: &'static str,
    /// The words; a line begins where one does in the text.
    text: String,
}

/// Both texts in pieces, in order.
#[derive(Debug)]
pub(crate) struct Pieces {
    pub(crate) pieces: Vec<Piece>,
    /// Whether long parts are told as replaced that may have words in common.
    pub(crate) coarse: bool,
}

/// Takes both texts apart; `None` where they are too long.
pub(crate) fn pieces(a: &str, b: &str) -> Option<Pieces> {
    if a.len().max(b.len()) > MOST_BYTES {
        return None;
    }
    let (a, b) = (words(a), words(b));
    let mut input: InternedInput<&str> = InternedInput::default();
    input.update_before(a.iter().map(|(word, _)| *word));
    input.update_after(b.iter().map(|(word, _)| *word));
    let short = if a.len() + b.len() <= WHOLE { WHOLE } else { PART };
    let mut search = Search { a: &input.before, b: &input.after, short, hunks: Vec::new(), coarse: false };
    search.region(0..a.len(), 0..b.len(), &GRAMS);
    let Search { hunks, coarse, .. } = search;
    let mut pieces = Vec::new();
    let mut at = 0;
    for (removed, added) in hunks {
        put(&mut pieces, "both", &a[at..removed.start]);
        at = removed.end;
        put(&mut pieces, "a", &a[removed]);
        put(&mut pieces, "b", &b[added]);
    }
    put(&mut pieces, "both", &a[at..]);
    Some(Pieces { pieces, coarse })
}

/// Words of the one that the other has not, and of the other at the same place.
type Hunk = (Range<usize>, Range<usize>);

struct Search<'t> {
    a: &'t [Token],
    b: &'t [Token],
    /// Words of both up to which a region is compared word by word.
    short: usize,
    hunks: Vec<Hunk>,
    coarse: bool,
}

impl Search<'_> {
    /// Finds the hunks of a region; each is behind those that were found before.
    fn region(&mut self, mut a: Range<usize>, mut b: Range<usize>, grams: &[usize]) {
        let same = common(self.a[a.clone()].iter(), self.b[b.clone()].iter());
        (a.start, b.start) = (a.start + same, b.start + same);
        let same = common(self.a[a.clone()].iter().rev(), self.b[b.clone()].iter().rev());
        (a.end, b.end) = (a.end - same, b.end - same);
        if a.is_empty() || b.is_empty() {
            return self.hunk(a, b);
        }
        if a.len() + b.len() <= self.short {
            return self.words(&a, &b);
        }
        let Some((&gram, finer)) = grams.split_first() else {
            self.coarse = true;
            return self.hunk(a, b);
        };
        let (mut in_a, mut in_b) = (a.start, b.start);
        for (i, j) in anchors(&self.a[a.clone()], &self.b[b.clone()], gram) {
            let (i, j) = (a.start + i, b.start + j);
            // What goes on from the last cut may reach this one.
            if i < in_a || j < in_b {
                continue;
            }
            self.region(in_a..i, in_b..j, finer);
            let same = common(self.a[i..a.end].iter(), self.b[j..b.end].iter());
            (in_a, in_b) = (i + same, j + same);
        }
        self.region(in_a..a.end, in_b..b.end, finer);
    }

    /// Compares word by word.
    fn words(&mut self, a: &Range<usize>, b: &Range<usize>) {
        // Words are numbered anew, for memory is taken for as many as there are numbers.
        let mut input: InternedInput<u32> = InternedInput::default();
        input.update_before(self.a[a.clone()].iter().map(|word| word.0));
        input.update_after(self.b[b.clone()].iter().map(|word| word.0));
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_no_heuristic(&input);
        let place =
            |range: Range<u32>, start: usize| start + range.start as usize..start + range.end as usize;
        for hunk in diff.hunks() {
            self.hunk(place(hunk.before, a.start), place(hunk.after, b.start));
        }
    }

    fn hunk(&mut self, a: Range<usize>, b: Range<usize>) {
        match self.hunks.last_mut() {
            _ if a.is_empty() && b.is_empty() => {}
            Some(last) if last.0.end == a.start && last.1.end == b.start => {
                (last.0.end, last.1.end) = (a.end, b.end);
            }
            _ => self.hunks.push((a, b)),
        }
    }
}

/// How many are the same from the start on.
fn common<'t>(a: impl Iterator<Item = &'t Token>, b: impl Iterator<Item = &'t Token>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// Where both have the same words in a row that neither has twice: as many places as are in the same order in both.
fn anchors(a: &[Token], b: &[Token], gram: usize) -> Vec<(usize, usize)> {
    let (in_a, in_b) = (once(a, gram), once(b, gram));
    let mut pairs = Vec::new();
    let mut of_b = in_b.iter().peekable();
    for &(hash, i) in &in_a {
        while of_b.next_if(|(other, _)| *other < hash).is_some() {}
        if let Some(&(_, j)) = of_b.next_if(|(other, _)| *other == hash)
            && a[i..i + gram] == b[j..j + gram]
        {
            pairs.push((i, j));
        }
    }
    pairs.sort_unstable();
    rising(&pairs)
}

/// Hashes of words in a row that are there once, with their places.
fn once(words: &[Token], gram: usize) -> Vec<(u64, usize)> {
    let hash = |words: &[Token]| {
        words.iter().fold(0_u64, |hash, word| {
            (hash.rotate_left(29) ^ u64::from(word.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    };
    let mut grams: Vec<(u64, usize)> =
        words.windows(gram).enumerate().map(|(place, words)| (hash(words), place)).collect();
    grams.sort_unstable();
    let groups = grams.chunk_by(|one, next| one.0 == next.0);
    groups.filter_map(|group| if let [one] = group { Some(*one) } else { None }).collect()
}

/// A longest choice of pairs, which are in order of the first, that is in order of the second too.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // Of the choices of each length that were found, the pair with which the one ends that ends first.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, &(_, j)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < j);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    let last = ends.last().copied();
    let mut chosen: Vec<_> =
        std::iter::successors(last, |&number| before[number]).map(|number| pairs[number]).collect();
    chosen.reverse();
    chosen
}

fn put(pieces: &mut Vec<Piece>, of: &'static str, words: &[(&str, bool)]) {
    if words.is_empty() {
        return;
    }
    let mut text = String::new();
    for (place, (word, line)) in words.iter().enumerate() {
        match (line, place) {
            (true, _) => text.push('\n'),
            (false, 0) => {}
            (false, _) => text.push(' '),
        }
        text.push_str(word);
    }
    pieces.push(Piece { of, text });
}

/// Words, and whether each begins a line that is not the first.
fn words(text: &str) -> Vec<(&str, bool)> {
    let mut words = Vec::new();
    for line in text.lines() {
        let mut begins = !words.is_empty();
        for word in line.split_whitespace() {
            words.push((word, std::mem::take(&mut begins)));
        }
    }
    words
}

#[cfg(test)]
mod tests;
