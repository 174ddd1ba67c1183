#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_formats::json::{Value, fields};

// Accepts what serde_json accepts, and reads the same text.
fuzz_target!(|line: &str| {
    let mut text = None;
    let outcome = fields(line, &["text"], |_, value| text = Some(value));
    let theirs = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(line);
    match (outcome, theirs) {
        (Ok(()), Ok(object)) => {
            if let (Some(Value::Text(raw)), Some(serde_json::Value::String(expected))) =
                (text, object.get("text"))
            {
                assert_eq!(&*raw.decode(), expected);
            }
        }
        // Lone surrogates, numbers out of range and a byte order mark are let through, nesting is limited elsewhere.
        (Ok(()), Err(error)) => {
            if let Some(Value::Text(raw)) = text {
                raw.decode();
            }
            let told = error.to_string();
            let known = ["surrogate", "range", "hex escape", "recursion", "unexpected end of hex"];
            assert!(
                line.starts_with('\u{feff}') || known.iter().any(|known| told.contains(known)),
                "{line:?}: {told}"
            );
        }
        (Err(error), Ok(_)) => panic!("{line:?}: {error}"),
        (Err(_), Err(_)) => {}
    }
});
