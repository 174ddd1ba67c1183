//! What is said where inputs and outputs are not what was meant.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::shim::Shim;
use common::{Place, Ran, compressed, edited, four_documents, line, prose, table};
use std::process::Command;

#[test]
fn a_list_of_paths_may_come_from_standard_input() {
    let place = Place::new();
    place.write("a.jsonl", line("a", &prose("alpha", 30)));
    place.write("#b.jsonl", line("b", &prose("beta", 30)));
    let list = b"a.jsonl\r\n\n  #b.jsonl\n";
    let ran = place.run_with_input("dedup --files-from - --output out", list).ok();
    assert!(ran.stderr.contains("read                2"), "what starts with # is a path: {}", ran.stderr);
    let manifest = place.finished("out").manifest();
    assert_eq!(manifest["inputs"][1]["source"], "#b.jsonl");
    for both in ["--files-from - -", "--files-from - --files-from -"] {
        place.run_with_input(&format!("pairs {both}"), b"a.jsonl\n").fails(2, &["standard input", "once"]);
    }
    place.run_with_input("pairs --files-from -", b"a.jsonl\n-\n").fails(2, &["standard input", "once"]);
    place.run_with_input("pairs --files-from -", b"# a comment\n").fails(2, &["# a comment", "no such file"]);
}

#[test]
fn a_folder_without_files_is_a_note() {
    let place = Place::new();
    fs_err::create_dir_all(place.path("empty/within")).unwrap();
    place.write("a.jsonl", four_documents());
    let run = place.dedup("empty a.jsonl");
    assert_eq!(run.manifest()["notes"][0], "empty: no files in this folder");
    assert!(run.stderr.contains("empty: no files in this folder"), "{}", run.stderr);
    for verb in ["pairs empty", "fingerprints empty", "extract empty"] {
        let ran = place.run(verb).ok();
        assert!(ran.stderr.contains("empty: no files in this folder"), "{verb}: {}", ran.stderr);
    }
}

#[test]
fn what_in_a_folder_is_no_file_is_a_note() {
    let place = Place::new();
    place.write("in/a.jsonl", four_documents());
    fs_err::create_dir(place.path("other")).unwrap();
    fs_err::os::unix::fs::symlink(place.path("other"), place.path("in/link")).unwrap();
    let made = Command::new("mkfifo").arg(place.path("in/pipe")).status().unwrap();
    assert!(made.success());
    let run = place.dedup("in");
    run.counted(4, 2, 2, 0);
    let notes = run.manifest()["notes"].clone();
    assert_eq!(notes[0], "in/link: a link to a folder in a folder, left aside");
    assert_eq!(notes[1], "in/pipe: a pipe, socket or device in a folder, left aside");
}

