//! Disk full, read errors and Ctrl-C leave no half-written output and a clear message.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::shim::{SIGINT, SIGTERM, Shim};
use common::{Place, assert_same_output, four_documents, line, prose};
use onefold_testkit::{Corpus, skip, write_jsonl};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than any step of these tests takes on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

fn input(place: &Place) {
    let corpus = Corpus { mean_words: 80.0, vocabulary: 5_000, ..Corpus::new(600) };
    fs_err::create_dir(place.path("in")).unwrap();
    write_jsonl(&corpus, place.path("in/a.jsonl")).unwrap();
    let text = fs_err::read(place.path("in/a.jsonl")).unwrap();
    place.write("in/b.jsonl.gz", common::compressed::gzip(&text[..text.len() / 2]));
}

/// Fails the test if anything but the hidden folder of a stopped run is there.
#[track_caller]
fn nothing_half_written(place: &Place, about: &str) {
    let left: Vec<_> = common::tree(&place.path("out")).into_keys().collect();
    let visible: Vec<_> = left.iter().filter(|path| !path.starts_with(".onefold")).collect();
    assert!(visible.is_empty(), "{about}: {visible:?} is left");
}

#[test]
fn a_full_disk_is_said_and_leaves_nothing_half_written() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    input(&place);
    place.dedup_to("in", "whole");
    let size: usize = fs_err::metadata(place.path("in/a.jsonl")).unwrap().len() as usize;
    let (mut failed, mut without_hint) = (0, Vec::new());
    for room in [0, 100, 5_000, 50_000, 100_000, size / 2, size * 3 / 4, size, size * 5 / 4, size * 3 / 2] {
        for flags in ["", "--evidence parquet"] {
            let mut command = shim.command(&place, &format!("dedup in {flags} --output out"), "out");
            let ran: common::Ran =
                command.env("ONEFOLD_SHIM_ROOM", room.to_string()).output().unwrap().into();
            if ran.code == Some(0) {
                fs_err::remove_dir_all(place.path("out")).unwrap();
                continue;
            }
            failed += 1;
            let about = format!("room for {room} bytes {flags}");
            let ran = ran.fails(2, &["no space left on device", "out"]);
            if !ran.stderr.contains("hint: ") {
                without_hint.push(format!("{about}: {}", ran.stderr));
            }
            nothing_half_written(&place, &about);
            assert!(!place.path("out/.onefold/out").exists(), "{about}");
            // With room again, the run goes on to the same bytes.
            place.run(&format!("dedup in {flags} --output out --resume")).ok();
            if flags.is_empty() {
                assert_same_output(&place.path("whole"), &place.path("out"));
            }
            fs_err::remove_dir_all(place.path("out")).unwrap();
        }
    }
    assert!(failed >= 8, "{failed} runs met a full disk");
    assert!(without_hint.is_empty(), "every message says what to do next: {without_hint:#?}");
}

#[test]
fn a_full_disk_below_temp() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    input(&place);
    fs_err::create_dir(place.path("temp")).unwrap();
    for arguments in ["dedup in --output out --temp temp", "pairs in --temp temp"] {
        let mut command = shim.command(&place, arguments, "temp");
        let ran: common::Ran = command.env("ONEFOLD_SHIM_ROOM", "3000").output().unwrap().into();
        ran.fails(2, &["no space left on device"]);
        nothing_half_written(&place, arguments);
    }
    let mut command = shim.command(&place, "dedup - --output out2 --temp temp", "temp");
    let stdin = fs_err::File::open(place.path("in/a.jsonl")).unwrap().into_file();
    let ran: common::Ran = command.stdin(stdin).env("ONEFOLD_SHIM_ROOM", "3000").output().unwrap().into();
    ran.fails(2, &["no space left on device"]);
    assert!(common::tree(&place.path("out2")).is_empty());
}

