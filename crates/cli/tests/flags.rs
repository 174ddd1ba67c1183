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
    let of_documents = [
        "--keep longest",
        "--cluster components",
        "--bag",
        "--sample mod:2",
        "--threshold 0.9",
        "--raw",
        "--max-bucket 1",
        "--signature 64",
        "--recall 0.5",
        "--bands 4 --rows 2",
        "--within site",
    ];
    for flag in of_documents {
        let name = flag.split(' ').next().unwrap();
        place
            .run(&format!("dedup a.jsonl --output x --unit paragraph {flag}"))
            .fails(2, &["--unit paragraph keeps the first of equal paragraphs", &format!("without {name},")]);
    }
    place
        .run("dedup a.jsonl --output x --date-field seen")
        .fails(2, &["--date-field goes with --keep newest"]);
    place.run("dedup a.jsonl --output x --method exact --raw --content all").fails(2, &["--content says"]);
    place.run("evaluate a.jsonl --oracle --method join").fails(2, &["--methods LIST"]);
    place
        .run("dedup a.jsonl --output x --method exact --cluster components")
        .fails(2, &["--cluster goes with"]);
    let given = "pairs a.jsonl --verify none --bands 4 --rows 2 --threshold 0.5";
    place.run(given).fails(2, &["--threshold goes without --verify none"]);
    place.run("fingerprints a.jsonl --format parquet --signature 1 --quiet").ok();
}

