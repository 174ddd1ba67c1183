//! What `dedup` writes: kept documents as they came, a reason for each removal, and books that balance.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::{Place, edited, four_documents, line, prose, table, text_of, words};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// The keys of a line in the order they are written.
fn written_keys(line: &str) -> Vec<String> {
    let mut depth = 0;
    let mut keys = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['{', '}', '"']) {
        match rest.as_bytes()[at] {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {
                let end = rest[at + 1..].find('"').unwrap() + at + 1;
                if depth == 1 && rest[end + 1..].starts_with(':') {
                    keys.push(rest[at + 1..end].to_owned());
                }
                rest = &rest[end + 1..];
                continue;
            }
        }
        rest = &rest[at + 1..];
    }
    keys
}

#[test]
fn kept_lines_are_byte_for_byte_as_they_came() {
    let place = Place::new();
    let odd = [
        format!("{{ \"text\" : \"{}\\u00e9\" ,\t\"id\":\"a\", \"n\": 1.50e0}}\n", prose("alpha", 30)),
        format!("{{\"id\":\"a2\",\"text\":\"{}\\u00e9\"}}\n", prose("alpha", 30)),
        format!("{{\"id\":\"b\",\"text\":\"{} \\/ \\\"é\",\"id2\":null}}\r\n", prose("beta", 30)),
        format!("{{\"id\":\"c\",\"text\":\"{}\"}}", prose("gamma", 30)),
    ];
    place.write("in/deep/er/a.jsonl", odd.concat());
    let run = place.dedup("in");
    run.counted(4, 3, 1, 0);
    assert_eq!(run.kept_text("deep/er/a.jsonl"), [&*odd[0], &odd[2], &odd[3]].concat());
}

#[test]
fn a_removed_last_line_leaves_whole_lines() {
    let place = Place::new();
    place.write(
        "a.jsonl",
        [line("a", &prose("alpha", 30)), line("b", &prose("alpha", 30))].concat().trim_end(),
    );
    assert_eq!(place.dedup("a.jsonl").kept_text("a.jsonl"), line("a", &prose("alpha", 30)));
}

#[test]
fn every_removal_has_its_evidence() {
    let place = Place::new();
    let (first, near) = (prose("beta", 80), edited("beta", 80, &[0, 40]));
    let input = [
        json!({"id": "a", "url": "http://x/a", "text": prose("alpha", 20)}),
        json!({"id": "b", "url": "http://x/b", "text": first}),
        json!({"id": "a2", "text": prose("alpha", 20)}),
        json!({"id": "b2", "url": "http://x/b2", "text": near}),
    ];
    let lines: Vec<String> = input.iter().map(|line| format!("{line}\n")).collect();
    place.write("in/a.jsonl", lines.concat());
    let run = place.dedup("in");
    let offsets: Vec<usize> = (0..4).map(|at| lines[..at].iter().map(String::len).sum()).collect();
    // 76 shingles each; the first word is in one of them, the word in the middle in five.
    let (shared, all) = (70.0, 82.0);
    let expected = [
        json!({
            "id": "a2", "url": null, "source": "in/a.jsonl", "offset": offsets[2], "kind": "exact",
            "similarity": 1.0, "containment": 1.0, "shared_shingles": 16, "shingles": 16, "cluster": 1,
            "keeper": {"id": "a", "url": "http://x/a", "source": "in/a.jsonl", "offset": 0},
        }),
        json!({
            "id": "b2", "url": "http://x/b2", "source": "in/a.jsonl", "offset": offsets[3], "kind": "near",
            "similarity": shared / all, "containment": shared / 76.0, "shared_shingles": 70, "shingles": 76,
            "cluster": 2,
            "keeper": {"id": "b", "url": "http://x/b", "source": "in/a.jsonl", "offset": offsets[1]},
        }),
    ];
    assert_eq!(
        run.removed().iter().map(common::rounded).collect::<Vec<_>>(),
        expected.iter().map(common::rounded).collect::<Vec<_>>()
    );
    let order = [
        "id",
        "url",
        "source",
        "offset",
        "kind",
        "similarity",
        "containment",
        "shared_shingles",
        "shingles",
        "cluster",
        "keeper",
    ];
    let text = String::from_utf8(run.bytes("removed.jsonl")).unwrap();
    for line in text.lines() {
        assert_eq!(written_keys(line), order, "the keys stand in the stated order");
    }
    let clusters = run.clusters();
    assert_eq!(clusters.len(), 2);
    for (number, cluster) in clusters.iter().enumerate() {
        assert_eq!(keys(cluster), BTreeSet::from(["cluster", "size", "keeper", "members"]));
        assert_eq!(cluster["cluster"], number + 1);
        assert_eq!(cluster["size"], 2);
        assert_eq!(cluster["keeper"], expected[number]["keeper"]);
        let members: Vec<String> =
            cluster["members"].as_array().unwrap().iter().map(|member| text_of(&member["id"])).collect();
        assert_eq!(members, [["a", "a2"], ["b", "b2"]][number]);
    }
}

