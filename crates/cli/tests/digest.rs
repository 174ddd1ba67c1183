//! `onefold digest` prints what coreutils print, and checks lists as they do.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::{Place, Ran};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

const SHA256_ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// Runs with arguments that may hold anything.
fn run(place: &Place, arguments: &[&OsStr]) -> Ran {
    place.command("digest").args(arguments).output().unwrap().into()
}

#[test]
fn one_algorithm_is_a_digest_and_a_name() {
    let place = Place::new();
    place.write("abc", "abc");
    assert_eq!(place.run("digest abc").ok().text(), format!("{SHA256_ABC}  abc\n"));
    assert_eq!(place.run_with_input("digest", b"abc").ok().text(), format!("{SHA256_ABC}  -\n"));
    assert_eq!(place.run_with_input("digest -", b"abc").ok().text(), format!("{SHA256_ABC}  -\n"));
    for (algorithm, line) in [
        ("sum", "16556     1 abc\n"),
        ("byte-sum", "294  abc\n"),
        ("crc32", "352441c2  abc\n"),
        ("md5", "900150983cd24fb0d6963f7d28e17f72  abc\n"),
        ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d  abc\n"),
        ("sha3-256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532  abc\n"),
        ("ripemd160", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc  abc\n"),
        ("blake3", "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85  abc\n"),
        ("xxh3-128", "06b05ab6733a618578af5f94892f3950  abc\n"),
    ] {
        assert_eq!(place.run(&format!("digest --algorithm {algorithm} abc")).ok().text(), line);
    }
    assert_eq!(place.run_with_input("digest -a sum", b"abc").ok().text(), "16556     1\n");
}

#[test]
fn the_byte_sum_of_tropical_fish_is_508_in_hexadecimal() {
    let place = Place::new();
    let ran = place.run_with_input("digest -a byte-sum", b"Tropical fish").ok();
    assert_eq!(ran.text(), format!("{}  -\n", 0x508));
}

#[test]
fn several_algorithms_are_tagged() {
    let place = Place::new();
    place.write("abc", "abc");
    place.write("empty", "");
    let ran = place.run("digest -a md5,crc32 --algorithm xxh3-128 abc empty").ok();
    let expected = "MD5 (abc) = 900150983cd24fb0d6963f7d28e17f72\n\
                    CRC32 (abc) = 352441c2\n\
                    XXH128 (abc) = 06b05ab6733a618578af5f94892f3950\n\
                    MD5 (empty) = d41d8cd98f00b204e9800998ecf8427e\n\
                    CRC32 (empty) = 00000000\n\
                    XXH128 (empty) = 99aa06d3014798d86001c324468d497f\n";
    assert_eq!(ran.text(), expected);
    assert_eq!(place.run("digest --tag abc").ok().text(), format!("SHA256 (abc) = {SHA256_ABC}\n"));
}

#[test]
fn a_missing_file_does_not_stop_the_others() {
    let place = Place::new();
    place.write("abc", "abc");
    place.write("folder/x", "");
    let ran = place.run("digest nowhere abc folder").fails(1, &["nowhere", "folder", "no such file"]);
    assert_eq!(ran.text(), format!("{SHA256_ABC}  abc\n"));
    place.run("digest -a sha512 abc").fails(2, &["sha512", "sha3-256"]);
}

#[test]
fn lines_are_those_of_coreutils_whatever_the_name() {
    let place = Place::new();
    let names: [&[u8]; 7] =
        [b"plain", b"two words", b"line\nend", b"back\\slash", b"carriage\rreturn", b"\xff\xfe", b"*star"];
    let text: String = (0..70_000).map(|number: u32| number.to_string()).collect();
    for name in names {
        place.write(OsStr::from_bytes(name), &text);
    }
    let names: Vec<&OsStr> = names.iter().map(|name| OsStr::from_bytes(name)).collect();
    for (tool, arguments) in [
        ("sha256sum", &[][..]),
        ("sha256sum", &["--tag"]),
        ("md5sum", &["-a", "md5"]),
        ("md5sum", &["-a", "md5", "--tag"]),
        ("sha1sum", &["-a", "sha1"]),
        ("sum", &["-a", "sum"]),
        ("b3sum", &["-a", "blake3"]),
    ] {
        let theirs = Command::new(tool)
            .args(arguments.iter().filter(|argument| **argument == "--tag"))
            .args(&names)
            .current_dir(place.path(""))
            .output();
        let Ok(theirs) = theirs else {
            onefold_testkit::skip(&format!("there is no {tool}"));
            continue;
        };
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).chain(names.iter().copied()).collect();
        let ours = run(&place, &arguments).ok();
        assert_eq!(String::from_utf8_lossy(&ours.stdout), String::from_utf8_lossy(&theirs.stdout), "{tool}");
        assert_eq!(ours.stdout, theirs.stdout, "{tool}");
    }
}

