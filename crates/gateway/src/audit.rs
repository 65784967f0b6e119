//! The audit trail: who did what, and what was refused.
//!
//! Each write has one row, in its transaction. Each refused write, each denial of a known
//! credential, and each read of a secret or a profile has one too. Plain reads are collected first
//! (`read_log.rs`). Rows contain no bodies, headers, tokens or e-mail addresses. `metadata.address`
//! is the address of the client.
//!
//! A refused credential is known if it is genuine: a personal token whose secret matches but that
//! is expired, revoked or of a former member; a session whose signature is valid but that is
//! expired, was ended or never opened, or whose person has left; a refresh token of an ended
//! session. Any other invalid credential has no known owner and is only counted in the metrics.
//!
//! `action` is the operation that the credential was used for. Over MCP it is the tool, if the
//! first 64 kB of the message name it, otherwise `post_mcp`. A call of a tool that the caller has
//! no right to reaches the guard and leaves the same row as its route. A tool that the client
//! itself narrowed away leaves none. Personal tokens that are revoked with a password leave a row
//! each, with `metadata.cause`.

use serde_json::Map;

use super::{Door, Origin, Principal, Spec};
use domain::time::Millis;
pub use store::audit::{AuditRow, Outcome};

/// The metadata key of the client's address.
pub(super) const ADDRESS: &str = "address";

/// An audit row about a call of `spec` by `caller` through `origin`.
#[must_use]
pub fn row(spec: &Spec, caller: &Principal, origin: &Origin, now: Millis) -> AuditRow {
    let mut row = about(spec, origin, now).with_actor(&caller.member);
    row.token_id = caller.token_id().cloned();
    row.auth_method = caller.auth_method();
    row
}

/// An audit row about a call of `spec` without an actor.
fn about(spec: &Spec, origin: &Origin, now: Millis) -> AuditRow {
    let mut row = actorless(spec.name, origin, now);
    // If the operation has several capabilities, the input decides which one is needed.
    row.capability = match spec.access.capabilities() {
        [only] => Some(only.as_str()),
        _ => None,
    };
    row.resource_type = spec.resource.map(|(resource, _)| resource.kind);
    if origin.door == Door::Mcp {
        row.metadata.insert("tool".into(), spec.name.into());
    }
    row
}

/// An audit row without an actor, or written before the actor is known.
#[must_use]
pub fn actorless(action: &'static str, origin: &Origin, now: Millis) -> AuditRow {
    let mut metadata = Map::new();
    metadata.insert("door".into(), origin.door.as_str().into());
    if let Some(client) = &origin.client {
        metadata.insert("client".into(), client.as_str().into());
    }
    if let Some(address) = origin.address {
        metadata.insert(ADDRESS.into(), address.to_string().into());
    }
    AuditRow {
        occurred_at: now,
        request_id: Some(origin.request_id.clone()),
        actor_member_id: None,
        actor_user_id: None,
        token_id: None,
        auth_method: "anonymous",
        capability: None,
        action,
        resource_type: None,
        resource_id: None,
        outcome: Outcome::Succeeded,
        status_code: None,
        metadata,
    }
}

/// The operation or route for which a refused credential was used.
#[derive(Clone, Copy)]
pub enum Attempt<'a> {
    Operation(&'a Spec),
    /// The name of a route that is not an operation of its own.
    Endpoint(&'static str),
}

/// A row about the use of a refused credential.
#[must_use]
pub fn attempted(attempt: Attempt<'_>, origin: &Origin, now: Millis) -> AuditRow {
    match attempt {
        Attempt::Operation(spec) => about(spec, origin, now),
        Attempt::Endpoint(name) => actorless(name, origin, now),
    }
}
