#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    onefold_page::decode(bytes, None, true);
    onefold_page::decode(bytes, Some("gbk"), false);
});
