#![no_main]
use libfuzzer_sys::fuzz_target;

fuzz_target!(|html: &str| {
    let mut text = String::new();
    onefold_page::visible_text(html, &mut text);
    assert!(text.len() <= 4 * html.len() + 16, "text is not longer than its page");
});
