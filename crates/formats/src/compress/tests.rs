use super::*;
use crate::source::OpenFile;
use std::io::Read;
use std::io::{self, Write};

fn compress(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let mut encoder = Encoder::new(Vec::new(), compression).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn decompress(bytes: &[u8], compression: Compression) -> (Vec<u8>, Option<io::ErrorKind>) {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs_err::write(file.path(), bytes).unwrap();
    let mut decoder = Decoder::new(OpenFile::open(file.path()).unwrap(), compression).unwrap();
    let mut out = Vec::new();
    let error = decoder.read_to_end(&mut out).err();
    (out, error.map(|error| error.kind()))
}

/// Words that no compression makes much of.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        b'a' + (state >> 60) as u8
    };
    (0..len).map(|_| next()).collect()
}

const ALL: [Compression; 3] = [Compression::Gzip, Compression::Zstd, Compression::Lz4];

#[test]
fn frames_and_members_follow_each_other() {
    for compression in ALL {
        let parts =
            [compress(b"one ", compression), compress(b"", compression), compress(b"two", compression)];
        assert_eq!(decompress(&parts.concat(), compression), (b"one two".to_vec(), None), "{compression:?}");
    }
}

#[test]
fn skippable_frames_are_passed_over_wherever_they_stand() {
    let skipped =
        |length: usize| [b"\x5a\x2a\x4d\x18", &(length as u32).to_le_bytes()[..], &noise(length)].concat();
    for compression in [Compression::Zstd, Compression::Lz4] {
        let (one, two) = (compress(b"one ", compression), compress(b"two", compression));
        // Short ones, empty ones, and one that is longer than the buffer.
        let parts = [&skipped(5), &skipped(0), &one, &skipped(1), &skipped(1 << 20), &two, &skipped(7)];
        let whole = parts.map(Vec::as_slice).concat();
        assert_eq!(Compression::of(&whole), compression);
        assert_eq!(decompress(&whole, compression), (b"one two".to_vec(), None), "{compression:?}");
        for len in 1..15 {
            let (out, error) = decompress(&whole[..whole.len() - len], compression);
            assert_eq!((out, error), (b"one two".to_vec(), Some(io::ErrorKind::UnexpectedEof)), "{len}");
        }
    }
    assert_eq!(Compression::of(&skipped(5)), Compression::Zstd);
    assert_eq!(Compression::of(&skipped(500)[..100]), Compression::Zstd);
    assert_eq!(Compression::of(b"\x50\x2a\x4d\x18\xff\xff\xff\xff"), Compression::Zstd);
}

const DICTIONARY: &[u8] = include_bytes!("tests.dictionary");

/// Texts as frames that need the dictionary.
fn by_dictionary(texts: &[&[u8]]) -> Vec<u8> {
    let mut compressor = zstd::bulk::Compressor::with_dictionary(3, DICTIONARY).unwrap();
    texts.iter().flat_map(|text| compressor.compress(text).unwrap()).collect()
}

fn dictionary_frame(content: &[u8]) -> Vec<u8> {
    [b"\x5d\x2a\x4d\x18", &(content.len() as u32).to_le_bytes()[..], content].concat()
}

#[test]
fn a_dictionary_at_the_start_of_a_file_is_used() {
    let frames = by_dictionary(&[b"WARC/1.0\r\nWARC-Type: one ", b"WARC/1.0\r\nWARC-Type: two"]);
    let expected = b"WARC/1.0\r\nWARC-Type: one WARC/1.0\r\nWARC-Type: two".to_vec();
    for content in [DICTIONARY.to_vec(), compress(DICTIONARY, Compression::Zstd)] {
        let whole = [dictionary_frame(&content), frames.clone()].concat();
        assert_eq!(Compression::of(&whole), Compression::Zstd);
        assert_eq!(decompress(&whole, Compression::Zstd), (expected.clone(), None));
    }
}

#[test]
fn a_dictionary_serves_behind_damage_too() {
    let (text, more) = (noise(300), noise(500));
    let head = dictionary_frame(DICTIONARY);
    let mut damaged = [head.clone(), by_dictionary(&[&text, &more, &text])].concat();
    let second = head.len() + by_dictionary(&[&text]).len();
    damaged[second + 20..second + 60].fill(0xff);
    let file = tempfile::NamedTempFile::new().unwrap();
    fs_err::write(file.path(), &damaged).unwrap();
    let mut decoder = Decoder::new(OpenFile::open(file.path()).unwrap(), Compression::Zstd).unwrap();
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    let error = decoder.read_to_end(&mut before).unwrap_err();
    assert!(before.starts_with(&text));
    assert!(decoder.resume(&error).unwrap().is_some());
    decoder.read_to_end(&mut behind).unwrap();
    assert_eq!(behind, text);
}

