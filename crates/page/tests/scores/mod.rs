//! Pages with known content, and the scores of what is found of it.
//!
//! `scrapinghub`: multisets of 4-grams of words, mean precision and recall over pages, F1 of the means. `wcxb`: multisets
//! of lower-cased words, mean F1 over pages, also by kind.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

/// A page and its content.
pub(crate) struct Labelled {
    pub(crate) html: String,
    pub(crate) truth: String,
    /// `None` in the set of articles.
    pub(crate) kind: Option<String>,
}

/// F1 on both sets.
pub(crate) struct Scores {
    pub(crate) articles: f64,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) kinds: f64,
    pub(crate) by_kind: BTreeMap<String, Vec<f64>>,
}

/// All pages of `data`, a folder with `scrapinghub` and `wcxb`.
pub(crate) fn load(data: &str) -> std::io::Result<Vec<Labelled>> {
    Ok([articles(data)?, kinds(data)?].into_iter().flatten().collect())
}

/// Scores what was found of all pages.
pub(crate) fn score<'a>(pages: &[Labelled], found: impl Iterator<Item = &'a str>) -> Scores {
    let (mut precision, mut recall, mut articles) = (0.0, 0.0, 0.0);
    let mut by_kind = BTreeMap::<String, Vec<f64>>::new();
    for (page, found) in pages.iter().zip(found) {
        match &page.kind {
            None => {
                let (truth, found) = (grams(&page.truth), grams(found));
                let common = common(&truth, &found) as f64;
                precision += common / total(&found).max(1) as f64;
                recall += common / total(&truth).max(1) as f64;
                articles += 1.0;
            }
            Some(kind) => {
                let (truth, found) = (words(&page.truth), words(found));
                let all = (total(&truth) + total(&found)).max(1);
                by_kind
                    .entry(kind.clone())
                    .or_default()
                    .push(2.0 * common(&truth, &found) as f64 / all as f64);
            }
        }
    }
    let (precision, recall) = (precision / articles, recall / articles);
    let all: Vec<f64> = by_kind.values().flatten().copied().collect();
    let articles = 2.0 * precision * recall / (precision + recall);
    Scores { articles, precision, recall, kinds: all.iter().sum::<f64>() / all.len() as f64, by_kind }
}

fn unpacked(path: &str) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(fs_err::File::open(path)?).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn html(path: &str) -> std::io::Result<String> {
    Ok(onefold_page::decode(&unpacked(path)?, None, true).text.into_owned())
}

fn articles(data: &str) -> std::io::Result<Vec<Labelled>> {
    let truth: serde_json::Value =
        serde_json::from_slice(&unpacked(&format!("{data}/scrapinghub/ground-truth.json.gz"))?)?;
    let mut pages = Vec::new();
    for (name, page) in truth.as_object().into_iter().flatten() {
        let truth = page["articleBody"].as_str().unwrap_or_default().to_owned();
        pages.push(Labelled {
            html: html(&format!("{data}/scrapinghub/html/{name}.html.gz"))?,
            truth,
            kind: None,
        });
    }
    Ok(pages)
}

fn kinds(data: &str) -> std::io::Result<Vec<Labelled>> {
    let lines = String::from_utf8_lossy(&unpacked(&format!("{data}/wcxb/truth.jsonl.gz"))?).into_owned();
    let mut pages = Vec::new();
    for line in lines.lines() {
        let page: serde_json::Value = serde_json::from_str(line)?;
        let field = |name: &str| page[name].as_str().unwrap_or_default().to_owned();
        let html = html(&format!("{data}/wcxb/html/{}", field("file")))?;
        pages.push(Labelled { html, truth: field("main_content"), kind: Some(field("page_type")) });
    }
    Ok(pages)
}

type Counts = HashMap<String, usize>;

fn split(text: &str) -> Vec<&str> {
    text.split(|char: char| !(char.is_alphanumeric() || char == '_'))
        .filter(|word| !word.is_empty())
        .collect()
}

fn grams(text: &str) -> Counts {
    let words = split(text);
    let mut counts = Counts::new();
    for start in 0..words.len().saturating_sub(3).max(1) {
        *counts.entry(words[start..words.len().min(start + 4)].join(" ")).or_default() += 1;
    }
    counts
}

fn words(text: &str) -> Counts {
    let mut counts = Counts::new();
    split(&text.to_lowercase()).into_iter().for_each(|word| *counts.entry(word.to_owned()).or_default() += 1);
    counts
}

fn total(counts: &Counts) -> usize {
    counts.values().sum()
}

fn common(a: &Counts, b: &Counts) -> usize {
    a.iter().map(|(key, count)| count.min(b.get(key).unwrap_or(&0))).sum()
}
