//! One bucket that holds almost everything: a keeper and any number of documents near it, no two alike. Templates,
//! error pages and calendars do this to a crawl, and all-pairs code dies of it.

use crate::Script;
use crate::corpus::{Document, fill_names};
use crate::edit::Kind;
use crate::random::{Purpose, Random};
use crate::vocabulary::{Vocabulary, Word};

const KEEPER_WORDS: usize = 400;
const VOCABULARY: u32 = 20_000;

/// The documents of a giant bucket.
#[derive(Clone, Debug)]
pub struct GiantBucket {
    vocabulary: std::sync::Arc<Vocabulary>,
    keeper: Vec<Word>,
    next: u64,
    copies: u64,
    text: Vec<u8>,
}

/// A keeper, first, and `copies` documents after it. Copy `i` has one word of the keeper replaced, at a place and by
/// a word that no other copy has together, so that its resemblance to the keeper is at least 391/401 and no two
/// texts are equal. Panics above 7,999,600 copies, where those pairs are used up.
#[must_use]
pub fn giant_bucket(copies: u64) -> GiantBucket {
    assert!(copies <= KEEPER_WORDS as u64 * u64::from(VOCABULARY - 1), "{copies} copies are too many");
    let vocabulary = Vocabulary::new(Script::Latin, VOCABULARY);
    let mut keeper = Vec::with_capacity(KEEPER_WORDS);
    vocabulary.draw(KEEPER_WORDS, &mut Random::stream(1, Purpose::Base, 0), &mut keeper);
    GiantBucket { vocabulary, keeper, next: 0, copies, text: Vec::new() }
}

impl GiantBucket {
    /// The keeper, or a copy of it: its number gives the place and how far the word moves in the vocabulary.
    fn words(&self, number: u64) -> Vec<Word> {
        let mut words = self.keeper.clone();
        if let Some(copy) = number.checked_sub(1) {
            let place = (copy % KEEPER_WORDS as u64) as usize;
            let distance = (copy / KEEPER_WORDS as u64) as u32 + 1;
            words[place] = self.vocabulary.moved(words[place], distance);
        }
        words
    }
}

impl Iterator for GiantBucket {
    type Item = Document;

    fn next(&mut self) -> Option<Document> {
        let number = self.next;
        if number > self.copies {
            return None;
        }
        self.next += 1;
        let length = self.vocabulary.render(&self.words(number), &mut self.text);
        let mut document = Document::empty();
        document.text = String::from_utf8_lossy(&self.text[..length]).into_owned();
        document.kind = if number == 0 { Kind::Base } else { Kind::Substitution };
        fill_names(number, &mut document.id, &mut document.url);
        Some(document)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn shingles(text: &str) -> HashSet<String> {
        let text = text.to_lowercase();
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        words.windows(5).map(|window| window.join(" ")).collect()
    }

    #[test]
    fn every_copy_is_near_the_keeper_and_no_two_are_equal() {
        let documents: Vec<Document> = giant_bucket(3_000).collect();
        assert_eq!(documents.len(), 3_001);
        let keeper = shingles(&documents[0].text);
        for copy in &documents[1..] {
            let set = shingles(&copy.text);
            let jaccard = keeper.intersection(&set).count() as f64 / keeper.union(&set).count() as f64;
            assert!((0.9..1.0).contains(&jaccard), "{}: {jaccard}", copy.id);
        }
        let texts: HashSet<String> =
            documents.into_iter().map(|document| document.text.to_lowercase()).collect();
        assert_eq!(texts.len(), 3_001);
    }
}
