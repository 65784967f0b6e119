//! Finds the events that match a search.

use search::typed::Typed;

use super::found::Found;
use crate::visibility;
use gateway::{Context, Result};
use store::{events, variants};

pub async fn find_events(ctx: &Context<'_>, typed: &Typed, most: usize) -> Result<Vec<Found>> {
    let visible_to = visibility::visible_to(ctx)?.cloned();
    let events = events::find_by_query(&ctx.db(), visible_to, typed, most).await?;
    let variants = variants::load(&ctx.db(), events.iter().map(|event| &event.id)).await?;
    let mut found = vec![];
    for event in events {
        let texts = [event.description.as_deref(), event.editorial_tag.as_deref()];
        let of_event = variants.get(&event.id).into_iter().flatten();
        let of_variants = of_event.flat_map(|variant| variant.content.texts());
        let texts: Vec<&str> = texts.into_iter().flatten().chain(of_variants).collect();
        let page = format!("/eventos/{}", event.id);
        let id = event.id.as_str().to_owned();
        let item = Found::new(typed, id, &event.title, &texts.join("\n"));
        found.push(Found {
            data: event.due_at.map(domain::time::Timestamp),
            status: Some(event.status),
            canal: Some(event.channel),
            ..item.with_page(page)
        });
    }
    Ok(found)
}
