//! Serves a connection from its first byte to its last.

use std::{future::poll_fn, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{
    net::TcpStream,
    sync::watch,
    time::{Instant, sleep},
};

use super::{
    Limits, Traffic,
    exchange::{Exchange, Exchanges},
    lingering,
    slots::{Slot, SlotGuard, Stage},
    wire::Wire,
};

/// The number of bytes by which hyper's buffer exceeds the limit of a head.
const PIECE: usize = 8 << 10;

/// The interval at which [`wait_for_stop`] checks whether an expected request has arrived.
const CHECK: Duration = Duration::from_millis(10);

/// The linger timeout during a shutdown.
const LINGER_WHILE_STOPPING: Duration = Duration::from_secs(1);

/// Serves requests until the client closes, is too slow, or loses its slot; during a shutdown,
/// until the request in flight is answered.
pub(super) async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    limits: Limits,
    guard: SlotGuard,
    traffic: Arc<Traffic>,
    stop: watch::Receiver<bool>,
) {
    let exchange = Exchange::new();
    let wire = Wire::new(stream, exchange.clone(), guard.slot.clone(), limits);
    let exchanges = Exchanges {
        router,
        peer,
        limits,
        exchange,
        traffic: traffic.clone(),
    };
    let mut connection = http1::Builder::new()
        // `Wire` already applies the timeout of a head.
        .header_read_timeout(None)
        .max_buf_size(limits.head_bytes + PIECE)
        .serve_connection(TokioIo::new(wire), exchanges);
    let mut stopping = false;
    let mut stopped = pin!(wait_for_stop(
        stop.clone(),
        guard.slot.clone(),
        traffic.clone(),
        limits
    ));
    let served = loop {
        tokio::select! {
            biased;
            served = poll_fn(|task| connection.poll_without_shutdown(task)) => break served,
            () = guard.slot.wait_until_gone() => return,
            () = &mut stopped, if !stopping => {
                stopping = true;
                std::pin::Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    let (stream, close_reason, unread) = connection.into_parts().io.into_inner().into_parts();
    let failed = served.is_err() && close_reason.is_none();
    if failed || !guard.slot.enter_stage(Stage::Leaving) {
        return;
    }
    let linger = match *stop.borrow() {
        true => limits.linger.min(LINGER_WHILE_STOPPING),
        false => limits.linger,
    };
    let limits = Limits { linger, ..limits };
    let leaving = async {
        match close_reason {
            Some(close_reason) => {
                lingering::refuse_connection(stream, close_reason.to_error(), &limits, &traffic)
                    .await;
            }
            None if unread => drop(lingering::close_lingering(stream, &limits).await),
            None => {}
        }
    };
    tokio::select! {
        () = leaving => {}
        () = guard.slot.wait_until_gone() => {}
    }
}

/// Waits for the shutdown, and then while a request may still arrive on this connection: the first
/// request of a new connection, the rest of a request head, or a request that a balancer sends on an
/// idle connection before it notices the shutdown. Each wait has a limit.
async fn wait_for_stop(
    mut stop: watch::Receiver<bool>,
    slot: Arc<Slot>,
    traffic: Arc<Traffic>,
    limits: Limits,
) {
    let _ = stop.wait_for(|stop| *stop).await;
    let begun = Instant::now();
    let closing = traffic.closing_since().unwrap_or(begun);
    loop {
        let now = Instant::now();
        let is_awaited =
            |stage, since| slot.is_in_stage(stage) && now < since + limits.last_request;
        if !is_awaited(Stage::Opening, begun) && !is_awaited(Stage::Idle, closing) {
            return;
        }
        sleep(CHECK).await;
    }
}
