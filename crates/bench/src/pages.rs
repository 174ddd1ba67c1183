//! What taking content out of pages costs, against html5ever's tree, in one run.

use crate::best_of;
use html5ever::tendril::TendrilSink;
use onefold_page::{Content, decode, extract_html, visible_text};
use std::hint::black_box;
use std::io::Read;
use std::path::Path;

const ROUNDS: usize = 5;

/// Times all pages below a folder, plain or gzip.
pub(crate) fn run(folder: &Path) -> std::io::Result<()> {
    let mut fetched = Vec::new();
    read(folder, &mut fetched)?;
    let pages: Vec<String> =
        fetched.iter().map(|bytes| decode(bytes, None, true).text.into_owned()).collect();
    let bytes: usize = pages.iter().map(String::len).sum();
    println!("{} pages, {:.1} MB of HTML; CPU seconds, best of {ROUNDS}", pages.len(), bytes as f64 / 1e6);
    println!("| step | MB/s | of the time of the tree |\n|---|---:|---:|");
    let each = |work: &mut dyn FnMut(&str)| best_of(ROUNDS, || pages.iter().for_each(|page| work(page)));
    let tree = each(&mut |page| {
        let tree = html5ever::parse_document(markup5ever_rcdom::RcDom::default(), Default::default());
        black_box(tree.one(page));
    });
    let report = |name: &str, seconds: f64| {
        println!("| {name} | {:.0} | {:.2} |", bytes as f64 / seconds / 1e6, seconds / tree);
    };
    report("html5ever's tree", tree);
    let content = |content| {
        each(&mut |page| {
            black_box(extract_html(page, content));
        })
    };
    report("main", content(Content::Main));
    report("plateau", content(Content::Plateau));
    report("all, with links and head", content(Content::All));
    let mut text = String::new();
    let visible = each(&mut |page| {
        text.clear();
        visible_text(page, &mut text);
        black_box(&text);
    });
    report("visible text alone", visible);
    let charset = best_of(ROUNDS, || {
        fetched.iter().for_each(|bytes| {
            black_box(decode(bytes, None, true));
        });
    });
    report("charset of the fetched bytes", charset);
    Ok(())
}

fn read(folder: &Path, pages: &mut Vec<Vec<u8>>) -> std::io::Result<()> {
    let mut paths =
        fs_err::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    for path in paths {
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            read(&path, pages)?;
        } else if name.ends_with(".html") {
            pages.push(fs_err::read(path)?);
        } else if name.ends_with(".html.gz") {
            let mut page = Vec::new();
            flate2::read::MultiGzDecoder::new(fs_err::File::open(path)?).read_to_end(&mut page)?;
            pages.push(page);
        }
    }
    Ok(())
}
