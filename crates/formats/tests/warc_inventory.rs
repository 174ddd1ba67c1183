//! Every file of the shared WARC collection, against the inventory that was made of it with warcio.
//!
//! Where warcio failed, the inventory has a lenient count by the lines that look like headers. Every difference
//! from it is in a table below, with its reason; a difference that is gone has to leave the table.

mod common;

use common::{LIMIT, parse_types, read, types_text};
use onefold_testkit::{shared_data, skip};

/// What we find in a file and the inventory does not have so.
struct Differs {
    file: &'static str,
    types: &'static str,
    /// HTML documents, and their bytes with codings undone.
    pages: (usize, usize),
    /// Kind and address of each fault.
    bad: &'static str,
    why: &'static str,
}

#[rustfmt::skip]
const DIFFERS: &[Differs] = &[
    Differs {
        file: "ukwa_discovery/IAH-20080430204825-00000-blackbook-truncated.arc",
        types: "response 8, warcinfo 1",
        pages: (2, 29_047),
        bad: "",
        why: "records follow each other without a line end, at which warcio stops; we find what it finds in the .arc.gz",
    },
    Differs {
        file: "ukwa_discovery/compression__transfer_compression_brotli.warc",
        types: "metadata 1, request 1, resource 1, response 1, warcinfo 1",
        pages: (1, 246),
        bad: "",
        why: "this warcio does not undo brotli and counts the compressed bytes",
    },
    Differs {
        file: "ukwa_discovery/compression__transfer_compression_brotli.warc.gz",
        types: "metadata 1, request 1, resource 1, response 1, warcinfo 1",
        pages: (1, 246),
        bad: "",
        why: "this warcio does not undo brotli and counts the compressed bytes",
    },
    Differs {
        file: "cc_net/tests__data__sample.warc.txt",
        types: "",
        pages: (0, 0),
        bad: "content-length 0, content-length 617, content-length 1310, content-length 1959",
        why: "every length is that of another text: four wrong Content-Lengths",
    },
    Differs {
        file: "webis_ecir20/data__clueweb-09-sample-en0000-sample-00.warc",
        types: "response 23, warcinfo 1",
        pages: (23, 428_577),
        bad: "",
        why: "warcio stops at the second record, so its count of pages is of no use",
    },
    Differs {
        file: "webis_ecir20/data__clueweb09-sample-2__en0000__00.warc.gz",
        types: "response 23, warcinfo 1",
        pages: (23, 428_577),
        bad: "",
        why: "warcio stops at the second record, so its count of pages is of no use",
    },
    Differs {
        file: "webis_ecir20/data__clueweb09-sample-2__en0001__00.warc.gz",
        types: "response 23, warcinfo 1",
        pages: (23, 428_577),
        bad: "",
        why: "warcio stops at the second record, so its count of pages is of no use",
    },
    Differs {
        file: "webis_ecir20/data__clueweb09-sample__en0000__00.warc.gz",
        types: "response 23, warcinfo 1",
        pages: (23, 428_577),
        bad: "",
        why: "warcio stops at the second record, so its count of pages is of no use",
    },
    Differs {
        file: "webis_ecir20/data__corpus-commoncrawl-main-2015-11-sample__1424936459513.8__warc__CC-MAIN-20150226074059-00000-ip-10-28-5-156.ec2.internal.warc.gz",
        types: "metadata 4, request 5, response 4, warcinfo 1",
        pages: (4, 136_719),
        bad: "",
        why: "warcio stops at the second record, so its count of pages is of no use",
    },
    Differs {
        file: "webis_ecir20/data__corpus-commoncrawl-main-2015-11-sample__1424936465599.34__warc__CC-MAIN-20150226074105-00336-ip-10-28-5-156.ec2.internal.warc.gz",
        types: "metadata 18, request 19, response 18, warcinfo 1",
        pages: (12, 1_725_605),
        bad: "",
        why: "warcio stops at the second record, so its count of pages is of no use",
    },
    Differs {
        file: "ipwb/samples__warcs__1memento_noContentType.warc",
        types: "response 1, warcinfo 1",
        pages: (1, 108),
        bad: "",
        why: "no Content-Type in HTTP: taken for HTML by its looks, which warcio does not look at",
    },
    Differs {
        file: "ipwb/samples__warcs__HTTP204.warc",
        types: "response 1",
        pages: (1, 56),
        bad: "content-length 0, content-length 472",
        why: "two records longer than their Content-Length; warcio drops the rest unseen",
    },
    Differs {
        file: "ipwb/samples__warcs__broken.warc",
        types: "metadata 1, request 2, response 1, warcinfo 1",
        pages: (1, 212),
        bad: "content-length 3058",
        why: "Content-Length 7 for a record of hundreds of bytes",
    },
    Differs {
        file: "ipwb/samples__warcs__redirect.warc",
        types: "warcinfo 1",
        pages: (0, 0),
        bad: "truncated 453",
        why: "line ends were converted: the record is nine bytes shorter than it says",
    },
    Differs {
        file: "pywb/sample_archive__warcs__bad.arc",
        types: "response 1",
        pages: (0, 0),
        bad: "header 0, header 134, header 262",
        why: "lengths -1 (twice) and abc; warcio takes them for 0",
    },
    Differs {
        file: "pywb/sample_archive__warcs__example-extra.warc",
        types: "request 2, response 2, revisit 2",
        pages: (1, 1_270),
        bad: "",
        why: "a response that starts with HTTPX/1.1 is no HTTP and passes through",
    },
    Differs {
        file: "pywb/sample_archive__warcs__example.warc",
        types: "request 1, response 2, revisit 1, warcinfo 1",
        pages: (2, 1_471),
        bad: "content-length 4061",
        why: "a request five bytes longer than its Content-Length; warcio drops the rest unseen",
    },
    Differs {
        file: "webis_copycat/data__cc-arc-sample__small-sample-1213893279526_0.arc",
        types: "response 145, warcinfo 1",
        pages: (139, 2_902_624),
        bad: "",
        why: "warcio stops at the first page; the lenient count has no types",
    },
    Differs {
        file: "webis_copycat/data__cc-arc-sample__small-sample-1262850551027_8.arc",
        types: "response 8, warcinfo 1",
        pages: (8, 2_395_028),
        bad: "",
        why: "warcio stops at the first page; the lenient count has no types",
    },
    Differs {
        file: "webis_copycat/data__clueweb-09-sample__en0000__00.warc.gz",
        types: "response 23, warcinfo 1",
        pages: (23, 428_577),
        bad: "",
        why: "warcio stops at the second record, so its count of pages is of no use",
    },
    Differs {
        file: "webis_copycat/data__clueweb-09-sample__en0001__00.warc.gz",
        types: "response 23, warcinfo 1",
        pages: (23, 428_577),
        bad: "",
        why: "warcio stops at the second record, so its count of pages is of no use",
    },
    Differs {
        file: "webis_copycat/data__clueweb-12-sample__Disk1__ClueWeb12_00__0000tw__0000tw-00.warc.gz",
        types: "response 3, warcinfo 1",
        pages: (3, 67_401),
        bad: "",
        why: "warcio stops at the second record",
    },
    Differs {
        file: "webis_copycat/sample-input__snapshot-wayback-topic-02.warc.gz",
        types: "response 128, warcinfo 1",
        pages: (128, 8_091_209),
        bad: "",
        why: "responses without HTTP headers; taken for HTML by their looks",
    },
    Differs {
        file: "warcio/test__data__bad.arc",
        types: "response 1",
        pages: (0, 0),
        bad: "header 0, header 134, header 262",
        why: "lengths -1 (twice) and abc; warcio takes them for 0",
    },
    Differs {
        file: "warcio/test__data__example-bad-non-chunked.warc.gz",
        types: "request 2, response 1, revisit 1, warcinfo 2",
        pages: (1, 1_270),
        bad: "",
        why: "warcio stops at the second record, so its count of pages is of no use",
    },
    Differs {
        file: "warcio/test__data__example-space-in-url.arc",
        types: "warcinfo 1",
        pages: (0, 0),
        bad: "truncated 151",
        why: "the record says 1,591 bytes and the file ends after 1,579",
    },
    Differs {
        file: "warcio/test__data__example-trunc.warc",
        types: "request 1, warcinfo 2",
        pages: (0, 0),
        bad: "content-length 1197",
        why: "a response two bytes longer than its Content-Length",
    },
    Differs {
        file: "warcio/test__data__example-wrong-chunks.warc.gz",
        types: "request 1, response 1",
        pages: (1, 1_270),
        bad: "",
        why: "gzip members cut in the middle of a response, at which warcio stops; we read them as a stream",
    },
    Differs {
        file: "resiliparse/tests__data__block-sized-records.warc.lz4",
        types: "unknown 3",
        pages: (0, 0),
        bad: "",
        why: "warcio does not read LZ4; the same as the .warc",
    },
    Differs {
        file: "resiliparse/tests__data__clipped.warc.gz",
        types: "",
        pages: (0, 0),
        bad: "truncated 0",
        why: "the only gzip member is cut",
    },
    Differs {
        file: "resiliparse/tests__data__warcfile.warc.lz4",
        types: "metadata 16, request 17, response 16, warcinfo 1",
        pages: (16, 513_225),
        bad: "",
        why: "warcio does not read LZ4; the same as the .warc",
    },
    Differs {
        file: "cc_wet_scalatools/appended_zip_fragment_unexpected_eof.wet.gz",
        types: "conversion 15, warcinfo 1",
        pages: (0, 0),
        bad: "truncated 49258",
        why: "the last gzip member is cut",
    },
    Differs {
        file: "cc_wet_scalatools/file_and_wet_headers_only.wet.gz",
        types: "",
        pages: (0, 0),
        bad: "content-length 0, truncated 522",
        why: "the first record is four bytes shorter than it says, the second has no blank line behind its header",
    },
    Differs {
        file: "cc_wet_scalatools/file_headers_only.wet.gz",
        types: "",
        pages: (0, 0),
        bad: "content-length 0",
        why: "the record is five bytes shorter than it says",
    },
    Differs {
        file: "cc_wet_scalatools/fragment1_asthma_incomplete_last.wet.gz",
        types: "warcinfo 1",
        pages: (0, 0),
        bad: "content-length 540, truncated 3163",
        why: "a text edited without its Content-Length, and a last record that is cut",
    },
    Differs {
        file: "cc_wet_scalatools/fragment1_incomplete_last.wet.gz",
        types: "conversion 1, warcinfo 1",
        pages: (0, 0),
        bad: "truncated 3211",
        why: "the last record is cut",
    },
    Differs {
        file: "cc_wet_scalatools/fragment2_no_header.wet.gz",
        types: "conversion 1",
        pages: (0, 0),
        bad: "header 0, truncated 17004",
        why: "a piece from the middle: its first record has no header, its last is cut",
    },
    Differs {
        file: "aut/arc__badexample.arc.gz",
        types: "response 2, warcinfo 1",
        pages: (0, 0),
        bad: "header 2369, content-length 2606, truncated 2882",
        why: "a header without a date, then two records shorter than they say; the lenient count takes any header line",
    },
];

