//! `onefold index`: the same answers as a batch run, line by line, and the life of an index.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::{Place, edited, line, prose, rounded, text_of};
use onefold_index::{Index, Options};
use serde_json::{Value, json};
use std::path::Path;

fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name).display().to_string()
}

/// What a batch run and an index say of the duplicates: id, kind, keeper, similarity.
type Duplicates = Vec<(String, String, String, Value)>;

fn of_batch(place: &Place, input: &str, flags: &str) -> Duplicates {
    let run = place.dedup(&format!("{input} --keep first --max-removed 1 {flags}"));
    let of = |line: &Value| {
        (
            text_of(&line["id"]),
            text_of(&line["kind"]),
            text_of(&line["keeper"]["id"]),
            rounded(&line["similarity"]),
        )
    };
    let mut duplicates: Duplicates = run.removed().iter().map(of).collect();
    duplicates.sort_by(|a, b| a.0.cmp(&b.0));
    duplicates
}

fn of_index(place: &Place, input: &str, create: &str, add: &str) -> Duplicates {
    place.run(&format!("index create pages {create}")).ok();
    let lines = place.run(&format!("index add pages {input} {add}")).ok().json();
    let of = |line: &Value| {
        (
            text_of(&line["id"]),
            text_of(&line["verdict"]),
            text_of(&line["match"]),
            rounded(&line["similarity"]),
        )
    };
    let mut duplicates: Duplicates = lines.iter().filter(|line| line["verdict"] != "new").map(of).collect();
    duplicates.sort_by(|a, b| a.0.cmp(&b.0));
    place.run("index verify pages").ok();
    duplicates
}

#[test]
fn page_by_page_gives_the_clusters_of_a_batch() {
    let place = Place::new();
    let input = data("mdn/docs.jsonl.gz");
    for (flags, least) in [
        ("--threshold 0.7", 50),
        ("--method simhash --hamming 7 --threshold 0.9", 20),
        ("--method simhash --verify none", 20),
    ] {
        let batch = of_batch(&place, &input, flags);
        assert!(batch.len() > least, "{flags}: {}", batch.len());
        // Small heads and batches, so that segments are written and merged on the way.
        let online = of_index(&place, &input, &format!("{flags} --head 50"), "--batch 7 --threads 3");
        assert_eq!(online, batch, "{flags}");
        fs_err::remove_dir_all(place.path("pages")).unwrap();
        fs_err::remove_dir_all(place.path("out")).unwrap();
    }
}

#[test]
fn archives_give_the_clusters_of_a_batch() {
    let place = Place::new();
    let input = data("warc");
    let batch = of_batch(&place, &input, "");
    assert!(batch.len() > 10, "{}", batch.len());
    let online = of_index(&place, &input, "", "");
    // Records of one URL and one text are one document here and two there.
    let distinct = |mut all: Duplicates| {
        all.dedup();
        all
    };
    assert_eq!(distinct(online), distinct(batch));
}

/// What a run says of the removed documents whose keepers are in an index, and of the others.
fn of_run(run: &common::Run, wanted: &dyn Fn(&Value) -> bool) -> Duplicates {
    let of = |line: &Value| {
        (
            text_of(&line["id"]),
            text_of(&line["kind"]),
            text_of(&line["keeper"]["id"]),
            rounded(&line["similarity"]),
        )
    };
    let mut duplicates: Duplicates = run.removed().iter().filter(|line| wanted(line)).map(of).collect();
    duplicates.sort_by(|a, b| a.0.cmp(&b.0));
    duplicates
}

/// Every other line of a corpus into `old.jsonl`, the rest into `new.jsonl`.
fn halves(place: &Place) {
    let file = fs_err::File::open(data("mdn/docs.jsonl.gz")).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(file), &mut text).unwrap();
    // Versions of a page are neighbours there.
    for (name, rest) in [("old.jsonl", 0), ("new.jsonl", 1)] {
        let lines: Vec<&str> = text.lines().skip(rest).step_by(2).collect();
        place.write(name, lines.join("\n") + "\n");
    }
}

