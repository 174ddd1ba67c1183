//! `onefold serve`: the index over HTTP.

use crate::index::{DurabilityKind, plan_of};
use crate::interrupt::CANCEL;
use crate::size;
use anyhow::{Context, Result};
use clap::Args;
use onefold_index::{Durability, Index, Options};
use onefold_server::{Limits, Tls};
use std::net::{SocketAddr, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Time between two syncs where adds are not durable one by one.
const INTERVAL: Duration = Duration::from_millis(500);

/// The server.
#[derive(Args, Debug)]
#[command(after_help = "Example: onefold serve --index pages")]
pub(crate) struct Serve {
    /// Folder of the index, as `onefold index create` made it
    #[arg(long, value_name = "DIR")]
    index: PathBuf,
    /// Address or name, and port; any other than loopback needs --token-file
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", help_heading = "Access")]
    listen: String,
    /// File that holds the token clients send as `Authorization: Bearer TOKEN`, of at least 16 visible ASCII characters
    #[arg(long, value_name = "FILE", help_heading = "Access")]
    token_file: Option<PathBuf>,
    /// Certificate chain in PEM: serve HTTPS
    #[arg(long, value_name = "FILE", requires = "tls_key", help_heading = "Access")]
    tls_cert: Option<PathBuf>,
    /// Private key in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert", help_heading = "Access")]
    tls_key: Option<PathBuf>,
    /// Largest body, and largest line of a batch
    #[arg(long, value_name = "SIZE", default_value = "8MiB", value_parser = body_size, help_heading = "Limits")]
    max_body: u64,
    /// Seconds for a body to arrive, and for its answer to be found
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600), help_heading = "Limits")]
    timeout: u64,
    /// Seconds for the head of a request to arrive, or for the next request of a connection to begin
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600), help_heading = "Limits")]
    idle_timeout: u64,
    /// Connections at a time
    #[arg(long, value_name = "N", default_value = "1024", help_heading = "Limits", value_parser = crate::args::at_least_one)]
    max_connections: NonZeroUsize,
    /// Documents waiting or being worked on at a time
    #[arg(long, value_name = "N", default_value = "1024", help_heading = "Limits", value_parser = crate::args::at_least_one)]
    queue: NonZeroUsize,
    /// Seconds for open requests to end after an interrupt
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(0..=3600), help_heading = "Limits")]
    stop_timeout: u64,
    /// When an add is on disk
    #[arg(long, value_enum, default_value_t, help_heading = "Machine")]
    durability: DurabilityKind,
    /// Threads that sketch documents, and as many that serve [default: one a processor]
    #[arg(long, value_name = "N", help_heading = "Machine", value_parser = crate::args::at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Memory for rows of the index that were read before
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = size::parse, help_heading = "Machine")]
    cache: u64,
}

pub(crate) fn run(arguments: &Serve) -> Result<()> {
    let addresses = addresses(&arguments.listen)?;
    let deferred = arguments.durability == DurabilityKind::Interval;
    let durability = if deferred { Durability::Deferred } else { Durability::Commit };
    let options = Options { durability, cache_bytes: arguments.cache as usize, ..Options::default() };
    let index = Index::open(&arguments.index, options)?;
    let plan = plan_of(&index)?;
    let threads = arguments.threads.or_else(|| std::thread::available_parallelism().ok());
    let tls = arguments.tls_cert.clone().zip(arguments.tls_key.clone());
    let options = onefold_server::Options {
        addresses,
        token_file: arguments.token_file.clone(),
        tls: tls.map(|(certificate, key)| Tls { certificate, key }),
        threads: threads.map_or(1, usize::from),
        sync_interval: deferred.then_some(INTERVAL),
        limits: Limits {
            body_bytes: arguments.max_body as usize,
            request: Duration::from_secs(arguments.timeout),
            head: Duration::from_secs(arguments.idle_timeout),
            connections: arguments.max_connections.get(),
            queue: arguments.queue.get(),
            stop: Duration::from_secs(arguments.stop_timeout),
        },
    };
    Ok(onefold_server::serve(index, &plan, &options, &CANCEL)?)
}

/// Where a name or an address is.
fn addresses(listen: &str) -> Result<Vec<SocketAddr>> {
    let found = listen.to_socket_addrs();
    let found =
        found.with_context(|| format!("--listen {listen}: expected an address or a name, and a port"))?;
    let addresses: Vec<SocketAddr> = found.collect();
    anyhow::ensure!(!addresses.is_empty(), "--listen {listen}: the name has no address");
    Ok(addresses)
}

/// A size of a body: all that are worked on are counted together.
fn body_size(text: &str) -> Result<u64, String> {
    match size::parse(text) {
        Ok(bytes) if (1..=1 << 30).contains(&bytes) => Ok(bytes),
        Ok(_) => Err("expected at most 1GiB and not nothing".into()),
        Err(error) => Err(error),
    }
}
