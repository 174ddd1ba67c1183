#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_page::file::extract_file;

/// What compound files start with.
const MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

fuzz_target!(|bytes: &[u8]| {
    let _ = extract_file(&[MAGIC, bytes].concat(), None, Default::default());
});
