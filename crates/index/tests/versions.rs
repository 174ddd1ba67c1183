//! Indexes of older versions are read: one of each format is kept in `fixtures`.
#![allow(clippy::unwrap_used)]

mod common;

use common::{document, minhash, options, sound};
use onefold_index::{Index, Sketch, Verdict};
use std::path::{Path, PathBuf};

fn fixture(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/v{version}"))
}

fn page(i: u64) -> Sketch {
    document(&format!("page-{i}"), i / 3 + 1, 30, &[i % 3], i)
}

/// Writes the fixture of this version; to be run once for each format.
#[test]
#[ignore = "makes a fixture"]
fn make_a_fixture() {
    let index = Index::create(&fixture(1), minhash(20), options(None)).unwrap();
    index.add_batch(&(0..24).map(page).collect::<Vec<_>>()).unwrap();
    index.add_batch(&(24..30).map(page).collect::<Vec<_>>()).unwrap();
    index.remove("page-0").unwrap();
}

#[test]
fn format_1_is_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    fs_err::create_dir(&path).unwrap();
    for entry in fs_err::read_dir(fixture(1)).unwrap() {
        let entry = entry.unwrap();
        fs_err::copy(entry.path(), path.join(entry.file_name())).unwrap();
    }
    let index = Index::open(&path, options(None)).unwrap();
    sound(&index);
    let stats = index.stats().unwrap();
    assert_eq!((stats.documents, stats.keepers, stats.segments, stats.dead), (29, 10, 1, 1));
    // The first member took the place of the keeper that was removed.
    assert_eq!(index.get("page-2").unwrap()[0].keeper.as_ref().unwrap().id, "page-1");
    let answer = index.check(&page(17)).unwrap();
    assert_eq!((answer.verdict, answer.matched.unwrap().id.as_str()), (Verdict::Near, "page-15"));
    index.add_batch(&(0..60).map(page).collect::<Vec<_>>()).unwrap();
    index.compact().unwrap();
    sound(&index);
    assert_eq!(index.stats().unwrap().documents, 60);
}
