//! HTTP/1.1 over TCP: who is let in, how long a connection may wait for its client, and how it ends.
//!
//! hyper reads requests and writes answers. Around it stand a cap on connections (`seats`), the
//! judgement of each head and the timeouts between requests (`wire`), minimum rates of bodies and
//! answers (`rate`), what happens to a body that its handler did not read (`body`), and a close
//! that lets the last answer arrive (`farewell`).

mod body;
mod connection;
mod exchange;
mod farewell;
mod files;
mod framing;
mod limits;
mod rate;
mod seats;
mod wire;

use std::{io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use gateway::{Code, Error};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{Semaphore, mpsc, watch},
};

pub use files::allow_open_files;
pub use limits::Limits;
pub use rate::MinimumRate;
use seats::Seats;

/// Refusals for want of a free connection that are told at once; further ones are cut off.
const REFUSALS: usize = 128;

/// Seconds after which a refused client may try again.
const RETRY: u64 = 5;

/// After an error that is not the fault of one connection, such as too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop`, then until the last request in flight has its answer.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: impl Future<Output = ()>,
) {
    let seats = Seats::new(limits.connections);
    let refusals = Arc::new(Semaphore::new(REFUSALS));
    let stopping = watch::Sender::new(false);
    let (alive, mut ended) = mpsc::channel::<()>(1);
    let mut stop = pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = accept(&listener, &seats) => accepted,
        };
        // Small answers must not wait for more to come.
        let _ = stream.set_nodelay(true);
        match seats.admit(peer.ip()) {
            Some(place) => {
                let served = connection::serve(
                    stream,
                    peer,
                    router.clone(),
                    limits,
                    place,
                    stopping.subscribe(),
                );
                let alive = alive.clone();
                tokio::spawn(async move {
                    served.await;
                    drop(alive);
                });
            }
            None => {
                if let Ok(permit) = refusals.clone().try_acquire_owned() {
                    tokio::spawn(async move {
                        refuse(stream, limits).await;
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

/// The next connection. Errors neither end the loop nor spin.
async fn accept(listener: &TcpListener, seats: &Seats) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                // Where files have run out, one that only waits is worth less than a new one.
                seats.make_room();
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}

async fn refuse(stream: TcpStream, limits: Limits) {
    let error = Error::new(Code::TooManyConnections).retry_after(RETRY);
    let limits = Limits {
        linger: limits.linger.min(Duration::from_secs(2)),
        ..limits
    };
    farewell::refuse(stream, error, &limits).await;
}
