//! Have we seen this page? The index over HTTP.
//!
//! Requests come over [`axum`] on connections that are limited in number, size and time. Documents are sketched by a pool of
//! threads and added by one writer, which commits all that wait at once; a check by a ready fingerprint is answered where
//! it arrives. Whoever is answered `new` is the only one: check and add are one step.

mod admission;
mod answers;
mod app;
mod body;
mod coding;
mod diff;
mod entry;
mod error;
mod guard;
mod input;
mod listen;
mod log;
mod metrics;
mod options;
mod pool;
mod problem;
mod routes;
mod stream;
mod tls;
mod writer;

pub use answers::{AnswerLine, StoredLine};
pub use error::Error;
pub use input::sketch_of;
pub use options::{Limits, Options, Tls};

use app::{App, Ids};
use listen::Service;
use onefold_index::Index;
use onefold_run::Plan;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Time between two looks at whether to stop.
const LOOK: Duration = Duration::from_millis(50);

/// Serves an index until `stop` is set, then finishes what was taken on.
pub fn serve(index: Index, plan: &Plan, options: &Options, stop: &AtomicBool) -> Result<(), Error> {
    let guard = guard::Guard::new(&options.addresses, options.token_file.as_deref())?;
    let tls = options.tls.as_ref().map(tls::acceptor).transpose()?;
    let texts = index.stores_texts()?;
    let index = Arc::new(index);
    let log = Arc::new(log::Log::start()?);
    let limits = options.limits;
    let app = App {
        pool: pool::Pool::start(plan, texts, options.threads, limits.request)?,
        writer: writer::Writer::start(Arc::clone(&index), options.sync_interval)?,
        index,
        admission: admission::Admission::new(&limits),
        limits,
        metrics: metrics::Metrics::default(),
        log: Arc::clone(&log),
        guard,
        stopping: watch::channel(false).0,
        ids: Ids::new(),
        pictures: Arc::new(tokio::sync::Mutex::new(None)),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(options.threads.max(1))
        .thread_name("serve")
        .enable_io()
        .enable_time()
        .build()?;
    let result = runtime.block_on(run(Arc::new(app), tls, options, stop));
    // Requests that took too long are broken off with the runtime; the pool and the writer end with the last of them.
    runtime.shutdown_timeout(Duration::from_secs(5));
    log.event("info", "stopped", &[]);
    result
}

async fn run(
    app: Arc<App>,
    tls: Option<tokio_rustls::TlsAcceptor>,
    options: &Options,
    stop: &AtomicBool,
) -> Result<(), Error> {
    let failed = |source| Error::Listen { addresses: options.addresses.clone(), source };
    let listener = TcpListener::bind(options.addresses.as_slice()).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let facts = [
        ("address", address.to_string().into()),
        ("url", format!("{scheme}://{address}/").into()),
        ("documents", app.index.stats()?.documents.into()),
    ];
    app.log.event("info", "listening", &facts);
    let router = routes::router(Arc::clone(&app));
    let stopped = app.stopping.subscribe();
    let service = Service { app: Arc::clone(&app), router, tls };
    let listening = tokio::spawn(listen::listen(listener, service, stopped));
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(LOOK).await;
    }
    app.log.event("info", "stopping", &[]);
    app.stopping.send_replace(true);
    let _ = listening.await;
    Ok(())
}
