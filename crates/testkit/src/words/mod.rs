//! Makes words that look like a language and mean nothing: frequent ones short, rare ones long, letters in
//! plausible places and frequencies. No text of anybody is involved.

mod alphabetic;
mod asian;

use crate::random::Random;
use crate::script::Script;

/// A word for the given rank of frequency, 0 being the most frequent.
pub(crate) fn make(script: Script, rank: u32, random: &mut Random) -> String {
    match script {
        Script::Latin => alphabetic::latin(rank, random),
        Script::Accented => alphabetic::accented(rank, random),
        Script::Cyrillic => alphabetic::cyrillic(rank, random),
        Script::Arabic => alphabetic::arabic(rank, random),
        Script::Chinese => asian::chinese(rank, random),
        Script::Japanese => asian::japanese(rank, random),
        Script::Thai => asian::thai(rank, random),
    }
}

/// Syllables for a word of that rank.
fn syllables(rank: u32, random: &mut Random) -> u64 {
    match rank {
        0..300 => 1,
        300..5_000 => random.between(1, 2),
        5_000..50_000 => random.between(2, 3),
        _ => random.between(2, 4),
    }
}

/// An item of the list, the first being the likeliest: the square of a uniform number chooses the place, so the
/// first of a hundred items comes ten times as often as the mean.
fn by_frequency<T: Copy>(items: &[T], random: &mut Random) -> T {
    let place = random.unit();
    items[(place * place * items.len() as f64) as usize]
}
