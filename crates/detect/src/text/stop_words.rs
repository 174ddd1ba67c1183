//! The most frequent words of a language, which say little of what a text is about.
//!
//! Short lists of function words: articles, pronouns, prepositions, conjunctions, auxiliaries, and the stumps that
//! apostrophes leave (`don't` is `don t`, `l'été` is `l été`). A list is part of what a fingerprint means, so it
//! stands here and does not change with somebody else's release; a change belongs with a new
//! [`mix::VERSION`](crate::mix::VERSION).

mod lists;

use super::named::named;
use super::sink::TokenSink;
use super::{classes, hash};

named! {
    /// A language with a list of stop words, by its ISO 639-1 code.
    Language {
        /// English.
        English = "en",
        /// German.
        German = "de",
        /// French.
        French = "fr",
        /// Spanish.
        Spanish = "es",
        /// Italian.
        Italian = "it",
        /// Portuguese.
        Portuguese = "pt",
        /// Dutch.
        Dutch = "nl",
        /// Swedish.
        Swedish = "sv",
        /// Danish.
        Danish = "da",
        /// Norwegian, both written forms.
        Norwegian = "no",
        /// Finnish.
        Finnish = "fi",
        /// Polish.
        Polish = "pl",
        /// Czech.
        Czech = "cs",
        /// Russian.
        Russian = "ru",
        /// Greek.
        Greek = "el",
        /// Romanian, with comma or cedilla below.
        Romanian = "ro",
        /// Hungarian.
        Hungarian = "hu",
        /// Turkish.
        Turkish = "tr",
    }
}

impl Language {
    /// The stop words, in lower case.
    pub fn stop_words(self) -> impl Iterator<Item = &'static str> {
        lists::of(self).split_ascii_whitespace()
    }
}

/// The stop words of a language, by the hashes of the tokens they become: a table with free slots between, each hash
/// at or behind the slot its leading bits name.
#[derive(Clone, Debug)]
pub(super) struct StopWords(Box<[u64; SLOTS]>);

/// At least four times as many as any list has words, so that most other words meet a free slot at once.
const SLOTS: usize = 1024;
const FREE: u64 = 0;

/// The slots to look at for a hash, in order.
fn slots(hash: u64) -> impl Iterator<Item = usize> {
    let first = (hash >> (64 - SLOTS.ilog2())) as usize;
    (first..first + SLOTS).map(|slot| slot % SLOTS)
}

impl StopWords {
    pub(super) fn of(language: Language) -> Self {
        let mut table = Box::new([FREE; SLOTS]);
        for word in language.stop_words() {
            let hash = hash::token(classes::fold_fully(word).as_bytes());
            if let Some(slot) = slots(hash).find(|&slot| table[slot] == FREE || table[slot] == hash) {
                table[slot] = hash;
            }
        }
        StopWords(table)
    }

    /// Whether the token of this hash is one of them.
    #[inline]
    pub(super) fn contain(&self, hash: u64) -> bool {
        slots(hash).map(|slot| self.0[slot]).find(|&found| found == FREE || found == hash) == Some(hash)
            && hash != FREE
    }

    /// Takes them out of tokens that were cut by default.
    pub(super) fn drop_from(&self, sink: &mut TokenSink) {
        let blanks = memchr::memchr_iter(b' ', &sink.text[..sink.used]);
        let all_ends: Vec<usize> = blanks.map(|blank| blank + 1).collect();
        let mut ends = all_ends.into_iter();
        let (mut start, mut dropped) = (0, Vec::new());
        sink.retain(|hash| {
            let end = ends.next().unwrap_or(start);
            let drop = self.contain(hash);
            if drop {
                dropped.push(start..end);
            }
            start = end;
            !drop
        });
        let TokenSink { text, used, .. } = sink;
        let mut to = dropped.first().map_or(*used, |first| first.start);
        for (i, gone) in dropped.iter().enumerate() {
            let next = dropped.get(i + 1).map_or(*used, |next| next.start);
            text.copy_within(gone.end..next, to);
            to += next - gone.end;
        }
        *used = to;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Normaliser;
    use super::*;

    #[test]
    fn every_stop_word_is_one_token_in_lower_case_and_there_are_enough() {
        let mut read = Normaliser::default();
        for &language in Language::ALL {
            for word in language.stop_words() {
                read.read(word);
                assert_eq!(read.token_hashes().len(), 1, "{language}: {word}");
                let lower = word.replace("i\u{307}", "İ").to_lowercase();
                assert_eq!(lower, word, "{language}");
            }
            let different = language.stop_words().collect::<std::collections::BTreeSet<_>>().len();
            assert!((60..=250).contains(&different), "{language}: {different}");
        }
    }

    #[test]
    fn lists_do_not_change_unnoticed() {
        let all = Language::ALL.iter().flat_map(|language| language.stop_words());
        let sum = all.fold(0u64, |sum, word| sum.rotate_left(1) ^ hash::token(word.as_bytes()));
        assert_eq!(
            sum, 0x4e23_c1e2_c379_5e2c,
            "{sum:#018x}: other lists are other fingerprints, and go with a new mix::VERSION"
        );
    }

    #[test]
    fn words_that_carry_a_text_stay() {
        for (language, word) in [
            (Language::English, "computer"),
            (Language::German, "haus"),
            (Language::Greek, "σπίτι"),
            (Language::Russian, "дом"),
            (Language::Turkish, "ev"),
        ] {
            assert!(!StopWords::of(language).contain(hash::token(word.as_bytes())), "{word}");
        }
    }

    #[test]
    fn sentences_of_each_language_lose_their_function_words() {
        for (language, text, left) in [
            (Language::English, "It isn't what they've said", "said"),
            (Language::German, "Das Haus steht an der Straße", "haus steht strasse"),
            (Language::French, "L'école n'est pas ouverte aujourd'hui", "école ouverte aujourd hui"),
            (Language::Spanish, "La casa está en la calle", "casa calle"),
            (Language::Italian, "La casa è nell'angolo della piazza", "casa angolo piazza"),
            (Language::Portuguese, "A casa está na rua", "casa rua"),
            (Language::Dutch, "Het huis staat aan de straat", "huis staat straat"),
            (Language::Swedish, "Huset ligger på en gata", "huset ligger gata"),
            (Language::Danish, "Huset ligger på en gade", "huset ligger gade"),
            (Language::Norwegian, "Huset ligg ikkje i ei gate", "huset ligg gate"),
            (Language::Finnish, "Talo on kadulla ja se on vanha", "talo kadulla vanha"),
            (Language::Polish, "Dom, który stoi przy ulicy, jest stary", "dom stoi ulicy stary"),
            (Language::Czech, "Dům, který stojí v ulici, je starý", "dům stojí ulici starý"),
            (Language::Russian, "Дом, который стоит на улице, очень старый", "дом стоит улице старый"),
            (Language::Greek, "Το σπίτι της οδού είναι παλιό", "σπίτι οδού παλιό"),
            (Language::Romanian, "Casa și strada sunt vechi", "casa strada vechi"),
            (Language::Romanian, "Casa şi strada sunt vechi", "casa strada vechi"),
            (Language::Hungarian, "A ház az utcában van", "ház utcában"),
            (Language::Turkish, "İçinde bir ev var", "ev"),
        ] {
            let mut read =
                Normaliser::new(&super::super::Choices { stop_words: Some(language), ..Default::default() });
            read.read(text);
            assert_eq!(String::from_utf8_lossy(read.normalised()), left, "{language}");
        }
    }
}
