use super::*;

#[cfg(feature = "office")]
mod packed {
    #![allow(clippy::unwrap_used)]

    use std::io::{Cursor, Read, Write};

    use super::*;

    fn read(name: &str) -> Vec<u8> {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/files").join(name);
        let bytes = fs_err::read(path).unwrap();
        if !name.ends_with(".gz") {
            return bytes;
        }
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked).unwrap();
        unpacked
    }

    /// Real files: name, type, text.
    const FILES: [(&str, FileType, &str); 12] = [
        (
            "story.pdf",
            FileType::Pdf,
            "The lighthouse at Nørre Vorupør\nThe lamp was lit for the first time in 1878, and it has been lit every \
             night since.\n“Twelve miles,” the keeper said – and on clear nights it is more.\n• Height: 28 metres\n\
             • Price of oil: 4,50 €\nYear Ships\n1878 412\n1901 677\nМаяк стоит на берегу. Ελληνικά too.",
        ),
        (
            "story.doc",
            FileType::Doc,
            "The lighthouse at Nørre Vorupør\nThe lamp was lit for the first time in 1878, and it has been lit every \
             night since. “Twelve miles,” the keeper said – and on clear nights it is more.\nHeight: 28 metres\n\
             Price of oil: 4,50 €\nYear Ships\n1878 412\n1901 677\nМаяк стоит на берегу. Ελληνικά too.",
        ),
        (
            "story.rtf",
            FileType::Rtf,
            "The lighthouse at Nørre Vorupør\nThe lamp was lit for the first time in 1878, and it has been lit every \
             night since. “Twelve miles,” the keeper said – and on clear nights it is more.\n• Height: 28 metres\n\
             • Price of oil: 4,50 €\nYear Ships\n1878 412\n1901 677\nМаяк стоит на берегу. Ελληνικά too.",
        ),
        (
            "story.epub",
            FileType::Epub,
            "The lighthouse at Nørre Vorupør\nThe lamp was lit for the first time in 1878, and it has been lit every \
             night since. “Twelve miles,” the keeper said – and on clear nights it is more.\nHeight: 28 metres\n\
             Price of oil: 4,50 €\nYear\nShips\n1878\n412\n1901\n677\nМаяк стоит на берегу. Ελληνικά too.",
        ),
        (
            "ships.xls",
            FileType::Xls,
            "Year Ships Note\n1878 412 Lamp lit, för first time\n1901 677.5 Маяк\n1950 -3",
        ),
        ("slides.ppt.gz", FileType::Ppt, "The lighthouse at Nørre Vorupør\nLit in 1878\nМаяк"),
        (
            "par-hyperlinks.docx",
            FileType::Docx,
            "No hyperlinks\nOne awesome hyperlink.\nThree hyperlinks: the first one here, the second one, and the third.",
        ),
        (
            "txt-text.pptx",
            FileType::Pptx,
            "Foo Bar\nBaz Zoo\n1\nyahoo.com\nabc\na\nb\nc\nText run in table cell",
        ),
        ("shp-embedded-xlsx.xlsx", FileType::Xlsx, "1\n2\n3"),
        ("simplelist.odt", FileType::Odt, "Line 1\nItem A\nItem B\nLine 4"),
        (
            "ol.odp",
            FileType::Odp,
            "OL\nEins\nTsvey\nDray\nFir\nFinf\nZeks\nZibn\nAkht\nNayn\nTsen\nElf\nTsvelf\nDraytsn\nfertsn",
        ),
        ("pythagoras.ods", FileType::Ods, "3\n4\n5\n7"),
    ];

    fn zip_of(parts: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in parts {
            let method = if *name == "mimetype" {
                zip::CompressionMethod::Stored
            } else {
                zip::CompressionMethod::Deflated
            };
            writer
                .start_file(*name, zip::write::SimpleFileOptions::default().compression_method(method))
                .unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn office_files_give_their_text() {
        for (name, kind, text) in FILES {
            let bytes = read(name);
            assert_eq!(file_type(&bytes), kind, "{name}");
            assert_eq!(extract_file(&bytes, None, Content::Main).unwrap().text, text, "{name}");
        }
    }

    #[test]
    fn damaged_office_files_are_errors_or_text_but_never_a_panic() {
        for (name, ..) in FILES {
            let whole = read(name);
            let step = if whole.len() > 1 << 16 { 4999 } else { 97 };
            for at in (0..whole.len()).step_by(step) {
                let _ = extract_file(&whole[..at], None, Content::Main);
                let mut changed = whole.clone();
                changed[at] ^= 0x55;
                let _ = extract_file(&changed, None, Content::Main);
            }
            // RTF and PDF give what is left of them.
            let cut = extract_file(&whole[..whole.len() / 2], None, Content::Main);
            let is_error = matches!(cut, Err(FileError::Damaged { .. } | FileError::NotRead(_)));
            assert!(is_error || name.ends_with("rtf") || name.ends_with("pdf"), "{name}: {cut:?}");
        }
    }

    #[test]
    fn cells_point_to_shared_strings() {
        let file = zip_of(&[
            ("xl/workbook.xml", b"<workbook/>"),
            (
                "xl/sharedStrings.xml",
                b"<sst><si><t>Fish &amp; chips</t></si><si><r><t>A</t></r><r><t>B</t></r></si></sst>",
            ),
            (
                "xl/worksheets/sheet1.xml",
                b"<worksheet><row><c t=\"s\"><v>1</v></c><c t=\"s\"><v>0</v></c><c><v>7</v></c></row><row>\
                  <c t=\"inlineStr\"><is><t>x</t></is></c><c t=\"s\"><v>99</v></c></row></worksheet>",
            ),
        ]);
        assert_eq!(extract_file(&file, None, Content::Main).unwrap().text, "AB Fish & chips 7\nx 99");
    }

    #[test]
    fn a_book_is_read_in_the_order_of_its_spine() {
        let file = zip_of(&[
            ("mimetype", b"application/epub+zip"),
            ("META-INF/container.xml", b"<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>"),
            (
                "OEBPS/book.opf",
                b"<package><manifest><item id=\"b\" href=\"text/two%20.xhtml\"/><item id=\"a\" href=\"./one.xhtml\"/></manifest>\
                  <spine><itemref idref=\"a\"/><itemref idref=\"b\"/><itemref idref=\"gone\"/></spine></package>",
            ),
            ("OEBPS/text/two .xhtml", b"<html><title>t</title><body><p>Second"),
            ("OEBPS/one.xhtml", b"<?xml version=\"1.0\"?><html><body><h1>First</h1>"),
        ]);
        assert_eq!(file_type(&file), FileType::Epub);
        assert_eq!(extract_file(&file, None, Content::Main).unwrap().text, "First\nSecond");
    }

    #[test]
    fn a_bomb_ends_in_an_error() {
        let body = [b"<w:t>".as_slice(), &vec![b'a'; (MAX_UNPACKED_BYTES + 10) as usize]].concat();
        let bomb = zip_of(&[("word/document.xml", &body)]);
        assert!(bomb.len() < 1 << 20);
        assert_eq!(extract_file(&bomb, None, Content::Main), Err(FileError::TooLarge(FileType::Docx)));
        let deep = zip_of(&[("word/document.xml", &b"<a>".repeat(1 << 20))]);
        assert!(extract_file(&deep, None, Content::Main).is_ok_and(|page| page.text.is_empty()));
    }
}

#[test]
fn files_are_told_by_their_bytes() {
    for (bytes, kind) in [
        (b"%PDF-1.7\n".as_slice(), FileType::Pdf),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1W\0o\0r\0d\0D\0o\0c\0u\0m\0e\0n\0t\0\0\0", FileType::Doc),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileType::Other),
        (b"GIF89a", FileType::Image),
        (b"RIFF\0\0\0\0WEBPVP8 ", FileType::Image),
        (b"RIFF\0\0\0\0AVI ", FileType::Media),
        (b"\0\0\0\x18ftypmp42", FileType::Media),
        (b"<?xml version='1.0'?><svg>", FileType::Image),
        (b"<?xml version='1.0'?><!-- a --><!DOCTYPE svg [<!ENTITY e 'f'>]>\n<svg/>", FileType::Image),
        (b"<?xml version='1.0'?><!DOCTYPE svg><svg\n>", FileType::Image),
        (b"<my-app><svg></svg></my-app><p>words", FileType::Text),
        (b"<svgs>", FileType::Text),
        (b"BM\x36\0\0\0\0\0", FileType::Image),
        (b"BMW announces a car", FileType::Text),
        (b"ID3\x03\0", FileType::Media),
        (b"ID3 is a format of tags", FileType::Text),
        (b"RIFFs were played", FileType::Text),
        (b"Liteftype words", FileType::Text),
        (b"<?xml version='1.0'?><rss>", FileType::Xml),
        (b"<!doctype html>", FileType::Html),
        (b"PK\x03\x04nothing known", FileType::Archive),
        (b"\x1f\x8b\x08", FileType::Archive),
        (b"wOF2", FileType::Font),
        (b"a\0b\0\0\0\0", FileType::Other),
        (b"# Heading\n\nSome *text*", FileType::Text),
        (b"\xff\xfea\0b\0", FileType::Text),
        (b"caf\xe9", FileType::Text),
        (b"", FileType::Text),
    ] {
        assert_eq!(file_type(bytes), kind, "{bytes:?}");
    }
}

#[test]
fn files_without_text_are_told_from_others() {
    let skipped = |bytes: &[u8]| extract_file(bytes, None, Content::Main);
    assert_eq!(skipped(b"GIF89a"), Err(FileError::NotRead(FileType::Image)));
    let feed = b"<?xml version='1.0'?><rss><channel><item><description>News &amp; more</description></item></channel></rss>";
    assert_eq!(skipped(feed).map(|page| page.text), Ok("News & more".to_owned()));
    let feed =
        b"<?xml version='1.0'?><rss><title>T</title><description>&lt;p&gt;News&lt;/p&gt;</description></rss>";
    assert_eq!(skipped(feed).map(|page| page.text), Ok("T\nNews".to_owned()));
}
