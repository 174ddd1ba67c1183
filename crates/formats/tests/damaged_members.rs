//! Damage to one member or frame of a compressed file costs what is in it, and nothing of the others.

#![allow(clippy::unwrap_used, reason = "a helper of tests may fail like a test")]

mod common;

use common::{LIMIT, frames_from, look, open, read};
use onefold_formats::FrameKind;
use onefold_formats::compress::{Compression, Encoder};
use onefold_formats::document::{Body, Parsed, Parser};
use onefold_formats::source::{Fields, Format, Look};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

const COMPRESSIONS: [Compression; 3] = [Compression::Gzip, Compression::Zstd, Compression::Lz4];

fn compress(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new(), compression).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn record(format: &str, text: &str) -> String {
    match format {
        "jsonl" => format!("{{\"text\":\"{text}\"}}\n"),
        "csv" => format!("1,\"{text}\"\n"),
        _ => format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
            text.len()
        ),
    }
}

/// Words that tell a record from all others, of any length.
fn text(member: usize, number: usize, words: usize) -> String {
    let noise =
        (0..words).map(|word| format!(" {:x}", (member * 31 + number * 7 + word).wrapping_mul(0x9e37_79b9)));
    format!("document {member} {number}{}", noise.collect::<String>())
}

/// The texts that are read from a file, and the messages of its faults.
fn texts(path: &Path) -> (BTreeSet<String>, Vec<String>) {
    let Look::Source(source) = look(path) else { panic!("a source") };
    let (mut texts, mut faults) = (BTreeSet::new(), Vec::new());
    let mut parser = Parser::new(source.format, &Fields::default(), LIMIT, None);
    frames_from(&source, LIMIT, (0, 0), &mut |block, frame| {
        let bytes = block.bytes_of(frame);
        if matches!(frame.kind, FrameKind::Filler { keep: true }) && source.format == Format::Csv {
            parser = Parser::new(source.format, &Fields::default(), LIMIT, Some(bytes));
        }
        match parser.parse(bytes, &frame.kind) {
            Parsed::Document(document) => {
                let text = match document.body {
                    Body::Text(text) => text.into_owned(),
                    Body::Page { bytes, .. } => String::from_utf8_lossy(&bytes).into_owned(),
                    Body::File { .. } => panic!("no file"),
                };
                texts.insert(text);
            }
            Parsed::Bad(bad) => faults.push(bad.message),
            Parsed::Passed(_) | Parsed::Skipped(_) => {}
        }
    })
    .expect("members are not records here");
    (texts, faults)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_records_of_other_members_are_read(
        format in select(vec!["jsonl", "csv", "warc"]),
        compression in select(&COMPRESSIONS[..]),
        sizes in proptest::collection::vec(proptest::collection::vec(select(vec![0, 3, 40, 9000]), 2..5), 2..6),
        damaged in any::<Index>(),
        flips in proptest::collection::vec((any::<Index>(), 1_u8..), 1..4),
    ) {
        // The first member of a CSV file holds the header, without which the others mean nothing.
        let damaged = if format == "csv" { 1 + damaged.index(sizes.len() - 1) } else { damaged.index(sizes.len()) };
        let (mut bytes, mut expected) = (Vec::new(), BTreeSet::new());
        for (member, sizes) in sizes.iter().enumerate() {
            let mut plain = if format == "csv" && member == 0 { "id,text\n".to_owned() } else { String::new() };
            for (number, &words) in sizes.iter().enumerate() {
                let text = text(member, number, words);
                plain.push_str(&record(format, &text));
                if member != damaged {
                    expected.insert(text);
                }
            }
            let mut packed = compress(plain.as_bytes(), compression);
            if member == damaged {
                let len = packed.len();
                flips.iter().for_each(|(at, bits)| packed[at.index(len)] ^= bits);
            }
            bytes.extend(packed);
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("file.{format}"));
        fs_err::write(&path, &bytes).unwrap();
        // A file whose first bytes are not those of its compression is another file.
        if Compression::of(&bytes) == compression {
            read(&path, LIMIT);
            let (found, faults) = texts(&path);
            let missing: Vec<_> = expected.difference(&found).map(|text| &text[..text.len().min(20)]).collect();
            prop_assert!(missing.is_empty(), "missing {missing:?}, faults {faults:?}");
        }
    }
}

/// A stored block of deflate whose length was altered runs on over the members behind it; made to end where one of those
/// ends, it looks like a member of which only the checksum is wrong.
#[test]
fn members_that_a_damaged_one_ran_over_are_read() {
    let members = ["one", "two", "three", "four"]
        .map(|text| compress(record("jsonl", text).as_bytes(), Compression::Gzip));
    let swallowed = members[1].len() + members[2].len();
    let stored = record("jsonl", "stored");
    let mut damaged = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01".to_vec();
    let length = (stored.len() + 8 + swallowed - 8) as u16;
    damaged.extend(length.to_le_bytes());
    damaged.extend((!length).to_le_bytes());
    damaged.extend(stored.as_bytes());
    damaged.extend([0; 8]);
    let bytes = [&members[0][..], &damaged, &members[1], &members[2], &members[3]].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.jsonl.gz");
    fs_err::write(&path, &bytes).unwrap();
    let (found, faults) = texts(&path);
    for text in ["one", "two", "three", "four"] {
        assert!(found.contains(text), "{found:?} {faults:?}");
    }
    read(&path, LIMIT);
}

