//! Fingerprints: nothing within the distance is missed, and hot buckets do not make a query slow.
#![allow(clippy::unwrap_used)]

mod common;

use common::{document, open, options, simhash, sound};
use onefold_detect::measure::Overlap;
use onefold_detect::mix;
use onefold_index::{Coding, Cut, Index, Pair, Rule, Sketch, Tie, Verdict};
use proptest::prelude::*;

fn page(id: u64, fingerprint: u64) -> Sketch {
    Sketch { fingerprint: Some(fingerprint), ..document(&format!("p{id}"), id + 1, 3, &[], 0) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn adds_and_checks_agree_with_brute_force(
        centres in proptest::collection::vec(any::<u64>(), 1..6),
        pages in proptest::collection::vec((0usize..6, proptest::collection::vec(0u32..64, 0..9)), 1..80),
        k in 0u32..=7, cut in prop_oneof![Just(Cut::One), Just(Cut::Two), Just(Cut::Nested), Just(Cut::Three)],
        plain in any::<bool>(),
    ) {
        let fingerprints: Vec<u64> = pages.iter()
            .map(|(centre, flips)| flips.iter().fold(centres[centre % centres.len()], |f, bit| f ^ 1 << bit))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("i");
        let coding = if plain { Coding::Plain } else { Coding::Coded };
        let settings = onefold_index::Settings { coding, ..simhash(k, cut, 10) };
        let index = Index::create(&path, settings, options(None)).unwrap();
        let near = |a: u64, b: u64| (a ^ b).count_ones() <= k;
        let mut keepers: Vec<usize> = Vec::new();
        for (at, &fingerprint) in fingerprints.iter().enumerate() {
            let expected = keepers.iter().copied().find(|&keeper| near(fingerprints[keeper], fingerprint));
            let answer = index.add(&page(at as u64, fingerprint)).unwrap();
            prop_assert_eq!(answer.matched.as_ref().map(|m| m.number as usize), expected);
            prop_assert_eq!(answer.matched.and_then(|m| m.distance), expected.map(|e| (fingerprints[e] ^ fingerprint).count_ones()));
            if expected.is_none() {
                keepers.push(at);
            }
        }
        sound(&index);
        drop(index);
        let index = open(&path);
        let mut pairs = Vec::new();
        for (query, &fingerprint) in fingerprints.iter().enumerate() {
            let expected: Vec<(u64, u32)> = keepers.iter()
                .filter(|&&keeper| near(fingerprints[keeper], fingerprint))
                .map(|&keeper| (keeper as u64, (fingerprints[keeper] ^ fingerprint).count_ones()))
                .collect();
            prop_assert_eq!(&index.check_fingerprint(fingerprint, true).unwrap(), &expected);
            pairs.extend(expected.into_iter().map(|(number, distance)| Pair { query: query as u32, number, distance }));
        }
        prop_assert_eq!(index.query_batch(&fingerprints, 2).unwrap(), pairs);
    }
}

#[test]
fn a_large_index_misses_nothing_after_merges() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::create(&folder.path().join("i"), simhash(3, Cut::One, 1_000), options(None)).unwrap();
    let of = |i: u64| mix::pair(i, 77);
    let pages: Vec<Sketch> = (0..20_000).map(|i| page(i, of(i))).collect();
    for batch in pages.chunks(1_000) {
        index.add_batch(batch).unwrap();
    }
    sound(&index);
    let stats = index.stats().unwrap();
    assert!(stats.segments < 12, "{stats:?}");
    let misses_nothing = || {
        for i in 0..20_000 {
            let query = of(i) ^ 1 << (i % 64) ^ 1 << (i * 7 % 64) ^ 1 << (i * 31 % 64);
            let found = index.check_fingerprint(query, true).unwrap();
            assert!(found.iter().any(|&(number, _)| number == i), "{i}");
        }
    };
    misses_nothing();
    index.merge_at_rest();
    assert_eq!(index.stats().unwrap().segments, 1, "{stats:?}");
    misses_nothing();
    // What is little beside the rest is not worth writing all of it anew.
    index.add_batch(&(20_000..21_000).map(|i| page(i, of(i))).collect::<Vec<_>>()).unwrap();
    index.merge_at_rest();
    assert_eq!(index.stats().unwrap().segments, 2);
    sound(&index);
}

#[test]
fn shingles_decide_where_both_documents_have_them() {
    let folder = tempfile::tempdir().unwrap();
    let by_sets = |threshold| {
        let settings = simhash(3, Cut::One, 100);
        let Rule::Simhash { tables, .. } = settings.rule else { panic!("by fingerprints") };
        onefold_index::Settings { rule: Rule::Simhash { tables, threshold }, sets: true, ..settings }
    };
    let path = folder.path().join("i");
    assert!(Index::create(&path, by_sets(Some(1.5)), options(None)).is_err());
    let index = Index::create(&path, by_sets(Some(0.5)), options(None)).unwrap();
    let with = |id: u64, fingerprint: u64, shingles: &[u64]| Sketch {
        shingles: shingles.to_vec(),
        ..page(id, fingerprint)
    };
    let added = |sketch: &Sketch| {
        let answer = index.add(sketch).unwrap();
        (answer.verdict, answer.matched.map(|matched| (matched.number, matched.tie, matched.rule())))
    };
    assert_eq!(added(&with(0, 0, &[1, 2, 3, 4])).0, Verdict::New);
    // Near by its bits, and far by its words.
    assert_eq!(added(&with(1, 1, &[5, 6, 7])).0, Verdict::New);
    let overlap = Overlap { shared: 3, first: 3, second: 3 };
    assert_eq!(
        added(&with(2, 3, &[5, 6, 7])),
        (Verdict::Near, Some((1, Tie::Near(overlap), "simhash"))),
        "the first by arrival is another text"
    );
    // Of a fingerprint alone nothing else is known.
    assert_eq!(added(&with(3, 1, &[])), (Verdict::Near, Some((0, Tie::Distance(1), "simhash"))));
    sound(&index);
}

