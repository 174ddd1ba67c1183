//! The words of a corpus with their frequencies: Zipf–Mandelbrot, `p(r) ∝ (r + 2.7)^−1.05` (Mandelbrot 1953), as in
//! natural text, drawn with one random number a word and no search.
//!
//! The inverse of the cumulative distribution is kept at 2¹³ steps, a table that stays in the cache. A step inside
//! one frequent word gives that word; a step over many rare words gives each of them alike. Words lie in slots of
//! equal width, so that writing one is a copy of fixed size and the length only moves the end.

use std::collections::HashSet;
use std::sync::Arc;

use crate::maths::power;
use crate::random::{Purpose, Random};
use crate::script::Script;
use crate::words;

const STEP_BITS: u32 = 13;
/// Room for the longest word in UTF-8.
pub(crate) const SLOT: usize = 32;
/// Room for the longest separator.
const SEPARATOR_SLOT: usize = 8;

/// A word of a document: its rank in the lower 24 bits, its form (what follows it) above.
pub(crate) type Word = u32;
const RANK_MASK: u32 = (1 << FORM_SHIFT) - 1;
const FORM_SHIFT: u32 = 24;
/// The most words a vocabulary can hold.
pub(crate) const MAX_WORDS: u32 = RANK_MASK;

/// Shares of the forms, of 65,536: 6 % of words have a comma, 6 % a full stop, 1.5 % end a paragraph.
const COMMA_BELOW: u32 = 3_932;
const STOP_BELOW: u32 = 7_864;
const PARAGRAPH_BELOW: u32 = 8_847;

#[derive(Debug, Clone, Copy)]
struct Step {
    first: u32,
    span: u32,
}

/// A word and zeros after it. Aligned, so that a rare word costs one cache line and not two.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Slot([u8; SLOT]);

/// Shared by every generator of a corpus.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    slots: Vec<Slot>,
    lengths: Vec<u8>,
    capitals: Vec<[u8; 4]>,
    steps: Vec<Step>,
    separators: [[u8; SEPARATOR_SLOT]; 4],
    separator_lengths: [u8; 4],
    /// Tokens of every word where a word is more than one, with the start of each word's.
    characters: Option<(Vec<u32>, Vec<u32>)>,
    pub(crate) bytes_per_word: f64,
    pub(crate) tokens_per_word: f64,
}

impl Vocabulary {
    /// The vocabulary of a script. It does not depend on the corpus seed, so corpora of one script share words.
    pub(crate) fn new(script: Script, size: u32) -> Arc<Self> {
        let words = distinct_words(script, size);
        let steps = zipf_steps(size);
        let separators = script.separators();
        let separators = [separators.plain, separators.paragraph, separators.stop, separators.comma];
        let characters = (!script.has_blanks()).then(|| character_tokens(&words));
        let tokens_of = |rank: u32| characters.as_ref().map_or(1, |(starts, _)| token_count(starts, rank));
        let separator_mean = {
            let [plain, paragraph, stop, comma] = separators.map(|text| text.len() as f64);
            let (comma_share, stop_share) = (f64::from(COMMA_BELOW), f64::from(STOP_BELOW - COMMA_BELOW));
            let paragraph_share = f64::from(PARAGRAPH_BELOW - STOP_BELOW);
            let plain_share = 65_536.0 - f64::from(PARAGRAPH_BELOW);
            (plain * plain_share + paragraph * paragraph_share + stop * stop_share + comma * comma_share)
                / 65_536.0
        };
        let bytes_per_word = mean_over(&steps, |rank| words[rank as usize].len()) + separator_mean;
        let tokens_per_word = mean_over(&steps, tokens_of);
        Arc::new(Self {
            slots: words.iter().map(|word| Slot(padded(word))).collect(),
            lengths: words.iter().map(|word| word.len() as u8).collect(),
            capitals: words.iter().map(|word| capital(word)).collect(),
            steps,
            separator_lengths: separators.map(|text| text.len() as u8),
            separators: separators.map(padded),
            characters,
            bytes_per_word,
            tokens_per_word,
        })
    }

    /// Appends `count` words.
    pub(crate) fn draw(&self, count: usize, random: &mut Random, words: &mut Vec<Word>) {
        words.extend((0..count).map(|_| self.draw_one(random)));
    }

