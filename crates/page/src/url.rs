//! A URL in three layers: what is fetched, what is grouped, whose it is.
//!
//! | layer | says | for |
//! |---|---|---|
//! | [`canonical`] | the one spelling of what a browser would ask for | identity, fetching |
//! | [`key`] | SURT order, without what hardly ever changes the page | grouping, never fetching |
//! | [`site`] | the registrable domain | counting by owner |
//!
//! Each layer is coarser than the one before: URLs of one canonical form have one key, and URLs of one key have
//! one site. Parsing is the WHATWG standard's (<https://url.spec.whatwg.org/>, crate `url`), registrable domains
//! follow the public suffix list (<https://publicsuffix.org/>, crate `psl`) with its private part; the rest is
//! by hand.

mod canonical;
mod key;
mod learn;
mod parameters;
mod percent;
mod rules;
mod site;

use ::url::Url;
pub use learn::{LearnOptions, Learned, learn};
pub use rules::{Rule, RuleKind, Rules, RulesFile};
use std::borrow::Cow;

/// Why a URL has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// The WHATWG parser refuses it.
    #[error("not a URL: {0}")]
    Parse(#[from] ::url::ParseError),
    /// There is nothing but white space.
    #[error("not a URL: empty")]
    Empty,
}

/// The canonical form: two spellings that every browser asks for in the same way become one.
///
/// Parsed by the WHATWG standard (case, default port, dot segments, IDN, odd IPv4), then without fragment,
/// `%41` as `A` for letters that need no escape, `%c3` as `%C3`, and what RFC 3986 does not allow escaped.
/// User info, `www`, an empty query and the order of parameters stay, for they are part of the request.
/// A URL without a scheme gets `http://`, as in an address bar.
///
/// ```
/// let canonical = onefold_page::url::canonical("HTTP://B\u{fc}cher.example:80/a/../%7euser?q=1#top").unwrap();
/// assert_eq!(canonical, "http://xn--bcher-kva.example/~user?q=1");
/// ```
pub fn canonical(url: &str) -> Result<String, UrlError> {
    Ok(canonical::of(&parse(url)?))
}

/// [`canonical`] without a copy of what is canonical as it stands.
pub fn canonical_of(url: &str) -> Result<Cow<'_, str>, UrlError> {
    if canonical::is_plain(url) {
        return Ok(Cow::Borrowed(url));
    }
    canonical(url).map(Cow::Owned)
}

/// The key: equal for URLs that mostly show the same page; for grouping, never for fetching.
///
/// The host's labels in reverse (SURT), so that keys sort by owner; scheme, user info, `www` and fragment are
/// gone, escapes undone, letters lower-cased, parameters sorted, session ids and tracking parameters dropped.
///
/// ```
/// let key = onefold_page::url::key("https://www2.Example.org/Shop//?b=2&a=1&utm_source=x").unwrap();
/// assert_eq!(key, "org,example)/shop?a=1&b=2");
/// ```
pub fn key(url: &str) -> Result<String, UrlError> {
    Ok(key::of(&parse(url)?))
}

/// What documents that the rules make one page have in common: origin and key by the rules. Scheme and `www` stay, for
/// no rule speaks of them.
pub fn key_by_rules(url: &str, rules: &Rules) -> Result<String, UrlError> {
    let url = parse(url)?;
    Ok(format!("{} {}", &url[..::url::Position::BeforePath], rules.apply(&key::of(&url))))
}

/// The registrable domain, else the host itself; `None` where there is no host.
///
/// ```
/// let site = |url| onefold_page::url::site(url).unwrap();
/// assert_eq!(site("https://a.b.example.co.uk/x").as_deref(), Some("example.co.uk"));
/// assert_eq!(site("http://[::1]:8080/").as_deref(), Some("[::1]"));
/// assert_eq!(site("mailto:a@example.org"), None);
/// ```
pub fn site(url: &str) -> Result<Option<String>, UrlError> {
    Ok(site::of(&parse(url)?))
}

/// The absolute URL of a link `href` on the page `base`, not canonical yet; `None` if there is none.
pub fn resolve(base: &str, href: &str) -> Option<String> {
    Some(parse(base).ok()?.join(href).ok()?.into())
}

