//! What a file is, by its first bytes; its name only breaks ties.

mod head;

use crate::bad::{BadKind, BadRecord};
use crate::compress::{Compression, Decoder, MemberInflater, member_behind};
use crate::error::Error;
use crate::source::{Fields, Format, Layout, Look, OpenFile, Source};
use crate::stream::damage;
use crate::text::begins_table;
use crate::warc::{ArcHeader, starts_record};
use head::{Head, read_head, read_up_to};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

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
    let mut raw = Vec::new();
    read_head(&mut file, &mut raw)?;
    // A file may be told to have bytes and give none: those of the kernel do, and it may have been cut since.
    if raw.is_empty() {
        return Ok(Look::Empty);
    }
    let is_odd = |head: &[u8]| !is_utf8(head) || is_binary(head);
    let compression = match Compression::of(&raw) {
        // What is told by itself is not told by its name.
        Compression::None if is_odd(&raw) && is_one_document(format_of(&raw, "", fields)) => {
            behind_damage(&file, name)?
        }
        told => told,
    };
    let Head { head, behind, fault } = if compression == Compression::None {
        Head { head: raw, ..Head::default() }
    } else {
        file.seek_to(0)?;
        head::decode(file.share(), compression)?
    };
    if head.is_empty() {
        return Ok(match fault {
            Some(error) => Look::Bad(damage(&error)),
            None => Look::Empty,
        });
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    if text.trim_ascii().is_empty() && fault.is_none() && !is_named_text(name) {
        return Ok(if text.is_empty() { Look::Empty } else { Look::Blank });
    }
    let mut format = format_of(&head, name, fields);
    // Damage may be noticed late, and the bytes before it be wrong.
    if is_one_document(format) && !behind.is_empty() {
        let other = format_of(&behind, name, fields);
        format = if is_one_document(other) { format } else { other };
    }
    // Where the first record of an archive is damaged, it may be long.
    if matches!(format, Format::Text | Format::File) && is_named(name, RECORDS) {
        file.seek_to(0)?;
        let decoder = Decoder::new(file.share(), compression)?;
        format = head::later(decoder, |stretch| format_of(stretch, name, fields))?.unwrap_or(format);
    }
    // A table is read from its end, and its beginning may be damaged.
    if is_one_document(format)
        && compression == Compression::None
        && promised_records(name) == Some("Parquet")
        && ends_table(&file, size)?
    {
        format = Format::Parquet;
    }
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
    Ok(Look::Source(Source {
        path,
        name: name.to_owned(),
        relative,
        size,
        format,
        compression,
        layout,
        all_columns: false,
    }))
}

/// Names of files of records that can be told from each other anywhere in the file.
const RECORDS: &[&str] = &["warc", "wet", "wat", "arc", "jsonl", "ndjson"];

/// The compression that a file's name tells, if a member or frame of it starts somewhere, though not at the beginning.
fn behind_damage(file: &OpenFile, name: &str) -> io::Result<Compression> {
    let lower = name.to_ascii_lowercase();
    let named = [(".gz", Compression::Gzip), (".zst", Compression::Zstd), (".lz4", Compression::Lz4)];
    let told = named.into_iter().find(|(ending, _)| lower.ends_with(ending)).map(|(_, told)| told);
    match told {
        Some(told) if member_behind(file.share(), told, 0)?.is_some() => Ok(told),
        _ => Ok(Compression::None),
    }
}

/// Whether a file ends as Parquet does.
fn ends_table(file: &OpenFile, size: u64) -> io::Result<bool> {
    let mut end = [0; 4];
    file.fill_at(&mut end, size.saturating_sub(4))?;
    Ok(&end == b"PAR1")
}

/// Whether a file of this format is one document.
fn is_one_document(format: Format) -> bool {
    matches!(format, Format::Text | Format::Html | Format::File)
}