#[test]
fn an_output_that_is_a_file_is_called_one() {
    let place = Place::new();
    place.write("a.jsonl", four_documents());
    place.write("file", "mine");
    for output in ["file", "file/below/it"] {
        for flags in ["", "--force", "--resume"] {
            let ran = place.run(&format!("dedup a.jsonl --output {output} {flags}"));
            ran.fails(2, &[output, "the output is a folder, and file is a file", "--output"]);
        }
    }
    assert_eq!(fs_err::read(place.path("file")).unwrap(), b"mine");
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_leaves_nothing_half_written() {
    let place = Place::new();
    let lines: String = (0..3000).map(|n| line(&n.to_string(), &prose(&format!("t{n}"), 8))).collect();
    place.write("a.jsonl", lines);
    for limit in [0, 4, 100] {
        let onefold = env!("CARGO_BIN_EXE_onefold");
        let script = format!("ulimit -f {limit} && exec {onefold} dedup a.jsonl --output out");
        let output = Command::new("sh").args(["-c", &script]).current_dir(place.path(".")).output().unwrap();
        let ran = Ran::from(output).fails(2, &["file too large", "out", "ulimit -f"]);
        assert!(ran.stderr.contains("error: "), "{}", ran.stderr);
        let left: Vec<_> = common::tree(&place.path("out")).into_keys().collect();
        assert!(left.iter().all(|path| path.starts_with(".onefold/work")), "{limit}: {left:?}");
        fs_err::remove_dir_all(place.path("out")).unwrap();
    }
}

#[test]
fn what_cannot_be_resumed_is_not_said_to_be() {
    let place = Place::new();
    let Some(shim) = Shim::build(&place) else { return };
    place.write("a.jsonl", four_documents().repeat(200));
    fs_err::create_dir(place.path("temp")).unwrap();
    for arguments in [
        "dedup - --output out --temp temp",
        "dedup a.jsonl --output - --temp temp",
        "pairs a.jsonl --temp temp",
    ] {
        let stdin = fs_err::File::open(place.path("a.jsonl")).unwrap().into_file();
        let mut command = shim.command(&place, arguments, "temp");
        let ran: Ran = command.stdin(stdin).env("ONEFOLD_SHIM_ROOM", "300").output().unwrap().into();
        let ran = ran.fails(2, &["no space left on device", "hint: ", "another disk"]);
        assert!(!ran.stderr.contains("--resume"), "{arguments}: {}", ran.stderr);
    }
}

#[test]
fn one_stream_is_in_the_order_of_the_inputs() {
    let place = Place::new();
    let text = |topic: &str| line(topic, &prose(topic, 30));
    // Without a line end behind the last line, and one of which nothing stays.
    place.write("z.jsonl", text("alpha").trim_end());
    place.write("in/b.jsonl", text("beta"));
    place.write("in/a.jsonl", text("gamma").trim_end());
    place.write("c.jsonl", text("alpha"));
    place.write("a.jsonl", text("delta"));
    let ran = place.run("dedup z.jsonl in c.jsonl a.jsonl --output - --max-removed 1").ok();
    let ids = |ran: &Ran| ran.json().iter().map(|line| common::text_of(&line["id"])).collect::<Vec<_>>();
    assert_eq!(ids(&ran), ["alpha", "gamma", "beta", "delta"]);
    for how in ["gzip", "zstd", "lz4"] {
        for name in ["z", "a"] {
            let plain = fs_err::read(place.path(format!("{name}.jsonl"))).unwrap();
            place.write(format!("{name}.{how}"), compressed::compress(how, &[plain]));
        }
        let ran = place.run(&format!("dedup z.{how} a.{how} --output -")).ok();
        let stdout = compressed::decompress(how, &ran.stdout);
        assert_eq!(String::from_utf8(stdout).unwrap(), text("alpha") + &text("delta"), "{how}");
    }
}

#[test]
fn one_stream_has_no_blank_line_between_files() {
    let place = Place::new();
    let text = |topic: &str| line(topic, &prose(topic, 30));
    let [alpha, beta, gamma] = ["alpha", "beta", "gamma"].map(text);
    let mark = "\u{feff}".to_owned() + &alpha;
    for how in compressed::ALL {
        for (records, whole) in [
            ([vec![&*alpha], vec![&beta], vec![&gamma]], [&*alpha, &beta, &gamma].concat()),
            // Nothing stays of one file, or of one record of it.
            ([vec![&alpha], vec![&alpha], vec![&beta]], [&*alpha, &beta].concat()),
            ([vec![&alpha], vec![&beta, &alpha], vec![&gamma]], [&*alpha, &beta, &gamma].concat()),
            ([vec![&alpha], vec![&beta], vec![&alpha]], [&*alpha, &beta].concat()),
            // The last line of a file has no end, with and without nothing behind it.
            ([vec![&alpha], vec![beta.trim_end()], vec![&gamma]], [&*alpha, &beta, &gamma].concat()),
            ([vec![alpha.trim_end()], vec![&alpha], vec![&beta]], [&*alpha, &beta].concat()),
            ([vec![&alpha], vec![&mark], vec![&beta]], [&*alpha, &beta].concat()),
            (
                [vec![&alpha], vec![&beta], vec![gamma.trim_end()]],
                [&*alpha, &beta, gamma.trim_end()].concat(),
            ),
        ] {
            for (number, records) in records.iter().enumerate() {
                place.write(format!("{number}.jsonl"), compressed::compress(how, records));
            }
            let ran = place.run("dedup 0.jsonl 1.jsonl 2.jsonl --output - --max-removed 1").ok();
            let found = String::from_utf8(compressed::decompress(how, &ran.stdout)).unwrap();
            assert_eq!(found, whole, "{how}: {records:?}");
        }
    }
}

#[test]
fn one_stream_is_of_one_format() {
    let place = Place::new();
    let text = prose("alpha", 30);
    place.write("a.jsonl", line("a", &text));
    place.write("a.jsonl.gz", compressed::gzip(line("a", &text).as_bytes()));
    place.write("a.txt", &text);
    for name in ["1.csv", "2.csv"] {
        place.write(name, format!("id,text\n{name},{text}\n"));
    }
    for name in ["1.parquet", "2.parquet"] {
        place.write(name, table::table_of(&[("text", vec![Some(&*text)])], true));
    }
    for (inputs, said) in [
        ("a.jsonl a.txt", ["a.jsonl is plain jsonl", "a.txt is plain text"]),
        ("a.jsonl a.jsonl.gz", ["a.jsonl is plain jsonl", "a.jsonl.gz is jsonl in gzip"]),
        ("1.csv 2.csv", ["one stream", "1.csv is plain csv"]),
        ("1.parquet 2.parquet", ["one stream", "1.parquet is plain parquet"]),
    ] {
        let ran = place.run(&format!("dedup {inputs} --output -")).fails(2, &said);
        assert!(ran.stdout.is_empty(), "{inputs}");
    }
    for input in ["1.csv", "1.parquet", "a.txt"] {
        let ran = place.run(&format!("dedup {input} --output -")).ok();
        assert!(!ran.stdout.is_empty(), "{input}");
    }
}

#[test]
fn a_file_without_documents_is_no_part_of_one_stream() {
    let place = Place::new();
    let good = four_documents();
    let kept = |ran: &Ran| ran.json().iter().map(|line| common::text_of(&line["id"])).collect::<Vec<_>>();
    let page = b"<html><body>503 Service Unavailable</body></html>";
    let utf16: Vec<u8> = good.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let noise: Vec<u8> = (0..4000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let cut = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 500\r\n\r\nHTTP/1.1 200 OK\r\n";
    let request =
        b"WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 18\r\n\r\nGET / HTTP/1.1\r\n\r\n\r\n\r\n";
    let cases: [(&str, &[u8], usize); 11] = [
        ("jsonl", page, 1),
        ("jsonl", &compressed::gzip(page), 1),
        ("jsonl", &utf16, 1),
        ("jsonl", &noise, 1),
        ("jsonl", b"BZh91AY&SY\x01\x02\x03\x04", 1),
        ("parquet", b"PAR1", 1),
        ("warc", cut, 1),
        ("warc.gz", &compressed::gzip(cut), 1),
        // Neither bad nor a document.
        ("warc", request, 0),
        ("csv", b"id,text\n", 0),
        ("png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01", 0),
    ];
    for (number, (ending, bytes, bad)) in cases.iter().enumerate() {
        // Before the good file and behind it.
        for place_of in ["a", "z"] {
            let folder = format!("{number}{place_of}");
            place.write(format!("{folder}/m.jsonl"), &good);
            place.write(format!("{folder}/{place_of}.{ending}"), bytes);
            let ran = place.run(&format!("dedup {folder} --output - --json")).ok();
            assert_eq!(kept(&ran), ["a", "b"], "{folder}.{ending}: {}", ran.stderr);
            let summary = ran.stderr.lines().find(|line| line.starts_with('{')).unwrap();
            let summary: serde_json::Value = serde_json::from_str(summary).unwrap();
            assert_eq!(summary["counts"]["bad"], *bad, "{folder}.{ending}: {summary}");
        }
    }
    // Documents behind bad records count, and files that have them and differ are refused before anything is printed.
    place.write("two/a.jsonl", &good);
    place.write("two/b.csv", format!("id,text\nx\ny,{}\n", prose("beta", 30)));
    let ran =
        place.run("dedup two --output -").fails(2, &["two/a.jsonl is plain jsonl", "two/b.csv is plain csv"]);
    assert!(ran.stdout.is_empty());
    // Alone, or among its like, a file without documents is what it is in `kept/`.
    let ran = place.run(&format!("dedup {0}a/a.csv {0}z/z.csv --output -", 9)).ok();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "id,text\n");
}

#[test]
fn rates_of_a_bar_are_whole_numbers() {
    let place = Place::new();
    // Enough that the bar is drawn more than once.
    let lines = (0..3000).map(|n| line(&format!("d{n}"), &edited(&format!("t{}x", n / 2), 60, &[n % 60])));
    place.write("a.jsonl", lines.collect::<String>());
    let onefold = env!("CARGO_BIN_EXE_onefold");
    let command = format!("{onefold} dedup a.jsonl --output out --threads 1");
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &command, "/dev/null"]).current_dir(place.path("")).env("TERM", "xterm");
    let Ok(output) = terminal.output() else {
        onefold_testkit::skip("no script to make a terminal");
        return;
    };
    let drawn = String::from_utf8_lossy(&output.stdout);
    let told = drawn.rsplit(" documents/s").skip(1);
    let rates: Vec<&str> = told.filter_map(|before| before.rsplit(' ').next()).collect();
    assert!(!rates.is_empty(), "{drawn}");
    let is_whole =
        |rate: &&str| !rate.is_empty() && rate.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    assert!(rates.iter().all(is_whole), "{rates:?}");
}

#[test]
fn one_stream_has_no_byte_order_mark_within() {
    let place = Place::new();
    for how in ["plain", "gzip", "zstd", "lz4"] {
        let files = ["alpha", "beta", "gamma"].map(|topic| {
            let bytes = format!("\u{feff}{}", line(topic, &prose(topic, 30)));
            place.write(format!("{topic}.jsonl"), compressed::compress(how, &[bytes]));
            format!("{topic}.jsonl")
        });
        let ran = place.run(&format!("dedup {} --output -", files.join(" "))).ok();
        let text = String::from_utf8(compressed::decompress(how, &ran.stdout)).unwrap();
        let marks: Vec<usize> = text.match_indices('\u{feff}').map(|(at, _)| at).collect();
        assert_eq!(marks, [0], "{how}: that of the first file alone");
        assert_eq!(text.lines().count(), 3, "{how}");
    }
}
