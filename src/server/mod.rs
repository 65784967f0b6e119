//! HTTP/1.1 over TCP: the connection cap, timeouts and orderly closing.
//!
//! hyper parses requests and writes responses. The code around it caps connections (`slots`),
//! checks each head and applies the timeouts between requests (`wire`), enforces minimum rates of
//! bodies and responses (`rate`), handles bodies that their handler did not read (`body`), and
//! closes connections so that the last response arrives (`lingering`).

mod body;
mod connection;
mod exchange;
mod files;
mod framing;
mod limits;
mod lingering;
mod rate;
mod slots;
mod traffic;
mod wire;

use std::{io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use gateway::{Code, Error};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, mpsc, watch},
    time::{Instant, timeout_at},
};

pub use files::allow_open_files;
pub use limits::Limits;
pub use rate::MinimumRate;
use slots::Slots;
pub use traffic::Traffic;

/// How many connections over the cap get an error response at the same time; further ones are
/// closed without a response.
const REFUSALS: usize = 128;

/// The `Retry-After` of a response that refuses a connection over the limit, in seconds.
const RETRY: u64 = 5;

/// The maximum time for which a stopping service accepts connections that the system has already
/// accepted.
const BACKLOG: Duration = Duration::from_millis(500);
/// How long a stopping service waits for the next of these connections: the runtime may not have
/// received the event of the socket yet.
const BACKLOG_GAP: Duration = Duration::from_millis(20);

/// The pause after an error of `accept`, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Accepts connections until `stop` completes, then waits for the requests in flight.
///
/// Connections that the system has already accepted when `stop` completes are served too: their
/// clients may have sent a request.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    traffic: Arc<Traffic>,
    stop: impl Future<Output = ()>,
) {
    let slots = Slots::new(limits.connections);
    let refusals = Arc::new(Semaphore::new(REFUSALS));
    let stopping = watch::Sender::new(false);
    let (alive, mut ended) = mpsc::channel::<()>(1);
    let mut stop = pin!(stop);
    let mut is_stopping = false;
    let mut until = Instant::now();
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop, if !is_stopping => {
                is_stopping = true;
                until = Instant::now() + BACKLOG;
                traffic.close_after_responses();
                continue;
            }
            accepted = accept_connection(&listener, &slots), if !is_stopping => Some(accepted),
            accepted = accept_waiting(&listener, until), if is_stopping => accepted,
        };
        let Some((stream, peer)) = accepted else {
            break;
        };
        // Disables Nagle's algorithm, which would delay small responses.
        let _ = stream.set_nodelay(true);
        match slots.assign_slot(peer.ip()) {
            Some(place) => {
                let served = connection::serve_connection(
                    stream,
                    peer,
                    router.clone(),
                    limits,
                    place,
                    traffic.clone(),
                    stopping.subscribe(),
                );
                let (alive, traffic) = (alive.clone(), traffic.clone());
                traffic.count_opened();
                tokio::spawn(async move {
                    served.await;
                    traffic.count_closed();
                    drop(alive);
                });
            }
            None => {
                traffic.count_refused();
                if let Ok(permit) = refusals.clone().try_acquire_owned() {
                    let traffic = traffic.clone();
                    tokio::spawn(async move {
                        refuse_over_cap(stream, limits, &traffic).await;
                        drop(permit);
                    });
                }
            }
        }
    }
    drop(listener);
    stopping.send_replace(true);
    drop(alive);
    ended.recv().await;
}

/// Accepts the next connection. Errors do not end the loop, and the pause after them prevents a
/// busy loop.
async fn accept_connection(listener: &TcpListener, slots: &Slots) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_connection_error(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "uma conexão não pôde ser aceita");
                // At the limit of open files, closes a connection that waits for its client, so
                // that a new one fits.
                slots.close_one_waiting_connection();
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Accepts a connection that the system has already accepted; `None` if there is no such connection, or
/// after `until`.
async fn accept_waiting(listener: &TcpListener, until: Instant) -> Option<(TcpStream, SocketAddr)> {
    let until = until.min(Instant::now() + BACKLOG_GAP);
    let accepted = timeout_at(until, listener.accept()).await;
    accepted.ok()?.ok()
}

fn is_connection_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}

async fn refuse_over_cap(stream: TcpStream, limits: Limits, traffic: &Traffic) {
    let error = Error::new(Code::TOO_MANY_CONNECTIONS).with_retry_after(RETRY);
    let limits = Limits {
        linger: limits.linger.min(Duration::from_secs(2)),
        ..limits
    };
    lingering::refuse_connection(stream, error, &limits, traffic).await;
}
