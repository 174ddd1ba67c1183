//! Whatever a file holds, reading it ends, does not panic, and accounts for every byte; and a reading that starts at
//! a frame finds what one from the start found.

#![allow(clippy::unwrap_used, reason = "a helper of tests may fail like a test")]

mod common;

use common::{frames_from, open, read};
use onefold_formats::compress::{Compression, Encoder};
use onefold_formats::source::Layout;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::io::Write;

fn compress(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new(), compression).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn warc(body: &str) -> Vec<u8> {
    format!(
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://x/\r\nContent-Type: text/plain\r\n\
         Content-Length: {}\r\n\r\n{body}\r\n\r\n",
        body.len()
    )
    .into()
}

fn response(body: &str) -> Vec<u8> {
    let http = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    let length = http.len();
    format!("WARC/1.1\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\n{http}\r\n\r\n").into()
}

fn arc(body: &str) -> Vec<u8> {
    format!("http://x/ 127.0.0.1 20140102000000 text/html {}\n{body}\n", body.len()).into()
}

/// Whole files of every format, as records.
fn records() -> impl Strategy<Value = (&'static str, Vec<Vec<u8>>)> {
    let body =
        prop_oneof!["[a-z \n]{0,60}", "(\nWARC/1.0\r\n|http://x/ 1.1.1.1 20140101 a 3\n|<p>|\"|,|\t|x){0,9}"];
    let bodies = proptest::collection::vec(body, 1..8);
    (select(vec!["warc", "response", "arc", "jsonl", "csv", "tsv", "html", "txt"]), bodies).prop_map(
        |(format, bodies)| {
            let mut records: Vec<Vec<u8>> = match format {
                "arc" => vec![b"filedesc://x 0.0.0.0 20140102000000 text/plain 4\n1 0 \n\n".to_vec()],
                "csv" => vec![b"id,text\n".to_vec()],
                "tsv" => vec![b"id\ttext\r\n".to_vec()],
                "html" => vec![b"<!doctype html>".to_vec()],
                _ => Vec::new(),
            };
            records.extend(bodies.iter().map(|body| match format {
                "warc" => warc(body),
                "response" => response(body),
                "arc" => arc(body),
                "jsonl" => format!("{}\n", serde_json::json!({"id": 1, "text": body})).into(),
                "csv" => format!("1,\"{}\"\n", body.replace('"', "\"\"")).into(),
                "tsv" => format!("1\t{}\r\n", body.replace(['\t', '\n'], " ")).into(),
                _ => body.clone().into(),
            }));
            (format, records)
        },
    )
}

#[derive(Clone, Debug)]
enum Harm {
    Flip(Index, u8),
    Cut(Index),
    Remove(Index, usize),
    Insert(Index, Vec<u8>),
    Zeros(Index),
}

fn harm() -> impl Strategy<Value = Harm> {
    prop_oneof![
        (any::<Index>(), 1_u8..).prop_map(|(at, bits)| Harm::Flip(at, bits)),
        any::<Index>().prop_map(Harm::Cut),
        (any::<Index>(), 1_usize..40).prop_map(|(at, len)| Harm::Remove(at, len)),
        (any::<Index>(), proptest::collection::vec(any::<u8>(), 1..40))
            .prop_map(|(at, bytes)| Harm::Insert(at, bytes)),
        any::<Index>().prop_map(Harm::Zeros),
    ]
}

fn apply(harm: &Harm, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let len = bytes.len();
    match harm {
        Harm::Flip(at, bits) => bytes[at.index(len)] ^= bits,
        Harm::Cut(at) => bytes.truncate(at.index(len)),
        Harm::Remove(at, count) => {
            let at = at.index(len);
            bytes.drain(at..len.min(at + count));
        }
        Harm::Insert(at, new) => {
            let at = at.index(len);
            bytes.splice(at..at, new.iter().copied());
        }
        Harm::Zeros(at) => bytes[at.index(len)..].fill(0),
    }
}

#[derive(Clone, Copy, Debug)]
enum Packing {
    Plain,
    Members,
    Whole(Compression),
    /// A frame or member for each two records.
    Pairs(Compression),
}

fn packing() -> impl Strategy<Value = Packing> {
    select(vec![
        Packing::Plain,
        Packing::Members,
        Packing::Whole(Compression::Gzip),
        Packing::Whole(Compression::Zstd),
        Packing::Whole(Compression::Lz4),
        Packing::Pairs(Compression::Gzip),
        Packing::Pairs(Compression::Zstd),
        Packing::Pairs(Compression::Lz4),
    ])
}