#[test]
fn a_new_crawl_against_an_old_one_gives_what_a_run_over_both_gives() {
    for flags in [
        "--threshold 0.7",
        "--method exact",
        "--method simhash --verify none --hamming 3",
        "--method simhash --hamming 7 --threshold 0.9",
    ] {
        let place = Place::new();
        halves(&place);
        let both =
            place.dedup_to(&format!("old.jsonl new.jsonl --keep first --max-removed 1 {flags}"), "both");
        place.dedup_to(&format!("old.jsonl --keep first --max-removed 1 {flags}"), "first");
        place.run("index import pages first").ok();
        place.run("index verify pages").ok();
        let before = place.run("index export pages").ok().stdout;
        let next = place
            .dedup_to(&format!("new.jsonl --against pages --max-removed 1 --threads 3 {flags}"), "second");
        let of_new = |line: &Value| line["source"] == "new.jsonl";
        let expected = of_run(&both, &of_new);
        assert!(expected.len() > 10, "{flags}: {}", expected.len());
        assert_eq!(of_run(&next, &|_| true), expected, "{flags}");
        let known: Vec<Value> = next.removed().into_iter().filter(|line| line["index"] == "pages").collect();
        assert!(known.iter().all(|line| line["keeper"]["source"] == "pages") && !known.is_empty());
        let manifest = next.manifest();
        assert_eq!(manifest["against"]["index"], "pages");
        let exact = known.iter().filter(|line| line["kind"] == "exact").count();
        assert_eq!(manifest["against"]["removed_exact"], exact);
        assert_eq!(manifest["against"]["removed_near"], known.len() - exact);
        assert_eq!(place.run("index export pages").ok().stdout, before, "the index is as it was");
    }
}

#[test]
fn an_imported_run_answers_as_the_run_did() {
    for flags in ["--threshold 0.7 --keep longest", "--threshold 0.7 --evidence parquet"] {
        let place = Place::new();
        halves(&place);
        let run = place.dedup(&format!("old.jsonl --max-removed 1 {flags}"));
        let summary = place.run("index import pages out --seen 5").ok().json();
        let manifest = run.manifest();
        assert_eq!(summary[0]["keepers"], manifest["counts"]["kept"]);
        assert_eq!(summary[0]["members"], manifest["counts"]["removed"]);
        place.run("index verify pages").ok();
        let stored = place.run("index export pages").ok().json();
        let of =
            |line: &Value| (text_of(&line["id"]), text_of(&line["keeper"]), rounded(&line["similarity"]));
        let mut members: Vec<_> = stored.iter().filter(|line| !line["keeper"].is_null()).map(of).collect();
        members.sort_by(|a, b| a.0.cmp(&b.0));
        let of = |line: &Value| {
            (text_of(&line["id"]), text_of(&line["keeper"]["id"]), rounded(&line["similarity"]))
        };
        if !flags.contains("parquet") {
            let mut removed: Vec<_> = run.removed().iter().map(of).collect();
            removed.sort_by(|a, b| a.0.cmp(&b.0));
            assert_eq!(members, removed);
        }
        let checked = place.run("index check pages old.jsonl --quiet").ok().json();
        for line in &checked {
            let member = members.iter().find(|member| member.0 == line["id"]);
            match member {
                None => assert_eq!((&line["verdict"], &line["match"]), (&json!("exact"), &line["id"])),
                Some((_, keeper, similarity)) => {
                    assert_eq!(
                        (&text_of(&line["match"]), &rounded(&line["similarity"])),
                        (keeper, similarity)
                    );
                }
            }
        }
    }
}

