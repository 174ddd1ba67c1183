//! What bars on a terminal tell while a stage goes on.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::{Place, compressed, line, table};
use std::process::{Command, Stdio};

/// What a bar said: its share in percent and its documents a second.
type Told = (u64, u64);

/// What the bars of a stage said, as they were drawn; `None` where there is no `script` to make a terminal.
fn told(place: &Place, stage: &str, arguments: &str) -> Option<Vec<Told>> {
    let onefold = env!("CARGO_BIN_EXE_onefold");
    let command = format!("stty cols 120; {onefold} dedup {arguments} --output out --force --threads 1");
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(place.path("")).env("TERM", "xterm");
    let Ok(ran) = script.stdin(Stdio::null()).output() else {
        onefold_testkit::skip("no script to make a terminal");
        return None;
    };
    assert!(ran.status.success(), "{ran:?}");
    let drawn = String::from_utf8_lossy(&ran.stdout).into_owned();
    let bars = drawn.split(['\r', '\n']).filter(|bar| bar.contains(&format!(" {stage} ")));
    let number_before = |bar: &str, unit: &str| {
        let number = bar.split_once(unit)?.0.rsplit(' ').next()?.replace(',', "");
        number.parse().ok()
    };
    Some(
        bars.filter_map(|bar| Some((number_before(bar, " %")?, number_before(bar, " documents/s")?)))
            .collect(),
    )
}

/// Texts of so many words that no two of are alike, and that hardly compress.
fn texts(count: u64, words: u64) -> impl Iterator<Item = String> {
    let word = |n: u64| format!("{:016x} ", (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (n << 17));
    (0..count).map(move |text| (0..words).map(|at| word(text * words + at)).collect())
}

/// Whether a bar of a stage moved and counted documents, with inputs of some sizes: how large takes long depends on the machine.
fn moves(place: &Place, stage: &str, arguments: &str, write: impl Fn(u64)) -> bool {
    [1, 4, 16].into_iter().any(|scale| {
        write(scale);
        let Some(told) = told(place, stage, arguments) else { return true };
        told.iter().any(|&(share, documents)| 0 < share && share < 90 && documents > 0)
    })
}

#[test]
fn a_table_of_one_row_group_moves_while_it_is_read() {
    let place = Place::new();
    let write = |scale| drop(place.write("a.parquet", table::one_group(texts(4_000 * scale, 100), 1 << 20)));
    assert!(moves(&place, "read", "a.parquet --sketch classic --signature 2048", write));
}

#[test]
fn documents_are_counted_while_a_stream_is_written() {
    let place = Place::new();
    let write = |scale| {
        let lines = texts(4_000 * scale, 250).enumerate().map(|(id, text)| line(&id.to_string(), &text));
        place.write("a.jsonl.gz", compressed::gzip(lines.collect::<String>().as_bytes()));
    };
    assert!(moves(&place, "write", "a.jsonl.gz --method exact", write));
}

#[test]
fn documents_are_counted_while_a_table_is_written() {
    let place = Place::new();
    let write = |scale| drop(place.write("a.parquet", table::slow_group(texts(4_000 * scale, 250))));
    assert!(moves(&place, "write", "a.parquet --method exact", write));
}
