//! Reminders of posts that are published by hand: the post of a reminder, and whether the post is still
//! due.

use domain::{
    EventId, VariantId,
    time::{Millis, Timestamp},
};
use gateway::Result;
use serde_json::{Map, Value, json};
use store::{
    Conn,
    outbox::OutboxEntry,
    post_reminders::{self, UnpostedVariant},
};

use crate::announcements::{DUE_AT, POST_CHANNEL, POST_DUE, VARIANT};

/// The name of the notifications area, to which open pages subscribe.
pub(crate) const NOTIFICATIONS: &str = "notifications";

/// The detail of a reminder with the channel of the post.
pub(crate) const CHANNEL: &str = "canal";
/// The detail of a reminder with the format of the post.
pub(crate) const FORMAT: &str = "formato";
/// The detail of a reminder with the planned time of the post.
pub(crate) const HOUR: &str = "hora";

/// The post of a reminder, with its planned time when the reminder was written.
pub(crate) struct RemindedPost {
    pub event_id: EventId,
    pub channel: String,
    pub format: String,
    pub due_at: Millis,
}

impl RemindedPost {
    /// Reads the post from the details of a reminder of this piece.
    pub fn read(event_id: &EventId, details: &str) -> Option<Self> {
        let details: Value = serde_json::from_str(details).ok()?;
        let detail = |name: &str| details[name].as_str();
        let Timestamp(due_at) = detail(HOUR)?.parse().ok()?;
        Some(Self {
            event_id: event_id.clone(),
            channel: detail(CHANNEL)?.to_owned(),
            format: detail(FORMAT)?.to_owned(),
            due_at,
        })
    }

    /// True if the post is among these variants that wait to be published by hand, with the same planned
    /// time.
    pub fn is_among(&self, unposted: &[UnpostedVariant]) -> bool {
        unposted.iter().any(|post| {
            (
                &post.event_id,
                &*post.channel,
                post.format.as_str(),
                post.due_at,
            ) == (&self.event_id, &*self.channel, &*self.format, self.due_at)
        })
    }
}

/// Finds the post that a row of the outbox is about; `None` if the post was published or removed, is no
/// longer approved, or has another planned time.
pub(crate) fn find_due_post<'p>(
    unposted: &'p [UnpostedVariant],
    entry: &OutboxEntry,
) -> Option<&'p UnpostedVariant> {
    find_post_by_facts(unposted, &entry.facts)
}

fn find_post_by_facts<'p>(
    unposted: &'p [UnpostedVariant],
    facts: &Map<String, Value>,
) -> Option<&'p UnpostedVariant> {
    let id = facts.get(VARIANT)?.as_str()?;
    let hour = facts.get(DUE_AT)?;
    let mut unposted = unposted.iter();
    unposted.find(|post| post.variant_id.as_str() == id && *hour == json!(Timestamp(post.due_at)))
}

/// Deletes the record that members were reminded of the post of this row, so that a reminder can be
/// announced again. Nobody was notified, because the post was not due.
pub(crate) async fn forget_reminder(db: &Conn<'_>, entry: &OutboxEntry) -> Result<()> {
    let fact = |name: &str| entry.facts.get(name).and_then(Value::as_str);
    let hour = fact(DUE_AT).and_then(|text| text.parse().ok());
    let (Some(channel), Some(format), Some(Timestamp(due_at))) =
        (fact(POST_CHANNEL), fact("format"), hour)
    else {
        return Ok(());
    };
    let event_id = EventId::from(entry.resource_id.as_str());
    Ok(post_reminders::forget(db, &event_id, (channel, format), due_at).await?)
}

/// Returns false for a webhook message that announces a due post if the post is no longer due. Returns
/// true for all other messages.
pub(crate) async fn is_message_current(db: &Conn<'_>, kind: &str, body: &str) -> Result<bool> {
    if kind != POST_DUE.kind {
        return Ok(true);
    }
    let body: Value = serde_json::from_str(body)?;
    let Some(facts) = body["data"]["facts"].as_object() else {
        return Ok(true);
    };
    let id = facts.get(VARIANT).and_then(Value::as_str);
    let ids: Vec<VariantId> = id.map(Into::into).into_iter().collect();
    let unposted = post_reminders::find_unposted(db, &ids).await?;
    Ok(find_post_by_facts(&unposted, facts).is_some())
}
