//! Commands that the operator runs on the machine itself, without a credential.

use std::sync::Arc;

use search::Prepared;

use crate::{
    knowledge::{AREA, embed_later},
    members::{keep, subject, told},
};
use domain::{DocumentId, SessionId, time::Millis};
use gateway::{
    CallInput, Credential, Door, Error, Gateway, Input, Origin, Outcome, Principal, RequestHead,
    Result,
};
pub use identity::NewAdmin;
use identity::{EntryCode, SessionKeys};
use ports::Invited;
use store::{
    Conn, Tx, accounts,
    audit::AuditRow,
    knowledge::{self, Kept, Listed},
    members::{self, Member},
    sales::{self, Source},
    tokens,
};

const SET_PASSWORD: &str = "set_member_password";

/// How an invited person gets access.
pub struct InvitedPerson {
    /// The link to pass on; `None` if a hosted issuer wrote to the person.
    pub link: Option<String>,
    /// What remains to be done (Portuguese).
    pub remains: Option<&'static str>,
}

impl InvitedPerson {
    fn of(invited: Invited) -> Self {
        let (link, remains) = told(invited);
        Self {
            link,
            remains: remains.first().copied(),
        }
    }
}

/// Creates an admin whose personal tokens may have every capability. Returns the invitation if no
/// password was given.
///
/// Refused like [`identity::create_admin`].
pub async fn create_admin(gateway: &Gateway, admin: NewAdmin) -> Result<Option<InvitedPerson>> {
    let created =
        identity::create_admin(&gateway.services, &operator_origin(), admin, false).await?;
    let invited = created.and_then(|created| created.invited);
    Ok(invited.map(InvitedPerson::of))
}

/// Creates a new invitation for a member who lost the invitation or the password. It voids an
/// earlier invitation; a password stays valid until the new one is redeemed. With a hosted issuer,
/// it unbinds the account from the member, so that a new account can be bound.
pub async fn invite_again(gateway: &Gateway, email: &str) -> Result<InvitedPerson> {
    let services = &gateway.services;
    let now = services.clock.now();
    let member = active_member(&services.db.reader(), email).await?;
    let invited = services.identity.invite(&member, now).await?;
    let tx = services.db.begin().await?;
    let db = tx.conn();
    members::queue_for_member(&db, &member.id).await?;
    members::require_active(&db, &member.id).await?;
    keep(services, &db, &member, &invited, now).await?;
    audit_member(&tx, "reissue_invitation", &member, now).await?;
    tx.commit().await?;
    Ok(InvitedPerson::of(invited))
}

/// Sets a member's password, and ends their sessions and personal tokens. Returns how many tokens
/// there were.
pub async fn set_password(gateway: &Gateway, email: &str, password: &str) -> Result<usize> {
    let services = &gateway.services;
    let now = services.clock.now();
    let member = active_member(&services.db.reader(), email).await?;
    let account = subject(services, &services.db.reader(), &member.id).await?;
    let hash = services
        .identity
        .set_password(&member, account.as_deref(), password)
        .await?;
    let tx = services.db.begin().await?;
    let db = tx.conn();
    members::queue_for_member(&db, &member.id).await?;
    members::require_active(&db, &member.id).await?;
    if let Some(hash) = &hash {
        accounts::open(&db, &member.user_id, now).await?;
        accounts::set_password(&db, &member.user_id, Some(hash), now).await?;
    }
    accounts::end_sessions(&db, &member.user_id, now).await?;
    let revoked = tokens::revoke_all(&db, &member.id, now).await?;
    let count = revoked.len();
    for id in revoked {
        let mut row = system_row(identity::REVOKE_OF_OTHERS, now);
        row.resource_type = Some(identity::TOKEN.kind);
        row.resource_id = Some(id.into());
        row.metadata.insert("cause".into(), SET_PASSWORD.into());
        store::audit::insert(&db, row).await?;
    }
    audit_member(&tx, SET_PASSWORD, &member, now).await?;
    tx.commit().await?;
    Ok(count)
}

async fn active_member(db: &Conn<'_>, email: &str) -> Result<Member> {
    let email = email.trim().to_lowercase();
    let member = members::find_by_email(db, &email).await?;
    let member = member.filter(|member| member.active);
    member.ok_or_else(|| Error::not_found("membro ativo com este e-mail"))
}

/// The member with this e-mail, as if signed in. Operations that the operator runs keep their
/// rules, and the audit trail names the member.
pub async fn on_behalf_of(gateway: &Gateway, email: &str) -> Result<Principal> {
    let member = active_member(&gateway.services.db.reader(), email).await?;
    Ok(Principal::new(
        member,
        Credential::Session { family_id: None },
    ))
}

/// Runs one operation on behalf of a member. Returns its answer as JSON.
pub async fn call(
    gateway: &Arc<Gateway>,
    caller: &Principal,
    operation: &str,
    input: serde_json::Value,
) -> Result<serde_json::Value> {
    let fields = match input {
        serde_json::Value::Object(fields) => fields,
        _ => Input::new(),
    };
    send(gateway, caller, operation, fields).await
}

