//! Question: how well is the content of real pages found, and how fast?
//!
//! `cargo run --release -p onefold-page --features evaluate --example content_scores -- DATA/extract` prints F1 on both sets for each mode, and
//! megabytes of HTML a second beside those of html5ever's tree: the best of five rounds that take turns.
#![allow(clippy::print_stdout, missing_docs)]

use std::time::Instant;

use html5ever::tendril::TendrilSink;
use onefold_page::{Content, Page, extract_html, score};

const MODES: [(&str, Content); 3] =
    [("main", Content::Main), ("plateau", Content::Plateau), ("all", Content::All)];
const ROUNDS: usize = 5;

fn main() -> std::io::Result<()> {
    let data = std::env::args().nth(1).unwrap_or_else(|| "extract".into());
    let pages = score::load(std::path::Path::new(&data))?;
    let megabytes = pages.iter().map(|page| page.html.len()).sum::<usize>() as f64 / 1e6;
    let mut seconds = [f64::MAX; MODES.len() + 1];
    let mut found: [Vec<Page>; MODES.len()] = Default::default();
    for _ in 0..ROUNDS {
        for (index, (_, content)) in MODES.into_iter().enumerate() {
            let start = Instant::now();
            found[index] = pages.iter().map(|page| extract_html(&page.html, content)).collect();
            seconds[index] = seconds[index].min(start.elapsed().as_secs_f64());
        }
        let start = Instant::now();
        for page in &pages {
            let tree = html5ever::parse_document(markup5ever_rcdom::RcDom::default(), Default::default());
            std::hint::black_box(tree.one(page.html.as_str()));
        }
        seconds[MODES.len()] = seconds[MODES.len()].min(start.elapsed().as_secs_f64());
    }
    for (((name, _), found), seconds) in MODES.iter().zip(&found).zip(seconds) {
        let scores = score::score(&pages, found.iter().map(|page| page.text.as_str()));
        let fallbacks = found.iter().filter(|page| page.fallback).count();
        println!(
            "{name}: scrapinghub {:.4} (precision {:.4}, recall {:.4}), wcxb {:.4}; {:.1} MB/s; {fallbacks} fallbacks",
            scores.articles,
            scores.precision,
            scores.recall,
            scores.kinds,
            megabytes / seconds
        );
        for (kind, scores) in &scores.by_kind {
            println!(
                "    {kind} ({}): {:.4}",
                scores.len(),
                scores.iter().sum::<f64>() / scores.len() as f64
            );
        }
    }
    println!("html5ever's tree: {:.1} MB/s", megabytes / seconds[MODES.len()]);
    Ok(())
}
