//! What was acknowledged is there: on storage that fails, on a full disk, beside another opening.
#![allow(clippy::unwrap_used)]

mod common;

use common::{FailAfter, Full, document, minhash, open, options, sound};
use onefold_index::{Error, Index, Options, Sketch};
use std::io::ErrorKind;
use std::sync::Arc;

fn page(i: u64) -> Sketch {
    document(&format!("page-{i}"), i / 3 + 1, 40, &[i % 3], i)
}

#[test]
fn whatever_fails_after_n_operations_loses_nothing_acknowledged() {
    for operations in (0..400).step_by(7) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        let gate = FailAfter::new(i64::MAX, ErrorKind::Other);
        let index = Index::create(&path, minhash(8), options(Some(gate.clone()))).unwrap();
        gate.set(operations);
        let mut acknowledged = 0;
        for batch in (0..60).collect::<Vec<u64>>().chunks(3) {
            let pages: Vec<Sketch> = batch.iter().map(|&i| page(i)).collect();
            match index.add_batch(&pages) {
                Ok(_) => acknowledged += 3,
                Err(_) => break,
            }
        }
        assert!(gate.has_failed() || acknowledged == 60, "{operations} operations");
        drop(index);
        let index = open(&path);
        for i in 0..acknowledged {
            assert_eq!(
                index.get(&format!("page-{i}")).unwrap().len(),
                1,
                "page {i} after {operations} operations"
            );
        }
        sound(&index);
        index.add_batch(&(0..60).map(page).collect::<Vec<_>>()).unwrap();
        assert_eq!(index.stats().unwrap().documents, 60);
        sound(&index);
    }
}

#[test]
fn a_create_that_fails_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    for operations in 0..40 {
        let path = folder.path().join(format!("index-{operations}"));
        let gate = FailAfter::new(operations, ErrorKind::Other);
        let made = Index::create(&path, minhash(8), options(Some(gate.clone())));
        if let Ok(index) = made {
            drop(index);
            assert_eq!(open(&path).stats().unwrap().documents, 0);
            continue;
        }
        assert!(matches!(Index::open(&path, options(None)), Err(Error::Missing(_))), "{operations}");
        drop(Index::create(&path, minhash(8), options(None)).unwrap());
        sound(&open(&path));
    }
}

#[test]
fn a_folder_with_other_files_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("thesis.txt"), "words").unwrap();
    assert!(matches!(Index::create(folder.path(), minhash(8), options(None)), Err(Error::Exists(_))));
    assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn expiring_many_gives_what_expiring_at_once_gives() {
    // More than one transaction takes; keepers go before and behind their members.
    let folder = tempfile::tempdir().unwrap();
    let index = Index::create(&folder.path().join("index"), minhash(3_000), options(None)).unwrap();
    let old = |i: u64| !i.is_multiple_of(7);
    let page = |i: u64| {
        let seen = if old(i) { 5 } else { 50 };
        document(&format!("page-{i}"), i % 6_000 + 1, 30, &[i / 6_000], seen)
    };
    for batch in (0..24_000).collect::<Vec<u64>>().chunks(4_000) {
        index.add_batch(&batch.iter().map(|&i| page(i)).collect::<Vec<_>>()).unwrap();
    }
    assert!(index.stats().unwrap().members > 10_000);
    assert_eq!(index.expire(10).unwrap(), (0..24_000).filter(|&i| old(i)).count() as u64);
    sound(&index);
    // Of each topic the first that is left is the keeper of the others.
    for topic in 0..200 {
        let mut left = (0..4).map(|round| topic + round * 6_000).filter(|&i| !old(i));
        let first = left.next();
        assert!(first.is_none_or(|i| index.get(&format!("page-{i}")).unwrap()[0].keeper.is_none()));
        for i in left {
            let keeper = index.get(&format!("page-{i}")).unwrap()[0].keeper.clone().unwrap();
            assert_eq!(Some(keeper.id), first.map(|i| format!("page-{i}")));
        }
    }
}

#[test]
fn on_a_full_disk_adds_fail_clearly_and_checks_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let gate = Arc::new(Full::default());
    let settings = minhash(200);
    let index =
        Index::create(&path, settings, Options { cache_bytes: 0, ..options(Some(gate.clone())) }).unwrap();
    let pages: Vec<Sketch> = (0..3_000).map(page).collect();
    pages.chunks(500).for_each(|batch| drop(index.add_batch(batch).unwrap()));
    let mut next = 3_000;
    for _ in 0..3 {
        gate.fill(index.stats().unwrap().store_bytes);
        let error = loop {
            match index.add_batch(&(next..next + 300).map(page).collect::<Vec<_>>()) {
                Ok(_) => next += 300,
                Err(error) => break error,
            }
        };
        assert!(error.is_full(), "{error:?}");
        for i in (0..next).step_by(17) {
            let found = index.check(&page(i)).unwrap().matched.unwrap();
            assert_eq!(found.number, i / 3 * 3, "{i}");
        }
        gate.free();
        index.add_batch(&(next..next + 300).map(page).collect::<Vec<_>>()).unwrap();
        next += 300;
        sound(&index);
    }
    drop(index);
    let index = open(&path);
    assert_eq!(index.stats().unwrap().documents, next);
    sound(&index);
}

