//! `onefold-generate` as its users call it.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;
use std::process::{Command, Output};

fn generate(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onefold-generate"));
    command.current_dir(folder).args(["--vocabulary", "5000", "--mean-words", "60"]).args(arguments);
    command.output().unwrap()
}

#[test]
fn a_corpus_and_its_truth_are_written_and_announced() {
    let folder = tempfile::tempdir().unwrap();
    let output = generate(folder.path(), &["--documents", "200", "--output", "c.jsonl", "--truth", "c.tsv"]);
    assert!(output.status.success() && output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("200 documents, ") && said.contains(" planted pairs"), "{said}");
    assert_eq!(fs_err::read_to_string(folder.path().join("c.jsonl")).unwrap().lines().count(), 200);
    let truth = fs_err::read_to_string(folder.path().join("c.tsv")).unwrap();
    assert!(truth.lines().count() >= 40);
    assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn bytes_choose_the_length_or_the_number_of_documents() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [vec!["--bytes", "2MB", "--documents", "1000"], vec!["--bytes", "2MB"]] {
        let output = generate(folder.path(), &[&arguments[..], &["--output", "-", "--quiet"]].concat());
        assert!(output.status.success() && output.stderr.is_empty());
        let bytes = output.stdout.len() as f64;
        assert!((1.8e6..2.6e6).contains(&bytes), "{arguments:?}: {bytes} bytes");
    }
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("c.wet");
    fs_err::write(&file, "mine").unwrap();
    let refused = generate(folder.path(), &["--format", "wet", "--output", "c.wet"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(said, "onefold-generate: c.wet: exists already\nhint: --force replaces it\n");
    assert_eq!(fs_err::read(&file).unwrap(), b"mine");
    assert!(generate(folder.path(), &["--format", "wet", "--output", "c.wet", "--force"]).status.success());
    assert!(fs_err::read(&file).unwrap().starts_with(b"WARC/1.0\r\nWARC-Type: warcinfo\r\n"));
}

#[test]
fn unknown_options_and_values_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, part) in [
        (["--scirpt", "thai"], "--scirpt"),
        (["--script", "runic"], "script is runic, expected latin"),
        (["--bytes", "3XB"], "unknown unit \"XB\""),
        (["--near", "2"], "expected 0 to 0.9"),
    ] {
        let output = generate(folder.path(), &[&arguments[..], &["--output", "-"]].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(said.contains(part), "{said}");
    }
}
