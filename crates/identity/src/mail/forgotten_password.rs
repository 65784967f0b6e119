//! Links with which a member who has forgotten the password sets a new password.

use domain::{
    Email, MailId, MailKind, random_text, sha256_hex,
    time::{MINUTE, Millis},
};
use gateway::{Code, Context, Error, Result, Services};
use store::{
    Conn, accounts,
    members::{self, Member},
};

use crate::Limiter;

/// The time for which a link can be used.
pub const LIFETIME: Millis = 30 * MINUTE;
/// The maximum numbers of requests from one network, and for one address, in the window of the limiter.
pub const MOST: [i64; 2] = [10, 3];

/// Queues an e-mail with a link. The result does not reveal whether the address belongs to a member.
/// After too many requests for one address, no e-mail is queued until the window of the limiter ends.
///
/// Fails with 500 if this installation sends no e-mails, and with 429 and the seconds to wait after
/// too many requests from one network.
pub async fn request_link(ctx: &Context<'_>, email: &Email) -> Result<()> {
    let services = ctx.services;
    if services.identity.issuer().is_some() || !super::is_configured(services) {
        return Err(Error::new(Code::PROVIDER_NOT_CONFIGURED));
    }
    let limiter = Limiter::from_context(ctx);
    let admitted = limiter
        .admit_request_about("password reset", MOST, ctx.origin.address, email.as_str())
        .await;
    let admitted = admitted
        .inspect_err(|error| ctx.note_refusal("pedido de senha nova limitado", error.code))?;
    if !admitted {
        // No further e-mail is queued, so that nobody can fill another person's mailbox. The links of
        // the earlier requests stay valid.
        return Ok(());
    }
    let tx = ctx.begin().await?;
    let secret = Some(email.as_str());
    super::queue(
        services,
        &tx.conn(),
        MailKind::PasswordReset,
        None,
        secret,
        ctx.now,
    )
    .await?;
    Ok(tx.commit().await?)
}

/// Finds the active member with the requested address. `None` if the address belongs to no active
/// member.
pub async fn find_member(
    services: &Services,
    db: &Conn<'_>,
    mail: &MailId,
) -> Result<Option<Member>> {
    let Some(email) = super::open_secret(services, db, mail).await? else {
        return Ok(None);
    };
    let found = members::find_by_email(db, &email).await?;
    Ok(found.filter(|member| member.active))
}

/// Creates a link for a member. Returns the URL of the link.
pub async fn issue_link(
    services: &Services,
    db: &Conn<'_>,
    member: &Member,
    now: Millis,
) -> Result<String> {
    let token = random_text::<32>();
    let digest = sha256_hex(token.as_bytes());
    accounts::create_account_if_absent(db, &member.user_id, now).await?;
    accounts::issue_reset(db, &member.user_id, &digest, now, now + LIFETIME).await?;
    Ok(format!("{}/redefinir-senha#{token}", services.public_url))
}
