//! `onefold serve` under those who mean no good, and at its end.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::http::{Reply, Server};
use common::{Place, prose};
use serde_json::{Value, json};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn place() -> Place {
    let place = Place::new();
    place.run("index create pages").ok();
    place
}

#[test]
fn two_clients_that_add_the_same_page_at_once_are_told_new_once() {
    const PAGES: usize = 1000;
    let place = place();
    let server = Server::start(&place, "");
    let barrier = Barrier::new(2);
    let race = |name: &str| -> Vec<String> {
        let mut connection = server.connect();
        let one = |page: usize| {
            barrier.wait();
            // Texts of two words each, so that no page is like another.
            let body = json!({"id": format!("{name}{page}"), "text": format!("page {}", prose(&format!("p{page}x"), 3))});
            let reply = connection.post("/v1/documents", &body);
            assert_eq!(reply.status, 200, "{reply:?}");
            reply.json()["verdict"].as_str().unwrap().to_owned()
        };
        (0..PAGES).map(one).collect()
    };
    let (a, b) = std::thread::scope(|scope| {
        let a = scope.spawn(|| race("a"));
        (race("b"), a.join().unwrap())
    });
    for page in 0..PAGES {
        let mut both = [a[page].as_str(), b[page].as_str()];
        both.sort_unstable();
        assert_eq!(both, ["exact", "new"], "page {page}");
    }
    let metrics = server.get("/metrics");
    assert!(metrics.text().contains(&format!("onefold_verdicts_total{{verdict=\"new\"}} {PAGES}")));
}

#[test]
fn bodies_have_a_limit() {
    let place = place();
    let server = Server::start(&place, "--max-body 10KiB");
    let large = json!({"id": "a", "text": "x".repeat(20_000)});
    server.post("/v1/check", &large).is_problem(413, "body_too_large");
    // Without a length, what comes is counted.
    let mut connection = server.connect();
    connection.send(b"POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n");
    for _ in 0..8 {
        connection.send(b"1000\r\n");
        connection.send(&[b'x'; 0x1000]);
        connection.send(b"\r\n");
    }
    connection.read().unwrap().is_problem(413, "body_too_large");
    // A line that is too large is passed over; those behind it are not, in whatever pieces they come.
    let lines = format!(
        "{}\n\n{large}\n{}\n{large}",
        json!({"id": "a", "text": "fits"}),
        json!({"id": "b", "text": "fits too"})
    );
    let whole = server.connect().ask("POST", "/v1/documents:batch", "", lines.as_bytes());
    let mut pieces = server.connect();
    pieces
        .send(b"POST /v1/documents:batch HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n");
    for piece in lines.as_bytes().chunks(999) {
        pieces.send(format!("{:x}\r\n", piece.len()).as_bytes());
        pieces.send(piece);
        pieces.send(b"\r\n");
    }
    pieces.send(b"0\r\n\r\n");
    for reply in [whole, pieces.read().unwrap()] {
        let lines: Vec<Value> =
            reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let said = |line: &Value| json!([line["id"], line["line"], line["error"]["code"]]);
        assert_eq!(
            lines.iter().map(said).collect::<Vec<_>>(),
            [
                json!(["a", null, null]),
                json!([null, 3, "body_too_large"]),
                json!(["b", null, null]),
                json!([null, 5, "body_too_large"])
            ]
        );
    }
    let head = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "y".repeat(200_000));
    let mut connection = server.connect();
    connection.send(head.as_bytes());
    assert!(connection.read().is_none_or(|reply| reply.status == 431));
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn slow_clients_do_not_hold_it() {
    let place = place();
    // Long enough for five connections and a commit on a busy machine, far from what they are by default.
    let server = Server::start(&place, "--timeout 5 --idle-timeout 5 --max-connections 4");
    let started = Instant::now();
    let mut body = server.connect();
    body.send(b"POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nslow");
    let mut head = server.connect();
    head.send(b"GET /healthz HTTP/1.1\r\nhost: local");
    let mut silent = server.connect();
    let mut batch = server.connect();
    batch.send(b"POST /v1/documents:batch HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n");
    batch.send(b"1a\r\n{\"id\":\"a\",\"text\":\"first\"}\n\r\n");
    // All places are taken: the next is told so, and when to come again.
    let mut refused = server.connect();
    let refused = refused.read().unwrap();
    refused.is_problem(503, "too_many_connections");
    assert!(refused.header("retry-after").is_some());
    let id = refused.header("x-request-id").unwrap();
    let line = server.logged(|line| line["id"] == id);
    assert_eq!((&line["event"], &line["code"]), (&json!("refused"), &json!("too_many_connections")));
    body.read().unwrap().is_problem(408, "timeout");
    assert!(head.read().is_none_or(|reply| reply.status == 408));
    assert!(silent.read().is_none());
    let batch = batch.read().unwrap();
    let lines: Vec<&str> = batch.text().lines().collect();
    assert!(lines[0].contains("\"new\"") && lines[1].contains("\"timeout\""), "{lines:?}");
    assert!(started.elapsed() < Duration::from_secs(25), "{:?}", started.elapsed());
    let again = server.logged(|line| line["status"] == 408);
    assert_eq!(again["code"], "timeout");
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn a_client_that_does_not_read_is_left() {
    let place = place();
    let server = Server::start(&place, "--timeout 1 --idle-timeout 1 --max-connections 1");
    let mut greedy = server.connect();
    // Answers to all of these do not fit into what the kernel buffers.
    let ask = "GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(1000);
    greedy.send(ask.as_bytes());
    let started = Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(100));
        if server.connect().read().is_none_or(|reply| reply.status != 503) {
            break;
        }
        assert!(started.elapsed() < Duration::from_secs(30), "it waits for a client that does not read");
    }
}

