//! A WARC record header: named fields up to a blank line.

/// Lines whose ends are noted while the end of a header is looked for; more are found again.
const NOTED: usize = 16;

/// The header of a record, borrowed from its bytes.
#[derive(Clone, Copy, Debug)]
pub struct WarcHeader<'a> {
    bytes: &'a [u8],
    /// Where the first lines end.
    ends: [u32; NOTED],
    noted: usize,
    /// Bytes of the header, its blank line included.
    pub len: usize,
}

impl<'a> WarcHeader<'a> {
    /// Reads the header that a record starts with; `None` if no blank line ends it.
    pub fn parse(record: &'a [u8]) -> Option<Self> {
        let (mut ends, mut noted) = ([0; NOTED], 0);
        let (end, len) = header_end_noting(record, |end| {
            if let (Some(place), Ok(end)) = (ends.get_mut(noted), end.try_into()) {
                *place = end;
                noted += 1;
            }
        })?;
        Some(WarcHeader { bytes: &record[..end], ends, noted, len })
    }

    /// The lines behind the version line, and where the next one starts.
    fn lines(&self) -> impl Iterator<Item = (&'a [u8], usize)> + use<'a> {
        let (bytes, ends, noted) = (self.bytes, self.ends, self.noted);
        let (mut from, mut number) = (0, 0);
        let lines = std::iter::from_fn(move || {
            let rest = bytes.get(from..).filter(|rest| !rest.is_empty())?;
            let len = match ends[..noted].get(number) {
                Some(&end) => end as usize - from,
                None => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
            };
            from += len + 1;
            number += 1;
            Some((&rest[..len], from))
        });
        lines.skip(1)
    }

    /// All values of a field, whatever the case of its name. Of a value that is folded over lines, the first with
    /// something on it: writers fold what is too long for the line of its name, and hardly the value itself.
    pub fn all<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        let bytes = self.bytes;
        self.lines().filter_map(move |(line, next)| {
            let value = line.get(name.len()..)?.strip_prefix(b":")?;
            line[..name.len()].eq_ignore_ascii_case(name.as_bytes()).then(|| match value.trim_ascii() {
                [] => folded(bytes, next).find(|part| !part.is_empty()).unwrap_or_default(),
                value => value,
            })
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

    /// What a record with this header holds, of bytes that may go on behind it: up to its length, where that is there.
    pub fn block<'r>(&self, record: &'r [u8]) -> &'r [u8] {
        block(&record[self.len..], self.content_length().unwrap_or(u64::MAX))
    }

    /// The version line.
    pub fn version(&self) -> &'a [u8] {
        let line = self.bytes.split(|&b| b == b'\n').next().unwrap_or(b"WARC/1.0");
        line.trim_ascii_end()
    }

    /// `WARC-Target-URI` without the angle brackets that some writers put around it.
    pub fn target_uri(&self) -> Option<&'a [u8]> {
        self.get("WARC-Target-URI").map(bare)
    }

    /// Writes the header anew with some fields replaced; those with an empty value are dropped, those that were
    /// not there are added at the end. A value that is no `field_value` counts as empty: behind a line end in it would
    /// stand a field that nobody wrote.
    pub fn rewritten(&self, replace: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len + 256);
        out.extend_from_slice(self.version());
        out.extend_from_slice(b"\r\n");
        let mut put = |name: &[u8], value: &[u8]| {
            if !value.is_empty() {
                for part in [name, b": ", value, b"\r\n"] {
                    out.extend_from_slice(part);
                }
            }
        };
        let mut done = vec![false; replace.len()];
        for (line, next) in self.lines() {
            // A part of the value before it, which has taken it along.
            if is_folded(line) {
                continue;
            }
            let colon = memchr::memchr(b':', line).unwrap_or(line.len());
            let named = |&(name, _): &(&str, &[u8])| line[..colon].eq_ignore_ascii_case(name.as_bytes());
            match replace.iter().position(named) {
                Some(index) if done[index] => {}
                Some(index) => {
                    put(replace[index].0.as_bytes(), field_value(replace[index].1));
                    done[index] = true;
                }
                None => {
                    let first = line.get(colon + 1..).unwrap_or_default().trim_ascii();
                    let parts = std::iter::once(first).chain(folded(self.bytes, next));
                    let parts: Vec<&[u8]> = parts.filter(|part| !part.is_empty()).collect();
                    put(&line[..colon], &parts.join(&b' '));
                }
            }
        }
        for (&(name, value), _) in replace.iter().zip(&done).filter(|(_, done)| !**done) {
            put(name.as_bytes(), field_value(value));
        }
        out.extend_from_slice(b"\r\n");
        out
    }
}

