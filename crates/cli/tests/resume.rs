//! A killed run goes on from its last finished piece, to the same bytes.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::shim::{SIGKILL, Shim};
use common::{Place, assert_same_output, difference, four_documents, line, prose};
use onefold_testkit::{Compression, Corpus, write_jsonl, write_wet};
use std::time::Duration;

/// Inputs of several kinds; small, but of every stage.
fn inputs(place: &Place) {
    let corpus = Corpus { mean_words: 60.0, vocabulary: 5_000, ..Corpus::new(250) };
    fs_err::create_dir(place.path("in")).unwrap();
    write_jsonl(&corpus, place.path("in/a.jsonl")).unwrap();
    write_wet(&Corpus { seed: 2, ..corpus.clone() }, place.path("in/b.wet.gz"), Compression::Gzip(6))
        .unwrap();
    let text = fs_err::read(place.path("in/a.jsonl")).unwrap();
    place.write("in/c.jsonl.gz", common::compressed::gzip(&text));
}

/// Kills a run before its step `at`, resumes it, and compares the result with that of an undisturbed run.
fn killed_and_resumed(place: &Place, shim: &Shim, flags: &str, at: u64) -> Option<String> {
    let arguments = format!("dedup in {flags} --output killed");
    let killed = shim.signalled(place, &arguments, "", SIGKILL, at).output().unwrap();
    let fault = if killed.status.success() {
        // Threads take steps in any order: the last of them may not come.
        None
    } else {
        assert_eq!(killed.status.code(), None, "step {at}: {}", String::from_utf8_lossy(&killed.stderr));
        let left: Vec<_> = fs_err::read_dir(place.path("killed"))
            .map(|entries| entries.map(|entry| entry.unwrap().file_name()).collect())
            .unwrap_or_default();
        let resumed = place.run(&format!("{arguments} --resume"));
        let fault = if resumed.code == Some(0) {
            difference(&place.path("whole"), &place.path("killed"))
        } else {
            Some(format!("exit {:?}: {}", resumed.code, resumed.stderr))
        };
        let stray = common::tree(&place.path("temp"));
        let fault = fault.or((!stray.is_empty()).then(|| format!("left in --temp: {:?}", stray.keys())));
        fault.map(|fault| format!("killed at step {at} {flags}, which left {left:?}: {fault}"))
    };
    for folder in ["killed", "temp"] {
        let _ = fs_err::remove_dir_all(place.path(folder));
    }
    fault
}

#[test]
fn a_run_killed_at_any_step_ends_in_the_same_bytes() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    inputs(&place);
    let mut faults = Vec::new();
    for flags in ["", "--temp temp --threads 1 --evidence parquet"] {
        let steps = shim.steps(&place, &format!("dedup in {flags} --output whole"), "");
        assert!(steps > 20, "{steps} steps");
        // Every step of the end, where outputs get their names, and some of the way there.
        let early = (1..steps).step_by((steps as usize / 6).max(1));
        for at in early.chain(steps.saturating_sub(24)..=steps) {
            faults.extend(killed_and_resumed(&place, &shim, flags, at));
        }
        fs_err::remove_dir_all(place.path("whole")).unwrap();
    }
    assert!(faults.is_empty(), "{} of them: {faults:#?}", faults.len());
}

#[test]
fn a_run_killed_by_the_clock_ends_in_the_same_bytes() {
    let place = Place::new();
    let corpus = Corpus { mean_words: 100.0, vocabulary: 5_000, ..Corpus::new(4000) };
    fs_err::create_dir(place.path("in")).unwrap();
    for number in 0..4 {
        let corpus = Corpus { seed: number, ..corpus.clone() };
        write_jsonl(&corpus, place.path(format!("in/{number}.jsonl"))).unwrap();
    }
    place.dedup_to("in", "whole");
    for milliseconds in [20, 60, 150, 400] {
        let mut child = place.start(&mut place.command("dedup in --output killed"));
        std::thread::sleep(Duration::from_millis(milliseconds));
        let _ = child.kill();
        child.wait().unwrap();
        place.run("dedup in --output killed --resume").ok();
        assert_same_output(&place.path("whole"), &place.path("killed"));
        // And again while it resumes.
        fs_err::remove_dir_all(place.path("killed")).unwrap();
        for _ in 0..3 {
            let mut child = place.start(&mut place.command("dedup in --output killed --resume"));
            std::thread::sleep(Duration::from_millis(milliseconds));
            let _ = child.kill();
            child.wait().unwrap();
        }
        place.run("dedup in --output killed --resume").ok();
        assert_same_output(&place.path("whole"), &place.path("killed"));
        fs_err::remove_dir_all(place.path("killed")).unwrap();
    }
}

