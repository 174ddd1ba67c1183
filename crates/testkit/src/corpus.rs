//! What a corpus is to be, and the documents of it.
//!
//! Every document has a random stream of its own, named by the seed and its number in the plan; a copy regenerates
//! its original and edits it. So any document can be made at any time, in any order, on any thread, and a generator
//! holds a vocabulary and a few buffers whether the corpus has ten documents or ten thousand million.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::edit::{Kind, edit};
use crate::maths::{exp, ln};
use crate::plan::{BLOCK, Layout, Origin, Plan};
use crate::random::{Purpose, Random};
use crate::truth::Truth;
use crate::vocabulary::{MAX_WORDS, Vocabulary, Word};
use crate::{Error, Script};

const FEWEST_WORDS: f64 = 20.0;
/// Below this a near copy cannot come close to the resemblance asked of it.
const FEWEST_WORDS_TO_EDIT: f64 = 40.0;
const MOST_WORDS: f64 = 20_000.0;
const BOILERPLATES: u64 = 200;
const BOILERPLATE_SHARE: f64 = 0.3;
/// Planted near copies aim at resemblances between these.
pub const NEAR_RANGE: (f64, f64) = (0.5, 0.98);

/// A corpus to generate. Equal settings give equal bytes on every platform.
#[derive(Clone, Debug, PartialEq)]
pub struct Corpus {
    /// How many documents, copies included.
    pub documents: u64,
    /// Chooses among corpora of equal settings.
    pub seed: u64,
    /// Mean number of words a document; lengths are log-normal between 20 and 20,000.
    pub mean_words: f64,
    /// Standard deviation of the logarithm of the length.
    pub sigma: f64,
    /// Distinct words.
    pub vocabulary: u32,
    /// Share of the documents that are exact copies of another.
    pub exact_share: f64,
    /// Share of the documents that are near copies of another.
    pub near_share: f64,
    /// Writing system.
    pub script: Script,
}

impl Default for Corpus {
    fn default() -> Self {
        Self {
            documents: 1_000,
            seed: 1,
            mean_words: 600.0,
            sigma: 0.9,
            vocabulary: 200_000,
            exact_share: 0.05,
            near_share: 0.15,
            script: Script::Latin,
        }
    }
}

/// A generated document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// `d` and the position in the file, eight digits or more.
    pub id: String,
    /// An address under one of 9,973 hosts, ending in the id.
    pub url: String,
    /// The text, without a line break at the end.
    pub text: String,
    /// Equal for an original and its copies, and for nobody else.
    pub group: u64,
    /// What the document is to its group.
    pub kind: Kind,
}

impl Corpus {
    /// A corpus of that many documents, else as by default.
    #[must_use]
    pub fn new(documents: u64) -> Self {
        Self { documents, ..Self::default() }
    }

    /// A generator that makes documents in any order.
    pub fn generator(&self) -> Result<Generator, Error> {
        self.check()?;
        let vocabulary = Vocabulary::new(self.script, self.vocabulary);
        let boilerplates = (0..BOILERPLATES).map(|number| {
            let mut random = Random::stream(self.seed, Purpose::Boilerplate, number);
            let mut words = Vec::new();
            vocabulary.draw(random.between(15, 59) as usize, &mut random, &mut words);
            words
        });
        Ok(Generator {
            plan: Plan::new(self.documents, self.exact_share, self.near_share, self.seed),
            boilerplates: boilerplates.collect(),
            log_mean: ln(self.mean_words) - self.sigma * self.sigma / 2.0,
            vocabulary,
            corpus: self.clone(),
            words: Vec::new(),
            text: Vec::new(),
        })
    }

    /// The documents in the order of the file.
    pub fn documents(&self) -> Result<Documents, Error> {
        Ok(Documents { generator: self.generator()?, next: 0 })
    }

    /// Every pair inside a planted group, with its exact resemblance.
    pub fn truth(&self) -> Result<Truth, Error> {
        Ok(self.generator()?.truth())
    }

