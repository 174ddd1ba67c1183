//! Every method and choice of matching, by what it promises.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::{Place, edited, line, prose, words};
use onefold_detect::measure::overlap;
use onefold_detect::text::{Normaliser, ShingleSet, Shingling};
use std::collections::{BTreeMap, BTreeSet};

type PairsFound = BTreeMap<(String, String), f64>;

/// Pairs of a listing, with their similarity.
fn pairs(text: &str) -> PairsFound {
    let rows = text.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    rows.map(|cells| {
        let (a, b) = (cells[0].min(cells[1]), cells[0].max(cells[1]));
        ((a.to_owned(), b.to_owned()), cells[2].parse().unwrap())
    })
    .collect()
}

/// Texts that share more and less with each other: runs of words from a few pools, with edits.
fn family(count: usize) -> Vec<(String, String)> {
    let mut state = 12345u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let pools: Vec<Vec<String>> = (0..12).map(|i| words(&format!("p{i}x"), 160)).collect();
    (0..count)
        .map(|i| {
            let mut text = pools[random(12)][..20 + random(140)].to_vec();
            for _ in 0..random(6) {
                let at = random(text.len());
                text[at] = format!("edit{}", random(1000));
            }
            if random(4) == 0 {
                let at = random(text.len());
                text.truncate(at + 1);
            }
            if random(5) == 0 {
                text.extend(pools[random(12)][..random(40)].iter().cloned());
            }
            (format!("d{i:03}"), text.join(" "))
        })
        .collect()
}

fn write(place: &Place, documents: &[(String, String)]) {
    place.write("a.jsonl", documents.iter().map(|(id, text)| line(id, text)).collect::<String>());
}

/// Every pair with its overlap, one by one.
fn brute_force(documents: &[(String, String)]) -> Vec<((String, String), onefold_detect::measure::Overlap)> {
    let sets: Vec<ShingleSet> = documents
        .iter()
        .map(|(_, text)| {
            let mut read = Normaliser::default();
            read.read(text);
            ShingleSet::of(&read, Shingling::default(), &mut Vec::new())
        })
        .collect();
    let mut all = Vec::new();
    for i in 0..sets.len() {
        for j in i + 1..sets.len() {
            let ids = (documents[i].0.clone(), documents[j].0.clone());
            all.push((ids, overlap(sets[i].hashes(), sets[j].hashes())));
        }
    }
    all
}

#[test]
fn join_finds_every_pair_and_no_other() {
    let place = Place::new();
    let documents = family(250);
    write(&place, &documents);
    let all = brute_force(&documents);
    for threshold in ["0.3", "0.5", "0.8", "0.95", "1"] {
        let least: f64 = threshold.parse().unwrap();
        let expected: PairsFound = all
            .iter()
            .filter(|(_, overlap)| overlap.reaches(least))
            .map(|(ids, overlap)| (ids.clone(), overlap.resemblance()))
            .collect();
        assert!(least > 0.8 || expected.len() > 20, "{threshold}: {}", expected.len());
        let ran = place.run(&format!("pairs a.jsonl --method join --threshold {threshold} --expand")).ok();
        assert_eq!(pairs(ran.text()), expected, "{threshold}");
        let narrow = "--threads 1 --memory 64MiB";
        let again =
            place.run(&format!("pairs a.jsonl --method join --threshold {threshold} --expand {narrow}")).ok();
        assert_eq!(again.text(), ran.text());
    }
}

#[test]
fn join_and_minhash_agree_on_who_is_removed() {
    let place = Place::new();
    write(&place, &family(250));
    let by_join = place.dedup_to("a.jsonl --method join --threshold 0.7", "join");
    let by_minhash = place.dedup_to("a.jsonl --threshold 0.7 --recall 0.9999", "minhash");
    assert!(by_join.removed_ids().len() > 20);
    assert_eq!(by_join.removed(), by_minhash.removed());
}

fn fingerprints(text: &str) -> Vec<(String, u128)> {
    let rows = text.lines().skip(1).map(|row| row.split('\t').collect::<Vec<_>>());
    rows.map(|cells| (cells[0].to_owned(), u128::from_str_radix(cells[2], 16).unwrap())).collect()
}

