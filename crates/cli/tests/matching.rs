//! What makes two documents the same: every flag of the matching changes the answer as it says.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::{Place, Run, edited, line, prose, text_of, words};
use std::io::Read as _;

fn dedup(place: &Place, documents: &[(&str, String)], arguments: &str) -> Run {
    let lines: String = documents.iter().map(|(id, text)| line(id, text)).collect();
    place.write("a.jsonl", lines);
    place.dedup(&format!("a.jsonl --force {arguments}"))
}

#[test]
fn exact_finds_equal_words_and_raw_equal_bytes() {
    let place = Place::new();
    let text = prose("alpha", 80);
    let documents = [
        ("a", text.clone()),
        ("same", text.clone()),
        ("case", text.to_uppercase()),
        ("marks", text.replace(' ', ", ") + "!"),
        // Compatibility forms and case folding: ﬁ is fi, fullwidth letters are letters.
        ("wide", text.replace("alpha", "ａｌｐｈａ")),
        ("near", edited("alpha", 80, &[79])),
    ];
    let run = dedup(&place, &documents, "--method exact");
    assert_eq!(run.removed_ids(), ["same", "case", "marks", "wide"]);
    assert!(run.removed().iter().all(|line| line["kind"] == "exact" && line["similarity"] == 1.0));
    let run = dedup(&place, &documents, "--method exact --raw");
    assert_eq!(run.removed_ids(), ["same"]);
    // By default near copies go as well; with --raw what is not equal in bytes is near.
    let run = dedup(&place, &documents, "");
    assert_eq!(run.removed_ids(), ["same", "case", "marks", "wide", "near"]);
    assert_eq!((run.count("removed_exact"), run.count("removed_near")), (4, 1));
    let run = dedup(&place, &documents, "--raw");
    assert_eq!(run.removed_ids(), ["same", "case", "marks", "wide", "near"]);
    assert_eq!((run.count("removed_exact"), run.count("removed_near")), (1, 4));
    assert_eq!(run.manifest()["plan"]["raw"], true);
}

#[test]
fn the_order_of_words_matters() {
    let place = Place::new();
    let mut turned = words("alpha", 60);
    turned.reverse();
    let run = dedup(&place, &[("a", prose("alpha", 60)), ("b", turned.join(" "))], "");
    run.counted(2, 2, 0, 0);
}

#[test]
fn the_threshold_decides_at_its_own_value() {
    let place = Place::new();
    // 96 shingles each; the first word is in one of them: 95 of 97, two words at the ends: 94 of 98.
    let documents = [("a", prose("alpha", 100)), ("b", edited("alpha", 100, &[0, 50]))];
    // One shingle and five are changed: 90 of 102.
    let similarity = 90.0 / 102.0;
    let run = dedup(&place, &documents, "--threshold 0.88");
    common::close(&run.removed()[0]["similarity"], similarity);
    dedup(&place, &documents, "--threshold 0.8824").counted(2, 2, 0, 0);
    // A pair right at the threshold counts: 9 of 10 by division, never by rounding.
    let mut second = words("beta", 14);
    second.truncate(13);
    let documents = [("a", prose("beta", 14)), ("b", second.join(" "))];
    dedup(&place, &documents, "--threshold 0.9").counted(2, 1, 1, 0);
    dedup(&place, &documents, "--threshold 0.901").counted(2, 2, 0, 0);
    for wrong in ["0", "-1", "1.5", "x"] {
        place.run(&format!("dedup a.jsonl --output none --threshold={wrong}")).fails(2, &["--threshold"]);
    }
}

#[test]
fn every_near_pair_above_the_threshold_is_verified() {
    let place = Place::new();
    // Bands of one row make almost everything a candidate; what is below the threshold must stay.
    let documents: Vec<(String, String)> = (0..40)
        .map(|n| (format!("d{n}"), edited("alpha", 100, &(0..n).map(|k| k * 2).collect::<Vec<_>>())))
        .collect();
    let documents: Vec<(&str, String)> =
        documents.iter().map(|(id, text)| (id.as_str(), text.clone())).collect();
    let run = dedup(&place, &documents, "--bands 128 --rows 1 --threshold 0.7");
    for removed in run.removed() {
        let similarity = removed["similarity"].as_f64().unwrap();
        assert!(similarity >= 0.7, "{removed}");
        let (shared, shingles) = (removed["shared_shingles"].as_u64(), removed["shingles"].as_u64());
        let containment = shared.unwrap() as f64 / shingles.unwrap() as f64;
        common::close(&removed["containment"], containment);
    }
    assert!(run.count("removed") > 0 && run.count("kept") > 1);
    assert!(run.count("compared") >= run.count("removed_near"));
}

