//! `onefold tune` shows which pairs bands and sketches find, and what they cost on a corpus.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::{Place, close, data, edited, line, prose, text_of};
use serde_json::Value;

fn json(place: &Place, arguments: &str) -> Value {
    place.run(&format!("tune --json {arguments}")).ok().json().remove(0)
}

fn named<'a>(value: &'a Value, name: &str) -> &'a Value {
    let candidates = value["candidates"].as_array().unwrap();
    candidates.iter().find(|candidate| candidate["name"] == name).unwrap()
}

#[test]
fn bands_are_those_that_dedup_chooses() {
    let place = Place::new();
    for (threshold, recall) in [("0.8", "0.99"), ("0.5", "0.9"), ("0.95", "0.999")] {
        let flags = format!("--threshold {threshold} --recall {recall}");
        let tuned = json(&place, &flags);
        place.write("a.jsonl", line("a", "one text"));
        let plan = place.run(&format!("dedup a.jsonl --plan --json {flags}")).ok().json().remove(0);
        let chosen = named(&tuned, "chosen");
        assert_eq!((&chosen["bands"], &chosen["rows"]), (&plan["bands"], &plan["rows"]));
        let found = chosen["at"]["probability"].as_f64().unwrap();
        assert!(found >= recall.parse().unwrap());
        // One row more would find too little.
        assert!(named(&tuned, "stricter")["at"]["probability"].as_f64().unwrap() < recall.parse().unwrap());
    }
}

#[test]
fn the_curves_are_those_of_their_formulas() {
    let place = Place::new();
    let tuned = json(&place, "--bands 20 --rows 5 --threshold 0.83");
    assert_eq!(tuned["recall"], Value::Null);
    let curve = tuned["curve"].as_array().unwrap();
    assert_eq!(curve.len(), 22);
    for point in curve {
        let s = point["s"].as_f64().unwrap();
        close(&point["bands"]["chosen"], 1.0 - (1.0 - s.powi(5)).powi(20));
        close(&point["bands"]["looser"], 1.0 - (1.0 - s.powi(4)).powi(25));
        close(&point["bands"]["stricter"], 1.0 - (1.0 - s.powi(6)).powi(16));
    }
    let at = |s: f64| curve.iter().find(|point| (point["s"].as_f64().unwrap() - s).abs() < 1e-9).unwrap();
    assert!(at(0.83)["bands"]["chosen"].is_number());
    let sketch = |s: f64, rule: &str| format!("{:.3}", at(s)["sketches"][rule].as_f64().unwrap());
    assert_eq!([sketch(0.9, "90/100"), sketch(0.95, "90/100")], ["0.583", "0.989"]);
    // The other classic rule: at 0.8 the middle of the distribution.
    assert!(at(0.8)["sketches"]["160/200"].as_f64().unwrap() > 0.5);
    let one = json(&place, "--sketch 1/2");
    let half = &one["curve"].as_array().unwrap()[10];
    close(&half["sketches"]["1/2"], 0.75);
    assert_eq!(half["sketches"].as_object().unwrap().len(), 1);
}

#[test]
fn the_table_and_the_plots_fit_eighty_columns() {
    let place = Place::new();
    let ran = place.run("tune").ok();
    let text = ran.text();
    assert!(
        text.contains("0.80    1.0000    0.9983    0.9855      0.0057      0.5422  <- threshold"),
        "{text}"
    );
    assert!(text.contains("chosen         21      6                21"), "{text}");
    let plotted: Vec<&str> =
        text.lines().filter(|line| line.starts_with("    │") || line.contains('┤')).collect();
    assert_eq!(plotted.len(), 28, "two plots of fourteen lines");
    assert!(plotted.iter().all(|line| line.chars().count() <= 80));
    assert!(plotted.iter().any(|line| line.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c))));
    assert!(!text.contains('\u{1b}'), "no colour where there is no terminal");
}

#[test]
fn the_picture_is_whole_and_is_not_overwritten() {
    let place = Place::new();
    place.run("tune --svg curve.svg --quiet").ok();
    let svg = fs_err::read_to_string(place.path("curve.svg")).unwrap();
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    assert!(svg.ends_with("</svg>\n"));
    for part in ["prefers-color-scheme: dark", "resemblance s of a pair", "probability that it is found"] {
        assert!(svg.contains(part), "{part}");
    }
    for label in ["chosen: 21 bands of 6 rows", "90 of 100 entries agree", "160 of 200 entries agree"] {
        assert!(svg.contains(label), "{label}");
    }
    // Nothing is loaded from elsewhere.
    assert!(!svg.contains("href") && !svg.contains("url(") && svg.matches("http").count() == 1);
    // Every tag that is opened is closed.
    let count = |pattern: &str| svg.matches(pattern).count();
    assert_eq!(count("<text"), count("</text>"));
    assert_eq!(count("<path") + count("<rect"), count("/>"));
    place.run("tune --svg curve.svg").fails(2, &["curve.svg", "--force"]);
    place.run("tune --svg curve.svg --force").ok();
    place.run("tune --svg nowhere/curve.svg").fails(2, &["nowhere/curve.svg"]);
}