#[test]
fn simhash_misses_nothing_within_its_distance() {
    let place = Place::new();
    write(&place, &family(250));
    for (bits, digits) in [(32, 8), (64, 16), (128, 32)] {
        let sketches = format!("--bits {bits} --features word:1");
        let listed = place.run(&format!("fingerprints a.jsonl {sketches}")).ok();
        assert_eq!(listed.text().lines().next(), Some("id\tdigest\tfingerprint\ttokens"));
        let row: Vec<&str> = listed.text().lines().nth(1).unwrap().split('\t').collect();
        assert_eq!((row[1].len(), row[2].len()), (32, digits));
        let found = fingerprints(listed.text());
        for k in [0, 1, 3, 5, 7] {
            let mut expected = BTreeSet::new();
            for (i, (a, x)) in found.iter().enumerate() {
                for (b, y) in &found[i + 1..] {
                    if (x ^ y).count_ones() <= k {
                        expected.insert((a.clone(), b.clone()));
                    }
                }
            }
            let arguments =
                format!("pairs a.jsonl --method simhash --hamming {k} --verify none --expand {sketches}");
            let ran = place.run(&arguments).ok();
            let ours: BTreeSet<_> = pairs(ran.text()).into_keys().collect();
            assert_eq!(ours, expected, "{bits} bits within {k}");
            assert!(k < 7 || expected.len() > 5, "{}", expected.len());
        }
    }
    // Verified, only pairs at the threshold are left.
    let ran = place.run("pairs a.jsonl --method simhash --hamming 7 --features word:1").ok();
    assert!(pairs(ran.text()).values().all(|similarity| *similarity >= 0.8));
}

#[test]
fn rotations_find_some_of_what_tables_find_and_more_find_more() {
    let place = Place::new();
    write(&place, &family(250));
    let found = |candidates: &str| -> BTreeSet<_> {
        let arguments = format!(
            "pairs a.jsonl --method simhash --hamming 3 --features word:1 --verify none --candidates {candidates}"
        );
        pairs(place.run(&arguments).ok().text()).into_keys().collect()
    };
    let (tables, one, many) = (found("tables"), found("rotate:1"), found("rotate:64"));
    assert!(one.is_subset(&tables) && many.is_subset(&tables));
    assert!(one.len() < many.len() && !one.is_empty(), "{} {}", one.len(), many.len());
}

#[test]
fn weights_change_the_fingerprint() {
    let place = Place::new();
    // A word that three of four documents have, eight times in the first.
    let with = |topic: &str, times: usize| format!("{}{}", prose(topic, 30), " often".repeat(times));
    write(
        &place,
        &[
            ("a".into(), with("alpha", 8)),
            ("b".into(), prose("beta", 31)),
            ("c".into(), with("gamma", 1)),
            ("d".into(), with("delta", 1)),
        ],
    );
    let of = |weight: &str| {
        fingerprints(
            place.run(&format!("fingerprints a.jsonl --weight {weight} --features word:1")).ok().text(),
        )
    };
    let (tf, binary, tfidf) = (of("tf"), of("binary"), of("tfidf"));
    // By its eight occurrences it outweighs the others; counted once, or for as common as it is, it does not.
    assert!(tf[0] != binary[0] && tf[0] != tfidf[0]);
    // Where every word occurs once and in one document, all weights are alike.
    assert!(tf[1] == binary[1] && tf[1] == tfidf[1]);
}

#[test]
fn combined_asks_for_both() {
    let place = Place::new();
    write(&place, &family(250));
    let listed = |arguments: &str| pairs(place.run(&format!("pairs a.jsonl {arguments}")).ok().text());
    let minhash = listed("");
    let strict = listed("--method combined --hamming 0 --features word:1");
    let loose = listed("--method combined --hamming 63 --features word:1");
    assert_eq!(loose, minhash);
    assert!(strict.len() < minhash.len());
    assert!(strict.keys().all(|ids| minhash.contains_key(ids)));
}