/// How many different stretches of so many characters a text has, words apart by one blank.
fn characters(text: &str, len: usize) -> usize {
    let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    let apart: String = text
        .to_lowercase()
        .chars()
        .flat_map(|c| match c {
            c if is_han(c) => vec![' ', c, ' '],
            c if c.is_alphanumeric() => vec![c],
            _ => vec![' '],
        })
        .collect();
    let normalised: Vec<char> = apart.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
    normalised.windows(len).collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn shingles_are_words_or_characters() {
    let place = Place::new();
    // Two words of 60 changed: far apart in shingles of 5 words, close in shingles of 1 word or 4 characters.
    let documents = [("a", prose("alphabetical", 60)), ("b", edited("alphabetical", 60, &[20, 40]))];
    dedup(&place, &documents, "").counted(2, 2, 0, 0);
    dedup(&place, &documents, "--shingle word:5").counted(2, 2, 0, 0);
    let run = dedup(&place, &documents, "--shingle word:1");
    assert_eq!(run.removed()[0]["shingles"], 60);
    common::close(&run.removed()[0]["similarity"], 58.0 / 62.0);
    let run = dedup(&place, &documents, "--shingle char:4 --threshold 0.7");
    run.counted(2, 1, 1, 0);
    assert_eq!(run.removed()[0]["shingles"], characters(&documents[1].1, 4));
    // Characters, not bytes, in any script.
    for text in ["Слово за слово, и так далее: слово. ", "每個字都是一個詞，字又成詞。", "Überall über Öfen "]
    {
        let text: String = (0..20).map(|n| format!("{text}{n} ")).collect();
        let documents = [("a", text.clone()), ("b", text.clone() + "9")];
        for len in [1, 3, 7] {
            let run = dedup(&place, &documents, &format!("--shingle char:{len} --threshold 0.5"));
            run.counted(2, 1, 1, 0);
            assert_eq!(run.removed()[0]["shingles"], characters(&documents[1].1, len), "{text} {len}");
        }
    }
    for wrong in ["word", "word:0", "line:3", "char:-1"] {
        place.run(&format!("dedup a.jsonl --output none --shingle {wrong}")).fails(2, &["--shingle"]);
    }
}

#[test]
fn scripts_without_spaces_are_shingled_by_character() {
    let place = Place::new();
    let text: String = (0..200u32).map(|n| char::from_u32(0x4e00 + n * 37 % 5000).unwrap()).collect();
    let changed: String = text.chars().enumerate().map(|(at, c)| if at == 199 { '猫' } else { c }).collect();
    let documents = [("a", text.clone()), ("b", changed), ("c", text.chars().rev().collect())];
    let run = dedup(&place, &documents, "");
    run.counted(3, 2, 1, 0);
    assert_eq!(run.removed()[0]["shingles"], 196);
    common::close(&run.removed()[0]["similarity"], 195.0 / 197.0);
}

/// Bands of a plan.
fn bands(run: &Run) -> (u64, u64) {
    let bands = &run.manifest()["plan"]["bands"];
    (bands["bands"].as_u64().unwrap(), bands["rows"].as_u64().unwrap())
}

/// The largest r with 1 − (1 − tʳ)^⌊N/r⌋ ≥ recall.
fn tuned(values: i32, threshold: f64, recall: f64) -> (u64, u64) {
    let found = |rows: i32| 1.0 - (1.0 - threshold.powi(rows)).powi(values / rows) >= recall;
    let rows = (1..=values).filter(|&rows| found(rows)).max().expect("some r");
    ((values / rows) as u64, rows as u64)
}

#[test]
fn bands_follow_the_formula_of_signature_recall_and_threshold() {
    let place = Place::new();
    let documents = [("a", prose("alpha", 60))];
    let cases = [
        (128, 0.8, 0.99),
        (64, 0.8, 0.99),
        (256, 0.8, 0.99),
        (128, 0.9, 0.99),
        (128, 0.8, 0.5),
        (128, 0.5, 0.999),
    ];
    assert_eq!(bands(&dedup(&place, &documents, "")), (21, 6));
    for (values, threshold, recall) in cases {
        let arguments = format!("--signature {values} --threshold {threshold} --recall {recall}");
        let run = dedup(&place, &documents, &arguments);
        assert_eq!(bands(&run), tuned(values, threshold, recall), "{arguments}");
        assert_eq!(run.manifest()["plan"]["signature"], values);
    }
    for wrong in ["--recall 0", "--recall 1", "--recall 2", "--signature 0"] {
        place.run(&format!("dedup a.jsonl --output none {wrong}")).fails(2, &[&wrong[..8]]);
    }
}

#[test]
fn bands_and_rows_can_be_given() {
    let place = Place::new();
    let documents: Vec<(String, String)> = (0..60)
        .flat_map(|n| {
            let topic = format!("t{n}x");
            [(format!("a{n}"), prose(&topic, 100)), (format!("b{n}"), edited(&topic, 100, &[20, 50]))]
        })
        .collect();
    let documents: Vec<(&str, String)> =
        documents.iter().map(|(id, text)| (id.as_str(), text.clone())).collect();
    // 86 of 106, just above the threshold: wide bands find nearly all, narrow ones nearly none.
    let many = dedup(&place, &documents, "--bands 32 --rows 4");
    assert_eq!(bands(&many), (32, 4));
    assert!(many.count("removed") >= 59, "{}", many.count("removed"));
    let few = dedup(&place, &documents, "--bands 4 --rows 32");
    assert!(few.count("removed") <= 5, "{}", few.count("removed"));
    place.run("dedup a.jsonl --output none --bands 4").fails(2, &["--rows"]);
    place.run("dedup a.jsonl --output none --rows 4").fails(2, &["--bands"]);
    place.run("dedup a.jsonl --output none --bands 33 --rows 4").fails(2, &["128"]);
    assert!(!place.path("none").exists());
}

#[test]
fn recall_is_what_is_found_at_the_threshold() {
    let place = Place::new();
    // 200 pairs of resemblance 86/106 = 0.811.
    let documents: Vec<(String, String)> = (0..200)
        .flat_map(|n| {
            let topic = format!("t{n}x");
            [(format!("a{n}"), prose(&topic, 100)), (format!("b{n}"), edited(&topic, 100, &[20, 50]))]
        })
        .collect();
    let documents: Vec<(&str, String)> =
        documents.iter().map(|(id, text)| (id.as_str(), text.clone())).collect();
    let high = dedup(&place, &documents, "").count("removed");
    let low = dedup(&place, &documents, "--recall 0.3").count("removed");
    assert!(high >= 195, "{high} of 200 at recall 0.99");
    assert!(low <= 140, "{low} of 200 at recall 0.3");
    let small = dedup(&place, &documents, "--signature 8 --recall 0.3").count("removed");
    assert!(small < 195, "{small} of 200 with 8 values");
}

#[test]
fn stars_keep_what_only_a_chain_would_remove() {
    let place = Place::new();
    // A~B and B~C, but not A~C.
    let documents = [
        ("A", prose("alpha", 100)),
        ("B", edited("alpha", 100, &[20, 21])),
        ("C", edited("alpha", 100, &[20, 21, 60, 61])),
    ];
    for arguments in ["", "--cluster star"] {
        let run = dedup(&place, &documents, &format!("{arguments} --threshold 0.85"));
        assert_eq!(run.kept_ids("a.jsonl"), ["A", "C"], "{arguments}");
        assert_eq!(run.removed_ids(), ["B"]);
    }
    let run = dedup(&place, &documents, "--cluster components --threshold 0.85");
    assert_eq!(run.kept_ids("a.jsonl"), ["A"]);
    assert_eq!(run.removed_ids(), ["B", "C"]);
    let removed = run.removed();
    assert_eq!(text_of(&removed[1]["keeper"]["id"]), "A");
    // The evidence tells the true resemblance to the keeper, which is below the threshold here.
    let similarity = removed[1]["similarity"].as_f64().unwrap();
    assert!((similarity - 84.0 / 108.0).abs() < 1e-9, "{similarity}");
    assert_eq!(run.clusters()[0]["size"], 3);
    assert_eq!(run.clusters().len(), 1);
}

#[test]
fn a_document_joins_the_best_ranked_keeper() {
    let place = Place::new();
    // C is near A and nearer to B; A and B are not near each other.
    let documents = [
        ("A", prose("alpha", 100)),
        ("B", edited("alpha", 100, &[20, 21, 60, 61])),
        ("C", edited("alpha", 100, &[20, 21])),
    ];
    let run = dedup(&place, &documents, "--threshold 0.85");
    assert_eq!(run.kept_ids("a.jsonl"), ["A", "B"]);
    assert_eq!(text_of(&run.removed()[0]["keeper"]["id"]), "A");
}

#[test]
fn empty_documents_are_nobodys_duplicates() {
    let place = Place::new();
    let documents = [
        ("a", String::new()),
        ("b", "   \n".into()),
        ("c", "... !!! —".into()),
        ("d", String::new()),
        ("e", "... !!! —".into()),
        ("f", "word".into()),
    ];
    for method in ["", "--method exact", "--method exact --raw", "--raw"] {
        let run = dedup(&place, &documents, method);
        run.counted(6, 6, 0, 0);
        assert_eq!(run.count("empty"), 5, "{method}");
    }
}

#[test]
fn a_document_shorter_than_a_shingle_is_one_shingle() {
    let place = Place::new();
    let documents = [
        ("a", "two words".to_owned()),
        ("b", "Two, words!".into()),
        ("c", "two other".into()),
        ("d", "two words more".into()),
    ];
    let run = dedup(&place, &documents, "");
    assert_eq!(run.removed_ids(), ["b"]);
    assert_eq!(run.removed()[0]["shingles"], 1);
}

#[test]
fn repeated_text_counts_once() {
    let place = Place::new();
    // Sets, not bags: a text and the same text twice share all shingles but the four over the seam.
    let text = prose("alpha", 100);
    let run = dedup(&place, &[("a", text.clone()), ("b", format!("{text} {text}"))], "");
    let removed = &run.removed()[0];
    assert_eq!((removed["shared_shingles"].as_u64(), removed["shingles"].as_u64()), (Some(96), Some(100)));
    assert_eq!(removed["kind"], "near");
}

#[test]
fn kind_states_the_relation_to_the_keeper() {
    let place = Place::new();
    // b2 is a copy of b, and both went for a: near, since their keeper has another text.
    let near = edited("alpha", 80, &[79]);
    let run = dedup(&place, &[("a", prose("alpha", 80)), ("b", near.clone()), ("b2", near)], "");
    assert_eq!(run.removed_ids(), ["b", "b2"]);
    assert!(
        run.removed().iter().all(|line| line["kind"] == "near" && line["keeper"]["id"] == "a"),
        "{:?}",
        run.removed()
    );
}

#[test]
fn flags_that_do_not_belong_together_are_refused() {
    let place = Place::new();
    place.write("a.jsonl", line("a", "words"));
    for wrong in ["--method sorted", "--cluster chain", "--evidence csv", "--no-such-flag"] {
        place.run(&format!("dedup a.jsonl --output out {wrong}")).fails(2, &["--"]);
    }
    assert!(!place.path("out").exists());
}

/// Lines of a gzipped file of the test data.
fn lines_of(name: &str) -> Vec<String> {
    let bytes = fs_err::read(common::data(name)).unwrap();
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn real_revisions_are_found_as_an_exact_join_finds_them() {
    let place = Place::new();
    let input = common::data("mdn/docs.jsonl.gz").display().to_string();
    let ran = place.run(&format!("pairs {input} --threshold 0.5 --recall 0.999 --expand --quiet")).ok();
    let key = |a: &str, b: &str| (a.min(b).to_owned(), a.max(b).to_owned());
    let found: std::collections::BTreeMap<(String, String), f64> = ran
        .text()
        .lines()
        .skip(1)
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|cells| (key(cells[0], cells[1]), cells[2].parse().unwrap()))
        .collect();
    let (mut missed, mut different, mut total) = (0, 0, 0);
    for line in lines_of("mdn/pairs_j05.tsv.gz").iter().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let truth: f64 = cells[2].parse().unwrap();
        // The truth has another definition of a word; pairs at the threshold may fall on either side of it.
        if truth >= 0.55 {
            total += 1;
            match found.get(&key(cells[0], cells[1])) {
                None => missed += 1,
                Some(similarity) if (similarity - truth).abs() > 0.03 => different += 1,
                Some(_) => {}
            }
        }
    }
    assert!(total > 800, "{total}");
    assert!(missed * 200 <= total, "{missed} of {total} pairs missed");
    assert!(different * 100 <= total, "{different} of {total} pairs have another resemblance");
}

