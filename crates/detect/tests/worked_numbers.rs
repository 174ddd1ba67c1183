//! Every worked number of docs/algorithms.md, computed, and found in its text.
#![allow(clippy::unwrap_used)]

use onefold_detect::digest::Digest;
use onefold_detect::digest::checksum::{Checksum, ChecksumValue, Kind};
use onefold_detect::matching::{Bands, Tables, neighbours};
use onefold_detect::measure::curve::at_least;
use onefold_detect::measure::estimate::ValueBits;
use onefold_detect::measure::{Groups, Overlap, bag, bag_overlap, cosine, edit, euclidean, overlap};
use onefold_detect::sketch::{Bits, Sample, SimHash, idf_weight};
use onefold_detect::text::{Choices, Normaliser, ShingleSet, Shingling};

/// The document, its paragraphs as one line each.
fn document() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/algorithms.md");
    std::fs::read_to_string(path).unwrap()
}

/// Asserts that a sentence stands in the document, wherever its lines are broken.
fn stands(sentence: &str) {
    let joined = document().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(joined.contains(sentence), "docs/algorithms.md does not say {sentence:?}");
}

/// A row of a table.
fn row(name: &str, cells: impl Iterator<Item = String>) {
    stands(&format!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | ")));
}

fn shingles(text: &str, shingling: Shingling) -> Vec<u64> {
    let mut read = Normaliser::default();
    read.read(text);
    let mut hashes = Vec::new();
    shingling.each(&read, |hash| hashes.push(hash));
    hashes
}

#[test]
fn roses() {
    let [mut long, mut short] =
        ["a rose is a rose is a rose", "a rose is a rose"].map(|text| shingles(text, Shingling::Words(4)));
    let part = |words| shingles(words, Shingling::Words(4))[0];
    let [first, second, third] = ["a rose is a", "rose is a rose", "is a rose is"].map(part);
    assert_eq!(long, [first, second, third, first, second]);
    stands("The 4-shingles of “a rose is a rose is a rose” are five, three of them distinct");
    stands("a rose is a twice rose is a rose twice is a rose is once");
    let sets = [&long, &short].map(|hashes| ShingleSet::from_hashes(hashes));
    let resemblance = overlap(sets[0].hashes(), sets[1].hashes()).resemblance();
    stands(&format!("has 2 of the 3 distinct 4-shingles above: {resemblance:.3} as sets"));
    let counted = bag_overlap(&bag(&mut long), &bag(&mut short));
    assert_eq!(counted.shared, 2);
    stands(&format!("As bags they share 2 of 5: {}.", counted.resemblance()));
}

#[test]
fn resemblance_containment_and_groups() {
    let (a, b) = ([0, 1, 2, 5, 6], [0, 2, 3, 5, 7, 9]);
    stands(&format!("share 3 of 8: their resemblance is {}.", overlap(&a, &b).resemblance()));
    let groups = Groups::new([vec![0, 1, 2], vec![3, 4], vec![5, 6], vec![7, 8, 9]]).unwrap();
    stands(&format!("and their resemblance is {}.", groups.overlap(&a, &b).resemblance()));
    let passage = Overlap { shared: 100, first: 100, second: 1000 };
    stands(&format!(
        "has containment {} and resemblance {}, which",
        passage.containment(),
        passage.resemblance()
    ));
}

fn byte_sum(text: &str) -> u64 {
    let mut sum = Checksum::new(Kind::ByteSum);
    sum.update(text.as_bytes());
    match sum.finish() {
        ChecksumValue::ByteSum(sum) => sum,
        other => panic!("{other:?}"),
    }
}

#[test]
fn digests_and_what_is_not_enough() {
    let (fish, turned) = ("Tropical fish", "fish Tropical");
    assert_eq!(byte_sum(fish), byte_sum(turned));
    stands(&format!("“{fish}” has the byte sum {:x} (hexadecimal), and so has “{turned}”", byte_sum(fish)));
    let trains = ["Departure 10:45 from platform 3", "Departure 14:50 from platform 3"];
    stands(&trains.join(" "));
    let [a, b] = trains.map(str::as_bytes);
    assert_eq!(byte_sum(trains[0]), byte_sum(trains[1]));
    assert!([0, 8, 16, 24].iter().all(|&at: &usize| a[at] == b[at]));
    assert_ne!(Digest::of(a), Digest::of(b));
    let by_chance = |texts: f64, bits: i32| texts * texts / 2f64.powi(bits + 1);
    stands(&format!("10⁵ texts under one of 32 bits have {:.2} pairs", by_chance(1e5, 32)));
    stands(&format!("10¹² texts {:.1}·10⁻¹⁵ pairs", by_chance(1e12, 128) * 1e15));
}

#[test]
fn bands_and_their_curve() {
    let bands = Bands::tune(128, 0.8, 0.99).unwrap();
    stands(&format!("{} bands of {} rows for 0.8 and 0.99", bands.bands, bands.rows));
    stands("| resemblance | 0.3 | 0.5 | 0.6 | 0.7 | 0.8 | 0.85 | 0.9 |");
    let cell = |&s: &f64| format!("{:.5}", bands.probability(s));
    row("found, 21 × 6", [0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9].iter().map(cell));
    let lost = (1.0 - bands.probability(0.8)) * 1e5;
    assert!((165.0..175.0).contains(&lost), "{lost}");
    stands("3 in 100,000, where bands cost 170");
    let low = 0.8 - 4.0 * ValueBits::B8.standard_error(0.8, 128);
    stands(&format!("({low:.2} at 0.8) is not looked at"));
}

#[test]
fn the_classic_rule() {
    stands("| resemblance | 0.75 | 0.8 | 0.85 | 0.9 | 0.95 |");
    let steps = [0.75, 0.8, 0.85, 0.9, 0.95];
    for (k, n) in [(90, 100), (160, 200)] {
        row(&format!("P(≥ {k} of {n})"), steps.iter().map(|&s| format!("{:.3}", at_least(k, n, s))));
    }
    assert_eq!(format!("{:.3} {:.3}", at_least(90, 100, 0.9), at_least(90, 100, 0.95)), "0.583 0.989");
}

#[test]
fn bits_of_a_signature() {
    for bits in ValueBits::ALL {
        let errors = [0.0, 0.5, 0.8, 0.95].map(|j| format!("{:.4}", bits.standard_error(j, 128)));
        let bytes = 128 * bits.count() / 8;
        row(&bits.to_string(), std::iter::once(bytes.to_string()).chain(errors));
    }
    let [eight, whole] = [ValueBits::B8, ValueBits::B64].map(|bits| bits.standard_error(0.8, 128));
    stands(&format!("eight bits have {eight:.5} where whole values have {whole:.5}"));
    assert!((eight / whole - 1.0025).abs() < 0.0005, "a quarter of a percent");
    stands(&format!("standard error of √(J(1−J)/N): {whole:.4} at J = 0.8"));
}

#[test]
fn a_sample_of_one_in_eight() {
    let sample: Sample = "mod:8".parse().unwrap();
    assert_eq!(sample.size(500), 4000);
    stands(&format!(
        "estimated as 4,000 with a standard error P·√(500·(1 − 1/P)) = {:.0}.",
        sample.size_error(500)
    ));
}

#[test]
fn votes_of_three_features() {
    let mut simhash = SimHash::new(Bits::B64);
    simhash.begin();
    for (hash, weight) in [(0b1011, 2), (0b0110, 1), (0b1100, 1)] {
        simhash.add_weighted(hash, weight);
    }
    stands(&format!("fingerprint {:04b}", simhash.finish().unwrap()));
    stands(&format!("half the documents weighs {}, one of", idf_weight(1000, 500)));
    stands(&format!("single document in 1,000 weighs {}.", idf_weight(1000, 1)));
}

#[test]
fn what_fingerprints_find_by_resemblance() {
    let steps = [0.5, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99];
    let differ = |j: f64| (2.0 * j / (1.0 + j)).acos() / std::f64::consts::PI;
    stands("| resemblance | 0.5 | 0.8 | 0.85 | 0.9 | 0.95 | 0.98 | 0.99 |");
    row("bits that differ, on average", steps.iter().map(|&j| format!("{:.1}", 64.0 * differ(j))));
    for k in [3, 7, 12] {
        let within = |&j: &f64| format!("{:.3}", 1.0 - at_least(k + 1, 64, differ(j)));
        row(&format!("P(≤ {k})"), steps.iter().map(within));
    }
    stands(&format!("keeps {:.3} of pairs at resemblance 0.8", 1.0 - at_least(13, 64, differ(0.8))));
}

#[test]
fn tables_and_their_cost() {
    for (k, blocks) in [(3, 4), (3, 5), (7, 8), (7, 10)] {
        let tables = Tables::with_blocks(64, k, blocks).unwrap();
        let bits: Vec<u32> = (0..tables.len()).map(|table| tables.key_bits(table).unwrap()).collect();
        let (least, most) = (bits.iter().min().unwrap(), bits.iter().max().unwrap());
        let bits = if least == most { least.to_string() } else { format!("{least} to {most}") };
        row(&k.to_string(), [blocks.to_string(), tables.len().to_string(), bits].into_iter());
    }
    let [four, five] = [4, 5].map(|blocks| Tables::with_blocks(64, 3, blocks).unwrap());
    let (million, billion) = (1_000_000, 1_000_000_000);
    stands(&format!(
        "four blocks cost {:.1} at a million documents and five cost {:.1}; at a billion it is {:.0} against {:.1}.",
        four.cost(million),
        five.cost(million),
        four.cost(billion),
        five.cost(billion)
    ));
}

#[test]
fn eight_numbers_sorted_before_and_after_rotating() {
    const EIGHT: [u16; 8] = [
        0b0001_1011_0100_1110,
        0b0010_0111_0110_0001,
        0b0011_0100_1001_1101,
        0b0101_0010_1011_0110,
        0b0111_0100_1001_1101,
        0b0101_0010_1111_0110,
        0b1010_0111_0110_0001,
        0b0001_1011_0100_1111,
    ];
    for turn in [0, 2] {
        let mut turned: Vec<(u16, usize)> =
            EIGHT.iter().zip(0..).map(|(x, place)| (x.rotate_left(turn), place)).collect();
        turned.sort_unstable();
        let lines: Vec<String> = turned.iter().map(|(x, place)| format!("{place}  {x:016b}\n")).collect();
        assert!(document().contains(&format!("```text\n{}```", lines.concat())), "{lines:?}");
    }
    let wide = EIGHT.map(u128::from);
    assert_eq!(neighbours(&wide, 16, 0, 1), [(0, 7), (3, 5)]);
    stands("Neighbours that differ in one bit: 0 and 7, 3 and 5. Rotated left by two");
    assert_eq!(neighbours(&wide, 16, 2, 1), [(0, 7), (1, 6), (2, 4), (3, 5)]);
    stands(
        "Now 1 and 6, which differ in the first bit, and 2 and 4, which differ in the second, are neighbours too.",
    );
    assert_eq!([EIGHT[1] ^ EIGHT[6], EIGHT[2] ^ EIGHT[4]], [1 << 15, 1 << 14]);
}

#[test]
fn bounds_of_the_join() {
    let shared = |shared, second| Overlap { shared, first: 100, second };
    let required = (0..=100).find(|&s| shared(s, s).reaches(0.8)).unwrap();
    stands(&format!("a set of 100 must share {required} and has a prefix of {}.", 100 - required + 1));
    assert!(!shared(79, 79).reaches(0.8) && shared(80, 80).reaches(0.8));
    stands("with 100, 79 is too few");
    let most = (100 + 100 - 30) / 2;
    let bound = shared(most, 100);
    assert!(!bound.reaches(0.8));
    stands(&format!("share at most {most} and have at most {most}/115 = {:.3}.", bound.resemblance()));
}

#[test]
fn edit_distances_and_vectors() {
    let (a, b) = (b"kitten", b"sitting");
    stands(&format!(
        "“kitten” and “sitting”: {} and {:.3} by Levenshtein, {} and {:.3} by indel.",
        edit::levenshtein(a, b),
        edit::levenshtein_similarity(a, b),
        edit::indel(a, b),
        edit::indel_similarity(a, b)
    ));
    let counts = |text| bag(&mut shingles(text, Shingling::Words(1)));
    let (a, b) = (counts("a rose is a rose"), counts("a rose"));
    stands(&format!("have cosine {:.3} and distance {:.3}.", cosine(&a, &b), euclidean(&a, &b)));
}

/// The resemblance of two texts as the document writes it, and whether that makes them duplicates.
fn decided(texts: &[String], choices: &Choices, shingling: Shingling) -> String {
    let mut read = Normaliser::new(choices);
    let mut set = |text: &String| {
        read.read(text);
        ShingleSet::of_with(&read, shingling, choices.bag, &mut Vec::new())
    };
    let found = overlap(set(&texts[0]).hashes(), set(&texts[1]).hashes());
    let all = found.first + found.second - found.shared;
    let verdict = if found.reaches(0.8) { "duplicate" } else { "not" };
    format!("{}/{all} = {:.3}, {verdict}", found.shared, found.resemblance())
}

/// Each example in the document is worked out again from the texts it shows: line ends are shown as `⏎`, marks on
/// `◌`, and `|` behind a backslash.
#[test]
fn every_choice_of_shingles_decides_its_example() {
    let document = document();
    let (_, section) = document.split_once("\n## Choices of shingles\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let mut flags = Vec::new();
    for example in section.split("\n### `").skip(1) {
        let (flag, rest) = example.split_once("`\n").unwrap();
        let cell = |name: &str| {
            let line = rest.lines().find(|line| line.starts_with(&format!("| {name} |")));
            let cell =
                line.unwrap_or_else(|| panic!("{flag}: no {name}")).strip_prefix(&format!("| {name} | "));
            cell.unwrap()
                .strip_suffix(" |")
                .unwrap()
                .replace(" ⏎ ", "\n")
                .replace('◌', "")
                .replace("\\|", "|")
        };
        let (mut choices, mut shingling) = (Choices::default(), Shingling::default());
        let (name, value) = flag.split_once(' ').unwrap_or((flag, ""));
        match name {
            "--case" => choices.case = value.parse().unwrap(),
            "--punctuation" => choices.punctuation = value.parse().unwrap(),
            "--space" => choices.space = value.parse().unwrap(),
            "--form" => choices.form = value.parse().unwrap(),
            "--digits" => choices.digits = value.parse().unwrap(),
            "--stop-words" => choices.stop_words = Some(value.parse().unwrap()),
            "--bag" => choices.bag = true,
            "--shingle" => shingling = value.parse().unwrap(),
            other => panic!("{other}"),
        }
        let texts = [cell("first"), cell("second")];
        let [by_default, chosen] = [
            decided(&texts, &Choices::default(), Shingling::default()),
            decided(&texts, &choices, shingling),
        ];
        assert_eq!(cell("by default"), by_default, "{flag}");
        assert_eq!(cell(&format!("`{flag}`")), chosen, "{flag}");
        assert_ne!(by_default.ends_with("duplicate"), chosen.ends_with("duplicate"), "{flag}");
        flags.push(name.to_owned());
    }
    flags.dedup();
    let all =
        ["--case", "--punctuation", "--space", "--form", "--digits", "--stop-words", "--bag", "--shingle"];
    assert_eq!(flags, all);
}

/// The tables that were measured are those of the run that made docs/evaluation.md.
#[test]
fn measured_tables_are_those_of_the_evaluation() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evaluation.md");
    let evaluation = std::fs::read_to_string(path).unwrap();
    let document = document();
    let tables: Vec<&str> = document.split("<!-- measured: ").skip(1).collect();
    assert_eq!(tables.len(), 3);
    for table in tables {
        let rows: Vec<&str> = table.split("<!-- end -->").next().unwrap().lines().skip(1).collect();
        assert!(rows.len() > 5, "{table}");
        assert!(rows.iter().all(|row| evaluation.contains(row)), "{rows:?}");
    }
}
