//! Damage to a part of a file costs that part: the members, frames and row groups behind it are read.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod common;

use common::archive::{self, Record};
use common::{Place, Run, assert_same_output, compressed, edited, ids, line, prose, table, text_of};
use std::io::{Read as _, Write as _};

/// Ways to compress, and how such files are called.
const WAYS: [(&str, &str); 3] = [("gzip", "gz"), ("zstd", "zst"), ("lz4", "lz4")];

/// A member or frame with a checksum at its end.
fn part(how: &str, bytes: &[u8]) -> Vec<u8> {
    match how {
        "zstd" => {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "lz4" => {
            let info = lz4_flex::frame::FrameInfo::new().content_checksum(true);
            let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        _ => compressed::gzip(bytes),
    }
}

/// Where a part is damaged.
const PLACES: [&str; 4] = ["magic", "header", "body", "checksum"];

fn damage(place: &str, part: &mut [u8]) {
    let len = part.len();
    match place {
        "magic" => part[1] ^= 0x40,
        "header" => part[4..12].fill(0xff),
        "body" => part[len / 2..len / 2 + 16].fill(0x5a),
        _ => part[len - 3..].fill(0x77),
    }
}

/// Documents in three parts; of the last one is nearly, another exactly as one of the first.
fn documents() -> [Vec<(&'static str, String)>; 3] {
    [
        vec![("a0", prose("alpha", 60)), ("a1", prose("beta", 60)), ("a2", prose("gamma", 60))],
        vec![("b0", prose("delta", 60)), ("b1", prose("epsilon", 60))],
        vec![("c0", edited("alpha", 60, &[59])), ("c1", prose("beta", 60)), ("c2", prose("zeta", 60))],
    ]
}

/// Writes a file of three parts, the middle one damaged, reads it in several ways, and checks what all have in common: the
/// counts, one bad record before the last part with its place, and that the output is the same.
#[track_caller]
fn run_damaged(name: &str, how: &str, at: &str, texts: &[Vec<u8>; 3]) -> (Place, Run) {
    let place = Place::new();
    let mut parts = texts.each_ref().map(|text| part(how, text));
    let (start, next) = (parts[0].len(), parts[0].len() + parts[1].len());
    damage(at, &mut parts[1]);
    place.write(name, parts.concat());
    let run = place.dedup_to(&format!("{name} --threads 1"), "one");
    for (flags, other) in [("--threads 2", "two"), ("--threads 1 --memory 64MiB", "small")] {
        place.dedup_to(&format!("{name} {flags}"), other);
        assert_same_output(&place.path("one"), &place.path(other));
    }
    let what = format!("{how}, damage to the {at}");
    assert_eq!(run.count("read"), run.count("kept") + run.count("removed") + run.count("bad"), "{what}");
    let (bad, altered): (Vec<_>, Vec<_>) = run.bad().into_iter().partition(|bad| bad["kind"] == "corrupt");
    assert_eq!(bad.len(), 1, "{what}: {bad:?}");
    assert_eq!(bad[0]["source"], name, "{what}");
    // A block that unpacks to something else is told by the checksum behind it, and what came out may be no record.
    assert!(altered.is_empty() || (how, at) == ("zstd", "body"), "{what}: {altered:?}");
    let message = text_of(&bad[0]["message"]);
    assert!(message.contains(&format!(" at byte {start} is damaged: ")), "{what}: {message}");
    assert!(message.ends_with(&format!("may be altered, the next one is at byte {next}")), "{message}");
    let offset = bad[0]["offset"].as_u64().unwrap() as usize;
    assert!(offset >= texts[0].len() && offset <= texts[0].len() + texts[1].len(), "{what}: {offset}");
    (place, run)
}

/// Ids without those of the damaged part: what a decoder gave before it met the damage stays.
fn of_other_parts(ids: Vec<String>) -> Vec<String> {
    ids.into_iter().filter(|id| !id.starts_with('b')).collect()
}

#[test]
fn lines_behind_a_damaged_part_are_read_compared_and_kept() {
    let lines =
        documents().map(|part| part.iter().map(|(id, text)| line(id, text)).collect::<String>().into_bytes());
    for (how, ending) in WAYS {
        for at in PLACES {
            let name = format!("a.jsonl.{ending}");
            let (place, run) = run_damaged(&name, how, at, &lines);
            let kept = compressed::decompress(how, &run.kept(&name));
            let kept_ids = ids(&kept);
            assert_eq!(kept_ids.len() as u64, run.count("kept"), "{how} {at}");
            assert_eq!(of_other_parts(kept_ids), ["a0", "a1", "a2", "c2"], "{how} {at}");
            assert_eq!(run.removed_ids(), ["c0", "c1"], "{how} {at}");
            let whole = String::from_utf8(lines.concat()).unwrap();
            assert!(String::from_utf8(kept).unwrap().split_inclusive('\n').all(|line| whole.contains(line)));
            let marked = place.dedup_to(&format!("{name} --annotate"), "marked");
            let marked = ids(&compressed::decompress(how, &marked.kept(&name)));
            assert_eq!(of_other_parts(marked), ["a0", "a1", "a2", "c0", "c1", "c2"], "{how} {at}");
        }
    }
}

#[test]
fn rows_of_csv_behind_a_damaged_part_are_read() {
    let mut rows = documents().map(|part| {
        part.iter()
            .map(|(id, text)| format!("{id},\"{text}\nin two lines\"\r\n"))
            .collect::<String>()
            .into_bytes()
    });
    rows[0].splice(0..0, *b"id,text\r\n");
    for (how, ending) in WAYS {
        for at in PLACES {
            let name = format!("a.csv.{ending}");
            let (_place, run) = run_damaged(&name, how, at, &rows);
            let kept = String::from_utf8(compressed::decompress(how, &run.kept(&name))).unwrap();
            assert!(kept.starts_with("id,text\r\na0,"), "{how} {at}: {kept}");
            let ids =
                kept.split("\r\n").filter(|row| row.contains(",\"")).map(|row| row[..2].to_owned()).collect();
            assert_eq!(of_other_parts(ids), ["a0", "a1", "a2", "c2"], "{how} {at}");
            assert_eq!(run.removed_ids(), ["c0", "c1"], "{how} {at}");
        }
    }
}

#[test]
fn records_of_warc_behind_a_damaged_part_are_read() {
    let records = documents().map(|part| {
        let record =
            |(id, text): &(&str, String)| Record::conversion(id, &format!("http://x/{id}"), text).bytes();
        part.iter().flat_map(record).collect::<Vec<u8>>()
    });
    for (how, ending) in WAYS {
        for at in PLACES {
            let name = format!("a.wet.{ending}");
            let (_place, run) = run_damaged(&name, how, at, &records);
            let kept = archive::parse(&compressed::decompress(how, &run.kept(&name)));
            assert_eq!(of_other_parts(archive::ids(&kept)), ["a0", "a1", "a2", "c2"], "{how} {at}");
        }
    }
}

/// An ARC file of its own record and four pages.
fn archive_of_pages() -> Vec<Vec<u8>> {
    let pages = ["alpha", "beta", "gamma", "delta"].map(|topic| (topic, archive::html(&prose(topic, 60))));
    let urls = pages.each_ref().map(|(topic, page)| (format!("http://x/{topic}"), page.as_str()));
    archive::arc(&urls.each_ref().map(|(url, page)| (url.as_str(), *page)))
}

#[test]
fn the_record_of_arc_before_damage_is_kept_as_those_behind_it() {
    let records = archive_of_pages();
    let others = [&records[..3], &records[4..]].concat().concat();
    for (how, ending) in WAYS {
        for at in ["body", "checksum"] {
            let place = Place::new();
            let mut parts: Vec<Vec<u8>> = match how {
                // Members of more than a record are read as a stream.
                "gzip" => [&records[..3], &records[3..4], &records[4..]]
                    .map(|records| part(how, &records.concat()))
                    .to_vec(),
                _ => records.iter().map(|record| part(how, record)).collect(),
            };
            let damaged = if how == "gzip" { 1 } else { 3 };
            damage(at, &mut parts[damaged]);
            let name = format!("a.arc.{ending}");
            place.write(&name, parts.concat());
            let run = place.dedup(&name);
            let kept = compressed::decompress(how, &run.kept(&name));
            // With a wrong checksum alone, a record came out whole.
            let whole = kept == records.concat();
            assert!(kept == others || (at == "checksum" && whole), "{how} {at}");
            assert_eq!(run.bad_kinds(), ["corrupt"], "{how} {at}: {:?}", run.bad());
            let cut = parts[..damaged].concat().len() + parts[damaged].len() / 2;
            place.write(&name, &parts.concat()[..cut]);
            let run = place.dedup_to(&name, "cut");
            let kept = compressed::decompress(how, &run.kept(&name));
            assert!(kept == records[..3].concat(), "{how} {at}");
            assert_eq!(run.count("bad"), 1, "{how} {at}: {:?}", run.bad());
        }
    }
}

#[test]
fn a_header_of_arc_that_is_overwritten_costs_its_record_alone() {
    let records = archive_of_pages();
    for damaged in 1..5 {
        let place = Place::new();
        let mut holed = records.clone();
        holed[damaged][..20].fill(0);
        place.write("a.arc", holed.concat());
        let run = place.dedup("a.arc");
        run.counted(4, 3, 0, 1);
        let bad = run.bad();
        let offset = records[..damaged].concat().len();
        assert_eq!((&bad[0]["kind"], &bad[0]["offset"]), (&"header".into(), &offset.into()), "{bad:?}");
        holed.remove(damaged);
        assert!(run.kept("a.arc") == holed.concat(), "{damaged}");
    }
}

#[test]
fn a_record_across_parts_is_not_glued_over_a_gap() {
    let lines = documents().concat().iter().map(|(id, text)| line(id, text)).collect::<String>().into_bytes();
    for (how, ending) in WAYS {
        let place = Place::new();
        // Parts of a size, wherever lines end.
        let mut parts: Vec<Vec<u8>> =
            lines.chunks(lines.len() / 5 + 1).map(|bytes| part(how, bytes)).collect();
        damage("body", &mut parts[2]);
        let name = format!("a.jsonl.{ending}");
        place.write(&name, parts.concat());
        let run = place.dedup(&format!("{name} --method exact"));
        assert_eq!(
            run.bad_kinds(),
            ["corrupt", "json"],
            "{how}: the line that is cut, and its rest: {:?}",
            run.bad()
        );
        let kept = String::from_utf8(compressed::decompress(how, &run.kept(&name))).unwrap();
        let whole = String::from_utf8(lines.clone()).unwrap();
        assert!(kept.split_inclusive('\n').all(|line| whole.contains(line)), "{how}");
        assert_eq!(run.count("read"), kept.lines().count() as u64 + run.count("removed") + 2, "{how}");
        assert!(kept.lines().count() >= 4, "{how}");
    }
}

#[test]
fn a_page_in_damaged_parts_is_bad_and_no_two_pages() {
    for (how, ending) in WAYS {
        for damaged in 0..3 {
            let place = Place::new();
            let mut parts = ["alpha", "beta", "gamma"].map(|topic| part(how, prose(topic, 200).as_bytes()));
            damage("body", &mut parts[damaged]);
            let name = format!("a.txt.{ending}");
            place.write(&name, parts.concat());
            let run = place.dedup(&name);
            run.counted(1, 0, 0, 1);
            assert!(!run.folder.join("kept").join(&name).exists(), "{how} {damaged}");
        }
    }
}

#[test]
fn parts_that_are_all_damaged_but_one() {
    let lines = documents().map(|part| part.iter().map(|(id, text)| line(id, text)).collect::<String>());
    for (how, ending) in WAYS {
        let place = Place::new();
        let mut parts = lines.each_ref().map(|lines| part(how, lines.as_bytes()));
        damage("body", &mut parts[0]);
        damage("magic", &mut parts[1]);
        let name = format!("a.jsonl.{ending}");
        place.write(&name, parts.concat());
        let run = place.dedup(&name);
        let kept = ids(&compressed::decompress(how, &run.kept(&name)));
        // Of gzip, what came out before the damage is there; the others are decoded in blocks.
        if how == "gzip" {
            run.counted(5, 3, 1, 1);
            assert_eq!(kept, ["a0", "c1", "c2"]);
        } else {
            run.counted(4, 3, 0, 1);
            assert_eq!(kept, ["c0", "c1", "c2"], "{how}");
        }
    }
}

#[test]
fn a_file_of_a_byte_order_mark_is_no_document_and_no_panic() {
    let place = Place::new();
    place.write("a.jsonl", b"\xef\xbb\xbf");
    let run = place.dedup("a.jsonl");
    assert_eq!(run.count("read"), run.count("kept") + run.count("removed") + run.count("bad"));
}

/// Where a column of a row group is in a file.
fn column(bytes: &[u8], group: usize, column: usize) -> std::ops::Range<usize> {
    use parquet::file::reader::FileReader as _;
    let reader =
        parquet::file::serialized_reader::SerializedFileReader::new(bytes::Bytes::copy_from_slice(bytes));
    let (start, length) = reader.unwrap().metadata().row_group(group).column(column).byte_range();
    start as usize..(start + length) as usize
}

#[test]
fn a_damaged_row_group_costs_its_own_rows() {
    let documents = documents().concat();
    let ids: Vec<Option<&str>> = documents.iter().map(|(id, _)| Some(*id)).collect();
    let texts: Vec<Option<&str>> = documents.iter().map(|(_, text)| Some(text.as_str())).collect();
    // Groups of a0 a1, a2 b0, b1 c0, c1 c2.
    let bytes = table::table_of(&[("id", ids), ("text", texts)], true);
    for damaged in 0..4 {
        let place = Place::new();
        let mut holed = bytes.clone();
        let text = column(&bytes, damaged, 1);
        holed[text.start + 20..text.end - 4].fill(0xaa);
        place.write("a.parquet", &holed);
        let run = place.dedup_to("a.parquet --threads 1", "one");
        for (flags, other) in [("--threads 2", "two"), ("--threads 1 --memory 64MiB", "small")] {
            place.dedup_to(&format!("a.parquet {flags}"), other);
            assert_same_output(&place.path("one"), &place.path(other));
        }
        let bad = run.bad();
        assert_eq!((run.count("read"), bad.len()), (8, 2), "{bad:?}");
        for (number, line) in bad.iter().enumerate() {
            assert_eq!((&line["kind"], &line["offset"]), (&"parquet".into(), &(damaged * 2 + number).into()));
            assert!(text_of(&line["message"]).starts_with(&format!("row group {damaged}: ")), "{line}");
        }
        let lost = damaged * 2..damaged * 2 + 2;
        let removed = run.removed_ids();
        let expected: Vec<&str> = (0..8)
            .filter(|row| !lost.contains(row) && !removed.iter().any(|id| id == documents[*row].0))
            .map(|row| documents[row].0)
            .collect();
        let kept: Vec<String> =
            table::rows(&run.kept("a.parquet")).iter().map(|row| text_of(&row["id"])).collect();
        assert_eq!(kept, expected, "group {damaged}");
        assert_eq!(removed.len(), [0, 2, 1, 1][damaged], "{removed:?}");
        run.counted(8, 6 - removed.len() as u64, removed.len() as u64, 2);
    }
}

#[test]
fn damage_beside_what_is_compared_costs_the_rows_of_its_group_too() {
    let documents = documents().concat();
    let of = |part: fn(&(&'static str, String)) -> String| documents.iter().map(part).collect::<Vec<_>>();
    let columns = [
        ("id", of(|d| d.0.into())),
        ("text", of(|d| d.1.clone())),
        ("more", of(|d| format!("more of {}", d.0))),
    ];
    let columns: Vec<(&str, Vec<Option<&str>>)> = columns
        .iter()
        .map(|(name, values)| (*name, values.iter().map(|v| Some(v.as_str())).collect()))
        .collect();
    let bytes = table::table_of(&columns, true);
    let mut holed = bytes.clone();
    for group in [0, 3] {
        let more = column(&bytes, group, 2);
        holed[more.start..more.end].fill(0xff);
    }
    for flags in ["", "--annotate"] {
        let place = Place::new();
        place.write("a.parquet", &holed);
        place.write("b.jsonl", common::line("other", "a text of another file, which stays as it is"));
        let run = place.dedup(&format!("a.parquet b.jsonl --threads 2 {flags}"));
        let lost: Vec<u64> = run.bad().iter().map(|line| line["offset"].as_u64().unwrap()).collect();
        assert_eq!(lost, [0, 1, 6, 7]);
        assert!(run.bad().iter().all(|line| text_of(&line["message"]).starts_with("row group ")));
        assert_eq!(run.count("read"), 9);
        assert_eq!(run.count("read"), run.count("kept") + run.count("removed") + run.count("bad"));
        let kept = table::rows(&run.kept("a.parquet"));
        let written = if flags.is_empty() { run.count("kept") - 1 } else { 4 };
        assert_eq!(kept.len() as u64, written);
        for row in &kept {
            assert_eq!(text_of(&row["more"]), format!("more of {}", text_of(&row["id"])));
        }
    }
}

#[test]
fn every_row_without_a_text_is_bad() {
    use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    use std::sync::Arc;
    let place = Place::new();
    place.write("none.parquet", table::table_of(&[("other", vec![Some("x"); 5])], true));
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_from_iter([("text", numbers)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    place.write("numbers.parquet", bytes);
    let run = place.dedup("none.parquet numbers.parquet");
    run.counted(8, 0, 0, 8);
    assert_eq!(run.bad_kinds(), [["missing-field"; 5].as_slice(), &["field-type"; 3]].concat());
    let rows: Vec<u64> = run.bad().iter().map(|line| line["offset"].as_u64().unwrap()).collect();
    assert_eq!(rows, [0, 1, 2, 3, 4, 0, 1, 2]);
    for name in ["none.parquet", "numbers.parquet"] {
        assert_eq!(table::height(&run.kept(name)), 0, "{name}");
    }
}

#[test]
fn what_comes_before_damage_in_one_stream_is_read() {
    let lines: Vec<String> =
        (0..3000).map(|n| line(&format!("d{n}"), &prose(&format!("t{n}x"), 40))).collect();
    let text = lines.concat();
    for (how, ending) in WAYS {
        let place = Place::new();
        let mut bytes = part(how, text.as_bytes());
        let at = bytes.len() * 2 / 3;
        bytes[at..at + 64].fill(0xa5);
        // What the field's own reader gives before it stumbles, less the line it stumbles in, and what a decoder that is one
        // block behind may still hold.
        let mut sound = Vec::new();
        let told = match how {
            "zstd" => zstd::stream::read::Decoder::new(bytes.as_slice()).unwrap().read_to_end(&mut sound),
            "lz4" => lz4_flex::frame::FrameDecoder::new(bytes.as_slice()).read_to_end(&mut sound),
            _ => flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut sound),
        };
        assert!(told.is_err(), "{how}");
        let known = text.bytes().zip(&sound).take_while(|(a, b)| a == *b).count();
        let whole = text.as_bytes()[..known].iter().filter(|&&byte| byte == b'\n').count();
        place.write(format!("a.jsonl.{ending}"), bytes);
        let run = place.dedup(&format!("a.jsonl.{ending}"));
        assert!(whole > 100, "{how}: {whole}");
        assert!(run.count("kept") >= whole as u64, "{how}: {} kept, {whole} sound", run.count("kept"));
    }
}