#[test]
fn an_excerpt_goes_with_its_whole_wherever_it_stands() {
    let place = Place::new();
    let whole = words("alpha", 300);
    let documents = [
        ("excerpt".to_owned(), whole[50..110].join(" ")),
        // Near the excerpt, and within the whole too.
        ("near-excerpt".to_owned(), whole[51..111].join(" ")),
        ("whole".to_owned(), whole.join(" ")),
        ("later".to_owned(), whole[200..260].join(" ")),
        // Half of it stands in the whole.
        ("half".to_owned(), format!("{} {}", whole[..40].join(" "), prose("other", 40))),
    ];
    write(&place, &documents);
    place.dedup_to("a.jsonl", "plain").counted(5, 4, 1, 0);
    let run = place.dedup_to("a.jsonl --containment 0.9", "out");
    assert_eq!(run.removed_ids(), ["excerpt", "near-excerpt", "later"]);
    assert!(run.removed().iter().all(|line| line["keeper"]["id"] == "whole"), "{:?}", run.removed());
    assert!(run.removed().iter().all(|line| line["kind"] == "contained" && line["containment"] == 1.0));
    assert_eq!(run.count("removed_contained"), 3);
    let run = place.dedup_to("a.jsonl --containment 0.45", "loose");
    assert_eq!(run.removed_ids(), ["excerpt", "near-excerpt", "later", "half"]);
    for method in ["minhash", "simhash", "combined", "join"] {
        let again = place.dedup_to(&format!("a.jsonl --containment 0.9 --method {method}"), method);
        assert_eq!(again.removed_ids(), ["excerpt", "near-excerpt", "later"], "{method}");
    }
}

#[test]
fn a_document_that_is_set_free_takes_in_what_lies_within_it() {
    let place = Place::new();
    let words = |name: &str, range: std::ops::Range<usize>| -> Vec<String> {
        range.map(|number| format!("{name}{number}")).collect()
    };
    let (y, others) = (words("y", 0..100), words("z", 0..6));
    // "y" goes into "large", and "z", which had joined "y" and is not within "large", stays after all: then "x" lies
    // within it.
    let documents = [
        ("x".to_owned(), [&y[80..94], &others[..]].concat().join(" ")),
        ("y".to_owned(), y.join(" ")),
        ("z".to_owned(), [&y[6..], &others[..]].concat().join(" ")),
        ("large".to_owned(), [&y[..80], &words("p", 0..100)[..]].concat().join(" ")),
    ];
    write(&place, &documents);
    let run = place.dedup("a.jsonl --containment 0.8 --shingle word:1 --method join");
    assert_eq!(run.removed_ids(), ["x", "y"]);
    assert_eq!(run.removed()[0]["keeper"]["id"], "z");
    let listed = place.run("pairs a.jsonl --containment 0.8 --shingle word:1 --format jsonl").ok().json();
    let of = |a: &str, b: &str| {
        let found = listed.iter().find(|pair| pair["id_a"] == a && pair["id_b"] == b).unwrap();
        (found["containment_a"].clone(), found["containment_b"].clone())
    };
    assert_eq!(of("x", "z"), (1.0.into(), 0.2.into()));
    assert_eq!(of("y", "large"), (0.8.into(), (80.0 / 180.0).into()));
}

#[test]
fn containment_finds_every_pair_that_one_by_one_finds() {
    let place = Place::new();
    let documents = family(250);
    write(&place, &documents);
    for least in [0.6, 0.9] {
        let within = |overlap: &onefold_detect::measure::Overlap| {
            f64::from(overlap.shared) / f64::from(overlap.first.min(overlap.second)) >= least
        };
        let expected: BTreeSet<_> = brute_force(&documents)
            .into_iter()
            .filter(|(_, overlap)| overlap.reaches(0.8) || within(overlap))
            .map(|(ids, _)| ids)
            .collect();
        let ran = place.run(&format!("pairs a.jsonl --method join --containment {least} --expand")).ok();
        let ours: BTreeSet<_> = pairs(ran.text()).into_keys().collect();
        assert_eq!(ours, expected);
    }
}

#[test]
fn every_removed_document_is_alike_to_the_one_that_was_kept() {
    let place = Place::new();
    let documents = family(250);
    write(&place, &documents);
    let texts: BTreeMap<&str, &str> =
        documents.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
    let set = |id: &str| {
        let mut read = Normaliser::default();
        read.read(texts[id]);
        ShingleSet::of(&read, Shingling::default(), &mut Vec::new())
    };
    for (flags, contained) in [
        ("", f64::INFINITY),
        ("--method simhash --hamming 7", f64::INFINITY),
        ("--method combined", f64::INFINITY),
        ("--method join --containment 0.7", 0.7),
    ] {
        let run = place.dedup(&format!("a.jsonl --force {flags}"));
        let removed: BTreeSet<String> = run.removed_ids().into_iter().collect();
        assert!(removed.len() > 10, "{flags}: {}", removed.len());
        for line in run.removed() {
            let (id, keeper) = (line["id"].as_str().unwrap(), line["keeper"]["id"].as_str().unwrap());
            assert!(!removed.contains(keeper), "{flags}: {keeper} was kept for {id} and is gone");
            let found = overlap(set(id).hashes(), set(keeper).hashes());
            let is_alike = found.reaches(0.8) || found.containment() >= contained;
            assert!(is_alike, "{flags}: {id} {keeper} {found:?}");
        }
    }
}