#[test]
fn a_real_small_disk_is_refused_or_said_to_be_full() {
    let place = Place::new();
    input(&place);
    fs_err::create_dir(place.path("disk")).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(place.path("disk"))
        .output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return skip("no file system can be mounted here");
    }
    let ran = place.run("dedup in --output disk/out");
    let left: Vec<_> = common::tree(&place.path("disk/out")).into_keys().collect();
    let unmounted = Command::new("umount").arg(place.path("disk")).status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("disk/out"), "{}", ran.stderr);
    assert!(left.iter().all(|path| path.starts_with(".onefold")), "{left:?}");
}

#[test]
fn a_disk_that_cannot_be_read_ends_the_run_with_its_file() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    input(&place);
    for (name, good) in [("a.jsonl", 0), ("a.jsonl", 150_000), ("b.jsonl.gz", 0), ("b.jsonl.gz", 70_000)] {
        let mut command = shim.command(&place, "dedup in --output out", "out");
        command.env("ONEFOLD_SHIM_BROKEN", format!("in/{name}")).env("ONEFOLD_SHIM_GOOD", good.to_string());
        let ran: common::Ran = command.output().unwrap().into();
        // Never counted as a bad record and never taken for the end of the file: the disk may be well again.
        ran.fails(2, &["error: ", name, "input/output error"]);
        nothing_half_written(&place, name);
    }
    place.run("dedup in --output out --resume").ok();
}

#[test]
fn an_interrupt_at_any_step_exits_130_and_leaves_nothing_half_written() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    input(&place);
    let steps = shim.steps(&place, "dedup in --output whole", "whole");
    for at in (1..steps).step_by((steps as usize / 10).max(1)) {
        let ran = shim.signalled(&place, "dedup in --output out", "out", SIGINT, at).output().unwrap();
        let ran: common::Ran = ran.into();
        if ran.code == Some(0) {
            // So late that all was written: then all is there.
            assert_same_output(&place.path("whole"), &place.path("out"));
        } else {
            let ran = ran.fails(130, &["interrupted", "--resume"]);
            assert!(!ran.stderr.contains("No such file"), "{}", ran.stderr);
            nothing_half_written(&place, &format!("step {at} of {steps}"));
            place.run("dedup in --output out --resume").ok();
            assert_same_output(&place.path("whole"), &place.path("out"));
        }
        fs_err::remove_dir_all(place.path("out")).unwrap();
    }
    // What was written when the signal came too late to be heard is whole; one of these is in time.
    let mut codes = Vec::new();
    for at in [steps / 2, steps / 3, steps / 4, 2, 1] {
        let ran = shim.signalled(&place, "dedup in --output out", "out", SIGTERM, at).output().unwrap();
        codes.push(ran.status.code());
        if matches!(ran.status.code(), Some(130 | 143)) {
            nothing_half_written(&place, "SIGTERM");
            return;
        }
        assert_same_output(&place.path("whole"), &place.path("out"));
        fs_err::remove_dir_all(place.path("out")).unwrap();
    }
    panic!("no SIGTERM was heard: {codes:?}");
}

/// Waits until something is so.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < LIMIT, "{what}: not within {LIMIT:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends a signal to a process by its id.
fn signal(name: &str, id: u32) {
    assert!(Command::new("kill").args([name, &id.to_string()]).status().unwrap().success());
}

#[test]
fn an_interrupt_ends_a_long_run_soon() {
    let place = Place::new();
    let corpus = Corpus { mean_words: 200.0, vocabulary: 20_000, ..Corpus::new(100_000) };
    write_jsonl(&corpus, place.path("a.jsonl")).unwrap();
    for arguments in [
        "dedup a.jsonl --output out --threads 1",
        "pairs a.jsonl --threads 1",
        "dedup a.jsonl --output - --threads 1",
    ] {
        let names = || fs_err::read_dir(place.path("")).unwrap().count();
        let before = names();
        let mut child = place.command(arguments);
        let child = place.start(child.env("TMPDIR", place.path("")));
        // It listens to signals before it makes a folder of its own.
        until("a folder of its own", || names() > before);
        std::thread::sleep(Duration::from_millis(50));
        signal("-INT", child.id());
        let since = Instant::now();
        let ran: common::Ran = common::ended(child).into();
        let took = since.elapsed();
        ran.fails(130, &["interrupted"]);
        assert!(took < LIMIT, "{arguments}: {took:?}");
        nothing_half_written(&place, arguments);
        // A pipe leaves nothing in the folder for temporary files.
        let left: Vec<_> =
            fs_err::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        let stray: Vec<_> =
            left.iter().filter(|name| name.to_string_lossy().starts_with("onefold-")).collect();
        assert!(stray.is_empty(), "{arguments}: {stray:?}");
    }
}