/// Whether a name ends so, however the file is compressed.
fn is_named(name: &str, endings: &[&str]) -> bool {
    ending(&name.to_ascii_lowercase()).is_some_and(|ending| endings.contains(&ending))
}

/// Whether a file's name says that all of it is one text, so that one without words is a document without words.
fn is_named_text(name: &str) -> bool {
    is_named(name, &["txt", "text", "md", "markdown", "htm", "html", "xhtml"])
}

/// Whether a name says that a file holds documents, however it is compressed: it ends as such files do, or is that of
/// standard input, which nobody hands over for nothing.
pub(crate) fn promises_documents(name: &str) -> bool {
    name == "-" || promised_records(name).is_some() || is_named_text(name)
}

/// The records that a name says a file holds, however it is compressed.
pub(crate) fn promised_records(name: &str) -> Option<&'static str> {
    Some(match ending(&name.to_ascii_lowercase())? {
        "warc" | "wet" | "wat" => "WARC",
        "arc" => "ARC",
        "jsonl" | "ndjson" | "json" => "JSONL",
        "parquet" => "Parquet",
        "csv" => "CSV",
        "tsv" => "TSV",
        _ => return None,
    })
}

/// What a file's name in lower case ends with, but for compressions and the numbers of its parts. Folders say nothing, nor does
/// what has no name before it.
fn ending(name: &str) -> Option<&str> {
    const COMPRESSED: [&str; 8] = ["gz", "zst", "lz4", "xz", "bz2", "lz", "z", "zip"];
    // One digit alone is the section of a manual: `package.json.5`.
    let is_number = |ending: &str| ending.len() > 1 && ending.bytes().all(|byte| byte.is_ascii_digit());
    let file = name.rsplit('/').next()?.trim_start_matches('.');
    let (_, endings) = file.split_once('.')?;
    endings.rsplit('.').find(|ending| !COMPRESSED.contains(ending) && !is_number(ending))
}

