//! URL test vectors of other projects: each passes at the layer it speaks of, or stands below with a reason.
//!
//! The files under `tests/data/url` are those of iipc/urlcanon and crawler-commons, three of them cut; where
//! the shared data is present the whole files are read.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use onefold_page::url::{canonical, key, resolve, site};
use onefold_testkit::shared_data;
use serde_json::{Map, Value};

fn vectors(name: &str) -> String {
    let here = || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/url").join(name);
    fs_err::read_to_string(shared_data(&format!("url/{name}")).unwrap_or_else(here)).unwrap()
}

fn json(name: &str) -> Value {
    serde_json::from_str(&vectors(&format!("urlcanon/{name}.json"))).unwrap()
}

fn object(name: &str, part: Option<&str>) -> Map<String, Value> {
    let whole = json(name);
    part.map_or(&whole, |part| &whole[part]).as_object().unwrap().clone()
}

/// urlcanon writes bytes as the characters of the same number; `None` where they are not UTF-8.
fn from_bytes(text: &str) -> Option<String> {
    if text.chars().any(|char| char > '\u{ff}') {
        return Some(text.to_owned());
    }
    String::from_utf8(text.chars().map(|char| char as u8).collect()).ok()
}

/// Runs all vectors and compares those that fail with the list of exceptions, both ways: an exception that
/// passes is wrong, too.
fn check(
    name: &str,
    vectors: &[(String, String)],
    exceptions: &[(&str, &[&str])],
    passes: impl Fn(&str, &str) -> bool,
) {
    assert!(!vectors.is_empty(), "{name}: no vectors");
    let is_exception = |input: &str| exceptions.iter().any(|(_, inputs)| inputs.contains(&input));
    let mut wrong = Vec::new();
    for (input, expected) in vectors {
        if passes(input, expected) == is_exception(input) {
            wrong.push(format!(
                "{input:?} -> {expected:?}; canonical {:?}, key {:?}",
                canonical(input),
                key(input)
            ));
        }
    }
    assert!(wrong.is_empty(), "{name}: {} of {}:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
}

fn pairs(map: &Map<String, Value>) -> Vec<(String, String)> {
    map.iter().map(|(input, expected)| (input.clone(), expected.as_str().unwrap_or("").to_owned())).collect()
}

fn byte_pairs(map: &Map<String, Value>) -> Vec<(String, String)> {
    let both = |(input, expected): (String, String)| Some((from_bytes(&input)?, from_bytes(&expected)?));
    pairs(map).into_iter().filter_map(both).collect()
}

/// Reason, and the vectors it excuses.
type Exceptions = &'static [(&'static str, &'static [&'static str])];

const EMPTY_PARAMETERS: Exceptions = &[(
    "a parameter without a name is dropped from a key, as in urlcanon's own aggressive form",
    &[
        "a=1&",
        "http://visit.webhosting.yahoo.com/visit.gif?&r=http%3A//web.archive.org/web/20090517140029/http%3A//anthonystewarthead.electric-chi.com/&b=Netscape%205.0%20%28Windows%3B%20en-US%29&s=1366x768&o=Win32&c=24&j=true&v=1.2",
    ],
)];

const DEFAULT_IA: Exceptions = &[
    EMPTY_PARAMETERS[0],
    ("nothing is no URL, and is refused", &[""]),
    ("two slashes start a host in any scheme", &["filedesc://foo.arc.gz"]),
];

const NOT_A_HOST: (&str, &[&str]) = (
    "the standard of today refuses these hosts; no browser asks for them",
    &[
        "%20leadingspace.com/",
        "http:// leadingspace.com/",
        "http://%20leadingspace.com/",
        "http://host%23.com/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22%252833%252944_55%252B",
        "http:%/",
        "http:/%/",
        "http://%/",
        "file://%",
        "file://%/a/b",
        "http://09/",
        "http://256.256.256.256.256",
        "sc://\u{1f}!\"$&'()*+,-.;<=>^_`{|}~/",
        "http://info@merseburger.de%20/",
        "http://www.t%EF%BF%BD%04.82.net/",
        "file://x:y@a:8000",
        "file://x:y@a:8000/b/c",
    ],
);

const DOTS: (&str, &[&str]) = (
    "the standard of today leaves a host of dots; the vectors make it 0.0.0.0",
    &[
        "file://%2e%2e%2e/a/b",
        "file://%2e%2e/a/b",
        "file://%2e/a/b",
        "http:%2e%2e%2e/a/b",
        "http:%2e%2e/a/b",
        "http:%2e/a/b",
        "http:/%2e%2e%2e/a/b",
        "http:/%2e%2e/a/b",
        "http:/%2e/a/b",
        "http://%2e%2e%2e/a/b",
        "http://%2e%2e/a/b",
        "http://%2e/a/b",
        "http:///%2e%2e%2e/a/b",
        "http:///%2e%2e/a/b",
        "http:///%2e/a/b",
    ],
);

