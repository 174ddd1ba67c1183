//! `onefold url`: a line of output for each URL.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use common::Place;
use serde_json::json;

#[test]
fn three_forms_come_with_a_header() {
    let ran = Place::new()
        .run("url HTTPS://WWW.Example.co.uk:443/a/../B?b=2&a=1&utm_source=x#top mailto:a@b.c")
        .ok();
    assert_eq!(
        ran.text(),
        "url\tcanonical\tkey\tsite\n\
         HTTPS://WWW.Example.co.uk:443/a/../B?b=2&a=1&utm_source=x#top\t\
         https://www.example.co.uk/B?b=2&a=1&utm_source=x\tuk,co,example)/b?a=1&b=2\texample.co.uk\n\
         mailto:a@b.c\tmailto:a@b.c\tmailto:a@b.c\t\n"
    );
    assert_eq!(ran.stderr, "");
}

#[test]
fn one_form_is_printed_alone() {
    let place = Place::new();
    for (flag, expected) in [
        ("--canonical", "http://xn--bcher-kva.example/\n"),
        ("--key", "example,xn--bcher-kva)/\n"),
        ("--site", "xn--bcher-kva.example\n"),
    ] {
        assert_eq!(place.run(&format!("url {flag} http://bücher.example:80")).ok().text(), expected);
    }
    place.run("url --key --site http://a.example").fails(2, &["cannot be used with"]);
}

#[test]
fn standard_input_has_a_url_a_line() {
    let place = Place::new();
    let input = b"http://a.example/1\r\nb.example:8080/x\nhttp://c.example";
    let expected = "http://a.example/1\nhttp://b.example:8080/x\nhttp://c.example/\n";
    assert_eq!(place.run_with_input("url --canonical", input).ok().text(), expected);
    let ran = place.run_with_input("url --canonical http://z.example - http://y.example", input).ok();
    assert_eq!(ran.text(), format!("http://z.example/\n{expected}http://y.example/\n"));
    assert_eq!(place.run_with_input("url --canonical", b"").ok().text(), "");
}

#[test]
fn what_is_no_url_leaves_its_line_empty_and_is_named() {
    let place = Place::new();
    let input = b"http://a.example\nhttp://[oops/\n\nhttp://\xff.example\nhttp://b.example\n";
    let ran = place
        .run_with_input("url --site", input)
        .fails(1, &["http://[oops/: not a URL", ": not a url: empty", "UTF-8"]);
    assert_eq!(ran.text(), "a.example\n\n\n\nb.example\n");
    assert_eq!(ran.stderr.lines().count(), 3, "{}", ran.stderr);
    let ran = place.run("url http://[oops/ http://a.example").fails(1, &[]);
    let lines: Vec<_> = ran.text().lines().skip(1).collect();
    assert_eq!(lines, ["http://[oops/\t\t\t", "http://a.example\thttp://a.example/\texample,a)/\ta.example"]);
}

#[test]
fn a_line_without_end_is_passed_over_in_bounded_memory() {
    let input = ["http://a.example/".to_owned() + &"x".repeat(5 << 20), "http://b.example".into()].join("\n");
    let ran = Place::new().run_with_input("url --site", input.as_bytes()).fails(1, &["longer than"]);
    assert_eq!(ran.text(), "\nb.example\n");
    assert!(ran.stderr.len() < 300, "{}", ran.stderr.len());
}

#[test]
fn text_from_outside_cannot_steer_a_terminal_or_break_a_line() {
    let ran = Place::new()
        .run_with_input("url", b"http://a.example/\x1b[31m\tb\\c\nhttp://[\x1b[31m\n")
        .fails(1, &[]);
    assert!(!ran.text().contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{ran:?}");
    assert!(ran.text().lines().all(|line| line.split('\t').count() == 4), "{}", ran.text());
    assert!(ran.text().contains("http://a.example/\\u{1b}[31m\\tb\\\\c\t"), "{}", ran.text());
}

#[test]
fn json_has_the_forms_asked_for() {
    let place = Place::new();
    let ran =
        place.run("url --json http://www.a.example/?b http://[oops/ mailto:x@a.example").fails(1, &["oops"]);
    let lines = ran.json();
    assert_eq!(
        lines[0],
        json!({"version": 1, "url": "http://www.a.example/?b", "canonical": "http://www.a.example/?b",
            "key": "example,a)/?b", "site": "a.example"})
    );
    assert!(lines[1]["canonical"].is_null() && lines[1]["error"].as_str().unwrap().starts_with("not a URL"));
    assert!(lines[2]["site"].is_null() && lines[2].get("error").is_none());
    let ran = place.run("url --json --site http://a.b.example").ok();
    assert_eq!(ran.json(), [json!({"version": 1, "url": "http://a.b.example", "site": "b.example"})]);
}

#[test]
fn help_teaches_by_example() {
    let ran = Place::new().run("url --help").ok();
    assert!(ran.text().contains("onefold url --site https://news.example.co.uk/today"), "{}", ran.text());
}
