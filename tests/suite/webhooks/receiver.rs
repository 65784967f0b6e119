//! A receiver of webhooks. It listens on loopback, which `PAUTA_WEBHOOK_ORIGINS` allows.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Response, Uri},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use futures::future::BoxFuture;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use tokio::{net::TcpListener, sync::watch};

/// A received message.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    pub headers: HeaderMap,
    pub text: String,
    pub body: Value,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).expect("the header");
        value.to_str().expect("ASCII")
    }

    pub fn id(&self) -> &str {
        self.header("webhook-id")
    }

    /// The id of the resource.
    pub fn resource(&self) -> &str {
        let id = &self.body["data"]["resource"]["id"];
        id.as_str().expect("an id")
    }

    /// Returns the signature of the message with this secret, as the specification defines it.
    pub fn expected_signature(&self, secret: &str) -> String {
        let key = secret.strip_prefix("whsec_").expect("the prefix");
        let key = STANDARD.decode(key).expect("base64");
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("any length");
        let (id, time) = (self.id(), self.header("webhook-timestamp"));
        mac.update(format!("{id}.{time}.{}", self.text).as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }

    /// Returns whether one of the message's signatures was made with this secret.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let expected = self.expected_signature(secret);
        let mut signatures = self.header("webhook-signature").split(' ');
        signatures.any(|signature| signature == expected)
    }
}

type Answering = dyn Fn(Received) -> BoxFuture<'static, Response<Body>> + Send + Sync;

/// A running receiver. It answers 204 unless the test sets another answer.
pub struct Receiver {
    pub origin: String,
    shared: Shared,
    count: watch::Receiver<usize>,
}

#[derive(Clone)]
struct Shared {
    received: Arc<Mutex<Vec<Received>>>,
    answering: Arc<Mutex<Arc<Answering>>>,
    count: Arc<watch::Sender<usize>>,
}

pub fn answer(status: u16) -> Response<Body> {
    let answer = Response::builder().status(status);
    answer.body(Body::empty()).expect("an answer")
}

impl Receiver {
    pub async fn start() -> Self {
        let (sender, count) = watch::channel(0);
        let shared = Shared {
            received: Arc::default(),
            answering: Arc::new(Mutex::new(Arc::new(|_| Box::pin(async { answer(204) })))),
            count: Arc::new(sender),
        };
        let router = Router::new().fallback(receive).with_state(shared.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(axum::serve(listener, router).into_future());
        Self {
            origin: format!("http://{address}"),
            shared,
            count,
        }
    }

    /// Sets the answer to each message.
    pub fn answer_with<F>(&self, answering: impl Fn(Received) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        let boxed = move |received| Box::pin(answering(received)) as BoxFuture<'static, _>;
        *self.shared.answering.lock().expect("no panic") = Arc::new(boxed);
    }

    /// Answers every message with this status.
    pub fn answer_status(&self, status: u16) {
        self.answer_with(move |_| async move { answer(status) });
    }

    /// Returns and removes the received messages, in order of arrival.
    pub fn take(&self) -> Vec<Received> {
        std::mem::take(&mut *self.shared.received.lock().expect("no panic"))
    }

    /// Asserts that exactly one message has arrived since the last call, removes it and returns it.
    #[track_caller]
    pub fn take_one(&self) -> Received {
        let mut all = self.take();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    /// The number of messages that have arrived in total.
    pub fn count(&self) -> usize {
        *self.count.borrow()
    }

    /// Waits until this many messages have arrived in total.
    pub async fn wait_for(&self, count: usize) {
        let mut arrived = self.count.clone();
        let waiting = arrived.wait_for(|arrived| *arrived >= count);
        let waited = tokio::time::timeout(Duration::from_secs(30), waiting).await;
        drop(waited.expect("in time").expect("it serves"));
    }
}

async fn receive(
    State(shared): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let text = String::from_utf8(body.to_vec()).expect("text");
    let received = Received {
        path: uri.path().to_owned(),
        headers,
        body: serde_json::from_str(&text).expect("JSON"),
        text,
    };
    let kept = received.clone();
    shared.received.lock().expect("no panic").push(kept);
    shared.count.send_modify(|count| *count += 1);
    let answering = shared.answering.lock().expect("no panic").clone();
    answering(received).await
}
