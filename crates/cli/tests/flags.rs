//! Flags that do not go together, and what the help says of those that do.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::Place;

#[test]
fn a_flag_of_another_method_is_an_error_that_names_the_right_one() {
    let place = Place::new();
    place.write("a.jsonl", common::four_documents());
    for (arguments, says) in [
        ("--method join --hamming 2", "--hamming goes with --method simhash or combined, not with join"),
        ("--method simhash --bands 4 --rows 2", "--bands goes with --method minhash or combined"),
        (
            "--method exact --threshold 0.9",
            "--threshold goes with --method minhash, simhash, combined or join",
        ),
        ("--method join --verify none", "--verify goes with --method minhash, simhash or combined"),
        ("--candidates rotate:4", "--candidates goes with --method simhash, not with minhash"),
        ("--method simhash --hamming 8", "--hamming: expected from 0 to 7, found 8"),
        ("--verify edit:0.9 --containment 0.9", "--containment is decided on shingles"),
        ("--method simhash --verify none --threshold 0.9", "--hamming decides"),
        ("--method simhash --bands 4", "--bands goes with --method minhash or combined"),
        ("--bands 4", "--bands and --rows go together"),
        ("--bands 4 --rows 2 --recall 0.9", "--recall chooses the bands"),
    ] {
        place.run(&format!("pairs a.jsonl {arguments}")).fails(2, &[says]);
    }
    for flag in ["--keep longest", "--cluster components", "--bag", "--sample mod:2", "--threshold 0.9"] {
        place
            .run(&format!("dedup a.jsonl --output x --unit paragraph {flag}"))
            .fails(2, &["--unit paragraph keeps the first of equal paragraphs"]);
    }
    place.run("evaluate a.jsonl --oracle --method join").fails(2, &["--methods LIST"]);
}

#[test]
fn short_help_fits_a_screen_and_long_help_has_headings() {
    let place = Place::new();
    let short = place.run("dedup -h").ok();
    assert!(short.text().lines().count() <= 36, "{}", short.text());
    let long = place.run("dedup --help").ok();
    for heading in ["Matching:", "What counts of a text:", "MinHash:", "SimHash:", "Machine:"] {
        assert!(long.text().contains(heading), "{heading}");
    }
    // Each heading has an example: what stands between two headings.
    let sections: Vec<&str> = long.text().split("\n\n").collect();
    let is_heading =
        |part: &str| part.lines().next().is_some_and(|line| line.ends_with(':') && !line.starts_with(' '));
    let mut examples: Vec<(String, bool)> = Vec::new();
    for part in sections {
        if is_heading(part) {
            examples.push((part.lines().next().unwrap_or_default().to_owned(), false));
        }
        if let Some(last) = examples.last_mut() {
            last.1 |= part.contains("Example: ");
        }
    }
    let without: Vec<_> = examples.iter().filter(|(_, has)| !has).map(|(heading, _)| heading).collect();
    assert_eq!(without, ["Arguments:", "Options:"], "{examples:?}");
}