    /// One word: 13 bits choose the step, 32 the word inside it, 16 the form.
    #[inline]
    pub(crate) fn draw_one(&self, random: &mut Random) -> Word {
        let bits = random.next_u64();
        let step = self.steps[(bits >> (64 - STEP_BITS)) as usize];
        let inside = (((bits >> 17) & 0xFFFF_FFFF) * u64::from(step.span)) >> 32;
        let form = bits as u32 & 0xFFFF;
        let form =
            u32::from(form < PARAGRAPH_BELOW) + u32::from(form < STOP_BELOW) + u32::from(form < COMMA_BELOW);
        (step.first + inside as u32) | (form << FORM_SHIFT)
    }

    /// Writes the text of the words to the start of `out`, which grows as needed, and gives its length.
    pub(crate) fn render(&self, words: &[Word], out: &mut Vec<u8>) -> usize {
        let room = words.len() * (SLOT + SEPARATOR_SLOT) + SLOT;
        if out.len() < room {
            out.resize(room, 0);
        }
        let mut at = 0;
        let mut sentence_starts = true;
        for word in words {
            let (rank, form) = ((word & RANK_MASK) as usize, (word >> FORM_SHIFT) as usize & 3);
            out[at..at + SLOT].copy_from_slice(&self.slots[rank].0);
            if sentence_starts && form == 0 {
                let letter = self.capitals[rank];
                let bytes = usize::from(letter[0] != 0) * utf8_width(letter[0]);
                out[at..at + bytes].copy_from_slice(&letter[..bytes]);
            }
            at += usize::from(self.lengths[rank]);
            out[at..at + SEPARATOR_SLOT].copy_from_slice(&self.separators[form]);
            at += usize::from(self.separator_lengths[form]);
            sentence_starts = form == 1 || form == 2;
        }
        at - out[..at].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count()
    }

    /// Calls `visit` with every token of the words: the word itself, or its characters in scripts without blanks.
    pub(crate) fn tokens(&self, words: &[Word], mut visit: impl FnMut(u32)) {
        match &self.characters {
            None => words.iter().for_each(|word| visit(word & RANK_MASK)),
            Some((starts, tokens)) => {
                for word in words {
                    let rank = (word & RANK_MASK) as usize;
                    tokens[starts[rank] as usize..starts[rank + 1] as usize]
                        .iter()
                        .for_each(|token| visit(*token));
                }
            }
        }
    }

    /// The word of another rank in the form of `word`.
    pub(crate) fn with_form_of(other: Word, word: Word) -> Word {
        (other & RANK_MASK) | (word & !RANK_MASK)
    }

    /// The word so many ranks further, starting again after the last, in the form of `word`.
    pub(crate) fn moved(&self, word: Word, distance: u32) -> Word {
        Self::with_form_of(((word & RANK_MASK) + distance) % self.slots.len() as u32, word)
    }
}

fn distinct_words(script: Script, size: u32) -> Vec<String> {
    let mut random = Random::stream(12_345, Purpose::Vocabulary, 0);
    let mut seen = HashSet::with_capacity(size as usize);
    let mut words = Vec::with_capacity(size as usize);
    let mut tries = 0u32;
    while words.len() < size as usize {
        // Where the short words of a rank are used up, the longer ones of a later rank serve.
        let rank = words.len() as u32 + tries * tries;
        let word = words::make(script, rank, &mut random);
        tries += 1;
        // Case folding makes ss of ß; two words that differ only there would be one token.
        let folded = word.replace('ß', "ss");
        if !word.is_empty() && word.len() <= SLOT && seen.insert(folded) {
            words.push(word);
            tries = 0;
        }
    }
    words
}

fn zipf_steps(size: u32) -> Vec<Step> {
    let mut cumulative = Vec::with_capacity(size as usize);
    let mut total = 0.0;
    for rank in 1..=size {
        total += power(f64::from(rank) + 2.7, -1.05);
        cumulative.push(total);
    }
    let steps = 1usize << STEP_BITS;
    let rank_at = |step: usize| {
        let mass = total * step as f64 / steps as f64;
        cumulative.partition_point(|sum| *sum <= mass).min(size as usize - 1) as u32
    };
    (0..steps)
        .map(|step| {
            let (first, last) = (rank_at(step), rank_at(step + 1));
            Step { first, span: last - first + 1 }
        })
        .collect()
}

