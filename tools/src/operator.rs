//! What the operator does from the machine itself, without a credential.

use std::sync::Arc;

use crate::{
    domain::{Level, Role, new_id},
    registry::{
        AuditRow, Credential, Door, Error, Gateway, Input, Origin, Outcome, Principal, Result,
    },
    store::{accounts, members},
};

/// A first or further admin.
pub struct NewAdmin {
    pub name: String,
    pub email: String,
    pub financeiro: bool,
    /// Without one the answer is an invitation link.
    pub password: Option<String>,
}

/// Creates an admin whose personal tokens may reach everything; the answer is the invitation
/// link, where no password was given.
///
/// Refused (409) when a member has this e-mail already, (400) when the password is weak.
pub async fn create_admin(gateway: &Gateway, admin: NewAdmin) -> Result<Option<String>> {
    let services = &gateway.services;
    let now = services.clock.now();
    let member = members::Member {
        id: new_id(now),
        user_id: new_id(now),
        name: admin.name.trim().to_owned(),
        email: admin.email.trim().to_lowercase(),
        role: Role::Admin,
        api_access_level: Level::Admin,
        financeiro: admin.financeiro,
        active: true,
        cleanup_pending: false,
        sessions_valid_after: 0,
        created_at: now,
    };
    if member.name.is_empty() {
        return Err(Error::invalid("name", "minLength", "não pode ser vazio"));
    }
    if !member.email.contains('@') {
        return Err(Error::invalid("email", "format", "deve ser um e-mail"));
    }
    let (hash, invitation) = match &admin.password {
        Some(password) => (
            services.identity.set_password(&member, password).await?,
            None,
        ),
        None => (None, services.identity.invite(&member, now).await?),
    };
    let tx = services.db.begin().await?;
    let db = tx.conn();
    members::insert(&db, &member).await?;
    accounts::open(&db, &member.user_id, now).await?;
    if let Some(hash) = &hash {
        accounts::set_password(&db, &member.user_id, Some(hash), now).await?;
    }
    if let Some(invitation) = &invitation {
        accounts::issue_invite(&db, &member.user_id, invitation, now).await?;
    }
    let mut row =
        AuditRow::actorless("create_admin", &origin(), now).ended(Outcome::Succeeded, 201);
    row.auth_method = "system";
    row.resource_type = Some("member");
    row.resource_id = Some(member.id);
    crate::store::audit::insert(&db, row).await?;
    tx.commit().await?;
    Ok(invitation.map(|invitation| invitation.link))
}

/// The member with this e-mail, as if in a session: operations run by the operator keep their
/// rules, and the audit trail names the member.
pub async fn on_behalf_of(gateway: &Gateway, email: &str) -> Result<Principal> {
    let email = email.trim().to_lowercase();
    let member = members::find_by_email(&gateway.services.db.reader(), &email).await?;
    let member = member.filter(|member| member.active);
    let member = member.ok_or_else(|| Error::not_found("membro ativo com este e-mail"))?;
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
    Ok(serde_json::from_str(&answer.body)?)
}

/// A session of a member, for the demo: an access token of 15 minutes.
pub async fn open_session(gateway: &Gateway, caller: &Principal) -> Result<String> {
    let services = &gateway.services;
    let now = services.clock.now();
    let family = new_id(now);
    let tx = services.db.begin().await?;
    accounts::open_family(&tx.conn(), &family, &caller.member.user_id, now).await?;
    tx.commit().await?;
    let member = &caller.member;
    Ok(services
        .sessions
        .issue(&member.user_id, &member.email, &family, now)?
        .access_token)
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
    }
}
