#![no_main]
use libfuzzer_sys::fuzz_target;
use onefold_page::url;

fuzz_target!(|text: &str| {
    if let Ok(form) = url::canonical(text) {
        assert_eq!(url::canonical(&form).as_ref(), Ok(&form), "a canonical form is its own");
        assert_eq!(url::key(&form), url::key(text));
        assert_eq!(url::site(&form), url::site(text));
    }
});