/// What a file is whose first bytes these are.
fn format_of(head: &[u8], name: &str, fields: &Fields) -> Format {
    // Behind the magic number comes a number of Thrift, and no text.
    let is_text_behind = |head: &[u8]| head.get(4).is_some_and(|byte| (b' '..0x7f).contains(byte));
    if head.starts_with(b"PAR1") && !is_text_behind(head) {
        return Format::Parquet;
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let start = text.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(0);
    let text = &text[start..];
    let named = |endings: &[&str]| is_named(name, endings);
    let named_archive = named(&["warc", "wet", "wat"]);
    if starts_record(text) || (text.starts_with(b"WARC/") && named_archive) {
        return Format::Warc;
    }
    if text.starts_with(b"filedesc://") {
        return Format::Arc;
    }
    // A piece of an archive: its first record is cut, the next one starts properly.
    if named_archive && memchr::memmem::find_iter(text, b"\nWARC/").any(|at| starts_record(&text[at + 1..])) {
        return Format::Warc;
    }
    // The same of older ones, which have no more than a line to tell them by.
    if named(&["arc"]) && text.split_inclusive(|&b| b == b'\n').any(|rest| ArcHeader::parse(rest).is_some()) {
        return Format::Arc;
    }
    let narrow = narrowed(head);
    let marked_up = narrow.as_deref().map_or(text, <[u8]>::trim_ascii_start);
    // A page of an error may stand before the records it was to be.
    let records_behind = || promised_records(name) == Some("JSONL") && goes_on_with_objects(text);
    if looks_like_html(marked_up) && !records_behind() {
        return Format::Html;
    }
    if is_file(marked_up) {
        return Format::File;
    }
    if (text.first() == Some(&b'{') && holds_object(text)) || goes_on_with_objects(text) {
        return Format::Jsonl;
    }
    if begins_table(text, b'\t', &fields.text) {
        Format::Tsv
    } else if begins_table(text, b',', &fields.text) {
        Format::Csv
    } else if is_binary(head) {
        Format::File
    } else if wide(head).is_some() {
        // Records are UTF-8, whatever a name says.
        Format::Text
    } else if named(&["jsonl", "ndjson", "json"]) {
        Format::Jsonl
    } else if named(&["tsv"]) {
        Format::Tsv
    } else if named(&["csv"]) {
        Format::Csv
    } else if memchr::memchr(0, head).is_some() {
        // Text has none, and a file that is not packed is text for the most part.
        Format::File
    } else {
        Format::Text
    }
}

/// Bytes a character of text with a byte order mark of UTF-16 or UTF-32, and which of them is the low one.
fn wide(head: &[u8]) -> Option<(usize, usize)> {
    match head {
        [0xff, 0xfe, 0, 0, ..] => Some((4, 0)),
        [0, 0, 0xfe, 0xff, ..] => Some((4, 3)),
        [0xff, 0xfe, ..] => Some((2, 0)),
        [0xfe, 0xff, ..] => Some((2, 1)),
        _ => None,
    }
}

/// The first ASCII of such text.
fn narrowed(head: &[u8]) -> Option<Vec<u8>> {
    const ENOUGH: usize = 1 << 10;
    let (width, low) = wide(head)?;
    let narrow = |unit: &[u8]| {
        let is_narrow = unit.iter().enumerate().all(|(at, &byte)| at == low || byte == 0);
        if is_narrow { unit[low] } else { b'?' }
    };
    Some(head[width..].chunks_exact(width).take(ENOUGH).map(narrow).collect())
}

/// Whether one of the first lines starts an object of JSON. Text for a template engine begins with a brace too, but one
/// of two, or with a percent sign behind it.
fn holds_object(text: &[u8]) -> bool {
    const LINES: usize = 4;
    let starts_object = |line: &[u8]| {
        let Some(rest) = line.trim_ascii_start().strip_prefix(b"{") else { return false };
        matches!(rest.trim_ascii_start().first(), Some(b'"' | b'}'))
    };
    let lines = text.split_inclusive(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty());
    // An object may be laid out over lines, with the first brace on one of its own.
    starts_object(text) || lines.take(LINES).any(starts_object)
}

/// Whether what follows a first line that is none are lines of objects, but for one in two at most.
fn goes_on_with_objects(text: &[u8]) -> bool {
    const LINES: usize = 64;
    let is_object = |line: &&[u8]| {
        let line = line.trim_ascii();
        line.starts_with(b"{\"") && line.ends_with(b"}")
    };
    let whole = text.split_inclusive(|&b| b == b'\n').skip(1).filter(|line| line.ends_with(b"\n"));
    let lines: Vec<&[u8]> = whole.filter(|line| !line.trim_ascii().is_empty()).take(LINES).collect();
    let objects = lines.iter().filter(|line| is_object(line)).count();
    objects >= 2 && objects * 2 >= lines.len()
}

/// Tags that begin a page, or a piece of one.
#[rustfmt::skip]
const FIRST_TAGS: [&str; 41] = [
    "html", "head", "body", "title", "meta", "link", "base", "script", "style", "noscript", "iframe", "template", "h1",
    "h2", "h3", "h4", "h5", "h6", "div", "p", "span", "a", "b", "i", "br", "hr", "img", "font", "center", "table", "ul",
    "ol", "dl", "pre", "form", "article", "section", "header", "main", "nav", "blockquote",
];

/// Whether a page starts here: a doctype, or one of the elements that open one. Comments and an XML declaration do not decide,
/// what follows them does. That is what `onefold-page` says of payloads, which this crate does not know.
pub(crate) fn looks_like_html(text: &[u8]) -> bool {
    const WINDOW: usize = 1 << 10;
    let mut rest = &text[..text.len().min(WINDOW)];
    loop {
        rest = rest.trim_ascii_start();
        let (end, otherwise) = if rest.starts_with(b"<!--") {
            (memchr::memmem::find(rest, b"-->").map(|end| end + 3), true)
        } else if starts_with(rest, "<?xml") {
            (memchr::memmem::find(rest, b"?>").map(|end| end + 2), false)
        } else {
            break;
        };
        let Some(end) = end else { return otherwise };
        rest = &rest[end..];
    }
    if starts_with(rest, "<!doctype") {
        return is_named_so(rest["<!doctype".len()..].trim_ascii_start(), "html");
    }
    rest.strip_prefix(b"<").is_some_and(|rest| FIRST_TAGS.iter().any(|tag| is_named_so(rest, tag)))
}

fn starts_with(text: &[u8], start: &str) -> bool {
    text.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start.as_bytes()))
}