#[test]
fn every_file_of_the_collection_is_read_or_its_fault_named() {
    let Some(inventory) = shared_data("warc/INVENTORY.tsv") else {
        return skip("no collection of archives; ONEFOLD_SHARED_DATA names the folder above it");
    };
    let folder = inventory.parent().unwrap();
    let inventory = fs_err::read_to_string(&inventory).unwrap();
    let (mut wrong, mut met) = (Vec::new(), 0);
    for line in inventory.lines().skip(1) {
        let columns: Vec<_> = line.split('\t').collect();
        let [file, _, _, _, types, pages, page_bytes, note, _, lenient_types, _] = columns[..] else {
            panic!("{line}")
        };
        let failed = note.starts_with("ERR");
        let theirs = (
            types_text(&parse_types(if failed { lenient_types } else { types })),
            (pages.parse().unwrap(), page_bytes.parse().unwrap()),
            String::new(),
        );
        let found = read(&folder.join(file), LIMIT);
        let ours = (found.types_text(), (found.pages, found.page_bytes), found.bad_text());
        let listed = DIFFERS.iter().find(|differs| differs.file == file);
        let expected = match listed {
            Some(differs) => (differs.types.to_owned(), differs.pages, differs.bad.to_owned()),
            None => theirs.clone(),
        };
        met += usize::from(listed.is_some());
        if ours != expected {
            wrong.push(format!("{file}: expected {expected:?}, found {ours:?}"));
        }
        if let Some(differs) = listed
            && ours == theirs
        {
            wrong.push(format!("{file}: no longer differs ({})", differs.why));
        }
        if found.types.is_empty() && found.bad.is_empty() {
            wrong.push(format!("{file}: neither a record nor a fault"));
        }
    }
    assert_eq!(met, DIFFERS.len(), "every listed file is in the inventory");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
