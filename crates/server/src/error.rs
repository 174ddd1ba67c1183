//! Why a server does not start, or ends.

use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server does not start, or ends.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading a file or starting threads failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// None of the addresses can be listened on.
    #[error("{}: cannot listen", all(addresses))]
    Listen {
        /// Where.
        addresses: Vec<SocketAddr>,
        /// Why.
        source: std::io::Error,
    },
    /// Others could reach it, and nothing would keep them out.
    #[error("{0}: an address other than loopback needs a token: give --token-file")]
    NoToken(SocketAddr),
    /// The token is not one.
    #[error("{}: expected a token of at least 16 visible ASCII characters", .0.display())]
    Token(PathBuf),
    /// Certificate or key cannot be used.
    #[error("{}: {what}", path.display())]
    Tls {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The index failed.
    #[error(transparent)]
    Index(#[from] onefold_index::Error),
}

fn all(addresses: &[SocketAddr]) -> String {
    addresses.iter().map(SocketAddr::to_string).collect::<Vec<_>>().join(", ")
}
