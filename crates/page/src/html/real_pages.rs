//! Real pages: the scanner must find what html5ever finds.

use onefold_testkit::{shared_data, skip};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::oracle::{by_tokens, by_tree};
use super::visible_text;

fn text_of(html: &str) -> String {
    let mut out = String::new();
    visible_text(html, &mut out);
    out
}

/// Every page under `folder`, decoded; files that end in `.gz` are unpacked.
fn pages(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut paths: Vec<_> = fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_string_lossy().contains(".html"));
    paths.sort();
    let read = |path: PathBuf| {
        let mut bytes = fs_err::read(&path).unwrap();
        if path.extension().is_some_and(|extension| extension == "gz") {
            let packed = std::mem::take(&mut bytes);
            flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut bytes).unwrap();
        }
        let text = crate::decode(&bytes, None, true).text.into_owned();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn committed_pages_agree_with_html5ever() {
    let pages = pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"));
    assert_eq!(pages.len(), 9);
    for (path, html) in pages {
        let text = text_of(&html);
        assert!(text.len() > 200, "{}: {text}", path.display());
        assert_eq!(text, by_tokens(&html), "{}", path.display());
        assert_eq!(text, by_tree(&html), "{}", path.display());
    }
}

#[test]
fn shared_pages_agree_with_html5ever() {
    let Some(data) = shared_data("extract") else {
        return skip("no collection of pages; ONEFOLD_SHARED_DATA names the folder above it");
    };
    let mut seen = 0;
    for set in ["wcxb/html", "scrapinghub/html"] {
        for (path, html) in pages(&data.join(set)) {
            let text = text_of(&html);
            assert!(text == by_tokens(&html), "tokens: {}", path.display());
            // Holds for these pages though not for all: none has text in a table that the tree moves out of it.
            assert!(text == by_tree(&html), "tree: {}", path.display());
            seen += 1;
        }
    }
    println!("{seen} pages agree");
    assert!(seen > 0, "no pages in {}", data.display());
}
