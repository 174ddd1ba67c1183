//! Where a message of HTTP ends by what it says itself.

use super::{Response, chunk_size};
use crate::warc::header_end;

/// Longer headers tell nothing.
const LONGEST_HEADER: usize = 1 << 16;

/// Where a message ends, be it a response or a request: behind its header if it has no body, by its `Content-Length` or
/// by its chunks. `None` if it does not say, or if what it says leads beyond `bytes`, in which other bytes may follow it.
pub(crate) fn message_length(bytes: &[u8]) -> Option<usize> {
    let (end, start) = header_end(&bytes[..bytes.len().min(LONGEST_HEADER)])?;
    let (head, body) = (&bytes[..end], &bytes[start..]);
    let message = Response { head, body };
    let is_response = head.starts_with(b"HTTP/");
    let line = head.split(|&b| b == b'\n').next()?.trim_ascii_end();
    if !is_response && !line.windows(6).any(|part| part == b" HTTP/") {
        return None;
    }
    if is_response && matches!(message.status()?, 100..=199 | 204 | 304) {
        return Some(start);
    }
    let chunked = || message.codings("Transfer-Encoding").iter().any(|coding| coding.contains("chunked"));
    let length = match message.header("Content-Length") {
        _ if chunked() => chunks_length(body)?,
        Some(length) => length.parse().ok()?,
        None if is_response => return None,
        None => 0,
    };
    start.checked_add(length).filter(|&end| end <= bytes.len())
}

/// Bytes of chunks, the last one and the fields behind it included.
fn chunks_length(body: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let (size, line) = chunk_size(body.get(at..)?)?;
        at += line;
        if size == 0 {
            break;
        }
        at = at.checked_add(size)?;
        at += match body.get(at..)? {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => return None,
        };
    }
    loop {
        let field = memchr::memchr(b'\n', &body[at..])?;
        let is_last = body[at..at + field].trim_ascii().is_empty();
        at += field + 1;
        if is_last {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_end_where_they_say() {
        for (message, tells) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345", true),
            ("HTTP/1.1 200 OK\nContent-Length: 5\n\n12345", true),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", true),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\n", true),
            ("HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\n\r\n", true),
            ("HTTP/1.1 204 No Content\r\n\r\n", true),
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", true),
            ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\na=b", true),
            ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\ntoo little", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n", false),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<p>undone", false),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nabc", false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", false),
            ("software: a\r\nformat: b\r\n\r\n", false),
            ("", false),
        ] {
            assert_eq!(message_length(message.as_bytes()), tells.then_some(message.len()), "{message:?}");
            if tells {
                let followed = format!("{message}\r\n\r\nWARC/1.0");
                assert_eq!(message_length(followed.as_bytes()), Some(message.len()), "{followed:?}");
            }
        }
    }
}
