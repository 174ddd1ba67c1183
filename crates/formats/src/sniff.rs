//! What a file is, by its first bytes; its name only breaks ties.

use crate::bad::{BadKind, BadRecord};
use crate::compress::{Compression, Decoder, MemberInflater};
use crate::error::Error;
use crate::source::{Fields, Format, Layout, Look, OpenFile, Source};
use crate::warc::starts_record;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Decompressed bytes looked at.
const HEAD: usize = 1 << 16;

pub(crate) fn look(path: &Path, name: &str, relative: &Path, fields: &Fields) -> Result<Look, Error> {
    // Opening one waits for a writer, who may never come.
    if fs_err::metadata(path).is_ok_and(|about| about.file_type().is_fifo()) {
        let message = "a pipe, which can be read once only, and not now".into();
        return Err(Error::Unsupported { path: path.to_owned(), message });
    }
    let mut file = match OpenFile::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Ok(Look::Bad(BadRecord::new(BadKind::Permission, error.to_string())));
        }
        Err(error) => return Err(error.into()),
    };
    let size = file.file().metadata()?.len();
    if size == 0 {
        return Ok(Look::Empty);
    }
    let mut raw = read_up_to(&mut file, HEAD)?;
    let compression = Compression::of(&raw);
    let mut fault = None;
    let head = if compression == Compression::None {
        std::mem::take(&mut raw)
    } else {
        file.seek_to(0)?;
        let (head, error) = decode_head(file.share(), compression)?;
        if let Some(fatal) = file.take_error() {
            return Err(fatal.into());
        }
        fault = error;
        head
    };
    if head.is_empty() {
        return Ok(match fault {
            Some(error) => Look::Bad(BadRecord::new(BadKind::Corrupt, format!("compressed data: {error}"))),
            None => Look::Empty,
        });
    }
    let whole = head.len() < HEAD && fault.is_none();
    if whole && head.trim_ascii().is_empty() {
        return Ok(Look::Empty);
    }
    let format = format_of(&head, name, fields);
    if format == Format::Parquet && cfg!(not(feature = "parquet")) {
        return Ok(Look::Bad(BadRecord::new(BadKind::Parquet, "this build does not read Parquet")));
    }
    let layout = match (format, compression) {
        (Format::Parquet, _) => Layout::Rows,
        (_, Compression::None) => Layout::Plain,
        (Format::Warc | Format::Arc, Compression::Gzip) if one_record_a_member(&file, format)? => {
            Layout::Members
        }
        _ => Layout::Stream,
    };
    let (path, relative) = (path.to_owned(), relative.to_owned());
    Ok(Look::Source(Source { path, name: name.to_owned(), relative, size, format, compression, layout }))
}