#[test]
fn flags_of_an_output_folder_are_refused_where_there_is_none() {
    let place = Place::new();
    place.write("a.jsonl", common::four_documents());
    for flag in ["--evidence parquet", "--force", "--resume"] {
        let ran = place.run(&format!("dedup a.jsonl --output - {flag}"));
        assert_eq!(ran.fails(2, &[&format!("{flag} goes with a folder as --output")]).text(), "");
    }
    place.run("dedup a.jsonl --output - --evidence jsonl").ok();
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

#[test]
fn a_flag_that_no_listed_method_reads_is_refused() {
    let place = Place::new();
    place.write("a.jsonl", common::four_documents());
    place.write("truth.tsv", "a\tb\t1\n");
    for (arguments, says) in [
        ("--oracle --methods minhash --hamming 5", "--hamming goes with --methods simhash or combined"),
        (
            "--oracle --methods exact,join --bands 4 --rows 2",
            "--bands goes with --methods minhash or combined",
        ),
        ("--oracle --methods simhash --verify sketch:9/10", "--verify sketch goes with --methods minhash"),
        ("--truth truth.tsv --methods exact --shingle word:3", "--shingle goes with --methods minhash"),
        (
            "--truth truth.tsv --methods minhash --candidates rotate:2",
            "--candidates goes with --methods simhash",
        ),
    ] {
        place.run(&format!("evaluate a.jsonl {arguments}")).fails(2, &[says]);
    }
    // The join that is the oracle reads what sets of shingles are made by, and --distances what fingerprints are.
    place.run("evaluate a.jsonl --oracle --methods exact --shingle word:3 --threshold 0.5").ok();
    place.run("evaluate a.jsonl --oracle --methods minhash,simhash --hamming 5 --recall 0.9").ok();
    place.run("evaluate a.jsonl --oracle --methods exact --distances --features word:1").ok();
}

#[test]
fn no_document_cannot_be_the_most_related() {
    let place = Place::new();
    place.write("a.jsonl", common::four_documents());
    place.run("related a --in a.jsonl --top 0").fails(2, &["--top", "0 is not in 1.."]);
}

#[test]
fn a_header_is_printed_once_reading_has_succeeded() {
    let place = Place::new();
    place.write("a.jsonl", "{\"id\": 1, \"text\": broken\n");
    place.write("empty.jsonl", "");
    place.write("one.jsonl", common::line("a", "one text that is like no other text here"));
    for verb in ["pairs", "fingerprints"] {
        for arguments in ["nowhere.jsonl", "a.jsonl --max-bad-records 0"] {
            let ran = place.run(&format!("{verb} {arguments}"));
            assert_eq!((ran.code, ran.text()), (Some(2), ""), "{verb} {arguments}");
        }
        let listed = place.run(&format!("{verb} one.jsonl --quiet")).ok();
        assert!(listed.text().starts_with("id"), "{verb}: {}", listed.text());
        assert_eq!(
            place.run(&format!("{verb} empty.jsonl --quiet")).ok().text().lines().count(),
            1,
            "{verb}"
        );
    }
}

#[test]
fn fingerprints_take_a_digest_and_choices_of_text() {
    let place = Place::new();
    place.write(
        "a.jsonl",
        common::line("a", "Twelve 12 men sat at 34 tables")
            + &common::line("b", "TWELVE 56 men, sat at 7 tables"),
    );
    let columns = |flags: &str| -> Vec<Vec<String>> {
        let ran = place.run(&format!("fingerprints a.jsonl --quiet {flags}")).ok();
        ran.text().lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    };
    let usual = columns("");
    assert_ne!(usual[0][1..3], usual[1][1..3]);
    let folded = columns("--digits fold");
    assert_eq!(folded[0][1..3], folded[1][1..3]);
    let apart = columns("--digits fold --case keep");
    assert_ne!(apart[0][1..3], apart[1][1..3]);
    let md5 = columns("--digest md5 --raw");
    place.write("a.txt", "Twelve 12 men sat at 34 tables");
    let whole = place.run("digest --algorithm md5 a.txt").ok();
    assert!(whole.text().contains(&md5[0][1]), "{} {}", md5[0][1], whole.text());
    assert_eq!(md5[0][2], usual[0][2]);
    for flag in ["--bag", "--shingle word:3", "--signature 64"] {
        let name = flag.split(' ').next().unwrap();
        place.run(&format!("fingerprints a.jsonl {flag}")).fails(2, &[name, "--format parquet"]);
    }
    place.run("fingerprints a.jsonl --format parquet --bag --quiet").ok();
}

#[test]
fn a_flag_that_would_do_nothing_is_refused() {
    let place = Place::new();
    place.write("a.jsonl", common::four_documents());
    place.run("index create known").ok();
    for verb in [
        "pairs a.jsonl",
        "fingerprints a.jsonl",
        "evaluate a.jsonl --oracle",
        "index add known a.jsonl",
        "index check known a.jsonl",
    ] {
        place.run(&format!("{verb} --date-field seen")).fails(2, &["--date-field"]);
    }
    for flag in [
        "--stop-words en",
        "--case keep",
        "--punctuation keep",
        "--space keep",
        "--form none",
        "--digits fold",
    ] {
        let name = flag.split(' ').next().unwrap();
        place
            .run(&format!("dedup a.jsonl --output x --method exact --raw {flag}"))
            .fails(2, &[&format!("{name} says which words are equal"), "without --raw"]);
    }
    // Shingles are of words, whatever equal texts are.
    place.dedup("a.jsonl --raw --case keep");
    // What one of several methods does not look at, another may.
    place.run("evaluate a.jsonl --oracle --methods exact,minhash --raw --case keep --threshold 0.5").ok();
}

#[test]
fn a_number_of_threads_is_one_or_more() {
    let place = Place::new();
    place.write("a.jsonl", common::four_documents());
    for verb in ["dedup a.jsonl --output x", "pairs a.jsonl", "index query-batch known a.tsv"] {
        place.run(&format!("{verb} --threads 0")).fails(2, &["expected 1 or more, found 0"]);
    }
    place.run("pairs a.jsonl --threads many").fails(2, &["expected 1 or more, found many"]);
}

#[test]
fn help_is_true_for_the_verb_it_is_of() {
    let place = Place::new();
    let help = |verb: &str| {
        let ran = place.run(&format!("{verb} --help")).ok();
        ran.text().split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(!help("evaluate").contains("--method <METHOD>"));
    assert!(help("evaluate").contains("--methods <LIST>"));
    assert!(help("pairs").contains("--method <METHOD>"));
    assert!(!help("pairs").contains("Also remove"));
    assert!(help("pairs").contains("else that of the system"));
}

#[test]
fn paragraphs_of_help_are_wrapped_once() {
    let place = Place::new();
    for verb in ["extract", "url", "url learn", "tune"] {
        let help = place.run(&format!("{verb} --help")).ok().text().to_owned();
        let paragraph = help.trim_end().rsplit("\n\n").next().unwrap();
        let lines: Vec<&str> = paragraph.lines().collect();
        assert!(lines.len() > 1, "{verb}: {paragraph}");
        for pair in lines.windows(2) {
            let word = pair[1].split(' ').next().unwrap();
            let joined = pair[0].chars().count() + 1 + word.chars().count();
            assert!(joined > 100, "{verb}: {word:?} fits behind {:?}", pair[0]);
        }
    }
}

#[test]
fn a_number_out_of_range_is_told_with_its_flag_and_its_range() {
    let place = Place::new();
    place.write("a.jsonl", common::four_documents());
    for (arguments, says) in [
        ("--threshold -1", ["--threshold", "above 0 and at most 1"]),
        ("--signature -5", ["--signature", "1..=65536"]),
        ("--memory -1", ["--memory", "a size such as 512MiB"]),
        ("--max-removed -0.1", ["--max-removed", "a share from 0 to 1"]),
        ("--bands 0 --rows 5", ["--bands", "1.."]),
        ("--bands 5 --rows -2", ["--rows", "1.."]),
        (
            "--signature 4 --threshold 0.01 --recall 0.999",
            ["4 values of --signature", "--recall 0.999 at --threshold 0.01"],
        ),
        ("--temp a.jsonl", ["--temp", "expected a folder, found the file a.jsonl"]),
        ("--temp a.jsonl/below", ["--temp", "expected a folder, found the file a.jsonl"]),
    ] {
        let ran = place.run(&format!("dedup a.jsonl --output out {arguments}")).fails(2, &says);
        assert!(!ran.stderr.contains("unexpected argument"), "{}", ran.stderr);
    }
    place.run("tune --bands 0 --rows 5").fails(2, &["--bands"]);
    assert!(!place.path("out").exists());
}