/// Whether a name goes on to its end: `<br` is no `<b`, and `<a@b.example>` no link.
fn is_named_so(text: &[u8], name: &str) -> bool {
    let ends = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
    starts_with(text, name) && text.get(name.len()).is_some_and(|&byte| ends(byte))
}

/// Whether a file starts here that is text to look at and no plain text: rich text, a feed or other XML, a PDF.
fn is_file(text: &[u8]) -> bool {
    [b"{\\rtf".as_slice(), b"<?xml", b"<rss", b"<feed", b"<urlset", b"<svg", b"%PDF-"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// Whether bytes are UTF-8 as far as they go.
fn is_utf8(head: &[u8]) -> bool {
    std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Text has no NUL and hardly any other control characters. Text in UTF-16 and UTF-32 has a byte order mark.
fn is_binary(head: &[u8]) -> bool {
    if wide(head).is_some() {
        return false;
    }
    let odd = head.iter().filter(|&&b| b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)).count();
    let is_common = |count: usize| count * 100 >= (head.len() * 6).max(1);
    is_common(memchr::memchr_iter(0, head).count()) || is_common(odd)
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
        assert_eq!(format("id,\"of two\nlines\",\"text\"\r\n1,2,x\n", "a"), Format::Csv);
        assert_eq!(format("\"id\"\t\"of two\nlines\"\ttext\n1\t2\tx\n", "a"), Format::Tsv);
        assert_eq!(format("Words, \"and\nno other,text", "a"), Format::Text);
        assert_eq!(format("# Title\n\nWords", "a.md"), Format::Text);
        for name in ["a.jsonl", "a.tsv", "a.json", "a.csv"] {
            assert_eq!(format("id,text\n1,x\n", name), Format::Csv, "{name}");
            assert_eq!(format("id\ttext\n1\tx\n", name), Format::Tsv, "{name}");
        }
        assert_eq!(format("\0\0\0\0", "a.jsonl"), Format::File);
        assert_eq!(format("{\\rtf1 x}", "a.json"), Format::File);
        assert_eq!(format("<?xml version='1.0'?><rss>", "a"), Format::File);
        assert_eq!(format("<?xml version='1.0'?><html>", "a"), Format::Html);
    }

    #[test]
    fn no_bytes_are_no_binary() {
        assert!(!is_binary(b""));
        assert_eq!(format("", "a"), Format::Text);
        assert!(is_binary(&[0, b'a']) && !is_binary(&[b"words".repeat(4).as_slice(), &[0]].concat()));
    }

    #[test]
    fn names_promise_documents_by_their_endings() {
        for name in ["-", "a.jsonl", "x/a.JSONL.xz", "crawl.warc.bz2", "a.parquet", "index.html", "a.wet.gz"]
        {
            assert!(promises_documents(name), "{name}");
        }
        for name in
            ["a.png", "a.jsonl.crc", "site.tar.xz", "a.zip", "x.html/a", "jsonl", "", "a.html.png", ".json"]
        {
            assert!(!promises_documents(name), "{name}");
        }
    }

    #[test]
    fn names_promise_records_by_their_endings() {
        for (name, records) in [
            ("a.warc.gz", "WARC"),
            ("x/A.JSONL", "JSONL"),
            ("a.wet", "WARC"),
            ("a.csv.zst", "CSV"),
            ("a.jsonl.00", "JSONL"),
        ] {
            assert_eq!(promised_records(name), Some(records), "{name}");
        }
        for name in [
            "-",
            "a.txt",
            "index.html",
            "jsonl",
            "gz",
            "",
            "a.jsonl.md",
            "api/json",
            "x.csv/a",
            "package.json.5",
        ] {
            assert_eq!(promised_records(name), None, "{name}");
        }
        for name in
            ["www.json.org/robots.txt", "how-to.json.txt", "notes.csv/a", "api/csv", "x.warc.d/a.md", ".json"]
        {
            assert_eq!(format("User-agent: *\nDisallow: /, and more\n", name), Format::Text, "{name}");
        }
        let behind = "<html>\n{\"text\":\"a\"}\n{\"text\":\"b\"}\n";
        assert_eq!(format(behind, "a.jsonl"), Format::Jsonl);
        assert_eq!(format(behind, "a.html"), Format::Html);
    }

    #[test]
    fn a_piece_of_an_archive_is_one_if_its_name_says_so() {
        let arc = "http://x.example/ 127.0.0.1 20080430204825 text/html 7\n<p>x</p>\n";
        let warc = "WARC/1.0\r\nWARC-Type: response\r\n";
        assert_eq!(format(arc, "a.arc.gz"), Format::Arc);
        assert_eq!(format(&format!("<p>cut off\n\n{arc}"), "a.arc"), Format::Arc);
        assert_eq!(format(&format!("<p>cut off\r\n\r\n{warc}"), "a.warc.gz"), Format::Warc);
        assert_eq!(format(arc, "a.txt"), Format::Text);
        assert_eq!(format("Words of one line", "a.archive.txt"), Format::Text);
    }

    #[test]
    fn pages_in_two_bytes_a_letter_are_pages() {
        let wide = |text: &str| format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let swapped =
            |text: &str| format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [wide, swapped] as [fn(&str) -> Vec<u8>; 2] {
            let format = |text: &str| format_of(&bytes(text), "a", &Fields::default());
            assert_eq!(format("\r\n<!DOCTYPE html><p>Wörter"), Format::Html);
            assert_eq!(format("<?xml version='1.0' encoding='UTF-16'?><rss>"), Format::File);
            assert_eq!(format("Wörter, nothing but words"), Format::Text);
            // As one document it is told apart from the records that its name promises.
            assert_eq!(format_of(&bytes("{\"text\":\"a\"}\n"), "a.jsonl", &Fields::default()), Format::Text);
        }
        for bytes in [u32::to_le_bytes, u32::to_be_bytes] {
            let page = "\u{feff}<!DOCTYPE html><p>Wörter".chars().flat_map(|c| bytes(u32::from(c)));
            assert_eq!(format_of(&page.collect::<Vec<u8>>(), "a", &Fields::default()), Format::Html);
        }
    }

    #[test]
    fn a_brace_alone_is_no_json() {
        for text in
            ["{{APIRef(\"x\")}}\n\n# Title\n\nWords", "{% extends %}\nWords", "{#- note -#}", "{", "{a}"]
        {
            assert_eq!(format(text, "a.md"), Format::Text, "{text}");
        }
        for lines in ["{}\n", "{ \"text\": \"cut", "{bad\n\n{\"text\":\"x\"}\n", "{\n  \"text\": 1\n}"] {
            assert_eq!(format(lines, "a"), Format::Jsonl, "{lines}");
        }
        for bad in ["{bad\n", "bad\n{\"text\":\"x\"}\n", "[{\"text\":\"x\"}]", "{{\"text\": 1}}\n"] {
            assert_eq!(format(bad, "a.jsonl"), Format::Jsonl, "{bad}");
        }
    }
}
