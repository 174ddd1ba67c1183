//! Question: how well is the content of real pages found, and how fast?
//!
//! `cargo run --release -p onefold-page --example content_scores -- DATA/extract` prints F1 on both sets for each mode, and
//! megabytes of HTML a second beside those of html5ever's tree. Scores: README of the data.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::time::Instant;

use html5ever::tendril::TendrilSink;
use onefold_page::{Content, extract_html};

struct Labelled {
    html: String,
    truth: String,
    /// `None` for the set of articles.
    kind: Option<String>,
}

fn main() -> std::io::Result<()> {
    let data = std::env::args().nth(1).unwrap_or_else(|| "extract".into());
    let pages = [articles(&data)?, kinds(&data)?].concat_sets();
    let bytes: usize = pages.iter().map(|page| page.html.len()).sum();
    for (name, content) in [("main", Content::Main), ("plateau", Content::Plateau), ("all", Content::All)] {
        let start = Instant::now();
        let found: Vec<_> = pages.iter().map(|page| extract_html(&page.html, content)).collect();
        let seconds = start.elapsed().as_secs_f64();
        let (mut precision, mut recall, mut articles) = (0.0, 0.0, 0.0);
        let mut by_kind = BTreeMap::<&str, Vec<f64>>::new();
        for (page, found) in pages.iter().zip(&found) {
            match &page.kind {
                None => {
                    let (truth, found) = (grams(&page.truth), grams(&found.text));
                    let common = common(&truth, &found) as f64;
                    precision += common / total(&found).max(1) as f64;
                    recall += common / total(&truth).max(1) as f64;
                    articles += 1.0;
                }
                Some(kind) => {
                    let (truth, found) = (words(&page.truth), words(&found.text));
                    let score =
                        2.0 * common(&truth, &found) as f64 / (total(&truth) + total(&found)).max(1) as f64;
                    by_kind.entry(kind).or_default().push(score);
                }
            }
        }
        let (precision, recall) = (precision / articles, recall / articles);
        let mean = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len() as f64;
        let all: Vec<f64> = by_kind.values().flatten().copied().collect();
        let fallbacks = found.iter().filter(|page| page.fallback).count();
        println!(
            "{name}: scrapinghub {:.4} (precision {precision:.4}, recall {recall:.4}), wcxb {:.4}, {:.1} MB/s, {fallbacks} fallbacks",
            2.0 * precision * recall / (precision + recall),
            mean(&all),
            bytes as f64 / seconds / 1e6
        );
        for (kind, scores) in &by_kind {
            println!("    {kind} ({}): {:.4}", scores.len(), mean(scores));
        }
    }
    let start = Instant::now();
    for page in &pages {
        let tree = html5ever::parse_document(markup5ever_rcdom::RcDom::default(), Default::default());
        std::hint::black_box(tree.one(page.html.as_str()));
    }
    println!("html5ever's tree: {:.1} MB/s", bytes as f64 / start.elapsed().as_secs_f64() / 1e6);
    Ok(())
}

trait ConcatSets {
    fn concat_sets(self) -> Vec<Labelled>;
}

impl ConcatSets for [Vec<Labelled>; 2] {
    fn concat_sets(self) -> Vec<Labelled> {
        self.into_iter().flatten().collect()
    }
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