#[test]
fn an_interrupt_within_a_record_ends_the_run_soon() {
    let place = Place::new();
    let path = place.write("a.jsonl", line("a", "some words here"));
    // A hole, which takes no disk and minutes to read.
    fs_err::OpenOptions::new().write(true).open(&path).unwrap().set_len(200 << 30).unwrap();
    let child = place.start(&mut place.command("dedup a.jsonl --output out"));
    // It listens from its first milliseconds on, and reads for longer than this test takes.
    std::thread::sleep(Duration::from_secs(1));
    signal("-TERM", child.id());
    let since = Instant::now();
    let ran: common::Ran = common::ended(child).into();
    ran.fails(130, &["interrupted"]);
    assert!(since.elapsed() < LIMIT, "{:?}", since.elapsed());
    nothing_half_written(&place, "a long line");
}

#[test]
fn two_interrupts_at_once_are_told_and_leave_nothing() {
    let place = Place::new();
    let corpus = Corpus { mean_words: 200.0, vocabulary: 20_000, ..Corpus::new(100_000) };
    write_jsonl(&corpus, place.path("a.jsonl")).unwrap();
    for (between_ms, arguments) in [0, 1, 3, 10, 30].into_iter().flat_map(|ms| {
        [
            (ms, "pairs a.jsonl --threads 1 --temp tmp"),
            (ms, "dedup a.jsonl --output - --threads 1 --temp tmp"),
        ]
    }) {
        let child = place.start(&mut place.command(arguments));
        let made = || place.path("tmp").read_dir().is_ok_and(|mut names| names.next().is_some());
        until("a folder of its own", made);
        // As `timeout` does, which sends one to the process and one to its group.
        signal("-TERM", child.id());
        std::thread::sleep(Duration::from_millis(between_ms));
        // It may be gone by now.
        let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).stderr(Stdio::null()).status();
        let ran: common::Ran = common::ended(child).into();
        ran.fails(130, &["interrupted"]);
        assert!(!made(), "{arguments}, {between_ms} ms");
    }
}

#[test]
fn an_interrupt_while_standard_input_is_read_ends_the_run() {
    let place = Place::new();
    let mut command = place.command("dedup - --output out");
    command.stdin(std::process::Stdio::piped()).env("TMPDIR", place.path(""));
    let mut child = place.start(&mut command);
    let stdin = child.stdin.take();
    let id = child.id();
    let is_spooled = || {
        let mut names = fs_err::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().path());
        names.any(|path| path.join("onefold-stdin").exists())
    };
    until("standard input is being read", is_spooled);
    signal("-INT", id);
    let since = Instant::now();
    let mut code = None;
    while since.elapsed() < LIMIT && code.is_none() {
        code = child.try_wait().unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    if code.is_none() {
        child.kill().unwrap();
    }
    child.wait().unwrap();
    drop(stdin);
    assert_eq!(code.expect("it ends while its input stays open").code(), Some(130));
    assert!(!is_spooled());
    nothing_half_written(&place, "standard input");
}

