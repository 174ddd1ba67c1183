//! `explain` says what a run knew, from wherever it is asked.
#![allow(clippy::unwrap_used, reason = "a test fails by them")]

mod common;

use common::{Place, Ran, edited, line, prose};

#[test]
fn of_an_empty_document_it_says_that_it_is_empty() {
    let place = Place::new();
    let text = prose("alpha", 40);
    place.write("a.jsonl", line("words", &text) + &line("signs", " … --- ") + &line("nothing", ""));
    place.dedup("a.jsonl");
    for id in ["signs", "nothing"] {
        let told = place.run(&format!("explain out {id}")).ok();
        assert!(told.text().contains("kept: empty") && told.text().contains("duplicates"), "{}", told.text());
        let told = place.run(&format!("explain out {id} --json")).ok().json();
        assert_eq!(told[0]["fate"]["verdict"], "empty");
    }
    assert!(!place.run("explain out words").ok().text().contains("empty"));
}

#[test]
fn its_numbers_are_those_of_the_evidence() {
    let place = Place::new();
    // 55 of 56 shingles: a number that a careless reading of JSON changes in its last digit.
    place.write("a.jsonl", line("a", &prose("alpha", 60)) + &line("b", &edited("alpha", 60, &[59])));
    let run = place.dedup("a.jsonl");
    let evidence = &run.removed()[0];
    let told = place.run("explain out b --json").ok();
    let written = String::from_utf8(run.bytes("removed.jsonl")).unwrap();
    for name in ["similarity", "containment"] {
        let number = format!("\"{name}\":{}", evidence[name]);
        assert!(written.contains(&number), "{number} in {written}");
        assert_eq!(told.text().matches(&number).count(), 2, "{number} in {}", told.text());
    }
}

/// Runs a command in a folder below.
fn from(place: &Place, folder: &str, arguments: &str) -> Ran {
    fs_err::create_dir_all(place.path(folder)).unwrap();
    let output = place.command(arguments).current_dir(place.path(folder)).output().unwrap();
    output.into()
}

#[test]
fn inputs_are_found_from_another_folder() {
    let place = Place::new();
    let text = prose("alpha", 60);
    let bare = |text: &str| format!("{}\n", serde_json::json!({"text": text}));
    place.write("in/a.jsonl", bare(&text) + &bare(&edited("alpha", 60, &[59])) + &bare(&prose("beta", 60)));
    place.dedup_to("in/a.jsonl", "runs/out");
    // Another file of that name is not taken for the one that was read.
    place.write("elsewhere/in/a.jsonl", bare("some other thing"));
    for (folder, run) in [("elsewhere", "../runs/out"), ("runs/out/kept", "..")] {
        let told = from(&place, folder, &format!("explain {run} in/a.jsonl#1")).ok();
        assert!(told.text().contains("shingles shared"), "{}", told.text());
        assert!(told.text().contains("in/a.jsonl#0"), "{}", told.text());
        let told = from(&place, folder, &format!("explain {run} in/a.jsonl#2")).ok();
        assert!(told.text().contains("kept"), "{}", told.text());
    }
    from(&place, "elsewhere", "index import ../pages ../runs/out").ok();
    let known: Vec<_> = place.run("index export pages").ok().json();
    let ids: Vec<_> = known.iter().map(|line| common::text_of(&line["id"])).collect();
    assert_eq!(ids, ["in/a.jsonl#0", "in/a.jsonl#1", "in/a.jsonl#2"]);
    // All moved together.
    fs_err::create_dir_all(place.path("moved")).unwrap();
    for name in ["in", "runs"] {
        fs_err::rename(place.path(name), place.path("moved").join(name)).unwrap();
    }
    place.run("explain moved/runs/out in/a.jsonl#1").ok();
}

