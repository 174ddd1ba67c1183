//! One document to its digest and band keys.

use onefold_detect::digest::Digest;
use onefold_detect::sketch::MinHash;
use onefold_detect::text::{Normaliser, ShingleSet};
use onefold_formats::document::Body;
use onefold_run::{Method, Plan};

/// What stays of a document after it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sketched {
    pub(crate) digest: Digest,
    pub(crate) normalised_bytes: u64,
    pub(crate) empty: bool,
}

/// Reusable state of one worker.
pub(crate) struct Sketcher<'p> {
    plan: &'p Plan,
    normaliser: Normaliser,
    minhash: MinHash,
    page: String,
    hashes: Vec<u64>,
}

impl<'p> Sketcher<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        let minhash = MinHash::new(plan.signature);
        Sketcher { plan, normaliser: Normaliser::default(), minhash, page: String::new(), hashes: Vec::new() }
    }

    /// Digests a document and, where the method has one, hands over its signature.
    pub(crate) fn sketch(&mut self, body: &Body<'_>, signed: impl FnOnce(&[u64])) -> Sketched {
        if self.plan.raw && self.plan.method == Method::Exact {
            let bytes = raw(body);
            // Hardly a text has no ASCII letter or digit; the others are read to be sure.
            let empty = !bytes.iter().any(u8::is_ascii_alphanumeric) && {
                self.read(body);
                self.normaliser.normalised().is_empty()
            };
            return Sketched { digest: Digest::of(bytes), normalised_bytes: bytes.len() as u64, empty };
        }
        self.read(body);
        let normalised = self.normaliser.normalised();
        let digest = self.digest(body);
        let sketched =
            Sketched { digest, normalised_bytes: normalised.len() as u64, empty: normalised.is_empty() };
        if self.plan.method == Method::Minhash && !sketched.empty {
            self.minhash.begin();
            self.plan.shingle.each(&self.normaliser, |hash| self.minhash.add(hash));
            if let Some(signature) = self.minhash.finish() {
                signed(signature);
            }
        }
        sketched
    }

    /// The digest and the set of shingles of a document.
    pub(crate) fn shingles(&mut self, body: &Body<'_>) -> (Digest, ShingleSet) {
        self.read(body);
        (self.digest(body), ShingleSet::of(&self.normaliser, self.plan.shingle, &mut self.hashes))
    }

    fn digest(&self, body: &Body<'_>) -> Digest {
        if self.plan.raw { Digest::of(raw(body)) } else { Digest::of(self.normaliser.normalised()) }
    }

    fn read(&mut self, body: &Body<'_>) {
        match body {
            Body::Text(text) => self.normaliser.read(text),
            Body::Page { .. } => {
                self.page.clear();
                text_of(body, &mut self.page);
                self.normaliser.read(&self.page);
            }
        }
    }
}

fn raw<'a>(body: &'a Body<'_>) -> &'a [u8] {
    match body {
        Body::Text(text) => text.as_bytes(),
        Body::Page { bytes, .. } => bytes,
    }
}

/// Appends the text of a document that is compared.
pub(crate) fn text_of(body: &Body<'_>, out: &mut String) {
    match body {
        Body::Text(text) => out.push_str(text),
        Body::Page { bytes, html, charset } => {
            let decoded = onefold_page::decode(bytes, charset.as_deref(), *html);
            if *html {
                onefold_page::visible_text(&decoded.text, out);
            } else {
                out.push_str(&decoded.text);
            }
        }
    }
}