#[test]
fn every_list_that_is_printed_can_be_checked() {
    let place = Place::new();
    let names = [&b"plain"[..], b"line\nend", b"back\\slash", b"a (b) = c", b"\xff"].map(OsStr::from_bytes);
    for (number, name) in names.iter().enumerate() {
        place.write(name, format!("text {number}"));
    }
    for algorithm in
        ["byte-sum", "crc32", "md5", "sha1", "sha256", "sha3-256", "ripemd160", "blake3", "xxh3-128"]
    {
        for tag in [&[][..], &["--tag"]] {
            let choice = ["-a", algorithm];
            let arguments: Vec<&OsStr> =
                choice.iter().chain(tag).map(OsStr::new).chain(names.iter().copied()).collect();
            place.write("list", run(&place, &arguments).ok().stdout);
            let ran = run(&place, &["-c", "-a", algorithm, "list"].map(OsStr::new)).ok();
            let expected = b"plain: OK\n\\line\\nend: OK\nback\\slash: OK\na (b) = c: OK\n\xff: OK\n";
            assert_eq!(ran.stdout, expected, "{algorithm} {tag:?}");
        }
    }
    let all = "digest -a sum,byte-sum,crc32,md5,sha1,sha256,sha3-256,ripemd160,blake3,xxh3-128 plain";
    place.write("list", place.run(all).ok().stdout);
    assert_eq!(place.run("digest --check list").ok().text(), "plain: OK\n".repeat(10));
    assert_eq!(
        place.run_with_input("digest --check", &place.run(all).stdout).ok().text().lines().count(),
        10
    );
}

#[test]
fn what_has_changed_fails_with_exit_code_1() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.write(name, name);
    }
    place.write("list", place.run("digest a b c").ok().stdout);
    place.write("b", "changed");
    fs_err::remove_file(place.path("c")).unwrap();
    let ran = place.run("digest --check list").fails(1, &["c", "could not be read", "did NOT match", "list"]);
    assert_eq!(ran.text(), "a: OK\nb: FAILED\nc: FAILED open or read\n");
    let quiet = place.run("digest --check --quiet --ignore-missing list").fails(1, &["1 computed"]);
    assert_eq!(quiet.text(), "b: FAILED\n");
    let silent = place.run("digest --check --status list").fails(1, &[]);
    assert_eq!((silent.text(), silent.stderr.as_str()), ("", ""));
    place.write("b", "b");
    place.run("digest --check --ignore-missing list").ok();
}

#[test]
fn lines_that_are_no_digests_are_counted_and_fail_if_strict() {
    let place = Place::new();
    place.write("abc", "abc");
    place.write("list", format!("nonsense\n# a comment\n\n{SHA256_ABC} *abc\r\n"));
    let ran = place.run("digest --check list").ok();
    assert_eq!(ran.text(), "abc: OK\n");
    assert!(ran.stderr.contains("1 line is improperly formatted"), "{}", ran.stderr);
    place.run("digest --check --strict list").fails(1, &["1 line"]);
    place.write("none", "nonsense\n");
    place.run("digest --check none").fails(1, &["none", "no line", "--algorithm"]);
    place.run("digest --check nowhere").fails(1, &["nowhere"]);
    place.write("gone", format!("{SHA256_ABC}  gone-file\n"));
    place.run("digest --check --ignore-missing gone").fails(1, &["no file was verified"]);
    place.run("digest --check -a sum list").fails(2, &["--tag"]);
    place.run("digest --strict abc").fails(2, &["--check"]);
}

#[test]
fn an_interrupt_ends_a_wait_for_input() {
    let place = Place::new();
    let mut child = place.start(place.command("digest nowhere -").stdin(Stdio::piped()));
    let stdin = child.stdin.take();
    // What is said of the missing file tells that standard input is next.
    let mut said = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut said).unwrap();
    assert!(said.contains("nowhere"), "{said}");
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop((stdin, stderr));
}
