//! Bindings of accounts at a hosted issuer to members.
//!
//! An account is `(issuer, subject)`. Constraints allow one account per issuer and member, and one
//! member per account.

use super::{
    Bind, Conn,
    members::{self, Member},
};
use crate::Result;
use domain::{MemberId, time::Millis};

const MEMBER: &str = "
SELECT m.* FROM hosted_identities h JOIN members m ON m.id = h.member_id
WHERE h.issuer = $1 AND h.subject = $2";

/// Finds the member bound to an account, active or not, with one indexed query, because every
/// request with a session of the issuer runs it.
pub async fn find_member(db: &Conn<'_>, issuer: &str, subject: &str) -> Result<Option<Member>> {
    let row = db
        .fetch_one(MEMBER, [issuer.into(), subject.into()])
        .await?;
    row.map(|row| members::read_row(&row, "")).transpose()
}

/// Finds the account (subject) of a member at the issuer.
pub async fn find_subject(
    db: &Conn<'_>,
    issuer: &str,
    member_id: &MemberId,
) -> Result<Option<String>> {
    let sql = "SELECT subject FROM hosted_identities WHERE issuer = $1 AND member_id = $2";
    let row = db
        .fetch_one(sql, [issuer.into(), member_id.value()])
        .await?;
    Ok(row.map(|row| row.try_get("", "subject")).transpose()?)
}

const BIND: &str = "
INSERT INTO hosted_identities (issuer, subject, member_id, bound_at) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING";

/// Binds an account to a member. Returns `false` if the account or the member is already bound.
pub async fn bind_account(
    db: &Conn<'_>,
    issuer: &str,
    subject: &str,
    member_id: &MemberId,
    now: Millis,
) -> Result<bool> {
    let values = [issuer.into(), subject.into(), member_id.value(), now.into()];
    Ok(db.run(BIND, values).await? == 1)
}

/// Deletes the binding of a member, so that another account can be bound.
pub async fn unbind_account(db: &Conn<'_>, issuer: &str, member_id: &MemberId) -> Result<()> {
    let sql = "DELETE FROM hosted_identities WHERE issuer = $1 AND member_id = $2";
    db.run(sql, [issuer.into(), member_id.value()]).await?;
    Ok(())
}
