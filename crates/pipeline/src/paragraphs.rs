//! `--unit paragraph`: paragraphs that stood in an earlier document, or earlier in the same one, are cut out.
//!
//! A paragraph is a line of text; those shorter than a shingle are left alone. Each leaves a key made of the
//! first half of the digest of its normalised text. Where keys meet, the first document of the input keeps its
//! paragraph, and the others are read again: a paragraph goes if its whole digest is that of the first.

use crate::candidates::Keys;
use crate::error::Error;
use crate::load::{Context, Loader};
use crate::piece::SLICES;
use crate::progress::StageKind;
use crate::scan::{lock, parallel};
use crate::spool::Spools;
use crate::table::{DocId, Table};
use crate::verdicts::Cut;
use crate::workdir::Workdir;
use onefold_detect::digest::Digest;
use onefold_detect::text::{Normaliser, Shingling};
use onefold_run::Plan;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The lines of a text, each with its end, in order.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        at - line.len()..at
    })
}

/// Reads the paragraphs of texts.
pub(crate) struct Paragraphs {
    normaliser: Normaliser,
    /// The shortest that is looked at.
    least: Shingling,
}

impl Paragraphs {
    pub(crate) fn new(plan: &Plan) -> Self {
        Paragraphs { normaliser: Normaliser::new(&plan.text), least: plan.shingle }
    }

    /// Whether the line that was read last is no shorter than a shingle, and not empty.
    fn is_long_enough(&self) -> bool {
        match self.least {
            Shingling::Words(words) => self.normaliser.token_hashes().len() >= words,
            Shingling::Chars(characters) => {
                let begins = |byte: &&u8| !matches!(byte, 0x80..=0xbf);
                self.normaliser.normalised().iter().filter(begins).take(characters).count() == characters
            }
        }
    }

    /// Number, place and digest of every paragraph of a text that is long enough.
    pub(crate) fn each(&mut self, plan: &Plan, text: &str, mut take: impl FnMut(u32, Range<usize>, Digest)) {
        for (number, place) in lines(text).enumerate() {
            self.normaliser.read(&text[place.clone()]);
            if self.is_long_enough() {
                take(number as u32, place, plan.digest.short(self.normaliser.normalised()));
            }
        }
    }
}

/// The key of a paragraph.
pub(crate) fn key(digest: Digest) -> u64 {
    (digest.0 >> 64) as u64
}

/// A document with paragraphs to cut: the key, and the document that has the first of its kind.
type Repeat = (DocId, u64, DocId);

/// Finds what is to be cut, in order of documents and paragraphs.
pub(crate) fn find(context: &Context<'_>, table: &Table<'_>, workdir: &Workdir) -> Result<Vec<Cut>, Error> {
    let repeats = meet(context, table, workdir)?;
    let mut documents: Vec<DocId> =
        repeats.iter().flat_map(|&(document, _, first)| [document, first]).collect();
    documents.sort_unstable();
    documents.dedup();
    context.job.progress.start(StageKind::Verify, repeats.len() as u64);
    let spools = Spools::fill(context, table, &documents, workdir)?;
    let firsts = firsts(context, table, &spools, &repeats)?;
    let by_document: Vec<&[Repeat]> = repeats.chunk_by(|a, b| a.0 == b.0).collect();
    let (next, cuts) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    parallel(context.job, |_| {
        let mut loader = Loader::new(context, table, &spools);
        let mut paragraphs = Paragraphs::new(&context.job.plan);
        let mut mine = Vec::new();
        loop {
            context.job.check()?;
            let Some(repeats) = by_document.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let document = repeats[0].0;
            let text = loader.text(document)?;
            let mut seen: Vec<u128> = Vec::new();
            paragraphs.each(&context.job.plan, &text, |number, place, digest| {
                let Ok(at) = repeats.binary_search_by_key(&key(digest), |repeat| repeat.1) else { return };
                let first = repeats[at].2;
                // Digests that agree in their first half alone are not of one text.
                let same = firsts.get(&key(digest)) == Some(&digest.0);
                let again = seen.contains(&digest.0);
                seen.push(digest.0);
                if same && (first != document || again) {
                    mine.push(Cut { document, paragraph: number, bytes: place.len() as u64, first });
                }
            });
            context.job.progress.advance(repeats.len() as u64, 1);
        }
        lock(&cuts).append(&mut mine);
        Ok(())
    })?;
    let mut cuts = cuts.into_inner().unwrap_or_else(PoisonError::into_inner);
    cuts.sort_unstable_by_key(|cut: &Cut| (cut.document, cut.paragraph));
    Ok(cuts)
}

/// Documents that share a key with an earlier one, or have one twice, in order.
fn meet(context: &Context<'_>, table: &Table<'_>, workdir: &Workdir) -> Result<Vec<Repeat>, Error> {
    let keys = Keys::of(table, workdir, context.shared_bytes(table.len()) / 16)?;
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    parallel(context.job, |_| {
        let (mut bytes, mut entries, mut mine) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            context.job.check()?;
            let slice = next.fetch_add(1, Ordering::Relaxed);
            if slice >= SLICES {
                lock(&found).append(&mut mine);
                return Ok(());
            }
            entries.clear();
            keys.each(table, slice, &mut bytes, |key, document| entries.push((key, document)))?;
            entries.sort_unstable();
            for run in entries.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
                let (key, first) = run[0];
                mine.extend(run[1..].iter().map(|&(_, document)| (document, key, first)));
            }
        }
    })?;
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The whole digest of the first paragraph with each key.
fn firsts(
    context: &Context<'_>,
    table: &Table<'_>,
    spools: &Spools,
    repeats: &[Repeat],
) -> Result<HashMap<u64, u128>, Error> {
    let mut wanted: Vec<(DocId, u64)> = repeats.iter().map(|&(_, key, first)| (first, key)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let by_document: Vec<&[(DocId, u64)]> = wanted.chunk_by(|a, b| a.0 == b.0).collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(HashMap::new()));
    parallel(context.job, |_| {
        let mut loader = Loader::new(context, table, spools);
        let mut paragraphs = Paragraphs::new(&context.job.plan);
        let mut mine: HashMap<u64, u128> = HashMap::new();
        loop {
            context.job.check()?;
            let Some(keys) = by_document.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let text = loader.text(keys[0].0)?;
            paragraphs.each(&context.job.plan, &text, |_, _, digest| {
                if keys.binary_search_by_key(&key(digest), |wanted| wanted.1).is_ok() {
                    mine.entry(key(digest)).or_insert(digest.0);
                }
            });
        }
        lock(&found).extend(mine);
        Ok(())
    })?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// A text without some of its lines, by number and in order.
pub(crate) fn without(text: &str, cuts: &[Cut]) -> String {
    let mut cuts = cuts.iter().peekable();
    let mut left = String::with_capacity(text.len());
    for (number, place) in lines(text).enumerate() {
        if cuts.next_if(|cut| cut.paragraph as usize == number).is_none() {
            left.push_str(&text[place]);
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cover_the_text() {
        let text = "one\r\ntwo\n\nthree";
        let all: String = lines(text).map(|place| &text[place]).collect();
        assert_eq!((all.as_str(), lines(text).count()), (text, 4));
        assert_eq!(lines("").count(), 0);
    }

    #[test]
    fn what_is_cut_is_gone_and_the_rest_stays_as_it_was() {
        let cut = |paragraph| Cut { document: 0, paragraph, bytes: 0, first: 0 };
        assert_eq!(without("a\nb\r\n\nc", &[cut(0), cut(3)]), "b\r\n\n");
        assert_eq!(without("a\nb", &[]), "a\nb");
    }
}
