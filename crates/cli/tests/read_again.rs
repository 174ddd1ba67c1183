//! A record that is read again, by its place, says what it said when it was read first.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod common;

use common::archive::{self, Record};
use common::{Place, compressed, edited, prose};
use std::io::Write as _;

/// Ways to keep an archive whose records are fetched by their places, and one that is spooled.
const WAYS: [&str; 3] = ["plain", "gzip-members", "gzip"];

/// Two pages, one nearly as the other, in a coding that is sensitive to what stands behind a body.
fn pages(coding: &str, body: impl Fn(&str) -> Vec<u8>) -> Vec<Record> {
    let texts = [prose("alpha", 300), edited("alpha", 300, &[299])];
    let page = |(number, text): (usize, &String)| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html{coding}\r\n\r\n");
        Record::response(&format!("r{number}"), &format!("http://x/{number}"), "")
            .body([head.into_bytes(), body(&format!("<!doctype html><p>{text}</p>"))].concat())
    };
    texts.iter().enumerate().map(page).collect()
}

fn deflated(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

/// All but the last bytes.
fn cut(mut bytes: Vec<u8>, by: usize) -> Vec<u8> {
    bytes.truncate(bytes.len() - by);
    bytes
}

#[test]
fn bodies_that_would_change_with_what_stands_behind_them() {
    let swapped = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 3).unwrap();
    let gzip = |text: &str| cut(compressed::gzip(text.as_bytes()), 12);
    let raw = |text: &str| cut(deflated(text), 30);
    for (what, records) in [
        ("cut gzip", pages("\r\nContent-Encoding: gzip", gzip)),
        ("cut deflate", pages("\r\nContent-Encoding: deflate", raw)),
        ("zstd", pages("\r\nContent-Encoding: zstd", zstd)),
        ("UTF-16", pages("; charset=utf-16be", swapped)),
    ] {
        for how in WAYS {
            let place = Place::new();
            place.write("a.warc", compressed::compress(how, &archive::bytes_of(&records)));
            let run = place.dedup("a.warc");
            assert_eq!(run.bad(), Vec::<serde_json::Value>::new(), "{what} {how}");
            run.counted(2, 1, 1, 0);
            place.run("pairs a.warc --method join --quiet").ok();
        }
    }
}

#[test]
fn raw_bytes_of_archives() {
    let texts = [prose("alpha", 80), edited("alpha", 80, &[79]), prose("beta", 80), prose("beta", 80)];
    let record = |(number, text): (usize, &String)| {
        Record::conversion(&format!("r{number}"), &format!("http://x/{number}"), text)
    };
    let records: Vec<Record> = texts.iter().enumerate().map(record).collect();
    let arc = |(number, text): (usize, &String)| {
        let head = format!("http://x/{number} 127.0.0.1 20240501000000 text/plain {}\n", text.len());
        format!("{head}{text}\n").into_bytes()
    };
    let head = "filedesc://a.arc 0.0.0.0 20240501000000 text/plain 0\n\n".as_bytes().to_vec();
    let arc: Vec<Vec<u8>> = std::iter::once(head).chain(texts.iter().enumerate().map(arc)).collect();
    for (name, parts) in [("a.wet", archive::bytes_of(&records)), ("a.arc", arc)] {
        for how in WAYS {
            let place = Place::new();
            place.write(name, compressed::compress(how, &parts));
            for flags in ["", "--method join", "--method simhash --hamming 7", "--containment 0.9"] {
                let run = place.dedup(&format!("{name} --raw --force {flags}"));
                let removed: Vec<String> =
                    run.removed().iter().map(|line| line["kind"].to_string()).collect();
                assert_eq!((run.count("read"), run.count("bad")), (4, 0), "{name} {how} {flags}");
                assert!(removed.contains(&"\"exact\"".into()), "{name} {how} {flags}: {removed:?}");
            }
        }
    }
}

#[test]
fn a_text_that_lost_paragraphs_ends_where_it_ended() {
    let (notice, topics) = (prose("notice", 9), ["alpha", "beta", "gamma"]);
    let text = |topic: &str| format!("{}\n{notice}\n{}\n", prose(topic, 12), prose(&format!("{topic}b"), 12));
    let record = |topic: &str| Record::conversion(topic, &format!("http://x/{topic}"), &text(topic));
    for how in WAYS {
        let place = Place::new();
        let records = topics.map(record);
        place.write("a.wet", compressed::compress(how, &archive::bytes_of(&records)));
        let run = place.dedup("a.wet --unit paragraph");
        let kept = archive::parse(&compressed::decompress(how, &run.kept("a.wet")));
        for (record, topic) in kept.iter().zip(topics).skip(1) {
            let whole = text(topic).replace(&format!("{notice}\n"), "");
            assert_eq!(String::from_utf8_lossy(&record.body), whole, "{how} {topic}");
        }
        assert_eq!(kept[0], records[0], "{how}");
    }
}
