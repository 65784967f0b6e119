//! A proxy between the service and its database server.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::JoinHandle,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Forwards everything.
    Open,
    /// Keeps connections, but forwards nothing.
    Silent,
    /// Closes connections.
    Cut,
}

/// A proxy on its own port.
pub struct Proxy {
    pub address: SocketAddr,
    upstream: String,
    state: watch::Sender<State>,
    /// A value that identifies one transaction. The answer to the commit of this transaction is
    /// lost, once.
    losing: Mutex<Option<&'static [u8]>>,
    accepting: Mutex<Option<JoinHandle<()>>>,
}

impl Proxy {
    pub async fn start(upstream: String) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
        let proxy = Arc::new(Self {
            address: listener.local_addr().expect("an address"),
            upstream,
            state: watch::Sender::new(State::Open),
            losing: Mutex::default(),
            accepting: Mutex::default(),
        });
        proxy.accept_connections(listener);
        proxy
    }

    fn accept_connections(self: &Arc<Self>, listener: TcpListener) {
        let proxy = self.clone();
        let accepting = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.expect("a connection");
                let server = TcpStream::connect(&proxy.upstream).await.expect("connects");
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                let (sent, chosen) = (proxy.clone(), Arc::new(AtomicBool::new(false)));
                let is_lost = chosen.clone();
                let note_sent = move |bytes: &[u8]| {
                    if sent.is_transaction_to_lose(bytes) {
                        chosen.store(true, Ordering::SeqCst);
                    }
                    true
                };
                let keep_answer = move |bytes: &[u8]| {
                    !is_lost.load(Ordering::SeqCst) || !contains(bytes, b"COMMIT\0")
                };
                let state = || proxy.state.subscribe();
                tokio::spawn(forward(from_client, to_server, state(), note_sent));
                tokio::spawn(forward(from_server, to_client, state(), keep_answer));
            }
        });
        *self.accepting.lock().expect("no panic") = Some(accepting);
    }

    /// Makes the proxy close the connection that next sends this value, instead of forwarding the
    /// answer to its commit. The commit takes effect.
    pub fn lose_answer_to_commit_with(&self, value: &'static [u8]) {
        *self.losing.lock().expect("no panic") = Some(value);
    }

    /// Returns true once, for the first bytes that contain the value of [`Self::losing`].
    fn is_transaction_to_lose(&self, bytes: &[u8]) -> bool {
        let mut losing = self.losing.lock().expect("no panic");
        losing.take_if(|value| contains(bytes, value)).is_some()
    }

    /// Returns true if the chosen answer has been lost.
    pub fn has_lost_answer(&self) -> bool {
        self.losing.lock().expect("no panic").is_none()
    }

    /// Stops forwarding without closing any connection.
    pub fn stop_forwarding(&self) {
        self.state.send_replace(State::Silent);
    }

    /// Closes all connections and refuses new ones.
    pub fn close_connections(&self) {
        let accepting = self.accepting.lock().expect("no panic").take();
        accepting.expect("the proxy was open").abort();
        self.state.send_replace(State::Cut);
    }

    /// Forwards everything again.
    pub async fn resume_forwarding(self: &Arc<Self>) {
        self.state.send_replace(State::Open);
        if self.accepting.lock().expect("no panic").is_none() {
            let listener = TcpListener::bind(self.address).await.expect("binds");
            self.accept_connections(listener);
        }
    }
}

fn contains(bytes: &[u8], value: &[u8]) -> bool {
    bytes.windows(value.len()).any(|window| window == value)
}

/// Forwards everything until `passes` refuses some bytes, or a side closes the connection.
async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    state: watch::Receiver<State>,
    passes: impl Fn(&[u8]) -> bool,
) {
    let (mut gate, mut end) = (state.clone(), state);
    let through = async {
        let mut buffer = vec![0; 16_384];
        while let Ok(read @ 1..) = from.read(&mut buffer).await {
            let open = gate.wait_for(|state| *state == State::Open).await.is_ok();
            if !open || !passes(&buffer[..read]) || to.write_all(&buffer[..read]).await.is_err() {
                break;
            }
        }
    };
    tokio::select! {
        () = through => {}
        _ = end.wait_for(|state| *state == State::Cut) => {}
    }
}