#[test]
fn a_folder_for_temporary_files_is_the_run_s_own() {
    let place = Place::new();
    let good: String = (0..40).map(|n| line(&format!("d{n}"), &prose(&format!("t{n}x"), 60))).collect();
    place.write("a.jsonl", format!("{good}no document\n"));
    place.run("dedup a.jsonl --output out --temp tmp --max-bad-records 0").fails(2, &["--max-bad-records"]);
    let made = || fs_err::read_dir(place.path("tmp")).unwrap().next().unwrap().unwrap().path();
    let work = made();
    assert_eq!(work.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    // Somebody who knows the name has put a link there.
    fs_err::remove_dir_all(&work).unwrap();
    fs_err::create_dir(place.path("theirs")).unwrap();
    fs_err::os::unix::fs::symlink(place.path("theirs"), &work).unwrap();
    let ran = place.run("dedup a.jsonl --output out --temp tmp");
    ran.fails(2, &["another user's or a link", "hint: choose another --temp"]);
    assert_eq!(fs_err::read_dir(place.path("theirs")).unwrap().count(), 0);
    fs_err::remove_file(&work).unwrap();
    place.dedup("a.jsonl --temp tmp");
}

#[test]
fn an_output_that_cannot_be_made_is_an_error_with_its_path() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    place.write("file", "");
    place.run("dedup a.jsonl --output file/out").fails(2, &["file/out"]);
    place.run("dedup a.jsonl --output /proc/nothing/out").fails(2, &["/proc/nothing"]);
}

#[test]
fn a_reader_that_has_gone_is_no_failure_and_a_full_disk_is() {
    let place = Place::new();
    place.write("a.jsonl", common::four_documents());
    for arguments in ["related a --in a.jsonl", "pairs a.jsonl --histogram", "dedup a.jsonl --plan"] {
        let ended =
            |command: &mut std::process::Command| common::ended(command.spawn().unwrap()).status.code();
        // The reading end of a pipe that is closed before anything is written.
        let (read, write) = std::io::pipe().unwrap();
        drop(read);
        let quiet = std::process::Stdio::null;
        assert_eq!(ended(place.command(arguments).stdout(write).stderr(quiet())), Some(0), "{arguments}");
        let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = place.command(arguments).stdout(full()).stderr(Stdio::piped()).spawn().unwrap();
        common::Ran::from(common::ended(ran)).fails(2, &["standard output: No space left on device"]);
        assert_eq!(ended(place.command(arguments).stdout(quiet()).stderr(full())), Some(0), "{arguments}");
    }
}

#[test]
fn an_input_that_grows_while_it_is_read_is_told() {
    let place = Place::new();
    let numbered = |n: usize| line(&format!("d{n}"), &prose(&format!("t{n}x"), 60));
    let text: String = (0..20_000).map(numbered).collect();
    let path = place.write("a.jsonl", &text);
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use std::io::Write as _;
            let mut file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
            for n in 0..2_000 {
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    break;
                }
                file.write_all(numbered(1_000_000 + n).as_bytes()).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        });
        let ran = place.run("dedup a.jsonl --output out");
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        ran.fails(2, &["a.jsonl: changed while it was read"]);
    });
    assert!(!place.path("out/kept").exists() && !place.path("out/manifest.json").exists());
    place.run("dedup a.jsonl --output out").ok();
}

#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    let place = Place::new();
    onefold_testkit::write_jsonl(&onefold_testkit::Corpus::new(20_000), place.path("a.jsonl")).unwrap();
    let ended = |ignored: bool| {
        let run = format!("{} dedup a.jsonl --output out --force --quiet", env!("CARGO_BIN_EXE_onefold"));
        // This test may run where it is ignored itself, which a shell cannot take back.
        let with = if ignored { "trap '' HUP; exec" } else { "exec env --default-signal=HUP" };
        // The shell becomes the command, which is sent the signal by its number.
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("{with} {run}")]).current_dir(place.path(""));
        let child = place.start(&mut shell);
        for _ in 0..20 {
            std::thread::sleep(std::time::Duration::from_millis(5));
            let _ = nix::sys::signal::kill(
                nix::unistd::Pid::from_raw(child.id() as i32),
                nix::sys::signal::Signal::SIGHUP,
            );
        }
        common::ended(child).status.code()
    };
    assert_eq!(ended(true), Some(0));
    assert_ne!(ended(false), Some(0));
}
