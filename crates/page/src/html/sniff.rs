//! Is it HTML? For files that come without a Content-Type header.
//!
//! After the MIME Sniffing standard (<https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type>),
//! with a longer list of tags, and with two differences that a folder of files asks for: a leading comment or
//! XML declaration does not decide, what follows it does, so that XHTML is HTML, and feeds and commented
//! Markdown are not.

use encoding_rs::{Encoding, UTF_8};
use memchr::memmem;

use crate::charset::wide::Wide;

use super::tag::{ends_name, is_space};

/// How much of a file is looked at, after a byte order mark and white space.
const WINDOW_BYTES: usize = 1024;

/// Tags that begin an HTML page, or a piece of one.
#[rustfmt::skip]
static FIRST_TAGS: [&[u8]; 41] = [
    b"html", b"head", b"body", b"title", b"meta", b"link", b"base", b"script", b"style", b"noscript", b"iframe",
    b"template", b"h1", b"h2", b"h3", b"h4", b"h5", b"h6", b"div", b"p", b"span", b"a", b"b", b"i", b"br", b"hr",
    b"img", b"font", b"center", b"table", b"ul", b"ol", b"dl", b"pre", b"form", b"article", b"section", b"header",
    b"main", b"nav", b"blockquote",
];

/// Says whether these bytes are HTML, by the first of them.
///
/// ```
/// assert!(onefold_page::looks_like_html(b"\xef\xbb\xbf\n<!-- saved --> <!DOCTYPE html><p>Hello"));
/// assert!(!onefold_page::looks_like_html(b"2 < 3, and <p> starts a paragraph"));
/// ```
pub fn looks_like_html(bytes: &[u8]) -> bool {
    match Encoding::for_bom(bytes) {
        Some((encoding, bom_len)) if encoding != UTF_8 => {
            let end = bytes.len().min(bom_len + 2 * WINDOW_BYTES);
            let (text, _) = encoding.decode_without_bom_handling(&bytes[bom_len..end]);
            starts_as_html(text.as_bytes())
        }
        Some((_, bom_len)) => starts_as_html(&bytes[bom_len..]),
        None => match Wide::detect(bytes) {
            Some(wide) => {
                starts_as_html(wide.decode(&bytes[..bytes.len().min(4 * WINDOW_BYTES)]).text.as_bytes())
            }
            None => starts_as_html(bytes),
        },
    }
}

fn starts_as_html(bytes: &[u8]) -> bool {
    let mut rest = bytes.trim_ascii_start();
    rest = &rest[..rest.len().min(WINDOW_BYTES)];
    loop {
        rest = rest.trim_ascii_start();
        let skipped = if rest.starts_with(b"<!--") {
            match memmem::find(rest, b"-->") {
                Some(end) => end + 3,
                // Nothing but a comment in sight: the standard's answer.
                None => return true,
            }
        } else if has_prefix(rest, b"<?xml") {
            match memmem::find(rest, b"?>") {
                Some(end) => end + 2,
                None => return false,
            }
        } else {
            break;
        };
        rest = &rest[skipped..];
    }
    if has_prefix(rest, b"<!doctype") {
        let name = rest[b"<!doctype".len()..].trim_ascii_start();
        return is_name(name, b"html");
    }
    rest.first() == Some(&b'<') && FIRST_TAGS.iter().any(|tag| is_name(&rest[1..], tag))
}

fn has_prefix(bytes: &[u8], prefix: &[u8]) -> bool {
    bytes.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn is_name(bytes: &[u8], name: &[u8]) -> bool {
    has_prefix(bytes, name) && bytes.get(name.len()).is_some_and(|&byte| is_space(byte) || ends_name(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_pieces_of_pages_are_html() {
        for page in [
            "<!DOCTYPE html>",
            "<!doctype\nHTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\">",
            " \r\n\t<HTML lang=en>",
            "<head><title>",
            "<body bgcolor=white>",
            "<!-- a --><!-- b -->\n<div class=x>",
            "<!-- a comment that goes on",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"x\">",
            "<p>text",
            "<br/>",
        ] {
            assert!(looks_like_html(page.as_bytes()), "{page}");
        }
    }

    #[test]
    fn other_files_are_not_html() {
        for file in [
            "",
            "<",
            "plain text <p>",
            "{\"html\": \"<html>\"}",
            "<?xml version=\"1.0\"?><rss version=\"2.0\">",
            "<?xml version=\"1.0\"",
            "<svg xmlns=\"http://www.w3.org/2000/svg\">",
            "<!doctype svg>",
            "<!doctype htmlx>",
            "<pp>",
            "<p",
            "<!-- note -->\n# Markdown",
            "%PDF-1.7",
            "\0<html>",
        ] {
            assert!(!looks_like_html(file.as_bytes()), "{file}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_passed_over() {
        assert!(looks_like_html(b"\xef\xbb\xbf<html>"));
        let page = "<!doctype html><title>x</title>";
        let little: Vec<u8> = page.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = page.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(looks_like_html(&[b"\xff\xfe", little.as_slice()].concat()));
        assert!(looks_like_html(&[b"\xfe\xff", big.as_slice()].concat()));
        assert!(looks_like_html(&little) && looks_like_html(&big));
    }

    #[test]
    fn only_the_first_kibibyte_after_white_space_counts() {
        let far = format!("<!--{}--><html>", " ".repeat(WINDOW_BYTES - 10));
        assert!(!looks_like_html(format!("<?xml {} ?><html>", " ".repeat(WINDOW_BYTES)).as_bytes()));
        assert!(!looks_like_html(far.as_bytes()));
        assert!(looks_like_html(format!("{}<html>", " ".repeat(5000)).as_bytes()));
    }
}
