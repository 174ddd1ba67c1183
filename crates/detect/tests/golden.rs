//! Fingerprints that must not change unnoticed: a change makes every stored signature another, and belongs with a new
//! `mix::VERSION`. `ONEFOLD_WRITE_GOLDEN=1 cargo test -p onefold-detect --test golden` writes the file anew.

use onefold_detect::digest::Digest;
use onefold_detect::matching::Bands;
use onefold_detect::mix;
use onefold_detect::sketch::MinHash;
use onefold_detect::text::{Normaliser, ShingleSet, Shingling};
use serde_json::{Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/golden/fingerprints.jsonl");

const TEXTS: [&str; 9] = [
    "one",
    "The quick brown fox jumps over the lazy dog, and the dog does not mind.",
    "Ёлка зелёная стоит в лесу одна; мороз и солнце, день чудесный!",
    "东京是日本的首都，也是世界上人口最多的城市之一。",
    "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน",
    "اللغة العربية هي أكثر اللغات السامية تحدثاً",
    "Straße, ﬁnd ½ ™ naïve café — e\u{301}te\u{301}",
    "ガギグゲゴ ｶﾞｷﾞ ひらがな",
    "한국어 문장은 띄어쓰기가 있다",
];

fn hex(value: u64) -> String {
    format!("{value:016x}")
}

fn fingerprint(text: &str) -> Value {
    let mut read = Normaliser::default();
    read.read(text);
    let shingling = Shingling::default();
    let set = ShingleSet::of(&read, shingling, &mut Vec::new());
    let mut sketch = MinHash::new(128);
    sketch.begin();
    shingling.each(&read, |hash| sketch.add(hash));
    let signature = sketch.finish().expect("every text here has a token");
    let bands = Bands::tune(128, 0.8, 0.99).expect("the default plan");
    json!({
        "hash_version": mix::VERSION,
        "text": text,
        "normalised": String::from_utf8_lossy(read.normalised()),
        "xxh3_128": Digest::of(read.normalised()).to_string(),
        "shingles": set.hashes().iter().map(|&hash| hex(hash)).collect::<Vec<_>>(),
        "signature": signature.iter().step_by(16).map(|&value| hex(value)).collect::<Vec<_>>(),
        "band_keys": bands.keys(signature).map(hex).collect::<Vec<_>>(),
    })
}

#[test]
fn fingerprints_are_those_of_the_golden_file() {
    let lines: Vec<String> = TEXTS.iter().map(|text| fingerprint(text).to_string()).collect();
    if std::env::var_os("ONEFOLD_WRITE_GOLDEN").is_some() {
        std::fs::create_dir_all(std::path::Path::new(FILE).parent().unwrap()).unwrap();
        #[allow(clippy::disallowed_methods)]
        std::fs::write(FILE, lines.join("\n") + "\n").unwrap();
    }
    let golden = std::fs::read_to_string(FILE).unwrap();
    assert_eq!(golden.lines().count(), TEXTS.len());
    for (line, golden) in lines.iter().zip(golden.lines()) {
        let (ours, theirs): (Value, Value) =
            (serde_json::from_str(line).unwrap(), serde_json::from_str(golden).unwrap());
        assert_eq!(ours, theirs);
    }
}
