//! `onefold serve`: every path of the API, over real connections to a real process.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::compressed::{gzip, zstd};
use common::http::Server;
use common::{Place, edited, four_documents, line, prose, rounded, text_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn served(create: &str) -> (Place, Server) {
    let place = Place::new();
    place.run(&format!("index create pages {create}")).ok();
    let server = Server::start(&place, "");
    (place, server)
}

#[test]
fn documents_are_checked_added_found_and_removed() {
    let (place, mut server) = served("");
    let page = json!({"id": "https://example.org/a?b=c/d", "text": prose("alpha", 60)});
    let reply = server.post("/v1/check", &page);
    assert_eq!(reply.json(), json!({"id": page["id"], "verdict": "new", "match": null}));
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(server.post("/v1/documents", &page).json()["verdict"], "new");
    assert_eq!(server.post("/v1/documents", &page).json()["known"], true);
    let near = json!({"url": "https://example.org/near", "text": edited("alpha", 60, &[50])});
    let reply = server.post("/v1/documents", &near).json();
    assert_eq!((&reply["verdict"], &reply["match"]), (&json!("near"), &page["id"]));
    assert_eq!((&reply["rule"], &reply["id"]), (&json!("minhash"), &near["url"]));
    let all = server.post("/v1/check?all=true", &near).json();
    assert_eq!(all["matches"][0]["match"], page["id"]);

    let path = "/v1/documents/https%3A%2F%2Fexample.org%2Fa%3Fb%3Dc%2Fd";
    let found = server.get(&format!("{path}?members=10")).json();
    let document = &found["documents"][0];
    assert_eq!((&document["members"], &document["cluster"][0]["id"]), (&json!(1), &near["url"]));
    let compared =
        server.get("/v1/compare?a=https%3A%2F%2Fexample.org%2Fa%3Fb%3Dc%2Fd&b=https://example.org/near");
    let compared = compared.json();
    assert_eq!((&compared["equal"], &compared["shared"]), (&json!(false), &json!(51)));
    assert!(compared["similarity"].as_f64().unwrap() > 0.8);
    assert_eq!(compared["no_differences"], Value::Null);
    let compared = server.post("/v1/compare?with=https://example.org/near", &near).json();
    assert_eq!(compared["no_differences"], "no_text");

    assert_eq!(server.get("/v1/stats").json()["documents"], 2);
    assert_eq!(server.delete(path).json(), json!({"id": page["id"], "removed": 1}));
    server.delete(path).is_problem(404, "document_not_found");
    server.get(path).is_problem(404, "document_not_found");
    server.interrupt();
    assert!(server.wait().0.success());
    // Its member has taken its place, and the index is whole.
    let stored = place.run("index get pages https://example.org/near").ok().json();
    assert_eq!(stored[0]["keeper"], Value::Null);
    place.run("index verify pages").ok();
}

/// Verdicts by id: verdict, match and similarity.
fn verdicts(lines: &[Value]) -> Vec<Value> {
    lines
        .iter()
        .map(|l| rounded(&json!([l["id"], l["verdict"], l["match"], l["similarity"], l["rule"]])))
        .collect()
}

#[test]
fn a_batch_gives_the_verdicts_of_index_add() {
    for create in ["", "--distance 3", "--method exact"] {
        let (place, mut server) = served(create);
        let mut input = four_documents() + &line("empty", "") + &line("é/\u{1f600}", &prose("gamma", 60));
        for number in 0..300 {
            let text = edited("delta", 60, &[number % 50, number % 7]);
            input += &line(&format!("d{number}"), &text);
        }
        place.write("input.jsonl", &input);
        let reply = server.connect().ask("POST", "/v1/documents:batch", "", input.as_bytes());
        assert_eq!(reply.header("content-type"), Some("application/x-ndjson"));
        let served: Vec<Value> =
            reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        place.run(&format!("index create other {create}")).ok();
        let added = place.run("index add other input.jsonl --quiet").ok().json();
        assert_eq!(verdicts(&served), verdicts(&added), "{create}");
        assert_eq!(served.len(), 306);
        server.interrupt();
        server.wait();
        let ids = |index: &str| -> Vec<Value> {
            let exported = place.run(&format!("index export {index}")).ok().json();
            exported
                .iter()
                .map(|stored| json!([stored["id"], stored["digest"], stored["fingerprint"]]))
                .collect()
        };
        assert_eq!(ids("pages"), ids("other"));
    }
}

#[test]
fn html_gives_the_verdict_of_a_file() {
    let (place, mut server) = served("");
    let words = prose("alpha", 200);
    let html = format!("<title>T</title><nav><a href=/>Home</a></nav><main><p>{words} é</p></main>");
    let latin = format!("<meta charset=latin1>{html}").chars().map(|c| c as u8).collect::<Vec<u8>>();
    let json = json!({"url": "https://a.org/", "html": html, "content_type": "text/html; charset=x"});
    assert_eq!(server.post("/v1/documents", &json).json()["verdict"], "new");
    for (kind, bytes) in [
        ("text/html", latin.as_slice()),
        ("text/html; charset=utf-8", html.as_bytes()),
        ("text/plain", format!("T\n{words} é").as_bytes()),
    ] {
        let headers = format!("content-type: {kind}\r\n");
        let reply = server.connect().ask("POST", "/v1/check?url=https://b.org/", &headers, bytes).json();
        assert_ne!(reply["verdict"], "new", "{kind}");
        assert_eq!((&reply["id"], &reply["match"]), (&json!("https://b.org/"), &json!("https://a.org/")));
    }
    server.interrupt();
    server.wait();
    place.write("page.html", &latin);
    assert_eq!(place.run("index check pages page.html").ok().json()[0]["verdict"], "exact");
}

#[test]
fn ready_fingerprints_are_taken_where_they_are_compared() {
    let (_place, server) = served("--distance 3");
    let bits: u64 = 0x0123_4567_89ab_cdef;
    let body = |id: &str, bits: u64| json!({"id": id, "fingerprint": format!("{bits:016x}")});
    assert_eq!(server.post("/v1/check", &body("a", bits)).json()["verdict"], "new");
    assert_eq!(server.post("/v1/documents", &body("a", bits)).json()["verdict"], "new");
    let near = server.post("/v1/check", &json!({"fingerprint": format!("{:016x}", bits ^ 0b111)})).json();
    // As of 64 trials.
    let error = (61.0_f64 / 64.0 * (3.0 / 64.0) / 64.0).sqrt();
    assert_eq!(
        rounded(&near),
        rounded(
            &json!({"id": null, "verdict": "near", "match": "a", "similarity": 61.0 / 64.0, "error": error, "distance": 3, "rule": "simhash"})
        )
    );
    assert_eq!(server.post("/v1/check", &body("b", bits ^ 0b1111)).json()["verdict"], "new");
    // Equal fingerprints do not make equal texts, but the same document is known.
    assert_eq!(server.post("/v1/documents", &body("b", bits)).json()["verdict"], "near");
    assert_eq!(server.post("/v1/documents", &body("a", bits)).json()["known"], true);
    assert_eq!(
        server.post("/v1/check?all=true", &body("c", bits)).json()["matches"].as_array().unwrap().len(),
        1
    );
    let (_place, server) = served("");
    server.post("/v1/check", &body("a", bits)).is_problem(422, "fingerprint_unsupported");
    server.post("/v1/documents", &body("a", bits)).is_problem(422, "fingerprint_unsupported");
}

#[test]
fn what_is_wrong_has_a_code() {
    let (_place, server) = served("");
    let text = |kind: &str| format!("content-type: {kind}\r\n");
    let ask = |path: &str, kind: &str, body: &[u8]| server.connect().ask("POST", path, &text(kind), body);
    ask("/v1/check", "application/json", b"{").is_problem(400, "invalid_json");
    ask("/v1/check", "application/json", b"{\"text\": \"\xff\"}").is_problem(400, "invalid_json");
    ask("/v1/check", "application/json", b"{}").is_problem(400, "invalid_request");
    ask("/v1/documents", "application/json", b"{\"text\": \"a\"}").is_problem(400, "invalid_request");
    ask("/v1/documents?seen=x", "application/json", b"{}").is_problem(400, "invalid_request");
    ask("/v1/check", "image/png", b"").is_problem(415, "unsupported_media_type");
    ask("/v1/check", "", b"x").is_problem(415, "unsupported_media_type");
    let array = br#"["i", "u", "some text", null, null, null, 1]"#;
    ask("/v1/documents", "application/json", array).is_problem(400, "invalid_json");
    ask("/v1/compare", "text/plain", b"x").is_problem(400, "invalid_request");
    ask("/v1/compare?with=", "text/plain", b"x").is_problem(400, "invalid_request");
    ask("/v1/documents:batch", "text/html", b"{}").is_problem(415, "unsupported_media_type");
    for kind in
        ["", "application/x-ndjson; charset=utf-8", "application/jsonl", "application/json", "text/plain"]
    {
        assert_eq!(ask("/v1/documents:batch", kind, b"{}").status, 200, "{kind}");
    }
    server.get("/v1/check").is_problem(405, "method_not_allowed");
    server.get("/v1/nothing").is_problem(404, "not_found");
    server.get("/v1/documents/a/b").is_problem(404, "not_found");
    server.get("/v1/documents/%ff").is_problem(400, "invalid_request");
    server.get("/v1/compare?a=x").is_problem(400, "invalid_request");
    server.get("/v1/compare?a=x&b=y").is_problem(404, "document_not_found");
    let lines = b"{\"id\":\"a\",\"text\":\"one\"}\n\nnot json\n{\"text\":\"nameless\"}\n{\"id\":\"b\",\"text\":\"two\"}";
    let reply = server.connect().ask("POST", "/v1/documents:batch", "", lines);
    let lines: Vec<Value> = reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["verdict"], &lines[3]["verdict"]), (&json!("new"), &json!("new")));
    assert_eq!((&lines[1]["line"], &lines[1]["error"]["code"]), (&json!(3), &json!("invalid_json")));
    assert_eq!((&lines[2]["line"], &lines[2]["error"]["code"]), (&json!(4), &json!("invalid_request")));
    let id = reply.header("x-request-id").unwrap();
    let logged = server.logged(|line| line["id"] == id);
    assert_eq!((&logged["lines"], &logged["failed"]), (&json!(4), &json!(2)));
    let metrics = server.get("/metrics");
    assert!(metrics.text().contains("onefold_batch_lines_total 9\n"), "{}", metrics.text());
    assert!(metrics.text().contains("onefold_batch_lines_failed_total 7\n"), "{}", metrics.text());
}

