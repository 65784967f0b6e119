//! A double of Amazon SNS: it serves certificates and confirms subscriptions.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use ring::{
    rand::SystemRandom,
    signature::{RSA_PKCS1_SHA256, RsaKeyPair},
};
use serde_json::{Map, Value, json};
use tokio::{net::TcpListener, sync::Semaphore};

pub const TOPIC: &str = "arn:aws:sns:sa-east-1:123456789012:emails";
const KEY: &[u8] = include_bytes!("keys/topic.der");
const CERTIFICATE: &str = include_str!("keys/topic.pem");
const OTHER: &str = include_str!("keys/other.pem");
const EXPIRED: &str = include_str!("keys/expired.pem");
/// A SHA-1 signature (`SignatureVersion` 1) of the message `antiga`.
pub const VERSION_1: &str = include_str!("keys/version1.txt");

/// The double, which listens on a local port.
pub struct Sns {
    /// The host and port of the double.
    pub host: String,
    state: Arc<Asked>,
}

struct Asked {
    /// The number of requests by path and query.
    paths: Mutex<BTreeMap<String, usize>>,
    /// Every response takes a permit, so that a test can hold responses back.
    turns: Semaphore,
}

impl Sns {
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let host = listener.local_addr().expect("an address").to_string();
        let state = Arc::new(Asked {
            paths: Mutex::default(),
            turns: Semaphore::new(1_000),
        });
        let router = Router::new()
            .fallback(handle_request)
            .with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { host, state }
    }

    pub fn url_of_path(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    pub fn requests(&self) -> BTreeMap<String, usize> {
        self.state.paths.lock().expect("no panic").clone()
    }

    /// Holds back all responses until `release_responses` is called.
    pub fn hold_responses(&self) {
        self.state.turns.forget_permits(1_000);
    }

    pub fn release_responses(&self) {
        self.state.turns.add_permits(1_000);
    }

    /// A signed notification whose `Message` is this value.
    pub fn signed_notification(&self, id: &str, at: &str, message: &Value) -> Map<String, Value> {
        let message = message
            .as_str()
            .map_or_else(|| message.to_string(), str::to_owned);
        self.add_signature(json!({
            "Type": "Notification",
            "MessageId": id,
            "TopicArn": TOPIC,
            "Subject": "Amazon SES Email Event Notification",
            "Message": message,
            "Timestamp": at,
            "UnsubscribeURL": self.url_of_path("/?Action=Unsubscribe"),
        }))
    }

    pub fn signed_confirmation(&self, at: &str) -> Map<String, Value> {
        self.add_signature(json!({
            "Type": "SubscriptionConfirmation",
            "MessageId": "c-1",
            "TopicArn": TOPIC,
            "Message": "You have chosen to subscribe",
            "Timestamp": at,
            "Token": "t0ken",
            "SubscribeURL": self.url_of_path("/outro?Action=ConfirmSubscription&TopicArn=outro&Token=x"),
        }))
    }

    /// Adds the topic's certificate URL and signature to the message.
    pub fn add_signature(&self, message: Value) -> Map<String, Value> {
        let Value::Object(mut message) = message else {
            panic!("a message is an object");
        };
        message.insert("SignatureVersion".into(), "2".into());
        message.insert(
            "SigningCertURL".into(),
            self.url_of_path("/topic.pem").into(),
        );
        let signature = message_signature(&message);
        message.insert("Signature".into(), signature.into());
        message
    }
}

/// Signs a message with the topic's key, as the documentation of SNS specifies.
pub fn message_signature(message: &Map<String, Value>) -> String {
    const SIGNED: [&str; 8] = [
        "Message",
        "MessageId",
        "Subject",
        "SubscribeURL",
        "Timestamp",
        "Token",
        "TopicArn",
        "Type",
    ];
    let mut text = String::new();
    for name in SIGNED {
        if let Some(value) = message.get(name).and_then(Value::as_str) {
            text.push_str(&format!("{name}\n{value}\n"));
        }
    }
    let key = RsaKeyPair::from_pkcs8(KEY).expect("a key");
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        text.as_bytes(),
        &mut signature,
    )
    .expect("signs");
    STANDARD.encode(signature)
}

async fn handle_request(State(state): State<Arc<Asked>>, uri: Uri) -> Response {
    let asked = uri.to_string();
    *state
        .paths
        .lock()
        .expect("no panic")
        .entry(asked)
        .or_default() += 1;
    drop(state.turns.acquire().await);
    match uri.path() {
        "/topic.pem" => CERTIFICATE.into_response(),
        "/other.pem" => OTHER.into_response(),
        "/expired.pem" => EXPIRED.into_response(),
        "/moved.pem" => (StatusCode::FOUND, [(header::LOCATION, "/topic.pem")]).into_response(),
        "/large.pem" => format!("{CERTIFICATE}{}", "x".repeat(100_000)).into_response(),
        "/broken.pem" => "-----BEGIN CERTIFICATE-----".into_response(),
        "/failing.pem" => StatusCode::BAD_GATEWAY.into_response(),
        "/" => StatusCode::OK.into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}
