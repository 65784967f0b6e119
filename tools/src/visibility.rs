//! What a caller may see. A hidden resource gets the same response (404) as one that does not
//! exist.

use domain::{Event, EventId, MediaId, Member, MemberId, Revision};
use gateway::{Context, Error, Resource, Result};
use store::{
    Conn, events, history,
    media::{self, Media},
};

/// The number of recent changes of an event that are searched for removed assignees.
const NEWEST_CHANGES: i64 = 5;

/// A member of the team. Every member sees all others.
pub const MEMBER: Resource =
    Resource::new("member").with_audience(|_, _, _| Box::pin(async { Ok(true) }));

/// An editorial event. Some members see only their own events.
pub const EVENT: Resource = Resource::new("event")
    .with_visibility(|db, member, id| {
        Box::pin(async move {
            require_event_in(&db, member, &EventId::from(id))
                .await
                .map(drop)
        })
    })
    .with_audience(|db, member, id| Box::pin(is_notified(db, member, EventId::from(id))));

/// Returns true if the member may see the event, or was recently removed from its assignees.
pub async fn is_notified(db: Conn<'_>, member: &Member, id: EventId) -> Result<bool> {
    if member.sees_all_events() {
        return Ok(true);
    }
    let event = events::find(&db, &id).await?;
    if event.is_some_and(|event| event.is_visible_to(member)) {
        return Ok(true);
    }
    let changes = history::list(&db, &id, Revision::MAX, NEWEST_CHANGES).await?;
    Ok(changes.iter().any(|change| {
        let people = change.changes.0.get("assignee_member_ids");
        let before = people.and_then(|people| people["before"].as_array());
        before.is_some_and(|before| before.iter().any(|id| *id == member.id.as_str()))
    }))
}

/// Finds an event that the caller may see. Refuses (404) an event that does not exist or is hidden.
pub async fn require_event(ctx: &Context<'_>, id: &EventId) -> Result<Event> {
    require_event_in(&ctx.db(), &ctx.caller()?.member, id).await
}

/// Finds an event that this member may see, on this connection. Refuses like [`require_event`].
pub async fn require_event_in(db: &Conn<'_>, member: &Member, id: &EventId) -> Result<Event> {
    events::find(db, id)
        .await?
        .filter(|event| event.is_visible_to(member))
        .ok_or_else(|| Error::not_found_in("evento", "list_events"))
}

/// Finds these media, in no particular order. Refuses (404) ids of media that do not exist or are
/// hidden; the error lists these ids.
pub async fn require_media(ctx: &Context<'_>, ids: &[MediaId]) -> Result<Vec<Media>> {
    let found = media::find_visible(&ctx.db(), visible_to(ctx)?, ids).await?;
    let is_found = |id: &&MediaId| found.iter().any(|media| media.id == **id);
    let missing: Vec<&str> = ids
        .iter()
        .filter(|id| !is_found(id))
        .map(MediaId::as_str)
        .collect();
    if missing.is_empty() {
        Ok(found)
    } else {
        Err(Error::not_found_in("mídia", "list_media").with_detail("media_ids", missing.into()))
    }
}

/// Returns the member to whose events and media a list is limited; `None` for a caller who may see all.
pub fn visible_to<'c>(ctx: &'c Context<'_>) -> Result<Option<&'c MemberId>> {
    let member = &ctx.caller()?.member;
    Ok((!member.sees_all_events()).then_some(&member.id))
}
