//! Accounts of members, at the embedded identity or at a hosted issuer.

use domain::MemberId;
use gateway::{Result, Services};
pub(crate) use identity::store_invitation as keep;
use ports::Invited;
use store::{Conn, hosted_identities};

/// Finds the subject of the member's account at the hosted issuer, if one is bound to the member.
pub(crate) async fn find_subject(
    services: &Services,
    db: &Conn<'_>,
    id: &MemberId,
) -> Result<Option<String>> {
    match services.identity.issuer() {
        Some(issuer) => Ok(hosted_identities::find_subject(db, issuer, id).await?),
        None => Ok(None),
    }
}

/// Returns the link of an invitation, and warnings about the steps that remain.
pub(crate) fn link_and_warnings(invited: Invited) -> (Option<String>, Vec<&'static str>) {
    match invited {
        Invited::Link(invitation) => (Some(invitation.link), vec![]),
        Invited::Account(_) => (None, vec![]),
        Invited::OnSignIn(remains) => (None, vec![remains]),
    }
}