#[test]
fn verification_by_sketch_by_edit_distance_and_by_nothing() {
    let place = Place::new();
    let near = edited("alpha", 200, &[7, 90, 150]);
    write(
        &place,
        &[("a".into(), prose("alpha", 200)), ("b".into(), near), ("c".into(), prose("other", 200))],
    );
    let similarity = |arguments: &str| {
        let found = pairs(place.run(&format!("pairs a.jsonl --threshold 0.5 {arguments}")).ok().text());
        found.get(&("a".to_owned(), "b".to_owned())).copied()
    };
    // 181 of 211 shingles are shared.
    let resemblance = 181.0 / 211.0;
    assert!((similarity("").unwrap() - resemblance).abs() < 1e-9);
    let estimate = similarity("--verify none --signature 512").unwrap();
    assert!((estimate - resemblance).abs() < 4.0 * (resemblance * (1.0 - resemblance) / 512.0_f64).sqrt());
    let sketch = "--signature 100 --sketch classic --verify sketch";
    assert!(similarity(&format!("{sketch}:70/100")).is_some());
    assert!(similarity(&format!("{sketch}:99/100")).is_none());
    // Of about a thousand characters some twenty change.
    assert!(similarity("--verify edit:0.95").is_some_and(|similarity| similarity < 1.0));
    assert!(similarity("--verify edit:0.999").is_none());
    let run = place.dedup("a.jsonl --threshold 0.5 --verify edit:0.9");
    assert_eq!(run.removed()[0]["containment"], serde_json::Value::Null);
}

#[test]
fn sketches_of_any_kind_and_width_find_the_same() {
    let place = Place::new();
    write(&place, &family(250));
    let listed = |arguments: &str| place.run(&format!("pairs a.jsonl --recall 0.9999 {arguments}")).ok();
    let usual = listed("");
    assert!(pairs(usual.text()).len() > 20);
    for other in [
        "--sketch classic",
        "--signature-bits 8",
        "--signature-bits 16",
        "--signature-bits 32",
        "--signature 512",
    ] {
        assert_eq!(pairs(listed(other).text()), pairs(usual.text()), "{other}");
    }
    // What they estimate is their own.
    let estimated = |arguments: &str| pairs(listed(&format!("--verify none {arguments}")).text());
    let usual = estimated("");
    assert_eq!(estimated("--signature-bits 8"), usual, "the default");
    let others =
        ["--sketch classic", "--signature-bits 16", "--signature-bits 32", "--signature 512"].map(estimated);
    for (number, other) in others.iter().enumerate() {
        assert_ne!(*other, usual, "{number}");
        assert!(others[..number].iter().all(|before| before != other), "{number}");
    }
}

#[test]
fn a_sample_of_shingles_estimates_the_whole() {
    let place = Place::new();
    let edits: Vec<usize> = (0..4000).step_by(100).collect();
    write(&place, &[("a".into(), prose("alpha", 4000)), ("b".into(), edited("alpha", 4000, &edits))]);
    let of = |sample: &str| {
        *pairs(place.run(&format!("pairs a.jsonl {sample}")).ok().text()).values().next().unwrap()
    };
    let (whole, sampled) = (of(""), of("--sample mod:8"));
    assert_ne!(whole, sampled);
    assert!((whole - sampled).abs() < 0.07, "{whole} {sampled}");
    // What is explained is what the run has seen, and the rule says so.
    let removed = &place.dedup("a.jsonl --sample mod:8 --threshold 0.5").removed()[0];
    let said = &place.run("explain out b --json").ok().json()[0];
    assert_eq!(said["measured"]["shared"], removed["shared_shingles"]);
    assert_eq!(said["measured"]["document"], removed["shingles"]);
    assert!(said["measured"]["document"].as_u64().unwrap() < 1000, "{said}");
    assert!(said["rule"].as_str().unwrap().contains("a sample mod:8"), "{said}");
}

