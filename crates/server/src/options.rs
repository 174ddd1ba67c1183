//! How a server is run.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Where it listens, whom it lets in, and what it bears.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen: on the first of these that can be. Port 0 takes a free one, which the log names.
    pub addresses: Vec<SocketAddr>,
    /// A file that holds the token clients must send; needed unless all addresses are of loopback.
    pub token_file: Option<PathBuf>,
    /// Certificate chain and private key, both PEM.
    pub tls: Option<Tls>,
    /// Threads that sketch documents, and as many that serve.
    pub threads: usize,
    /// When adds are made durable, if not before they are acknowledged.
    pub sync_interval: Option<Duration>,
    /// What it bears.
    pub limits: Limits,
}

/// Files for TLS.
#[derive(Clone, Debug)]
pub struct Tls {
    /// Certificate chain.
    pub certificate: PathBuf,
    /// Private key.
    pub key: PathBuf,
}

/// What a server bears before it says no.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest body, and largest line of a batch.
    pub body_bytes: usize,
    /// Time for a body to arrive, and for an answer to be found.
    pub request: Duration,
    /// Time for the head of a request to arrive, or for the next one to begin.
    pub head: Duration,
    /// Connections at a time.
    pub connections: usize,
    /// Documents waiting or being worked on at a time.
    pub queue: usize,
    /// Time for open requests to end once it is told to stop.
    pub stop: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            body_bytes: 8 << 20,
            request: Duration::from_secs(30),
            head: Duration::from_secs(30),
            connections: 1024,
            queue: 1024,
            stop: Duration::from_secs(30),
        }
    }
}

impl Limits {
    /// Bytes of all bodies together.
    pub(crate) fn bytes_in_flight(&self) -> usize {
        self.body_bytes.saturating_mul(16).max(64 << 20)
    }
}
