#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_page::url::{Rules, RulesFile, key, key_by_rules};

// A URL on the first line, then the rules as their file has them.
fuzz_target!(|text: &str| {
    let (url, file) = text.split_once('\n').unwrap_or(("", text));
    let Ok(file) = serde_json::from_str::<RulesFile>(file) else { return };
    let written = serde_json::to_vec(&file).expect("what was read is written");
    let again: RulesFile = serde_json::from_slice(&written).expect("what was written is read");
    let (rules, again) = (Rules::from(file.rules), Rules::from(again.rules));
    for key in [key(url).unwrap_or_default(), url.to_owned()] {
        let host = |key: &str| key.split(')').next().map(str::to_owned);
        let applied = rules.apply(&key);
        assert_eq!(host(&applied), host(&key), "a rule leaves the host alone");
        assert!(applied.len() <= key.len() + 1, "a rule takes out, and puts in at most the root");
        assert_eq!(again.apply(&key), applied, "rules that were written and read again do the same");
    }
    assert_eq!(key_by_rules(url, &rules), key_by_rules(url, &again));
});
