//! The page of `onefold serve` in a real browser.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::http::Server;
use common::{Place, prose};
use onefold_testkit::lacks;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// A Python that has Selenium, with Chromium and its driver; without them the test is skipped, but not where all is
/// expected to run.
fn browser() -> Option<String> {
    let python = std::env::var("ONEFOLD_TEST_PYTHON").unwrap_or_else(|_| "python3".into());
    let selenium = Command::new(&python).args(["-c", "import selenium"]).output();
    let there = selenium.is_ok_and(|output| output.status.success())
        && ["/usr/bin/chromium", "/usr/bin/chromedriver"].iter().all(|path| Path::new(path).exists());
    if there {
        return Some(python);
    }
    let missing = "Debian's chromium or chromium-driver, or Selenium for Python";
    assert!(std::env::var_os("CI").is_none(), "{missing}");
    lacks(missing);
    None
}

#[test]
fn the_page_does_its_work_in_a_browser() {
    let Some(python) = browser() else { return };
    let text =
        |color: &str| format!("{} <b>not markup</b> {color} {}", prose("alpha", 60), prose("beta", 60));
    let shots = std::env::var("ONEFOLD_SCREENSHOTS").ok();
    for token in ["", "a-token-of-many-letters"] {
        let place = Place::new();
        place.run("index create pages --store text").ok();
        place.write("token", "a-token-of-many-letters");
        let server = Server::start(&place, if token.is_empty() { "" } else { "--token-file token" });
        let headers = format!("authorization: Bearer {token}\r\ncontent-type: application/json\r\n");
        for (name, color) in [("first", "red"), ("copy", "blue")] {
            let body = json!({"url": format!("https://example.org/{name}"), "text": text(color)}).to_string();
            let reply = server.connect().ask("POST", "/v1/documents", &headers, body.as_bytes());
            assert_eq!(reply.status, 200, "{reply:?}");
        }
        place.write("pasted.txt", text("green"));
        let url = format!("http://{}/", server.address);
        let mut script = Command::new(&python);
        script.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page.py")).args([url.as_str()]);
        script.arg(place.path("")).args((!token.is_empty()).then_some(token));
        let output = common::ended(place.start(&mut script));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if let Some(shots) = &shots {
            for name in
                ["light-check", "light-document", "light-index", "dark-check", "dark-document", "dark-index"]
            {
                let _ = fs_err::copy(
                    place.path(format!("{name}.png")),
                    Path::new(shots).join(format!("{name}.png")),
                );
            }
        }
        assert!(output.status.success(), "{said}");
    }
}

#[test]
fn the_page_comes_with_a_strict_policy() {
    let place = Place::new();
    place.run("index create pages").ok();
    let server = Server::start(&place, "");
    for path in ["/", "/page.css", "/page.js", "/icon.svg"] {
        let reply = server.get(path);
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}");
        // Nothing is fetched from elsewhere; the name space of SVG is a name.
        let text =
            reply.text().replace("http://www.w3.org/2000/svg", "").replace("https://example.org/page", "");
        assert!(
            !text.contains("//example") && !text.contains("http://") && !text.contains("https://"),
            "{path}"
        );
    }
}
