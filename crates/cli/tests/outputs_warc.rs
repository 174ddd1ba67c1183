//! WARC in, valid WARC out: what belongs to a removed page goes with it, and revisits find the page that was kept.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::archive::{self, Record, html, uuid};
use common::warcio::Warcio;
use common::{Place, compressed, data, prose};

fn page(id: &str, topic: &str) -> Record {
    Record::response(id, &format!("http://x/{id}"), &html(&prose(topic, 60)))
}

fn kept_ids(place: &Place, records: &[Record], arguments: &str) -> Vec<String> {
    place.write("a.warc", archive::bytes_of(records).concat());
    let run = place.dedup(&format!("a.warc --force {arguments}"));
    archive::ids(&archive::parse(&run.kept("a.warc")))
}

#[test]
fn requests_and_metadata_go_with_their_response_before_it_or_after() {
    let place = Place::new();
    let request = |id: &str, to| Record::request(id, "http://x/r", to);
    let records = [
        Record::warcinfo(),
        request("q1", Some("one")),
        page("one", "alpha"),
        Record::metadata("m1", "http://x/one", "one"),
        request("q2", Some("two")),
        page("two", "alpha"),
        Record::metadata("m2", "http://x/two", "two"),
        page("three", "beta"),
        request("q3", Some("three")),
        page("four", "beta"),
        request("q4", Some("four")),
        // Belongs to nothing here, and stays.
        request("q5", Some("elsewhere")),
        request("q6", None),
    ];
    assert_eq!(kept_ids(&place, &records, ""), ["info", "q1", "one", "m1", "three", "q3", "q5", "q6"]);
    place.finished("out").counted(4, 2, 2, 0);
}

#[test]
fn the_tie_may_be_on_the_response() {
    let place = Place::new();
    let tied = |id: &str, to: &str| page(id, "alpha").with("WARC-Concurrent-To", &uuid(to));
    let request = |id: &str| Record::request(id, "http://x/r", None);
    let records = [
        request("q1"),
        tied("one", "q1"),
        request("q2"),
        tied("two", "q2"),
        tied("three", "q3"),
        request("q3"),
    ];
    assert_eq!(kept_ids(&place, &records, ""), ["q1", "one"]);
}

#[test]
fn what_belongs_to_a_bad_page_goes_with_it() {
    let place = Place::new();
    let coded =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08 and no more".to_vec();
    let records = [
        Record::request("q1", "http://x/r", Some("one")),
        page("one", "alpha").body(coded),
        Record::metadata("m1", "http://x/one", "one"),
        page("two", "beta"),
        Record::request("q2", "http://x/r", Some("two")),
    ];
    assert_eq!(kept_ids(&place, &records, ""), ["two", "q2"]);
    place.finished("out").counted(2, 1, 0, 1);
}

#[test]
fn chains_of_ties_are_followed_and_all_of_several_ties_count() {
    let place = Place::new();
    let records = [
        page("one", "alpha"),
        page("two", "alpha"),
        // Tied to the request, which is tied to the response, as some crawlers write it.
        Record::request("q2", "http://x/two", Some("two")),
        Record::metadata("m2", "http://x/two", "q2"),
        // Two ties: to what is kept and to what goes.
        Record::metadata("both", "http://x/two", "one").with("WARC-Concurrent-To", &uuid("two")),
    ];
    let kept = kept_ids(&place, &records, "");
    assert!(!kept.contains(&"q2".to_owned()), "{kept:?}");
    assert!(!kept.contains(&"m2".to_owned()), "what follows a request follows its response: {kept:?}");
    assert!(kept.contains(&"both".to_owned()), "a record of the kept page stays: {kept:?}");
}

#[test]
fn ties_reach_across_files_and_compressions() {
    let place = Place::new();
    place.write("1.warc", page("one", "alpha").bytes());
    place.write("2.warc.gz", compressed::compress("gzip-members", &[page("two", "alpha").bytes()]));
    let request = Record::request("q2", "http://x/two", Some("two")).bytes();
    place.write("3.warc.zst", compressed::zstd(&request));
    let run = place.dedup("1.warc 2.warc.gz 3.warc.zst");
    run.counted(2, 1, 1, 0);
    assert!(archive::parse(&compressed::decompress("zstd", &run.kept("3.warc.zst"))).is_empty());
}

