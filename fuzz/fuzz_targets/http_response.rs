#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_formats::http::{Response, content_type};

fuzz_target!(|bytes: &[u8]| {
    if let Some(response) = Response::parse(bytes) {
        content_type(response.header("Content-Type").unwrap_or_default());
        if let Ok(payload) = response.payload(1 << 16) {
            assert!(payload.len() <= 1 << 16);
        }
    }
});