const ESCAPED_DOTS: (&str, &[&str]) = (
    "the standard does not read a host of escaped dots in a scheme it does not know",
    &["nonspecial://%2e%2e%2e/a/b", "nonspecial://%2e%2e/a/b", "nonspecial://%2e/a/b"],
);

const GOPHER: (&str, &[&str]) = (
    "gopher has no rules of its own in the standard since 2020",
    &["gopher://foo:70/", "gopher:/example.com/", "gopher:example.com/"],
);

const SEMANTIC: Exceptions = &[NOT_A_HOST, DOTS, ESCAPED_DOTS, GOPHER];

const STANDARD: Exceptions = &[
    NOT_A_HOST,
    GOPHER,
    (
        "blanks in fragments and before them are escaped since 2017; fragments are no part of any layer",
        &[
            "http://f:21/ b ? d # e ",
            "lolscheme:x x#x x",
            "http://www.google.com/foo?bar=baz# »",
            "data:test# »",
        ],
    ),
];

const WEIRD: Exceptions = &[
    ("a URL without a host is refused", &["ftp:/", "http:////", "http:///////"]),
    (
        "the standard writes an empty host out",
        &[
            "file:/path/index.html",
            "file:/var/www/html/////./bar/index.html",
            "file:/var/www/html/foo/../bar/index.html",
        ],
    ),
    (
        "the request differs, so the canonical form does; the key is one",
        &[
            "http://foo.com//aa/bb/foo.html",
            "http://foo.com/aa//bb/foo.html",
            "http://foo.com/aa/bb//foo.html",
            "http://foo.com//aa//bb//foo.html",
            "http://foo.com////aa////bb//foo.html",
            "http://foo.com////aa////bb////foo.html",
            "http://example.com?",
            "http://example.com/?",
            "https://www.example.org./",
            "http://example.com/?b=1&a=1",
            "http://foo.com/foo.html?b=1&a=1",
            "http://foo.com/index?b=2&a=1",
            "http://foo.com/index?b=2&a=1#c",
            "http://foo.com/index?a=1&b=",
            "http://foo.com/index?b&a=1",
            "http://foo.com/index?b=&a=1",
            "http://foo.com/index?b=1&a=1&",
            "http://foo.com/index?&b=1&a=1",
            "http://foo.com/index?&=1&a=1",
            "http://foo.com/index?=1&b=1&a=1",
        ],
    ),
];

/// `http://example.com:80/a` as a key would be written, by text alone.
fn surt_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (name, port) = host.split_at(host.find(':').unwrap_or(host.len()));
    let labels: Vec<&str> = name.rsplit('.').collect();
    Some(format!("{}{port}){}", labels.join(","), if path.is_empty() { "/" } else { path }))
}

#[test]
fn aggressive_forms_are_keys() {
    check("aggressive", &pairs(&object("aggressive", None)), &[], |input, expected| {
        key(input).ok() == surt_of(expected)
    });
}

#[test]
fn default_ia_surts_are_keys() {
    check("defaultIASurt", &pairs(&object("surt", Some("defaultIASurt"))), DEFAULT_IA, |input, expected| {
        key(input).as_deref() == Ok(expected)
    });
}

#[test]
fn urls_of_the_ia_canonicalizers_have_one_key() {
    for part in ["Canonicalizer.DefaultIA", "Canonicalizer.IA", "google", "googleSupplementalFromSurt"] {
        check(part, &byte_pairs(&object("surt", Some(part))), SEMANTIC, |input, expected| {
            key(input).is_ok() && key(input) == key(expected)
        });
    }
}

#[test]
fn parts_of_a_key_follow_surt() {
    let in_path = |input: &str, expected: &str| {
        key(&format!("http://h.example{input}")) == key(&format!("http://h.example{expected}"))
    };
    check("stripPathSessionId", &pairs(&object("surt", Some("stripPathSessionId"))), &[], in_path);
    let as_query = |input: &str, expected: &str| {
        let form = |query: &str| format!("example,h)/{}{query}", if query.is_empty() { "" } else { "?" });
        key(&format!("http://h.example/?{input}")).ok() == Some(form(expected))
    };
    check("alphaRorderQuery", &pairs(&object("surt", Some("alphaRorderQuery"))), EMPTY_PARAMETERS, as_query);
    let as_host = |input: &str, expected: &str| {
        key(&format!("http://{input}/")).ok() == surt_of(&format!("http://{expected}/"))
    };
    check("massageHost", &pairs(&object("surt", Some("massageHost"))), &[], as_host);
    let as_path = |input: &str, expected: &str| {
        let written = expected.replace('%', "%25").to_lowercase();
        key(&format!("http://h.example/{input}")).ok() == Some(format!("example,h)/{written}"))
    };
    check("unescapeRepeatedly", &pairs(&object("surt", Some("unescapeRepeatedly"))), &[], as_path);
}

#[test]
fn surts_without_trailing_comma_are_keys() {
    let vectors = pairs(&object("ssurt", Some("surtWithoutTrailingComma")));
    check("ssurt", &vectors, &[], |input, expected| {
        let bare = expected.strip_prefix("http://(").unwrap().split('#').next().unwrap();
        let path = bare.split_once(')').unwrap().1;
        let slash = if path.starts_with('/') { "" } else { "/" };
        key(input).ok() == Some(bare.replace(')', &format!("){slash}")))
    });
}

