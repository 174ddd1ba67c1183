#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_page::file::extract_file;

fuzz_target!(|bytes: &[u8]| {
    let _ = extract_file(&[b"%PDF-1.7\n", bytes].concat(), None, Default::default());
});
