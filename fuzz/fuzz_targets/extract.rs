#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_page::Content;

fuzz_target!(|bytes: &[u8]| {
    for content in [Content::Main, Content::Plateau, Content::All] {
        let page = onefold_page::extract(bytes, None, content);
        assert!(page.text.len() <= 4 * bytes.len() + 16, "text is not longer than its page");
    }
});
