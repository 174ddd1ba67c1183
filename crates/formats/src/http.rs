//! HTTP responses as archives hold them: header, transfer coding, content codings.

mod length;

pub(crate) use length::message_length;

use crate::sniff::looks_like_html;
use crate::warc::header_end;
use std::borrow::Cow;
use std::io::{self, Read};

/// A response taken apart.
#[derive(Clone, Copy, Debug)]
pub struct Response<'a> {
    head: &'a [u8],
    /// The payload as sent, codings and all.
    pub body: &'a [u8],
}

/// Why a payload could not be had.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PayloadError {
    /// Larger than allowed once decoded.
    #[error("payload decodes to more than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// A coding that is not read.
    #[error("content encoding {0:?} is not read")]
    UnknownCoding(String),
    /// A coding that does not decode.
    #[error("content encoding {coding}: {message}")]
    Corrupt {
        /// The coding.
        coding: String,
        /// What its decoder said.
        message: String,
    },
}

impl<'a> Response<'a> {
    /// Reads a response; `None` if it does not start with a status line.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        if !bytes.starts_with(b"HTTP/") {
            return None;
        }
        if let Some((end, body)) = header_end(bytes) {
            return Some(Response { head: &bytes[..end], body: &bytes[body..] });
        }
        Some(Response { head: bytes, body: &[] })
    }

    /// The status line and the lines of each field, those that go on with it included, without their ends.
    pub fn lines(&self) -> Vec<Vec<&'a [u8]>> {
        let mut lines: Vec<Vec<&[u8]>> = Vec::new();
        for line in self.head.split(|&b| b == b'\n').map(|line| line.trim_ascii_end()) {
            match lines.last_mut() {
                Some(field) if line.starts_with(b" ") || line.starts_with(b"\t") => field.push(line),
                _ => lines.push(vec![line]),
            }
        }
        lines
    }

    /// The number in the status line.
    pub fn status(&self) -> Option<u16> {
        let line = self.head.split(|&b| b == b'\n').next()?;
        let number = line.split(|&b| b == b' ').filter(|word| !word.is_empty()).nth(1)?;
        std::str::from_utf8(number.trim_ascii()).ok()?.parse().ok()
    }

    /// Where a redirect leads, as written; `304 Not Modified` leads nowhere.
    pub fn redirect(&self) -> Option<&'a str> {
        let leads = self.status().is_some_and(|status| (300..400).contains(&status) && status != 304);
        leads.then(|| self.header("Location")).flatten()
    }

    /// First value of a header.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        let mut lines = self.head.split(|&b| b == b'\n').skip(1);
        lines.find_map(|line| std::str::from_utf8(value_of(line, name)?.trim_ascii()).ok())
    }

    /// The codings that a header names, in order: it may stand on several lines and in several fields.
    fn codings(&self, name: &str) -> Vec<String> {
        if self.header(name).is_none() {
            return Vec::new();
        }
        let (mut values, mut goes_on) = (Vec::new(), false);
        // A header may have millions of lines: none but those of the field are held.
        for line in self.head.split(|&b| b == b'\n').map(|line| line.trim_ascii_end()) {
            let is_folded = line.starts_with(b" ") || line.starts_with(b"\t");
            let part = if is_folded { goes_on.then_some(line) } else { value_of(line, name) };
            goes_on = part.is_some();
            values.extend(part.map(|part| String::from_utf8_lossy(part).into_owned()));
        }
        let codings = values.iter().flat_map(|value| value.split(','));
        // Servers write parameters and quotes that no coding has.
        let name = |coding: &str| {
            let bare = coding.split(';').next().unwrap_or_default();
            bare.trim_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\''))
                .to_ascii_lowercase()
        };
        codings.map(name).filter(|coding| !coding.is_empty()).collect()
    }

    /// The content coding that was applied last, of those that are read.
    pub fn content_coding(&self) -> Option<String> {
        let mut codings = self.codings("Content-Encoding");
        codings.retain(|coding| matches!(coding.as_str(), "gzip" | "x-gzip" | "deflate" | "br" | "zstd"));
        codings.pop()
    }

    /// The body with the transfer coding undone: what payload digests of archives are of.
    pub fn entity(&self) -> Cow<'a, [u8]> {
        let chunked = self.codings("Transfer-Encoding").iter().any(|coding| coding.contains("chunked"));
        match chunked.then(|| dechunk(self.body)).flatten() {
            Some(joined) => Cow::Owned(joined),
            None => Cow::Borrowed(self.body),
        }
    }

    /// The payload with transfer and content codings undone. Archives often hold payloads whose header speaks of
    /// a coding that the crawler already undid: what does not start like that coding is taken as it is.
    pub fn payload(&self, limit: usize) -> Result<Cow<'a, [u8]>, PayloadError> {
        let mut payload = self.entity();
        // The last that was applied is undone first; those of the transfer were applied last, and servers write anything there.
        let mut transfer = self.codings("Transfer-Encoding");
        transfer.retain(|coding| matches!(coding.as_str(), "gzip" | "x-gzip" | "deflate"));
        for coding in self.codings("Content-Encoding").into_iter().chain(transfer).rev() {
            payload = decode(payload, &coding, limit)?;
        }
        if payload.len() > limit {
            return Err(PayloadError::TooLarge { limit });
        }
        Ok(payload)
    }
}

