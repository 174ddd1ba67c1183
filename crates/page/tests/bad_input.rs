//! Pages made to hurt: each ends soon, in bounded memory, with an answer.
#![allow(clippy::unwrap_used, missing_docs)]

use std::time::{Duration, Instant};

use onefold_page::content::{clean_html, show_html};
use onefold_page::file::extract_file;
use onefold_page::{Content, Page, extract};

/// Far more than any of these takes, on a busy machine and without optimisation.
const LIMIT: Duration = Duration::from_secs(60);

const MODES: [Content; 3] = [Content::Main, Content::Plateau, Content::All];

/// Largest resident memory of this process so far, where the system tells.
fn peak_bytes() -> Option<usize> {
    let status = fs_err::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Takes a page in every way; none may take long. Gives the pages.
fn check(name: &str, bytes: &[u8]) -> Vec<Page> {
    let pages = MODES.map(|content| {
        let started = Instant::now();
        let page = extract(bytes, None, content);
        assert!(started.elapsed() < LIMIT, "{name} {content:?}: {:?}", started.elapsed());
        // White space may become line ends, and a NUL or a bad byte one character of three bytes.
        assert!(page.text.len() <= 3 * bytes.len() + 16, "{name} {content:?}");
        page
    });
    pages.into()
}

/// One test, for the memory of a process is that of all its tests.
#[test]
fn pages_made_to_hurt_end_soon_and_in_bounded_memory() {
    let words = "Some words that people came for. ".repeat(40);
    let around = |start: &str, end: &str| [start, &words, end].concat().into_bytes();
    let nested =
        |tag: &str| around(&format!("<{tag}>").repeat(100_000), &format!("</{tag}>").repeat(100_000));
    for tag in
        ["div", "table><tr><td", "ul><li", "b", "a href=x", "svg", "select", "unknown", "template", "p"]
    {
        let pages = check(tag, &nested(tag));
        let is_shown = !matches!(tag, "svg" | "template");
        assert!(!is_shown || pages.iter().all(|page| page.text.contains("people came for")), "{tag}");
    }
    let unclosed: [(&str, Vec<u8>); 9] = [
        ("comment", around("<p>x<!--", "")),
        ("comments", around("", &"<!--".repeat(200_000))),
        ("tag", around("<p class='", &"<".repeat(500_000))),
        ("script", around("<script>", &"</scrip".repeat(200_000))),
        ("title", around("<title>", "")),
        ("reference", around("", &"&amp".repeat(300_000))),
        ("cdata", around("<svg><![CDATA[", "")),
        ("end tags", around("", &"</div></p></table>".repeat(100_000))),
        ("attributes", around(&format!("<p {}>", "a=1 ".repeat(300_000)), "")),
    ];
    for (name, bytes) in &unclosed {
        check(name, bytes);
    }
    let nuls = [b"<p>".as_slice(), &b"a\0b\0\0".repeat(300_000)].concat();
    check("NULs", &nuls);
    check("only NULs", &vec![0; 4 << 20]);
    let halves: Vec<u8> = (0..3 << 20).map(|at| 0x80 | (at % 127) as u8).collect();
    let pages = check("bytes of no charset", &[b"<meta charset=utf-8><p>".as_slice(), &halves].concat());
    assert!(pages[0].replaced > 0);
    let deep = String::from_utf8(nested("ul><li")).unwrap();
    for content in MODES {
        assert!(clean_html(&deep, content).len() < 64 << 20 && show_html(&deep, content).len() < 64 << 20);
    }

    // 200 MB in one attribute: nothing of it is kept.
    let mut large = Vec::with_capacity(201 << 20);
    large.extend_from_slice(b"<html><body><p>before</p><div data-x=\"");
    large.resize(200 << 20, b'x');
    large.extend_from_slice(b"\"><p>behind</p>");
    let before = peak_bytes();
    let pages = check("an attribute of 200 MB", &large);
    assert!(pages.iter().all(|page| page.text == "before\nbehind"), "{:?}", pages[0].text);
    if let (Some(before), Some(after)) = (before, peak_bytes()) {
        assert!(after - before < 2 * large.len(), "{before} to {after} bytes");
    }
    // The same as a link, a title and a class, which are kept in part.
    for (open, close) in [("<a href='", "'>x</a>"), ("<title>", "</title>x"), ("<p class='", "'>x")] {
        let mut large = open.as_bytes().to_vec();
        large.resize(32 << 20, b'y');
        large.extend_from_slice(close.as_bytes());
        check(open, &large);
    }
    let started = Instant::now();
    let _ = extract_file(
        &[b"<?xml version='1.0'?>".as_slice(), &b"<a>".repeat(1 << 20)].concat(),
        None,
        Content::All,
    );
    assert!(started.elapsed() < LIMIT);
}
