//! Events with their people and media, read in one statement.
//!
//! Each event is a row. On SQLite serde deserializes it and runs a query for each of its lists. On
//! PostgreSQL, where a query is a round trip, the lists are columns (`cells.rs`).

use domain::Event;
use sea_orm::{ConnectionTrait, DbBackend, Value};

use super::{
    cells::{LISTS, read_event},
    rows::Rows,
};
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

pub(super) fn select_statement(backend: DbBackend, rows: &Rows, limit: &str) -> String {
    let page = PAGE
        .replace("{source}", rows.source_tables())
        .replace("{where}", rows.where_condition())
        .replace("{order}", &rows.order_by_clause())
        .replace("{limit}", limit);
    let lists = match backend {
        DbBackend::Postgres => LISTS,
        _ => "",
    };
    page.replace("{lists}", lists)
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
    let rows = db.fetch_all(sql, values).await?;
    rows.into_iter().map(read_event).collect()
}
