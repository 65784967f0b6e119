//! The secret addresses of calendars.
//!
//! An address is not a credential of its member: only one page accepts it. Each reading checks the
//! address and the member again, so revoking an address and offboarding its member take effect at once.
//!
//! A wrong secret is answered with 404, not with 401, because calendar programs ask for a password after
//! 401. Unknown and revoked addresses get the same answer. Wrong secrets are limited per network. A
//! correct secret is served even from a network that has reached the limit, because the calendar
//! programs of a large provider share networks. Each calendar also has its own quota of readings.

use crate::Limiter;
use domain::{Capability, LinkSecret, Member};
use gateway::{Code, Context, Error, Resource, Result};
use store::calendar_feeds::{self, CalendarFeed};

/// A calendar. Only its member sees it and is notified of its changes.
pub const RESOURCE: Resource = Resource::new("calendar_feed")
    .with_visibility(|db, member, id| {
        Box::pin(async move {
            calendar_feeds::require_for_member(&db, &member.id, &id.into()).await?;
            Ok(())
        })
    })
    .with_audience(|db, member, id| {
        Box::pin(async move {
            let found = calendar_feeds::find_for_member(&db, &member.id, &id.into()).await?;
            Ok(found.is_some())
        })
    });
/// The operation that revokes a calendar.
pub const REVOKE: &str = "revoke_calendar_feed";
/// Maximum number of wrong secrets from one network in the window of the limiter.
pub const MOST_WRONG: i64 = 60;

/// Returns the path of a calendar.
#[must_use]
pub fn calendar_path(secret: &str) -> String {
    format!("/calendario/{secret}/agenda.ics")
}

/// Finds the calendar with this secret, and the current state of its member.
///
/// Fails with 404 if the address is unknown or was revoked, or if its member has left or may no longer
/// see the agenda. Fails with 429 and the seconds to wait after too many wrong secrets from this
/// network, or after too many readings of this calendar.
pub async fn find_calendar(ctx: &Context<'_>, secret: &str) -> Result<(CalendarFeed, Member)> {
    let found = match LinkSecret::parse(secret) {
        Some(secret) => calendar_feeds::find_by_secret(&ctx.db(), &secret.digest()).await?,
        None => None,
    };
    let in_force = found.filter(|(feed, member)| {
        feed.revoked_at.is_none()
            && member.active
            && member
                .session_capabilities()
                .contains(Capability::TasksView)
    });
    let Some((feed, member)) = in_force else {
        return Err(count_wrong_secret(ctx).await);
    };
    ctx.services.quotas.admit_calendar_read(&feed.id, ctx.now)?;
    ctx.services.reads.record_calendar_read(&feed.id, ctx.now);
    Ok((feed, member))
}

/// Counts a wrong secret. Returns the error for the caller: 404, or 429 after too many wrong secrets.
async fn count_wrong_secret(ctx: &Context<'_>) -> Error {
    ctx.note_refusal("endereço de calendário recusado", Code::NOT_FOUND);
    let limiter = Limiter::from_context(ctx);
    let admitted = limiter.admit_request("calendar", MOST_WRONG, ctx.origin.address);
    match admitted.await {
        Ok(()) => Error::new(Code::NOT_FOUND)
            .because("Este endereço de calendário não vale mais.")
            .with_detail("next", "Crie outro na página da agenda.".into()),
        Err(limited) => limited,
    }
}