/// What stands behind the colon of a field, if the line is one of this name; servers put blanks before the colon, too.
fn value_of<'a>(line: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let (start, rest) = line.split_at_checked(name.len())?;
    let value = rest.trim_ascii_start().strip_prefix(b":")?;
    start.eq_ignore_ascii_case(name.as_bytes()).then_some(value)
}

/// `type/subtype` of a Content-Type header in lower case, and its charset.
pub fn content_type(value: &str) -> (String, Option<String>) {
    let mut parts = value.split(';');
    let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    });
    (essence, charset)
}

/// Joins chunks; `None` if the body is not chunked after all. A cut last chunk gives what is there, and what comes
/// behind a chunk and is none itself is taken as it is.
fn dechunk(body: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::with_capacity(body.len());
    let mut rest = body;
    while !rest.is_empty() {
        let Some((size, line)) = chunk_size(rest) else {
            if joined.is_empty() {
                return None;
            }
            joined.extend_from_slice(rest);
            break;
        };
        rest = &rest[line..];
        if size == 0 {
            break;
        }
        let (chunk, behind) = rest.split_at(size.min(rest.len()));
        joined.extend_from_slice(chunk);
        rest = behind.strip_prefix(b"\r\n").or_else(|| behind.strip_prefix(b"\n")).unwrap_or(behind);
    }
    Some(joined)
}

/// Longest line that is taken for a chunk's size and its extensions.
const LONGEST_SIZE_LINE: usize = 1024;

/// The size that a chunk starts with, and the bytes of its line.
fn chunk_size(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(LONGEST_SIZE_LINE)])?;
    let digits = bytes[..end].split(|&b| b == b';').next()?.trim_ascii();
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let size = plain.then(|| std::str::from_utf8(digits).ok())??;
    Some((usize::from_str_radix(size, 16).ok()?, end + 1))
}

