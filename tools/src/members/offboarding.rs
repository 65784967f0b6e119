//! Offboarding in two steps: first end all access of the member, then clean up open work.

use super::{find_subject, lock_member, require_other_admin};
use crate::projects;
use domain::{MemberId, text_enum};
use gateway::{Context, Error, Result};
use store::{
    accounts,
    events::{self, Change},
    guest_links,
    members::{self, Member},
};

text_enum! {
    /// A clean-up step that is not done yet.
    pub enum Pending {
        Identity = "identidade",
        Assignments = "atribuicoes",
    }
}

/// Ends all access in one transaction. A former member stays unchanged.
///
/// Refuses (404) an unknown id, and (409) the last active admin.
pub(super) async fn revoke_access(ctx: &Context<'_>, id: &MemberId) -> Result<Member> {
    let tx = ctx.begin().await?;
    let db = tx.conn();
    let mut member = lock_member(&db, id).await?;
    if !member.active {
        // Commits although this call wrote nothing: the state read here may come from a write in the
        // same group commit, and must be durable before the response.
        tx.commit().await?;
        return Ok(member);
    }
    require_other_admin(ctx.services, &db, &member).await?;
    member.active = false;
    member.cleanup_pending = true;
    members::update(&db, &member).await?;
    identity::revoke_all_tokens(ctx, &db, ctx.spec, &member.id).await?;
    guest_links::revoke_all_of(&db, &member.id, &ctx.caller()?.member.id, ctx.now).await?;
    accounts::set_password(&db, &member.user_id, None, ctx.now).await?;
    accounts::end_sessions(&db, &member.user_id, ctx.now).await?;
    tx.commit().await?;
    Ok(member)
}

/// Runs all clean-up steps of an offboarding. Returns the steps that failed.
pub(super) async fn clean_up_offboarding(
    ctx: &Context<'_>,
    member: &Member,
    action: &str,
) -> Result<Vec<Pending>> {
    let change = Change {
        actor: &ctx.caller()?.member.id,
        action,
        reason: None,
    };
    let mut pending = vec![];
    if let Err(error) = close_account(ctx, member).await {
        pending.push(log_failed_step(member, Pending::Identity, &error));
    }
    if let Err(error) = end_assignments(ctx, member, change, pending.is_empty()).await {
        pending.push(log_failed_step(member, Pending::Assignments, &error));
    }
    Ok(pending)
}

/// Closes the account of a former member. Another admin may reactivate the member and reopen the account
/// just before this function closes the account. So the account is reopened if the member is active
/// afterwards.
async fn close_account(ctx: &Context<'_>, member: &Member) -> Result<()> {
    let (services, db) = (ctx.services, ctx.db());
    let subject = find_subject(services, &db, &member.id).await?;
    services.identity.close_account(subject.as_deref()).await?;
    let current = members::require(&db, &member.id).await?;
    if let Some(subject) = subject.filter(|_| current.active) {
        services.identity.reopen_account(&subject).await?;
    }
    Ok(())
}

async fn end_assignments(
    ctx: &Context<'_>,
    member: &Member,
    change: Change<'_>,
    completes: bool,
) -> Result<()> {
    let tx = ctx.begin().await?;
    // After this lock, other callers that assign this member have either committed, or will find
    // the member inactive.
    members::lock_member(&tx.conn(), &member.id).await?;
    events::unassign_everywhere(&tx.conn(), &member.id, change, ctx.now).await?;
    projects::remove_former_member(&tx.conn(), &member.id, change.actor, ctx.now).await?;
    if completes {
        members::record_cleanup(&tx.conn(), &member.id).await?;
    }
    Ok(tx.commit().await?)
}

fn log_failed_step(member: &Member, step: Pending, error: &Error) -> Pending {
    tracing::warn!(member_id = member.id.as_str(), %step, error = error.text_with_causes(), "um desligamento ficou incompleto");
    step
}
