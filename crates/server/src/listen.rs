//! Connections: taken up to a limit, served, and ended in order when the server stops.

use crate::app::{App, answer};
use crate::options::Limits;
use crate::problem::{Code, Problem};
use crate::stream::Timed;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// Time in which a connection that is refused has to take the answer.
const REFUSAL: Duration = Duration::from_secs(1);
/// Refusals under way at a time; more are dropped.
const MOST_REFUSALS: usize = 64;

/// What a connection is served with.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) app: Arc<App>,
    pub(crate) router: axum::Router,
    pub(crate) tls: Option<TlsAcceptor>,
}

/// Takes connections until `stop` says so, then waits for those that are open.
pub(crate) async fn listen(listener: TcpListener, service: Service, mut stop: watch::Receiver<bool>) {
    let limits = service.app.limits;
    let places = Arc::new(Semaphore::new(limits.connections));
    let refusals = Arc::new(Semaphore::new(MOST_REFUSALS));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        // The client has gone, or there are no more file descriptors: others may go in a moment.
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        match Arc::clone(&places).try_acquire_owned() {
            Ok(place) => {
                let (service, stop) = (service.clone(), stop.clone());
                tokio::spawn(async move {
                    service.app.metrics.connections.fetch_add(1, Ordering::Relaxed);
                    let app = Arc::clone(&service.app);
                    connection(stream, service, stop).await;
                    app.metrics.connections.fetch_sub(1, Ordering::Relaxed);
                    drop(place);
                });
            }
            Err(_) => {
                service.app.metrics.refused.fetch_add(1, Ordering::Relaxed);
                if let Ok(refusal) = Arc::clone(&refusals).try_acquire_owned()
                    && service.tls.is_none()
                {
                    let id = service.app.refused();
                    tokio::spawn(async move {
                        let _ = timeout(REFUSAL, refuse(stream, &id)).await;
                        drop(refusal);
                    });
                }
            }
        }
    }
    drop(listener);
    let all = limits.connections.min(Semaphore::MAX_PERMITS) as u32;
    // What is open longer than that is broken off.
    let _ = timeout(limits.stop, places.acquire_many(all)).await;
}

async fn connection(stream: TcpStream, service: Service, stop: watch::Receiver<bool>) {
    let limits = service.app.limits;
    let stream = Timed::new(stream, limits.request);
    match service.tls.clone() {
        None => serve(stream, service, stop).await,
        Some(acceptor) => {
            if let Ok(Ok(stream)) = timeout(limits.head, acceptor.accept(stream)).await {
                serve(stream, service, stop).await;
            }
        }
    }
}

async fn serve<S>(stream: S, service: Service, mut stop: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Service { app, router, .. } = service;
    let Limits { head, .. } = app.limits;
    let answers = service_fn(move |request| answer(Arc::clone(&app), router.clone(), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(64 << 10)
        .pipeline_flush(true)
        .serve_connection(TokioIo::new(stream), answers);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // How a connection ends is its client's business.
        _ = connection.as_mut() => return,
        _ = stop.wait_for(|stop| *stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// Says that there is no place, and closes.
async fn refuse(mut stream: TcpStream, id: &str) -> std::io::Result<()> {
    let problem = Problem::new(Code::TooManyConnections, "all connections are taken").body();
    let body = serde_json::to_string(&problem)?;
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\nretry-after: 1\r\n\
         x-request-id: {id}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await?;
    // Bytes left unread would reset the connection before the client has read the answer.
    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await.map(drop)
}
