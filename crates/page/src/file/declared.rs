//! What a payload is, by its bytes and by the type its header declares.
//!
//! Bytes decide. A header is asked where they cannot tell kinds of text apart (HTML without a tag at its start, a
//! script, JSON), and where there are no bytes.

use super::{FileType, file_type};

/// Says what a payload is; `content_type` is the value of its Content-Type header.
///
/// ```
/// use onefold_page::file::{FileType, payload_type};
///
/// assert_eq!(payload_type(b"%PDF-1.4", Some("text/html")), FileType::Pdf);
/// assert_eq!(payload_type(b"Hello", Some("text/html; charset=utf-8")), FileType::Html);
/// assert_eq!(payload_type(b"var x = 1;", Some("text/javascript")), FileType::Script);
/// assert_eq!(payload_type(b"Hello", None), FileType::Text);
/// ```
pub fn payload_type(bytes: &[u8], content_type: Option<&str>) -> FileType {
    let declared = content_type.and_then(declared);
    if bytes.is_empty() {
        return declared.unwrap_or(FileType::Other);
    }
    match (file_type(bytes), declared) {
        // A page shown as it is written, as the source of one.
        (FileType::Html, Some(FileType::Text | FileType::Script)) => FileType::Text,
        (FileType::Text | FileType::Xml, Some(FileType::Html)) => FileType::Html,
        (FileType::Text, Some(declared)) if !declared.is_told_by_bytes() => declared,
        (told, _) => told,
    }
}

impl FileType {
    /// Whether files of this type have bytes by which they are always known.
    fn is_told_by_bytes(self) -> bool {
        self.has_text() && !matches!(self, FileType::Html | FileType::Text)
    }
}

/// The type a header names; none where it says nothing.
fn declared(content_type: &str) -> Option<FileType> {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (group, name) = essence.split_once('/')?;
    Some(match (group, name) {
        ("text", "html") | ("application", "xhtml+xml") => FileType::Html,
        ("text", "css") | (_, "javascript" | "x-javascript" | "ecmascript") => FileType::Script,
        (_, "json" | "manifest+json") => FileType::Data,
        (_, name) if name.ends_with("+json") => FileType::Data,
        ("image", _) => FileType::Image,
        ("audio" | "video", _) => FileType::Media,
        ("font", _) => FileType::Font,
        (_, "pdf") => FileType::Pdf,
        ("application", "zip" | "gzip" | "x-gzip" | "x-tar" | "x-bzip2" | "x-7z-compressed") => {
            FileType::Archive
        }
        (_, "xml") => FileType::Xml,
        (_, name) if name.ends_with("+xml") => FileType::Xml,
        ("text", _) => FileType::Text,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_decide_over_the_header() {
        for (bytes, declared, told) in [
            (b"GIF89a".as_slice(), "text/html", FileType::Image),
            (b"<!doctype html>", "image/png", FileType::Html),
            (b"<!doctype html>", "application/octet-stream", FileType::Html),
            (b"<!doctype html>", "text/plain", FileType::Text),
            (b"plain words", "text/html", FileType::Html),
            (b"plain words", "application/pdf", FileType::Text),
            (b"plain words", "application/octet-stream", FileType::Text),
            (b"{\"a\":1}", "application/ld+json", FileType::Data),
            (b"a { b: c }", "text/css", FileType::Script),
            (b"odd", "image/x-odd", FileType::Image),
            (b"", "video/mp4", FileType::Media),
            (b"", "text/html", FileType::Html),
            (b"", "nonsense", FileType::Other),
        ] {
            assert_eq!(payload_type(bytes, Some(declared)), told, "{bytes:?} {declared}");
        }
    }
}
