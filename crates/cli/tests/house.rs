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

/// A file's lines without comments and without items for tests alone, and the modules for tests that it names. Files are
/// formatted, so an item ends at the first line as far in as its beginning that closes it.
fn code(whole: &str) -> (String, Vec<String>) {
    let (mut kept, mut test_modules) = (Vec::new(), Vec::new());
    let mut lines = whole.lines().filter(|line| !line.trim_start().starts_with("//"));
    while let Some(line) = lines.next() {
        if line.trim() != "#[cfg(test)]" {
            kept.push(line);
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let at_edge =
            |line: &str, start: &str| line.strip_prefix(indent).is_some_and(|rest| rest.starts_with(start));
        let first = lines.by_ref().find(|line| !at_edge(line, "#[")).expect("an item behind its attribute");
        let name = first.trim().strip_suffix(';').and_then(|item| item.rsplit_once("mod "));
        test_modules.extend(name.map(|(_, name)| name.to_owned()));
        if !first.ends_with([';', '}']) {
            lines.by_ref().find(|line| at_edge(line, "}")).expect("the end of an item");
        }
    }
    (kept.join("\n"), test_modules)
}

/// Paths that `use` statements bring in, one by one: `use std::{fs, io::Read};` has `std::fs` and `std::io::Read`.
fn imports(code: &str) -> Vec<String> {
    fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
        let Some((before, inside)) = tree.split_once('{') else {
            found.push(format!("{prefix}{}", tree.trim()));
            return;
        };
        let prefix = format!("{prefix}{}", before.trim());
        let inside = inside.trim_end().strip_suffix('}').unwrap_or(inside);
        let (mut depth, mut start) = (0, 0);
        for (at, byte) in inside.bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b',' if depth == 0 => {
                    expand(&prefix, &inside[start..at], found);
                    start = at + 1;
                }
                _ => {}
            }
        }
        if !inside[start..].trim().is_empty() {
            expand(&prefix, &inside[start..], found);
        }
    }
    let mut found = Vec::new();
    let one_line = code.split_whitespace().collect::<Vec<_>>().join(" ");
    for statement in one_line.split("use ").skip(1) {
        expand("", statement.split(';').next().unwrap_or_default(), &mut found);
    }
    found
}

/// Files of a crate, without what is for tests alone, and with its imports written out.
fn sources(crate_name: &str) -> Vec<(PathBuf, String)> {
    let (mut files, mut for_tests) = (Vec::new(), Vec::new());
    let mut folders = vec![root().join("crates").join(crate_name).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let (code, modules) = code(&fs_err::read_to_string(&path).unwrap());
                let stem = path.file_stem().unwrap();
                let folder = path.parent().unwrap();
                let is_root = ["lib", "main", "mod"].iter().any(|root| stem == *root);
                let below = if is_root { folder.to_owned() } else { folder.join(stem) };
                for_tests.extend(modules.iter().map(|module| below.join(module)));
                let imports = imports(&code).join("\n");
                files.push((path, format!("{code}\n{imports}")));
            }
        }
    }
    files.retain(|(path, _)| {
        !for_tests.iter().any(|module| path.starts_with(module) || *path == module.with_extension("rs"))
    });
    assert!(!files.is_empty());
    files
}

#[test]
fn only_what_is_for_tests_is_left_out() {
    let whole = "use std::{\n    fs::{self, File},\n    io,\n};\n#[cfg(test)]\nmod tests;\n// std::net\n\
                 #[cfg(test)]\n#[allow(unused)]\nuse std::{\n    env,\n};\nfn a() {\n    libc::getpid();\n}\n\
                 #[cfg(test)]\npub(super) mod more {\n    fn b() {\n        std::thread::yield_now();\n    }\n}\nfn last() {}";
    let (code, modules) = code(whole);
    assert_eq!(modules, ["tests"]);
    assert!(code.contains("libc::getpid") && code.contains("fn last"), "{code}");
    assert!(!code.contains("std::thread") && !code.contains("std::net") && !code.contains("env"), "{code}");
    assert_eq!(imports(&code), ["std::fs::self", "std::fs::File", "std::io"]);
    assert!(sources("detect").iter().any(|(path, _)| path.ends_with("text/choices.rs")));
    assert!(!sources("page").iter().any(|(path, _)| path.ends_with("html/real_pages.rs")));
}

/// What only `cli` may do, but for `detect`, which may do less.
const TALK: [&str; 7] = ["print!", "println!", "dbg!", "process::exit", "anyhow", "env::var", "env::args"];

#[test]
fn detect_touches_nothing_outside() {
    let outside = [
        "std::fs",
        "std::io",
        "std::net",
        "std::env",
        "std::os::",
        "std::process",
        "std::time",
        "std::thread",
        "fs_err",
        "libc::",
        "nix::",
        "rand::",
        "getrandom",
        "RandomState",
    ];
    for (path, code) in sources("detect") {
        for word in outside.iter().chain(&TALK) {
            assert!(!code.contains(word), "{}: {word}", path.display());
        }
    }
}

#[test]
fn only_the_binary_talks() {
    for name in ["detect", "formats", "index", "page", "run", "pipeline", "remote", "server"] {
        for (path, code) in sources(name) {
            for word in TALK {
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