#[test]
fn an_input_that_is_not_found_is_named_with_where_it_was_looked_for() {
    let place = Place::new();
    let text = prose("alpha", 60);
    place.write("in/a.jsonl", line("a", &text) + &line("b", &text));
    place.dedup("in/a.jsonl");
    fs_err::rename(place.path("in"), place.path("gone")).unwrap();
    let said = ["in/a.jsonl", "current folder", "started in"];
    let told = place.run("explain out b").ok();
    assert!(said.iter().all(|said| told.text().contains(said)), "{}", told.text());
    place.run("index import pages out").fails(2, &said);
    let absolute = place.path("gone/a.jsonl").display().to_string();
    place.dedup(&format!("{absolute} --force"));
    fs_err::remove_file(&absolute).unwrap();
    let told = place.run("explain out b").ok();
    assert!(told.text().contains(&absolute) && told.text().contains("no such file"), "{}", told.text());
}

#[test]
fn what_the_evidence_knows_is_told_where_texts_cannot_be_read_again() {
    let place = Place::new();
    let lines = line("a", &prose("alpha", 60)) + &line("b", &edited("alpha", 60, &[59]));
    place.run_with_input("dedup - --output piped", lines.as_bytes()).ok();
    place.write("a.jsonl", &lines);
    place.dedup("a.jsonl");
    fs_err::write(place.path("a.jsonl"), lines.clone() + &line("later", "a text that no run has seen"))
        .unwrap();
    for (run, why) in [("piped", "standard input"), ("out", "has changed since the run")] {
        let told = place.run(&format!("explain {run} b")).ok();
        for said in ["removed: near duplicate", "keeper", "55 shingles shared of 56", why] {
            assert!(told.text().contains(said), "{said}: {}", told.text());
        }
        let told = place.run(&format!("explain {run} b --json")).ok().json();
        assert!(told[0]["unread"].as_str().unwrap().contains(why));
    }
    place.run("explain out later").fails(2, &["a.jsonl", "changed"]);
    fs_err::remove_file(place.path("a.jsonl")).unwrap();
    assert!(place.run("explain out b").ok().text().contains("cannot be read again"));
}

#[test]
fn a_text_that_is_another_now_is_not_measured() {
    let place = Place::new();
    let lines = line("a", &prose("alpha", 60)) + &line("b", &prose("alpha", 60));
    place.write("a.jsonl", &lines);
    place.dedup("a.jsonl");
    assert!(place.run("explain out b").ok().text().contains("score     1.0000"));
    // As many bytes, and other words.
    fs_err::write(place.path("a.jsonl"), lines.replacen(&prose("alpha", 60), &prose("alpho", 60), 1))
        .unwrap();
    let told = place.run("explain out b").ok();
    for said in ["removed: exact duplicate", "cannot be read again", "a.jsonl: has changed since the run"] {
        assert!(told.text().contains(said), "{said}: {}", told.text());
    }
}

#[test]
fn an_input_that_has_gone_does_not_hide_the_others_and_ids_may_begin_with_a_dash() {
    let place = Place::new();
    place.write("a.jsonl", line("a", &prose("alpha", 60)));
    place.write("c.jsonl", line("-c", &prose("gamma", 60)));
    place.dedup("a.jsonl c.jsonl");
    fs_err::remove_file(place.path("a.jsonl")).unwrap();
    assert!(place.run("explain out -c").ok().text().contains("kept: like no document"));
    assert_eq!(place.run("explain out -c --json").ok().json().len(), 1);
    assert_eq!(place.run("explain out --json -c").ok().json().len(), 1);
    place.run("explain out none").fails(2, &["a.jsonl"]);
}