#[test]
fn a_full_queue_says_when_to_come_again() {
    let place = place();
    let server = Server::start(&place, "--queue 1 --threads 1");
    let long = json!({"id": "a", "text": prose("alpha", 200_000)});
    let short = json!({"id": "b", "text": "short"});
    let refused = |reply: &Reply| {
        if reply.status == 200 {
            return false;
        }
        reply.is_problem(429, "queue_full");
        assert_eq!(reply.header("retry-after"), Some("1"));
        true
    };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // One client after the other asks for long work until somebody was refused.
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                refused(&server.post("/v1/check", &long));
            }
        });
        let started = Instant::now();
        while !refused(&server.post("/v1/check", &short)) && started.elapsed() < Duration::from_secs(60) {}
        let in_time = started.elapsed() < Duration::from_secs(60);
        done.store(true, Ordering::Relaxed);
        assert!(in_time, "nobody was refused");
    });
    assert_eq!(server.post("/v1/check", &short).status, 200, "it is taken again when the queue is empty");
}

#[test]
fn texts_that_are_hard_to_compare_do_not_hold_it() {
    let place = Place::new();
    place.run("index create pages --store text").ok();
    let server = Server::start(&place, "--threads 1");
    let words = |seed: u64| -> String {
        let mut state = seed;
        let word = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            format!("w{} ", (state >> 33) % 50)
        };
        (0..270_000).map(word).collect()
    };
    for (id, seed) in [("a", 1), ("b", 2)] {
        let reply = server.post("/v1/documents", &json!({"id": id, "text": words(seed)}));
        assert_eq!(reply.json()["verdict"], "new");
    }
    let started = Instant::now();
    let compared = server.get("/v1/compare?a=a&b=b&differences=true").json();
    let with = server.post("/v1/compare?with=a", &json!({"text": words(3)})).json();
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    assert_eq!((&compared["coarse"], &with["coarse"]), (&json!(true), &json!(true)));
    let of_a: usize = compared["differences"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|piece| piece["of"] != "b")
        .map(|piece| piece["text"].as_str().unwrap().split_whitespace().count())
        .sum();
    assert_eq!(of_a, 270_000);
    let long = server.post("/v1/compare?with=a", &json!({"text": words(3) + &words(4)})).json();
    assert_eq!((&long["no_differences"], &long["differences"]), (&json!("too_long"), &Value::Null));
}

#[test]
fn only_those_with_the_token_are_let_in() {
    let place = place();
    place.run("serve --index pages --listen 0.0.0.0:0").fails(2, &["needs a token", "--token-file"]);
    place.run("serve --index pages --listen nowhere").fails(2, &["--listen nowhere", "a port"]);
    place.write("short", "short");
    place.run("serve --index pages --token-file short").fails(2, &["short", "at least 16"]);
    place.run("serve --index pages --token-file nowhere").fails(2, &["nowhere"]);
    place.write("token", "a-token-of-many-letters\n");
    let server = Server::start(&place, "--token-file token");
    server.get("/v1/stats").is_problem(401, "unauthorized");
    for wrong in
        ["Bearer a-token-of-many-letterz", "Bearer", "Basic a-token-of-many-letters", "Bearer a-token"]
    {
        let headers = format!("authorization: {wrong}\r\n");
        let reply = server.connect().ask("GET", "/v1/stats", &headers, b"");
        reply.is_problem(401, "unauthorized");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
    }
    let headers = "authorization: Bearer a-token-of-many-letters\r\nhost: example.org\r\n";
    assert_eq!(server.connect().ask("GET", "/v1/stats", headers, b"").status, 200);
    assert_eq!(server.get("/healthz").status, 200);
    assert!(!format!("{:?}", server.log()).contains("letters"));
}

#[test]
fn a_name_of_this_machine_can_be_listened_on() {
    let place = place();
    let server = Server::start(&place, "--listen localhost:0");
    assert!(server.address.ip().is_loopback());
    assert_eq!(server.get("/v1/stats").status, 200);
}