fn read_up_to(reader: &mut impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(limit as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// The first decompressed bytes, and the error that ended them early.
fn decode_head(file: OpenFile, compression: Compression) -> io::Result<(Vec<u8>, Option<io::Error>)> {
    let mut decoder = Decoder::new(file, compression)?;
    let (mut head, mut filled) = (vec![0; HEAD], 0);
    let mut fault = None;
    while filled < HEAD {
        match decoder.read(&mut head[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) => {
                fault = Some(error);
                break;
            }
        }
    }
    head.truncate(filled);
    Ok((head, fault))
}

/// What a file is whose first bytes these are; there is one that is no white space.
fn format_of(head: &[u8], name: &str, fields: &Fields) -> Format {
    if head.starts_with(b"PAR1") {
        return Format::Parquet;
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let start = text.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
    let text = &text[start..];
    if text.starts_with(b"WARC/") {
        return Format::Warc;
    }
    if text.starts_with(b"filedesc://") {
        return Format::Arc;
    }
    let lower = name.to_ascii_lowercase();
    let named = |endings: &[&str]| endings.iter().any(|ending| lower.contains(ending));
    // A piece of an archive: its first record is cut, the next one starts properly.
    if named(&[".warc", ".wet", ".wat"])
        && memchr::memmem::find_iter(text, b"\nWARC/").any(|at| starts_record(&text[at + 1..]))
    {
        return Format::Warc;
    }
    if looks_like_html(text) {
        return Format::Html;
    }
    if is_file(text) {
        return Format::File;
    }
    if text[0] == b'{' {
        return Format::Jsonl;
    }
    if is_binary(head) {
        return Format::File;
    }
    if named(&[".jsonl", ".ndjson", ".json"]) {
        return Format::Jsonl;
    }
    let first_line = text.split(|&b| b == b'\n').next().unwrap_or(text);
    let has_column = |delimiter: u8| {
        let mut columns = first_line.split(|&b| b == delimiter).map(|column| {
            let column = column.strip_suffix(b"\r").unwrap_or(column);
            column.strip_prefix(b"\"").and_then(|c| c.strip_suffix(b"\"")).unwrap_or(column)
        });
        first_line.contains(&delimiter) && columns.any(|column| column == fields.text.as_bytes())
    };
    if has_column(b'\t') || named(&[".tsv"]) {
        return Format::Tsv;
    }
    if has_column(b',') || named(&[".csv"]) {
        return Format::Csv;
    }
    Format::Text
}

/// Whether a page starts here: a doctype, or one of the elements that open one.
#[rustfmt::skip]
pub(crate) fn looks_like_html(text: &[u8]) -> bool {
    // Those of the standard for sniffing, and of pages that begin with their sections or their head.
    const OPENERS: [&str; 31] = [
        "<!doctype html", "<!--", "<html", "<head", "<body", "<title", "<meta", "<link", "<script", "<style", "<iframe",
        "<div", "<table", "<p", "<a", "<b", "<br", "<font", "<center", "<h1", "<h2", "<h3", "<ul", "<ol", "<dl", "<span",
        "<section", "<article", "<main", "<header", "<nav",
    ];
    let mut text = text;
    // An XML declaration may stand before XHTML.
    if text.starts_with(b"<?xml")
        && let Some(end) = memchr::memmem::find(text, b"?>")
    {
        text = text[end + 2..].trim_ascii_start();
        return starts_with_any(text, &["<!doctype html", "<html"]);
    }
    starts_with_any(text, &OPENERS)
}

fn starts_with_any(text: &[u8], openers: &[&str]) -> bool {
    // A name goes on to its end: `<br` is no `<b`, and `<a@b.example>` no link.
    let is_whole = |opener: &str| match text.get(opener.len()) {
        Some(next) => opener == "<!--" || next.is_ascii_whitespace() || matches!(next, b'>' | b'/'),
        None => true,
    };
    openers.iter().any(|opener| {
        text.get(..opener.len()).is_some_and(|start| start.eq_ignore_ascii_case(opener.as_bytes()))
            && is_whole(opener)
    })
}

/// Whether a file starts here that is text to look at and no plain text: rich text, a feed or other XML, a PDF.
fn is_file(text: &[u8]) -> bool {
    [b"{\\rtf".as_slice(), b"<?xml", b"<rss", b"<feed", b"<urlset", b"<svg", b"%PDF-"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// Text has no NUL and hardly any other control characters. Text in UTF-16 has a byte order mark.
fn is_binary(head: &[u8]) -> bool {
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return false;
    }
    let odd = head.iter().filter(|&&b| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)).count();
    let nul_share = memchr::memchr_iter(0, head).count() * 100 / head.len();
    nul_share > 5 || odd * 100 / head.len() > 5
}

/// Whether the first gzip member holds exactly one record. A later member that does not is found by the reader.
fn one_record_a_member(file: &OpenFile, format: Format) -> Result<bool, Error> {
    file.seek_to(0)?;
    let mut file = file.share();
    let mut inflater = MemberInflater::default();
    let mut output = vec![0; 1 << 18];
    let mut limit = 1 << 18;
    loop {
        file.seek_to(0)?;
        let input = read_up_to(&mut file, limit)?;
        match inflater.inflate(&input, &mut output) {
            Ok((_, filled)) => return Ok(crate::reader::holds_one_record(&output[..filled], format)),
            Err(crate::compress::MemberError::NoSpace) if output.len() < 1 << 23 => {
                output.resize(output.len() * 4, 0)
            }
            Err(crate::compress::MemberError::BadData) if input.len() == limit && limit < 1 << 22 => {
                limit *= 4
            }
            Err(_) => return Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(head: &str, name: &str) -> Format {
        format_of(head.as_bytes(), name, &Fields::default())
    }

    #[test]
    fn content_decides_over_the_name() {
        assert_eq!(format("WARC/1.0\r\n", "a.jsonl"), Format::Warc);
        assert_eq!(format("{\"text\":1}\n", "a.warc"), Format::Jsonl);
        assert_eq!(format("<!DOCTYPE html><p>", "a.txt"), Format::Html);
        for fragment in ["<p class=x>Words", "<H2>Words</H2>", "<ul>\n<li>Words", "<br/>Words", "<!--x--><p>"]
        {
            assert_eq!(format(fragment, "a"), Format::Html, "{fragment}");
        }
        for text in ["<a@b.example> wrote", "<plan> of the house", "< p>"] {
            assert_eq!(format(text, "a"), Format::Text, "{text}");
        }
        assert_eq!(format("id,text\n1,x\n", "a.txt"), Format::Csv);
        assert_eq!(format("id\ttext\n1\tx\n", "a.txt"), Format::Tsv);
        assert_eq!(format("# Title\n\nWords", "a.md"), Format::Text);
        assert_eq!(format("\0\0\0\0", "a.jsonl"), Format::File);
        assert_eq!(format("{\\rtf1 x}", "a.json"), Format::File);
        assert_eq!(format("<?xml version='1.0'?><rss>", "a"), Format::File);
        assert_eq!(format("<?xml version='1.0'?><html>", "a"), Format::Html);
    }
}