/// The first bytes of what stands behind a header, as many as it says, or all there is.
pub(super) fn block(behind: &[u8], length: u64) -> &[u8] {
    usize::try_from(length).ok().and_then(|length| behind.get(..length)).unwrap_or(behind)
}

/// A URL without angle brackets around it.
pub(crate) fn bare(url: &[u8]) -> &[u8] {
    url.strip_prefix(b"<").and_then(|url| url.strip_suffix(b">")).unwrap_or(url)
}

/// What may stand as the value of a field: bytes without control characters, else none.
fn field_value(value: &[u8]) -> &[u8] {
    if is_field_value(value) { value } else { &[] }
}

/// Whether a header can hold this as the value of a field: there is something, and no control character in it.
pub fn is_field_value(value: &[u8]) -> bool {
    !value.is_empty() && !value.iter().any(u8::is_ascii_control)
}

/// The lines from `start` on that continue the value before them.
fn folded(bytes: &[u8], start: usize) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.get(start..).unwrap_or_default().split(|&b| b == b'\n');
    lines.take_while(|line| is_folded(line)).map(<[u8]>::trim_ascii)
}

/// Whether a line continues the one before it.
fn is_folded(line: &[u8]) -> bool {
    matches!(line, [b' ' | b'\t', ..])
}

/// Where the lines of a header end, and where the body behind its blank line starts. Line ends are LF, CRLF or, in
/// files that went through a careless conversion, CR CRLF.
pub(crate) fn header_end(bytes: &[u8]) -> Option<(usize, usize)> {
    header_end_noting(bytes, |_| {})
}

/// The same, which tells where each line ends.
#[inline(always)]
fn header_end_noting(bytes: &[u8], mut note: impl FnMut(usize)) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let end = from + memchr::memchr(b'\n', &bytes[from..])?;
        note(end);
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
    fn fields_behind_many_lines_are_found() {
        for lines in 0..40 {
            let others: String = (0..lines).map(|n| format!("X-{n}: {n}\r\n")).collect();
            let record = format!("WARC/1.0\r\n{others}WARC-Type: a\r\nContent-Length: 3\r\n\r\nabc");
            let header = WarcHeader::parse(record.as_bytes()).unwrap();
            assert_eq!((header.text("warc-type"), header.content_length()), (Some("a"), Some(3)), "{lines}");
            assert_eq!(header.lines().count(), lines + 2);
        }
    }

    #[test]
    fn rewriting_replaces_drops_and_adds() {
        let header = WarcHeader::parse(RECORD).unwrap();
        let new =
            header.rewritten(&[("WARC-Type", b"revisit"), ("Content-Length", b"0"), ("WARC-Profile", b"p")]);
        let expected = "WARC/1.0\r\nWARC-Type: revisit\r\nContent-Length: 0\r\nWARC-Profile: p\r\n\r\n";
        assert_eq!(String::from_utf8(new).unwrap(), expected);
    }

    #[test]
    fn no_value_adds_a_line() {
        let header = WarcHeader::parse(RECORD).unwrap();
        for value in ["a\r\nContent-Length: 9", "a\nb", "a\rb", "a\0b", "a\tb", "\x7f"] {
            let value = value.as_bytes();
            let new = header.rewritten(&[("WARC-Type", value), ("WARC-Profile", value)]);
            assert_eq!(new, b"WARC/1.0\r\ncontent-length: 12\r\n\r\n", "{value:?}");
        }
    }

    #[test]
    fn values_may_stand_on_lines_of_their_own() {
        let record =
            b"WARC/1.0\r\nWARC-Target-URI:\r\n \r\n\thttp://x/\r\nX-Empty:\r\nWARC-Type: a\r\n b: c\r\n\
            Content-Length:\n 3\r\n\r\nabc";
        let header = WarcHeader::parse(record).unwrap();
        assert_eq!(header.text("WARC-Target-URI"), Some("http://x/"));
        assert_eq!((header.text("X-Empty"), header.text("WARC-Type")), (Some(""), Some("a")));
        assert_eq!((header.content_length(), header.len), (Some(3), record.len() - 3));
        let new = String::from_utf8(header.rewritten(&[("Content-Length", b"0"), ("X-New", b"n")])).unwrap();
        let expected = "WARC/1.0\r\nWARC-Target-URI: http://x/\r\nWARC-Type: a b: c\r\nContent-Length: 0\r\nX-New: n\r\n\r\n";
        assert_eq!(new, expected);
    }
}
