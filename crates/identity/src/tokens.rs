//! Revocation of personal tokens by operations that do not name a single token.

use crate::calendar_feed;
use domain::{Capability, Member, MemberId, Outcome, TokenId};
use gateway::{Context, Resource, Result, Spec, audit_row};
use store::{Conn, audit, calendar_feeds, tokens};

/// The operation that revokes a token of the caller.
pub const REVOKE_OWN: &str = "revoke_my_token";
/// The operation that revokes a token of another member.
pub const REVOKE_OF_OTHERS: &str = "revoke_member_token";
/// A personal token. Its owner and the admins are notified of its changes.
pub const RESOURCE: Resource = Resource::new("token").with_audience(|db, member, id| {
    Box::pin(async move {
        let id = TokenId::from(id);
        Ok(may_see_all_credentials(member)
            || tokens::find_for_member(&db, &member.id, &id)
                .await?
                .is_some())
    })
});

/// True if a member may see the tokens and agents of all other members.
pub(crate) fn may_see_all_credentials(member: &Member) -> bool {
    member
        .session_capabilities()
        .contains(Capability::TeamAdmin)
}

/// Revokes every active token of a member as part of the operation `cause`. The addresses of the
/// member's calendars, which are credentials too, are revoked with them. Each token and each
/// calendar gets an audit row. Returns the number of tokens.
pub async fn revoke_all_tokens(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    cause: &Spec,
    member_id: &MemberId,
) -> Result<usize> {
    let caller = ctx.caller()?;
    let action = if caller.member.id == *member_id {
        REVOKE_OWN
    } else {
        REVOKE_OF_OTHERS
    };
    let revoked = tokens::revoke_all(db, member_id, ctx.now).await?;
    let count = revoked.len();
    let tokens = revoked.into_iter();
    let tokens = tokens.map(|id| (action, RESOURCE.kind, id.into()));
    let feeds = calendar_feeds::revoke_all_of(db, member_id, ctx.now).await?;
    let feeds = feeds.into_iter();
    let feeds = feeds.map(|id| {
        (
            calendar_feed::REVOKE,
            calendar_feed::RESOURCE.kind,
            id.into(),
        )
    });
    for (action, kind, id) in tokens.chain(feeds) {
        let mut row = audit_row(cause, caller, ctx.origin, ctx.now);
        row.action = action;
        row.resource_type = Some(kind);
        row.resource_id = Some(id);
        row.metadata.insert("cause".into(), cause.name.into());
        audit::insert(db, row.with_outcome(Outcome::Succeeded, 200)).await?;
    }
    Ok(count)
}
