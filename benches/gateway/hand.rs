//! The same work, written by hand: axum and rusqlite, no registry.
//!
//! This is the baseline, so it is written to be fast: typed rows, prepared statements, WAL, one write
//! connection and a pool of readers, both on the thread of the request, one connection per request, no ORM.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

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
use rusqlite::{Connection, OptionalExtension};
use serde_json::json;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{hand_read::read, hand_write::write};

#[derive(Clone)]
pub struct App {
    database: Arc<PathBuf>,
    /// Those that are free; as many come to be as read at once.
    readers: Arc<Mutex<Vec<Connection>>>,
    pub writer: Arc<Mutex<Connection>>,
    pub links: Links,
}

impl App {
    /// Runs `work` on a connection that reads.
    pub fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        let free = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = free().pop();
        let db = match kept {
            Some(db) => db,
            None => {
                let db = connect(&self.database)?;
                db.pragma_update(None, "query_only", true)?;
                db
            }
        };
        let done = work(&db);
        free().push(db);
        done
    }
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
fn synchronous() -> &'static str {
    match std::env::var("HAND_SYNCHRONOUS").as_deref() {
        Ok("normal") => "normal",
        _ => "full",
    }
}

fn connect(database: &Path) -> rusqlite::Result<Connection> {
    let db = Connection::open(database)?;
    db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    db.pragma_update(None, "synchronous", synchronous())?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.set_prepared_statement_cache_capacity(32);
    Ok(db)
}

/// Serves the database until it is killed.
pub async fn serve(port: u16, database: PathBuf) -> Result<()> {
    let app = App {
        writer: Arc::new(Mutex::new(connect(&database)?)),
        database: Arc::new(database),
        readers: Arc::default(),
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

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<rusqlite::types::FromSqlError> for Refused {
    fn from(error: rusqlite::types::FromSqlError) -> Self {
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
WHERE t.prefix = ?1";

const LEVELS: [&str; 5] = ["nenhum", "leitor", "criador", "lider", "admin"];

fn level(name: &str) -> Option<usize> {
    LEVELS.iter().position(|level| *level == name)
}

/// Checks the bearer and its rights: `capability` is granted from the level `least` up.
pub fn authorize(
    db: &Connection,
    headers: &HeaderMap,
    capability: &str,
    least: &str,
) -> Result<Caller, Refused> {
    let token = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "))
        .filter(|token| token.starts_with("svc_live_") && token.len() == 69 && token.is_ascii())
        .ok_or(Refused::Unauthenticated)?;
    let digest = sha256_hex(token.as_bytes());
    let mut presented = db.prepare_cached(PRESENTED)?;
    let judged = presented.query_row([&token[..25]], |row| {
        let genuine = digest
            .as_bytes()
            .ct_eq(row.get_ref(1)?.as_str()?.as_bytes());
        let revoked: Option<i64> = row.get(4)?;
        let (expires_at, active): (i64, bool) = (row.get(3)?, row.get(9)?);
        if !bool::from(genuine) || revoked.is_some() || expires_at <= now() || !active {
            return Ok(Err(Refused::Unauthenticated));
        }
        let scopes = serde_json::from_str::<Vec<&str>>(row.get_ref(2)?.as_str()?);
        let (role, api) = (row.get_ref(7)?.as_str()?, row.get_ref(8)?.as_str()?);
        let effective = level(role).min(level(api));
        if !scopes.is_ok_and(|scopes| scopes.contains(&capability)) || effective < level(least) {
            return Ok(Err(Refused::Forbidden));
        }
        Ok(Ok(Caller {
            token_id: row.get(0)?,
            member_id: row.get(5)?,
            user_id: row.get(6)?,
            sees_all_events: level(role) >= level("lider"),
        }))
    });
    judged.optional()?.ok_or(Refused::Unauthenticated)?
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