#[test]
fn on_a_small_corpus_all_pairs_are_compared() {
    let place = Place::new();
    let lines = [
        line("a", &prose("alpha", 200)),
        line("b", &edited("alpha", 200, &[199])),
        line("copy", &prose("alpha", 200)),
        line("c", &edited("alpha", 200, &[40, 80, 120, 160])),
        line("d", &prose("delta", 200)),
        line("empty", "…"),
    ];
    place.write("a.jsonl", lines.concat());
    let tuned = json(&place, "a.jsonl --signature 256 --quiet");
    let corpus = &tuned["corpus"];
    assert_eq!(
        (&corpus["documents"], &corpus["texts"], &corpus["sampled"]),
        (&6.into(), &4.into(), &4.into())
    );
    assert_eq!(corpus["pairs_per_sampled_pair"], 1.0);
    let bins = corpus["histogram"].as_array().unwrap();
    let pairs: f64 = bins.iter().map(|bin| bin["pairs"]["expected"].as_f64().unwrap()).sum();
    assert!((pairs - 6.0).abs() < 1e-9);
    // The stranger makes three pairs that share nothing.
    close(&bins[0]["pairs"]["expected"], 3.0);
    assert!(bins[19]["pairs"]["expected"].as_f64().unwrap() >= 1.0, "{bins:?}");
    let chosen = &named(&tuned, "chosen")["corpus"];
    let candidates = chosen["candidates"]["expected"].as_f64().unwrap();
    assert!((2.9..3.1).contains(&candidates), "{candidates}");
    assert_eq!(chosen["sample_candidates"], 3);
    assert_eq!(chosen["candidates"]["standard_error"], 0.0);
    let bands = named(&tuned, "chosen")["bands"].as_u64().unwrap();
    assert_eq!(chosen["key_bytes"], 6 * bands * 12);
}

#[test]
fn a_sample_tells_of_the_whole_within_its_error() {
    let place = Place::new();
    let path = data("mdn/docs.jsonl.gz");
    let whole = json(&place, &format!("{} --quiet", path.display()));
    let part = json(&place, &format!("{} --quiet --sample 250", path.display()));
    let (all, sampled) = (&whole["corpus"], &part["corpus"]);
    assert_eq!(all["texts"], sampled["texts"]);
    assert_eq!(sampled["sampled"], 250);
    assert!(sampled["pairs_per_sampled_pair"].as_f64().unwrap() > 4.0);
    for name in ["looser", "chosen", "stricter"] {
        let of =
            |value: &Value, part: &str| named(value, name)["corpus"]["candidates"][part].as_f64().unwrap();
        let (truth, found, error) =
            (of(&whole, "expected"), of(&part, "expected"), of(&part, "standard_error"));
        assert!(
            error > 0.0 && (found - truth).abs() < 4.0 * error,
            "{name}: {found} ± {error}, in truth {truth}"
        );
        // On the whole corpus what is expected is what meets, but for chance.
        let met = named(&whole, name)["corpus"]["sample_candidates"].as_f64().unwrap();
        assert!((met - truth).abs() < 4.0 * truth.sqrt(), "{name}: {met} met, {truth} expected");
        let vain = named(&whole, name)["corpus"]["false_candidates"]["expected"].as_f64().unwrap();
        assert!(vain < truth);
    }
    let again = json(&place, &format!("{} --quiet --sample 250 --threads 1", path.display()));
    assert_eq!(again["corpus"]["histogram"], sampled["histogram"]);
}

#[test]
fn a_corpus_is_described_in_words() {
    let place = Place::new();
    let path = data("mdn/docs.jsonl.gz");
    let ran = place.run(&format!("tune {} --sample 200", path.display())).ok();
    for part in
        ["699 documents", "200 texts", "±", "false ones", "share a bucket", "keys", "95 %", "measured now"]
    {
        assert!(ran.text().contains(part), "{part}: {}", ran.text());
    }
    place.write("one.txt", "a single text");
    assert!(place.run("tune one.txt").ok().text().contains("too few"));
    let ran = place.run_with_input("tune - --json --quiet", line("a", "one text").as_bytes()).ok();
    assert_eq!(ran.json()[0]["corpus"]["texts"], 1);
    assert_eq!(text_of(&ran.json()[0]["candidates"][1]["name"]), "chosen");
}

#[test]
fn what_cannot_be_is_said() {
    let place = Place::new();
    for (flags, says) in [
        ("--threshold 1.5", "threshold"),
        ("--threshold nan", "threshold"),
        ("--recall 1", "recall"),
        ("--signature 0", "signature"),
        ("--bands 20", "--rows"),
        ("--bands 20 --rows 20", "--bands 20 of --rows 20 need 400 values"),
        ("--bands 18446744073709551615 --rows 2", "signature"),
        ("--bands 0 --rows 2", "--bands"),
        ("--sketch 101/100", "K/N"),
        ("--sample 1", "sample"),
        ("--force", "--svg"),
        ("nowhere.jsonl", "nowhere.jsonl"),
    ] {
        place.run(&format!("tune {flags}")).fails(2, &[says]);
    }
}
