//! Content codings of bodies.

use crate::body::too_large;
use crate::options::Limits;
use crate::problem::{Code, Problem};
use axum::http::{HeaderMap, header};
use brotli_decompressor::Decompressor;
use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use std::io::Read;

/// Largest zstd window that is taken, as log₂: RFC 9659 asks for no more.
const ZSTD_WINDOW_LOG: u32 = 23;

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// The coding that a request names; `None` where the body is as it is.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Option<Self>, Problem> {
        let values = headers.get_all(header::CONTENT_ENCODING).iter();
        let names = values.flat_map(|value| value.as_bytes().split(|&byte| byte == b','));
        let mut names = names
            .map(<[u8]>::trim_ascii)
            .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(b"identity"));
        let Some(name) = names.next() else { return Ok(None) };
        let known = match name.to_ascii_lowercase().as_slice() {
            b"gzip" | b"x-gzip" => Some(Coding::Gzip),
            b"deflate" => Some(Coding::Deflate),
            b"br" => Some(Coding::Brotli),
            b"zstd" => Some(Coding::Zstd),
            _ => None,
        };
        match (known, names.next()) {
            (known @ Some(_), None) => Ok(known),
            _ => Err(Problem::new(
                Code::UnsupportedMediaType,
                "expected one Content-Encoding of gzip, deflate, br and zstd, or none",
            )),
        }
    }

    /// Says no to any coding, where a body is read while it comes.
    pub(crate) fn none(headers: &HeaderMap) -> Result<(), Problem> {
        match Coding::of(headers)? {
            None => Ok(()),
            Some(_) => Err(Problem::new(
                Code::UnsupportedMediaType,
                "lines are read as they are, without Content-Encoding",
            )),
        }
    }

    /// What is packed, if it is no larger than a body may be. Unlike payloads of archives it has to be whole.
    pub(crate) fn decode(self, bytes: &[u8], limits: &Limits) -> Result<Bytes, Problem> {
        let limit = limits.body_bytes;
        let read = match self {
            Coding::Gzip => read(MultiGzDecoder::new(bytes), limit),
            Coding::Deflate => read(ZlibDecoder::new(bytes), limit),
            Coding::Brotli => read(Decompressor::new(bytes, 1 << 12), limit),
            Coding::Zstd => zstd::stream::read::Decoder::with_buffer(bytes).and_then(|mut decoder| {
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                read(decoder, limit)
            }),
        };
        match read {
            Ok(decoded) if decoded.len() > limit => Err(too_large(limits)),
            Ok(decoded) => Ok(decoded.into()),
            Err(_) => {
                let detail = "the body is not packed as its Content-Encoding says, or not whole";
                Err(Problem::new(Code::InvalidRequest, detail))
            }
        }
    }
}

/// Reads to the end, or a byte more than is allowed.
fn read(reader: impl Read, limit: usize) -> std::io::Result<Vec<u8>> {
    let mut decoded = Vec::new();
    reader.take((limit as u64).saturating_add(1)).read_to_end(&mut decoded)?;
    Ok(decoded)
}
