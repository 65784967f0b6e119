//! A double of an issuer over HTTP: the keys, passwords and admin interface of Supabase Auth, and
//! an OpenID Connect issuer with a sign-in page. It refuses what the real ones refuse.
//!
//! <https://github.com/supabase/auth>: `internal/api/{invite,admin}.go`

mod accounts;
mod keys;
mod sign_in;

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use futures::stream;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::watch};

use accounts::Person;
pub use keys::{LEGACY_SECRET, Signer, legacy_session, sign_with_hmac, unsigned_token};

/// The key of the admin interface.
pub const ADMIN_KEY: &str = "sb_secret_0123456789abcdefghijklmnop";
/// A key of the older kind is a JWT, and is also sent as a bearer token.
pub const OLD_ADMIN_KEY: &str = "eyJhbGciOiJIUzI1NiJ9.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.AAAA";
/// The audience of the OpenID Connect issuer's tokens for this service.
pub const AUDIENCE: &str = "pauta";
const REALM: &str = "/realms/redacao";

/// How a request fails if its path contains a given text.
#[derive(Clone)]
pub enum Fault {
    /// The request gets no response.
    Hang,
    /// The connection breaks after the beginning of the response.
    Reset,
    Status(u16),
    /// A page of an intermediary, with status 200.
    Page,
    /// JSON with unexpected fields.
    Nonsense,
    Huge,
    Redirect(String),
    /// The response waits until the test releases it.
    Held(watch::Receiver<bool>),
}

/// A running issuer.
pub struct Issuer {
    base: String,
    state: Arc<Issued>,
}

struct Issued {
    base: String,
    keys: Mutex<Vec<Value>>,
    cache_control: Mutex<Option<String>>,
    /// Replacements for fields of the discovery document.
    discovery: Mutex<Value>,
    key_fetches: AtomicUsize,
    held: AtomicUsize,
    faults: Mutex<BTreeMap<&'static str, Fault>>,
    people: Mutex<BTreeMap<String, Person>>,
    asked: Mutex<Vec<(String, Value)>>,
    /// The claims of the ID token for the next person at the sign-in page.
    signed_in: Mutex<Value>,
    codes: Mutex<BTreeMap<String, sign_in::Code>>,
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().expect("no panic")
}

impl Issuer {
    /// Creates an issuer with one key, [`Signer::first_key`].
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let state = Arc::new(Issued {
            base: base.clone(),
            keys: Mutex::new(vec![Signer::first_key().public_jwk()]),
            cache_control: Mutex::new(Some("max-age=600".into())),
            discovery: Mutex::new(json!({})),
            key_fetches: AtomicUsize::default(),
            held: AtomicUsize::default(),
            faults: Mutex::default(),
            people: Mutex::default(),
            asked: Mutex::default(),
            signed_in: Mutex::default(),
            codes: Mutex::default(),
        });
        let router = Router::new()
            .route("/auth/v1/.well-known/jwks.json", get(serve_jwks))
            .route(&format!("{REALM}/certs"), get(serve_jwks))
            .route(
                &format!("{REALM}/.well-known/openid-configuration"),
                get(serve_discovery),
            )
            .route(&format!("{REALM}/auth"), get(sign_in::serve_sign_in_page))
            .route(&format!("{REALM}/token"), post(sign_in::serve_token))
            .route("/auth/v1/token", post(sign_in::serve_password_grant))
            .route("/auth/v1/invite", post(accounts::invite_account))
            .route("/auth/v1/admin/users", get(accounts::list_accounts))
            .route(
                "/auth/v1/admin/users/{id}",
                get(accounts::get_account).put(accounts::change_account),
            )
            .layer(middleware::from_fn_with_state(state.clone(), apply_faults))
            .with_state(state.clone());
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { base, state }
    }

    /// Returns the issuer name of Supabase Auth.
    pub fn supabase_issuer(&self) -> String {
        format!("{}/auth/v1", self.base)
    }

    /// Returns the issuer name of the OpenID Connect issuer.
    pub fn oidc_issuer(&self) -> String {
        format!("{}{REALM}", self.base)
    }

    /// Settings for the profile of Supabase Auth, without a key for the admin interface.
    pub fn supabase_settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("PAUTA_IDENTITY_ISSUER", self.supabase_issuer()),
            ("PAUTA_IDENTITY_TIMEOUT", "20".into()),
        ]
    }

    /// Returns settings like [`Self::supabase_settings`], with a key for the admin interface.
    pub fn admin_settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = self.supabase_settings();
        settings.push(("PAUTA_IDENTITY_ADMIN_KEY", ADMIN_KEY.into()));
        settings
    }

    pub fn oidc_settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("PAUTA_IDENTITY_ISSUER", self.oidc_issuer()),
            ("PAUTA_IDENTITY_AUDIENCE", AUDIENCE.into()),
            ("PAUTA_IDENTITY_TIMEOUT", "20".into()),
        ]
    }

    pub fn set_signers(&self, signers: &[Signer]) {
        self.set_keys(signers.iter().map(Signer::public_jwk).collect());
    }

    pub fn set_keys(&self, keys: Vec<Value>) {
        *lock(&self.state.keys) = keys;
    }

    pub fn set_cache_control(&self, control: Option<&str>) {
        *lock(&self.state.cache_control) = control.map(str::to_owned);
    }

    /// Replaces fields of the discovery document.
    pub fn override_discovery(&self, fields: Value) {
        *lock(&self.state.discovery) = fields;
    }

    /// Applies this fault to every request whose path contains this text; `None` ends the fault.
    pub fn set_fault(&self, path: &'static str, fault: impl Into<Option<Fault>>) {
        let mut faults = lock(&self.state.faults);
        match fault.into() {
            Some(fault) => drop(faults.insert(path, fault)),
            None => drop(faults.remove(path)),
        }
    }

    /// Returns the number of requests for the keys, successful or not.
    pub fn count_key_fetches(&self) -> usize {
        self.state.key_fetches.load(Ordering::SeqCst)
    }

    /// Waits until the keys were requested this many times.
    pub async fn wait_for_key_fetches(&self, count: usize) {
        while self.count_key_fetches() < count {
            tokio::task::yield_now().await;
        }
    }

    /// Waits until this many requests are held.
    pub async fn wait_for_held(&self, count: usize) {
        while self.state.held.load(Ordering::SeqCst) < count {
            tokio::task::yield_now().await;
        }
    }

    /// Returns the accepted requests to the admin interface: method and path, and body.
    pub fn admin_requests(&self) -> Vec<(String, Value)> {
        lock(&self.state.asked).clone()
    }

    /// Returns the claims of a session of Supabase Auth.
    pub fn session_claims(&self, sub: &str, email: &str, now: i64) -> Value {
        let iat = now / 1000;
        json!({
            "iss": self.supabase_issuer(), "sub": sub, "aud": "authenticated", "role": "authenticated",
            "iat": iat, "exp": iat + 3600, "email": email, "aal": "aal1", "is_anonymous": false,
            "session_id": "0198c0de-0000-7000-8000-00000000000a",
            "user_metadata": { "email": email, "email_verified": true },
        })
    }

    /// Returns the claims of an access token of the OpenID Connect issuer, with a verified e-mail.
    pub fn oidc_claims(&self, sub: &str, email: &str, now: i64) -> Value {
        let iat = now / 1000;
        json!({
            "iss": self.oidc_issuer(), "sub": sub, "aud": ["account", AUDIENCE], "iat": iat,
            "exp": iat + 300, "email": email, "email_verified": true, "azp": "web",
        })
    }
}

