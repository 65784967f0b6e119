//! Operations and sessions on behalf of a member.

use std::sync::Arc;

use domain::SessionId;
use gateway::{CallInput, Credential, Error, Gateway, Input, Origin, Principal, Result};
use identity::{EntryCode, SessionKeys};
use store::{
    Conn, accounts,
    members::{self, Member},
};

use super::operator_origin;

/// Finds the member with this e-mail and returns a caller with a session of this member. Calls that the
/// operator makes as this caller follow the same rules as the member's own calls, and the audit trail
/// names the member.
pub async fn principal_by_email(gateway: &Gateway, email: &str) -> Result<Principal> {
    let member = require_member_by_email(&gateway.services.db.reader(), email).await?;
    Ok(Principal::new(
        member,
        Credential::Session { family_id: None },
    ))
}

/// Runs one operation on behalf of a member. Returns its answer as JSON.
pub async fn run_operation(
    gateway: &Arc<Gateway>,
    caller: &Principal,
    operation: &str,
    input: serde_json::Value,
) -> Result<serde_json::Value> {
    let fields = match input {
        serde_json::Value::Object(fields) => fields,
        _ => Input::new(),
    };
    run_operation_from(gateway, caller, &operator_origin(), operation, fields).await
}

/// Runs one operation like [`run_operation`], but with the given origin and any kind of input.
pub async fn run_operation_from(
    gateway: &Arc<Gateway>,
    caller: &Principal,
    origin: &Origin,
    operation: &str,
    input: impl Into<CallInput>,
) -> Result<serde_json::Value> {
    let operation = gateway
        .registry
        .find(operation)
        .ok_or_else(|| Error::internal(format!("there is no operation {operation}")))?;
    let input = std::future::ready(Ok(input.into()));
    let answer = gateway.invoke(operation, Some(caller), origin, input);
    Ok(serde_json::from_str(&answer.await?.body.into_json_text()?)?)
}

/// Opens a session of a member for the demo. Returns an access token that is valid for 15 minutes.
pub async fn open_session(gateway: &Gateway, caller: &Principal) -> Result<String> {
    let services = &gateway.services;
    let now = services.clock.now();
    let family = SessionId::new(now);
    let tx = services.db.begin().await?;
    accounts::open_family(&tx.conn(), &family, &caller.member.user_id, now).await?;
    tx.commit().await?;
    let sessions = services.parts.get::<SessionKeys>();
    Ok(sessions
        .issue_token(&caller.member, &family, now)?
        .access_token)
}

/// Returns a path that signs this member in when a browser opens it, once, for the demo.
#[must_use]
pub fn sign_in_path(gateway: &Gateway, caller: &Principal) -> String {
    let services = &gateway.services;
    let codes = services.parts.get::<EntryCode>();
    let code = codes.issue_code(&caller.member.user_id, services.clock.now());
    format!("/entrar/codigo?c={code}")
}

pub(super) async fn require_member_by_email(db: &Conn<'_>, email: &str) -> Result<Member> {
    let email = email.trim().to_lowercase();
    let member = members::find_by_email(db, &email).await?;
    let member = member.filter(|member| member.active);
    member.ok_or_else(|| Error::not_found("membro ativo com este e-mail"))
}
