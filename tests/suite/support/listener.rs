//! Serves a router on its own socket like `pauta serve`, with limits chosen by the test.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use pauta::server::{self, Limits, MinimumRate, Traffic};
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

pub struct Listener {
    pub address: SocketAddr,
    pub traffic: Arc<Traffic>,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<()>,
}

impl Listener {
    pub async fn start(router: Router, limits: Limits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, asked) = oneshot::channel();
        let asked = async {
            if asked.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let traffic = Arc::<Traffic>::default();
        let serving = tokio::spawn(server::serve(
            listener,
            router,
            limits,
            traffic.clone(),
            asked,
        ));
        Self {
            address,
            traffic,
            stop: Some(stop),
            serving,
        }
    }

    /// Starts the shutdown, as SIGTERM does.
    pub fn start_shutdown(&mut self) {
        let stop = self.stop.take().expect("the shutdown starts once");
        stop.send(()).expect("the listener runs");
    }

    /// Waits until the listener has shut down and its last connection has ended.
    pub async fn wait_until_stopped(self) {
        self.serving.await.expect("no panic");
    }
}

/// Limits with timeouts of tenths of a second instead of seconds.
pub fn short_limits() -> Limits {
    let tenths = |n: u64| Duration::from_millis(100 * n);
    let rate = MinimumRate {
        bytes_per_second: 1000,
        grace: tenths(5),
        gap: tenths(5),
    };
    Limits {
        head: tenths(5),
        idle: tenths(15),
        body: rate,
        answer: rate,
        linger_gap: tenths(5),
        ..Limits::default()
    }
}
