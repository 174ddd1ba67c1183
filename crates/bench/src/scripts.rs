//! What a byte of other scripts costs against one of English: digest, signature and band keys of generated text.

use crate::{best_of, texts};
use onefold_detect::digest::Digest;
use onefold_detect::matching::Bands;
use onefold_detect::sketch::MinHash;
use onefold_detect::text::{Normaliser, Shingling};
use onefold_testkit::Script;
use std::hint::black_box;

pub(crate) fn run() {
    let scripts = [
        ("latin (English)", Script::Latin),
        ("accented", Script::Accented),
        ("cyrillic", Script::Cyrillic),
        ("arabic", Script::Arabic),
        ("chinese", Script::Chinese),
        ("japanese", Script::Japanese),
        ("thai", Script::Thai),
    ];
    println!("| script | MB/s | cost a byte against English |\n|---|---:|---:|");
    let mut english = None;
    for (name, script) in scripts {
        let texts = texts(3_000, script);
        let bytes: usize = texts.iter().map(String::len).sum();
        let (mut read, mut sketch) = (Normaliser::default(), MinHash::new(128));
        let bands = Bands { bands: 21, rows: 6 };
        let seconds = best_of(5, || {
            for text in &texts {
                read.read(text);
                black_box(Digest::of(read.normalised()));
                sketch.begin();
                Shingling::default().each(&read, |hash| sketch.add(hash));
                sketch.finish().into_iter().flat_map(|values| bands.keys(values)).for_each(|key| {
                    black_box(key);
                });
            }
        });
        let cost = seconds / bytes as f64;
        let first = *english.get_or_insert(cost);
        println!("| {name} | {:.0} | {:.2} |", 1e-6 / cost, cost / first);
    }
}
