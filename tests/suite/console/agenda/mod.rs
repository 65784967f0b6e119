//! The agenda. It is noon of Saturday, 22 August 2026, in Brasília.

mod changes;
mod filters;
mod shows;
mod size;

use serde_json::{Value, json};

use crate::support::Client;

/// Creates a demand on this day at this hour. Returns its id.
async fn plan_event(lead: &Client, title: &str, day: (i8, i8), hour: &str, more: Value) -> String {
    let mut fields = json!({
        "title": title, "day": day.0, "month": day.1, "year": 2026, "hour": hour,
    });
    if let (Some(fields), Some(more)) = (fields.as_object_mut(), more.as_object()) {
        fields.extend(more.clone());
    }
    lead.create_demand(fields).await
}

/// Returns the markup of one card.
fn card_markup<'p>(page: &'p str, id: &str) -> &'p str {
    let mark = format!("<li id=\"e-{id}\"");
    let (_, after) = page.split_once(&mark).expect("the card");
    after.split("</li>").next().unwrap_or_default()
}

/// Returns whether a page has the card of this event.
fn has_card(page: &str, id: &str) -> bool {
    page.contains(&format!("id=\"e-{id}\""))
}