#[test]
fn what_does_not_go_together_is_said() {
    let place = Place::new();
    pages(&place);
    place.write("more.jsonl", line("x", &prose("alpha", 60)) + &line("y", &prose("delta", 60)));
    place.dedup("pages.jsonl");
    place.run("index import seen out").ok();
    place.run("index import seen out").fails(2, &["already holds something"]);
    place
        .run("dedup more.jsonl --against seen --threshold 0.7 --shingle word:3 --output no")
        .fails(2, &["another plan", "threshold is 0.8 in the index and 0.7 here", "shingle"]);
    place
        .run("dedup more.jsonl --against seen --cluster components --output no")
        .fails(2, &["--against", "--cluster star"]);
    place.run("dedup more.jsonl --against nowhere --output no").fails(2, &["no index is here"]);
    let holder = Index::open(&place.path("seen"), Options::default()).unwrap();
    place
        .run("dedup more.jsonl --against seen --output no")
        .fails(2, &["another process has this index open"]);
    drop(holder);
    let run = place.dedup_to("more.jsonl --against seen", "next");
    let line = &run.removed()[0];
    assert_eq!(
        (&line["id"], &line["kind"], &line["keeper"]["id"], &line["index"]),
        (&json!("x"), &json!("exact"), &json!("a"), &json!("seen"))
    );
    let why = place.run("explain next x").ok();
    assert!(why.text().contains("removed: exact") && why.text().contains("a (seen at 0)"), "{}", why.text());
    // A run that was held against an index becomes an index of its own documents.
    let summary = place.run("index import later next").ok().json();
    assert_eq!((&summary[0]["documents"], &summary[0]["members_of_other_indexes"]), (&json!(1), &json!(1)));
    place.write("pages.jsonl", common::line("a", "changed"));
    place.run("index import again out").fails(2, &["pages.jsonl", "changed since"]);
    assert!(!place.path("again").exists());
}

fn pages(place: &Place) {
    let lines = [
        line("a", &prose("alpha", 60)),
        line("b", &prose("beta", 60)),
        line("c", &prose("alpha", 60)),
        line("d", &edited("alpha", 60, &[50])),
        line("e", ""),
    ];
    place.write("pages.jsonl", lines.concat());
}

#[test]
fn documents_come_in_and_out() {
    let place = Place::new();
    pages(&place);
    place.run("index create pages").ok();
    let lines = place.run("index add pages pages.jsonl --seen 1000").ok().json();
    let verdicts: Vec<String> = lines.iter().map(|line| text_of(&line["verdict"])).collect();
    assert_eq!(verdicts, ["new", "new", "exact", "near", "new"]);
    assert_eq!(
        (&lines[2]["match"], &lines[3]["match"], &lines[0]["match"]),
        (&json!("a"), &json!("a"), &Value::Null)
    );
    assert_eq!((&lines[2]["rule"], &lines[3]["rule"]), (&json!("exact"), &json!("minhash")));
    let again = place.run("index add pages pages.jsonl --seen 2000").ok().json();
    assert!(again.iter().all(|line| line["known"] == true));
    let stored = place.run("index get pages a d").ok().json();
    assert_eq!(
        (&stored[0]["members"], &stored[0]["last_seen"], &stored[0]["first_seen"]),
        (&json!(2), &json!(2000), &json!(1000))
    );
    assert_eq!((&stored[1]["keeper"], &stored[1]["shingles"]), (&json!("a"), &json!(56)));
    place.write(
        "web.jsonl",
        "{\"url\": \"HTTP://www.Example.org:80/a/?b=1#c\", \"text\": \"a page of the web\"}\n",
    );
    place.run("index add pages web.jsonl").ok();
    let stored = place.run("index get pages HTTP://www.Example.org:80/a/?b=1#c").ok().json();
    let key = place.run("url HTTP://www.Example.org:80/a/?b=1#c --key").ok();
    assert_eq!(text_of(&stored[0]["key"]), key.text().trim());
    place.run("index remove pages HTTP://www.Example.org:80/a/?b=1#c").ok();
    let missing = place.run("index get pages a nobody");
    assert_eq!((missing.code, missing.json().len()), (Some(1), 1));
    assert!(missing.stderr.contains("nobody"));
    let removed = place.run("index remove pages a").ok().json();
    assert_eq!(removed, [json!({"id": "a", "removed": 1})]);
    // The first member has taken its place, and the other was decided anew.
    let stored = place.run("index get pages c d").ok().json();
    assert_eq!((&stored[0]["keeper"], &stored[1]["keeper"]), (&Value::Null, &json!("c")));
    place.run("index touch pages b --seen 5000").ok();
    let expired = place.run("index expire pages --older-than 1h").ok().json();
    assert_eq!(expired[0]["removed"], 4);
    assert_eq!(place.run("index export pages").ok().json().len(), 0);
    place.run("index verify pages").ok();
}