#[test]
fn groups_are_told_by_booleans_and_an_empty_url_is_none() {
    let place = Place::new();
    let text = prose("same", 20);
    let adult = |id: &str, value: serde_json::Value| {
        format!("{}\n", serde_json::json!({"id": id, "adult": value, "text": text}))
    };
    place.write("a.jsonl", adult("1", true.into()) + &adult("2", false.into()) + &adult("3", true.into()));
    assert_eq!(
        place.run("pairs a.jsonl --within adult --quiet").ok().text().lines().nth(1),
        Some("1\t3\t1\texact")
    );
    place.write("list.jsonl", adult("1", serde_json::json!(["x"])));
    place
        .run("pairs list.jsonl --within adult")
        .fails(2, &["no document has a field \"adult\" with a string, number or boolean"]);
    let with = |id: &str, url: Option<&str>| {
        format!("{}\n", serde_json::json!({"id": id, "url": url, "text": text}))
    };
    place.write("u.jsonl", with("1", Some("")) + &with("2", None) + &with("3", Some("http://a.example/")));
    let pairs = place.run("pairs u.jsonl --within site --quiet").ok();
    assert_eq!(pairs.text().lines().skip(1).collect::<Vec<_>>(), ["1\t2\t1\texact"]);
}

#[test]
fn what_of_a_page_is_compared_decides() {
    let place = Place::new();
    let article = format!("<article><p>{}.</p><p>{}.</p></article>", prose("one", 90), prose("two", 90));
    for page in ["a", "b"] {
        let menu: String =
            words(page, 60).iter().map(|word| format!("<li><a href=\"/{word}\">{word}</a></li>")).collect();
        place.write(
            format!("in/{page}.html"),
            format!("<html><body><nav><ul>{menu}</ul></nav>{article}</body></html>"),
        );
    }
    for (content, removed) in [("main", 1), ("plateau", 1), ("all", 0)] {
        let run = place.dedup_to(&format!("in --content {content}"), content);
        assert_eq!(run.count("removed"), removed, "{content}");
        let pairs = place.run(&format!("pairs in --content {content} --quiet")).ok();
        assert_eq!(pairs.text().lines().count() as u64, 1 + removed, "{content}");
    }
}

#[test]
fn weights_of_features_and_digests_decide() {
    let place = Place::new();
    let input = format!("{}", common::data("mdn/docs.jsonl.gz").display());
    let listed = |weight: &str| {
        let pairs =
            place.run(&format!("pairs {input} --method simhash --verify none --weight {weight} --quiet"));
        pairs.ok().text().lines().count()
    };
    let [tf, binary, tfidf] = ["tf", "binary", "tfidf"].map(listed);
    assert!(tf != binary && binary != tfidf && tf != tfidf, "{tf} {binary} {tfidf}");
    // Of documents equal in the field of the rule the one with the first id stays, and of equal ids that of the first digest.
    place.write("a.jsonl", (0..40).map(|n| line("x", &edited("alpha", 80, &[n]))).collect::<String>());
    let kept = |digest: &str| {
        let flags =
            format!("dedup a.jsonl --output - --quiet --keep longest --threshold 0.5 --digest {digest}");
        place.run(&flags).ok().text().to_owned()
    };
    let kept: std::collections::BTreeSet<String> =
        ["xxh3-128", "blake3", "sha256", "sha1", "md5"].into_iter().map(kept).collect();
    assert!(kept.len() > 1, "{kept:?}");
}