fn pack(records: &[Vec<u8>], packing: Packing) -> Vec<u8> {
    match packing {
        Packing::Plain => records.concat(),
        Packing::Members => records.iter().flat_map(|record| compress(record, Compression::Gzip)).collect(),
        Packing::Whole(compression) => compress(&records.concat(), compression),
        Packing::Pairs(compression) => {
            records.chunks(2).flat_map(|pair| compress(&pair.concat(), compression)).collect()
        }
    }
}

/// Reads bytes as a file of that name, then again from each of its frames.
fn check(bytes: &[u8], ending: &str, limit: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("file.{ending}"));
    fs_err::write(&path, bytes).unwrap();
    read(&path, limit);
    let Ok((source, places, _)) = open(&path, limit) else { return };
    for (number, &(offset, _, row, _)) in places.iter().enumerate() {
        let rest = frames_from(&source, limit, (offset, row), &mut |_, _| {});
        // Behind a fault without bytes of its own, the same address is that of the next frame.
        let rest = rest.expect("members were records before");
        if source.layout != Layout::Stream || places[number..].iter().all(|place| place.1 > 0) {
            assert_eq!(rest, places[number..], "from frame {number}");
        }
    }
}

const LIMITS: [usize; 3] = [16, 100, 1 << 20];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn harm_before_and_after_packing(
        (ending, mut records) in records(),
        before in proptest::collection::vec((any::<Index>(), harm()), 0..3),
        packing in packing(),
        after in proptest::collection::vec(harm(), 0..3),
        limit in select(&LIMITS[..]),
    ) {
        for (record, harm) in &before {
            let record = record.index(records.len());
            apply(harm, &mut records[record]);
        }
        let mut bytes = pack(&records, packing);
        after.iter().for_each(|harm| apply(harm, &mut bytes));
        check(&bytes, ending, limit);
    }

    #[test]
    fn any_bytes_at_all(
        start in select(vec!["", "WARC/1.0\r\n", "filedesc://x 1 2 3 4\n", "{", "id,text\n", "\x1f\u{8b}", "PAR1"]),
        bytes in proptest::collection::vec(any::<u8>(), 0..500),
        ending in select(vec!["warc", "arc", "jsonl", "csv", "tsv", "html", "txt", "gz"]),
        limit in select(&LIMITS[..]),
    ) {
        let start: Vec<u8> = start.chars().map(|c| c as u8).collect();
        check(&[start, bytes].concat(), ending, limit);
    }
}

/// Five megabytes of records of all sizes, so that they lie across the borders of every buffer.
fn large(format: &str) -> Vec<Vec<u8>> {
    let mut records = match format {
        "arc" => vec![b"filedesc://x 0.0.0.0 20140102000000 text/plain 4\n1 0 \n\n".to_vec()],
        "csv" => vec![b"id,text\n".to_vec()],
        _ => Vec::new(),
    };
    for number in 0..160_usize {
        let body = "some words and a line\n".repeat(number * number * 7 % 3000);
        records.push(match format {
            "warc" => warc(&body),
            "arc" => arc(&body),
            "csv" => format!("{number},\"{body}\"\n").into(),
            _ => format!("{}\n", serde_json::json!({"id": number, "text": body})).into(),
        });
    }
    records
}

#[test]
fn records_across_the_borders_of_buffers() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["warc", "arc", "csv", "jsonl"] {
        for packing in [
            Packing::Plain,
            Packing::Members,
            Packing::Whole(Compression::Zstd),
            Packing::Pairs(Compression::Gzip),
            Packing::Pairs(Compression::Zstd),
            Packing::Pairs(Compression::Lz4),
        ] {
            let whole = large(format);
            let mut bytes = pack(&whole, packing);
            let path = folder.path().join(format!("file.{format}"));
            fs_err::write(&path, &bytes).unwrap();
            let found = read(&path, 40_000);
            let headers = usize::from(format == "csv");
            let over = whole.iter().filter(|record| record.len() > 41_000).count();
            let records: usize = found.types.values().sum();
            assert!(found.bad.len() <= over + 8, "{format} {packing:?}: {}", found.bad.len());
            if matches!(format, "warc" | "arc") {
                assert_eq!(records, whole.len() - headers, "{format} {packing:?}");
            }
            // Damage of one byte in some places, then from some of the frames on.
            let len = bytes.len();
            (1..8).for_each(|part| bytes[len * part / 8] ^= 0x55);
            fs_err::write(&path, &bytes).unwrap();
            let (source, places, _) = open(&path, 40_000).unwrap_or_else(|found| panic!("{found:?}"));
            for number in (0..places.len()).step_by(1 + places.len() / 12) {
                let (offset, _, row, _) = places[number];
                let rest = frames_from(&source, 40_000, (offset, row), &mut |_, _| {});
                assert_eq!(
                    rest.as_deref(),
                    Some(&places[number..]),
                    "{format} {packing:?} from frame {number}"
                );
            }
        }
    }
}
