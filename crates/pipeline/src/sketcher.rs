//! One document to its digest, its keys and the record of its sketches.

mod shingle_keys;

use crate::census::{FeatureCounts, ShingleCounter};
use crate::paragraphs::{self, Paragraphs};
use crate::payload::{Notice, kind_of, text_of};
use crate::recipe::Recipe;
use crate::templates::site_of;
use onefold_detect::digest::Digest;
use onefold_detect::mix;
use onefold_detect::sketch::{ClassicMinHash, MinHash, SimHash};
use onefold_detect::text::{Normaliser, ShingleSet, Shingling, word_shingles};
use onefold_formats::BadRecord;
use onefold_formats::document::{Body, Document};
use onefold_run::{Method, Plan, SketchKind, Unit, Weight, Within};
use shingle_keys::Prefixes;
pub(crate) use shingle_keys::ShingleKey;
use xxhash_rust::xxh3::xxh3_64;

/// What stays of a document after it was read.
#[derive(Clone, Debug)]
pub(crate) struct Sketched {
    pub(crate) digest: Digest,
    pub(crate) normalised_bytes: u64,
    pub(crate) empty: bool,
    pub(crate) notice: Notice,
}

/// What a document leaves for matching; emptied and filled for each.
#[derive(Debug, Default)]
pub(crate) struct Sketches {
    /// Documents that share one are candidates.
    pub(crate) keys: Vec<u64>,
    /// Shingles by which sets meet: see [`ShingleKey`].
    pub(crate) shingle_keys: Vec<u64>,
    /// See [`crate::record`].
    pub(crate) record: Vec<u8>,
}

impl Sketches {
    fn clear(&mut self, record_bytes: usize) {
        self.keys.clear();
        self.shingle_keys.clear();
        self.record.clear();
        self.record.resize(record_bytes, 0);
    }
}

/// Reusable state of one worker.
pub(crate) struct Sketcher<'p> {
    recipe: &'p Recipe<'p>,
    normaliser: Normaliser,
    signer: Signer,
    simhash: SimHash,
    prefixes: Prefixes,
    page: String,
    hashes: Vec<u64>,
    scratch: Vec<u64>,
    cutter: Paragraphs,
}

enum Signer {
    Fast(MinHash),
    Classic(ClassicMinHash),
}

impl<'p> Sketcher<'p> {
    pub(crate) fn new(recipe: &'p Recipe<'p>) -> Self {
        let plan = recipe.plan;
        Sketcher {
            recipe,
            normaliser: Normaliser::new(&plan.text),
            signer: match plan.sketch {
                SketchKind::Fast => Signer::Fast(MinHash::new(plan.signature)),
                SketchKind::Classic => Signer::Classic(ClassicMinHash::new(plan.signature)),
            },
            simhash: SimHash::new(plan.simhash.bits),
            prefixes: Prefixes::default(),
            page: String::new(),
            hashes: Vec::new(),
            scratch: Vec::new(),
            cutter: Paragraphs::new(plan),
        }
    }

    /// Digests a document and makes what its method asks for.
    pub(crate) fn sketch(
        &mut self,
        document: &Document<'_>,
        out: &mut Sketches,
    ) -> Result<Sketched, BadRecord> {
        let (plan, layout, body) = (self.recipe.plan, self.recipe.layout, &document.body);
        out.clear(layout.bytes());
        let group = self.group(document);
        if plan.raw && plan.method == Method::Exact && !layout.has_tokens() {
            let bytes = raw(body);
            // Hardly a text has no ASCII letter or digit; the others are read to be sure.
            let empty = !bytes.iter().any(u8::is_ascii_alphanumeric) && {
                self.read(document)?;
                self.normaliser.normalised().is_empty()
            };
            let digest = grouped(plan.digest.short(bytes), group);
            let notice = Notice { kind: kind_of(body), ..Notice::default() };
            return Ok(Sketched { digest, normalised_bytes: bytes.len() as u64, empty, notice });
        }
        let notice = self.read(document)?;
        let normalised = self.normaliser.normalised();
        let digest = grouped(self.digest(body), group);
        let sketched = Sketched {
            digest,
            normalised_bytes: normalised.len() as u64,
            empty: normalised.is_empty(),
            notice,
        };
        if sketched.empty {
            return Ok(sketched);
        }
        if plan.unit == Unit::Paragraph {
            self.paragraphs(document, out);
            return Ok(sketched);
        }
        if layout.has_tokens() {
            layout.put_tokens(&mut out.record, self.normaliser.token_hashes().len() as u32);
        }
        if layout.has_group() {
            layout.put_group(&mut out.record, group.unwrap_or_default());
        }
        if layout.has_fingerprint() {
            self.fingerprint(group, out);
        }
        if layout.has_set() {
            self.shingle_set(group, out);
        }
        if layout.has_signature() {
            self.sign(group, out);
        }
        Ok(sketched)
    }

