//! A store that was damaged is an error that names it, or a problem that `verify` finds: never a panic.
#![allow(clippy::unwrap_used)]

mod common;

use common::{document, minhash, options};
use onefold_index::{Durability, Error, Index, Options};
use std::path::Path;

const PAGE: usize = 4096;

/// Asks and writes all that touches the store; gives what it says.
fn complaints(path: &Path) -> Vec<String> {
    let index = match Index::open(path, options(None)) {
        Ok(index) => index,
        Err(error) => return vec![error.to_string()],
    };
    let page = document("page-5", 2, 30, &[2], 5);
    let said = [
        index.check(&page).err(),
        index.get("page-5").err(),
        index.stats().err(),
        index.export(|_| Ok::<_, Error>(())).err(),
        index.add(&document("other", 900, 30, &[], 5)).err(),
        index.remove("page-4").err(),
        index.compact().err(),
    ];
    let mut said: Vec<String> = said.into_iter().flatten().map(|error| error.to_string()).collect();
    match index.verify() {
        Ok(report) => said.extend(report.problems),
        Err(error) => said.push(error.to_string()),
    }
    said
}

/// Thirty pages, three each near to each other, most of them in a segment.
fn made(path: &Path) {
    let index = Index::create(path, minhash(20), options(None)).unwrap();
    let pages: Vec<_> = (0..30).map(|i| document(&format!("page-{i}"), i / 3 + 1, 30, &[i % 3], i)).collect();
    pages.chunks(24).for_each(|pages| drop(index.add_batch(pages).unwrap()));
}

#[test]
fn members_out_of_order_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    made(&path);
    let store = path.join("store.redb");
    let mut bytes = fs_err::read(&store).unwrap();
    let pair = |keeper: u64, member: u64| [keeper.to_le_bytes(), member.to_le_bytes()].concat();
    let (here, swapped) = ([pair(3, 4), pair(3, 5)].concat(), [pair(3, 5), pair(3, 4)].concat());
    let places: Vec<usize> = (0..bytes.len() - 32).filter(|&at| bytes[at..at + 32] == here).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|&at| bytes[at..at + 32].copy_from_slice(&swapped));
    fs_err::write(&store, &bytes).unwrap();
    let problems = Index::open(&path, options(None)).unwrap().verify().unwrap().problems;
    assert!(problems.iter().any(|said| said.contains("not found among the members of 3")), "{problems:?}");
}

#[test]
fn what_is_not_yet_durable_is_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { durability: Durability::Deferred, ..options(None) };
    let index = Index::create(&folder.path().join("index"), minhash(20), options).unwrap();
    for i in 0..60 {
        index.add(&document(&format!("page-{i}"), i / 3 + 1, 30, &[i % 3], i)).unwrap();
        if i % 7 == 0 {
            assert_eq!(index.verify().unwrap().problems, Vec::<String>::new());
        }
    }
}

#[test]
fn a_damaged_store_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    made(&path);
    let (store, segment) = (path.join("store.redb"), path.join("0.segment"));
    let (bytes, keys) = (fs_err::read(&store).unwrap(), fs_err::read(&segment).unwrap());
    let used = (0..bytes.len()).step_by(PAGE).filter(|&at| bytes[at..][..PAGE] != [0; PAGE]);
    let mut unexpected = 0;
    for page in used {
        // What a page is, how much it holds, where that is, and what it is.
        for at in [0, 2, 33, 200] {
            fs_err::remove_dir_all(&path).unwrap();
            fs_err::create_dir(&path).unwrap();
            let mut changed = bytes.clone();
            changed[page + at] ^= 0xff;
            fs_err::write(&store, &changed).unwrap();
            fs_err::write(&segment, &keys).unwrap();
            let unforeseen = complaints(&path).into_iter().find(|said| said.contains("does not expect"));
            if let Some(said) = unforeseen {
                assert!(said.starts_with(&*store.to_string_lossy()), "{said}");
                unexpected += 1;
            }
        }
    }
    assert!(unexpected > 10, "the engine gave up {unexpected} times");
}