async fn serve_jwks(State(issued): State<Arc<Issued>>) -> Response {
    let keys = json!({ "keys": *lock(&issued.keys) });
    let mut response = json_response(200, &keys);
    if let Some(control) = &*lock(&issued.cache_control) {
        let control = control.parse().expect("a value");
        response
            .headers_mut()
            .insert(header::CACHE_CONTROL, control);
    }
    response
}

async fn serve_discovery(State(issued): State<Arc<Issued>>) -> Response {
    let issuer = format!("{}{REALM}", issued.base);
    let mut document = json!({
        "issuer": issuer, "jwks_uri": format!("{issuer}/certs"),
        "authorization_endpoint": format!("{issuer}/auth"),
        "token_endpoint": format!("{issuer}/token"),
    });
    let changes = lock(&issued.discovery).clone();
    for (name, value) in changes.as_object().expect("fields") {
        document[name] = value.clone();
    }
    json_response(200, &document)
}

async fn apply_faults(State(issued): State<Arc<Issued>>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    if path.ends_with("/jwks.json") || path.ends_with("/certs") {
        issued.key_fetches.fetch_add(1, Ordering::SeqCst);
    }
    let found = {
        let faults = lock(&issued.faults);
        let mut found = faults.iter().filter(|(below, _)| path.contains(*below));
        found.next().map(|(_, fault)| fault.clone())
    };
    match found {
        None => next.run(request).await,
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::Reset) => {
            let broken = std::io::Error::other("the connection breaks");
            let begun = [Ok("{"), Err(broken)];
            Body::from_stream(stream::iter(begun)).into_response()
        }
        Some(Fault::Status(status)) => {
            let status = StatusCode::from_u16(status).expect("a status");
            (status, "<html>Bad gateway</html>").into_response()
        }
        Some(Fault::Page) => (
            [(header::CONTENT_TYPE, "text/html")],
            "<html>Sign in to the network</html>",
        )
            .into_response(),
        Some(Fault::Nonsense) => json_response(200, &json!({ "keys": "none", "id": 7 })),
        Some(Fault::Huge) => {
            let lines =
                stream::iter((0..40_000).map(|_| Ok::<_, std::io::Error>(" ".repeat(1000))));
            Body::from_stream(lines).into_response()
        }
        Some(Fault::Redirect(to)) => (StatusCode::FOUND, [(header::LOCATION, to)]).into_response(),
        Some(Fault::Held(mut open)) => {
            issued.held.fetch_add(1, Ordering::SeqCst);
            if open.wait_for(|open| *open).await.is_err() {
                std::future::pending::<()>().await;
            }
            next.run(request).await
        }
    }
}

fn json_response(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    let json = [(header::CONTENT_TYPE, "application/json")];
    (status, json, body.to_string()).into_response()
}