#[test]
fn a_check_answers_and_changes_nothing() {
    let place = Place::new();
    pages(&place);
    place.run("index create pages").ok();
    let before = place.run("index check pages pages.jsonl --quiet").ok();
    assert!(
        before.json().iter().all(|line| line["verdict"] == "new"),
        "documents of one check do not see each other"
    );
    place.run("index add pages pages.jsonl").ok();
    let after = place.run("index check pages pages.jsonl --all");
    assert_eq!(after.code, Some(0));
    assert_eq!(after.json()[3]["matches"][0]["match"], "a");
    let stats = place.run("index stats pages --json").ok().json();
    assert_eq!((&stats[0]["documents"], &stats[0]["members"]), (&json!(5), &json!(2)));
    assert!(place.run("index stats pages").ok().text().contains("5: 3 keepers, 2 members"));
}

/// The verdict is that of the keeper a document would join, the first that came; all of them are told the most alike first.
#[test]
fn all_matches_are_ranked() {
    let place = Place::new();
    place.write(
        "kept.jsonl",
        line("first", &prose("w", 60)) + &line("closer", &edited("w", 60, &[10, 20, 30])),
    );
    place.write("asked.jsonl", line("asked", &edited("w", 60, &[10, 20])));
    place.run("index create pages --threshold 0.6").ok();
    let added = place.run("index add pages kept.jsonl").ok().json();
    assert!(added.iter().all(|line| line["verdict"] == "new"), "{added:?}");
    let answer = place.run("index check pages asked.jsonl --all").ok().json().remove(0);
    assert_eq!((&answer["verdict"], &answer["match"]), (&json!("near"), &json!("first")));
    let ranked: Vec<&Value> =
        answer["matches"].as_array().unwrap().iter().map(|each| &each["match"]).collect();
    assert_eq!(ranked, ["closer", "first"]);
}

/// Both codings answer alike, and the statistics tell of each what coding makes of it.
#[test]
fn codings_of_tables_answer_alike() {
    let place = Place::new();
    let pages: String = (0..300).map(|n| line(&format!("p{n}"), &prose(&format!("word{n}"), 40))).collect();
    place.write("pages.jsonl", pages);
    let mut told = Vec::new();
    for (name, flag) in [("plain", ""), ("coded", "--coding coded")] {
        place.run(&format!("index create {name} --distance 3 {flag}")).ok();
        place.run(&format!("index add {name} pages.jsonl --quiet")).ok();
        place.run(&format!("index compact {name}")).ok();
        let stats = place.run(&format!("index stats {name} --json")).ok().json().remove(0);
        assert_eq!(stats["settings"]["coding"], name);
        let text = place.run(&format!("index stats {name}")).ok().text().to_owned();
        assert!(
            text.contains(&format!("4, {name}, ")) && text.contains("64 a fingerprint before coding"),
            "{text}"
        );
        let verdicts = place.run(&format!("index check {name} pages.jsonl")).ok().json();
        told.push((stats["key_bits"].clone(), stats["table_bytes"].as_u64().unwrap(), verdicts));
    }
    assert_eq!(told[0].0, told[1].0);
    assert!(told[0].0["coded"].as_f64().unwrap() < 64.0, "{}", told[0].0);
    assert!(told[0].1 > told[1].1);
    assert_eq!(told[0].2, told[1].2);
}

#[test]
fn another_process_is_refused_at_once() {
    let place = Place::new();
    pages(&place);
    place.run("index create pages").ok();
    let holder = Index::open(&place.path("pages"), Options::default()).unwrap();
    for verb in ["get pages a", "check pages pages.jsonl", "add pages pages.jsonl"] {
        place.run(&format!("index {verb}")).fails(2, &["another process has this index open"]);
    }
    drop(holder);
    place.run("index add pages pages.jsonl").ok();
    place.run("index get pages a").ok();
    place.run("index create pages").fails(2, &["already holds something"]);
    place.run("index stats nowhere").fails(2, &["no index is here"]);
}

