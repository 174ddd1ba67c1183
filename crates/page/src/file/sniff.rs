//! What a file is, by its bytes.
//!
//! Signatures as in the MIME Sniffing standard (<https://mimesniff.spec.whatwg.org/>) and in the formats' own papers.
//! A ZIP is told by the names of its parts, which stand in it unpacked.

use memchr::{memchr, memmem};

use super::FileType;
use crate::charset::wide::Wide;
use crate::html::looks_like_html;

/// First bytes that no text has, and what they mean; the first that fits counts.
static SIGNATURES: [(&[u8], FileType); 21] = [
    (b"%PDF-", FileType::Pdf),
    (b"{\\rtf", FileType::Rtf),
    (b"\x89PNG\r\n\x1a\n", FileType::Image),
    (b"\xff\xd8\xff", FileType::Image),
    (b"II*\0", FileType::Image),
    (b"MM\0*", FileType::Image),
    (b"\0\0\x01\0", FileType::Image),
    (b"\xff\xfb", FileType::Media),
    (b"\x1aE\xdf\xa3", FileType::Media),
    (b"FLV\x01", FileType::Media),
    (b"\0\0\x01\xba", FileType::Media),
    (b"\x1f\x8b", FileType::Archive),
    (b"\xfd7zXZ\0", FileType::Archive),
    (b"7z\xbc\xaf\x27\x1c", FileType::Archive),
    (b"Rar!\x1a\x07", FileType::Archive),
    (b"\x28\xb5\x2f\xfd", FileType::Archive),
    (b"OTTO\0", FileType::Font),
    (b"\0\x01\0\0\0", FileType::Font),
    (b"\x7fELF", FileType::Other),
    (b"MZ\x90\0", FileType::Other),
    (b"\0asm", FileType::Other),
];

/// The same of letters, with which words may begin, too: they count where bytes follow that no text has.
static LETTERS: [(&[u8], FileType); 11] = [
    (b"GIF87a", FileType::Image),
    (b"GIF89a", FileType::Image),
    (b"BM", FileType::Image),
    (b"8BPS", FileType::Image),
    (b"ID3", FileType::Media),
    (b"OggS", FileType::Media),
    (b"fLaC", FileType::Media),
    (b"MThd", FileType::Media),
    (b"BZh", FileType::Archive),
    (b"wOFF", FileType::Font),
    (b"wOF2", FileType::Font),
];

/// Office files of before 2007, and others.
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// How much of a file is looked at for bytes that no text has.
const LOOKED_AT_BYTES: usize = 4096;

/// Says what a file is.
pub fn file_type(bytes: &[u8]) -> FileType {
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return zip_type(bytes);
    }
    if bytes.starts_with(COMPOUND) {
        return compound_type(bytes);
    }
    let sample = &bytes[..bytes.len().min(LOOKED_AT_BYTES)];
    if looks_like_html(bytes) {
        return FileType::Html;
    }
    if let Some((_, kind)) = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        return *kind;
    }
    if let Some(kind) = lettered(bytes)
        && (bytes.len() <= 8 || sample.iter().any(is_control))
    {
        return kind;
    }
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if is_svg(start) {
        return FileType::Image;
    }
    if start.starts_with(b"<?xml")
        || start.starts_with(b"<rss")
        || start.starts_with(b"<feed")
        || start.starts_with(b"<urlset")
    {
        return FileType::Xml;
    }
    let is_wide =
        || Wide::detect(bytes).is_some() || bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let many = sample.iter().filter(|byte| is_control(byte)).count() * 50 > sample.len();
    if (many || memchr(0, sample).is_some()) && !is_wide() {
        return FileType::Other;
    }
    FileType::Text
}

/// What the letters mean that a file begins with, if it is no text.
fn lettered(bytes: &[u8]) -> Option<FileType> {
    let form = bytes.get(8..12);
    if bytes.starts_with(b"RIFF") {
        return Some(if form == Some(b"WEBP") { FileType::Image } else { FileType::Media });
    }
    if bytes.get(4..8) == Some(b"ftyp") {
        let is_image = [b"avif", b"heic", b"mif1"].iter().any(|brand| form == Some(brand.as_slice()));
        return Some(if is_image { FileType::Image } else { FileType::Media });
    }
    LETTERS.iter().find(|(letters, _)| bytes.starts_with(letters)).map(|(_, kind)| *kind)
}

/// Controls but those that lay out lines and pages, switch between alphabets or end a file.
fn is_control(byte: &u8) -> bool {
    matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f)
}

/// Whether the first element is that of a drawing; a page may have one within.
fn is_svg(start: &[u8]) -> bool {
    let mut rest = start;
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            // One with entities of its own, as drawing programs write it.
            [b'<', b'!', ..] if rest.iter().find(|byte| b"[>".contains(byte)) == Some(&b'[') => b"]>",
            [b'<', b'!', ..] => b">",
            [b'<', b's', b'v', b'g', behind @ ..] => {
                return behind.first().is_none_or(|byte| byte.is_ascii_whitespace() || b">/".contains(byte));
            }
            _ => return false,
        };
        let Some(at) = memmem::find(rest, end) else { return false };
        rest = &rest[at + end.len()..];
    }
}

/// A compound file by the names of its streams, which stand in it in UTF-16.
fn compound_type(bytes: &[u8]) -> FileType {
    for (name, kind) in [
        ("WordDocument", FileType::Doc),
        ("PowerPoint Document", FileType::Ppt),
        ("Workbook", FileType::Xls),
        ("Book", FileType::Xls),
    ] {
        let wide: Vec<u8> = name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
        if memmem::find(bytes, &wide).is_some() {
            return kind;
        }
    }
    FileType::Other
}

fn zip_type(bytes: &[u8]) -> FileType {
    // By the OpenDocument and EPUB papers the first part is their type, not packed.
    let first = bytes.get(30..).unwrap_or_default();
    if let Some(mime) = first.strip_prefix(b"mimetype") {
        for (name, kind) in [
            (b"application/epub+zip".as_slice(), FileType::Epub),
            (b"application/vnd.oasis.opendocument.text", FileType::Odt),
            (b"application/vnd.oasis.opendocument.presentation", FileType::Odp),
            (b"application/vnd.oasis.opendocument.spreadsheet", FileType::Ods),
        ] {
            if mime.starts_with(name) {
                return kind;
            }
        }
    }
    for (name, kind) in [
        (b"word/document.xml".as_slice(), FileType::Docx),
        (b"ppt/presentation.xml", FileType::Pptx),
        (b"xl/workbook.xml", FileType::Xlsx),
    ] {
        if memmem::find(bytes, name).is_some() {
            return kind;
        }
    }
    FileType::Archive
}
