//! Content of real pages: of those committed by what must and must not be in it, of the shared sets by their scores.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use onefold_page::{Content, extract, extract_html, score};
use onefold_testkit::{shared_data, skip};

fn page(name: &str, content: Content) -> onefold_page::Page {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    extract(&fs_err::read(path).unwrap(), None, content)
}

#[test]
fn no_committed_page_is_emptied_and_main_is_part_of_all() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut seen = 0;
    for entry in fs_err::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".html") {
            continue;
        }
        let all = page(&name, Content::All);
        for content in [Content::Main, Content::Plateau] {
            let part = page(&name, content);
            assert!(part.text.len() >= 100 && part.text.len() <= all.text.len(), "{name} {content:?}");
            let lines: std::collections::HashSet<&str> = all.text.lines().collect();
            assert!(
                part.text.lines().all(|line| lines.contains(line))
                    || part.fallback
                    || content == Content::Plateau
            );
            assert_eq!((&part.title, &part.links), (&all.title, &all.links), "{name} {content:?}");
        }
        seen += 1;
    }
    assert_eq!(seen, 9);
}

/// The model has seen these pages; what unseen ones score is in
/// docs/decisions/0010-main-content.md.
#[test]
fn shared_pages_score_as_promised() {
    let Some(data) = shared_data("extract") else {
        return skip("no collection of pages; ONEFOLD_SHARED_DATA names the folder above it");
    };
    let pages = score::load(&data).unwrap();
    assert!(pages.len() >= 680);
    for (content, articles, kinds) in [(Content::Main, 0.955, 0.86), (Content::Plateau, 0.86, 0.74)] {
        let found: Vec<String> = pages.iter().map(|page| extract_html(&page.html, content).text).collect();
        let scores = score::score(&pages, found.iter().map(String::as_str));
        println!(
            "{content:?}: {:.4} ({:.4}, {:.4}), {:.4}",
            scores.articles, scores.precision, scores.recall, scores.kinds
        );
        assert!(
            scores.by_kind.len() == 7 && scores.articles >= articles && scores.kinds >= kinds,
            "{content:?}"
        );
    }
}