#[test]
fn documents_are_compared_within_their_group() {
    let place = Place::new();
    let text = prose("alpha", 80);
    let near = edited("alpha", 80, &[79]);
    let record = |id: &str, url: &str, language: &str, text: &str| {
        serde_json::json!({"id": id, "url": url, "language": language, "text": text}).to_string() + "\n"
    };
    let lines = [
        record("a", "https://www.example.co.uk/1", "en", &text),
        record("b", "http://shop.example.co.uk/2", "de", &text),
        record("c", "https://other.co.uk/3", "en", &text),
        record("d", "https://example.co.uk/4", "en", &near),
        record("e", "https://other.co.uk/5", "fr", &near),
    ];
    place.write("a.jsonl", lines.concat());
    let removed = |arguments: &str| place.dedup(&format!("a.jsonl --force {arguments}")).removed_ids();
    assert_eq!(removed(""), ["b", "c", "d", "e"]);
    for method in [
        "minhash",
        "simhash --hamming 7",
        "simhash --hamming 7 --candidates rotate:64",
        "combined --hamming 63",
        "join",
    ] {
        assert_eq!(removed(&format!("--within site --method {method}")), ["b", "d", "e"], "{method}");
        assert_eq!(removed(&format!("--within language --method {method}")), ["c", "d"], "{method}");
    }
    assert_eq!(removed("--within language --method exact"), ["c"]);
    // A mistyped field would compare everything with everything.
    place.run("pairs a.jsonl --within lnaguage").fails(2, &["--within lnaguage: no document has a field"]);
}

#[test]
fn differences_count_more_in_long_texts() {
    let place = Place::new();
    // Both pairs have a resemblance of 0.8 and more; 10 and 80 shingles of three words differ.
    let documents = [
        ("a".to_owned(), prose("alpha", 60)),
        ("b".to_owned(), edited("alpha", 60, &[20])),
        ("c".to_owned(), prose("beta", 600)),
        ("d".to_owned(), edited("beta", 600, &[20, 60, 100, 140, 180, 220, 260, 300, 340, 380, 420, 460])),
    ];
    write(&place, &documents);
    let listed = |flags: &str| -> Vec<_> {
        pairs(place.run(&format!("pairs a.jsonl --shingle word:3 {flags}")).ok().text()).into_iter().collect()
    };
    let plain = listed("--threshold 0.8");
    assert_eq!(plain.len(), 2);
    for method in ["minhash", "join"] {
        let less = listed(&format!("--threshold 0.75 --verify less-differences --method {method}"));
        assert_eq!(less.len(), 1, "{method}");
        assert_eq!(less[0].0, ("a".to_owned(), "b".to_owned()));
        // 55 of 61 shared, and 6 that differ.
        let (shared, all, differ) = (55.0, 61.0, 6.0f64);
        assert_eq!(less[0].1, shared / all - 0.1 * (1.0 + differ).log10(), "{method}");
    }
}

#[test]
fn shingling_choices_decide() {
    let place = Place::new();
    let base = prose("alpha", 60);
    let changed = |how: &dyn Fn(&str) -> String| how(&base);
    let cases: [(&str, String); 5] = [
        ("--case keep", changed(&|text| text.to_uppercase())),
        ("--punctuation keep", changed(&|text| text.replace(' ', ", "))),
        ("--space keep", changed(&|text| text.replace(' ', "\n"))),
        ("--form none", changed(&|text| text.replace("alpha", "ａｌｐｈａ"))),
        ("--bag", format!("{base} {base} {base}")),
    ];
    for (flag, text) in cases {
        write(&place, &[("a".into(), base.clone()), ("b".into(), text)]);
        assert_eq!(place.dedup("a.jsonl --force").removed_ids(), ["b"], "{flag}");
        assert_eq!(place.dedup(&format!("a.jsonl --force {flag}")).removed_ids().len(), 0, "{flag}");
    }
    let dated = |day: u32| words("alpha", 60).iter().map(|word| format!("{word} {day} ")).collect::<String>();
    write(&place, &[("a".into(), dated(7)), ("b".into(), dated(9))]);
    assert_eq!(place.dedup("a.jsonl --force").removed_ids().len(), 0);
    assert_eq!(place.dedup("a.jsonl --force --digits fold").removed_ids(), ["b"]);
    let filled =
        |filler: &str| words("alpha", 60).iter().map(|word| format!("{word} {filler} ")).collect::<String>();
    write(&place, &[("a".into(), filled("the")), ("b".into(), filled("and"))]);
    assert_eq!(place.dedup("a.jsonl --force").removed_ids().len(), 0);
    assert_eq!(place.dedup("a.jsonl --force --stop-words en").removed_ids(), ["b"]);
}

