//! The media that a search found, each with the newest event that uses it.

use std::collections::BTreeMap;

use search::typed::Typed;

use super::found::Found;
use crate::{links::Links, visibility};
use domain::{EventId, MediaId};
use gateway::{Context, Result};
use store::{events, media};

/// The maximum number of events to look at for each medium.
const MOST_EVENTS: usize = 20;

pub async fn find_media(ctx: &Context<'_>, typed: &Typed, most: usize) -> Result<Vec<Found>> {
    let visible_to = visibility::visible_to(ctx)?;
    let found = media::find_by_query(&ctx.db(), visible_to, typed, most).await?;
    let ids: Vec<MediaId> = found.iter().map(|(id, _)| id.clone()).collect();
    let mut events = find_newest_events(ctx, &ids).await?;
    let links = ctx.services.parts.get::<Links>();
    let found = found.into_iter().map(|(id, text)| {
        let pagina = events.remove(&id).map(|event| format!("/eventos/{event}"));
        Found {
            url: Some(links.media_url(&id, ctx.now)),
            pagina,
            ..Found::from_found_text(typed, text)
        }
    });
    Ok(found.collect())
}

/// The newest event that uses each of these media and that the caller may see.
async fn find_newest_events(
    ctx: &Context<'_>,
    ids: &[MediaId],
) -> Result<BTreeMap<MediaId, EventId>> {
    let mut using: BTreeMap<MediaId, Vec<EventId>> = BTreeMap::new();
    for (medium, event) in media::list_attachments(&ctx.db(), ids).await? {
        using.entry(medium).or_default().push(event);
    }
    for events in using.values_mut() {
        events.sort_unstable_by(|one, other| other.cmp(one));
        events.truncate(MOST_EVENTS);
    }
    let member = &ctx.caller()?.member;
    let all = events::find_all(&ctx.db(), using.values().flatten()).await?;
    let is_visible = |id: &EventId| {
        let event = all.iter().find(|event| event.id == *id);
        event.is_some_and(|event| event.is_visible_to(member))
    };
    let newest = using.into_iter().filter_map(|(medium, events)| {
        let event = events.into_iter().find(is_visible)?;
        Some((medium, event))
    });
    Ok(newest.collect())
}
