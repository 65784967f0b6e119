//! Finds the media that match a search, each with the newest event that uses the medium.

use std::collections::BTreeMap;

use search::typed::Typed;

use super::found::Found;
use crate::{links::Links, visibility};
use domain::{EventId, MediaId};
use gateway::{Context, Result};
use store::media;

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

/// Finds the newest event that uses each of these media and that the caller may see.
async fn find_newest_events(
    ctx: &Context<'_>,
    ids: &[MediaId],
) -> Result<BTreeMap<MediaId, EventId>> {
    let visible_to = visibility::visible_to(ctx)?;
    let newest = media::list_newest_events(&ctx.db(), visible_to, ids).await?;
    Ok(newest.into_iter().collect())
}
