//! A push service on loopback with browsers, which decrypt what they receive. The decryption is by
//! `ring`, not by the crates that the service encrypts with.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Response, Uri},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD as B64};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use p256::{PublicKey, SecretKey, ecdh::diffie_hellman, elliptic_curve::sec1::ToEncodedPoint};
use ring::{aead, hkdf};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::{Notify, watch},
};

/// A browser that has subscribed.
#[derive(Clone)]
pub struct Browser {
    pub endpoint: String,
    key: SecretKey,
    auth: [u8; 16],
}

impl Browser {
    fn new(origin: &str, number: usize) -> Self {
        let mut scalar = [7; 32];
        scalar[31] = u8::try_from(number % 250).expect("a byte") + 1;
        Self {
            endpoint: format!("{origin}/aparelho/{number}"),
            key: SecretKey::from_slice(&scalar).expect("a key"),
            auth: [u8::try_from(number % 250).expect("a byte"); 16],
        }
    }

    fn public(&self) -> Vec<u8> {
        let point = self.key.public_key().to_encoded_point(false);
        point.as_bytes().to_vec()
    }

    /// The input of `add_push_device`.
    pub fn subscription(&self) -> Value {
        json!({
            "endpoint": self.endpoint,
            "p256dh": B64.encode(self.public()),
            "auth": B64.encode(self.auth),
            "nome": "Chrome em Android",
        })
    }

    /// Decrypts a body (RFC 8188, RFC 8291).
    fn decrypt(&self, body: &[u8]) -> Value {
        let (salt, rest) = body.split_at(16);
        let (record, rest) = rest.split_at(4);
        assert_eq!(record, 4_096_u32.to_be_bytes());
        assert_eq!(rest[0], 65);
        let (sender, sealed) = rest[1..].split_at(65);
        let sender_key = PublicKey::from_sec1_bytes(sender).expect("a point");
        let shared = diffie_hellman(self.key.to_nonzero_scalar(), sender_key.as_affine());
        let info = [b"WebPush: info\0", &*self.public(), sender].concat();
        let material: [u8; 32] = expand(&self.auth, shared.raw_secret_bytes(), &info);
        let key: [u8; 16] = expand(salt, &material, b"Content-Encoding: aes128gcm\0");
        let nonce: [u8; 12] = expand(salt, &material, b"Content-Encoding: nonce\0");
        let key = aead::UnboundKey::new(&aead::AES_128_GCM, &key).expect("a key");
        let nonce = aead::Nonce::assume_unique_for_key(nonce);
        let mut sealed = sealed.to_vec();
        let plain = aead::LessSafeKey::new(key)
            .open_in_place(nonce, aead::Aad::empty(), &mut sealed)
            .expect("it is encrypted for this browser");
        let end = plain
            .iter()
            .rposition(|byte| *byte != 0)
            .expect("a delimiter");
        assert_eq!(plain[end], 2);
        serde_json::from_slice(&plain[..end]).expect("JSON")
    }
}

struct Length(usize);

impl hkdf::KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn expand<const N: usize>(salt: &[u8], secret: &[u8], info: &[u8]) -> [u8; N] {
    let salt = hkdf::Salt::new(hkdf::HKDF_SHA256, salt);
    let info = [info];
    let pseudorandom = salt.extract(secret);
    let derived = pseudorandom.expand(&info, Length(N)).expect("a length");
    let mut bytes = [0; N];
    derived.fill(&mut bytes).expect("as long");
    bytes
}

