//! Near copies: an original changed so that the resemblance of the two comes out near a wanted Jaccard value.
//!
//! With shingles of five tokens and `c = 2J/(1+J)`, the share of shingles that two sets of equal size have in common
//! at resemblance J, each kind of change has its own amount. A word of `t` tokens stands in `t + 4` shingles, so a
//! shingle meets `(t + 4)/t` words in the mean and outlives scattered substitutions of probability q with
//! `(1 − q)^((t + 4)/t) = c`.

use crate::maths::power;
use crate::random::Random;
use crate::vocabulary::{Vocabulary, Word};

/// Tokens in a shingle.
pub(crate) const SHINGLE: usize = 5;

/// What a document is to its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The original.
    Base,
    /// The same text.
    Exact,
    /// Single words replaced all over the text.
    Substitution,
    /// One run of words replaced.
    Block,
    /// A run of words added at the front, at the end or inside.
    Insert,
    /// A run of words left out.
    Cut,
}

impl Kind {
    /// The short name in truth files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Exact => "exact",
            Self::Substitution => "sub",
            Self::Block => "block",
            Self::Insert => "insert",
            Self::Cut => "cut",
        }
    }
}

/// Changes `words` to resemble what they were at about `jaccard`, and says in which way.
pub(crate) fn edit(
    words: &mut Vec<Word>,
    jaccard: f64,
    vocabulary: &Vocabulary,
    random: &mut Random,
) -> Kind {
    let count = words.len();
    let kept = 2.0 * jaccard / (1.0 + jaccard);
    let tokens = vocabulary.tokens_per_word;
    let spoiled_beside = (SHINGLE - 1) as f64 / tokens;
    let choice = random.unit();
    if choice < 0.45 {
        let probability = 1.0 - power(kept, tokens / (tokens + (SHINGLE - 1) as f64));
        substitute(words, probability, vocabulary, random);
        return Kind::Substitution;
    }
    if choice < 0.65 {
        let length = run((1.0 - kept) * count as f64 - spoiled_beside, count);
        let start = random.below((count - length + 1) as u64) as usize;
        for word in &mut words[start..start + length] {
            *word = Vocabulary::with_form_of(vocabulary.draw_one(random), *word);
        }
        return Kind::Block;
    }
    if choice < 0.82 {
        let length = run(count as f64 * (1.0 / jaccard - 1.0), usize::MAX);
        let start = place(count, random);
        let added: Vec<Word> = (0..length).map(|_| vocabulary.draw_one(random)).collect();
        words.splice(start..start, added);
        return Kind::Insert;
    }
    let length = run(count as f64 * (1.0 - jaccard), count);
    let start = place(count - length, random);
    words.drain(start..start + length);
    Kind::Cut
}

fn substitute(words: &mut [Word], probability: f64, vocabulary: &Vocabulary, random: &mut Random) {
    let mut any = false;
    for word in words.iter_mut() {
        if random.chance(probability) {
            *word = Vocabulary::with_form_of(vocabulary.draw_one(random), *word);
            any = true;
        }
    }
    if !any {
        let word = random.below(words.len() as u64) as usize;
        words[word] = Vocabulary::with_form_of(vocabulary.draw_one(random), words[word]);
    }
}

fn run(length: f64, most: usize) -> usize {
    (length.round().max(1.0) as usize).min(most)
}

/// The front, the end or anywhere, a third each.
fn place(end: usize, random: &mut Random) -> usize {
    match random.below(3) {
        0 => 0,
        1 => end,
        _ => random.below(end as u64 + 1) as usize,
    }
}
