//! Question: how well do crates find the content of pages, and how fast, on the same pages in the same run?
//!
//! `cargo run --release -- DATA/extract` prints a Markdown table: F1 on both sets, MB of HTML a second on one core, and the
//! time against that of html5ever's tree; the best of three rounds that take turns. A crate that panics on a page has
//! found nothing there.

use html5ever::tendril::TendrilSink;
use onefold_page::{Content, extract_html, score};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Instant;

const ROUNDS: usize = 3;

/// Takes the content of a page.
type Take = fn(&str) -> String;

const TOOLS: [(&str, Take); 8] = [
    ("html5ever 0.39, the tree alone", tree),
    ("onefold main", |html| extract_html(html, Content::Main).text),
    ("onefold plateau", |html| extract_html(html, Content::Plateau).text),
    ("onefold all", |html| extract_html(html, Content::All).text),
    ("trafilatura 0.6.0", |html| {
        let found = trafilatura::extract(html, &trafilatura::Options::default());
        found.map(|found| found.content_text).unwrap_or_default()
    }),
    ("rs-trafilatura 0.2.2", |html| {
        rs_trafilatura::extract(html).map(|found| found.content_text).unwrap_or_default()
    }),
    ("dom_smoothie 0.19", |html| {
        let article = dom_smoothie::Readability::new(html, None, None).and_then(|mut page| page.parse());
        article.map(|article| article.text_content.to_string()).unwrap_or_default()
    }),
    ("justext 0.2.0, English", |html| {
        justext::extract_text_lang(html, "English", &justext::Config::default()).unwrap_or_default()
    }),
];

fn tree(html: &str) -> String {
    let tree = html5ever::parse_document(markup5ever_rcdom::RcDom::default(), Default::default());
    std::hint::black_box(tree.one(html));
    String::new()
}

fn main() -> std::io::Result<()> {
    let data = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("extract"), PathBuf::from);
    let pages = score::load(&data)?;
    let megabytes = pages.iter().map(|page| page.html.len()).sum::<usize>() as f64 / 1e6;
    std::panic::set_hook(Box::new(|_| {}));
    let mut seconds = [f64::MAX; TOOLS.len()];
    let mut found: [Vec<String>; TOOLS.len()] = Default::default();
    for _ in 0..ROUNDS {
        for (index, (_, take)) in TOOLS.iter().enumerate() {
            let started = Instant::now();
            found[index] = pages
                .iter()
                .map(|page| catch_unwind(AssertUnwindSafe(|| take(&page.html))).unwrap_or_default())
                .collect();
            seconds[index] = seconds[index].min(started.elapsed().as_secs_f64());
        }
    }
    println!("{} pages, {megabytes:.1} MB of HTML, best of {ROUNDS}\n", pages.len());
    println!("| | scrapinghub | wcxb | MB/s | time, of the tree's |\n|---|---:|---:|---:|---:|");
    for (((name, _), found), time) in TOOLS.iter().zip(&found).zip(seconds) {
        let scores = score::score(&pages, found.iter().map(String::as_str));
        let cell =
            |score: f64| -> String { if *name == TOOLS[0].0 { "–".into() } else { format!("{score:.3}") } };
        println!(
            "| {name} | {} | {} | {:.1} | {:.2} |",
            cell(scores.articles),
            cell(scores.kinds),
            megabytes / time,
            time / seconds[0]
        );
    }
    Ok(())
}