    /// What stays of a document that is not looked at: it passes for empty.
    pub(crate) fn skip(&self, out: &mut Sketches) -> Sketched {
        out.clear(self.recipe.layout.bytes());
        Sketched { digest: Digest(0), normalised_bytes: 0, empty: true, notice: Notice::default() }
    }

    /// Counts the shingles and features of a document.
    pub(crate) fn count(
        &mut self,
        document: &Document<'_>,
        shingles: Option<&mut ShingleCounter<'_>>,
        features: Option<&FeatureCounts>,
    ) {
        // What cannot be read is counted as bad when it is sketched.
        if self.read(document).is_err() {
            return;
        }
        if let Some(counter) = shingles {
            // Within one document a shingle may repeat: that makes it no rarer to others, and costs no sorting here.
            self.each_shingle(|hash| counter.add(hash));
        }
        if let Some(counts) = features {
            let mut distinct = std::mem::take(&mut self.hashes);
            distinct.clear();
            self.recipe.plan.simhash.features.each(&self.normaliser, |hash| distinct.push(hash));
            distinct.sort_unstable();
            distinct.dedup();
            counts.add(&distinct);
            self.hashes = distinct;
        }
    }

    /// The digest and the set of shingles of a document.
    pub(crate) fn shingles(&mut self, document: &Document<'_>) -> (Digest, ShingleSet) {
        self.read_again(document);
        let digest = grouped(self.digest(&document.body), self.group(document));
        (digest, self.with_shingles(|_, hashes| ShingleSet::from_hashes(hashes)))
    }

    /// Hands over the shingles of the document that was sketched last, with repeats.
    pub(crate) fn with_last_shingles(&mut self, use_them: impl FnOnce(&[u64])) {
        match &self.signer {
            Signer::Fast(minhash) if self.recipe.layout.has_signature() => use_them(minhash.shingles()),
            _ => self.with_shingles(|_, hashes| use_them(hashes)),
        }
    }

    /// Hands over the shingles of the document that was read last, in space that is used again.
    fn with_shingles<T>(&mut self, use_them: impl FnOnce(&mut Self, &[u64]) -> T) -> T {
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        self.each_shingle(|hash| hashes.push(hash));
        let made = use_them(self, &hashes);
        self.hashes = hashes;
        made
    }

    /// The digest and the characters of a document's normalised text.
    pub(crate) fn characters(&mut self, document: &Document<'_>) -> (Digest, Vec<char>) {
        self.read_again(document);
        let digest = grouped(self.digest(&document.body), self.group(document));
        (digest, String::from_utf8_lossy(self.normaliser.normalised()).chars().collect())
    }

    /// The digest and the text of a document.
    pub(crate) fn text(&mut self, document: &Document<'_>) -> (Digest, String) {
        let mut text = String::new();
        let _ = self.text_of(document, &mut text);
        self.normaliser.read(&text);
        (grouped(self.digest(&document.body), self.group(document)), text)
    }

    /// Keys of the paragraphs of a document whose text can be written anew.
    fn paragraphs(&mut self, document: &Document<'_>, out: &mut Sketches) {
        let text = match &document.body {
            Body::Text(text) => text,
            Body::Page { html: false, bytes, .. } => match std::str::from_utf8(bytes) {
                Ok(text) => text,
                Err(_) => return,
            },
            Body::Page { .. } | Body::File { .. } => return,
        };
        let plan = self.recipe.plan;
        self.cutter.each(plan, text, |_, _, digest| out.keys.push(paragraphs::key(digest)));
    }

    fn sign(&mut self, group: Option<u64>, out: &mut Sketches) {
        let Sketcher { recipe, signer, normaliser, scratch, .. } = self;
        let plan = recipe.plan;
        let signature = match signer {
            Signer::Fast(minhash) => {
                minhash.begin();
                match (plan.shingle, plan.sample) {
                    (Shingling::Words(len), None) if !plan.text.bag => {
                        minhash.add_all(word_shingles(normaliser, len));
                    }
                    _ => each_shingle(plan, normaliser, scratch, |hash| minhash.add(hash)),
                }
                minhash.finish()
            }
            Signer::Classic(minhash) => {
                minhash.begin();
                each_shingle(plan, normaliser, scratch, |hash| minhash.add(hash));
                minhash.finish()
            }
        };
        let Some(signature) = signature else { return };
        self.recipe.layout.put_signature(&mut out.record, signature, plan.signature_bits);
        match group {
            None => out.keys.extend(plan.bands.keys(signature)),
            Some(group) => out.keys.extend(plan.bands.keys(signature).map(|key| mix::pair(key, group))),
        }
    }

