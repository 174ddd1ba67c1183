//! A corpus is named by its settings: its bytes may not change between runs, machines or versions.

use onefold_testkit::{Compression, Corpus, Script, mix, write_jsonl, write_wet};

fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |hash, byte| mix(hash ^ u64::from(*byte)))
}

#[test]
fn equal_settings_give_equal_files() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = Corpus { mean_words: 90.0, vocabulary: 5_000, seed: 5, ..Corpus::new(400) };
    let file = |name: &str| folder.path().join(name);
    assert_eq!(write_jsonl(&corpus, file("a")).unwrap(), write_jsonl(&corpus, file("b")).unwrap());
    assert_eq!(fs_err::read(file("a")).unwrap(), fs_err::read(file("b")).unwrap());
    write_wet(&corpus, file("c"), Compression::Gzip(6)).unwrap();
    write_wet(&corpus, file("d"), Compression::Gzip(6)).unwrap();
    assert_eq!(fs_err::read(file("c")).unwrap(), fs_err::read(file("d")).unwrap());
}

#[test]
fn the_bytes_of_seed_one_are_those_of_every_version() {
    let digests = Script::ALL.map(|script| {
        let corpus = Corpus { script, mean_words: 90.0, vocabulary: 5_000, ..Corpus::new(200) };
        let texts = corpus.documents().unwrap().map(|document| digest(document.text.as_bytes()));
        format!("{script} {:016x}", texts.fold(0, |all, text| mix(all ^ text)))
    });
    assert_eq!(digests.join("\n"), include_str!("stable.txt").trim());
}
