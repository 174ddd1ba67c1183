//! Pages with known content, and the scores of what is found of it; behind the feature `evaluate`.
//!
//! `scrapinghub`: multisets of 4-grams of words, mean precision and recall over pages, F1 of the means. `wcxb`: multisets
//! of lower-cased words, mean F1 over pages, also by kind.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

/// More of a file is not read.
const MAX_UNPACKED_BYTES: u64 = 1 << 30;

/// A page and its content.
pub struct Labelled {
    /// The page, decoded.
    pub html: String,
    /// Its content.
    pub truth: String,
    /// `None` in the set of articles.
    pub kind: Option<String>,
}

/// Scores on both sets; of a set without pages they are no numbers.
pub struct Scores {
    /// F1 on articles.
    pub articles: f64,
    /// Mean precision on articles.
    pub precision: f64,
    /// Mean recall on articles.
    pub recall: f64,
    /// Mean F1 on pages of all kinds.
    pub kinds: f64,
    /// F1 of each page, by its kind.
    pub by_kind: BTreeMap<String, Vec<f64>>,
}

/// All pages of `data`, a folder with `scrapinghub`, `wcxb` or both.
pub fn load(data: &Path) -> std::io::Result<Vec<Labelled>> {
    let (has_articles, has_kinds) = (data.join("scrapinghub").is_dir(), data.join("wcxb").is_dir());
    if !has_articles && !has_kinds {
        let message = format!("{}: expected a folder with scrapinghub or wcxb in it", data.display());
        return Err(std::io::Error::new(std::io::ErrorKind::NotFound, message));
    }
    let mut pages = if has_articles { articles(&data.join("scrapinghub"))? } else { Vec::new() };
    if has_kinds {
        pages.extend(kinds(&data.join("wcxb"))?);
    }
    Ok(pages)
}

/// Scores what was found of all pages.
pub fn score<'a>(pages: &[Labelled], found: impl Iterator<Item = &'a str>) -> Scores {
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

fn unpacked(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = fs_err::File::open(path)?;
    flate2::read::MultiGzDecoder::new(file).take(MAX_UNPACKED_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn html(path: &Path) -> std::io::Result<String> {
    Ok(crate::decode(&unpacked(path)?, None, true).text.into_owned())
}

fn articles(data: &Path) -> std::io::Result<Vec<Labelled>> {
    let truth: serde_json::Value = serde_json::from_slice(&unpacked(&data.join("ground-truth.json.gz"))?)?;
    let mut pages = Vec::new();
    for (name, page) in truth.as_object().into_iter().flatten() {
        let truth = page["articleBody"].as_str().unwrap_or_default().to_owned();
        pages.push(Labelled { html: html(&data.join(format!("html/{name}.html.gz")))?, truth, kind: None });
    }
    Ok(pages)
}

fn kinds(data: &Path) -> std::io::Result<Vec<Labelled>> {
    let lines = String::from_utf8_lossy(&unpacked(&data.join("truth.jsonl.gz"))?).into_owned();
    let mut pages = Vec::new();
    for line in lines.lines() {
        let page: serde_json::Value = serde_json::from_str(line)?;
        let field = |name: &str| page[name].as_str().unwrap_or_default().to_owned();
        let html = html(&data.join("html").join(field("file")))?;
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
