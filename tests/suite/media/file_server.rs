//! A server of files, for imports. It listens on loopback, which `PAUTA_IMPORT_ORIGINS` allows.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use futures::{StreamExt, stream};
use tokio::net::TcpListener;

use crate::support::TestApp;

/// What the server answers.
#[derive(Clone)]
pub enum Served {
    File(Vec<u8>),
    Status(u16),
    /// A redirect to this URL.
    Redirect(String),
    /// Announces more bytes than it sends, and then closes the connection.
    Cut(Vec<u8>),
}

/// A running server, which answers every request in the same way.
pub struct FileServer {
    pub origin: String,
    served: Arc<Mutex<Served>>,
}

impl FileServer {
    pub async fn start() -> Self {
        let served = Arc::new(Mutex::new(Served::Status(404)));
        let router = Router::new()
            .fallback(send_answer)
            .with_state(served.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(axum::serve(listener, router).into_future());
        Self {
            origin: format!("http://{address}"),
            served,
        }
    }

    /// Starts a service that may import from this server.
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

async fn send_answer(State(served): State<Arc<Mutex<Served>>>, _: Request) -> Response {
    let served = served.lock().expect("no panic").clone();
    match served {
        // Many servers send this wrong type.
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
