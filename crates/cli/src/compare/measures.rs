//! Every measure of two texts.

use super::edit::Edits;
use onefold_detect::digest::Algorithm;
use onefold_detect::measure::estimate::ValueBits;
use onefold_detect::measure::{BagOverlap, Groups, Overlap, bag, bag_overlap, cosine, euclidean, overlap};
use onefold_detect::sketch::{Bits, ClassicMinHash, MinHash, SimHash, agreement, distance};
use onefold_detect::text::{Choices, Normaliser, ShingleSet, Shingling};
use onefold_pipeline::FoundDocument;
use serde::Serialize;

/// Values of the signatures that are compared.
pub(super) const SIGNATURE: usize = 128;

/// What decides the measures.
pub(super) struct Settings {
    pub(super) choices: Choices,
    pub(super) shingling: Shingling,
    pub(super) features: Shingling,
    pub(super) digest: Algorithm,
    pub(super) full_edit: bool,
}

/// One of the two texts.
#[derive(Debug, Serialize)]
pub(super) struct Text {
    pub(super) name: String,
    pub(super) words: usize,
    pub(super) characters: usize,
    pub(super) shingles: usize,
    /// 64 bits; a text without a word has none.
    pub(super) fingerprint: Option<String>,
    pub(super) digest: String,
    pub(super) raw_digest: String,
}

/// An overlap of sets or of bags.
#[derive(Debug, Serialize)]
pub(super) struct Shared {
    pub(super) resemblance: f64,
    #[serde(rename = "containment_a_in_b")]
    pub(super) a_in_b: f64,
    #[serde(rename = "containment_b_in_a")]
    pub(super) b_in_a: f64,
    pub(super) shared: u64,
    pub(super) union: u64,
}

impl Shared {
    fn new(shared: u64, first: u64, second: u64) -> Self {
        let found = BagOverlap { shared, first, second };
        let turned = BagOverlap { shared, first: second, second: first };
        Shared {
            resemblance: found.resemblance(),
            a_in_b: found.containment(),
            b_in_a: turned.containment(),
            shared,
            union: first + second - shared,
        }
    }
}

impl From<Overlap> for Shared {
    fn from(found: Overlap) -> Self {
        Shared::new(found.shared.into(), found.first.into(), found.second.into())
    }
}

/// What signatures say of the resemblance.
#[derive(Debug, Serialize)]
pub(super) struct Sketched {
    pub(super) values: usize,
    pub(super) fast: f64,
    pub(super) classic: f64,
    /// Of either, at the true resemblance.
    pub(super) standard_error: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct Measures {
    pub(super) a: Text,
    pub(super) b: Text,
    pub(super) shingle: Shingling,
    pub(super) features: Shingling,
    pub(super) digest: Algorithm,
    /// Of sets of shingles, or of bags if replicas count.
    #[serde(flatten)]
    pub(super) shingles: Shared,
    /// Of bags of shingles.
    pub(super) weighted: Shared,
    pub(super) cosine: f64,
    pub(super) euclidean: f64,
    #[serde(rename = "word_edits")]
    pub(super) words: Edits,
    #[serde(rename = "character_edits")]
    pub(super) characters: Edits,
    /// Bits in which fingerprints differ, if both texts have one.
    pub(super) hamming: Option<u32>,
    /// If both texts have a shingle.
    pub(super) sketches: Option<Sketched>,
    /// Of sets of words.
    #[serde(rename = "words")]
    pub(super) word_sets: Shared,
    /// Of sets of groups of words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) groups: Option<Shared>,
    pub(super) equal_normalised: bool,
    pub(super) equal_raw: bool,
}

impl Measures {
    pub(super) fn of(
        a: &FoundDocument,
        b: &FoundDocument,
        settings: &Settings,
        groups: Option<&Groups>,
    ) -> Self {
        let [first, second] = [a, b].map(|document| Read::new(document, settings));
        let (x, y) = (first.normaliser.token_hashes(), second.normaliser.token_hashes());
        let shingles: Shared = overlap(first.set.hashes(), second.set.hashes()).into();
        let weighted = bag_overlap(&first.shingles, &second.shingles);
        let sketches = first.signatures.as_ref().zip(second.signatures.as_ref()).map(|(a, b)| Sketched {
            values: SIGNATURE,
            fast: agreement(&a[0], &b[0]),
            classic: agreement(&a[1], &b[1]),
            standard_error: ValueBits::B64.standard_error(shingles.resemblance, SIGNATURE),
        });
        let words = [x, y].map(ShingleSet::from_hashes);
        Measures {
            shingle: settings.shingling,
            features: settings.features,
            digest: settings.digest,
            shingles,
            weighted: Shared::new(weighted.shared, weighted.first, weighted.second),
            cosine: cosine(&first.words, &second.words),
            euclidean: euclidean(&first.words, &second.words),
            words: Edits::of(x, y, settings.full_edit),
            characters: Edits::of(&first.characters, &second.characters, settings.full_edit),
            hamming: first.fingerprint.zip(second.fingerprint).map(|(a, b)| distance(a, b)),
            sketches,
            word_sets: overlap(words[0].hashes(), words[1].hashes()).into(),
            groups: groups.map(|groups| groups.overlap(x, y).into()),
            equal_normalised: first.normaliser.normalised() == second.normaliser.normalised(),
            equal_raw: a.raw == b.raw,
            a: first.text(a, settings),
            b: second.text(b, settings),
        }
    }
}

/// A text as what it is compared by.
struct Read {
    normaliser: Normaliser,
    characters: Vec<char>,
    set: ShingleSet,
    /// Shingles and words with their counts.
    shingles: Vec<(u64, u32)>,
    words: Vec<(u64, u32)>,
    fingerprint: Option<u128>,
    /// The fast one, and the classic.
    signatures: Option<[Vec<u64>; 2]>,
}

impl Read {
    fn new(document: &FoundDocument, settings: &Settings) -> Self {
        let mut normaliser = Normaliser::new(&settings.choices);
        normaliser.read(&document.text);
        let set = ShingleSet::of_with(&normaliser, settings.shingling, settings.choices.bag, &mut Vec::new());
        let mut shingles = Vec::new();
        settings.shingling.each(&normaliser, |hash| shingles.push(hash));
        let mut simhash = SimHash::new(Bits::B64);
        simhash.begin();
        settings.features.each(&normaliser, |hash| simhash.add(hash));
        Read {
            characters: String::from_utf8_lossy(normaliser.normalised()).chars().collect(),
            signatures: signatures(&set),
            set,
            shingles: bag(&mut shingles),
            words: bag(&mut normaliser.token_hashes().to_vec()),
            fingerprint: simhash.finish(),
            normaliser,
        }
    }

    fn text(&self, document: &FoundDocument, settings: &Settings) -> Text {
        Text {
            name: document.id.clone(),
            words: self.normaliser.token_hashes().len(),
            characters: self.characters.len(),
            shingles: self.set.len(),
            fingerprint: self.fingerprint.map(|fingerprint| Bits::B64.hex(fingerprint)),
            digest: settings.digest.hex(self.normaliser.normalised()),
            raw_digest: settings.digest.hex(&document.raw),
        }
    }
}

fn signatures(set: &ShingleSet) -> Option<[Vec<u64>; 2]> {
    let (mut fast, mut classic) = (MinHash::new(SIGNATURE), ClassicMinHash::new(SIGNATURE));
    fast.begin();
    classic.begin();
    for &hash in set.hashes() {
        fast.add(hash);
        classic.add(hash);
    }
    Some([fast.finish()?.to_vec(), classic.finish()?.to_vec()])
}
