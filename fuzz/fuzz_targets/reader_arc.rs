#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_formats::source::{Format, Layout};

fuzz_target!(|bytes: &[u8]| {
    onefold_fuzz::read_as(bytes, Format::Arc, Layout::Plain, 1 << 12);
});