/// Runs one operation like [`call`], with any kind of input.
pub async fn send(
    gateway: &Arc<Gateway>,
    caller: &Principal,
    operation: &str,
    input: impl Into<CallInput>,
) -> Result<serde_json::Value> {
    let operation = gateway
        .registry
        .find(operation)
        .ok_or_else(|| Error::internal(format!("there is no operation {operation}")))?;
    let (origin, input) = (operator_origin(), std::future::ready(Ok(input.into())));
    let answer = gateway.invoke(operation, Some(caller), &origin, input);
    Ok(serde_json::from_str(&answer.await?.body.json()?)?)
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
    Ok(sessions.issue(&caller.member, &family, now)?.access_token)
}

/// A path that signs this member in at a browser once, for the demo.
#[must_use]
pub fn entry(gateway: &Gateway, caller: &Principal) -> String {
    let services = &gateway.services;
    let codes = services.parts.get::<EntryCode>();
    let code = codes.issue(&caller.member.user_id, services.clock.now());
    format!("/entrar/codigo?c={code}")
}

/// Adds a document to the knowledge base, or updates it.
pub async fn add_knowledge(gateway: &Gateway, document: Prepared) -> Result<Kept> {
    let services = &gateway.services;
    let now = services.clock.now();
    let source = document.source.clone();
    let tx = services.db.begin().await?;
    let kept = knowledge::put(&tx.conn(), document, now).await?;
    if matches!(kept, Kept::Added(_) | Kept::Replaced(_)) {
        audit_knowledge(&tx, "add_knowledge", source, now).await?;
        embed_later(services, &tx.conn(), now).await?;
    }
    tx.commit().await?;
    services.changes.mark_area(AREA.name);
    Ok(kept)
}

/// Removes a document from the knowledge base. Returns its source.
///
/// Refused (404) when no document has this id.
pub async fn remove_knowledge(gateway: &Gateway, id: &DocumentId) -> Result<String> {
    let services = &gateway.services;
    let now = services.clock.now();
    let tx = services.db.begin().await?;
    let source = knowledge::remove(&tx.conn(), id).await?;
    let source = source.ok_or_else(|| Error::not_found("documento"))?;
    audit_knowledge(&tx, "remove_knowledge", source.clone(), now).await?;
    tx.commit().await?;
    services.changes.mark_area(AREA.name);
    Ok(source)
}

/// Every document of the knowledge base, by source.
pub async fn list_knowledge(gateway: &Gateway) -> Result<Vec<Listed>> {
    Ok(knowledge::list(&gateway.services.db.reader()).await?)
}

/// The result of an import.
#[derive(Debug, Clone, Copy, Default)]
pub struct Imported {
    pub rows_read: usize,
    pub rows_written: usize,
    /// The instant of the newest row.
    pub latest: Option<Millis>,
}

/// Records an import in its transaction: the age of its data, and the audit row.
pub async fn finish_import(tx: &Tx, kind: &str, imported: Imported, now: Millis) -> Result<()> {
    let count = |rows: usize| i64::try_from(rows).unwrap_or(i64::MAX);
    let source = Source {
        source: format!("importacao:{kind}"),
        cursor: None,
        // A row dated in the future does not mean that the data are complete until then.
        fresh_until: imported.latest.map(|latest| latest.min(now)),
        finished_at: Some(now),
        rows_read: count(imported.rows_read),
        rows_written: count(imported.rows_written),
        error_code: None,
    };
    sales::save_source(&tx.conn(), source).await?;
    let mut row = system_row("import_sales", now);
    row.resource_type = Some("sales");
    row.resource_id = Some(kind.to_owned());
    row.metadata
        .insert("rows_read".into(), imported.rows_read.into());
    row.metadata
        .insert("rows_written".into(), imported.rows_written.into());
    Ok(store::audit::insert(&tx.conn(), row).await?)
}

async fn audit_knowledge(tx: &Tx, action: &'static str, source: String, now: Millis) -> Result<()> {
    let mut row = system_row(action, now);
    row.resource_type = Some("knowledge");
    row.resource_id = Some(source);
    Ok(store::audit::insert(&tx.conn(), row).await?)
}

async fn audit_member(tx: &Tx, action: &'static str, member: &Member, now: Millis) -> Result<()> {
    let mut row = system_row(action, now);
    row.resource_type = Some("member");
    row.resource_id = Some(member.id.clone().into());
    Ok(store::audit::insert(&tx.conn(), row).await?)
}

/// An audit row for an action of the operator.
pub(crate) fn system_row(action: &'static str, now: Millis) -> AuditRow {
    let mut row =
        gateway::actorless(action, &operator_origin(), now).ended(Outcome::Succeeded, 200);
    row.auth_method = "system";
    row
}

/// True if the team has an active member.
pub async fn has_members(gateway: &Gateway) -> Result<bool> {
    identity::has_members(&gateway.services.db.reader()).await
}

fn operator_origin() -> Origin {
    Origin {
        door: Door::Cli,
        request_id: format!("operator-{}", std::process::id()),
        client: Some("pauta".into()),
        address: None,
        secret: None,
        head: RequestHead::default(),
    }
}
