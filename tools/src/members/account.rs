//! Members' accounts, embedded or at a hosted issuer.

use domain::{EMAIL_IN_USE, MemberId, time::Millis};
use gateway::{Error, Result, Services};
use ports::Invited;
use store::{Conn, accounts, hosted_identities, members::Member};

/// How the hosted issuer names the member's account, if one is bound to the member.
pub(crate) async fn subject(
    services: &Services,
    db: &Conn<'_>,
    id: &MemberId,
) -> Result<Option<String>> {
    match services.identity.issuer() {
        Some(issuer) => Ok(hosted_identities::subject(db, issuer, id).await?),
        None => Ok(None),
    }
}

/// Stores what came of an invitation. An account that was bound before is not any more.
///
/// Refused (409) when the account is another member's.
pub(crate) async fn keep(
    services: &Services,
    db: &Conn<'_>,
    member: &Member,
    invited: &Invited,
    now: Millis,
) -> Result<()> {
    if let Invited::Link(invitation) = invited {
        accounts::open(db, &member.user_id, now).await?;
        return Ok(accounts::issue_invite(db, &member.user_id, invitation, now).await?);
    }
    let Some(issuer) = services.identity.issuer() else {
        return Ok(());
    };
    hosted_identities::release(db, issuer, &member.id).await?;
    if let Invited::Account(subject) = invited
        && !hosted_identities::bind(db, issuer, subject, &member.id, now).await?
    {
        return Err(Error::new(EMAIL_IN_USE)
            .because("A conta deste e-mail no provedor de identidade é de outro membro."));
    }
    Ok(())
}

/// The link of an invitation, and what else remains to be done.
pub(crate) fn told(invited: Invited) -> (Option<String>, Vec<&'static str>) {
    match invited {
        Invited::Link(invitation) => (Some(invitation.link), vec![]),
        Invited::Account(_) => (None, vec![]),
        Invited::OnSignIn(remains) => (None, vec![remains]),
    }
}
