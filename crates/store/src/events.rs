//! Editorial events, read in one statement and changed by compare-and-set.
//!
//! `save` is one `UPDATE … WHERE api_revision = ?`, and also writes the history. If the stored
//! revision has changed, it returns `STALE_REVISION` with the current revision. `agenda_at` repeats
//! `due_at`, with a sentinel for events without a date, so that both databases sort alike and can
//! use the index.

mod calendar;
mod cells;
mod list;
mod people;
mod read;
mod rows;
mod search;
mod text;
mod typed;

use std::sync::LazyLock;

use sea_orm::{ConnectionTrait, DbBackend, Value};
use serde::Serialize;
use serde_json::{Map, json};

use self::{
    read::{fetch, select_statement},
    rows::Rows,
};
use crate::{
    Bind, Conn, Result, approvals, conditions::Conditions, history, media_texts, variants,
};
use domain::{Error, EventId, EventStatus, MemberId, Revision, time::Millis};

pub use crate::history::Change;
pub use calendar::{CalendarEvent, CalendarOrder, MOST_CAPTION, list_for_calendar};
pub use domain::{Attached, Event};
pub use list::list;
pub use rows::Filter;
pub use text::{index_pending, rebuild_index, update_text};
pub use typed::find_by_query;

/// Finds an event, without a visibility check.
pub async fn find(db: &Conn<'_>, id: &EventId) -> Result<Option<Event>> {
    static BY_ID: [LazyLock<String>; 2] = [
        LazyLock::new(|| select_by_id(DbBackend::Sqlite)),
        LazyLock::new(|| select_by_id(DbBackend::Postgres)),
    ];
    let sql = &BY_ID[usize::from(db.get_database_backend() == DbBackend::Postgres)];
    Ok(fetch(db, sql, vec![id.value()]).await?.pop())
}

/// Finds events, ordered by id, without a visibility check.
pub async fn find_all(db: &Conn<'_>, ids: impl Iterator<Item = &EventId>) -> Result<Vec<Event>> {
    let ids: Vec<&EventId> = ids.collect();
    if ids.is_empty() {
        return Ok(vec![]);
    }
    let mut rows = Rows::default();
    let limit = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let backend = db.get_database_backend();
    rows.restrict_to_ids(backend, &ids)?;
    let limit = rows.conditions.bind(limit);
    let sql = select_statement(backend, &rows, &limit);
    let mut events = fetch(db, &sql, rows.conditions.values).await?;
    events.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(events)
}

fn select_by_id(backend: DbBackend) -> String {
    let mut rows = Rows::default();
    rows.conditions.and("e.id = $1");
    select_statement(backend, &rows, "1")
}

/// Locks an event until the end of the transaction, so that only one caller at a time makes a
/// reservation for it.
pub async fn lock_event(db: &Conn<'_>, id: &EventId) -> Result<()> {
    let sql = "UPDATE events SET api_revision = api_revision WHERE id = $1";
    db.run(sql, [id.value()]).await?;
    Ok(())
}

/// Locks several events until the end of the transaction. PostgreSQL locks them in the order of their
/// ids, which prevents deadlocks; SQLite has a single writer.
pub async fn lock_events(db: &Conn<'_>, ids: impl Iterator<Item = &EventId>) -> Result<()> {
    let values: Vec<Value> = ids.map(Bind::value).collect();
    if values.is_empty() {
        return Ok(());
    }
    let places: Vec<String> = (1..=values.len()).map(|n| format!("${n}")).collect();
    if db.get_database_backend() != DbBackend::Postgres {
        return Ok(());
    }
    let sql = format!(
        "SELECT id FROM events WHERE id IN ({}) ORDER BY id FOR NO KEY UPDATE",
        places.join(", ")
    );
    db.fetch_all(&sql, values).await?;
    Ok(())
}

/// Returns the due times of published events from an instant on, in one channel or in all.
pub async fn list_published_due_times(
    db: &Conn<'_>,
    channel: Option<&str>,
    from: Millis,
) -> Result<Vec<Millis>> {
    let mut query = Conditions::default();
    let status = query.bind(EventStatus::Published.as_str());
    let from = query.bind(from);
    query.and(&format!(
        "status = {status} AND agenda_at >= {from} AND due_at >= {from}"
    ));
    if let Some(channel) = channel {
        let spellings = list::load_spellings(db, channel).await?;
        if spellings.is_empty() {
            return Ok(vec![]);
        }
        let spellings: Vec<_> = spellings.into_iter().map(|s| query.bind(s)).collect();
        query.and(&format!("channel IN ({})", spellings.join(", ")));
    }
    let sql = format!("SELECT due_at FROM events WHERE {}", query.text);
    let rows = db.fetch_all(&sql, query.values).await?;
    Ok(rows
        .iter()
        .map(|row| row.try_get("", "due_at"))
        .collect::<Result<_, _>>()?)
}