fn mean_over(steps: &[Step], value: impl Fn(u32) -> usize) -> f64 {
    let of_step = |step: &Step| {
        let sum: usize = (step.first..step.first + step.span).map(&value).sum();
        sum as f64 / f64::from(step.span)
    };
    steps.iter().map(of_step).sum::<f64>() / steps.len() as f64
}

fn character_tokens(words: &[String]) -> (Vec<u32>, Vec<u32>) {
    let (mut starts, mut tokens) = (vec![0], Vec::new());
    for word in words {
        for character in word.chars() {
            match character {
                // NFKC takes sara am apart into nikhahit and sara aa.
                '\u{E33}' => tokens.extend([0xE4D, 0xE32]),
                _ => tokens.push(u32::from(character)),
            }
        }
        starts.push(tokens.len() as u32);
    }
    (starts, tokens)
}

fn token_count(starts: &[u32], rank: u32) -> usize {
    (starts[rank as usize + 1] - starts[rank as usize]) as usize
}

fn padded<const N: usize>(text: &str) -> [u8; N] {
    let mut slot = [0; N];
    slot[..text.len()].copy_from_slice(text.as_bytes());
    slot
}

/// The word's first letter as a capital, or zeros where it has none of the same width in UTF-8.
fn capital(word: &str) -> [u8; 4] {
    let mut letters = word.chars().take(1).flat_map(char::to_uppercase);
    match (word.chars().next(), letters.next(), letters.next()) {
        (Some(small), Some(large), None) if small.len_utf8() == large.len_utf8() => {
            let mut bytes = [0; 4];
            large.encode_utf8(&mut bytes);
            bytes
        }
        _ => [0; 4],
    }
}

fn utf8_width(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_follow_zipf_mandelbrot() {
        let vocabulary = Vocabulary::new(Script::Latin, 10_000);
        let mut words = Vec::new();
        vocabulary.draw(400_000, &mut Random::new(3), &mut words);
        let norm: f64 = (1..=10_000).map(|rank| power(f64::from(rank) + 2.7, -1.05)).sum();
        for rank in [0u32, 1, 10, 100] {
            let seen = words.iter().filter(|word| *word & RANK_MASK == rank).count() as f64 / 400_000.0;
            let expected = power(f64::from(rank) + 3.7, -1.05) / norm;
            // Five standard errors and half a step of the table at either end.
            let tolerance = 5.0 * (expected / 400_000.0).sqrt() + 1.0 / f64::from(1u32 << STEP_BITS);
            assert!((seen - expected).abs() < tolerance, "rank {rank}: {seen} against {expected}");
        }
    }

    #[test]
    fn every_script_makes_valid_text_of_the_announced_size() {
        for script in Script::ALL {
            let vocabulary = Vocabulary::new(script, 20_000);
            let (mut words, mut text) = (Vec::new(), Vec::new());
            vocabulary.draw(30_000, &mut Random::new(1), &mut words);
            let length = vocabulary.render(&words, &mut text);
            let text = std::str::from_utf8(&text[..length]).unwrap();
            let announced = vocabulary.bytes_per_word * 30_000.0;
            assert!((length as f64 / announced - 1.0).abs() < 0.02, "{script}: {length} against {announced}");
            let newlines = text.matches('\n').count() as f64 / 30_000.0;
            assert!((newlines - 0.015).abs() < 0.004, "{script}: {newlines} paragraphs a word");
            assert_eq!(text.trim(), text, "{script}");
        }
    }

    #[test]
    fn sentences_start_with_a_capital_where_the_script_has_them() {
        for script in [Script::Latin, Script::Cyrillic, Script::Accented] {
            let vocabulary = Vocabulary::new(script, 5_000);
            let (mut words, mut text) = (Vec::new(), Vec::new());
            vocabulary.draw(2_000, &mut Random::new(1), &mut words);
            let length = vocabulary.render(&words, &mut text);
            let text = std::str::from_utf8(&text[..length]).unwrap();
            let sentences: Vec<&str> = text.split(". ").collect();
            let capitals = sentences.iter().filter(|s| s.starts_with(char::is_uppercase)).count();
            assert!(capitals * 10 > sentences.len() * 7, "{script}: {capitals} of {}", sentences.len());
        }
    }
}