fn decode<'a>(payload: Cow<'a, [u8]>, coding: &str, limit: usize) -> Result<Cow<'a, [u8]>, PayloadError> {
    let bytes = payload.as_ref();
    let decoded = match coding {
        _ if looks_like_html(bytes.trim_ascii_start()) => return Ok(payload),
        "gzip" | "x-gzip" if !bytes.starts_with(GZIP) => return Ok(payload),
        "gzip" | "x-gzip" => gunzip(bytes, limit),
        // No stream of these starts so, but for one of Brotli in millions.
        "deflate" | "br" | "zstd" if bytes.starts_with(GZIP_DEFLATED) => gunzip(bytes, limit),
        // Servers send both zlib and raw deflate under this name.
        "deflate" => match read_all(flate2::read::ZlibDecoder::new(bytes), limit) {
            Err(Trouble::Io(_)) => read_all(flate2::read::DeflateDecoder::new(bytes), limit),
            other => other,
        },
        // A text that was decoded may begin like a stream that ends at once.
        "br" => match read_all(Unbrotli::new(bytes), limit) {
            Ok(decoded) if decoded.is_empty() && bytes.len() > LONGEST_EMPTY_BROTLI => return Ok(payload),
            other => other,
        },
        "zstd" if !bytes.starts_with(ZSTD) => return Ok(payload),
        "zstd" => unzstd(bytes, limit),
        unread if UNREAD.contains(&unread) && std::str::from_utf8(bytes).is_err() => {
            return Err(PayloadError::UnknownCoding(unread.to_owned()));
        }
        // What is no coding changes nothing, as in browsers: servers name charsets and the codings of mail.
        _ => return Ok(payload),
    };
    match decoded {
        Ok(decoded) => Ok(Cow::Owned(decoded)),
        Err(Trouble::TooLarge) => Err(PayloadError::TooLarge { limit }),
        Err(Trouble::Io(_)) if std::str::from_utf8(bytes).is_ok() => Ok(payload),
        Err(Trouble::Io(error)) => {
            Err(PayloadError::Corrupt { coding: coding.into(), message: error.to_string() })
        }
    }
}

/// Codings that there are and that are not read.
const UNREAD: [&str; 12] = [
    "compress",
    "x-compress",
    "sdch",
    "dcb",
    "dcz",
    "aes128gcm",
    "exi",
    "pack200-gzip",
    "bzip2",
    "x-bzip2",
    "xz",
    "lzma",
];

/// How a gzip starts.
const GZIP: &[u8] = &[0x1f, 0x8b];
/// The same with the only method there is.
const GZIP_DEFLATED: &[u8] = &[0x1f, 0x8b, 8];

/// How a frame of zstd starts.
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
/// Browsers allow frames of a window of 8 MiB; some servers make larger ones.
const LARGEST_WINDOW_LOG: u32 = 27;

/// Bytes of a Brotli stream of nothing, at most.
const LONGEST_EMPTY_BROTLI: usize = 4;

enum Trouble {
    TooLarge,
    Io(io::Error),
}

/// All members of a gzip; what follows them and is none is left aside, as browsers do.
fn gunzip(mut bytes: &[u8], limit: usize) -> Result<Vec<u8>, Trouble> {
    let mut out = Vec::new();
    while bytes.starts_with(GZIP) {
        let mut decoder = flate2::bufread::GzDecoder::new(bytes);
        read_into(&mut decoder, limit, &mut out)?;
        let rest = decoder.into_inner();
        if rest.len() == bytes.len() {
            break;
        }
        bytes = rest;
    }
    Ok(out)
}

/// All frames of a zstd; what follows them and is none is left aside, as of a gzip.
fn unzstd(mut bytes: &[u8], limit: usize) -> Result<Vec<u8>, Trouble> {
    let mut out = Vec::new();
    while bytes.starts_with(ZSTD) {
        let mut decoder =
            zstd::stream::read::Decoder::with_buffer(bytes).map_err(Trouble::Io)?.single_frame();
        decoder.window_log_max(LARGEST_WINDOW_LOG).map_err(Trouble::Io)?;
        read_into(&mut decoder, limit, &mut out)?;
        let rest = decoder.finish();
        if rest.len() == bytes.len() {
            break;
        }
        bytes = rest;
    }
    Ok(out)
}

/// A Brotli stream that ends early says so, as those of other codings do.
struct Unbrotli<'a> {
    decoder: brotli_decompressor::Decompressor<Ending<'a>>,
    /// Bytes that are text may be no such stream at all, and go on to their end as one all the same.
    is_text: bool,
}

