//! A small object store on the loopback, with as much of S3's protocol as a reader needs: pages of listings, whole
//! objects and ranges of them, and what goes wrong in between.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Keys on a page of a listing.
const PAGE: usize = 2;
/// A client that stops talking is left.
const LIMIT: Duration = Duration::from_secs(30);
const MODIFIED: &str = "Sat, 01 Feb 2025 10:00:00 GMT";

/// What becomes of a request for an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    /// It is answered.
    #[default]
    Whole,
    /// It is refused.
    Denied,
    /// The connection is closed in the middle of the object, each time.
    Cut,
    /// The object never ends.
    Stalled,
}

/// Objects by key, in a bucket.
type Objects = BTreeMap<String, (Vec<u8>, Answer)>;

/// A running store; its thread ends with it.
#[derive(Debug)]
pub struct ObjectServer {
    address: SocketAddr,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct State {
    bucket: String,
    objects: Objects,
    requests: Mutex<Vec<String>>,
    closing: AtomicBool,
}

impl ObjectServer {
    /// Serves `objects` in `bucket`.
    pub fn start<'a>(
        bucket: &str,
        objects: impl IntoIterator<Item = (&'a str, Vec<u8>, Answer)>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let objects =
            objects.into_iter().map(|(key, bytes, answer)| (key.to_owned(), (bytes, answer))).collect();
        let state = Arc::new(State { bucket: bucket.to_owned(), objects, ..State::default() });
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if shared.closing.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&shared);
                // A client that goes away is no matter of the store's.
                std::thread::spawn(move || shared.serve(stream).ok());
            }
        });
        Ok(ObjectServer { address, state, thread: Some(thread) })
    }

    /// The URL to reach it at.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What a client must know of it, as variables of the environment.
    pub fn environment(&self) -> Vec<(String, String)> {
        let pairs = [
            ("AWS_ENDPOINT_URL", self.endpoint()),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("AWS_ACCESS_KEY_ID", "tester".into()),
            ("AWS_SECRET_ACCESS_KEY", "secret".into()),
            ("AWS_REGION", "us-east-1".into()),
        ];
        pairs.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    /// The requests so far: method and target.
    pub fn requests(&self) -> Vec<String> {
        self.state.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for ObjectServer {
    fn drop(&mut self) {
        self.state.closing.store(true, Ordering::Relaxed);
        // The thread waits for a connection.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl State {
    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(LIMIT))?;
        stream.set_write_timeout(Some(LIMIT))?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut line = String::new();
        while reader.read_line(&mut line)? > 0 {
            let request = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
            let mut range = None;
            loop {
                line.clear();
                reader.read_line(&mut line)?;
                let header = line.trim_end().to_ascii_lowercase();
                if header.is_empty() {
                    break;
                }
                range = header.strip_prefix("range: bytes=").map(str::to_owned).or(range);
            }
            self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
            self.answer(&stream, &request, range.as_deref())?;
            line.clear();
        }
        Ok(())
    }

    fn answer(&self, stream: &TcpStream, request: &str, range: Option<&str>) -> io::Result<()> {
        let (method, target) = request.split_once(' ').unwrap_or((request, ""));
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = decoded(path);
        let inside = path.strip_prefix('/').and_then(|path| path.strip_prefix(self.bucket.as_str()));
        let head = method == "HEAD";
        let Some(inside) = inside else { return fault(stream, head, 404, "NoSuchBucket") };
        let key = inside.trim_start_matches('/');
        if key.is_empty() {
            return reply(stream, head, "200 OK", "", self.listing(query).as_bytes());
        }
        let Some((bytes, answer)) = self.objects.get(key) else {
            return fault(stream, head, 404, "NoSuchKey");
        };
        let bounds = range.and_then(|range| range.split_once('-'));
        let start = bounds.and_then(|(start, _)| start.parse().ok()).unwrap_or(0).min(bytes.len());
        let end = bounds.and_then(|(_, end)| end.parse::<usize>().ok()).map_or(bytes.len(), |last| last + 1);
        let part = &bytes[start..end.clamp(start, bytes.len())];
        let headers = format!(
            "Last-Modified: {MODIFIED}\r\nETag: \"{:x}\"\r\nContent-Range: bytes {start}-{}/{}\r\n",
            bytes.len(),
            (start + part.len()).saturating_sub(1),
            bytes.len()
        );
        let status = if range.is_some() { "206 Partial Content" } else { "200 OK" };
        match answer {
            Answer::Denied => fault(stream, head, 403, "AccessDenied"),
            Answer::Cut | Answer::Stalled if !head => {
                let length = part.len();
                write!(&*stream, "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n")?;
                (&*stream).write_all(&part[..length / 2])?;
                if *answer == Answer::Stalled {
                    std::thread::sleep(LIMIT);
                }
                stream.shutdown(std::net::Shutdown::Both)
            }
            _ => reply(stream, head, status, &headers, part),
        }
    }

    /// A page of a listing; a token is the last key of the page before.
    fn listing(&self, query: &str) -> String {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let asked: BTreeMap<&str, String> = pairs.map(|(name, value)| (name, decoded(value))).collect();
        let value = |name: &str| asked.get(name).map_or("", String::as_str);
        let (prefix, after) = (value("prefix"), value("continuation-token"));
        let mut keys = self.objects.iter().filter(|(key, _)| key.starts_with(prefix) && key.as_str() > after);
        let page: Vec<_> = keys.by_ref().take(PAGE).collect();
        let mut text = String::from("<?xml version=\"1.0\"?><ListBucketResult>");
        for (key, (bytes, _)) in &page {
            let size = bytes.len();
            let key = escaped(key);
            text += &format!(
                "<Contents><Key>{key}</Key><LastModified>2025-02-01T10:00:00.000Z</LastModified><ETag>\"{size:x}\"</ETag><Size>{size}</Size></Contents>"
            );
        }
        let more = keys.next().is_some();
        if let Some((last, _)) = page.last().filter(|_| more) {
            text += &format!("<NextContinuationToken>{}</NextContinuationToken>", escaped(last));
        }
        text + &format!("<IsTruncated>{more}</IsTruncated></ListBucketResult>")
    }
}

fn fault(stream: &TcpStream, head: bool, status: u16, code: &str) -> io::Result<()> {
    let text = format!("<Error><Code>{code}</Code></Error>");
    reply(stream, head, &format!("{status} {code}"), "", text.as_bytes())
}

fn reply(mut stream: &TcpStream, head: bool, status: &str, headers: &str, body: &[u8]) -> io::Result<()> {
    write!(stream, "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len())?;
    stream.write_all(if head { &[] } else { body })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Text without its percent signs.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = (first == b'%').then(|| after.get(..2)).flatten();
        let code = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(code.unwrap_or(first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
