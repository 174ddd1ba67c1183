//! WARC records that are longer or shorter than they say: one bad record each, and all others stay.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test fails by them, and says what it skips")]

mod common;

use common::archive::{self, Record, html};
use common::warcio::Warcio;
use common::{Place, compressed, prose, text_of};

#[test]
fn a_wrong_content_length() {
    let place = Place::new();
    let record = |n: usize| {
        Record::conversion(&format!("r{n}"), &format!("http://x/{n}"), &prose(&format!("t{n}x"), 60))
    };
    for wrong in [-30isize, 30, 4000] {
        let middle = record(1);
        let claimed = (middle.body.len() as isize + wrong) as usize;
        let bytes = [record(0).bytes(), middle.bytes_claiming(claimed), record(2).bytes(), record(3).bytes()];
        for how in ["plain", "gzip", "gzip-members"] {
            place.write("a.wet", compressed::compress(how, &bytes));
            let run = place.dedup("a.wet --force");
            let bad = run.bad();
            assert_eq!(run.bad_kinds(), ["content-length"], "{wrong} {how}: {bad:?}");
            if how == "gzip-members" && wrong > 0 {
                assert!(text_of(&bad[0]["message"]).ends_with("before end of its gzip member"), "{bad:?}");
            }
            let kept = archive::parse(&compressed::decompress(how, &run.kept("a.wet")));
            assert_eq!(archive::ids(&kept), ["r0", "r2", "r3"], "{wrong} {how}");
            run.counted(4, 3, 0, 1);
            if how == "plain" {
                assert_eq!(bad[0]["offset"], bytes[0].len());
            }
        }
    }
}

#[test]
fn a_content_length_that_takes_in_line_ends_behind_its_record() {
    let place = Place::new();
    let text = |n: usize| {
        Record::conversion(&format!("r{n}"), &format!("http://x/{n}"), &prose(&format!("t{n}x"), 60))
    };
    let page = |n: usize| {
        let body = html(&prose(&format!("t{n}x"), 60));
        let mut page = Record::response(&format!("r{n}"), &format!("http://x/{n}"), &body);
        // Of a digest that is none warcio says so.
        page.fields.retain(|(name, _)| name != "WARC-Payload-Digest");
        page
    };
    let warcio = Warcio::find();
    for (over, record) in (1..=4).flat_map(|over| [(over, text(1)), (over, page(1))]) {
        let claimed = record.body.len() + over;
        let of = |n| if record.kind() == "response" { page(n) } else { text(n) };
        let wrong = record.bytes_claiming(claimed);
        for at in [1, 3] {
            let mut bytes = vec![of(0).bytes(), of(2).bytes(), of(3).bytes()];
            bytes.insert(at, wrong.clone());
            for how in ["plain", "gzip", "gzip-members"] {
                let name = if how == "plain" { "a.warc" } else { "a.warc.gz" };
                place.write(name, compressed::compress(how, &bytes));
                let run = place.dedup(&format!("{name} --force"));
                // Behind the last record nothing tells whether its text ends in line ends, and nothing is lost.
                if at == 3 && over % 2 == 0 && record.kind() == "conversion" {
                    run.counted(4, 4, 0, 0);
                    continue;
                }
                assert_eq!(run.bad_kinds(), ["content-length"], "{over} {how} at {at}: {record:?}");
                run.counted(4, 3, 0, 1);
                let message = run.bad()[0]["message"].as_str().unwrap().to_owned();
                let told = format!("content-length {claimed}, found {} ", record.body.len());
                assert!(message.starts_with(&told), "{message}");
                let kept = archive::parse(&compressed::decompress(how, &run.kept(name)));
                assert_eq!(archive::ids(&kept), ["r0", "r2", "r3"], "{over} {how} at {at}");
                // One that takes in all of them costs other readers the next record.
                if let Some(warcio) = warcio.as_ref().filter(|_| over == 4 && how != "gzip") {
                    warcio.finds_no_fault(&place.path("out/kept").join(name));
                }
            }
        }
    }
}

#[test]
fn a_wrong_content_length_beyond_the_largest_document() {
    let place = Place::new();
    let page = |n: usize| {
        Record::conversion(&format!("r{n}"), &format!("http://x/{n}"), &prose(&format!("t{n}x"), 600))
    };
    let http = b"HTTP/1.1 302 Found\r\nContent-Type: text/html\r\nLocation: /\r\n\r\n";
    let wrong = [
        Record::new("revisit", "wrong").with("WARC-Target-URI", "http://x/").body(http.to_vec()),
        Record::new("response", "wrong").with("WARC-Target-URI", "http://x/").body(http.to_vec()),
        Record::new("warcinfo", "wrong"),
    ];
    for wrong in wrong {
        let mut bytes: Vec<Vec<u8>> = (0..60).map(|n| page(n).bytes()).collect();
        bytes.insert(7, wrong.bytes_claiming(300_000));
        place.write("a.warc", bytes.concat());
        let run = place.dedup("a.warc --max-document 128KiB --force");
        assert_eq!(run.bad_kinds(), ["content-length"], "{wrong:?}");
        run.counted(61, 60, 0, 1);
    }
}
