//! The promises of ARCHITECTURE.md and of the documents.
// Helpers of tests fail as tests do.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn text(path: &str) -> String {
    fs_err::read_to_string(root().join(path)).unwrap()
}

#[test]
fn crates_depend_on_each_other_as_drawn() {
    let architecture = text("ARCHITECTURE.md");
    let drawing = architecture.split("```graph\n").nth(1).unwrap().split("```").next().unwrap();
    let drawn: BTreeSet<String> = drawing.lines().map(str::to_owned).collect();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut found = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        for dependency in package["dependencies"].as_array().unwrap() {
            let (from, to) = (package["name"].as_str().unwrap(), dependency["name"].as_str().unwrap());
            if dependency["kind"].is_null() && to.starts_with("onefold-") {
                found.insert(format!("{from} -> {to}"));
            }
        }
    }
    assert_eq!(drawn, found);
}

fn sources(crate_name: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root().join("crates").join(crate_name).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let whole = fs_err::read_to_string(&path).unwrap();
                // Tests may do what they like.
                let code = whole.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
                files.push((path, code));
            }
        }
    }
    assert!(!files.is_empty());
    // Modules that are for tests alone are files of their own.
    let all: String = files.iter().map(|(path, _)| fs_err::read_to_string(path).unwrap()).collect();
    files.retain(|(path, _)| {
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        !all.contains(&format!("#[cfg(test)]\nmod {stem};"))
            && !path.components().any(|c| c.as_os_str() == "tests")
    });
    files
}

#[test]
fn detect_touches_nothing_outside() {
    let outside = [
        "std::fs",
        "std::io",
        "std::net",
        "std::env",
        "std::time",
        "std::thread",
        "rand::",
        "println!",
        "RandomState",
    ];
    for (path, code) in sources("detect") {
        for word in outside {
            assert!(!code.contains(word), "{}: {word}", path.display());
        }
    }
}

#[test]
fn only_the_binary_talks() {
    for name in ["detect", "formats", "page", "run", "pipeline", "remote"] {
        for (path, code) in sources(name) {
            for word in ["println!", "eprintln!", "process::exit", "anyhow", "env::var", "env::args"] {
                assert!(!code.contains(word), "{}: {word}", path.display());
            }
        }
    }
}

/// Commands of a document: lines that start with `$ ` in console blocks, each with the lines behind it.
fn commands(document: &str) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for block in document.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap_or_default().lines() {
            match line.strip_prefix("$ ") {
                Some(command) => commands.push((command.to_owned(), Vec::new())),
                None => commands.last_mut().unwrap().1.push(line.to_owned()),
            }
        }
    }
    commands
}

/// Times differ from run to run.
fn without_times(line: &str) -> String {
    match line.split_once(" in ") {
        Some((before, after)) if after.ends_with(" s") => before.to_owned(),
        _ => line.to_owned(),
    }
}

#[test]
fn commands_in_the_documents_run() {
    for document in ["README.md", "GUIDE.md"] {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(root().join("tests"), folder.path().join("tests")).unwrap();
        let binary = Path::new(env!("CARGO_BIN_EXE_onefold"));
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", binary.parent().unwrap().display());
        let commands = commands(&text(document));
        assert!(commands.len() > 3, "{document}");
        for (command, expected) in commands {
            let command = command.replace("cargo run --release -- ", "onefold ");
            let output = Command::new("sh")
                .args(["-c", &command])
                .current_dir(folder.path())
                .env("PATH", &path)
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{document}: {command}\n{stderr}");
            if !expected.is_empty() {
                let said = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr;
                let said: Vec<String> = said.lines().map(without_times).collect();
                let expected: Vec<String> = expected.iter().map(|line| without_times(line)).collect();
                assert_eq!(said, expected, "{document}: {command}");
            }
        }
    }
}
