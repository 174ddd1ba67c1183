//! A process that adds is killed at random moments: nothing that it acknowledged is lost.
//!
//! A test binary of its own: between fork and exec a child shares the locks of the tests beside it.
#![allow(clippy::unwrap_used)]

mod common;

use common::{document, minhash, open, options, sound};
use onefold_index::{Index, Options, Sketch};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

fn page(i: u64) -> Sketch {
    document(&format!("page-{i}"), i / 3 + 1, 40, &[i % 3], i)
}

/// Adds pages for ever and says of each batch when it is acknowledged; run by the test below in a process of its own.
#[test]
#[ignore = "the child of the test below"]
fn child_that_adds() {
    let Ok(path) = std::env::var("ONEFOLD_TEST_INDEX") else { return };
    let index = Index::open(Path::new(&path), Options { background_merges: true, ..options(None) }).unwrap();
    let mut next = index.stats().unwrap().documents;
    loop {
        index.add_batch(&(next..next + 5).map(page).collect::<Vec<_>>()).unwrap();
        next += 5;
        println!("acknowledged {next}");
    }
}

#[test]
fn a_hundred_kills_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    drop(Index::create(&path, minhash(40), options(None)).unwrap());
    let mut acknowledged = 0u64;
    for kill in 0..100u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_that_adds", "--ignored", "--nocapture"])
            .env("ONEFOLD_TEST_INDEX", &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (tell, told) = channel::<u64>();
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some(number) = line.strip_prefix("acknowledged ") {
                    tell.send(number.parse().unwrap()).unwrap();
                }
            }
        });
        // Every fourth may die as it starts, all others have added something.
        if kill % 4 > 0 {
            let first = told.recv_timeout(Duration::from_secs(60));
            acknowledged = first.expect("a batch is acknowledged in time");
        }
        std::thread::sleep(Duration::from_millis(20 + onefold_detect::mix::pair(kill, 3) % 150));
        child.kill().unwrap();
        child.wait().unwrap();
        reader.join().unwrap();
        acknowledged = told.iter().last().unwrap_or(acknowledged);
        let index = open(&path);
        let documents = index.stats().unwrap().documents;
        assert!(documents >= acknowledged, "kill {kill}: {acknowledged} acknowledged, {documents} there");
        assert_eq!(documents % 5, 0, "a batch is there whole or not at all");
        assert_eq!(
            index.get(&format!("page-{}", documents.max(1) - 1)).unwrap().len(),
            usize::from(documents > 0)
        );
        sound(&index);
    }
    assert!(acknowledged >= 75 * 5, "{acknowledged}");
}
