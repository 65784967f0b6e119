//! Events with their people and media, read in one statement.
//!
//! On PostgreSQL the database returns a list of events as one row of JSON. On SQLite, where
//! returning a row is cheap, each event is a row that serde deserializes.

use domain::Event;
use sea_orm::{ConnectionTrait, DbBackend, Value};

use super::rows::Rows;
use crate::{Conn, Result, sqlite::InOrder};

/// A page of events. The columns are in the order of the fields of [`Event`]; `{lists}` stands for
/// the columns of its lists.
const PAGE: &str = "
SELECT e.id, e.api_revision, e.clickup_id, e.title, e.channel, e.status, e.description,
    e.briefing, e.due_at, e.editorial_tag, e.created_by, c.name AS created_by_name, e.created_at,
    e.updated_at, e.post_url{lists}
FROM {source} JOIN members c ON c.id = e.created_by
WHERE {where} ORDER BY {order} LIMIT {limit} + 0";

/// On SQLite each list of an event is a separate query.
impl InOrder for Event {
    const LISTS: &'static [&'static str] = &[
        "SELECT m.id, m.name FROM event_assignees a JOIN members m ON m.id = a.member_id
         WHERE a.event_id = $1 ORDER BY a.position",
        "SELECT media_id, slide_index, kind, alt, media_type FROM event_media WHERE event_id = $1",
    ];
}

/// On PostgreSQL the page of events is one row of JSON arrays, so that the response is a single
/// message.
const LISTS: &str = ", coalesce((
        SELECT json_agg(json_build_array(m.id, m.name) ORDER BY a.position)
        FROM event_assignees a JOIN members m ON m.id = a.member_id
        WHERE a.event_id = e.id), '[]') AS assignees, coalesce((
        SELECT json_agg(json_build_array(x.media_id, x.slide_index, x.kind, x.alt, x.media_type)
            ORDER BY x.slide_index, x.media_id)
        FROM event_media x WHERE x.event_id = e.id), '[]') AS media";

const WHOLE: &str = "
SELECT coalesce(json_agg(json_build_array(id, api_revision, clickup_id, title, channel, status,
    description, briefing, due_at, editorial_tag, created_by, created_by_name, created_at,
    updated_at, post_url, assignees, media))::text, '[]') AS events
FROM ({page}) page";

pub(super) fn select_statement(backend: DbBackend, rows: &Rows, limit: &str) -> String {
    let page = PAGE
        .replace("{source}", rows.source_tables())
        .replace("{where}", rows.where_condition())
        .replace("{order}", &rows.order_by_clause())
        .replace("{limit}", limit);
    if backend == DbBackend::Postgres {
        WHOLE.replace("{page}", &page.replace("{lists}", LISTS))
    } else {
        page.replace("{lists}", "")
    }
}

pub(super) async fn fetch(db: &Conn<'_>, sql: &str, values: Vec<Value>) -> Result<Vec<Event>> {
    if db.get_database_backend() == DbBackend::Sqlite {
        let mut events: Vec<Event> = db.fetch_deserialized(sql, values).await?;
        for event in &mut events {
            // The rows are already sorted by media id, the order of the table. This sort is stable
            // and keeps that order within a slide.
            event.media.sort_by_key(|media| media.slide_index);
        }
        return Ok(events);
    }
    let Some(row) = db.fetch_one(sql, values).await? else {
        return Ok(vec![]);
    };
    Ok(serde_json::from_str(row.text("events")?)?)
}
