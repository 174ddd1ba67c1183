//! HTTP responses as archives hold them: header, transfer coding, content codings.

use std::borrow::Cow;
use std::io::Read;

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
    /// A coding that is not known.
    #[error("content encoding {0:?} is not known")]
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
        let mut from = 0;
        while let Some(end) = memchr::memchr(b'\n', &bytes[from..]).map(|end| from + end) {
            match bytes.get(end + 1..) {
                Some([b'\n', body @ ..]) | Some([b'\r', b'\n', body @ ..]) => {
                    return Some(Response { head: &bytes[..end], body });
                }
                _ => from = end + 1,
            }
        }
        Some(Response { head: bytes, body: &[] })
    }

    /// First value of a header.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.head.split(|&b| b == b'\n').skip(1).find_map(|line| {
            let value = line.get(name.len()..)?.strip_prefix(b":")?;
            let found = line[..name.len()].eq_ignore_ascii_case(name.as_bytes());
            found.then(|| std::str::from_utf8(value.trim_ascii()).ok())?
        })
    }

    /// The payload with transfer and content codings undone. Archives often hold payloads whose header speaks of
    /// a coding that the crawler already undid: what does not start like that coding is taken as it is.
    pub fn payload(&self, limit: usize) -> Result<Cow<'a, [u8]>, PayloadError> {
        let chunked =
            self.header("Transfer-Encoding").is_some_and(|v| v.to_ascii_lowercase().contains("chunked"));
        let mut payload = match chunked.then(|| dechunk(self.body)).flatten() {
            Some(joined) => Cow::Owned(joined),
            None => Cow::Borrowed(self.body),
        };
        let codings = self.header("Content-Encoding").unwrap_or_default();
        for coding in
            codings.split(',').rev().map(|c| c.trim().to_ascii_lowercase()).filter(|c| !c.is_empty())
        {
            payload = decode(payload, &coding, limit)?;
        }
        if payload.len() > limit {
            return Err(PayloadError::TooLarge { limit });
        }
        Ok(payload)
    }
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

/// Joins chunks; `None` if the body is not chunked after all. A cut last chunk gives what is there.
fn dechunk(body: &[u8]) -> Option<Vec<u8>> {
    let mut joined = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let end = memchr::memchr(b'\n', rest.get(..rest.len().min(1024))?)?;
        let line = std::str::from_utf8(&rest[..end]).ok()?;
        let size = usize::from_str_radix(line.split(';').next()?.trim(), 16).ok()?;
        rest = &rest[end + 1..];
        if size == 0 {
            return Some(joined);
        }
        if size >= rest.len() {
            joined.extend_from_slice(rest);
            return Some(joined);
        }
        joined.extend_from_slice(&rest[..size]);
        rest = &rest[size..];
        rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).unwrap_or(rest);
        if rest.is_empty() {
            return Some(joined);
        }
    }
}

fn decode<'a>(payload: Cow<'a, [u8]>, coding: &str, limit: usize) -> Result<Cow<'a, [u8]>, PayloadError> {
    let bytes = payload.as_ref();
    let decoded = match coding {
        "identity" | "none" | "utf-8" | "utf8" => return Ok(payload),
        "gzip" | "x-gzip" if !bytes.starts_with(&[0x1f, 0x8b]) => return Ok(payload),
        "gzip" | "x-gzip" => read_all(flate2::read::MultiGzDecoder::new(bytes), limit),
        // Servers send both zlib and raw deflate under this name.
        "deflate" => match read_all(flate2::read::ZlibDecoder::new(bytes), limit) {
            Err(Trouble::Io(_)) => read_all(flate2::read::DeflateDecoder::new(bytes), limit),
            other => other,
        },
        "br" => read_all(brotli_decompressor::Decompressor::new(bytes, 1 << 12), limit),
        "zstd" if !bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) => return Ok(payload),
        "zstd" => match zstd::stream::read::Decoder::with_buffer(bytes) {
            Ok(mut decoder) => {
                decoder.window_log_max(27).map_err(Trouble::Io).and_then(|()| read_all(decoder, limit))
            }
            Err(error) => Err(Trouble::Io(error)),
        },
        other => return Err(PayloadError::UnknownCoding(other.to_owned())),
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

enum Trouble {
    TooLarge,
    Io(std::io::Error),
}

fn read_all(reader: impl Read, limit: usize) -> Result<Vec<u8>, Trouble> {
    let mut out = Vec::new();
    let outcome = reader.take(limit as u64 + 1).read_to_end(&mut out);
    match outcome {
        _ if out.len() > limit => Err(Trouble::TooLarge),
        Ok(_) => Ok(out),
        // A cut payload gives what is there, as a browser shows it.
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof && !out.is_empty() => Ok(out),
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
    fn codings_already_undone_do_no_harm() {
        let response =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n<p>plain</p>"
                .as_slice();
        assert_eq!(Response::parse(response).unwrap().payload(100).unwrap().as_ref(), b"<p>plain</p>");
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
