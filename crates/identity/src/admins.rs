//! Creates admins, from the command line and on the page of the first access.

use domain::{EMAIL_IN_USE, Email, Level, MemberId, Role, UserId, is_blank, time::Millis};
use gateway::{Error, Origin, Outcome, Result, Services};
use ports::Invited;
use store::{
    Conn, accounts, audit, hosted_identities,
    members::{self, Member},
};

const LONGEST_NAME: usize = 120;

/// The data of an admin to create, the first one or a later one.
pub struct NewAdmin {
    pub name: String,
    pub email: String,
    pub financeiro: bool,
    /// The password. Without a password, the admin gets an invitation.
    pub password: Option<String>,
}

/// Creates an admin whose personal tokens can have every capability. Without a password, the result
/// contains an invitation. Returns `None`, and creates nothing, if `first` is set and the team
/// already has an active member.
///
/// Fails with 409 if a member already has this e-mail, and with 400 if the password is weak or
/// `invite_member` would reject the name or the e-mail.
pub async fn create_admin(
    services: &Services,
    origin: &Origin,
    admin: NewAdmin,
    first: bool,
) -> Result<Option<Created>> {
    let now = services.clock.now();
    let member = new_member(&admin, now)?;
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
        accounts::create_account_if_absent(&db, &member.user_id, now).await?;
        accounts::set_password(&db, &member.user_id, Some(hash), now).await?;
    }
    if let Some(invited) = &invited {
        store_invitation(services, &db, &member, invited, now).await?;
    }
    let mut row =
        gateway::actorless_row("create_admin", origin, now).with_outcome(Outcome::Succeeded, 200);
    row.auth_method = "system";
    row.resource_type = Some("member");
    row.resource_id = Some(member.id.into());
    audit::insert(&db, row).await?;
    tx.commit().await?;
    Ok(Some(Created { invited }))
}

/// The result of creating an admin.
pub struct Created {
    /// The invitation, if no password was given.
    pub invited: Option<Invited>,
}

fn new_member(admin: &NewAdmin, now: Millis) -> Result<Member> {
    let name = admin.name.trim();
    if is_blank(name) {
        return Err(Error::invalid_field(
            "name",
            "pattern",
            "não pode ficar em branco",
        ));
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(Error::invalid_field(
            "name",
            "maxLength",
            "deve ter até 120 caracteres",
        ));
    }
    let email: Email = admin.email.parse().map_err(|()| {
        let rule = "deve ser um e-mail como ana@exemplo.com.br: até 254 caracteres, sem espaços nem \
                    acentos";
        Error::invalid_field("email", "pattern", rule)
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

/// Stores the result of an invitation. With a hosted issuer, unbinds the account that was bound to
/// the member before.
///
/// Fails with 409 if the account belongs to another member.
pub async fn store_invitation(
    services: &Services,
    db: &Conn<'_>,
    member: &Member,
    invited: &Invited,
    now: Millis,
) -> Result<()> {
    if let Invited::Link(invitation) = invited {
        accounts::create_account_if_absent(db, &member.user_id, now).await?;
        return Ok(accounts::issue_invite(db, &member.user_id, invitation, now).await?);
    }
    let Some(issuer) = services.identity.issuer() else {
        return Ok(());
    };
    hosted_identities::unbind_account(db, issuer, &member.id).await?;
    if let Invited::Account(subject) = invited
        && !hosted_identities::bind_account(db, issuer, subject, &member.id, now).await?
    {
        return Err(Error::new(EMAIL_IN_USE)
            .because("A conta deste e-mail no provedor de identidade é de outro membro."));
    }
    Ok(())
}
