//! A server of its own for one test, and a small client that is not the product's code.

use super::Place;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(60);

/// A running server.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    log: Arc<Mutex<Vec<String>>>,
    ended: Mutex<Receiver<()>>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Fails the test unless it is a problem with this status and code.
    #[track_caller]
    pub(crate) fn is_problem(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let problem = self.json();
        assert_eq!((&problem["code"], &problem["status"]), (&code.into(), &status.into()));
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()));
    }
}

impl Server {
    /// Serves the index `pages` of a place.
    pub(crate) fn start(place: &Place, flags: &str) -> Self {
        let listen = if flags.contains("--listen") { "" } else { "--listen 127.0.0.1:0" };
        let mut command = place.command(&format!("serve --index pages {listen} {flags}"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let log = Arc::new(Mutex::new(Vec::new()));
        let (lines, (started, begun), (end, ended)) = (Arc::clone(&log), channel(), channel());
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let json: Value = serde_json::from_str(&line).unwrap_or_default();
                if json["event"] == "listening" {
                    let _ = started.send(json["address"].as_str().unwrap().parse::<SocketAddr>().unwrap());
                }
                lines.lock().unwrap().push(line);
            }
            let _ = end.send(());
        });
        let address = begun.recv_timeout(LIMIT);
        let address = address.unwrap_or_else(|_| panic!("it did not start: {:?}", log.lock().unwrap()));
        Server { child, address, log, ended: Mutex::new(ended) }
    }

    pub(crate) fn connect(&self) -> Connection {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.set_write_timeout(Some(LIMIT)).unwrap();
        stream.set_nodelay(true).unwrap();
        Connection { stream: BufReader::new(stream), address: self.address }
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.connect().ask("GET", path, "", b"")
    }

    pub(crate) fn delete(&self, path: &str) -> Reply {
        self.connect().ask("DELETE", path, "", b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        self.connect().post(path, body)
    }

    /// Asks it to stop.
    pub(crate) fn interrupt(&self) {
        let killed = std::process::Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(killed.success());
    }

    /// Waits for it to end, and tells what it logged.
    pub(crate) fn wait(&mut self) -> (ExitStatus, Vec<Value>) {
        self.ended.lock().unwrap().recv_timeout(LIMIT).expect("it ends in time");
        let status = self.child.wait().unwrap();
        (status, self.log())
    }

    /// What it logged so far.
    pub(crate) fn log(&self) -> Vec<Value> {
        let lines = self.log.lock().unwrap();
        lines.iter().map(|line| serde_json::from_str(line).expect("a log line is JSON")).collect()
    }

    /// Waits until the log has a line.
    pub(crate) fn logged(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            if let Some(line) = self.log().into_iter().find(&wanted) {
                return line;
            }
            assert!(started.elapsed() < LIMIT, "{:?}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept open.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

impl Connection {
    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Reply {
        self.ask("POST", path, "content-type: application/json\r\n", body.to_string().as_bytes())
    }

    /// Sends a request and reads the answer; `headers` end with a line end each.
    pub(crate) fn ask(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> Reply {
        let (address, length) = (self.address, body.len());
        let host = if headers.contains("host:") { String::new() } else { format!("host: {address}\r\n") };
        let head = format!("{method} {path} HTTP/1.1\r\n{host}{headers}content-length: {length}\r\n\r\n");
        self.send(head.as_bytes());
        self.send(body);
        self.read().expect("an answer")
    }

    /// Sends bytes; the server may have closed.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.get_mut().write_all(bytes);
    }

    /// Reads an answer, or `None` if the connection was closed.
    pub(crate) fn read(&mut self) -> Option<Reply> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
        let status = line.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            headers.push((name.to_lowercase(), value.to_owned()));
        }
        let mut reply = Reply { status, headers, body: Vec::new() };
        match reply.header("content-length").map(|length| length.parse().unwrap()) {
            Some(length) => {
                reply.body = vec![0; length];
                self.stream.read_exact(&mut reply.body).ok()?;
            }
            None => while self.chunk(&mut reply.body).is_some() {},
        }
        Some(reply)
    }

    /// Reads a chunk of a body; `None` at its end.
    fn chunk(&mut self, body: &mut Vec<u8>) -> Option<()> {
        let mut line = String::new();
        self.stream.read_line(&mut line).ok()?;
        let length = usize::from_str_radix(line.trim_end(), 16).ok()?;
        let mut bytes = vec![0; length + 2];
        self.stream.read_exact(&mut bytes).ok()?;
        body.extend_from_slice(&bytes[..length]);
        (length > 0).then_some(())
    }
}