#[test]
fn packed_bodies_are_unpacked_within_the_limit() {
    let place = Place::new();
    place.run("index create pages --store text").ok();
    let server = Server::start(&place, "--max-body 100KB");
    let headers = |coding: &str| format!("content-type: text/plain\r\ncontent-encoding: {coding}\r\n");
    let add = |id: &str, coding: &str, body: &[u8]| {
        server.connect().ask("POST", &format!("/v1/documents?id={id}"), &headers(coding), body)
    };
    let words = prose("alpha", 60);
    let packed = [
        ("gzip", gzip(words.as_bytes())),
        ("X-GZIP", gzip(words.as_bytes())),
        ("zstd", zstd(words.as_bytes())),
        ("identity", words.clone().into_bytes()),
    ];
    for (coding, body) in &packed {
        let reply = add(coding, coding, body);
        assert_eq!(reply.status, 200, "{reply:?}");
        let stored = server.get(&format!("/v1/documents/{coding}?text=true")).json();
        assert_eq!(stored["documents"][0]["text"], words, "{coding}");
    }
    assert_eq!(add("br", "br", b"\x0b\x02\x80hello\x03").status, 200);
    assert_eq!(server.get("/v1/documents/br?text=true").json()["documents"][0]["text"], "hello");
    // It is small as it is sent, and large as it is.
    add("bomb", "gzip", &gzip(&vec![b'x'; 1 << 20])).is_problem(413, "body_too_large");
    let cut = &packed[0].1[..packed[0].1.len() / 2];
    for (coding, body) in
        [("gzip", words.as_bytes()), ("zstd", words.as_bytes()), ("br", b"plain"), ("gzip", cut)]
    {
        add("wrong", coding, body).is_problem(400, "invalid_request");
    }
    for coding in ["compress", "gzip, gzip", "\u{e9}"] {
        add("wrong", coding, b"x").is_problem(415, "unsupported_media_type");
    }
    let batch = server.connect().ask("POST", "/v1/documents:batch", &headers("gzip"), &packed[0].1);
    batch.is_problem(415, "unsupported_media_type");
    server.get("/v1/documents/wrong").is_problem(404, "document_not_found");
}

