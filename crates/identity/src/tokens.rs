//! Revocation of personal tokens by operations that do not name a single token.

use crate::calendar_feed;
use domain::{Capability, Member, MemberId, Outcome, TokenId};
use gateway::{AuditRow, Context, Resource, Result, Spec, actorless_row, audit_row};
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

/// Revokes every active token of a member as part of the operation `cause`. Also revokes the secret
/// addresses of the member's calendars. Each token and each calendar gets an audit row. Returns the
/// number of revoked tokens.
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
    let new_row = || {
        let row = audit_row(cause, caller, ctx.origin, ctx.now);
        AuditRow { action, ..row }
    };
    revoke_all(ctx, db, cause.name, member_id, new_row).await
}

/// Revokes every active token, like [`revoke_all_tokens`], for a member who is authenticated only by the
/// link in an e-mail.
pub(crate) async fn revoke_own_tokens(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    cause: &'static str,
    member: &Member,
) -> Result<usize> {
    let new_row = || {
        let mut row = actorless_row(REVOKE_OWN, ctx.origin, ctx.now).with_actor(member);
        row.auth_method = "session";
        row
    };
    revoke_all(ctx, db, cause, &member.id, new_row).await
}

async fn revoke_all(
    ctx: &Context<'_>,
    db: &Conn<'_>,
    cause: &'static str,
    member_id: &MemberId,
    new_row: impl Fn() -> AuditRow,
) -> Result<usize> {
    let revoked = tokens::revoke_all(db, member_id, ctx.now).await?;
    let count = revoked.len();
    let revoked = revoked.into_iter();
    let tokens = revoked.map(|id| (None, RESOURCE.kind, id.into()));
    let feeds = calendar_feeds::revoke_all_of(db, member_id, ctx.now).await?;
    let feeds = feeds.into_iter();
    let feeds = feeds.map(|id| {
        let action = Some(calendar_feed::REVOKE);
        (action, calendar_feed::RESOURCE.kind, id.into())
    });
    for (action, kind, id) in tokens.chain(feeds) {
        let mut row = new_row();
        row.action = action.unwrap_or(row.action);
        row.resource_type = Some(kind);
        row.resource_id = Some(id);
        row.metadata.insert("cause".into(), cause.into());
        audit::insert(db, row.with_outcome(Outcome::Succeeded, 200)).await?;
    }
    Ok(count)
}
