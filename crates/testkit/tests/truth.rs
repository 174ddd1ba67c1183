//! The truth against brute force: every document read back as text, tokenised here by other code, all pairs compared.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::{HashMap, HashSet};

use onefold_testkit::{Corpus, Document, Format, Kind, Script, write_truth};

/// Lower-cased runs of letters, numbers and marks; single characters where the script has no blanks.
fn tokens(script: Script, text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('\u{E33}', "\u{E4D}\u{E32}");
    let is_mark =
        |c: char| matches!(c, '\u{64B}'..='\u{652}' | '\u{E31}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}');
    let is_token = |c: char| c.is_alphanumeric() || is_mark(c);
    if script.has_blanks() {
        text.split(|c| !is_token(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    } else {
        text.chars().filter(|c| is_token(*c)).map(String::from).collect()
    }
}

/// Sets of five numbers, each standing for one distinct token.
fn shingles(script: Script, text: &str, numbers: &mut HashMap<String, usize>) -> HashSet<[usize; 5]> {
    let mut number = |token| {
        let next = numbers.len();
        *numbers.entry(token).or_insert(next)
    };
    let tokens: Vec<usize> = tokens(script, text).into_iter().map(&mut number).collect();
    tokens.windows(5).map(|window| window.try_into().unwrap()).collect()
}

fn check_against_brute_force(script: Script) {
    let corpus = Corpus { script, mean_words: 150.0, vocabulary: 20_000, ..Corpus::new(300) };
    let documents: Vec<Document> = corpus.documents().unwrap().collect();
    let mut numbers = HashMap::new();
    let sets: Vec<_> = documents.iter().map(|d| shingles(script, &d.text, &mut numbers)).collect();
    let truth: HashMap<(u64, u64), f64> = corpus
        .truth()
        .unwrap()
        .map(|pair| ((pair.first.min(pair.second), pair.first.max(pair.second)), pair.jaccard))
        .collect();
    let mut in_groups = 0;
    for (i, left) in sets.iter().enumerate() {
        for (j, right) in sets.iter().enumerate().skip(i + 1) {
            let common = left.intersection(right).count();
            let jaccard = common as f64 / (left.len() + right.len() - common) as f64;
            match truth.get(&(i as u64, j as u64)) {
                Some(stated) => assert_eq!(*stated, jaccard, "{script}: {i} and {j}"),
                None => assert!(jaccard < 0.25, "{script}: {i} and {j} at {jaccard} are not in the truth"),
            }
            in_groups += u64::from(documents[i].group == documents[j].group);
        }
    }
    assert_eq!(truth.len() as u64, in_groups);
    assert!(in_groups >= 60, "{script}: {in_groups} pairs");
}

#[test]
fn truth_equals_brute_force_in_every_script() {
    Script::ALL.into_iter().for_each(check_against_brute_force);
}

#[test]
fn near_copies_cover_resemblances_from_one_half_to_098() {
    for script in [Script::Latin, Script::Chinese] {
        let corpus = Corpus { script, vocabulary: 50_000, near_share: 0.4, ..Corpus::new(5_000) };
        let from_base =
            |pair: &onefold_testkit::PlantedPair| pair.kinds.0 == Kind::Base && pair.kinds.1 != Kind::Exact;
        let values: Vec<f64> = corpus.truth().unwrap().filter(from_base).map(|pair| pair.jaccard).collect();
        assert_eq!(values.len(), 2_000, "{script}");
        let share = |low: f64, high: f64| {
            values.iter().filter(|value| (low..high).contains(*value)).count() as f64 / values.len() as f64
        };
        for low in [0.5, 0.6, 0.7, 0.8] {
            // Uniform over a width of 0.48 gives 0.208 a tenth.
            let part = share(low, low + 0.1);
            assert!((part - 0.208).abs() < 0.06, "{script}: {part} of the copies at {low}");
        }
        assert!(share(0.9, 0.98) > 0.1 && share(0.3, 1.0) > 0.97, "{script}");
        assert!(share(0.98, 1.01) < 0.05, "{script}");
    }
}

#[test]
fn every_kind_of_edit_is_planted() {
    let documents =
        Corpus { mean_words: 100.0, vocabulary: 5_000, ..Corpus::new(3_000) }.documents().unwrap();
    let kinds: HashSet<Kind> = documents.map(|document| document.kind).collect();
    assert_eq!(kinds.len(), 6);
}

#[test]
fn truth_lines_name_documents_as_their_format_does() {
    let corpus = Corpus { mean_words: 60.0, vocabulary: 5_000, ..Corpus::new(100) };
    for (format, start) in [(Format::Jsonl, "d000000"), (Format::Wet, "http://host")] {
        let mut lines = Vec::new();
        let pairs = write_truth(corpus.truth().unwrap(), &mut lines, format).unwrap();
        let lines = String::from_utf8(lines).unwrap();
        assert_eq!(lines.lines().count() as u64, pairs);
        for line in lines.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields.len(), 4);
            assert!(fields[0].starts_with(start) && fields[1].starts_with(start) && fields[0] < fields[1]);
            assert!((0.0..=1.0).contains(&fields[2].parse::<f64>().unwrap()));
            assert!(fields[3].contains('/'));
        }
    }
}