#[test]
fn the_manifest_tells_what_the_run_was() {
    let place = Place::new();
    let bad = "{\"id\":\"x\"}\n";
    let input = four_documents() + bad + &line("empty", "...");
    place.write("a.jsonl", &input);
    let run = place.dedup("a.jsonl --threshold 0.75");
    run.counted(6, 3, 2, 1);
    let manifest = run.manifest();
    for key in ["version", "plan", "inputs", "counts"] {
        assert!(!manifest[key].is_null(), "no {key} in the manifest");
    }
    assert_eq!(manifest["version"], 1);
    assert_eq!(manifest["plan"]["threshold"], 0.75);
    let counts = json!({
        "read": 6, "kept": 3, "removed": 2, "removed_exact": 1, "removed_near": 1, "bad": 1, "empty": 1, "passed": 0,
    });
    for (name, count) in counts.as_object().unwrap() {
        assert_eq!(&manifest["counts"][name], count, "{name}");
    }
    assert_eq!(manifest["bad_by_kind"], json!({"missing-field": 1}));
    let stages = manifest["stages"].as_array().expect("timings by stage");
    assert!(stages.len() >= 3 && stages.iter().all(|stage| stage["seconds"].is_number()), "{stages:?}");
    assert!(manifest["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
    let inputs = manifest["inputs"].as_array().unwrap();
    assert_eq!(inputs.len(), 1);
    assert_eq!(inputs[0]["source"], "a.jsonl");
    assert_eq!(inputs[0]["size"], input.len());
}

#[test]
fn an_input_is_known_by_its_digest() {
    let place = Place::new();
    let digest = |text: &str, name: &str| {
        place.write("a.jsonl", text);
        let manifest = place.dedup_to("a.jsonl", name).manifest();
        let input = manifest["inputs"][0].as_object().unwrap().clone();
        let (_, digest) = input.iter().find(|(key, _)| key.contains("xxh3")).expect("a digest");
        text_of(digest)
    };
    let one = digest(&four_documents(), "one");
    assert_eq!(one.len(), 32, "128 bits in hexadecimal: {one}");
    assert_eq!(one, digest(&four_documents(), "two"));
    assert_ne!(one, digest(&four_documents().replace("alphaa ", "alphab "), "three"));
}

#[test]
fn evidence_comes_as_parquet_when_asked() {
    let place = Place::new();
    place.write("a.jsonl", four_documents() + "no json\n");
    let lines = place.dedup_to("a.jsonl", "lines");
    let tables = place.dedup_to("a.jsonl --evidence parquet", "tables");
    for name in ["removed", "clusters", "bad"] {
        assert!(!tables.folder.join(format!("{name}.jsonl")).exists());
    }
    let removed = table::rows(&tables.bytes("removed.parquet"));
    assert_eq!(removed.len(), 2);
    for (row, line) in removed.iter().zip(lines.removed()) {
        for key in ["id", "source", "offset", "kind", "similarity", "containment", "shingles", "cluster"] {
            assert_eq!(common::rounded(&row[key]), common::rounded(&line[key]), "{key}");
        }
        let keeper = row.get("keeper.id").or_else(|| row["keeper"].get("id")).expect("the keeper");
        assert_eq!(keeper, &line["keeper"]["id"]);
    }
    let clusters = table::rows(&tables.bytes("clusters.parquet"));
    for (row, line) in clusters.iter().zip(lines.clusters()) {
        assert_eq!(row["members"], line["members"], "members are documents, not texts");
        assert_eq!(row["keeper.id"], line["keeper"]["id"]);
    }
    assert_eq!(clusters.len(), 2);
    for id in ["a", "b2"] {
        let told = |run: &str| place.run(&format!("explain {run} {id} --json")).ok().stdout;
        assert_eq!(told("tables"), told("lines"), "{id} is explained from either");
    }
    let bad = table::rows(&tables.bytes("bad.parquet"));
    assert_eq!(bad.len(), 1);
    for key in ["source", "offset", "length", "kind", "message"] {
        assert_eq!(bad[0][key], lines.bad()[0][key], "{key}");
    }
}

#[test]
fn ids_come_from_the_field_then_the_url_then_the_place() {
    let place = Place::new();
    let text = prose("alpha", 30);
    let lines = [
        json!({"id": "named", "url": "http://x/1", "text": text}),
        json!({"url": "http://x/2", "text": text}),
        json!({"text": text}),
        json!({"id": 17, "text": text}),
        json!({"id": null, "url": "http://x/5", "text": text}),
    ];
    place.write("a.jsonl", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    let run = place.dedup("a.jsonl");
    assert_eq!(text_of(&run.removed()[0]["keeper"]["id"]), "named");
    assert_eq!(run.removed_ids(), ["http://x/2", "a.jsonl#2", "17", "http://x/5"]);
}

#[test]
fn fields_have_the_names_given() {
    let place = Place::new();
    let lines = [
        json!({"key": "k1", "body": prose("alpha", 30), "link": "http://x/1", "text": "same", "id": "i1"}),
        json!({"key": "k2", "body": prose("beta", 30), "link": "http://x/2", "text": "same", "id": "i2"}),
        json!({"key": "k3", "body": prose("beta", 30), "link": "http://x/3", "text": "same", "id": "i3"}),
    ];
    place.write("a.jsonl", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    let run = place.dedup_to("a.jsonl --id-field key --text-field body --url-field link", "named");
    run.counted(3, 2, 1, 0);
    let removed = &run.removed()[0];
    assert_eq!((text_of(&removed["id"]), text_of(&removed["url"])), ("k3".into(), "http://x/3".into()));
    assert_eq!(run.manifest()["plan"]["fields"]["text"], "body");
    // By default it is the field `text` that counts, and nothing has a URL.
    let run = place.dedup_to("a.jsonl", "plain");
    assert_eq!(run.removed_ids(), ["i2", "i3"]);
    assert!(run.removed()[0]["url"].is_null());
    // The id falls back to the URL of the field that is named.
    let run = place.dedup_to("a.jsonl --id-field nothing --url-field link", "links");
    assert_eq!(run.removed_ids(), ["http://x/2", "http://x/3"]);
}

#[test]
fn fields_are_named_in_tables_too() {
    let place = Place::new();
    let (alpha, beta) = (prose("alpha", 30), prose("beta", 30));
    place.write("a.csv", format!("link,key,body\nhttp://x/1,k1,{alpha}\nhttp://x/2,k2,{alpha}\n"));
    place.write(
        "b.parquet",
        table::table(&[
            ("link", vec![Some("http://x/3"), Some("http://x/4")]),
            ("body", vec![Some(&beta), Some(&beta)]),
            ("key", vec![Some("k3"), None]),
        ]),
    );
    let run = place.dedup("a.csv b.parquet --id-field key --text-field body --url-field link");
    run.counted(4, 2, 2, 0);
    assert_eq!(run.removed_ids(), ["k2", "http://x/4"]);
    assert_eq!(text_of(&run.removed()[0]["url"]), "http://x/2");
}

#[test]
fn two_documents_with_one_id_are_two_documents() {
    let place = Place::new();
    let texts = [prose("alpha", 30), prose("beta", 30), prose("alpha", 30)];
    place.write("a.jsonl", texts.map(|text| line("same", &text)).concat());
    let run = place.dedup("a.jsonl");
    run.counted(3, 2, 1, 0);
    assert_eq!(run.kept_ids("a.jsonl"), ["same", "same"]);
    let removed = &run.removed()[0];
    assert_ne!(removed["offset"], removed["keeper"]["offset"]);
}

#[test]
fn inputs_of_one_name_do_not_overwrite_each_other() {
    let place = Place::new();
    place.write("x/a.jsonl", line("x", &prose("alpha", 30)));
    place.write("y/a.jsonl", line("y", &prose("beta", 30)));
    let run = place.dedup("x/a.jsonl y/a.jsonl");
    run.counted(2, 2, 0, 0);
    let kept: Vec<u8> = common::tree(&run.folder.join("kept")).into_values().flatten().collect();
    assert_eq!(common::ids(&kept).len(), 2, "both documents are kept");
}

#[test]
fn an_output_that_is_there_is_not_touched_without_force() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    place.dedup("a.jsonl");
    let before = common::tree(&place.path("out"));
    place.run("dedup a.jsonl --output out").fails(2, &["out", "--force"]);
    assert_eq!(common::tree(&place.path("out")), before);
    place.write("other/note.txt", "mine");
    place.run("dedup a.jsonl --output other").fails(2, &["other"]);
    assert_eq!(common::tree(&place.path("other")).len(), 1);
    // With --force it is replaced, and what the old run alone had is gone.
    place.write("b.jsonl", line("z", &prose("gamma", 30)));
    place.dedup("a.jsonl b.jsonl --evidence parquet --force");
    let run = place.dedup("b.jsonl --force");
    run.counted(1, 1, 0, 0);
    let names: Vec<String> =
        common::tree(&run.folder).keys().map(|path| path.display().to_string()).collect();
    assert_eq!(names, ["bad.jsonl", "clusters.jsonl", "kept/b.jsonl", "manifest.json", "removed.jsonl"]);
    place.write("file", "a file");
    place.run("dedup b.jsonl --output file").fails(2, &["file"]);
    assert_eq!(fs_err::read(place.path("file")).unwrap(), b"a file");
}

#[test]
fn an_output_inside_its_own_input_does_no_harm() {
    let place = Place::new();
    place.write("in/a.jsonl", four_documents());
    place.run("dedup in --output in/out").ok();
    place.finished("in/out").counted(4, 2, 2, 0);
    assert_eq!(fs_err::read(place.path("in/a.jsonl")).unwrap(), four_documents().as_bytes());
}

#[test]
fn temporary_files_are_not_mixed_with_the_output() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    for temp in ["out", "out/kept", "./out/.onefold"] {
        place
            .run(&format!("dedup a.jsonl --output out --temp {temp}"))
            .fails(2, &["--temp lies in --output"]);
        assert!(!place.path("out").exists(), "{temp}");
    }
}

#[test]
fn inputs_are_never_written_over() {
    let place = Place::new();
    place.write("kept/a.jsonl", four_documents());
    // The output's own `kept/` is the input: --force must not delete what is read.
    let ran = place.run("dedup kept --output . --force");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert_eq!(fs_err::read(place.path("kept/a.jsonl")).unwrap(), four_documents().as_bytes());
}

#[test]
fn the_summary_is_json_for_machines_and_quiet_silences_stderr_only() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    let plain = place.dedup_to("a.jsonl", "plain");
    assert!(plain.stdout.is_empty(), "all but data goes to standard error");
    for word in ["read", "kept", "removed", "1 exact", "1 near"] {
        assert!(plain.stderr.contains(word), "{word}: {}", plain.stderr);
    }
    let ran = place.run("dedup a.jsonl --output json --json").ok();
    let lines = ran.json();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["version"], 1);
    assert_eq!(lines[0]["counts"]["removed"], 2);
    assert!(!ran.stderr.is_empty());
    let ran = place.run("dedup a.jsonl --output quiet --json --quiet").ok();
    assert_eq!(ran.json()[0]["counts"]["kept"], 2);
    assert_eq!(ran.stderr, "");
    assert_eq!(place.run("dedup a.jsonl --output q -q").ok().stderr, "");
    // An error is said all the same.
    place.run("dedup nowhere --output other --quiet").fails(2, &["nowhere"]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::new();
    let lines: String =
        (0..3000).map(|n| line(&format!("d{n}"), &words(&format!("w{n}x"), 60).join(" "))).collect();
    place.write("a.jsonl", lines);
    for arguments in ["dedup a.jsonl --output -", "pairs a.jsonl --threshold 0.1"] {
        let mut child = place.start(&mut place.command(arguments));
        drop(child.stdout.take());
        let ran = child.wait_with_output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    }
}

#[test]
fn progress_is_for_terminals_only() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    let run = place.dedup("a.jsonl");
    assert!(!run.stderr.contains('\u{1b}') && !run.stderr.contains('\r'), "{:?}", run.stderr);
}

