#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_page::Content;
use onefold_page::content::{clean_html, show_html};

fuzz_target!(|html: &str| {
    for content in [Content::Main, Content::Plateau, Content::All] {
        for made in [clean_html(html, content), show_html(html, content)] {
            let lower = made.to_ascii_lowercase();
            assert!(!lower.contains("<script") && !lower.contains("href=\"javascript:"));
        }
    }
});