    fn fingerprint(&mut self, group: Option<u64>, out: &mut Sketches) {
        let (plan, simhash) = (&self.recipe.plan.simhash, &mut self.simhash);
        simhash.begin();
        match plan.weight {
            Weight::Tf => {
                self.hashes.clear();
                plan.features.each(&self.normaliser, |hash| self.hashes.push(hash));
                simhash.add_all(&self.hashes);
            }
            Weight::Binary => {
                self.hashes.clear();
                plan.features.each(&self.normaliser, |hash| self.hashes.push(hash));
                self.hashes.sort_unstable();
                self.hashes.dedup();
                simhash.add_all(&self.hashes);
            }
            // A feature that occurs again counts again, so that its weight is tf · idf.
            Weight::Tfidf => match &self.recipe.features {
                Some(weights) => {
                    plan.features.each(&self.normaliser, |hash| simhash.add_weighted(hash, weights.get(hash)))
                }
                None => plan.features.each(&self.normaliser, |hash| simhash.add(hash)),
            },
        }
        let Some(fingerprint) = simhash.finish() else { return };
        self.recipe.layout.put_fingerprint(&mut out.record, fingerprint);
        if let Some(tables) = &self.recipe.tables {
            let key = |key| group.map_or(key, |group| mix::pair(key, group));
            out.keys.extend(tables.keys(fingerprint).map(key));
        }
    }

    fn shingle_set(&mut self, group: Option<u64>, out: &mut Sketches) {
        let Recipe { plan, layout, shingles, .. } = self.recipe;
        self.with_shingles(|sketcher, hashes| {
            // A text that nothing can meet needs no record of its set.
            if shingles.as_ref().is_some_and(|counts| Prefixes::is_alone(hashes, plan, counts)) {
                return;
            }
            let set = ShingleSet::from_hashes(hashes);
            layout.put_set(&mut out.record, set.hashes());
            if let Some(counts) = shingles {
                sketcher.prefixes.keys(set.hashes(), plan, counts, group, &mut out.shingle_keys);
            }
        });
    }

    #[inline]
    fn each_shingle(&mut self, take: impl FnMut(u64)) {
        each_shingle(self.recipe.plan, &self.normaliser, &mut self.scratch, take);
    }

    fn digest(&self, body: &Body<'_>) -> Digest {
        let bytes = if self.recipe.plan.raw { raw(body) } else { self.normaliser.normalised() };
        self.recipe.plan.digest.short(bytes)
    }

    /// Hash of the group a document is compared within, if there are groups.
    fn group(&self, document: &Document<'_>) -> Option<u64> {
        match &self.recipe.plan.within {
            Within::All => None,
            Within::Site => {
                let url = document.url.as_deref().filter(|url| !url.is_empty());
                Some(url.map_or(0, |url| xxh3_64(site(url).as_bytes())))
            }
            Within::Field(_) => Some(document.group.as_deref().map_or(0, |value| xxh3_64(value.as_bytes()))),
        }
    }

    fn read(&mut self, document: &Document<'_>) -> Result<Notice, BadRecord> {
        if let (Body::Text(text), None) = (&document.body, &self.recipe.templates) {
            self.normaliser.read(text);
            return Ok(Notice::default());
        }
        let mut page = std::mem::take(&mut self.page);
        page.clear();
        let notice = self.text_of(document, &mut page);
        self.normaliser.read(&page);
        self.page = page;
        notice
    }

    /// Appends the text that is compared, without its template.
    fn text_of(&self, document: &Document<'_>, out: &mut String) -> Result<Notice, BadRecord> {
        let notice = text_of(&document.body, self.recipe.plan.content, out);
        if let Some(templates) = &self.recipe.templates {
            templates.drop_from(site_of(document.url.as_deref()), out);
        }
        notice
    }

    /// Reads a document that was read before; one that has become bad since has no text, and so another digest.
    fn read_again(&mut self, document: &Document<'_>) {
        let _ = self.read(document);
    }
}

/// Hands over the shingles of the text that was read, those of the sample if there is one.
#[inline]
fn each_shingle(plan: &Plan, read: &Normaliser, scratch: &mut Vec<u64>, mut take: impl FnMut(u64)) {
    match plan.sample {
        None => plan.shingle.each_with(read, plan.text.bag, scratch, take),
        Some(sample) => plan.shingle.each_with(read, plan.text.bag, scratch, |hash| {
            if sample.keeps(hash) {
                take(hash);
            }
        }),
    }
}

/// Equal texts of different groups are different.
fn grouped(digest: Digest, group: Option<u64>) -> Digest {
    group.map_or(digest, |group| {
        let spread = u128::from(mix::pair(group, 1)) << 64 | u128::from(mix::pair(group, 2));
        Digest(digest.0 ^ spread)
    })
}

fn raw<'a>(body: &'a Body<'_>) -> &'a [u8] {
    match body {
        Body::Text(text) => text.as_bytes(),
        Body::Page { bytes, .. } | Body::File { bytes, .. } => bytes,
    }
}

/// The registrable domain of a URL; what has none, as an address, is a site by itself.
pub(crate) fn site(url: &str) -> String {
    onefold_page::url::site(url).ok().flatten().unwrap_or_else(|| {
        let host = url.split_once("://").map_or(url, |(_, rest)| rest);
        host.split(['/', '?', '#']).next().unwrap_or(host).to_ascii_lowercase()
    })
}
