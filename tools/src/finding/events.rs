//! The events that a search found.

use search::typed::Typed;

use super::found::Found;
use crate::visibility;
use gateway::{Context, Result};
use store::events;

pub async fn find_events(ctx: &Context<'_>, typed: &Typed, most: usize) -> Result<Vec<Found>> {
    let visible_to = visibility::visible_to(ctx)?.cloned();
    let events = events::find_by_query(&ctx.db(), visible_to, typed, most).await?;
    let mut found = vec![];
    for event in events {
        let texts = [event.description.as_deref(), event.editorial_tag.as_deref()];
        let texts: Vec<&str> = texts.into_iter().flatten().collect();
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