    fn check(&self) -> Result<(), Error> {
        let fits = |name, value: f64, ok: bool, expected| {
            if ok { Ok(()) } else { Err(Error::Setting { name, value: value.to_string(), expected }) }
        };
        let shares = self.exact_share + self.near_share;
        let both_positive = self.exact_share >= 0.0 && self.near_share >= 0.0;
        fits("documents", self.documents as f64, self.documents < 1 << 50, "fewer than 2^50")?;
        fits("mean words", self.mean_words, (1.0..=1e5).contains(&self.mean_words), "1 to 100000")?;
        fits("sigma", self.sigma, (0.0..=3.0).contains(&self.sigma), "0 to 3")?;
        let words = (1_000..=MAX_WORDS).contains(&self.vocabulary);
        fits("vocabulary", f64::from(self.vocabulary), words, "1000 words to 16777215")?;
        fits("exact and near share together", shares, both_positive && shares <= 0.9, "0 to 0.9")
    }
}

/// Makes the documents of a corpus. A clone shares the vocabulary and works on another thread.
#[derive(Clone, Debug)]
pub struct Generator {
    pub(crate) plan: Plan,
    pub(crate) vocabulary: Arc<Vocabulary>,
    boilerplates: Arc<[Vec<Word>]>,
    log_mean: f64,
    corpus: Corpus,
    words: Vec<Word>,
    text: Vec<u8>,
}

impl Generator {
    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.plan.documents
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.plan.documents == 0
    }

    /// Mean bytes of text a word takes, with what separates it from the next.
    #[must_use]
    pub fn bytes_per_word(&self) -> f64 {
        self.vocabulary.bytes_per_word
    }

    /// The settings it was made from.
    #[must_use]
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Every pair inside a planted group, with its exact resemblance.
    #[must_use]
    pub fn truth(self) -> Truth {
        Truth::new(self)
    }

    /// The document at a position of the file. Panics where there is none.
    #[must_use]
    pub fn document(&mut self, position: u64) -> Document {
        let mut document = Document::empty();
        self.fill(position, &mut document);
        document
    }

    /// Like [`Generator::document`], into the buffers of an old document.
    pub fn fill(&mut self, position: u64, document: &mut Document) {
        assert!(position < self.plan.documents, "document {position} of {}", self.plan.documents);
        let slot = self.plan.slot_at(position);
        let layout = self.plan.layout(slot / BLOCK);
        let mut words = std::mem::take(&mut self.words);
        document.kind = self.fill_words(slot, &layout, &mut words);
        document.group = slot / BLOCK * BLOCK + u64::from(layout.base_of((slot % BLOCK) as u8));
        let length = self.vocabulary.render(&words, &mut self.text);
        self.words = words;
        let text =
            std::str::from_utf8(&self.text[..length]).expect("whole words because render copies only those");
        document.text.clear();
        document.text.push_str(text);
        fill_names(position, &mut document.id, &mut document.url);
    }

    /// Makes the words of a planned document and says what it is.
    pub(crate) fn fill_words(&self, slot: u64, layout: &Layout, words: &mut Vec<Word>) -> Kind {
        let start = slot - slot % BLOCK;
        match layout.origin((slot % BLOCK) as u8) {
            Origin::Base => {
                self.fill_base(slot, layout, words);
                Kind::Base
            }
            Origin::Exact { base } => {
                self.fill_base(start + u64::from(base), layout, words);
                Kind::Exact
            }
            Origin::Near { base } => {
                self.fill_base(start + u64::from(base), layout, words);
                let mut random = Random::stream(self.corpus.seed, Purpose::Edit, slot);
                let jaccard = NEAR_RANGE.0 + random.unit() * (NEAR_RANGE.1 - NEAR_RANGE.0);
                edit(words, jaccard, &self.vocabulary, &mut random)
            }
        }
    }

    fn fill_base(&self, slot: u64, layout: &Layout, words: &mut Vec<Word>) {
        let mut random = Random::stream(self.corpus.seed, Purpose::Base, slot);
        let edited = layout.has_near_copies((slot % BLOCK) as u8);
        let fewest = if edited { FEWEST_WORDS_TO_EDIT } else { FEWEST_WORDS };
        let length =
            exp(self.log_mean + self.corpus.sigma * random.normal()).clamp(fewest, MOST_WORDS) as usize;
        words.clear();
        self.vocabulary.draw(length, &mut random, words);
        if random.chance(BOILERPLATE_SHARE) {
            // The product of two uniform numbers: a few boilerplates stand on many pages.
            let number = (random.unit() * random.unit() * BOILERPLATES as f64) as usize;
            let boilerplate = &self.boilerplates[number];
            // At most a sixth of a page, so that unrelated pages stay below a resemblance of 0.1.
            if length > 5 * boilerplate.len() {
                words.extend_from_slice(boilerplate);
            }
        }
    }
}