#[test]
fn all_documents_of_an_id_are_told_of() {
    let place = Place::new();
    let k = prose("alpha", 60);
    let lines = [line("k", &k), line("g", &prose("beta", 60)), line("g", &k), line("g", ""), line("k", &k)];
    place.write("a.jsonl", lines.concat());
    place.dedup("a.jsonl");
    let verdicts = |id: &str| -> Vec<(String, u64)> {
        let told = place.run(&format!("explain out {id} --json")).ok().json();
        let verdict = |one: &serde_json::Value| common::text_of(&one["fate"]["verdict"]);
        told.iter().map(|one| (verdict(one), one["document"]["offset"].as_u64().unwrap())).collect()
    };
    let starts: Vec<u64> = (0..5).map(|n| lines[..n].concat().len() as u64).collect();
    let expected = |list: &[(&str, usize)]| -> Vec<(String, u64)> {
        list.iter().map(|&(verdict, n)| (verdict.to_owned(), starts[n])).collect()
    };
    assert_eq!(verdicts("g"), expected(&[("removed", 2), ("unique", 1), ("empty", 3)]));
    assert_eq!(verdicts("k"), expected(&[("removed", 4), ("keeper", 0)]));
    let told = place.run("explain out g").ok();
    assert_eq!(told.text().matches("document  g (a.jsonl at ").count(), 3, "{}", told.text());
    for said in ["removed: exact duplicate", "kept: like no document", "kept: empty"] {
        assert!(told.text().contains(said), "{said}: {}", told.text());
    }
    assert_eq!(told.stderr, "");
    // Where the inputs are gone, what may be missing is said.
    fs_err::remove_file(place.path("a.jsonl")).unwrap();
    let told = place.run("explain out g").ok();
    assert!(told.text().contains("removed: exact duplicate"), "{}", told.text());
    assert!(
        told.stderr.contains("may be missing here: ") && told.stderr.contains("a.jsonl"),
        "{}",
        told.stderr
    );
}

#[test]
fn long_passages_are_shortened_unless_they_are_asked_for_whole() {
    let place = Place::new();
    place.write("a.jsonl", line("a", &prose("alpha", 100)) + &line("b", &edited("alpha", 100, &[99])));
    place.dedup("a.jsonl");
    let shared = common::words("alpha", 99);
    let (start, end) = (shared[..12].join(" "), shared[87..].join(" "));
    let told = place.run("explain out b").ok();
    assert!(told.text().contains(&format!("= {start} … 75 words … {end}\n")), "{}", told.text());
    let told = place.run("explain out b --full").ok();
    assert!(told.text().contains(&format!("= {}\n", shared.join(" "))), "{}", told.text());
}

#[test]
fn a_score_below_the_threshold_is_accounted_for_by_the_rule_of_components() {
    let place = Place::new();
    // A~B and B~C, but not A~C.
    let texts = [&[][..], &[20, 21], &[20, 21, 60, 61]].map(|places| edited("alpha", 100, places));
    place.write(
        "a.jsonl",
        ["A", "B", "C"].iter().zip(&texts).map(|(id, text)| line(id, text)).collect::<String>(),
    );
    for (cluster, joins) in [("components", true), ("star", false)] {
        place.dedup(&format!("a.jsonl --threshold 0.85 --force --cluster {cluster}"));
        let id = if joins { "C" } else { "B" };
        let told = place.run(&format!("explain out {id}")).ok();
        assert!(told.text().contains("removed: near duplicate"), "{}", told.text());
        assert_eq!(told.text().contains("score     0.7778"), joins, "{}", told.text());
        let said = "joins through any that it matches and need not match the keeper";
        assert_eq!(told.text().contains(said), joins, "{}", told.text());
    }
}

#[test]
fn names_from_outside_stay_on_their_line() {
    let place = Place::new();
    let text = prose("alpha", 40);
    place.write("a.jsonl", line("a\nverdict   kept: forged", &text) + &line("b", &text));
    place.dedup("a.jsonl");
    let told = place.run("explain out b").ok();
    let verdicts = told.text().lines().filter(|line| line.starts_with("verdict")).count();
    assert_eq!(verdicts, 1, "{}", told.text());
    assert!(told.text().contains("keeper    a\\nverdict   kept: forged (a.jsonl at 0)"), "{}", told.text());
}

#[test]
fn that_a_document_may_be_among_the_bad_is_said() {
    let place = Place::new();
    place.write("a.jsonl", line("a", &prose("alpha", 40)) + "{\"id\":\"broken\"\n");
    place.dedup("a.jsonl");
    let says =
        ["no document of this id in the run", "hint: 1 record of the run could not be read", "bad.jsonl"];
    place.run("explain out broken").fails(2, &says);
    place.write("a.jsonl", line("a", &prose("alpha", 40)));
    place.dedup_to("a.jsonl", "sound");
    let ran = place.run("explain sound broken").fails(2, &["no document of this id in the run"]);
    assert!(!ran.stderr.contains("hint"), "{}", ran.stderr);
}
