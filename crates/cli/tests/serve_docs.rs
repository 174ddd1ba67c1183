//! The examples of docs/http-api.md, run as they stand against a server of their own.
#![allow(clippy::unwrap_used, reason = "a test fails by them")]

mod common;

use common::Place;
use common::http::Server;
use std::path::Path;
use std::process::Command;

#[test]
fn the_examples_of_the_http_api_run() {
    let place = Place::new();
    place.run("index create pages --store text").ok();
    let server = Server::start(&place, "");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/http-api.md");
    let document = fs_err::read_to_string(path).unwrap();
    let mut examples: Vec<(String, String)> = Vec::new();
    for block in document.split("```console\n").skip(1) {
        for line in block.split("```").next().unwrap().lines() {
            match line.strip_prefix("$ ") {
                Some(command) => examples.push((command.to_owned(), String::new())),
                None => *examples.last_mut().map(|(_, said)| said).unwrap() += &format!("{line}\n"),
            }
        }
    }
    assert!(examples.len() > 7);
    for (command, expected) in examples {
        let command = command.replace("127.0.0.1:8080", &server.address.to_string());
        let output = Command::new("sh").args(["-c", &command]).current_dir(place.path("")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let said = if said.ends_with('\n') { said } else { said + "\n" };
        assert_eq!(said, expected, "{command}");
    }
    // Every code that can come is in the table.
    let problems =
        fs_err::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/src/problem.rs"));
    let problems = problems.unwrap();
    let codes = problems.split("pub(crate) enum Code {").nth(1).unwrap().split('}').next().unwrap();
    let names = codes.lines().map(str::trim).filter(|line| !line.starts_with("//") && !line.is_empty());
    for name in names {
        let snake = name.trim_end_matches(',').chars().flat_map(|c| {
            let upper = c.is_uppercase().then_some('_');
            upper.into_iter().chain(c.to_lowercase())
        });
        let snake: String = snake.collect();
        assert!(document.contains(&format!("`{}`", snake.trim_start_matches('_'))), "{name}");
    }
}
