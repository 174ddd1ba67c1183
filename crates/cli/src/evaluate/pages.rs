//! `onefold evaluate extract`: how well the content of pages is found, by kind of page.

use crate::args::EvaluateExtract;
use crate::terminal::outln;
use anyhow::Result;
use onefold_page::score::{self, Scores};
use onefold_page::{Content, extract_html};
use std::collections::BTreeMap;
use std::time::Instant;

const MODES: [(&str, Content); 3] =
    [("main", Content::Main), ("plateau", Content::Plateau), ("all", Content::All)];

/// What one way of taking content came to.
#[derive(serde::Serialize)]
struct Line {
    content: &'static str,
    scrapinghub: Option<Articles>,
    wcxb: Option<Kinds>,
    fallbacks: usize,
    megabytes_per_second: f64,
}

#[derive(serde::Serialize)]
struct Articles {
    f1: f64,
    precision: f64,
    recall: f64,
}

#[derive(serde::Serialize)]
struct Kinds {
    f1: f64,
    by_kind: BTreeMap<String, Kind>,
}

#[derive(serde::Serialize)]
struct Kind {
    pages: usize,
    f1: f64,
}

pub(super) fn run(arguments: &EvaluateExtract) -> Result<()> {
    let pages = score::load(&arguments.folder)?;
    let megabytes = pages.iter().map(|page| page.html.len()).sum::<usize>() as f64 / 1e6;
    let articles = pages.iter().filter(|page| page.kind.is_none()).count();
    let mut lines = Vec::new();
    for (content, mode) in MODES {
        let started = Instant::now();
        let found: Vec<_> = pages.iter().map(|page| extract_html(&page.html, mode)).collect();
        let seconds = started.elapsed().as_secs_f64();
        let scores = score::score(&pages, found.iter().map(|page| page.text.as_str()));
        lines.push(Line {
            content,
            fallbacks: found.iter().filter(|page| page.fallback).count(),
            megabytes_per_second: megabytes / seconds,
            scrapinghub: (articles > 0).then_some(Articles {
                f1: scores.articles,
                precision: scores.precision,
                recall: scores.recall,
            }),
            wcxb: kinds(&scores),
        });
    }
    if arguments.json {
        outln!("{}", serde_json::json!({ "version": 1, "pages": pages.len(), "content": lines }));
        return Ok(());
    }
    outln!("{} pages, {megabytes:.1} MB of HTML; F1", pages.len());
    print(&lines);
    Ok(())
}

fn kinds(scores: &Scores) -> Option<Kinds> {
    let mean = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len() as f64;
    let by_kind = scores
        .by_kind
        .iter()
        .map(|(kind, scores)| (kind.clone(), Kind { pages: scores.len(), f1: mean(scores) }));
    let by_kind: BTreeMap<String, Kind> = by_kind.collect();
    (!by_kind.is_empty()).then_some(Kinds { f1: scores.kinds, by_kind })
}

/// A row a set or kind, a column a way of taking content.
fn print(lines: &[Line]) {
    let row = |name: &str, value: &dyn Fn(&Line) -> Option<f64>| {
        let values: Vec<f64> = lines.iter().filter_map(value).collect();
        if !values.is_empty() {
            let columns: String = values.iter().map(|value| format!("{value:>9.4}")).collect();
            outln!("{name:<28}{columns}");
        }
    };
    let header: String = lines.iter().map(|line| format!("{:>9}", line.content)).collect();
    outln!("{:<28}{header}", "");
    row("scrapinghub", &|line| line.scrapinghub.as_ref().map(|set| set.f1));
    row("  precision", &|line| line.scrapinghub.as_ref().map(|set| set.precision));
    row("  recall", &|line| line.scrapinghub.as_ref().map(|set| set.recall));
    row("wcxb", &|line| line.wcxb.as_ref().map(|set| set.f1));
    let by_kind = lines.first().and_then(|line| line.wcxb.as_ref()).map(|set| &set.by_kind);
    for (kind, first) in by_kind.into_iter().flatten() {
        row(&format!("  {} ({})", crate::terminal::escape(kind), first.pages), &|line| {
            line.wcxb.as_ref().and_then(|set| set.by_kind.get(kind)).map(|kind| kind.f1)
        });
    }
    let last = |name: &str, values: Vec<String>| outln!("{name:<28}{}", values.concat());
    last(
        "pages of which more was taken",
        lines.iter().map(|line| format!("{:>9}", line.fallbacks)).collect(),
    );
    last("MB/s", lines.iter().map(|line| format!("{:>9.1}", line.megabytes_per_second)).collect());
}