#[test]
fn a_dictionary_that_is_missing_too_large_or_damaged_is_named() {
    let mut torn = DICTIONARY.to_vec();
    torn[8..40].fill(0xff);
    // A frame that claims four gigabytes, and one that would unpack to more than is loaded.
    let claim = b"\x5d\x2a\x4d\x18\xff\xff\xff\xff".to_vec();
    let bomb = [DICTIONARY, &vec![0; 1 << 26]].concat();
    let bomb = dictionary_frame(&compress(&bomb, Compression::Zstd));
    let heads = [Vec::new(), dictionary_frame(b"something else"), dictionary_frame(&torn), claim, bomb];
    for (number, head) in heads.into_iter().enumerate() {
        let whole = [head, by_dictionary(&[b"WARC/1.0"])].concat();
        let file = tempfile::NamedTempFile::new().unwrap();
        fs_err::write(file.path(), whole).unwrap();
        let mut decoder = Decoder::new(OpenFile::open(file.path()).unwrap(), Compression::Zstd).unwrap();
        let error = decoder.read_to_end(&mut Vec::new()).unwrap_err().to_string();
        // What claims more than there is takes the frames behind it along.
        assert!(error.contains("needs the dictionary 20201") || number == 3, "{number}: {error}");
    }
}

#[test]
fn a_cut_is_never_the_end() {
    let text = noise(400);
    for compression in ALL {
        let whole = compress(&text, compression);
        for len in 1..whole.len() {
            let (out, error) = decompress(&whole[..len], compression);
            assert!(error.is_some(), "{compression:?} cut to {len} of {}", whole.len());
            assert!(text.starts_with(&out));
        }
    }
}

#[test]
fn a_tail_of_zeros_is_damage_inside_a_member_and_padding_behind_it() {
    let text = noise(400);
    let whole = compress(&text, Compression::Gzip);
    for len in 1..whole.len() - 8 {
        let mut damaged = whole[..len].to_vec();
        damaged.resize(whole.len() + 1000, 0);
        assert!(decompress(&damaged, Compression::Gzip).1.is_some(), "zeros from {len}");
    }
    let padded = [whole, vec![0; 1 << 19]].concat();
    assert_eq!(decompress(&padded, Compression::Gzip), (text, None));
}

#[test]
fn what_stands_before_damage_is_read() {
    let text = noise(1 << 20);
    for compression in ALL {
        let mut damaged = compress(&text, compression);
        let middle = damaged.len() / 2;
        damaged[middle..middle + 64].fill(0xff);
        let (out, error) = decompress(&damaged, compression);
        assert_eq!(error, Some(io::ErrorKind::InvalidData), "{compression:?}");
        // LZ4 and zstd work in blocks, of 4 MiB and 128 KiB at most.
        let lost = if compression == Compression::Lz4 { 1 << 20 } else { 1 << 18 };
        assert!(out.len() + lost > text.len() / 2, "{compression:?} gave {}", out.len());
    }
}

#[test]
fn what_came_out_of_a_gzip_member_before_its_damage_is_handed_over() {
    let text: Vec<u8> =
        (0..4000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_string().into_bytes()).collect();
    let mut packed = compress(&text, Compression::Gzip);
    let damage = packed.len() * 9 / 10;
    packed[damage..damage + 12].fill(0xff);
    let (out, error) = decompress(&packed, Compression::Gzip);
    assert_eq!(error, Some(io::ErrorKind::InvalidData));
    assert!(out.len() > text.len() * 8 / 10, "{} of {}", out.len(), text.len());
    let right = out.iter().zip(&text).take_while(|(a, b)| a == b).count();
    assert!(right > text.len() * 8 / 10, "{right} of {}", text.len());
}

#[test]
fn headers_of_gzip_members_may_have_every_part() {
    let body = compress(b"words", Compression::Gzip);
    let mut member = vec![0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3];
    member.extend_from_slice(b"\x04\0abcdname\0comment\0\x12\x34");
    member.extend_from_slice(&body[10..]);
    assert_eq!(decompress(&[&*member, &*member].concat(), Compression::Gzip), (b"wordswords".to_vec(), None));
    for cut in 1..member.len() {
        let (_, error) = decompress(&member[..cut], Compression::Gzip);
        assert_eq!(error, Some(io::ErrorKind::UnexpectedEof), "{cut}");
    }
}
