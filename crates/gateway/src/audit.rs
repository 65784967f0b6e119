//! The audit trail: who did what, and which calls were refused.
//!
//! Each write has one row, inserted in the same transaction. Each refused write, each refused
//! credential with a known owner, and each read of a secret or a profile has one row too. Plain
//! reads are collected first (`read_log.rs`). Rows contain no bodies, headers, tokens or e-mail
//! addresses. `metadata.address` is the IP address of the client.
//!
//! The owner of a refused credential is known if the credential is genuine: a personal token whose
//! secret matches, but which is expired, revoked or of a former member; a session with a valid
//! signature, but which is expired, ended or unknown, or whose member has left; a refresh token of
//! an ended session. Any other invalid credential is only counted in the metrics.
//!
//! `action` is the operation for which the credential was used. Over MCP it is the tool, if the
//! first 64 kB of the message name it, otherwise `post_mcp`. A call of a tool for which the caller
//! has no rights leaves the same row as the REST route. A call of a tool that the client itself
//! excluded leaves no row. Personal tokens that are revoked by a password change leave one row
//! each, with `metadata.cause`.

use serde_json::Map;

use super::{Door, Origin, Principal, Spec};
use domain::time::Millis;
pub use store::audit::{AuditRow, Outcome};

/// The metadata key of the fields that a call changed, as `{field: {before, after}}`.
pub const CHANGES: &str = "changes";
/// The metadata key of the client's IP address.
pub(super) const ADDRESS: &str = "address";

/// Creates an audit row about a call of `spec` by `caller`.
#[must_use]
pub fn audit_row(spec: &Spec, caller: &Principal, origin: &Origin, now: Millis) -> AuditRow {
    let mut row = actorless_operation_row(spec, origin, now).with_actor(&caller.member);
    row.token_id = caller.credential_id();
    row.auth_method = caller.auth_method();
    row
}

/// Creates an audit row about a call of `spec` without an actor.
fn actorless_operation_row(spec: &Spec, origin: &Origin, now: Millis) -> AuditRow {
    let mut row = actorless_row(spec.name, origin, now);
    // If the access rule has several capabilities, the input determines which one is required.
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

/// Creates an audit row without an actor, or with an actor that is set later.
#[must_use]
pub fn actorless_row(action: &'static str, origin: &Origin, now: Millis) -> AuditRow {
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

/// The operation or route that was called with a refused credential.
#[derive(Clone, Copy)]
pub enum Attempt<'a> {
    Operation(&'a Spec),
    /// A route that is not an operation, by its name.
    Endpoint(&'static str),
}

/// Creates an audit row about the use of a refused credential.
#[must_use]
pub fn attempt_row(attempt: Attempt<'_>, origin: &Origin, now: Millis) -> AuditRow {
    match attempt {
        Attempt::Operation(spec) => actorless_operation_row(spec, origin, now),
        Attempt::Endpoint(name) => actorless_row(name, origin, now),
    }
}