#[test]
fn copies_hold_what_the_original_holds() {
    let place = Place::new();
    pages(&place);
    place.write("more.jsonl", line("f", &prose("gamma", 60)) + &line("g", &edited("beta", 60, &[3])));
    for (name, input) in [("one", "pages.jsonl"), ("two", "more.jsonl")] {
        place.run(&format!("index create {name}")).ok();
        place.run(&format!("index add {name} {input} --seen 7")).ok();
    }
    place.run("index backup one copy").ok();
    place.run("index restore copy again").ok();
    let export = |name: &str| place.run(&format!("index export {name}")).ok().stdout;
    assert_eq!(export("one"), export("again"));
    place.run("index backup one copy").fails(2, &["already holds something"]);
    assert_eq!(place.run("index merge one two").ok().json(), [json!({"new": 1, "documents": 7})]);
    assert_eq!(place.run("index get one g").ok().json()[0]["keeper"], "b");
    place.run("index compact one").ok();
    assert_eq!(place.run("index stats one --json").ok().json()[0]["segments"], 1);
    place.run("index verify one").ok();
    place.run("index create three --threshold 0.5").ok();
    place.run("index merge three two").fails(2, &["another plan", "threshold"]);
}

#[test]
fn fingerprints_are_looked_up_and_drawn() {
    let place = Place::new();
    pages(&place);
    place.run("index create pages --distance 3").ok();
    let lines = place.run("index add pages pages.jsonl").ok().json();
    assert_eq!(lines[2]["verdict"], "exact");
    let of = |id: &str| text_of(&place.run(&format!("index get pages {id}")).ok().json()[0]["fingerprint"]);
    let near = u64::from_str_radix(&of("a"), 16).unwrap() ^ 0b1011;
    place.write(
        "queries.tsv",
        format!("id\tfingerprint\nnear\t{near:016x}\nfar\t{:016x}\nb\t{}\n", !near, of("b")),
    );
    let found = place.run("index query-batch pages queries.tsv --quiet").ok();
    assert_eq!(found.text(), "query\tid\tdistance\nnear\ta\t3\nb\tb\t0\n");
    place.write("wrong.tsv", "xyz\n");
    place
        .run("index query-batch pages wrong.tsv")
        .fails(2, &["wrong.tsv", "line 1", "16 hexadecimal digits"]);
    place.run("index pictures pages --output drawn").ok();
    for name in ["leading.svg", "buckets.svg", "leading.tsv", "buckets.tsv", "spikes.tsv"] {
        assert!(!fs_err::read(place.path("drawn").join(name)).unwrap().is_empty());
    }
    let plan = place.run("index plan --documents 8000000000 --json").ok().json();
    let tables: Vec<u64> =
        plan[0]["plans"].as_array().unwrap().iter().map(|p| p["tables"].as_u64().unwrap()).collect();
    assert_eq!(tables.len(), 4);
    assert_ne!(tables[0], 4);
    assert!(place.run("index plan --documents 1000000").ok().text().contains("1 of 4 blocks agrees"));
    place.run("index create far --distance 8").fails(2, &["--distance", "at most 7"]);
}

#[test]
fn a_damaged_store_is_named_and_no_panic_is_seen() {
    let place = Place::new();
    let pages: Vec<String> = (0..30).map(|n| line(&format!("p{n}"), &prose(&format!("t{n}x"), 60))).collect();
    place.write("pages.jsonl", pages.concat());
    place.run("index create seen").ok();
    place.run("index add seen pages.jsonl").ok();
    let bytes = fs_err::read(place.path("seen/store.redb")).unwrap();
    let mut unexpected = 0;
    for (number, page) in
        bytes.chunks(4096).enumerate().filter(|(_, page)| page.iter().any(|&byte| byte != 0))
    {
        let mut changed = bytes.clone();
        changed[number * 4096..][..page.len().min(16)].iter_mut().for_each(|byte| *byte ^= 0xff);
        place.write("seen/store.redb", changed);
        let ran = place.run("index verify seen");
        assert!(!ran.stderr.contains("panicked"), "page {number}: {}", ran.stderr);
        // Some pages are of no use any more, and of some the rows tell that they are others.
        if !matches!(ran.code, Some(0 | 1)) {
            unexpected += usize::from(ran.stderr.contains("seen/store.redb: damaged in a way"));
            ran.fails(2, &["seen/store.redb"]);
        }
    }
    assert!(unexpected > 2, "the engine gave up {unexpected} times");
}
