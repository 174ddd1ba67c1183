//! Documents as bytes of a file: JSON lines, or WET, that is WARC 1.0 conversion records (ISO 28500:2009) as Common
//! Crawl publishes them; WET plain or with one gzip member a record (RFC 1952).

use std::io::{self, Write};
use std::str::FromStr;

use flate2::{Compress, Crc, FlushCompress, Status};

use crate::corpus::Document;
use crate::random::{Purpose, Random};
use crate::{Error, Script};

/// A file format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// One object a line with `id`, `url` and `text`.
    #[default]
    Jsonl,
    /// WARC conversion records after a warcinfo record; the URL is the id.
    Wet,
}

impl Format {
    /// What a reader of this format takes for the document's id.
    #[must_use]
    pub fn id_of(self, document: &Document) -> &str {
        match self {
            Self::Jsonl => &document.id,
            Self::Wet => &document.url,
        }
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "jsonl" => Ok(Self::Jsonl),
            "wet" => Ok(Self::Wet),
            _ => Err(Error::Setting { name: "format", value: name.to_owned(), expected: "jsonl or wet" }),
        }
    }
}

/// How records are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// Each record (each line of JSON) as a gzip member of its own, at a level of 1 to 9.
    Gzip(u32),
}

/// Writes documents one after another.
pub struct RecordWriter<W> {
    output: W,
    format: Format,
    languages: &'static str,
    deflate: Option<Compress>,
    record: Vec<u8>,
    member: Vec<u8>,
    written: u64,
    records: u64,
}

impl<W: Write> RecordWriter<W> {
    /// Starts a file; for WET with its warcinfo record.
    pub fn new(output: W, format: Format, compression: Compression, script: Script) -> io::Result<Self> {
        let deflate = match compression {
            Compression::None => None,
            Compression::Gzip(level) => {
                Some(Compress::new(flate2::Compression::new(level.clamp(1, 9)), false))
            }
        };
        let languages = script.languages();
        let (record, member) = (Vec::new(), Vec::new());
        let mut writer = Self { output, format, languages, deflate, record, member, written: 0, records: 0 };
        if format == Format::Wet {
            let fields = "Software-Info: onefold-generate\r\nFormat: WARC File Format 1.0\r\n";
            write!(
                writer.record,
                "WARC/1.0\r\nWARC-Type: warcinfo\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n\
                 WARC-Filename: generated.warc.wet\r\nWARC-Record-ID: {}\r\n\
                 Content-Type: application/warc-fields\r\nContent-Length: {}\r\n\r\n{fields}\r\n\r\n",
                record_id(u64::MAX, 0),
                fields.len(),
            )?;
            writer.flush_record()?;
        }
        Ok(writer)
    }

    /// Appends a document.
    pub fn write(&mut self, document: &Document) -> io::Result<()> {
        match self.format {
            Format::Jsonl => self.json_line(document),
            Format::Wet => self.conversion_record(document)?,
        }
        self.records += 1;
        self.flush_record()
    }

    /// Ends the file; gives the output back and the bytes written to it.
    pub fn finish(mut self) -> io::Result<(W, u64)> {
        self.output.flush()?;
        Ok((self.output, self.written))
    }

    fn json_line(&mut self, document: &Document) {
        let record = &mut self.record;
        record.extend_from_slice(b"{\"id\":\"");
        escape(document.id.as_bytes(), record);
        record.extend_from_slice(b"\",\"url\":\"");
        escape(document.url.as_bytes(), record);
        record.extend_from_slice(b"\",\"text\":\"");
        escape(document.text.as_bytes(), record);
        record.extend_from_slice(b"\"}\n");
    }

    fn conversion_record(&mut self, document: &Document) -> io::Result<()> {
        let number = self.records;
        let (day, second) = (number / 86_400 % 28 + 1, number % 86_400);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        write!(
            self.record,
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {}\r\n\
             WARC-Date: 2024-05-{day:02}T{hour:02}:{minute:02}:{second:02}Z\r\nWARC-Record-ID: {}\r\n\
             WARC-Refers-To: {}\r\nWARC-Identified-Content-Language: {}\r\nContent-Type: text/plain\r\n\
             Content-Length: {}\r\n\r\n",
            document.url,
            record_id(number, 0),
            record_id(number, 1),
            self.languages,
            document.text.len(),
        )?;
        self.record.extend_from_slice(document.text.as_bytes());
        self.record.extend_from_slice(b"\r\n\r\n");
        Ok(())
    }

    fn flush_record(&mut self) -> io::Result<()> {
        let bytes = match &mut self.deflate {
            None => &self.record,
            Some(deflate) => {
                gzip_member(deflate, &self.record, &mut self.member)?;
                &self.member
            }
        };
        self.output.write_all(bytes)?;
        self.written += bytes.len() as u64;
        self.record.clear();
        Ok(())
    }
}

