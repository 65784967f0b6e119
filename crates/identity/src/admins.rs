//! Creates admins, on the command line and on the page for the first access.

use domain::{EMAIL_IN_USE, Email, Level, MemberId, Role, UserId, is_blank, time::Millis};
use gateway::{Error, Origin, Outcome, Result, Services};
use ports::Invited;
use store::{
    Conn, accounts, audit, hosted_identities,
    members::{self, Member},
};

const LONGEST_NAME: usize = 120;

/// A first or further admin.
pub struct NewAdmin {
    pub name: String,
    pub email: String,
    pub financeiro: bool,
    /// The password; without one the result is an invitation.
    pub password: Option<String>,
}

/// Creates an admin whose personal tokens may reach everything. Returns the invitation if no
/// password was given; `None` if `first` is set and the team already has an active member.
///
/// Refused (409) when a member already has this e-mail; (400) for a weak password, or for a name or
/// e-mail that `invite_member` refuses.
pub async fn create_admin(
    services: &Services,
    origin: &Origin,
    admin: NewAdmin,
    first: bool,
) -> Result<Option<Created>> {
    let now = services.clock.now();
    let member = member(&admin, now)?;
    let identity = &services.identity;
    let (hash, invited) = match &admin.password {
        Some(password) => (identity.set_password(&member, None, password).await?, None),
        None => (None, Some(identity.invite(&member, now).await?)),
    };
    let tx = services.db.begin().await?;
    let db = tx.conn();
    if first {
        members::lock_team(&db).await?;
        if has_members(&db).await? {
            tx.commit().await?;
            return Ok(None);
        }
    }
    members::insert(&db, &member).await?;
    if let Some(hash) = &hash {
        accounts::create_if_absent(&db, &member.user_id, now).await?;
        accounts::set_password(&db, &member.user_id, Some(hash), now).await?;
    }
    if let Some(invited) = &invited {
        keep_invitation(services, &db, &member, invited, now).await?;
    }
    let mut row =
        gateway::actorless("create_admin", origin, now).with_outcome(Outcome::Succeeded, 200);
    row.auth_method = "system";
    row.resource_type = Some("member");
    row.resource_id = Some(member.id.into());
    audit::insert(&db, row).await?;
    tx.commit().await?;
    Ok(Some(Created { invited }))
}

/// A created admin.
pub struct Created {
    /// The invitation, if no password was given.
    pub invited: Option<Invited>,
}

fn member(admin: &NewAdmin, now: Millis) -> Result<Member> {
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
    Ok(Member {
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
    })
}

/// True if the team has an active member.
pub async fn has_members(db: &Conn<'_>) -> Result<bool> {
    Ok(!members::list_active(db, None, 1).await?.is_empty())
}

/// Stores the result of an invitation. It replaces the account that was bound before.
///
/// Refused (409) when the account belongs to another member.
pub async fn keep_invitation(
    services: &Services,
    db: &Conn<'_>,
    member: &Member,
    invited: &Invited,
    now: Millis,
) -> Result<()> {
    if let Invited::Link(invitation) = invited {
        accounts::create_if_absent(db, &member.user_id, now).await?;
        return Ok(accounts::issue_invite(db, &member.user_id, invitation, now).await?);
    }
    let Some(issuer) = services.identity.issuer() else {
        return Ok(());
    };
    hosted_identities::unbind(db, issuer, &member.id).await?;
    if let Invited::Account(subject) = invited
        && !hosted_identities::bind(db, issuer, subject, &member.id, now).await?
    {
        return Err(Error::new(EMAIL_IN_USE)
            .because("A conta deste e-mail no provedor de identidade é de outro membro."));
    }
    Ok(())
}