/// A message as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    pub endpoint: String,
    headers: HeaderMap,
    pub body: Bytes,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).expect("the header");
        value.to_str().expect("ASCII")
    }

    /// Decrypts the message as its browser does.
    pub fn open(&self, browser: &Browser) -> Value {
        assert_eq!(self.endpoint, browser.endpoint);
        browser.decrypt(&self.body)
    }

    /// Checks the signature (RFC 8292) with the public key, and returns the claims.
    pub fn verify(&self, public_key: &str) -> Value {
        let given = self.header("authorization");
        let given = given.strip_prefix("vapid t=").expect("the scheme");
        let (token, key) = given.split_once(", k=").expect("a key");
        assert_eq!(key, public_key);
        let point = B64.decode(key).expect("base64url");
        let (x, y) = (B64.encode(&point[1..33]), B64.encode(&point[33..]));
        let key = DecodingKey::from_ec_components(&x, &y).expect("a key");
        let mut rules = Validation::new(Algorithm::ES256);
        // Skips the check of the expiry, because the clock of a test differs from the system clock.
        rules.validate_exp = false;
        rules.validate_aud = false;
        decode::<Value>(token, &key, &rules)
            .expect("it is signed")
            .claims
    }
}

/// The behaviour of the push service for a message.
#[derive(Clone)]
pub enum Manner {
    /// Answers with this status and these headers.
    Status(u16, Vec<(&'static str, &'static str)>),
    /// Never answers.
    Hanging,
    /// Answers with this status after the test has notified the `Notify`.
    StatusWhenNotified(u16, Arc<Notify>),
}

/// A running push service. It answers 201 unless the test sets another behaviour.
pub struct PushService {
    pub origin: String,
    shared: Shared,
    count: watch::Receiver<usize>,
    opened: Mutex<usize>,
}

#[derive(Clone)]
struct Shared {
    origin: String,
    received: Arc<Mutex<Vec<Received>>>,
    manner: Arc<Mutex<Manner>>,
    /// The behaviour for messages to particular paths.
    manners_by_path: Arc<Mutex<BTreeMap<String, Manner>>>,
    count: Arc<watch::Sender<usize>>,
}

impl PushService {
    pub async fn start() -> Self {
        let (sender, count) = watch::channel(0);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Shared {
            origin: origin.clone(),
            received: Arc::default(),
            manner: Arc::new(Mutex::new(Manner::Status(201, vec![]))),
            manners_by_path: Arc::default(),
            count: Arc::new(sender),
        };
        let router = Router::new().fallback(receive).with_state(shared.clone());
        tokio::spawn(axum::serve(listener, router).into_future());
        Self {
            origin,
            shared,
            count,
            opened: Mutex::new(0),
        }
    }

    /// Creates a browser with a subscription at this push service.
    pub fn open_browser(&self) -> Browser {
        let mut opened = self.opened.lock().expect("no panic");
        *opened += 1;
        Browser::new(&self.origin, *opened)
    }

    pub fn behave(&self, manner: Manner) {
        *self.shared.manner.lock().expect("no panic") = manner;
    }

    pub fn answer(&self, status: u16) {
        self.behave(Manner::Status(status, vec![]));
    }

    /// Makes the push service answer messages to this browser with a status.
    pub fn answer_for(&self, browser: &Browser, status: u16) {
        let mut manners_by_path = self.shared.manners_by_path.lock().expect("no panic");
        manners_by_path.insert(browser.endpoint.clone(), Manner::Status(status, vec![]));
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
    let endpoint = format!("{}{}", shared.origin, uri.path());
    let received = Received {
        endpoint: endpoint.clone(),
        headers,
        body,
    };
    shared.received.lock().expect("no panic").push(received);
    shared.count.send_modify(|count| *count += 1);
    let of_path = shared
        .manners_by_path
        .lock()
        .expect("no panic")
        .get(&endpoint)
        .cloned();
    let manner = of_path.unwrap_or_else(|| shared.manner.lock().expect("no panic").clone());
    match manner {
        Manner::Status(status, headers) => {
            let mut answer = Response::builder().status(status);
            for (name, value) in headers {
                answer = answer.header(name, value);
            }
            answer.body(Body::from("<garbage>")).expect("an answer")
        }
        Manner::Hanging => std::future::pending().await,
        Manner::StatusWhenNotified(status, told) => {
            told.notified().await;
            let answer = Response::builder().status(status);
            answer.body(Body::empty()).expect("an answer")
        }
    }
}
