//! The dated events of a calendar, without their people and media.

use domain::{EventId, EventStatus, Revision, time::Millis};
use sea_orm::ConnectionTrait;

use super::{
    list::narrow_to_filter,
    rows::{Filter, Rows},
};
use crate::{Conn, Result, Row};

/// Maximum characters of the caption in a calendar.
pub const MOST_CAPTION: usize = 500;

/// An event as a calendar shows it.
#[derive(Debug, Clone)]
pub struct CalendarEvent {
    pub id: EventId,
    pub api_revision: Revision,
    pub title: String,
    pub channel: String,
    pub status: EventStatus,
    /// The caption; `None` if it still equals the briefing. A caption longer than [`MOST_CAPTION`]
    /// characters is cut after one more character, so that the caller can see that it was cut.
    pub caption: Option<String>,
    pub due_at: Millis,
    pub tag: Option<String>,
    pub created_at: Millis,
    pub updated_at: Millis,
}

/// Whether a list begins with the earliest or the latest events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalendarOrder {
    EarliestFirst,
    LatestFirst,
}

/// Lists at most `most` dated events. The rows are read in one statement, without a query for each
/// event.
pub async fn list_for_calendar(
    db: &Conn<'_>,
    filter: Filter,
    order: CalendarOrder,
    most: i64,
) -> Result<Vec<CalendarEvent>> {
    let mut rows = Rows::default();
    // The search finds the earliest events first. To find the latest events, it must find all events.
    let (probe, direction) = match order {
        CalendarOrder::EarliestFirst => (most, "ASC"),
        CalendarOrder::LatestFirst => (i64::MAX, "DESC"),
    };
    if !narrow_to_filter(db, &mut rows, filter, probe).await? {
        return Ok(vec![]);
    }
    let limit = rows.limit(db.get_database_backend(), most);
    let (at, id) = rows.sort_columns();
    let sql = format!(
        "SELECT e.id, e.api_revision, e.title, e.channel, e.status, e.due_at, e.editorial_tag,
            CASE WHEN e.description = e.briefing THEN NULL
                ELSE substr(e.description, 1, {MOST_CAPTION} + 1) END AS caption,
            e.created_at, e.updated_at
         FROM {} WHERE {} AND e.due_at IS NOT NULL
         ORDER BY {at} {direction}, {id} {direction} LIMIT {limit} + 0",
        rows.source_tables(),
        rows.where_condition(),
    );
    let found = db.fetch_all(&sql, rows.conditions.values).await?;
    // Each row is freed as soon as its event is read.
    let events = found.into_iter().map(|row| read_calendar_event(&row));
    events.collect()
}

fn read_calendar_event(row: &Row) -> Result<CalendarEvent> {
    let status: String = row.try_get("", "status")?;
    Ok(CalendarEvent {
        id: row.try_get("", "id")?,
        api_revision: row.try_get("", "api_revision")?,
        title: row.try_get("", "title")?,
        channel: row.try_get("", "channel")?,
        status: status.parse().map_err(domain::Error::internal)?,
        caption: row.try_get("", "caption")?,
        due_at: row.try_get("", "due_at")?,
        tag: row.try_get("", "editorial_tag")?,
        created_at: row.try_get("", "created_at")?,
        updated_at: row.try_get("", "updated_at")?,
    })
}
