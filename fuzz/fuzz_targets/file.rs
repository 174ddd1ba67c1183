#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_page::file::{extract_file, payload_type};

fuzz_target!(|bytes: &[u8]| {
    let is_read = extract_file(bytes, None, Default::default()).is_ok();
    assert!(!is_read || payload_type(bytes, None).has_text() || bytes.is_empty());
});
