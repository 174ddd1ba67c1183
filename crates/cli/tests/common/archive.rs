//! WARC and ARC records, written and read by code of the tests alone (ISO 28500:2017).

/// A WARC record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) version: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Record {
    pub(crate) fn new(kind: &str, id: &str) -> Self {
        Record { version: "WARC/1.0".into(), fields: Vec::new(), body: Vec::new() }
            .with("WARC-Type", kind)
            .with("WARC-Record-ID", &uuid(id))
            .with("WARC-Date", "2024-05-01T00:00:00Z")
    }

    /// A page as an HTTP response.
    pub(crate) fn response(id: &str, url: &str, html: &str) -> Self {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
            html.len()
        );
        Record::new("response", id)
            .with("WARC-Target-URI", url)
            .with("WARC-Payload-Digest", &format!("sha1:{}", id.to_uppercase()))
            .with("Content-Type", "application/http; msgtype=response")
            .body([head.as_bytes(), html.as_bytes()].concat())
    }

    /// A page of a crawl's text file.
    pub(crate) fn conversion(id: &str, url: &str, text: &str) -> Self {
        Record::new("conversion", id)
            .with("WARC-Target-URI", url)
            .with("Content-Type", "text/plain")
            .body(text.as_bytes().to_vec())
    }

    /// A request, tied to a response where `concurrent` names one.
    pub(crate) fn request(id: &str, url: &str, concurrent: Option<&str>) -> Self {
        let record = Record::new("request", id)
            .with("WARC-Target-URI", url)
            .with("Content-Type", "application/http; msgtype=request")
            .body(b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n".to_vec());
        match concurrent {
            Some(other) => record.with("WARC-Concurrent-To", &uuid(other)),
            None => record,
        }
    }

    /// Facts about a response.
    pub(crate) fn metadata(id: &str, url: &str, concurrent: &str) -> Self {
        Record::new("metadata", id)
            .with("WARC-Target-URI", url)
            .with("WARC-Concurrent-To", &uuid(concurrent))
            .with("Content-Type", "application/warc-fields")
            .body(b"fetchTimeMs: 12\r\n".to_vec())
    }

    pub(crate) fn warcinfo() -> Self {
        Record::new("warcinfo", "info")
            .with("Content-Type", "application/warc-fields")
            .body(b"software: test\r\nformat: WARC File Format 1.0\r\n".to_vec())
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.into(), value.into()));
        self
    }

    /// The record with another value for a field it has.
    pub(crate) fn instead(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.with(name, value)
    }

    pub(crate) fn body(mut self, body: Vec<u8>) -> Self {
        self.body = body;
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn kind(&self) -> &str {
        self.get("WARC-Type").expect("a record has a type")
    }

    /// The short name a test gave as id.
    pub(crate) fn id(&self) -> String {
        self.get("WARC-Record-ID").expect("a record has an id").replace("<urn:test:", "").replace('>', "")
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.bytes_claiming(self.body.len())
    }

    /// The record with a `Content-Length` that may be wrong.
    pub(crate) fn bytes_claiming(&self, length: usize) -> Vec<u8> {
        let mut out = format!("{}\r\n", self.version);
        for (name, value) in &self.fields {
            out += &format!("{name}: {value}\r\n");
        }
        out += &format!("Content-Length: {length}\r\n\r\n");
        [out.as_bytes(), &self.body, b"\r\n\r\n"].concat()
    }
}

/// A record id made from a short name.
pub(crate) fn uuid(name: &str) -> String {
    format!("<urn:test:{name}>")
}

/// All bytes of all records.
pub(crate) fn bytes_of(records: &[Record]) -> Vec<Vec<u8>> {
    records.iter().map(Record::bytes).collect()
}

/// Reads a file that must be a valid WARC to its last byte.
#[track_caller]
pub(crate) fn parse(mut bytes: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let end = find(bytes, b"\r\n\r\n").expect("a header ends in an empty line");
        let head = std::str::from_utf8(&bytes[..end]).expect("a header is UTF-8");
        let mut lines = head.split("\r\n");
        let version = lines.next().expect("a first line").to_owned();
        assert!(
            matches!(version.as_str(), "WARC/0.17" | "WARC/0.18" | "WARC/1.0" | "WARC/1.1"),
            "{version:?}"
        );
        let fields: Vec<(String, String)> = lines
            .map(|line| line.split_once(':').unwrap_or_else(|| panic!("no field: {line:?}")))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        let mut record = Record { version, fields, body: Vec::new() };
        for name in ["WARC-Type", "WARC-Record-ID", "WARC-Date", "Content-Length"] {
            let many = record.fields.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)).count();
            assert_eq!(many, 1, "{name} in {head}");
        }
        assert!(record.fields.iter().all(|(_, value)| !value.is_empty()), "an empty field in {head}");
        let length: usize = record.get("Content-Length").unwrap().parse().expect("a length");
        let body = &bytes[end + 4..];
        record.body = body.get(..length).expect("a body of its length").to_vec();
        record.fields.retain(|(name, _)| name != "Content-Length");
        bytes = body[length..].strip_prefix(b"\r\n\r\n").expect("two line ends behind a record");
        records.push(record);
    }
    records
}

/// Short names of records, in order.
pub(crate) fn ids(records: &[Record]) -> Vec<String> {
    records.iter().map(Record::id).collect()
}

/// An ARC 1.0 file: its own record and one of a page.
pub(crate) fn arc(pages: &[(&str, &str)]) -> Vec<Vec<u8>> {
    let about = "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n";
    let first = format!("filedesc://test.arc 0.0.0.0 20080430204825 text/plain {}\n{about}\n", about.len());
    let mut records = vec![first.into_bytes()];
    for (url, html) in pages {
        let body = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{html}");
        records
            .push(format!("{url} 192.0.2.1 20080430204826 text/html {}\n{body}\n", body.len()).into_bytes());
    }
    records
}

pub(crate) fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// A page whose visible text is this.
pub(crate) fn html(text: &str) -> String {
    format!("<!DOCTYPE html><html><body><p>{text}</p></body></html>")
}