#[test]
fn a_second_opening_says_so_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let index = Index::create(&path, minhash(40), options(None)).unwrap();
    assert!(matches!(Index::open(&path, options(None)), Err(Error::Locked(_))));
    drop(index);
    drop(open(&path));
    assert!(matches!(Index::create(&path, minhash(40), options(None)), Err(Error::Exists(_))));
    assert!(matches!(Index::open(folder.path(), options(None)), Err(Error::Missing(_))));
}

#[test]
fn damage_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let index = Index::create(&path, minhash(50), options(None)).unwrap();
    index.add_batch(&(0..60).map(page).collect::<Vec<_>>()).unwrap();
    sound(&index);
    drop(index);
    let segment = path.join("0.segment");
    let bytes = fs_err::read(&segment).unwrap();
    let mut found = 0;
    for at in (0..bytes.len()).step_by(bytes.len() / 97) {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        fs_err::write(&segment, &changed).unwrap();
        let noticed = match Index::open(&path, options(None)) {
            Ok(index) => !index.verify().unwrap().problems.is_empty(),
            Err(error) => error.to_string().contains("0.segment"),
        };
        assert!(noticed, "byte {at} of {}", bytes.len());
        found += 1;
    }
    assert!(found > 90);
    fs_err::write(&segment, &bytes[..bytes.len() / 2]).unwrap();
    assert!(matches!(Index::open(&path, options(None)), Err(Error::Damaged { .. })));
    fs_err::write(&segment, &bytes).unwrap();
    sound(&open(&path));
}

#[test]
fn backups_and_merges_hold_the_same_documents() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let first = Index::create(&at("a"), minhash(7), options(None)).unwrap();
    let second = Index::create(&at("b"), minhash(7), options(None)).unwrap();
    let whole = Index::create(&at("c"), minhash(7), options(None)).unwrap();
    let (odd, even): (Vec<u64>, Vec<u64>) = (0..80).partition(|i| i % 2 == 1);
    let pages = |numbers: &[u64]| numbers.iter().map(|&i| page(i)).collect::<Vec<_>>();
    first.add_batch(&pages(&odd)).unwrap();
    second.add_batch(&pages(&even)).unwrap();
    whole.add_batch(&pages(&[odd, even].concat())).unwrap();
    first.merge(&second).unwrap();
    let all = |index: &Index| {
        let mut all = Vec::new();
        index
            .export(|document| {
                all.push((document.id, document.keeper.map(|keeper| keeper.id), document.first_seen));
                Ok::<(), Error>(())
            })
            .unwrap();
        all
    };
    assert_eq!(all(&first), all(&whole));
    first.backup(&at("backup")).unwrap();
    let restored = Index::restore(&at("backup"), &at("restored"), options(None)).unwrap();
    assert_eq!(all(&restored), all(&first));
    restored.add(&page(900)).unwrap();
    sound(&restored);
    assert!(matches!(first.backup(&at("backup")), Err(Error::Exists(_))));
}

#[test]
fn readers_see_whole_batches_while_a_writer_works() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::create(
        &folder.path().join("i"),
        minhash(64),
        Options { background_merges: true, ..options(None) },
    )
    .unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for batch in 0..40u64 {
                index.add_batch(&(batch * 10..batch * 10 + 10).map(page).collect::<Vec<_>>()).unwrap();
                if batch % 10 == 9 {
                    index.remove(&format!("page-{}", batch * 10)).unwrap();
                }
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        let mut looks = 0;
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            let mut seen = 0u64;
            index
                .export(|document| {
                    seen += 1;
                    // A member's keeper is in the same view.
                    assert!(document.keeper.is_none_or(|keeper| !keeper.id.is_empty()));
                    Ok::<(), Error>(())
                })
                .unwrap();
            let removed = seen.div_ceil(10) * 10 - seen;
            assert!(removed <= 4, "{seen} documents are no whole number of batches");
            looks += 1;
        }
        assert!(looks > 0);
    });
    index.wait_for_merge();
    sound(&index);
}