#[test]
fn a_killed_run_that_was_to_overwrite_another_is_resumed_and_not_the_other() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    inputs(&place);
    place.dedup("in");
    place.dedup_to("in --threshold 0.6", "plain");
    let forced = "dedup in --threshold 0.6 --output out --force";
    let killed = shim.signalled(&place, forced, "out", SIGKILL, 12).output().unwrap();
    assert_eq!(killed.status.code(), None);
    place.run(&format!("{forced} --resume")).ok();
    assert_same_output(&place.path("plain"), &place.path("out"));
}

#[test]
fn a_run_that_writes_into_its_own_input_is_resumed() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    inputs(&place);
    place.dedup_to("in", "plain");
    // All but the manifest, whose notes tell what was left aside.
    let result = |output: &str| {
        let mut tree = common::tree(&place.path(output));
        tree.retain(|name, _| !name.ends_with("manifest.json"));
        tree
    };
    let same = |output: &str| assert!(result(output) == result("plain"), "{output}");
    for (output, temp) in [("in/out", ""), ("elsewhere", "--temp in/temp"), ("in/other", "--temp in/temp")] {
        let run = format!("dedup in --output {output} {temp}");
        let steps = shim.steps(&place, &run, output);
        fs_err::remove_dir_all(place.path(output)).unwrap();
        let killed = shim.signalled(&place, &run, output, SIGKILL, steps / 2).output().unwrap();
        assert_eq!(killed.status.code(), None, "{run}");
        place.run(&format!("{run} --resume")).ok();
        same(output);
        // What it wrote is no input of it when it is run again, nor is what a run that was stopped left elsewhere.
        let again = place.run(&format!("{run} --resume")).ok();
        assert!(again.stderr.contains("finished before"), "{}", again.stderr);
        place.run(&format!("{run} --force")).ok();
        same(output);
        fs_err::remove_dir_all(place.path(output)).unwrap();
    }
    let killed =
        shim.signalled(&place, "dedup in --output in/dead", "in/dead", SIGKILL, 12).output().unwrap();
    assert_eq!(killed.status.code(), None);
    let run = place.dedup("in");
    assert!(run.manifest()["notes"].to_string().contains("in/dead/.onefold: what a run writes"));
    same("out");
}

#[test]
fn finished_pieces_are_not_read_again() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    inputs(&place);
    let steps = shim.steps(&place, "dedup in --output out --threads 1", "out");
    fs_err::remove_dir_all(place.path("out")).unwrap();
    let killed =
        shim.signalled(&place, "dedup in --output out --threads 1", "out", SIGKILL, steps / 2).output();
    assert_eq!(killed.unwrap().status.code(), None);
    let again = shim.steps(&place, "dedup in --output out --threads 1 --resume", "out");
    assert!(again < steps, "{again} steps to resume, {steps} from the beginning");
}

#[test]
fn with_nothing_to_resume_it_starts_from_the_beginning() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    place.dedup_to("a.jsonl", "plain");
    place.dedup_to("a.jsonl --resume", "resumed").counted(4, 2, 2, 0);
    assert_same_output(&place.path("plain"), &place.path("resumed"));
    fs_err::create_dir(place.path("empty")).unwrap();
    place.dedup_to("a.jsonl --resume", "empty").counted(4, 2, 2, 0);
    // A folder with other things in it is not a run.
    place.write("mine/note.txt", "mine");
    place.run("dedup a.jsonl --resume --output mine").fails(2, &["mine"]);
}

#[test]
fn a_finished_run_is_left_as_it_is() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    place.dedup("a.jsonl");
    let before = common::tree(&place.path("out"));
    let ran = place.run("dedup a.jsonl --output out --resume").ok();
    assert!(ran.stderr.contains("finished"), "{}", ran.stderr);
    assert_eq!(common::tree(&place.path("out")), before);
    let ran = place.run("dedup a.jsonl --output out --resume --json --quiet").ok();
    assert_eq!(ran.json()[0]["counts"]["removed"], 2);
}

/// Starts a run and kills it in its last third.
fn interrupted(place: &Place, shim: &Shim, arguments: &str) {
    let steps = shim.steps(place, &format!("{arguments} --output whole"), "whole");
    fs_err::remove_dir_all(place.path("whole")).unwrap();
    let arguments = format!("{arguments} --output out");
    let killed = shim.signalled(place, &arguments, "out", SIGKILL, steps / 2).output().unwrap();
    assert_eq!(killed.status.code(), None);
    assert!(!place.path("out/manifest.json").exists());
}

#[test]
fn a_changed_plan_is_an_error() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    inputs(&place);
    interrupted(&place, &shim, "dedup in --threads 1");
    let changes = [
        "--threshold 0.7",
        "--method exact",
        "--keep longest",
        "--cluster components",
        "--shingle word:3",
        "--raw",
        "--signature 64",
        "--recall 0.5",
        "--max-bucket 5",
        "--text-field body",
        "--max-document 1MiB",
        "--annotate",
        "--evidence parquet",
    ];
    for change in changes {
        place.run(&format!("dedup in --output out --resume {change}")).fails(2, &["out", "changed"]);
    }
    // What does not decide a verdict may change.
    place.run("dedup in --output out --resume --threads 3 --memory 200MiB --quiet").ok();
}

