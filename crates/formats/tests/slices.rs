//! Small slices of real archives that come with the code: what is in each, whatever its compression.

mod common;

use common::{Found, LIMIT, read};
use onefold_formats::compress::{Compression, Decoder, Encoder};
use onefold_formats::source::OpenFile;
use std::io::{Read, Write};
use std::path::PathBuf;

/// File, layout, records by type, HTML documents, faults with their addresses.
#[rustfmt::skip]
const SLICES: &[(&str, &str, &str, usize, &str)] = &[
    ("aut-badexample.arc.gz", "Arc Stream", "response 2, warcinfo 1", 0, "header 2369, content-length 2606, truncated 2882"),
    ("aut-example.txt.warc.gz", "Warc Members", "request 2, response 2, warcinfo 2", 0, ""),
    ("cc_net-sample.warc.txt", "Warc Plain", "", 0, "content-length 0, content-length 617, content-length 1310, content-length 1959"),
    ("ipwb-1memento_noContentType.warc", "Warc Plain", "response 1, warcinfo 1", 1, ""),
    ("ipwb-2mementos_htmlXhtml.warc", "Warc Plain", "response 2, warcinfo 1", 2, ""),
    ("ipwb-HTTP204.warc", "Warc Plain", "response 1", 1, "content-length 0, content-length 472"),
    ("ipwb-baconIpsum_chunked_httpTrailors.warc", "Warc Plain", "metadata 1, request 1, resource 2, response 1, warcinfo 1", 1, ""),
    ("ipwb-broken.warc", "Warc Plain", "metadata 1, request 2, response 1, warcinfo 1", 1, "content-length 3058"),
    ("ipwb-redirect.warc", "Warc Plain", "warcinfo 1", 0, "truncated 453"),
    ("resiliparse-block-sized-records.warc.gz", "Warc Members", "unknown 3", 0, ""),
    ("resiliparse-block-sized-records.warc.lz4", "Warc Stream", "unknown 3", 0, ""),
    ("resiliparse-clipped.warc.gz", "Warc Stream", "", 0, "truncated 0"),
    ("ukwa-blackbook-truncated.arc.gz", "Arc Members", "response 8, warcinfo 1", 2, ""),
    ("warcio-bad.arc", "Arc Plain", "response 1", 0, "header 0, header 134, header 262"),
    ("warcio-example-bad-non-chunked.warc.gz", "Warc Stream", "request 2, response 1, revisit 1, warcinfo 2", 1, ""),
    ("warcio-example-digest.warc", "Warc Plain", "request 4", 0, ""),
    ("warcio-example-iana.org-chunked.warc", "Warc Plain", "request 1, response 1, warcinfo 1", 1, ""),
    ("warcio-example-space-in-url.arc", "Arc Plain", "warcinfo 1", 0, "truncated 151"),
    ("warcio-example-trunc.warc", "Warc Plain", "request 1, warcinfo 2", 0, "content-length 1197"),
    ("warcio-example-wget-bad-target-uri.warc.gz", "Warc Members", "metadata 1, request 1, resource 2, response 1, warcinfo 1", 1, ""),
    ("warcio-example-wrong-chunks.warc.gz", "Warc Stream", "request 1, response 1", 1, ""),
    ("warcio-example.arc.gz", "Arc Members", "response 1, warcinfo 1", 1, ""),
    ("warcio-example.warc.gz", "Warc Members", "request 2, response 1, revisit 1, warcinfo 2", 1, ""),
    ("whirlwind.warc.gz", "Warc Members", "metadata 1, request 1, response 1, warcinfo 1", 1, ""),
    ("whirlwind.warc.wat.gz", "Warc Members", "metadata 1, warcinfo 1", 0, ""),
    ("whirlwind.warc.wet.gz", "Warc Members", "conversion 1, warcinfo 1", 0, ""),
];

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

#[test]
fn every_slice_is_read_or_its_fault_named() {
    for &(name, layout, types, pages, bad) in SLICES {
        let found = read(&path(name), LIMIT);
        let ours = (found.layout.as_str(), found.types_text(), found.pages, found.bad_text());
        assert_eq!(ours, (layout, types.to_owned(), pages, bad.to_owned()), "{name}");
    }
    let files = fs_err::read_dir(path("")).unwrap().count() - 1;
    assert_eq!(files, SLICES.len(), "every file but the README is listed");
}

#[test]
fn a_slice_holds_the_same_whatever_its_compression() {
    let folder = tempfile::tempdir().unwrap();
    // A cut gzip holds another fault than the bytes before its cut.
    for &(name, _, types, ..) in SLICES.iter().filter(|slice| !slice.0.contains("clipped")) {
        let packed = fs_err::read(path(name)).unwrap();
        let mut bytes = Vec::new();
        let file = OpenFile::open(&path(name)).unwrap();
        Decoder::new(file, Compression::of(&packed)).unwrap().read_to_end(&mut bytes).unwrap();
        let variant = |compression| {
            let copy = folder.path().join(name);
            let mut encoder = Encoder::new(Vec::new(), compression).unwrap();
            encoder.write_all(&bytes).unwrap();
            fs_err::write(&copy, encoder.finish().unwrap()).unwrap();
            Found { layout: String::new(), ..read(&copy, LIMIT) }
        };
        let plain = variant(Compression::None);
        assert_eq!(plain.types_text(), types, "{name}");
        for compression in [Compression::Gzip, Compression::Zstd, Compression::Lz4] {
            assert_eq!(variant(compression), plain, "{name} {compression:?}");
        }
    }
}

#[test]
fn what_a_file_holds_does_not_depend_on_the_limit_that_none_reaches() {
    for &(name, ..) in SLICES {
        assert_eq!(read(&path(name), LIMIT), read(&path(name), usize::MAX), "{name}");
    }
}

#[test]
fn documents_over_the_limit_are_bad_and_other_records_pass() {
    let found = read(&path("whirlwind.warc.gz"), 4096);
    assert_eq!(found.types_text(), "metadata 1, request 1, response 1, warcinfo 1");
    assert_eq!((found.pages, found.bad_text().split(' ').next()), (0, Some("too-large")));
}
