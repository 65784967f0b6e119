//! The caller's authorization, and error responses.

use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use jiff::Timestamp;
use serde_json::json;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Why a request is rejected.
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

/// A member with a valid token that has the required capability.
pub struct Caller {
    pub token_id: String,
    pub member_id: String,
    pub user_id: String,
    pub sees_all_events: bool,
}

/// Finds a token by its prefix (?1). The columns are the fields of [`Presented`], in their order.
pub const PRESENTED: &str = "
SELECT t.id, t.secret_sha256, t.scopes, t.expires_at, t.revoked_at,
       m.id, m.user_id, m.role, m.api_access_level, m.active
FROM personal_tokens t JOIN members m ON m.id = t.member_id
WHERE t.prefix = ?1";

/// A stored token and its member.
pub struct Presented<'r> {
    pub id: &'r str,
    pub secret_sha256: &'r str,
    pub scopes: &'r str,
    pub expires_at: i64,
    pub revoked_at: Option<i64>,
    pub member_id: &'r str,
    pub user_id: &'r str,
    pub role: &'r str,
    pub api_access_level: &'r str,
    pub active: bool,
}

const LEVELS: [&str; 5] = ["nenhum", "leitor", "criador", "lider", "admin"];

fn level_rank(name: &str) -> Option<usize> {
    LEVELS.iter().position(|level| *level == name)
}

/// The token of an `Authorization: Bearer` header.
pub struct Token<'h>(&'h str);

impl<'h> Token<'h> {
    pub fn from_headers(headers: &'h HeaderMap) -> Result<Self, Refused> {
        let value = headers.get(header::AUTHORIZATION);
        value
            .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "))
            .filter(|token| token.starts_with("svc_live_") && token.len() == 69 && token.is_ascii())
            .map(Self)
            .ok_or(Refused::Unauthenticated)
    }

    pub fn prefix(&self) -> &'h str {
        &self.0[..25]
    }

    /// Verifies the token and requires `capability` in its scopes and at least the access level
    /// `least`.
    pub fn authorize(
        &self,
        stored: &Presented<'_>,
        capability: &str,
        least: &str,
    ) -> Result<Caller, Refused> {
        let digest = sha256_hex(self.0.as_bytes());
        let genuine = digest.as_bytes().ct_eq(stored.secret_sha256.as_bytes());
        let is_over = stored.revoked_at.is_some() || stored.expires_at <= now();
        if !bool::from(genuine) || is_over || !stored.active {
            return Err(Refused::Unauthenticated);
        }
        let scopes = serde_json::from_str::<Vec<&str>>(stored.scopes);
        let effective = level_rank(stored.role).min(level_rank(stored.api_access_level));
        if !scopes.is_ok_and(|scopes| scopes.contains(&capability)) || effective < level_rank(least)
        {
            return Err(Refused::Forbidden);
        }
        Ok(Caller {
            token_id: stored.id.to_owned(),
            member_id: stored.member_id.to_owned(),
            user_id: stored.user_id.to_owned(),
            sees_all_events: level_rank(stored.role) >= level_rank("lider"),
        })
    }
}

/// Milliseconds since the Unix epoch.
#[expect(
    clippy::disallowed_methods,
    reason = "these servers have no clock to inject"
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
