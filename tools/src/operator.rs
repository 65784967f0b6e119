//! Commands of the operator on the machine itself, without a credential.

use std::sync::Arc;

use search::Prepared;

use crate::{
    knowledge::embed_later,
    members::{keep, subject, told},
};
use domain::{DocumentId, Email, Level, MemberId, Role, SessionId, UserId, is_blank, time::Millis};
use gateway::{Asked, Credential, Door, Error, Gateway, Input, Origin, Outcome, Principal, Result};
use identity::SessionKeys;
use ports::Invited;
use store::{
    Conn, Tx, accounts,
    audit::AuditRow,
    knowledge::{self, Kept, Listed},
    members::{self, Member},
    tokens,
};

const LONGEST_NAME: usize = 120;
const SET_PASSWORD: &str = "set_member_password";

/// A first or further admin.
pub struct NewAdmin {
    pub name: String,
    pub email: String,
    pub financeiro: bool,
    /// Without a password the result is an invitation link.
    pub password: Option<String>,
}

/// How an invited person gets in.
pub struct InvitedPerson {
    /// The link to hand over; `None` where a hosted issuer wrote to the person.
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

/// Creates an admin whose personal tokens may reach everything; the answer is the invitation, where
/// no password was given.
///
/// Refused (409) when a member has this e-mail already, (400) for a name or an e-mail that
/// `invite_member` refuses, and for a weak password.
pub async fn create_admin(gateway: &Gateway, admin: NewAdmin) -> Result<Option<InvitedPerson>> {
    let services = &gateway.services;
    let now = services.clock.now();
    let name = admin.name.trim();
    if is_blank(name) {
        return Err(Error::invalid(
            "name",
            "pattern",
            "não pode ficar em branco",
        ));
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(Error::invalid(
            "name",
            "maxLength",
            "deve ter até 120 caracteres",
        ));
    }
    let email: Email = admin.email.parse().map_err(|()| {
        let rule = "deve ser um e-mail como ana@exemplo.com.br: até 254 caracteres, sem espaços nem \
                    acentos";
        Error::invalid("email", "pattern", rule)
    })?;
    let member = Member {
        id: MemberId::new(now),
        user_id: UserId::new(now),
        name: name.to_owned(),
        email: email.into_string(),
        role: Role::Admin,
        api_access_level: Level::Admin,
        financeiro: admin.financeiro,
        active: true,
        cleanup_pending: false,
        sessions_valid_after: 0,
        created_at: now,
    };
    let identity = &services.identity;
    let (hash, invited) = match &admin.password {
        Some(password) => (identity.set_password(&member, None, password).await?, None),
        None => (None, Some(identity.invite(&member, now).await?)),
    };
    let tx = services.db.begin().await?;
    let db = tx.conn();
    members::insert(&db, &member).await?;
    if let Some(hash) = &hash {
        accounts::open(&db, &member.user_id, now).await?;
        accounts::set_password(&db, &member.user_id, Some(hash), now).await?;
    }
    if let Some(invited) = &invited {
        keep(services, &db, &member, invited, now).await?;
    }
    audit_member(&tx, "create_admin", &member, now).await?;
    tx.commit().await?;
    Ok(invited.map(InvitedPerson::of))
}

/// A new invitation for a member who lost theirs or the password. An earlier invitation is void, and
/// a password stays until the new one is redeemed. With a hosted issuer, the account that was bound to
/// the member is not any more, so that one that replaced it can be.
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

/// Sets a member's password, and ends their sessions and personal tokens; the answer is how many
/// tokens there were.
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

/// The member with this e-mail, as if in a session: operations run by the operator keep their
/// rules, and the audit trail names the member.
pub async fn on_behalf_of(gateway: &Gateway, email: &str) -> Result<Principal> {
    let member = active_member(&gateway.services.db.reader(), email).await?;
    Ok(Principal::new(
        member,
        Credential::Session { family_id: None },
    ))
}

/// Runs one operation for a member; the answer is its JSON.
pub async fn call(
    gateway: &Arc<Gateway>,
    caller: &Principal,
    operation: &str,
    input: serde_json::Value,
) -> Result<serde_json::Value> {
    let operation = gateway
        .registry
        .find(operation)
        .ok_or_else(|| Error::internal(format!("there is no operation {operation}")))?;
    let input = match input {
        serde_json::Value::Object(map) => map,
        _ => Input::new(),
    };
    let answer = gateway
        .invoke(operation, Some(caller), &origin(), async { Ok(input) })
        .await?;
    Ok(serde_json::from_str(&answer.body.json()?)?)
}

/// A session of a member, for the demo: an access token of 15 minutes.
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
    Ok(source)
}

/// Every document of the knowledge base, by source.
pub async fn list_knowledge(gateway: &Gateway) -> Result<Vec<Listed>> {
    Ok(knowledge::list(&gateway.services.db.reader()).await?)
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

/// A row of the audit trail about what the operator did.
fn system_row(action: &'static str, now: Millis) -> AuditRow {
    let mut row = gateway::actorless(action, &origin(), now).ended(Outcome::Succeeded, 200);
    row.auth_method = "system";
    row
}

/// Whether the team has any active member.
pub async fn has_members(gateway: &Gateway) -> Result<bool> {
    Ok(
        !members::list_active(&gateway.services.db.reader(), None, 1)
            .await?
            .is_empty(),
    )
}

fn origin() -> Origin {
    Origin {
        door: Door::Cli,
        request_id: format!("operator-{}", std::process::id()),
        client: Some("pauta".into()),
        address: None,
        asked: Asked::default(),
    }
}