/// A version 4 UUID made from a number, as a WARC record id.
fn record_id(number: u64, which: u64) -> String {
    let mut random = Random::stream(which, Purpose::RecordId, number);
    let (high, low) = (random.next_u64(), random.next_u64());
    format!(
        "<urn:uuid:{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}>",
        high >> 32,
        high >> 16 & 0xFFFF,
        high & 0xFFF,
        0x8000 | (low >> 48 & 0x3FFF),
        low & 0xFFFF_FFFF_FFFF,
    )
}

/// One gzip member of the data, by a compressor that is used again: a new one a record costs more than small records
/// themselves.
fn gzip_member(deflate: &mut Compress, data: &[u8], member: &mut Vec<u8>) -> io::Result<()> {
    deflate.reset();
    member.clear();
    // Magic, method deflate, no flags, no time, no extra flags, system unknown.
    member.extend_from_slice(&[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]);
    loop {
        let consumed = deflate.total_in() as usize;
        member.reserve(data.len() / 2 + 256);
        match deflate
            .compress_vec(&data[consumed..], member, FlushCompress::Finish)
            .map_err(io::Error::other)?
        {
            Status::StreamEnd => break,
            Status::Ok | Status::BufError => {}
        }
    }
    let mut crc = Crc::new();
    crc.update(data);
    member.extend_from_slice(&crc.sum().to_le_bytes());
    member.extend_from_slice(&(data.len() as u32).to_le_bytes());
    Ok(())
}

/// Appends the inside of a JSON string.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr3(b'\n', b'"', b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(&[b'\\', if rest[at] == b'\n' { b'n' } else { rest[at] }]);
        rest = &rest[at + 1..];
    }
    // Generated text holds no other control characters.
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::Corpus;

    fn written(format: Format, compression: Compression) -> (Vec<Document>, Vec<u8>) {
        let corpus = Corpus { mean_words: 80.0, vocabulary: 5_000, ..Corpus::new(50) };
        let documents: Vec<Document> = corpus.documents().unwrap().collect();
        let mut writer = RecordWriter::new(Vec::new(), format, compression, Script::Latin).unwrap();
        documents.iter().for_each(|document| writer.write(document).unwrap());
        let (bytes, count) = writer.finish().unwrap();
        assert_eq!(bytes.len() as u64, count);
        (documents, bytes)
    }

    #[test]
    fn json_lines_parse_to_the_documents() {
        let (documents, bytes) = written(Format::Jsonl, Compression::None);
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text.lines().count(), documents.len());
        for (line, document) in text.lines().zip(&documents) {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(value["id"], document.id.as_str());
            assert_eq!(value["url"], document.url.as_str());
            assert_eq!(value["text"], document.text.as_str());
        }
    }

    #[test]
    fn quotes_and_backslashes_are_escaped() {
        let mut out = Vec::new();
        escape(b"a \"b\" \\ c\nd", &mut out);
        assert_eq!(out, br#"a \"b\" \\ c\nd"#);
    }

    #[test]
    fn wet_records_have_crlf_headers_and_true_lengths() {
        let (documents, bytes) = written(Format::Wet, Compression::None);
        let mut rest = bytes.as_slice();
        let mut texts = Vec::new();
        while !rest.is_empty() {
            let end = memchr::memmem::find(rest, b"\r\n\r\n").unwrap();
            let headers = std::str::from_utf8(&rest[..end]).unwrap();
            let field = |name: &str| {
                let mut lines = headers.split("\r\n").filter_map(|line| line.split_once(": "));
                lines.find(|(key, _)| *key == name).unwrap().1.to_owned()
            };
            let length: usize = field("Content-Length").parse().unwrap();
            let body = &rest[end + 4..end + 4 + length];
            assert_eq!(&rest[end + 4 + length..end + 8 + length], b"\r\n\r\n");
            if field("WARC-Type") == "conversion" {
                texts.push((field("WARC-Target-URI"), String::from_utf8(body.to_vec()).unwrap()));
            }
            rest = &rest[end + 8 + length..];
        }
        let expected: Vec<_> = documents.into_iter().map(|document| (document.url, document.text)).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn gzip_has_one_member_a_record_and_holds_the_plain_file() {
        let (documents, plain) = written(Format::Wet, Compression::None);
        let (_, packed) = written(Format::Wet, Compression::Gzip(6));
        let (mut unpacked, mut rest, mut members) = (Vec::new(), packed.as_slice(), 0);
        while !rest.is_empty() {
            let mut decoder = flate2::bufread::GzDecoder::new(rest);
            decoder.read_to_end(&mut unpacked).unwrap();
            rest = decoder.into_inner();
            members += 1;
        }
        assert_eq!(members, documents.len() + 1);
        assert_eq!(unpacked, plain);
    }
}