#[test]
fn a_server_at_rest_merges_segments() {
    let place = Place::new();
    place.run("index create pages --head 10 --distance 3").ok();
    for part in 0..3 {
        let of = |n: usize| line(&format!("{part}-{n}"), &prose(&format!("topic{part}x{n}"), 60));
        place.write("some.jsonl", (0..10).map(of).collect::<String>());
        place.run("index add pages some.jsonl").ok();
    }
    assert_eq!(place.run("index stats pages --json").ok().json()[0]["segments"], 3);
    let server = Server::start(&place, "");
    let segments = || server.get("/v1/stats").json()["segments"].as_u64().unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while segments() > 1 && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(segments(), 1);
}

#[test]
fn the_state_is_told() {
    let (_place, server) = served("");
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.get("/readyz").status, 200);
    server.post("/v1/documents", &json!({"id": "a", "text": prose("secret", 40)}));
    let metrics = server.get("/metrics");
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    for line in [
        "onefold_index_documents 1",
        "onefold_verdicts_total{verdict=\"new\"} 1",
        "onefold_http_requests_total{route=\"/v1/documents\",status=\"200\"} 1",
    ] {
        assert!(metrics.text().lines().any(|each| each == line), "{line}: {}", metrics.text());
    }
    let named = server.connect().ask("GET", "/healthz", "x-request-id: my-own.1\r\n", b"");
    assert_eq!(named.header("x-request-id"), Some("my-own.1"));
    let forged = server.connect().ask("GET", "/healthz", "x-request-id: a\"b\r\n", b"");
    let id = forged.header("x-request-id").unwrap().to_owned();
    assert_ne!(id, "a\"b");
    let line = server.logged(|line| line["id"] == id);
    assert_eq!(
        (&line["event"], &line["route"], &line["status"]),
        (&json!("request"), &json!("/healthz"), &json!(200))
    );
    assert!(!format!("{:?}", server.log()).contains("secret"), "no text is logged");
}

