//! Finds events for the search over everything.

use domain::{Event, MemberId};
use sea_orm::ConnectionTrait;
use search::typed::Typed;

use super::{
    read::{fetch, select_statement},
    rows::Rows,
    text::TEXTS,
};
use crate::{
    Conn, Result,
    searching::find::{Source, find_hits},
};

/// The instant by which events are ordered: their date, or their creation if they have no date.
const RECENT: &str = "CASE WHEN e.due_at IS NULL THEN e.created_at ELSE e.due_at END";

/// Finds at most `most` events: first the events with all words in the title, then the others, each
/// by date, latest first. If `visible_to` is set, finds only events that this member may see.
pub async fn find_by_query(
    db: &Conn<'_>,
    visible_to: Option<MemberId>,
    typed: &Typed,
    most: usize,
) -> Result<Vec<Event>> {
    let mut rows = Rows::default();
    rows.restrict_to_members(visible_to, None);
    let (at, id) = rows.sort_columns();
    let from = rows.source_tables();
    let regions: &[&str] = match at {
        "p.agenda_at" => &[
            "p.agenda_at < 9223372036854775807",
            "p.agenda_at = 9223372036854775807",
        ],
        _ => &[
            "e.agenda_at < 9223372036854775807",
            "e.agenda_at = 9223372036854775807",
        ],
    };
    let mut conditions = rows.conditions;
    conditions.and(&format!("t.event_id = {id}"));
    let source = Source {
        texts: &TEXTS,
        along: format!("{from} CROSS JOIN event_texts t"),
        beyond: format!("event_texts t CROSS JOIN {from}"),
        conditions,
        id,
        at,
        recent: RECENT,
        regions,
    };
    let hits = find_hits(db, &source, typed, most).await?;
    if hits.is_empty() {
        return Ok(vec![]);
    }
    let mut rows = Rows::default();
    let backend = db.get_database_backend();
    let ids: Vec<&str> = hits.iter().map(|hit| hit.id.as_str()).collect();
    rows.restrict_to_ids(backend, &ids)?;
    let sql = select_statement(backend, &rows, &hits.len().to_string());
    let mut events = fetch(db, &sql, rows.conditions.values).await?;
    events.sort_by_key(|event| hits.iter().position(|hit| hit.id == event.id.as_str()));
    Ok(events)
}
