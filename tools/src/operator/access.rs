//! The operator's actions on members: invitations and passwords.

use domain::time::Millis;
use gateway::{Gateway, Result};
use identity::{NewAdmin, calendar_feed};
use ports::Invited;
use store::{
    Tx, accounts, calendar_feeds,
    members::{self, Member},
    tokens,
};

use super::{caller::require_member_by_email, operator_audit_row, operator_origin};
use crate::members::{find_subject, keep, link_and_warnings};

const SET_PASSWORD: &str = "set_member_password";

/// The access of an invited person: the link, or the steps that remain.
pub struct InvitedPerson {
    /// The invitation link that the operator passes on; `None` if a hosted issuer sent the invitation.
    pub link: Option<String>,
    /// The steps that the operator still has to do, as a Portuguese sentence.
    pub remains: Option<&'static str>,
}

impl InvitedPerson {
    fn from_invited(invited: Invited) -> Self {
        let (link, remains) = link_and_warnings(invited);
        Self {
            link,
            remains: remains.first().copied(),
        }
    }
}

/// Creates an admin whose personal tokens may have every capability. Returns the invitation if no
/// password was given.
///
/// Refuses the same input as [`identity::create_admin`].
pub async fn create_admin(gateway: &Gateway, admin: NewAdmin) -> Result<Option<InvitedPerson>> {
    let created =
        identity::create_admin(&gateway.services, &operator_origin(), admin, false).await?;
    let invited = created.and_then(|created| created.invited);
    Ok(invited.map(InvitedPerson::from_invited))
}

/// Creates a new invitation for a member who lost the invitation or the password. The new
/// invitation voids an earlier one; a password stays valid until the new invitation is redeemed.
/// With a hosted issuer, the account is unbound from the member, so that a new account can be
/// bound.
pub async fn invite_again(gateway: &Gateway, email: &str) -> Result<InvitedPerson> {
    let services = &gateway.services;
    let now = services.clock.now();
    let member = require_member_by_email(&services.db.reader(), email).await?;
    let invited = services.identity.invite(&member, now).await?;
    let tx = services.db.begin().await?;
    let db = tx.conn();
    members::lock_member(&db, &member.id).await?;
    members::require_active(&db, &member.id).await?;
    keep(services, &db, &member, &invited, now).await?;
    audit_member(&tx, "reissue_invitation", &member, now).await?;
    tx.commit().await?;
    Ok(InvitedPerson::from_invited(invited))
}

/// The number of personal tokens and calendar addresses that a new password has revoked.
pub struct RevokedAccess {
    pub tokens: usize,
    pub calendars: usize,
}

/// Sets a member's password. Ends the sessions and revokes the personal tokens and calendar addresses
/// of this member.
pub async fn set_password(gateway: &Gateway, email: &str, password: &str) -> Result<RevokedAccess> {
    let services = &gateway.services;
    let now = services.clock.now();
    let member = require_member_by_email(&services.db.reader(), email).await?;
    let account = find_subject(services, &services.db.reader(), &member.id).await?;
    let hash = services
        .identity
        .set_password(&member, account.as_deref(), password)
        .await?;
    let tx = services.db.begin().await?;
    let db = tx.conn();
    members::lock_member(&db, &member.id).await?;
    members::require_active(&db, &member.id).await?;
    if let Some(hash) = &hash {
        accounts::create_account_if_absent(&db, &member.user_id, now).await?;
        accounts::set_password(&db, &member.user_id, Some(hash), now).await?;
    }
    accounts::end_sessions(&db, &member.user_id, now).await?;
    let tokens = tokens::revoke_all(&db, &member.id, now).await?;
    let calendars = calendar_feeds::revoke_all_of(&db, &member.id, now).await?;
    let revoked = RevokedAccess {
        tokens: tokens.len(),
        calendars: calendars.len(),
    };
    let (of_token, of_calendar) = (identity::TOKEN.kind, calendar_feed::RESOURCE.kind);
    let tokens = tokens.into_iter();
    let tokens = tokens.map(|id| (identity::REVOKE_OF_OTHERS, of_token, id.into()));
    let calendars = calendars.into_iter();
    let calendars = calendars.map(|id| (calendar_feed::REVOKE, of_calendar, id.into()));
    for (action, kind, id) in tokens.chain(calendars) {
        let mut row = operator_audit_row(action, now);
        row.resource_type = Some(kind);
        row.resource_id = Some(id);
        row.metadata.insert("cause".into(), SET_PASSWORD.into());
        store::audit::insert(&db, row).await?;
    }
    audit_member(&tx, SET_PASSWORD, &member, now).await?;
    tx.commit().await?;
    Ok(revoked)
}

/// Returns true if the team has an active member.
pub async fn has_members(gateway: &Gateway) -> Result<bool> {
    identity::has_members(&gateway.services.db.reader()).await
}

async fn audit_member(tx: &Tx, action: &'static str, member: &Member, now: Millis) -> Result<()> {
    let mut row = operator_audit_row(action, now);
    row.resource_type = Some("member");
    row.resource_id = Some(member.id.clone().into());
    Ok(store::audit::insert(&tx.conn(), row).await?)
}