#[test]
fn any_digest_tells_equal_texts() {
    let place = Place::new();
    place.write("a.jsonl", common::four_documents());
    let expected = place.dedup("a.jsonl --method exact").removed_ids();
    assert!(!expected.is_empty());
    for digest in ["xxh3-128", "blake3", "sha256", "sha1", "md5"] {
        let run = place.dedup(&format!("a.jsonl --force --method exact --digest {digest}"));
        assert_eq!(run.removed_ids(), expected, "{digest}");
        assert_eq!(run.manifest()["plan"]["digest"], digest);
    }
    place.run("dedup a.jsonl --output x --digest crc32").fails(2, &["crc32"]);
}

#[test]
fn related_ranks_below_the_threshold_too() {
    let place = Place::new();
    let alpha = words("alpha", 100);
    let documents = [
        ("one".to_owned(), alpha.join(" ")),
        ("some".to_owned(), format!("{} {}", alpha[..40].join(" "), prose("other", 60))),
        ("most".to_owned(), format!("{} {}", alpha[..80].join(" "), prose("third", 20))),
        ("none".to_owned(), prose("fourth", 100)),
    ];
    write(&place, &documents);
    let ran = place.run("related one --in a.jsonl").ok();
    let ids: Vec<&str> = ran.text().lines().skip(1).map(|row| row.split('\t').next().unwrap()).collect();
    assert_eq!(ids, ["most", "some"]);
    assert_eq!(place.run("related one --in a.jsonl --top 1 --json").ok().json()[0]["id"], "most");
    place.run("related nobody --in a.jsonl").fails(2, &["nobody"]);
}

#[test]
fn methods_are_evaluated_against_a_truth_or_the_join() {
    let place = Place::new();
    let documents = family(250);
    write(&place, &documents);
    let oracle = &place.run("evaluate a.jsonl --oracle --methods exact,minhash,join --json").ok().json()[0];
    let expected = brute_force(&documents).iter().filter(|(_, overlap)| overlap.reaches(0.8)).count();
    assert_eq!(oracle["truth_pairs"], expected);
    let methods = oracle["methods"].as_array().unwrap();
    assert_eq!(methods[2]["recall"], 1.0);
    assert_eq!(methods[2]["precision"], 1.0);
    assert!(methods[0]["recall"].as_f64().unwrap() < 0.5);
    // Labelled pairs: what is judged, and the measure that tells best.
    let mut truth = "id1\tid2\tlabel\n".to_owned();
    for ((a, b), overlap) in brute_force(&documents).iter().take(3000) {
        truth += &format!("{a}\t{b}\t{}\n", u8::from(overlap.resemblance() >= 0.4));
    }
    place.write("truth.tsv", truth);
    let labelled =
        &place.run("evaluate a.jsonl --truth truth.tsv --threshold 0.4 --methods join --json").ok().json()[0];
    assert_eq!(labelled["methods"][0]["f1"], 1.0);
    assert_eq!(labelled["measures"][0]["auc"], 1.0);
    let sampled = place.run("evaluate a.jsonl --oracle --sample-documents 2 --methods join").ok();
    assert!(sampled.text().contains("recall"), "{}", sampled.text());
    place.write("bad.tsv", "id1\tid2\tlabel\nd000\td001\tmaybe\n");
    place.run("evaluate a.jsonl --truth bad.tsv").fails(2, &["bad.tsv:2", "maybe"]);
    place.run("evaluate a.jsonl").fails(2, &["--truth", "--oracle"]);
    place.write("other.tsv", "x\ty\n");
    place.run("evaluate a.jsonl --truth other.tsv").fails(2, &["no document of the input has this"]);
    place.write("some.tsv", "d000\ty\nd000\td001\n");
    let some = place.run("evaluate a.jsonl --truth some.tsv --methods exact").ok();
    assert!(
        some.stderr.contains("1 of 3 ids of the truth are not in the input, such as y"),
        "{}",
        some.stderr
    );
}

