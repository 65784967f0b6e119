//! The same work, written by hand: axum and sqlx over SQLite, no registry.
//!
//! This is the baseline, so it is written to be fast: typed rows, prepared statements, WAL, one write
//! connection and a pool of readers, one connection per request, no ORM.

use std::{path::PathBuf, sync::LazyLock};

use anyhow::Result;
use axum::{
    Router,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use jiff::{Timestamp, tz::TimeZone};
use serde_json::json;
use sha2::{Digest, Sha256};
use sqlx::{
    Row, SqliteConnection, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use subtle::ConstantTimeEq;

use crate::{hand_read::read, hand_write::write};

/// The fastest number of readers on two to eight processors.
const READERS: u32 = 4;

#[derive(Clone)]
pub struct App {
    pub reader: SqlitePool,
    pub writer: SqlitePool,
    pub links: Links,
}

/// Signs the links of media.
#[derive(Clone)]
pub struct Links {
    mac: Hmac<Sha256>,
    base: String,
}

impl Links {
    /// Links made within an hour are equal; they hold for a week.
    pub fn url(&self, id: &str, now: i64) -> String {
        let until = now / 3_600_000 * 3_600 + 7 * 86_400;
        let mut mac = self.mac.clone();
        mac.update(format!("{id}\n{until}").as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        format!("{}/media/{id}?exp={until}&sig=1.{signature}", self.base)
    }
}

/// The same guarantee as the service: a commit is on disk before the answer. An environment variable can
/// lower it, to measure its cost.
fn synchronous() -> SqliteSynchronous {
    match std::env::var("HAND_SYNCHRONOUS").as_deref() {
        Ok("normal") => SqliteSynchronous::Normal,
        _ => SqliteSynchronous::Full,
    }
}

/// Serves the database until it is killed.
pub async fn serve(port: u16, database: PathBuf) -> Result<()> {
    let options = SqliteConnectOptions::new()
        .filename(database)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous())
        .foreign_keys(true);
    let pool = |connections| {
        SqlitePoolOptions::new()
            .max_connections(connections)
            .min_connections(connections)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
    };
    let app = App {
        writer: pool(1).connect_with(options.clone()).await?,
        reader: pool(READERS)
            .connect_with(options.pragma("query_only", "ON"))
            .await?,
        links: Links {
            mac: Hmac::new_from_slice(b"a key of this benchmark and no other")?,
            base: format!("http://127.0.0.1:{port}"),
        },
    };
    let router = Router::new()
        .route("/readyz", get(|| async {}))
        .route("/api/aprovacoes", get(read))
        .route("/api/draft", post(write))
        .with_state(app);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    Ok(axum::serve(listener, router).await?)
}

/// Why a request was refused.
pub enum Refused {
    Unauthenticated,
    Forbidden,
    Invalid(String),
    NotFound,
    NotEditable(String),
    Stale(i64),
    Internal(String),
}

impl From<sqlx::Error> for Refused {
    fn from(error: sqlx::Error) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<serde_json::Error> for Refused {
    fn from(error: serde_json::Error) -> Self {
        Self::Internal(error.to_string())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, error) = match self {
            Self::Unauthenticated => (401, json!({ "code": "UNAUTHENTICATED" })),
            Self::Forbidden => (403, json!({ "code": "CAPABILITY_REQUIRED" })),
            Self::Invalid(why) => (400, json!({ "code": "INVALID_INPUT", "message": why })),
            Self::NotFound => (404, json!({ "code": "NOT_FOUND" })),
            Self::NotEditable(status) => (
                409,
                json!({ "code": "EVENT_NOT_EDITABLE", "status": status }),
            ),
            Self::Stale(current) => (
                409,
                json!({ "code": "STALE_REVISION", "current_revision": current }),
            ),
            Self::Internal(why) => {
                eprintln!("{why}");
                (500, json!({ "code": "INTERNAL" }))
            }
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = [(header::CONTENT_TYPE, "application/json")];
        (status, headers, json!({ "error": error }).to_string()).into_response()
    }
}

/// A member who presented a valid token that has the capability asked for.
pub struct Caller {
    pub token_id: String,
    pub member_id: String,
    pub user_id: String,
    pub sees_all_events: bool,
}

const PRESENTED: &str = "
SELECT t.id, t.secret_sha256, t.scopes, t.expires_at, t.revoked_at,
       m.id, m.user_id, m.role, m.api_access_level, m.active
FROM personal_tokens t JOIN members m ON m.id = t.member_id
WHERE t.prefix = $1";

const LEVELS: [&str; 5] = ["nenhum", "leitor", "criador", "lider", "admin"];

fn level(name: &str) -> Option<usize> {
    LEVELS.iter().position(|level| *level == name)
}

/// Checks the bearer and its rights: `capability` is granted from the level `least` up.
pub async fn authorize(
    db: &mut SqliteConnection,
    headers: &HeaderMap,
    capability: &str,
    least: &str,
) -> Result<Caller, Refused> {
    let token = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "))
        .filter(|token| token.starts_with("svc_live_") && token.len() == 69 && token.is_ascii())
        .ok_or(Refused::Unauthenticated)?;
    let row = sqlx::query(PRESENTED)
        .bind(&token[..25])
        .fetch_optional(db)
        .await?
        .ok_or(Refused::Unauthenticated)?;
    let stored: &str = row.try_get(1)?;
    let digest = sha256_hex(token.as_bytes());
    let revoked: Option<i64> = row.try_get(4)?;
    let (expires_at, active): (i64, bool) = (row.try_get(3)?, row.try_get(9)?);
    if !bool::from(digest.as_bytes().ct_eq(stored.as_bytes()))
        || revoked.is_some()
        || expires_at <= now()
        || !active
    {
        return Err(Refused::Unauthenticated);
    }
    let scopes: Vec<&str> = serde_json::from_str(row.try_get(2)?)?;
    let (role, api): (&str, &str) = (row.try_get(7)?, row.try_get(8)?);
    let effective = level(role).min(level(api));
    if !scopes.contains(&capability) || effective < level(least) {
        return Err(Refused::Forbidden);
    }
    Ok(Caller {
        token_id: row.try_get(0)?,
        member_id: row.try_get(5)?,
        user_id: row.try_get(6)?,
        sees_all_events: level(role) >= level("lider"),
    })
}

/// Milliseconds since the Unix epoch.
#[expect(
    clippy::disallowed_methods,
    reason = "this server has no clock to inject"
)]
pub fn now() -> i64 {
    Timestamp::now().as_millisecond()
}

pub fn sha256_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digest = Sha256::digest(bytes);
    let digits = digest.iter().flat_map(|b| [b >> 4, b & 15]);
    digits.map(|d| char::from(DIGITS[usize::from(d)])).collect()
}

pub static BRASILIA: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get("America/Sao_Paulo").expect("the bundled time zone database has it")
});