/// Bytes that note that more were asked for.
struct Ending<'a> {
    rest: &'a [u8],
    asked_for_more: bool,
}

impl<'a> Unbrotli<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let input = Ending { rest: bytes, asked_for_more: false };
        let decoder = brotli_decompressor::Decompressor::new(input, 1 << 12);
        Unbrotli { decoder, is_text: std::str::from_utf8(bytes).is_ok() }
    }
}

impl Read for Unbrotli<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let was_cut = |this: &Self| this.decoder.get_ref().asked_for_more && !this.is_text;
        self.decoder.read(out).map_err(|error| match was_cut(self) {
            true => io::ErrorKind::UnexpectedEof.into(),
            false => error,
        })
    }
}

impl Read for Ending<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.asked_for_more |= self.rest.is_empty() && !out.is_empty();
        self.rest.read(out)
    }
}

fn read_all(reader: impl Read, limit: usize) -> Result<Vec<u8>, Trouble> {
    let mut out = Vec::new();
    read_into(reader, limit, &mut out)?;
    Ok(out)
}

fn read_into(reader: impl Read, limit: usize, out: &mut Vec<u8>) -> Result<(), Trouble> {
    let outcome = reader.take((limit as u64).saturating_add(1)).read_to_end(out);
    match outcome {
        _ if out.len() > limit => Err(Trouble::TooLarge),
        Ok(_) => Ok(()),
        // A cut payload gives what is there, as a browser shows it.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && !out.is_empty() => Ok(()),
        Err(error) => Err(Trouble::Io(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn chunks_and_codings_are_undone() {
        let body = gzip(b"hello world");
        let mut response =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
        response.extend(format!("{:x}\r\n", body.len()).bytes());
        response.extend(&body);
        response.extend(b"\r\n0\r\n\r\n");
        assert_eq!(Response::parse(&response).unwrap().payload(100).unwrap().as_ref(), b"hello world");
    }

    #[test]
    fn a_transfer_coding_may_be_folded_repeated_and_stand_behind_a_blank() {
        let body = gzip(b"hello world");
        for (fields, gzipped) in [
            ("Transfer-Encoding:\r\n chunked", false),
            ("Transfer-Encoding : chunked", false),
            ("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", false),
            ("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", true),
            ("Content-Encoding : gzip\r\nTransfer-Encoding: chunked", true),
        ] {
            let body = if gzipped { body.as_slice() } else { b"hello world" };
            let mut response =
                format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n{:x}\r\n", body.len()).into_bytes();
            response.extend([body, b"\r\n0\r\n\r\n"].concat());
            let payload = Response::parse(&response).unwrap().payload(100).unwrap().into_owned();
            assert_eq!(payload, b"hello world", "{fields}");
        }
    }

    #[test]
    fn transfer_codings_that_are_none_do_no_harm() {
        for coding in ["binary", "7bit", "identity", "compress, chunked", ""] {
            let response = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {coding}\r\n\r\nsome text");
            let response = Response::parse(response.as_bytes()).unwrap();
            assert_eq!(response.payload(100).unwrap().as_ref(), b"some text", "{coding}");
        }
    }

    #[test]
    fn what_is_there_of_a_cut_body_is_read_and_what_stands_behind_one_is_not() {
        // Of zstd blocks of 128 KiB come out as a whole.
        let text: String = (0..60_000).map(|number| format!("word{number} ")).collect();
        let brotli = || {
            let mut out = Vec::new();
            let parameters = brotli::enc::BrotliEncoderParams::default();
            brotli::BrotliCompress(&mut text.as_bytes(), &mut out, &parameters).unwrap();
            out
        };
        let zlib = || {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        let zstd = || zstd::encode_all(text.as_bytes(), 3).unwrap();
        let bodies =
            [("gzip", gzip(text.as_bytes())), ("deflate", zlib()), ("br", brotli()), ("zstd", zstd())];
        for (coding, body) in bodies {
            let read = |body: &[u8]| {
                let decoded = decode(Cow::Borrowed(body), coding, 1 << 20).map(Cow::into_owned);
                String::from_utf8(decoded.unwrap()).unwrap()
            };
            for cut in [body.len() / 2, body.len() - 1] {
                let read = read(&body[..cut]);
                assert!(text.starts_with(&read) && !read.is_empty(), "{coding} cut at {cut}: {}", read.len());
            }
            assert_eq!(read(&[body.as_slice(), b"\r\n"].concat()), text, "{coding}");
        }
        // Text that goes on as a stream of Brotli to its end is text.
        let plain = b"\x0b\x02 words and more of them";
        assert_eq!(decode(Cow::Borrowed(plain), "br", 100).unwrap().as_ref(), plain);
    }

    #[test]
    fn names_that_are_no_coding_change_nothing_and_those_that_are_none_of_ours_are_told() {
        let payload = |coding: &str, body: &[u8]| {
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: {coding}\r\n\r\n");
            let response = [head.as_bytes(), body].concat();
            Response::parse(&response).unwrap().payload(100).map(Cow::into_owned)
        };
        for coding in
            ["8bit", "binary", "utf-8", "iso-8859-1", "none", "identity", "text/plain; q=1", "compress"]
        {
            assert_eq!(payload(coding, b"some words").unwrap(), b"some words", "{coding}");
        }
        assert_eq!(payload("iso-8859-1", b"caf\xe9").unwrap(), b"caf\xe9");
        let unknown = payload("compress", b"\x1f\x9d\x90\xe9").unwrap_err();
        assert_eq!(unknown, PayloadError::UnknownCoding("compress".into()));
        let packed = gzip(b"some words");
        for coding in ["gzip;q=1.0", "\"gzip\"", "gzip;", "GZIP ; x=y, utf-8", "br", "deflate", "zstd"] {
            assert_eq!(payload(coding, &packed).unwrap(), b"some words", "{coding}");
        }
    }

    #[test]
    fn codings_already_undone_do_no_harm() {
        let response =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n<p>plain</p>"
                .as_slice();
        assert_eq!(Response::parse(response).unwrap().payload(100).unwrap().as_ref(), b"<p>plain</p>");
    }

    #[test]
    fn pages_whose_coding_was_undone_stay_whatever_their_charset() {
        let response = b"HTTP/1.1 200 OK\nContent-Encoding: br\n\n<html>caf\xe9".as_slice();
        assert_eq!(Response::parse(response).unwrap().payload(100).unwrap().as_ref(), b"<html>caf\xe9");
    }

    #[test]
    fn what_follows_a_gzip_is_left_aside() {
        let mut response = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
        response.extend([gzip(b"one "), gzip(b"two"), b"\r\n".to_vec()].concat());
        assert_eq!(Response::parse(&response).unwrap().payload(100).unwrap().as_ref(), b"one two");
    }

    #[test]
    fn chunks_end_where_they_stop_being_chunks() {
        assert_eq!(dechunk(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n").unwrap(), b"abcde");
        assert_eq!(dechunk(b"3\r\nabc\r\nnot a size").unwrap(), b"abcnot a size");
        assert_eq!(dechunk(b"30\r\nabc").unwrap(), b"abc");
        assert_eq!(dechunk(b"+3\r\nabc"), None);
        assert_eq!(dechunk(b"<p>\n"), None);
    }

    #[test]
    fn a_bomb_is_too_large() {
        let mut response = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
        response.extend(gzip(&vec![0; 1 << 20]));
        let error = Response::parse(&response).unwrap().payload(1000).unwrap_err();
        assert_eq!(error, PayloadError::TooLarge { limit: 1000 });
    }

    #[test]
    fn content_types_are_taken_apart() {
        assert_eq!(content_type("Text/HTML; charset=\"UTF-8\""), ("text/html".into(), Some("UTF-8".into())));
        assert_eq!(content_type(""), (String::new(), None));
    }
}