#[test]
fn a_revisit_of_a_removed_page_is_turned_to_the_keeper() {
    let place = Place::new();
    let revisit = |id: &str| {
        Record::new("revisit", id)
            .with("WARC-Target-URI", "http://x/again")
            .with("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest")
            .with("WARC-Payload-Digest", "sha1:TWO")
            .with("Content-Type", "application/http; msgtype=response")
            .body(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n".to_vec())
    };
    let by_target = |record: Record, url: &str, date: &str| {
        record.with("WARC-Refers-To-Target-URI", url).with("WARC-Refers-To-Date", date)
    };
    let one = page("one", "alpha").instead("WARC-Date", "2024-05-01T00:00:01Z");
    let two = page("two", "alpha").instead("WARC-Date", "2024-05-01T00:00:02Z");
    let records = [
        revisit("before").with("WARC-Refers-To", &uuid("two")),
        one,
        two,
        revisit("by-id").with("WARC-Refers-To", &uuid("two")),
        by_target(revisit("by-target"), "http://x/two", "2024-05-01T00:00:02Z"),
        by_target(revisit("of-kept"), "http://x/one", "2024-05-01T00:00:01Z"),
        by_target(revisit("of-another-day"), "http://x/two", "2020-01-01T00:00:00Z"),
    ];
    for how in ["plain", "gzip-members", "gzip", "zstd"] {
        place.write("a.warc", compressed::compress(how, &archive::bytes_of(&records)));
        let run = place.dedup("a.warc --force");
        run.counted(2, 1, 1, 0);
        let kept = archive::parse(&compressed::decompress(how, &run.kept("a.warc")));
        assert_eq!(archive::ids(&kept), ["before", "one", "by-id", "by-target", "of-kept", "of-another-day"]);
        for record in kept.iter().filter(|record| ["before", "by-id", "by-target"].contains(&&*record.id())) {
            if let Some(refers) = record.get("WARC-Refers-To") {
                assert_eq!(refers, uuid("one"), "{how} {}", record.id());
            }
            assert_eq!(
                record.get("WARC-Refers-To-Target-URI"),
                Some("http://x/one"),
                "{how} {}",
                record.id()
            );
            assert_eq!(
                record.get("WARC-Refers-To-Date"),
                Some("2024-05-01T00:00:01Z"),
                "{how} {}",
                record.id()
            );
            assert_eq!(record.get("WARC-Target-URI"), Some("http://x/again"));
            assert_eq!(record.body, records[0].body);
        }
        // The others are as they came.
        assert_eq!(kept[4], records[5]);
        assert_eq!(kept[5], records[6]);
    }
}

#[test]
fn a_revisit_turned_to_a_near_copy_does_not_claim_its_digest() {
    let place = Place::new();
    let first = page("one", "alpha");
    let second = Record::response("two", "http://x/two", &html(&common::edited("alpha", 60, &[59])));
    let revisit = Record::new("revisit", "again")
        .with("WARC-Target-URI", "http://x/two")
        .with("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest")
        .with("WARC-Payload-Digest", "sha1:TWO")
        .with("WARC-Refers-To", &uuid("two"));
    place.write("a.warc", archive::bytes_of(&[first, second, revisit]).concat());
    let run = place.dedup("a.warc");
    run.counted(2, 1, 1, 0);
    let kept = archive::parse(&run.kept("a.warc"));
    assert_eq!(kept[1].get("WARC-Refers-To"), Some(&*uuid("one")));
    // A replay tool looks the payload up by this digest: it must be that of a record that is there.
    assert_ne!(kept[1].get("WARC-Payload-Digest"), Some("sha1:TWO"), "the page of this digest was removed");
}

#[test]
fn an_archive_all_of_whose_pages_went_is_still_gzip() {
    let place = Place::new();
    place.write("1.warc", page("one", "alpha").bytes());
    place.write("2.warc.gz", compressed::gzip(&page("two", "alpha").bytes()));
    let run = place.dedup("1.warc 2.warc.gz");
    assert!(run.folder.join("kept/2.warc.gz").exists());
    assert_eq!(compressed::decompress("gzip", &run.kept("2.warc.gz")), b"");
}

/// Decompressed bytes of a real archive.
fn plain(bytes: &[u8]) -> Vec<u8> {
    let how = match bytes {
        [0x1f, 0x8b, ..] => "gzip",
        [0x04, 0x22, 0x4d, 0x18, ..] => "lz4",
        _ => "plain",
    };
    compressed::decompress(how, bytes)
}

#[test]
fn real_archives_are_read_and_their_kept_parts_are_valid() {
    let place = Place::new();
    // Documents (HTML or text responses, conversions) and all records, as `INVENTORY.tsv` of the sources counts them.
    let known = [
        ("whirlwind.warc.gz", 1, 4),
        ("whirlwind.warc.wet.gz", 1, 2),
        ("whirlwind.warc.wat.gz", 0, 2),
        ("fragment3.wet.gz", 5, 6),
        ("transfer_none.warc.gz", 1, 5),
        // One gzip member for all, as `warcio` refuses them; a page without an address; wrong chunking; lz4.
        ("cc2015-one-member.warc.gz", 4, 14),
        ("clueweb12.warc.gz", 3, 4),
        ("corrupt_conversion.wet.gz", 5, 6),
        ("wrong-chunks.warc.gz", 1, 2),
        ("block-sized.warc.lz4", 0, 3),
    ];
    let awkward = [
        "cc2015-one-member.warc.gz",
        "clueweb12.warc.gz",
        "corrupt_conversion.wet.gz",
        "wrong-chunks.warc.gz",
    ];
    for (name, documents, records) in known {
        let path = data("warc").join(name);
        let run = place.dedup_to(&path.display().to_string(), name);
        assert_eq!(run.count("bad"), 0, "{name}: {:?}", run.bad());
        let read = run.count("read");
        assert!(
            read >= documents && read + run.count("passed") == records,
            "{name}: {}",
            run.manifest()["counts"]
        );
        if run.count("removed") == 0 {
            assert!(
                run.kept(name) == fs_err::read(&path).unwrap()
                    || plain(&run.kept(name)) == plain(&fs_err::read(&path).unwrap())
            );
        }
        // Of what was valid when it came.
        if !awkward.contains(&name) {
            archive::parse(&plain(&run.kept(name)));
        }
    }
}

#[test]
fn real_archives_with_faults_have_them_named_and_nothing_else_is_lost() {
    let place = Place::new();
    for name in ["incomplete_last.wet.gz", "example-trunc.warc", "clipped.warc.gz"] {
        let run = place.dedup_to(&data("warc").join(name).display().to_string(), name);
        let counts = ["read", "kept", "removed", "bad"].map(|count| run.count(count));
        assert_eq!(counts[0], counts[1] + counts[2] + counts[3], "{name}");
        assert!(counts[3] > 0, "{name}: a fault is named");
        let bad = &run.bad()[0];
        assert!(
            bad["message"].as_str().unwrap().len() > 10 && bad["source"].as_str().unwrap().ends_with(name)
        );
    }
}

#[test]
fn a_real_crawl_in_arc_and_warc_is_one_crawl() {
    let place = Place::new();
    let names = ["blackbook.arc.gz", "blackbook.warc.gz"];
    let paths = names.map(|name| data("warc").join(name).display().to_string());
    let run = place.dedup(&paths.join(" "));
    assert_eq!(run.count("bad"), 0, "{:?}", run.bad());
    let inputs = run.manifest()["inputs"].clone();
    assert_eq!(inputs[0]["read"], inputs[1]["read"], "the same pages");
    assert_eq!(
        inputs[1]["kept"].as_u64().unwrap(),
        run.count("empty") / 2,
        "all went that have a text: {inputs}"
    );
}

#[test]
fn revisits_of_real_archives_survive() {
    let place = Place::new();
    let run = place.dedup(&data("warc/dupes.warc.gz").display().to_string());
    let before = archive::parse(&plain(&fs_err::read(data("warc/dupes.warc.gz")).unwrap()));
    let after = archive::parse(&plain(&run.kept("dupes.warc.gz")));
    let revisits = |records: &[Record]| records.iter().filter(|record| record.kind() == "revisit").count();
    assert_eq!(revisits(&before), 9);
    assert_eq!(revisits(&after), 9);
}

#[test]
fn warcio_finds_no_fault_in_what_is_written() {
    let Some(warcio) = Warcio::find() else { return };
    let place = Place::new();
    // `example-extra.warc` has a wrong digest as it comes.
    let real = ["whirlwind.warc.gz", "dupes.warc.gz", "blackbook.warc.gz", "transfer_gzip.warc.gz"];
    for name in real {
        fs_err::copy(data("warc").join(name), place.path(name)).unwrap();
        // The same twice, so that all of the second goes or becomes revisits.
        fs_err::copy(data("warc").join(name), place.path(format!("again-{name}"))).unwrap();
        for flag in ["", "--annotate"] {
            let run = place.dedup(&format!("{name} again-{name} --force {flag}"));
            for kept in [name.to_owned(), format!("again-{name}")] {
                warcio.finds_no_fault(&run.folder.join("kept").join(&kept));
            }
        }
    }
}

#[test]
fn a_member_too_large_to_be_read_is_told_by_its_own_header() {
    let place = Place::new();
    let video = Record::new("response", "video")
        .with("WARC-Target-URI", "http://x/video")
        .with("Content-Type", "application/http; msgtype=response")
        .body(
            [&b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n\0\0\0\x18ftypmp42"[..], &[0; 9 << 20]]
                .concat(),
        );
    let html = format!("<html><body><p>{}</p></body></html>", "large ".repeat(3 << 19));
    let records = [
        page("one", "alpha"),
        page("two", "alpha"),
        video,
        Record::request("of-two", "http://x/two", Some("two")),
        Record::response("large", "http://x/large", &html),
        Record::new("resource", "picture").with("Content-Type", "image/png").body(b"\x89PNG\r\n".to_vec()),
    ];
    for how in compressed::ALL {
        place.write("a.warc", compressed::compress(how, &archive::bytes_of(&records)));
        let run = place.dedup("a.warc --max-document 1MiB --force");
        run.counted(3, 1, 1, 1);
        assert_eq!(run.bad_kinds(), ["too-large"], "{how}");
        let kept = archive::parse(&compressed::decompress(how, &run.kept("a.warc")));
        assert_eq!(archive::ids(&kept), ["one", "video", "picture"], "{how}");
    }
}
