//! A server of files, for imports. It listens on loopback, which `PAUTA_IMPORT_ORIGINS` allows.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use tokio::{net::TcpListener, sync::watch};

use crate::support::TestApp;

/// How the server answers every request.
#[derive(Clone)]
pub enum Served {
    File(Vec<u8>),
    Status(u16),
    /// A redirect to this URL.
    Redirect(String),
    /// Announces more bytes than it sends, and then closes the connection.
    Cut(Vec<u8>),
    /// Sends the file in pieces of `piece` bytes, and the second half only once `open` is true.
    Held {
        file: Vec<u8>,
        piece: usize,
        open: watch::Receiver<bool>,
    },
}

/// A running server, which answers every request in the same way.
pub struct FileServer {
    pub origin: String,
    served: Arc<Mutex<Served>>,
    readers: watch::Receiver<Readers>,
}

/// The numbers of readers of held files.
#[derive(Default)]
struct Readers {
    /// How many readers have received the first half of the file.
    held: usize,
    /// How many readers have closed their connections before the end.
    left: usize,
}

/// The state that the handler shares with the test.
#[derive(Clone)]
struct Shared {
    served: Arc<Mutex<Served>>,
    readers: Arc<watch::Sender<Readers>>,
}

/// Counts a held file whose reader closes the connection.
struct Reading {
    at: usize,
    length: usize,
    readers: Arc<watch::Sender<Readers>>,
}

impl Drop for Reading {
    fn drop(&mut self) {
        if self.at < self.length {
            self.readers.send_modify(|readers| readers.left += 1);
        }
    }
}

impl FileServer {
    pub async fn start() -> Self {
        let served = Arc::new(Mutex::new(Served::Status(404)));
        let (sender, readers) = watch::channel(Readers::default());
        let shared = Shared {
            served: served.clone(),
            readers: Arc::new(sender),
        };
        let router = Router::new().fallback(answer).with_state(shared);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(axum::serve(listener, router).into_future());
        Self {
            origin: format!("http://{address}"),
            served,
            readers,
        }
    }

    /// Serves a file in pieces, and its second half only after the returned sender sends `true`.
    pub fn hold_second_half(&self, file: &[u8], piece: usize) -> (String, watch::Sender<bool>) {
        let (sender, open) = watch::channel(false);
        let file = file.to_vec();
        (self.serve(Served::Held { file, piece, open }), sender)
    }

    /// Waits until this many readers have read the first half of a held file.
    pub async fn wait_for_held_readers(&self, count: usize) {
        self.wait_for_readers(|readers| readers.held >= count).await;
    }

    /// Waits until this many readers of held files have closed their connections.
    pub async fn wait_for_disconnected_readers(&self, count: usize) {
        self.wait_for_readers(|readers| readers.left >= count).await;
    }

    async fn wait_for_readers(&self, enough: impl FnMut(&Readers) -> bool) {
        let mut readers = self.readers.clone();
        let waiting = tokio::time::timeout(Duration::from_secs(30), readers.wait_for(enough));
        drop(waiting.await.expect("in time").expect("it serves"));
    }

    /// Creates a service that may import from this server.
    pub async fn app(&self) -> TestApp {
        TestApp::with_settings(vec![("PAUTA_IMPORT_ORIGINS", self.origin.clone())]).await
    }

    /// Sets the answer of the server. Returns a URL with a query that looks like a credential.
    pub fn serve(&self, served: Served) -> String {
        *self.served.lock().expect("no panic") = served;
        format!(
            "{}/fotos/banca%20da%20feira.png?sig=segredo-do-link",
            self.origin
        )
    }
}

async fn answer(State(shared): State<Shared>, _: Request) -> Response {
    let served = shared.served.lock().expect("no panic").clone();
    match served {
        Served::Held { file, piece, open } => {
            let length = file.len();
            let reading = Reading {
                at: 0,
                length,
                readers: shared.readers,
            };
            let pieces = stream::unfold((reading, open), move |(mut reading, mut open)| {
                let file = file.clone();
                async move {
                    let at = reading.at;
                    if at == length {
                        return None;
                    }
                    if at >= length / 2 && !*open.borrow() {
                        reading.readers.send_modify(|readers| readers.held += 1);
                        if open.wait_for(|open| *open).await.is_err() {
                            std::future::pending::<()>().await;
                        }
                    }
                    reading.at = length.min(at + piece);
                    let sent = Bytes::copy_from_slice(&file[at..reading.at]);
                    Some((Ok::<_, Infallible>(sent), (reading, open)))
                }
            });
            let body = Body::from_stream(pieces);
            ([(header::CONTENT_LENGTH, length.to_string())], body).into_response()
        }
        // Sends a wrong content type, as many servers do.
        Served::File(bytes) => ([(header::CONTENT_TYPE, "text/html")], bytes).into_response(),
        Served::Status(status) => StatusCode::from_u16(status)
            .expect("a status")
            .into_response(),
        Served::Redirect(url) => (StatusCode::FOUND, [(header::LOCATION, url)]).into_response(),
        Served::Cut(bytes) => {
            let length = bytes.len() + 100;
            let broken = stream::iter([Ok(Bytes::from(bytes))]);
            let broken = broken.chain(stream::once(async { Err("it breaks off") }));
            let body = Body::from_stream(broken);
            ([(header::CONTENT_LENGTH, length.to_string())], body).into_response()
        }
    }
}