/// Reads a URL as an address bar does: without a scheme it is `http://`. No layer has a fragment.
fn parse(url: &str) -> Result<Url, UrlError> {
    // The fragment goes first, so that blanks before it go with the others.
    let request = url.split_once('#').map_or(url, |(request, _)| request);
    let trimmed = request.trim_matches(|char: char| char <= ' ');
    if trimmed.is_empty() {
        return Err(UrlError::Empty);
    }
    let url =
        if has_scheme(trimmed) { Url::parse(trimmed)? } else { Url::parse(&format!("http://{trimmed}"))? };
    if url.scheme() == "file" { Ok(settled(url)?) } else { Ok(url) }
}

/// A `file:` URL as the parser reads its canonical form: `file://host//%63:/x` becomes `file://host/c:/x`, of which it then
/// takes the host away. A round takes an escape, an empty segment or a host, so the rounds end.
fn settled(mut url: Url) -> Result<Url, ::url::ParseError> {
    loop {
        let again = Url::parse(&canonical::of(&url))?;
        if again == url {
            return Ok(url);
        }
        url = again;
    }
}

/// Is there a scheme? `example.org:80` reads as one but has a host's dot and a port's digit; tabs and line
/// breaks do not count.
fn has_scheme(url: &str) -> bool {
    let mut letters = url.chars().filter(|char| !matches!(char, '\t' | '\n' | '\r'));
    let mut has_dot = false;
    if !letters.next().is_some_and(|first| first.is_ascii_alphabetic()) {
        return false;
    }
    for letter in letters.by_ref() {
        match letter {
            ':' => return !(has_dot && letters.next().is_some_and(|next| next.is_ascii_digit())),
            '.' => has_dot = true,
            '+' | '-' | '0'..='9' | 'a'..='z' | 'A'..='Z' => {}
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_canonical_form_is_its_own_and_keeps_key_and_site(
            url in "(https?://|ftp:|file://?/?|foo:|)[a-zé0-9.:@%\\[\\]]{0,12}[/?#a-zA-Z0-9%&=;.ü \\\\|^\"\u{1}+()-]{0,30}"
        ) {
            if let Ok(form) = canonical(&url) {
                prop_assert_eq!(canonical(&form), Ok(form.clone()));
                prop_assert_eq!(key(&form), key(&url));
                prop_assert_eq!(site(&form), site(&url));
            }
        }

        #[test]
        fn what_is_canonical_at_a_glance_is(
            url in "https?://[a-z0-9.-]{0,8}(\\.[a-z0-9x]{1,4})?(/[a-zA-Z0-9._~?&=/-]{0,20})?"
        ) {
            prop_assert_eq!(canonical_of(&url).map(Cow::into_owned), canonical(&url));
        }

        #[test]
        fn any_text_has_an_answer(url in "\\PC{0,60}") {
            let _ = (canonical(&url), key(&url), site(&url));
        }
    }

    #[test]
    fn a_host_with_a_port_is_no_scheme() {
        assert_eq!(canonical("example.org:8080/x").unwrap(), "http://example.org:8080/x");
        assert_eq!(canonical("dns:example.org").unwrap(), "dns:example.org");
        assert_eq!(canonical("  \n"), Err(UrlError::Empty));
    }

    #[test]
    fn a_drive_letter_settles() {
        for url in ["file://ea//l:/x", "file://ea/%6c:/x", "file:///l:/x"] {
            assert_eq!(canonical(url).as_deref(), Ok("file:///l:/x"), "{url}");
        }
    }

    #[test]
    fn urls_of_a_crawl_are_canonical_at_a_glance() {
        for url in ["https://www.example.org/", "http://a-b.example.co.uk/x/Y_1.html?q=2&r=a~b"] {
            assert!(matches!(canonical_of(url), Ok(Cow::Borrowed(_))), "{url}");
        }
        for url in [
            "https://example.org",
            "http://1.2.3.4/",
            "http://a.0x7f/",
            "http://xn--a.example/",
            "http://a.example/b/../c",
        ] {
            assert!(!matches!(canonical_of(url), Ok(Cow::Borrowed(_))), "{url}");
        }
    }

    #[test]
    fn links_resolve_against_their_page() {
        assert_eq!(resolve("http://a.example/b/c", "../d?e").as_deref(), Some("http://a.example/d?e"));
        assert_eq!(resolve("no host here", "x").as_deref(), None);
    }
}
