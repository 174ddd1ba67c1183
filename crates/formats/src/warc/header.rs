//! A WARC record header: named fields up to a blank line.

/// The header of a record, borrowed from its bytes.
#[derive(Clone, Copy, Debug)]
pub struct WarcHeader<'a> {
    bytes: &'a [u8],
    /// Bytes of the header, its blank line included.
    pub len: usize,
}

impl<'a> WarcHeader<'a> {
    /// Reads the header that a record starts with; `None` if no blank line ends it.
    pub fn parse(record: &'a [u8]) -> Option<Self> {
        let (end, len) = header_end(record)?;
        Some(WarcHeader { bytes: &record[..end], len })
    }

    /// The lines behind the version line.
    fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.bytes;
        let lines = std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = &rest[..end];
            rest = rest.get(end + 1..).unwrap_or_default();
            Some(line)
        });
        lines.skip(1)
    }

    /// All values of a field, whatever the case of its name.
    pub fn all<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        self.lines().filter_map(move |line| {
            let value = line.get(name.len()..)?.strip_prefix(b":")?;
            line[..name.len()].eq_ignore_ascii_case(name.as_bytes()).then(|| value.trim_ascii())
        })
    }

    /// First value of a field.
    pub fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.all(name).next()
    }

    /// First value of a field as text.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.get(name).and_then(|value| std::str::from_utf8(value).ok())
    }

    /// `Content-Length`.
    pub fn content_length(&self) -> Option<u64> {
        self.text("Content-Length")?.parse().ok()
    }

    /// Writes the header anew with some fields replaced; those with an empty value are dropped, those that were
    /// not there are added at the end.
    pub fn rewritten(&self, replace: &[(&str, &str)]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len + 256);
        let mut lines =
            self.bytes.split(|&b| b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        out.extend_from_slice(lines.next().unwrap_or(b"WARC/1.0"));
        out.extend_from_slice(b"\r\n");
        let mut put = |name: &[u8], value: &[u8]| {
            if !value.is_empty() {
                for part in [name, b": ", value, b"\r\n"] {
                    out.extend_from_slice(part);
                }
            }
        };
        let mut done = vec![false; replace.len()];
        for line in lines {
            let colon = memchr::memchr(b':', line).unwrap_or(line.len());
            let named = |&(name, _): &(&str, &str)| line[..colon].eq_ignore_ascii_case(name.as_bytes());
            match replace.iter().position(named) {
                Some(index) if done[index] => {}
                Some(index) => {
                    put(replace[index].0.as_bytes(), replace[index].1.as_bytes());
                    done[index] = true;
                }
                None => put(&line[..colon], line.get(colon + 1..).unwrap_or_default().trim_ascii()),
            }
        }
        for (&(name, value), _) in replace.iter().zip(&done).filter(|(_, done)| !**done) {
            put(name.as_bytes(), value.as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        out
    }
}

/// Where the lines of a header end, and where the body behind its blank line starts. Line ends are LF, CRLF or, in
/// files that went through a careless conversion, CR CRLF.
pub(crate) fn header_end(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let end = from + memchr::memchr(b'\n', &bytes[from..])?;
        let blank = match &bytes[end + 1..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            [b'\r', b'\r', b'\n', ..] => 3,
            _ => {
                from = end + 1;
                continue;
            }
        };
        return Some((end, end + 1 + blank));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &[u8] = b"WARC/1.0\r\nWARC-Type: response\r\ncontent-length:  12 \r\n\r\nbody";

    #[test]
    fn fields_are_found_whatever_their_case_and_line_ends() {
        let header = WarcHeader::parse(RECORD).unwrap();
        assert_eq!((header.len, header.content_length()), (RECORD.len() - 4, Some(12)));
        let lf = WarcHeader::parse(b"WARC/0.18\nWARC-Type: warcinfo\nContent-Length: 3\n\nabc").unwrap();
        assert_eq!((lf.text("warc-type"), lf.content_length()), (Some("warcinfo"), Some(3)));
        let doubled = WarcHeader::parse(b"WARC/1.0\r\r\nContent-Length: 3\r\r\n\r\r\nabc").unwrap();
        assert_eq!((doubled.len, doubled.content_length()), (34, Some(3)));
        assert!(WarcHeader::parse(b"WARC/1.0\r\nWARC-Type: x\r\n").is_none());
    }

    #[test]
    fn rewriting_replaces_drops_and_adds() {
        let header = WarcHeader::parse(RECORD).unwrap();
        let new =
            header.rewritten(&[("WARC-Type", "revisit"), ("Content-Length", "0"), ("WARC-Profile", "p")]);
        let expected = "WARC/1.0\r\nWARC-Type: revisit\r\nContent-Length: 0\r\nWARC-Profile: p\r\n\r\n";
        assert_eq!(String::from_utf8(new).unwrap(), expected);
    }
}
