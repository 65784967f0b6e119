//! One connection from its first byte to its last.

use std::{future::poll_fn, net::SocketAddr, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, sync::watch};

use super::{
    Limits,
    exchange::{Exchange, Exchanges},
    farewell,
    seats::{Place, Stage},
    wire::Wire,
};

/// Bytes that hyper reads or buffers at once beyond a head.
const PIECE: usize = 8 << 10;

/// How long a stop waits for a client to take its last answer.
const LINGER_WHILE_STOPPING: Duration = Duration::from_secs(1);

/// Serves until the client or its slowness ends the connection, the place is needed, or a stop is
/// asked for and the request in flight is answered.
pub(super) async fn serve(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    limits: Limits,
    place: Place,
    mut stop: watch::Receiver<bool>,
) {
    let exchange = Exchange::new();
    let wire = Wire::new(stream, exchange.clone(), place.seat.clone(), limits);
    let exchanges = Exchanges {
        router,
        peer,
        limits,
        exchange,
    };
    let mut connection = http1::Builder::new()
        // A head that is not whole never gets there.
        .header_read_timeout(None)
        .max_buf_size(limits.head_bytes + PIECE)
        .serve_connection(TokioIo::new(wire), exchanges);
    let mut stopping = false;
    let served = loop {
        tokio::select! {
            biased;
            served = poll_fn(|task| connection.poll_without_shutdown(task)) => break served,
            () = place.seat.gone() => return,
            _ = stop.wait_for(|stop| *stop), if !stopping => {
                stopping = true;
                std::pin::Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    let (stream, verdict, unread) = connection.into_parts().io.into_inner().into_rest();
    let failed = served.is_err() && verdict.is_none();
    if failed || !place.seat.enter(Stage::Leaving) {
        return;
    }
    let linger = match *stop.borrow() {
        true => limits.linger.min(LINGER_WHILE_STOPPING),
        false => limits.linger,
    };
    let limits = Limits { linger, ..limits };
    let leaving = async {
        match verdict {
            Some(verdict) => farewell::refuse(stream, verdict.error(), &limits).await,
            None if unread => drop(farewell::linger(stream, &limits).await),
            None => {}
        }
    };
    tokio::select! {
        () = leaving => {}
        () = place.seat.gone() => {}
    }
}
