//! How the fingerprints of an index lie: the two pictures of Manku, Jain and Das Sarma (2007).
//!
//! Uniform fingerprints, sorted, differ from their neighbours first at bit log₂ n from the top or thereabouts, and fill
//! all buckets of leading bits alike. Real ones do not: empty pages, error pages and templates stand out as spikes.

use crate::error::Error;
use crate::index::Index;
use crate::row::Number;
use crate::store::Lookup;
use crate::text::unpack;

/// Buckets of a picture, as a power of two.
const BUCKET_BITS: u32 = 10;
/// Spikes named at most.
const MOST_SPIKES: usize = 20;
/// Characters of a text that name its spike.
const BEGINNING: usize = 48;

/// A bucket that holds far more than its share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spike {
    /// The bucket.
    pub bucket: usize,
    /// Documents in it.
    pub documents: u64,
    /// The fingerprint most of them have.
    pub fingerprint: u64,
    /// Documents with just this one.
    pub same: u64,
    /// The first of those.
    pub example: String,
    /// How its text begins, where texts are stored: an error page tells what it is.
    pub begins: Option<String>,
}

impl Spike {
    /// What it is called in a picture.
    pub fn name(&self) -> &str {
        self.begins.as_deref().unwrap_or(&self.example)
    }
}

/// How fingerprints lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pictures {
    /// Documents with a fingerprint.
    pub documents: u64,
    /// Documents without one: empty pages.
    pub empty: u64,
    /// Distinct fingerprints.
    pub distinct: u64,
    /// For each position, 64 the highest, how many pairs of sorted neighbours differ there first; 0 counts equal ones.
    pub leading: Vec<u64>,
    /// Documents by the ten leading bits of their fingerprints.
    pub buckets: Vec<u64>,
    /// The fullest buckets, where they hold more than six standard deviations above their share.
    pub spikes: Vec<Spike>,
}

impl Index {
    /// Looks at the fingerprints of all documents, members included.
    pub fn pictures(&self) -> Result<Pictures, Error> {
        let snapshot = self.inner.snapshot();
        let mut fingerprints: Vec<(u64, Number)> = Vec::new();
        let mut empty = 0;
        for entry in snapshot.view.states(0)? {
            let number = entry?.0;
            match snapshot.view.rows.document(number)?.and_then(|document| document.fingerprint) {
                Some(fingerprint) => fingerprints.push((fingerprint, number)),
                None => empty += 1,
            }
        }
        fingerprints.sort_unstable();
        let mut leading = vec![0; 65];
        let mut buckets = vec![0u64; 1 << BUCKET_BITS];
        let bucket = |fingerprint: u64| (fingerprint >> (64 - BUCKET_BITS)) as usize;
        for pair in fingerprints.windows(2) {
            leading[64 - (pair[0].0 ^ pair[1].0).leading_zeros() as usize] += 1;
        }
        for &(fingerprint, _) in &fingerprints {
            buckets[bucket(fingerprint)] += 1;
        }
        let equal = leading[0];
        let documents = fingerprints.len() as u64;
        let share = documents as f64 / buckets.len() as f64;
        let bound = share + 6.0 * share.sqrt();
        let mut full: Vec<usize> =
            (0..buckets.len()).filter(|&at| buckets[at] as f64 > bound.max(2.0)).collect();
        full.sort_by_key(|&at| (std::cmp::Reverse(buckets[at]), at));
        let mut spikes = Vec::new();
        for at in full.into_iter().take(MOST_SPIKES) {
            let start = fingerprints.partition_point(|&(fingerprint, _)| bucket(fingerprint) < at);
            let held = &fingerprints[start..start + buckets[at] as usize];
            let runs = held.chunk_by(|a, b| a.0 == b.0);
            let Some(most) = runs.max_by_key(|run| (run.len(), std::cmp::Reverse(run[0].0))) else {
                continue;
            };
            let example =
                snapshot.view.rows.document(most[0].1)?.map(|document| document.id).unwrap_or_default();
            let (documents, same) = (buckets[at], most.len() as u64);
            let text = snapshot.view.text(most[0].1, unpack)?;
            let begins = text.map(|text| beginning(&text));
            spikes.push(Spike { bucket: at, documents, fingerprint: most[0].0, same, example, begins });
        }
        let distinct = documents - equal;
        Ok(Pictures { documents, empty, distinct, leading, buckets, spikes })
    }
}

/// The first words of a text.
fn beginning(text: &str) -> String {
    let words = text.split_whitespace().scan(0, |taken, word| {
        *taken += word.chars().count() + 1;
        (*taken <= BEGINNING + 1).then_some(word)
    });
    words.collect::<Vec<_>>().join(" ")
}