#[test]
fn a_gap_is_one_fault_that_names_both_its_ends_and_does_not_glue() {
    let folder = tempfile::tempdir().unwrap();
    for compression in COMPRESSIONS {
        // The first member ends inside a record, and so does the damaged one.
        let members: Vec<_> =
            ["{\"text\":\"one\"}\n{\"text\":\"t", "wo\"}\n{\"text\":\"th", "ree\"}\n{\"text\":\"four\"}\n"]
                .iter()
                .map(|part| compress(part.as_bytes(), compression))
                .collect();
        let mut bytes = members.concat();
        let (start, next) = (members[0].len(), members[0].len() + members[1].len());
        // The checksum, or the end mark of a block where there is none.
        bytes[next - 3] ^= 0x10;
        let path = folder.path().join("file.jsonl");
        fs_err::write(&path, &bytes).unwrap();
        let (found, faults) = texts(&path);
        // What a decoder gave before it met the damage stays.
        assert!(
            found.iter().map(String::as_str).filter(|text| *text != "two").eq(["four", "one"]),
            "{found:?}"
        );
        assert_eq!(faults.len(), 2, "the record that was cut and the piece behind it: {faults:?}");
        let places = format!("may be altered, the next one is at byte {next}");
        assert!(faults[0].contains(&format!(" at byte {start} is damaged: ")), "{faults:?}");
        assert!(faults[0].ends_with(&places), "{faults:?}");
        read(&path, LIMIT);
    }
}

#[test]
fn a_document_that_is_the_whole_file_is_bad_once() {
    let folder = tempfile::tempdir().unwrap();
    for compression in COMPRESSIONS {
        for damaged in 0..3 {
            let mut members =
                ["one two ", "three four ", "five six"].map(|part| compress(part.as_bytes(), compression));
            let len = members[damaged].len();
            members[damaged][len - 2] ^= 1;
            let path = folder.path().join("file.txt");
            fs_err::write(&path, members.concat()).unwrap();
            let (_, places, _) = open(&path, LIMIT).unwrap();
            assert_eq!(places.len(), 1, "{compression:?} {damaged}: {places:?}");
            assert!(places[0].3.is_some());
        }
    }
}

#[test]
fn rows_without_their_header_and_pieces_of_rows_are_bad() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.csv");
    let write = |parts: &[&str], damaged: usize| {
        let mut members: Vec<_> =
            parts.iter().map(|part| compress(part.as_bytes(), Compression::Gzip)).collect();
        let len = members[damaged].len();
        members[damaged][len - 2] ^= 1;
        fs_err::write(&path, members.concat()).unwrap();
        texts(&path)
    };
    let (found, faults) = write(&["id,te", "xt\n1,a\n2,b\n", "3,c\n4,d\n"], 0);
    assert!(found.is_empty() && faults.len() == 6, "{found:?} {faults:?}");
    // A piece of a row with as many fields as a row has.
    let (found, faults) = write(&["id,text\n1,a\n2", ",b\n3,\"x, ", "y,z\"\n4,d\n"], 1);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b", "d"]);
    assert_eq!(faults.len(), 2, "{faults:?}");
    let (found, faults) = write(&["id,text\n1,a\n", "2,b\n", "3,c\n4,d\n"], 1);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    assert_eq!(faults.len(), 1, "{faults:?}");
}

#[test]
fn false_starts_do_not_take_forever() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.jsonl");
    let first = compress(b"{\"text\":\"one\"}\n", Compression::Gzip);
    let last = compress(b"{\"text\":\"two\"}\n", Compression::Gzip);
    // Members that each hold the next one as it is, in a stored block, and of which none has its checksum.
    let mut nested = Vec::new();
    for _ in 0..4000 {
        let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0];
        let length = (65_535 - nested.len() as u16).to_le_bytes();
        member.extend(length);
        member.extend(length.map(|byte| !byte));
        nested.extend(member);
    }
    // Behind their blocks all go on with the same bytes, to the end of which each would have to be decoded.
    nested.resize(65_550, b' ');
    let noise: Vec<u8> = (0..4_u32 << 20).map(|n| (n.wrapping_mul(2_654_435_761) >> 15) as u8).collect();
    nested.extend(&compress(&noise, Compression::Gzip)[10..]);
    nested.push(b'x');
    for filler in
        [nested, b"\x1f\x8b\x08".repeat(1_000_000), b"\x1f\x8b\x08\0\0\0\0\0\0\0\x4b\x4c".repeat(400_000)]
    {
        let mut damaged = first.clone();
        let len = damaged.len();
        damaged[len - 2] ^= 1;
        fs_err::write(&path, [&damaged, &filler[..], &last].concat()).unwrap();
        let start = std::time::Instant::now();
        let (found, _) = texts(&path);
        assert!(found.contains("two"));
        assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
    }
}