#[test]
fn two_clients_that_add_the_same_page_get_one_new() {
    let folder = tempfile::tempdir().unwrap();
    let options = onefold_index::Options { durability: onefold_index::Durability::Deferred, ..options(None) };
    let index = Index::create(&folder.path().join("i"), simhash(3, Cut::One, 100), options).unwrap();
    for i in 0..1_000 {
        let sketch = |client: u64| Sketch { id: format!("{client}-{i}"), ..page(i, mix::pair(i, 9)) };
        let verdicts = std::thread::scope(|scope| {
            let other = scope.spawn(|| index.add(&sketch(1)).unwrap().verdict);
            [index.add(&sketch(2)).unwrap().verdict, other.join().unwrap()]
        });
        assert_eq!(verdicts.iter().filter(|&&verdict| verdict == Verdict::New).count(), 1, "{i}");
    }
    sound(&index);
}

#[test]
fn pictures_name_the_spikes() {
    let folder = tempfile::tempdir().unwrap();
    let index =
        Index::create(&folder.path().join("i"), simhash(3, Cut::One, 100_000), options(None)).unwrap();
    let mut pages: Vec<Sketch> = (0..4_000).map(|i| page(i, mix::pair(i, 5))).collect();
    pages.extend((4_000..4_300).map(|i| page(i, 0xabc0_0000_0000_0001)));
    index.add_batch(&pages).unwrap();
    let pictures = index.pictures().unwrap();
    assert_eq!((pictures.documents, pictures.leading[0], pictures.distinct), (4_300, 299, 4_001));
    assert_eq!(pictures.leading.iter().sum::<u64>(), 4_299);
    let spike = &pictures.spikes[0];
    assert_eq!((spike.bucket, spike.same, spike.example.as_str()), (0xabc0 >> 6, 300, "p4000"));
}

/// Half of the fingerprints begin alike: they are found by finer tables, in head and segments, and none is missed.
#[test]
fn long_runs_are_cut_again_and_miss_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("i");
    let of =
        |i: u64| if i.is_multiple_of(2) { mix::pair(i, 8) >> 16 | 0xabcd << 48 } else { mix::pair(i, 8) };
    let pages: Vec<Sketch> = (0..30_000).map(|i| page(i, of(i))).collect();
    for head in [9_000, 100_000] {
        let path = path.with_file_name(format!("{head}"));
        let index = Index::create(&path, simhash(3, Cut::One, head), options(None)).unwrap();
        let mut keepers = Vec::new();
        for batch in pages.chunks(5_000) {
            let answers = index.add_batch(batch).unwrap();
            keepers.extend(answers.iter().map(|answer| answer.matched.is_none()));
        }
        sound(&index);
        for i in (0..30_000).filter(|&i| keepers[i as usize]).step_by(3) {
            let query = of(i) ^ 1 << (i % 64) ^ 1 << (i * 7 % 64) ^ 1 << (i * 31 % 64);
            let found = index.check_fingerprint(query, true).unwrap();
            assert!(found.iter().any(|&(number, _)| number == i), "{i}");
        }
        index.compact().unwrap();
        sound(&index);
        assert!(
            (0..30_000).step_by(7).all(|i| !index.check_fingerprint(of(i) ^ 5, true).unwrap().is_empty())
        );
    }
}

#[test]
fn queries_that_begin_alike_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::create(&folder.path().join("i"), simhash(3, Cut::One, 900), options(None)).unwrap();
    let of = |i: u64, seed: u64| mix::pair(i, seed) >> 16 | 0xabcd << 48;
    let pages: Vec<Sketch> = (0..2_000).map(|i| page(i, of(i, 8))).collect();
    let answers = index.add_batch(&pages).unwrap();
    let near = |i: u64| of(i, 8) ^ 1 << (i % 48) ^ 1 << (i * 7 % 48);
    let queries: Vec<u64> = (0..3_000).map(|i| if i % 3 == 0 { near(i % 2_000) } else { of(i, 9) }).collect();
    let found = index.query_batch(&queries, 2).unwrap();
    let mut expected = Vec::new();
    for (query, &fingerprint) in queries.iter().enumerate() {
        for number in (0..answers.len()).filter(|&number| answers[number].matched.is_none()) {
            let distance = (fingerprint ^ of(number as u64, 8)).count_ones();
            if distance <= 3 {
                expected.push((query as u32, number as u64, distance));
            }
        }
    }
    assert!(expected.len() >= 900, "{}", expected.len());
    let found: Vec<_> = found.iter().map(|pair| (pair.query, pair.number, pair.distance)).collect();
    assert_eq!(found, expected);
}