impl Document {
    /// A document to be filled by [`Generator::fill`].
    #[must_use]
    pub fn empty() -> Self {
        Self { id: String::new(), url: String::new(), text: String::new(), group: 0, kind: Kind::Base }
    }
}

/// Writes the id and the URL of the document at a position.
pub(crate) fn fill_names(position: u64, id: &mut String, url: &mut String) {
    id.clear();
    url.clear();
    // Writing to a string cannot fail.
    let _ = write!(id, "d{position:08}");
    let _ = write!(url, "http://host{}.example/{id}", position % 9_973);
}

/// The documents of a corpus in order.
#[derive(Clone, Debug)]
pub struct Documents {
    generator: Generator,
    next: u64,
}

impl Iterator for Documents {
    type Item = Document;

    fn next(&mut self) -> Option<Document> {
        let position = self.next;
        self.next += 1;
        (position < self.generator.len()).then(|| self.generator.document(position))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.generator.len().saturating_sub(self.next)).ok();
        (left.unwrap_or(usize::MAX), left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(documents: u64) -> Corpus {
        Corpus { mean_words: 120.0, vocabulary: 20_000, ..Corpus::new(documents) }
    }

    #[test]
    fn a_document_does_not_depend_on_those_made_before_it() {
        let corpus = small(300);
        let all: Vec<Document> = corpus.documents().unwrap().collect();
        let mut generator = corpus.generator().unwrap();
        for position in [299, 0, 150, 7, 150] {
            assert_eq!(generator.document(position), all[position as usize]);
        }
    }

    #[test]
    fn nothing_is_kept_for_a_document_so_a_far_one_comes_as_soon_as_the_first() {
        let mut generator = small(1 << 49).generator().unwrap();
        let far = generator.document((1 << 49) - 1);
        assert!(far.text.len() > 100);
        let buffers = |generator: &Generator| (generator.words.capacity(), generator.text.capacity());
        let mut document = Document::empty();
        for position in (0..1u64 << 49).step_by(1 << 40) {
            generator.fill(position, &mut document);
        }
        let (words, text) = buffers(&generator);
        assert!(words <= 3 * MOST_WORDS as usize && text <= 3 * MOST_WORDS as usize * 40, "{words} {text}");
    }

    #[test]
    fn exact_copies_have_the_text_of_their_original() {
        let documents: Vec<Document> = small(1_000).documents().unwrap().collect();
        let base = |group| documents.iter().find(|d| d.group == group && d.kind == Kind::Base).unwrap();
        let exact: Vec<&Document> = documents.iter().filter(|d| d.kind == Kind::Exact).collect();
        assert_eq!(exact.len(), 50);
        assert!(exact.iter().all(|copy| copy.text == base(copy.group).text));
    }

    #[test]
    fn another_seed_gives_another_corpus() {
        let first = small(1).documents().unwrap().next();
        assert_ne!(first, Corpus { seed: 2, ..small(1) }.documents().unwrap().next());
    }

    #[test]
    fn the_mean_length_is_the_one_asked_for() {
        let mut generator =
            Corpus { mean_words: 300.0, near_share: 0.0, ..small(4_000) }.generator().unwrap();
        let bytes: usize = (0..4_000).map(|position| generator.document(position).text.len()).sum();
        let words = bytes as f64 / generator.bytes_per_word() / 4_000.0;
        // The length's coefficient of variation is 1.12, four standard errors 7 %; boilerplate adds some 2 %.
        assert!((words / 302.0 - 1.0).abs() < 0.08, "{words} words");
    }

    #[test]
    fn impossible_settings_are_named() {
        let error = Corpus { exact_share: 0.8, near_share: 0.3, ..small(1) }.generator().unwrap_err();
        assert_eq!(error.to_string(), "exact and near share together is 1.1, expected 0 to 0.9");
    }
}