#[test]
fn the_description_is_that_of_the_routes() {
    let (_place, server) = served("");
    let api = server.get("/openapi.json").json();
    assert!(text_of(&api["openapi"]).starts_with("3."));
    let mut described = BTreeSet::new();
    for (path, methods) in api["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            described.insert(format!("{} {path}", method.to_uppercase()));
            let reply = server.connect().ask(
                &method.to_uppercase(),
                &path.replace("{id}", "x").replace("{name}", "leading.svg"),
                "",
                b"",
            );
            assert_ne!(reply.status, 405, "{method} {path}");
            assert!(reply.status != 404 || reply.json()["code"] == "document_not_found", "{method} {path}");
        }
    }
    for route in [
        "POST /v1/check",
        "POST /v1/documents",
        "POST /v1/documents:batch",
        "GET /v1/documents/{id}",
        "DELETE /v1/documents/{id}",
        "GET /v1/compare",
        "POST /v1/compare",
        "GET /v1/pictures/{name}",
        "GET /v1/stats",
        "GET /healthz",
        "GET /readyz",
        "GET /metrics",
    ] {
        assert!(described.contains(route), "{route}");
    }
    assert_eq!(api["components"]["securitySchemes"]["token"]["scheme"], "bearer");
    assert_eq!(api["security"], json!([{}, {"token": []}]));
    for (path, methods) in api["paths"].as_object().unwrap() {
        let open = path == "/healthz" || path == "/readyz";
        for (method, told) in methods.as_object().unwrap() {
            assert_eq!(told["responses"]["401"].is_null(), open, "{method} {path}");
            assert_eq!(told["security"], if open { json!([{}]) } else { Value::Null }, "{method} {path}");
        }
    }
    let schemas = api["components"]["schemas"].as_object().unwrap();
    assert!(schemas.contains_key("Submission") && schemas.contains_key("AnswerLine"));
    // Whatever is referred to is there.
    for reference in api.to_string().split("#/components/schemas/").skip(1) {
        let name = reference.split('"').next().unwrap();
        assert!(schemas.contains_key(name), "{name}");
    }
}

#[test]
fn texts_are_stored_where_they_were_asked_for() {
    let place = Place::new();
    place.run("index create pages --store text").ok();
    place.write("input.jsonl", four_documents());
    place.run("index add pages input.jsonl").ok();
    let mut server = Server::start(&place, "");
    let found = server.get("/v1/documents/b2?text=true").json();
    assert_eq!(found["documents"][0]["text"], edited("beta", 80, &[79]));
    let compared = server.get("/v1/compare?a=b2&b=b&differences=true").json();
    let of: Vec<&Value> =
        compared["differences"].as_array().unwrap().iter().map(|piece| &piece["of"]).collect();
    assert_eq!(of, ["both", "a", "b"]);
    let with = server.post("/v1/compare?with=a", &json!({"text": prose("alpha", 79)})).json();
    assert_eq!((&with["shared"], &with["differences"][1]["of"]), (&json!(75), &json!("b")));
    server.post("/v1/compare?with=nobody", &json!({"text": "a"})).is_problem(404, "document_not_found");
    assert_eq!(server.delete("/v1/documents/b").status, 200);
    let picture = server.get("/v1/pictures/buckets.svg");
    assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
    assert!(picture.text().starts_with("<svg"));
    server.get("/v1/pictures/other.svg").is_problem(404, "not_found");
    server.interrupt();
    server.wait();
    assert!(place.run("index verify pages").ok().text().contains("3 documents"));
}