const INSERT: &str = "
INSERT INTO events (id, api_revision, clickup_id, title, channel, status, description, briefing,
    due_at, agenda_at, editorial_tag, created_by, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

/// Stores a new event and the first entry of its history.
pub async fn insert(db: &Conn<'_>, event: &Event) -> Result<()> {
    let values = [
        event.id.value(),
        event.api_revision.value(),
        event.clickup_id.clone().into(),
        event.title.as_str().into(),
        event.channel.as_str().into(),
        event.status.as_str().into(),
        event.description.clone().into(),
        event.briefing.clone().into(),
        event.due_at.into(),
        event.agenda_sort_key().into(),
        event.editorial_tag.clone().into(),
        event.created_by.value(),
        event.created_at.into(),
        event.updated_at.into(),
    ];
    db.run_later(INSERT, values).await?;
    text::insert(db, event).await?;
    insert_assignees(db, event).await?;
    people::insert(db, event).await?;
    let change = Change {
        actor: &event.created_by,
        action: "create_demand",
        reason: None,
    };
    history::insert(db, event, change, Map::new()).await
}

/// Replaces `before` with `after` if the stored event has not changed. Increments the revision and
/// records the changes in the history.
///
/// Otherwise returns an error (409) with the current revision.
pub async fn save(
    db: &Conn<'_>,
    before: &Event,
    after: Event,
    change: Change<'_>,
    now: Millis,
) -> Result<Event> {
    let differences = differences(before, &after);
    save_with_differences(db, before, after, change, differences, now).await
}

/// Saves like [`save`], for a decision that the resulting status does not show. Adds `notes`, for
/// example the field `decision`, to the changes in the history.
pub async fn save_decision(
    db: &Conn<'_>,
    before: &Event,
    after: Event,
    (change, notes): (Change<'_>, Map<String, serde_json::Value>),
    now: Millis,
) -> Result<Event> {
    let mut differences = differences(before, &after);
    differences.extend(notes);
    save_with_differences(db, before, after, change, differences, now).await
}

async fn save_with_differences(
    db: &Conn<'_>,
    before: &Event,
    mut after: Event,
    change: Change<'_>,
    differences: Map<String, serde_json::Value>,
    now: Millis,
) -> Result<Event> {
    let mut update = Update::default();
    update.set_if_changed("updated_at", &before.updated_at, &now);
    let mut texts = update.set_if_changed("title", &before.title, &after.title);
    texts |= update.set_if_changed("description", &before.description, &after.description);
    texts |= update.set_if_changed("editorial_tag", &before.editorial_tag, &after.editorial_tag);
    update.set_if_changed("channel", &before.channel, &after.channel);
    update.set_if_changed("status", &before.status.as_str(), &after.status.as_str());
    update.set_if_changed("post_url", &before.post_url, &after.post_url);
    update.set_if_changed("due_at", &before.due_at, &after.due_at);
    update.set_if_changed(
        "agenda_at",
        &before.agenda_sort_key(),
        &after.agenda_sort_key(),
    );
    if !update.run(db, before).await? {
        return Err(load_stale_refusal(db, &before.id, before.api_revision)
            .await?
            .into());
    }
    if texts {
        let variants = variants::list(db, &after.id).await?;
        text::update_text(db, &after, &variants).await?;
    }
    if before.status == EventStatus::InApproval && after.status != before.status {
        approvals::delete(db, &before.id).await?;
    }
    variants::follow_status(db, &before.id, (before.status, after.status), now).await?;
    after.api_revision = before.api_revision.next();
    let has_new_content = before.description != after.description || before.media != after.media;
    if has_new_content && after.status == EventStatus::InApproval {
        approvals::set_content_revision(db, &after.id, after.api_revision).await?;
    }
    after.updated_at = now;
    if before.assignees != after.assignees {
        db.run_later(
            "DELETE FROM event_assignees WHERE event_id = $1",
            [before.id.value()],
        )
        .await?;
        insert_assignees(db, &after).await?;
    }
    people::update(db, before, &after).await?;
    if before.media != after.media {
        db.run_later(
            "DELETE FROM event_media WHERE event_id = $1",
            [before.id.value()],
        )
        .await?;
        insert_media(db, &after).await?;
        media_texts::save_changed_texts(db, &before.media, &after.media).await?;
    }
    history::insert(db, &after, change, differences).await?;
    Ok(after)
}

/// The SQL update of the changed columns of an event.
#[derive(Default)]
struct Update {
    columns: String,
    values: Vec<Value>,
}

impl Update {
    /// Adds a column to the update if its value changes. Returns whether the value changes.
    fn set_if_changed<T: PartialEq + Clone + Into<Value>>(
        &mut self,
        column: &str,
        before: &T,
        after: &T,
    ) -> bool {
        let changed = before != after;
        if changed {
            self.values.push(after.clone().into());
            let value = self.values.len();
            self.columns.push_str(&format!(", {column} = ${value}"));
        }
        changed
    }

    /// Writes the columns and the next revision, if the event still has the revision of `before`.
    async fn run(mut self, db: &Conn<'_>, before: &Event) -> Result<bool> {
        let next = self.values.len() + 1;
        let sql = format!(
            "UPDATE events SET api_revision = api_revision + 1{} WHERE id = ${next} AND \
             api_revision = ${}",
            self.columns,
            next + 1,
        );
        self.values
            .extend([before.id.value(), before.api_revision.value()]);
        Ok(db.run(&sql, self.values).await? > 0)
    }
}

/// The maximum number of changes listed in the error of a stale write.
const MAX_LISTED: i64 = 20;

/// Loads the error for a writer who read the revision `seen`. The error contains the current revision
/// and the changes since `seen`: who changed which fields, oldest first.
pub async fn load_stale_refusal(db: &Conn<'_>, id: &EventId, seen: Revision) -> Result<Error> {
    let current = find(db, id).await?;
    let current = current.ok_or_else(|| Error::not_found_in("evento", "list_events"))?;
    let lines = history::list_since(db, id, seen, MAX_LISTED).await?;
    let mut since = vec![];
    for line in lines.iter().rev() {
        let mut told = json!({
            "api_revision": line.api_revision,
            "action": line.action,
            "actor_name": line.actor_name,
            "fields": line.changed_fields(),
            "occurred_at": domain::time::Timestamp(line.occurred_at),
        });
        // A stage was approved. The status does not show which decision was made.
        if let Some(stage) = line.changes.0.get("stage") {
            told["stage"] = stage["before"].clone();
            told["decision"] = line.changes.0["decision"]["after"].clone();
        }
        since.push(told);
    }
    let listed = i64::try_from(since.len()).unwrap_or(0);
    let omitted = current.api_revision.changes_since(seen) - listed;
    let mut error = Error::stale_revision(current.api_revision)
        .with_detail("since", since.into())
        .with_detail("next", STALE_NEXT.into());
    if omitted > 0 {
        error = error.with_detail("since_omitted", omitted.into());
    }
    Ok(error)
}

const STALE_NEXT: &str = "Releia com `get_event`; `since` diz quem mudou quais campos e quando. \
    Reavalie a mudança antes de repetir com a revisão lida.";

async fn insert_assignees(db: &Conn<'_>, event: &Event) -> Result<()> {
    for (position, (member_id, _)) in (0i64..).zip(&event.assignees) {
        let sql = "INSERT INTO event_assignees (event_id, member_id, position) VALUES ($1, $2, $3)";
        let values = [event.id.value(), member_id.value(), position.into()];
        db.run_later(sql, values).await?;
    }
    Ok(())
}

async fn insert_media(db: &Conn<'_>, event: &Event) -> Result<()> {
    let sql = "INSERT INTO event_media (event_id, media_id, slide_index, kind, alt, media_type)
               VALUES ($1, $2, $3, $4, $5, $6)";
    for media in &event.media {
        let values = [
            event.id.value(),
            media.id.value(),
            media.slide_index.into(),
            media.kind.as_str().into(),
            media.alt.clone().into(),
            media.media_type.as_str().into(),
        ];
        db.run_later(sql, values).await?;
    }
    Ok(())
}

/// Removes a member from all events in progress, with one history entry each.
pub async fn unassign_everywhere(
    db: &Conn<'_>,
    member_id: &MemberId,
    change: Change<'_>,
    now: Millis,
) -> Result<()> {
    let filter = Filter {
        assigned_to: Some(member_id.clone()),
        statuses: EventStatus::OPEN.to_vec(),
        ..Filter::default()
    };
    for event in list(db, filter, i64::MAX).await? {
        let mut after = event.clone();
        after.assignees.retain(|(id, _)| id != member_id);
        save(db, &event, after, change, now).await?;
    }
    Ok(())
}

/// Returns the changed fields as `{field: {before, after}}`.
fn differences(before: &Event, after: &Event) -> Map<String, serde_json::Value> {
    fn insert_difference<T: PartialEq + Serialize>(
        changes: &mut Map<String, serde_json::Value>,
        field: &str,
        before: &T,
        after: &T,
    ) {
        if before != after {
            let change = json!({ "before": before, "after": after });
            changes.insert(field.to_owned(), change);
        }
    }
    let people = |event: &Event| -> Vec<MemberId> {
        let ids = event.assignees.iter().map(|(id, _)| id.clone());
        ids.collect()
    };
    let due_at = |event: &Event| event.due_at.map(domain::time::Timestamp);
    let mut changes = Map::new();
    let all = &mut changes;
    insert_difference(all, "title", &before.title, &after.title);
    insert_difference(all, "channel", &before.channel, &after.channel);
    insert_difference(all, "status", &before.status, &after.status);
    insert_difference(all, "post_url", &before.post_url, &after.post_url);
    insert_difference(all, "description", &before.description, &after.description);
    insert_difference(all, "due_at", &due_at(before), &due_at(after));
    insert_difference(
        all,
        "editorial_tag",
        &before.editorial_tag,
        &after.editorial_tag,
    );
    insert_difference(all, "assignee_member_ids", &people(before), &people(after));
    insert_difference(all, "media", &before.media, &after.media);
    changes
}