#[test]
fn a_histogram_counts_by_score_and_by_band() {
    let place = Place::new();
    write(&place, &family(250));
    let listed = pairs(place.run("pairs a.jsonl").ok().text()).len();
    let ran = place.run("pairs a.jsonl --histogram").ok();
    let (scores, bands) = ran.text().split_once("\n\n").unwrap();
    let count = |row: &str| row.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap();
    assert_eq!(scores.lines().skip(1).map(count).sum::<usize>(), listed);
    assert_eq!(bands.lines().skip(1).count(), 21);
}

#[test]
fn fingerprints_in_parquet_hold_signatures() {
    let place = Place::new();
    write(&place, &family(20));
    let ran = place.run("fingerprints a.jsonl --format parquet --signature 16").ok();
    let rows = common::table::rows(&ran.stdout);
    assert_eq!(rows.len(), 20);
    assert_eq!(rows[0]["signature"].as_array().unwrap().len(), 16);
    assert_eq!(rows[0]["fingerprint"].as_str().unwrap().len(), 16);
    assert_eq!(common::table::columns(&ran.stdout), ["id", "digest", "fingerprint", "tokens", "signature"]);
}

#[test]
fn paragraphs_that_stood_before_are_cut_out() {
    let place = Place::new();
    let notice = "We use cookies to make this site work; by going on you accept them.";
    let licence = prose("licence", 60);
    let own = |topic: &str| prose(topic, 12);
    let text = |parts: &[&str]| parts.join("\n");
    let documents = [
        ("a".to_owned(), text(&["Home", notice, &own("alpha"), &licence])),
        ("b".to_owned(), text(&["Home", &own("beta"), &notice.to_uppercase(), &licence])),
        // Twice in one document, and short lines are left alone.
        ("c".to_owned(), text(&[&own("gamma"), "Home", &own("gamma"), "Home"])),
        ("d".to_owned(), text(&[notice, &licence])),
    ];
    write(&place, &documents);
    let run = place.dedup("a.jsonl --unit paragraph");
    run.counted(4, 4, 0, 0);
    let texts: Vec<String> = run
        .kept("a.jsonl")
        .split(|&b| b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| {
            let value: serde_json::Value = serde_json::from_slice(line).unwrap();
            value["text"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(texts[0], documents[0].1);
    assert_eq!(texts[1], format!("Home\n{}\n", own("beta")));
    assert_eq!(texts[2], format!("{}\nHome\nHome", own("gamma")));
    assert_eq!(texts[3], "");
    let removed = run.removed();
    assert_eq!(removed.len(), 5);
    assert!(removed.iter().all(|line| line["kind"] == "paragraph"));
    assert_eq!(
        (&removed[0]["id"], &removed[0]["keeper"]["id"], &removed[0]["paragraph"]),
        (&"b".into(), &"a".into(), &2.into())
    );
    // The text is the document's own, though it is compared without case, and cut where it is long.
    assert_eq!(removed[0]["text"], notice.to_uppercase());
    assert_eq!(removed[1]["text"].as_str().unwrap(), licence.chars().take(200).collect::<String>());
    let cut = &run.manifest()["paragraphs"];
    assert_eq!((&cut["removed"], &cut["documents"]), (&5.into(), &3.into()));
    assert!(cut["bytes_removed"].as_u64().unwrap() > 0);
    let said = place.run("explain out b").ok();
    assert!(said.text().contains("kept, without 2 paragraphs"), "{}", said.text());
    assert!(said.text().contains("line 3    first in a "), "{}", said.text());
    assert!(said.text().contains("WE USE COOKIES"), "{}", said.text());
    assert!(place.run("explain out a").ok().text().contains("verdict   kept"));
    place.run("dedup a.jsonl --output x --unit paragraph --threshold 0.9").fails(2, &["--unit paragraph"]);
    place.run("dedup a.jsonl --output x --unit paragraph --annotate").fails(2, &["--annotate"]);
    // By characters, a line is long enough that has as many.
    let again = |len: usize| {
        let run = place.dedup_to(&format!("a.jsonl --force --unit paragraph --shingle char:{len}"), "chars");
        run.manifest()["paragraphs"]["removed"].as_u64().unwrap()
    };
    assert!(again(1) > again(40) && again(40) > again(1000));
    assert_eq!(again(1000), 0);
}