#[test]
fn on_a_terminal_each_stage_has_its_bar() {
    let place = Place::new();
    let corpus = onefold_testkit::Corpus {
        mean_words: 150.0,
        vocabulary: 5_000,
        ..onefold_testkit::Corpus::new(8_000)
    };
    onefold_testkit::write_jsonl(&corpus, place.path("a.jsonl")).unwrap();
    // `script` of util-linux lends the command a terminal.
    let on_terminal = |arguments: &str| {
        let command = format!("{} dedup --force --output out {arguments}", env!("CARGO_BIN_EXE_onefold"));
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &command, "/dev/null"]).current_dir(place.path("")).env("TERM", "xterm");
        script.stdin(std::process::Stdio::null()).output()
    };
    let ran = match on_terminal("a.jsonl") {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return onefold_testkit::skip("no script to make a terminal");
        }
        ran => ran.unwrap(),
    };
    assert!(ran.status.success(), "{ran:?}");
    let ran = String::from_utf8_lossy(&ran.stdout).into_owned();
    for word in ["read", "match", "verify", "write", " documents/s", " MB/s", " %"] {
        assert!(ran.contains(word), "{word}: {ran:?}");
    }
    // Time left is told once there is time to tell it by: edit distances of long texts take some, of how many depends on
    // the machine.
    let places: Vec<usize> = (0..40_000).step_by(60).collect();
    let pair = |number| {
        let topic = format!("w{number}");
        line("x", &prose(&topic, 40_000)) + &line("y", &edited(&topic, 40_000, &places))
    };
    let tells_time_left = |pairs: usize| {
        place.write("long.jsonl", (0..pairs).map(pair).collect::<String>());
        let ran = on_terminal("long.jsonl --verify edit:0.9 --threads 1").unwrap();
        assert!(ran.status.success(), "{ran:?}");
        String::from_utf8_lossy(&ran.stdout).contains("s left")
    };
    assert!([6, 24, 96, 384].into_iter().any(tells_time_left));
    let quiet = on_terminal("a.jsonl --quiet").unwrap();
    assert_eq!(String::from_utf8_lossy(&quiet.stdout), "");
}

#[test]
fn text_from_outside_cannot_steer_a_terminal() {
    let place = Place::new();
    place.write("a\u{1b}[31m.jsonl", "");
    place.write("b.jsonl", four_documents());
    let ran = place.run("dedup . --output /proc/onefold-cannot-be/x");
    assert_eq!(ran.code, Some(2));
    assert!(!ran.stderr.contains('\u{1b}'), "{:?}", ran.stderr);
    let run = place.dedup(". --quiet");
    assert_eq!(run.stderr, "");
    let run = place.dedup_to("a\u{1b}[31m.jsonl b.jsonl", "other");
    assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
}