#[test]
fn semantically_equal_urls_have_one_key() {
    check("semantic_precise", &byte_pairs(&object("semantic_precise", None)), SEMANTIC, |input, expected| {
        key(input).is_ok() && key(input) == key(expected)
    });
}

#[test]
fn the_standard_parser_is_followed() {
    let cases: Vec<((String, String), String)> = json("urltestdata")
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case.is_object())
        .map(|case| {
            let text = |field: &str| case[field].as_str().unwrap_or("").to_owned();
            ((text("base"), text("input")), text("href"))
        })
        .collect();
    assert!(cases.len() > 80);
    let resolves = |(base, input): &(String, String), expected: &str| {
        resolve(base, input).unwrap_or_default() == expected
    };
    let excused = |input: &str| STANDARD.iter().any(|(_, inputs)| inputs.contains(&input));
    for (case, expected) in &cases {
        // An excused input may still pass against another base.
        assert!(resolves(case, expected) || excused(&case.1), "{case:?}: {expected}");
    }
    check(
        "supplemental_whatwg",
        &byte_pairs(&object("supplemental_whatwg", None)),
        &[NOT_A_HOST, DOTS],
        |input, expected| canonical(input).is_ok() && canonical(input) == canonical(expected),
    );
}

#[test]
fn dot_segments_go_from_the_path() {
    for (part, with_host) in [("special", "http://h.example"), ("nonspecial", "foo://h.example")] {
        check(part, &pairs(&object("path_dots", Some(part))), &[], |input, expected| {
            // A host of an unknown scheme does not end at a backslash.
            let base = if part == "nonspecial" && input.starts_with('\\') { "foo:" } else { with_host };
            // In a special URL a backslash is a slash, which the vectors leave to a later step.
            let path = if part == "special" { expected.replace('\\', "/") } else { expected.to_owned() };
            canonical(&format!("{base}{input}")).ok() == Some(format!("{base}{path}"))
        });
    }
}

#[test]
fn odd_ipv4_addresses_take_one_form() {
    check("funky_ipv4", &pairs(&object("funky_ipv4", None)), &[], |input, expected| {
        let found = site(&format!("http://{input}/")).ok().flatten();
        found.filter(|site| site.parse::<std::net::Ipv4Addr>().is_ok()).unwrap_or_default() == expected
    });
}

#[test]
fn hosts_are_found_where_urlcanon_finds_them() {
    let vectors: Vec<(String, String)> = object("parsing", None)
        .iter()
        .map(|(input, parts)| (input.clone(), parts["host"].as_str().unwrap().to_owned()))
        .collect();
    // All of ASCII in one line is no URL to us, and a host with blanks to urlcanon.
    let vectors: Vec<_> = vectors.into_iter().filter(|(input, _)| !input.starts_with('\u{1}')).collect();
    check("parsing", &vectors, &[NOT_A_HOST], |input, expected| {
        site(input).ok().flatten().unwrap_or_default()
            == expected.trim_start_matches("sub.").trim_start_matches("subdomain.")
    });
}

#[test]
fn canonical_forms_stay() {
    let vectors: Vec<(String, String)> = json("idempotence")
        .as_array()
        .unwrap()
        .iter()
        .map(|url| (url.as_str().unwrap().to_owned(), String::new()))
        .collect();
    const NOTHING: Exceptions = &[("nothing to ask for is refused", &[":", "::", " ", "\0 \0"])];
    check("idempotence", &vectors, NOTHING, |input, _| {
        canonical(input).is_ok_and(|form| canonical(&form).as_ref() == Ok(&form))
    });
}

#[test]
fn weird_urls_of_crawler_commons_are_normalised() {
    let mut vectors_canonical = Vec::new();
    for line in vectors("crawler-commons/weird_to_normalized.csv").lines() {
        if let Some((input, expected)) = line.rsplit_once(',').filter(|_| !line.starts_with('#')) {
            let unquoted = input
                .strip_prefix('"')
                .and_then(|rest| rest.strip_suffix('"'))
                .map(|rest| rest.replace("\"\"", "\""));
            vectors_canonical
                .push((unquoted.unwrap_or_else(|| input.to_owned()), expected.trim().to_owned()));
        }
    }
    check("weird_to_normalized", &vectors_canonical, WEIRD, |input, expected| {
        canonical(input).as_deref() == Ok(expected)
    });
    for (input, expected) in &vectors_canonical {
        assert!(key(input).is_err() || input.starts_with("file:") || key(input) == key(expected), "{input}");
    }
}

#[test]
fn invalid_urls_of_crawler_commons_are_refused() {
    let vectors: Vec<(String, String)> = vectors("crawler-commons/invalid.csv")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| (line.to_owned(), String::new()))
        .collect();
    check("invalid", &vectors, &[], |input, _| canonical(input).is_err());
}
