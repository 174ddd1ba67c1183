//! Learned URL rules from a finished run: its evidence tells which documents have one content, `kept/` which have not.

use crate::census::visit;
use crate::error::Error;
use crate::explain::records::removed;
use crate::inputs::Selection;
use crate::job::{Job, Resources, Switches};
use crate::payload::text_of;
use crate::progress::Progress;
use crate::scan::lock;
use onefold_formats::document::Document;
use onefold_page::url::{self, LearnOptions, Learned, learn};
use onefold_run::{DocumentRef, Manifest, PageContent, UrlRule, Verdict};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// Keys of kept documents with a hash of their text: a document that is handed over twice is one.
type Keys = Vec<(String, u64)>;

/// What a worker finds in `kept/`.
struct Found<'m> {
    all: &'m Mutex<Keys>,
    keys: Keys,
    page: String,
}

impl Drop for Found<'_> {
    fn drop(&mut self) {
        lock(self.all).append(&mut self.keys);
    }
}

/// Learns rules from a run. Its kept documents are read again for their URLs; those that failed or say nothing are
/// left aside.
pub fn learn_url_rules(
    run: &Path,
    options: LearnOptions,
    resources: &Resources,
    (progress, cancel): (&dyn Progress, &'static AtomicBool),
) -> Result<Learned, Error> {
    let manifest = Manifest::read(run)?;
    if manifest.annotate {
        let message = format!("{}: made with --annotate, and holds no kept/ to learn from", run.display());
        return Err(Error::Unsupported(message));
    }
    let job = Job {
        plan: manifest.plan.clone(),
        selection: Selection { paths: vec![run.join("kept")], ..Selection::default() },
        resources: resources.clone(),
        switches: Switches::default(),
        against: None,
        progress,
        cancel,
    };
    let sources = job.selection.look(&job.plan.fields)?.sources;
    let all = Mutex::new(Vec::new());
    visit(
        &job,
        &sources,
        || Found { all: &all, keys: Vec::new(), page: String::new() },
        |found, document| {
            if let Some(key) = key_of(document, &mut found.page) {
                found.keys.push((key, xxh3_64(found.page.as_bytes())));
            }
        },
    )?;
    let mut kept = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    kept.sort_unstable();
    kept.dedup();
    // The content of each kept key by number; under a key that was kept twice it is not known whose a copy is.
    let mut contents: HashMap<String, Option<u32>> = HashMap::new();
    let mut pages: Vec<(String, u32)> = Vec::new();
    for ((key, _), number) in kept.into_iter().zip(0..) {
        contents.entry(key.clone()).and_modify(|content| *content = None).or_insert(Some(number));
        pages.push((key, number));
    }
    removed(run, &manifest, |line| {
        // What lies within its keeper or is an older version has another content, and a rule cannot prove itself.
        let same = match line.kind {
            Verdict::Exact | Verdict::Near => true,
            Verdict::Url => !matches!(line.rule, Some(UrlRule::Version | UrlRule::Key)),
            _ => false,
        };
        if let Some((key, keeper)) = key_in(&line.document).zip(key_in(&line.keeper)).filter(|_| same) {
            pages.extend(contents.get(&keeper).copied().flatten().map(|content| (key, content)));
        }
        false
    })?;
    Ok(learn(pages, options))
}

/// The key of a document that was fetched well and has text.
fn key_of(document: &Document<'_>, page: &mut String) -> Option<String> {
    let url = document.url.as_deref()?;
    if document.status.is_some_and(|status| !(200..300).contains(&status)) {
        return None;
    }
    page.clear();
    let _ = text_of(&document.body, PageContent::Plateau, page);
    page.contains(char::is_alphanumeric).then(|| url::key(url).ok())?
}

fn key_in(document: &DocumentRef) -> Option<String> {
    document.url.as_deref().and_then(|url| url::key(url).ok())
}