#[test]
fn pages_of_other_sites_cannot_ask() {
    let place = place();
    let server = Server::start(&place, "");
    let ask = |headers: &str| server.connect().ask("GET", "/v1/stats", headers, b"");
    ask("host: rebound.example.org\r\n").is_problem(403, "origin_refused");
    ask("origin: https://example.org\r\n").is_problem(403, "origin_refused");
    ask("origin: null\r\n").is_problem(403, "origin_refused");
    assert_eq!(ask(&format!("origin: http://{}\r\n", server.address)).status, 200);
    assert_eq!(ask("host: localhost:1\r\n").status, 200);
}

#[test]
fn a_stop_finishes_what_was_taken_on() {
    let place = place();
    let mut server = Server::start(&place, "--stop-timeout 20");
    let mut idle = server.connect();
    assert_eq!(idle.ask("GET", "/healthz", "", b"").status, 200);
    let mut half = server.connect();
    let body = json!({"id": "half", "text": prose("alpha", 40)}).to_string();
    let head = format!(
        "POST /v1/documents HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    half.send(head.as_bytes());
    half.send(&body.as_bytes()[..10]);
    let mut batch = server.connect();
    batch.send(b"POST /v1/documents:batch HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n");
    batch.send(b"1a\r\n{\"id\":\"line\",\"text\":\"one\"}\r\n1\r\n\n\r\n");
    // Both are under way.
    let started = Instant::now();
    while !server.get("/metrics").text().contains("\nonefold_index_documents 1\n") {
        assert!(started.elapsed() < Duration::from_secs(30), "the line is not added");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    assert!(server.log().iter().all(|line| line["route"] != "/v1/documents:batch"), "it has not ended");
    server.interrupt();
    server.logged(|line| line["event"] == "stopping");
    half.send(&body.as_bytes()[10..]);
    assert_eq!(half.read().unwrap().json()["verdict"], "new");
    let batch = batch.read().unwrap();
    let lines: Vec<Value> = batch.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["verdict"], &lines[1]["error"]["code"]), (&json!("new"), &json!("stopping")));
    assert!(idle.read().is_none());
    let (status, log) = server.wait();
    assert!(status.success());
    let ended = log.iter().find(|line| line["route"] == "/v1/documents:batch").unwrap();
    assert_eq!((&ended["lines"], &ended["failed"]), (&json!(2), &json!(1)));
    assert!(ended["micros"].as_u64().unwrap() > 300_000, "{ended}");
    assert_eq!(log.last().unwrap()["event"], "stopped");
    assert_eq!(place.run("index get pages half line").ok().json().len(), 2);
    place.run("index verify pages").ok();
}

#[test]
fn what_was_answered_survives_a_kill() {
    let place = place();
    let mut server = Server::start(&place, "");
    for number in 0..20 {
        let reply = server
            .post("/v1/documents", &json!({"id": format!("d{number}"), "text": format!("text {number}")}));
        assert_eq!(reply.json()["verdict"], "new");
    }
    place.run("index get pages d1").fails(2, &["another process has this index open"]);
    server.kill();
    assert_eq!(place.run("index export pages").ok().json().len(), 20);
    let mut server = Server::start(&place, "--durability interval");
    assert_eq!(server.post("/v1/documents", &json!({"id": "more", "text": "more"})).json()["verdict"], "new");
    server.interrupt();
    assert!(server.wait().0.success());
    place.run("index get pages more d19").ok();
}

#[test]
fn tls_is_served_with_a_certificate() {
    let place = place();
    let openssl = std::process::Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
        ])
        .args([
            "-keyout",
            "key.pem",
            "-out",
            "cert.pem",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ])
        .current_dir(place.path(""))
        .output()
        .expect("openssl is installed");
    assert!(openssl.status.success(), "{}", String::from_utf8_lossy(&openssl.stderr));
    let server = Server::start(&place, "--tls-cert cert.pem --tls-key key.pem");
    let curl = |arguments: &[&str]| {
        let url = format!("https://{}/v1/stats", server.address);
        let mut curl = std::process::Command::new("curl");
        curl.args(["-s", "--max-time", "30"]).args(arguments).arg(url).current_dir(place.path(""));
        curl.output().expect("curl is installed")
    };
    let output = curl(&["--cacert", "cert.pem"]);
    let stats: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(stats["documents"], 0);
    assert!(!curl(&[]).status.success(), "an unknown certificate is not taken");
    drop(server);
    place.write("broken.pem", "nothing");
    place
        .run("serve --index pages --tls-cert broken.pem --tls-key key.pem")
        .fails(2, &["broken.pem", "certificate"]);
    place.run("serve --index pages --tls-cert cert.pem").fails(2, &["--tls-key"]);
}
