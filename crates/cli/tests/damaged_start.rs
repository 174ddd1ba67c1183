//! Damage to the beginning of a file costs what stands there: what the rest is, is told by its name and by the rest.
#![allow(clippy::unwrap_used, reason = "a test fails by it")]

mod common;

use common::archive::Record;
use common::{Place, compressed, four_documents, ids, line, prose, text_of};

type Compress = fn(&[u8]) -> Vec<u8>;

const WAYS: [(Compress, &str); 3] =
    [(compressed::gzip, "gz"), (compressed::zstd, "zst"), (compressed::lz4, "lz4")];

fn lines() -> Vec<String> {
    ["a", "b", "c", "b"]
        .iter()
        .enumerate()
        .map(|(n, topic)| line(&n.to_string(), &prose(topic, 60)))
        .collect()
}

fn records() -> Vec<Vec<u8>> {
    let record = |(n, topic): (usize, &&str)| {
        Record::conversion(&n.to_string(), &format!("http://x/{n}"), &prose(topic, 60)).bytes()
    };
    ["a", "b", "c", "b"].iter().enumerate().map(record).collect()
}

#[test]
fn a_file_that_is_bad_as_a_whole_is_among_the_inputs() {
    let place = Place::new();
    let good = four_documents();
    let mut bytes = compressed::gzip(good.as_bytes());
    bytes.truncate(5);
    place.write("in/a.jsonl.gz", &bytes);
    place.write("in/b.jsonl", &good);
    let run = place.dedup("in");
    let inputs = run.manifest()["inputs"].clone();
    let first = &inputs[0];
    assert_eq!((&first["source"], &first["size"]), (&"in/a.jsonl.gz".into(), &bytes.len().into()));
    assert_eq!((&first["read"], &first["bad"]), (&1.into(), &1.into()));
    assert!(first["output"].is_null() && first["format"].is_null());
    let digest = text_of(&first["xxh3_128"]);
    assert!(place.run("digest -a xxh3-128 in/a.jsonl.gz").ok().text().starts_with(&digest), "{digest}");
    assert_eq!(run.bad()[0]["length"], bytes.len());
    // What the inputs hold is what the run holds, and it is found again.
    let sum = |name: &str| {
        inputs.as_array().unwrap().iter().map(|input| input[name].as_u64().unwrap()).sum::<u64>()
    };
    for name in ["read", "kept", "removed", "bad"] {
        assert_eq!(sum(name), run.count(name), "{name}");
    }
    place.run("dedup in --output out --resume").ok();
    place.run(&format!("explain out {}", run.kept_ids("b.jsonl")[0])).ok();
}

#[test]
fn parts_behind_a_first_one_without_its_magic_number_are_read() {
    for (compress, ending) in WAYS {
        let of = |texts: &[Vec<u8>]| -> Vec<Vec<u8>> { texts.iter().map(|text| compress(text)).collect() };
        let texts: Vec<Vec<u8>> = lines().into_iter().map(String::into_bytes).collect();
        for (format, mut parts) in [("jsonl", of(&texts)), ("wet", of(&records()))] {
            let place = Place::new();
            let name = format!("a.{format}.{ending}");
            parts[0][1] ^= 1;
            place.write(&name, parts.concat());
            let run = place.dedup(&name);
            run.counted(4, 2, 1, 1);
            assert_eq!(run.bad()[0]["kind"], "corrupt", "{name}");
            // So it is with what does not belong there at all.
            parts[0] = vec![0; 5000];
            place.write(&name, parts.concat());
            let run = place.dedup_to(&name, "zeros");
            assert_eq!((run.count("kept"), run.count("removed")), (2, 1), "{name}");
        }
    }
}

#[test]
fn records_behind_a_long_first_one_that_is_cut_are_read() {
    let place = Place::new();
    let long = Record::conversion("long", "http://x/long", &prose("long", 30_000)).bytes();
    let file = [long, records().concat()].concat();
    place.write("piece.warc", &file[1000..]);
    let run = place.dedup("piece.warc");
    run.counted(5, 3, 1, 1);
    assert_eq!(run.manifest()["inputs"][0]["format"], "warc");
    place.write("piece.warc.gz", compressed::gzip(&file[1000..]));
    place.dedup_to("piece.warc.gz", "packed").counted(5, 3, 1, 1);
}

#[test]
fn lines_behind_many_zeros_are_read() {
    let place = Place::new();
    let zeros = "\0".repeat(100_000);
    place.write("a.jsonl", format!("{zeros}\n{}", lines().concat()));
    let run = place.dedup("a.jsonl");
    run.counted(5, 3, 1, 1);
    assert_eq!(ids(&run.kept("a.jsonl")), ["0", "1", "2"]);
}

#[test]
fn a_table_is_one_though_there_are_zeros_in_it() {
    let place = Place::new();
    let row = |n: usize| format!("{n},{}\n", prose(&format!("topic{n}"), 8));
    let mut table = String::from("id,text\n");
    (0..200).for_each(|n| table.push_str(&row(n)));
    let mut bytes = table.into_bytes();
    bytes[3000..3512].fill(0);
    place.write("a.csv", &bytes);
    let run = place.dedup("a.csv");
    assert_eq!(run.manifest()["inputs"][0]["format"], "csv");
    assert!(run.count("kept") > 185, "{}", run.count("kept"));
    assert!(run.bad_kinds().iter().all(|kind| kind == "nul" || kind == "csv"), "{:?}", run.bad_kinds());
}