#[test]
fn a_changed_input_is_an_error() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    for change in ["longer", "same size", "more", "fewer"] {
        let place = Place::new();
        inputs(&place);
        interrupted(&place, &shim, "dedup in --threads 1");
        let mut bytes = fs_err::read(place.path("in/a.jsonl")).unwrap();
        match change {
            "longer" => bytes.extend_from_slice(line("new", "some words").as_bytes()),
            "same size" => {
                let at = bytes.len() / 2;
                bytes[at] = if bytes[at] == b'a' { b'b' } else { b'a' };
            }
            "more" => drop(place.write("in/d.jsonl", line("new", "some words"))),
            _ => fs_err::remove_file(place.path("in/b.wet.gz")).unwrap(),
        }
        fs_err::write(place.path("in/a.jsonl"), &bytes).unwrap();
        place.run("dedup in --output out --resume").fails(2, &["out", "changed"]);
        assert!(!place.path("out/manifest.json").exists());
        // The hint works.
        place.run("dedup in --output out --force").ok();
    }
}

#[test]
fn a_finished_run_of_another_plan_or_input_is_an_error() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    place.dedup("a.jsonl");
    place.run("dedup a.jsonl --output out --resume --threshold 0.5").fails(2, &["out", "changed"]);
    place.run("dedup a.jsonl --output out --resume --annotate").fails(2, &["out", "changed"]);
    place.run("dedup a.jsonl --output out --resume --evidence parquet").fails(2, &["out", "changed"]);
    place.write("b.jsonl", four_documents());
    place.run("dedup b.jsonl --output out --resume").fails(2, &["out", "changed"]);
    place.run("dedup a.jsonl b.jsonl --output out --resume").fails(2, &["out", "changed"]);
    place.write("a.jsonl", four_documents() + &line("new", &prose("new", 30)));
    place.run("dedup a.jsonl --output out --resume").fails(2, &["out", "changed"]);
}

#[test]
fn without_resume_a_killed_run_is_begun_anew() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    inputs(&place);
    interrupted(&place, &shim, "dedup in --threads 1");
    // Nothing but the hidden folder is there, so nothing is overwritten.
    place.run("dedup in --output out --threshold 0.7").ok();
    place.dedup_to("in --threshold 0.7", "plain");
    assert_same_output(&place.path("plain"), &place.path("out"));
}

#[test]
fn what_another_run_staged_is_never_taken_for_ones_own() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    inputs(&place);
    let arguments = "dedup in --threads 1 --temp one --output out";
    let steps = shim.steps(&place, arguments, "out");
    fs_err::remove_dir_all(place.path("out")).unwrap();
    // Kept files are staged below the output, the rest of the work is below --temp.
    let killed = shim.signalled(&place, arguments, "out", SIGKILL, steps * 2 / 3).output().unwrap();
    assert_eq!(killed.status.code(), None);
    assert!(!common::tree(&place.path("one")).is_empty(), "the work is below --temp");
    assert!(!place.path("out/.onefold/work").exists());
    let text = fs_err::read_to_string(place.path("in/a.jsonl")).unwrap();
    place.write("in/a.jsonl", text.split_inclusive('\n').skip(50).collect::<String>());
    place.dedup_to("in", "plain");
    let ran = place.run("dedup in --temp two --output out --resume");
    match ran.code {
        Some(0) => assert_same_output(&place.path("plain"), &place.path("out")),
        _ => drop(ran.fails(2, &["changed"])),
    }
}

#[test]
fn a_piece_that_was_damaged_is_not_believed() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    inputs(&place);
    place.dedup_to("in --threads 1", "plain");
    interrupted(&place, &shim, "dedup in --threads 1");
    let mut damaged = 0;
    for (name, mut bytes) in common::tree(&place.path("out/.onefold/work")) {
        if name.to_string_lossy().contains("piece") && bytes.len() > 64 {
            let at = bytes.len() / 2;
            bytes[at] ^= 0x10;
            fs_err::write(place.path("out/.onefold/work").join(name), bytes).unwrap();
            damaged += 1;
        }
    }
    assert!(damaged > 0, "a killed run leaves pieces");
    // Either it says so, or it reads that piece again; never another result.
    let ran = place.run("dedup in --threads 1 --output out --resume");
    match ran.code {
        Some(0) => assert_same_output(&place.path("plain"), &place.path("out")),
        _ => drop(ran.fails(2, &["out"])),
    }
}

#[test]
fn what_is_to_be_overwritten_is_nothing_to_resume() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    place.dedup_to("a.jsonl --threshold 0.9", "out");
    place.run("dedup a.jsonl --output out --resume").fails(2, &["changed"]);
    place.run("dedup a.jsonl --output out --resume --force").ok();
    place.dedup_to("a.jsonl", "plain");
    assert_same_output(&place.path("plain"), &place.path("out"));
}
