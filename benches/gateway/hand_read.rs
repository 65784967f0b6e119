//! `GET /api/aprovacoes`, by hand.

use std::collections::HashMap;

use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, header},
    response::IntoResponse,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::{Timestamp, Zoned, fmt::temporal::DateTimePrinter};
use rusqlite::{Connection, params};
use serde::Serialize;

use crate::hand::{App, BRASILIA, Caller, Links, Refused, authorize, now};

struct Input {
    limit: usize,
    cursor: Option<String>,
}

impl Input {
    fn read(query: &str) -> Result<Self, Refused> {
        let mut input = Self {
            limit: 100,
            cursor: None,
        };
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "limit" => input.limit = value.parse().unwrap_or(0),
                "cursor" => input.cursor = Some(value.into_owned()),
                _ => return Err(Refused::Invalid(name.into_owned())),
            }
        }
        if (1..=200).contains(&input.limit) {
            Ok(input)
        } else {
            Err(Refused::Invalid("limit".into()))
        }
    }
}

#[derive(Serialize)]
struct Answer {
    pendentes: Vec<Event>,
    next_cursor: Option<String>,
}

#[derive(Serialize)]
struct Event {
    id: String,
    api_revision: i64,
    clickup_id: Option<String>,
    title: String,
    channel: String,
    status: String,
    description: Option<String>,
    briefing: Option<String>,
    day: Option<i8>,
    month: Option<i8>,
    year: Option<i16>,
    hour: Option<String>,
    due_at: Option<String>,
    editorial_tag: Option<String>,
    assignee_member_ids: Vec<String>,
    assignees_names: Vec<String>,
    media: Vec<Medium>,
    created_by: String,
    created_by_name: String,
    created_at: String,
    updated_at: String,
    #[serde(skip)]
    agenda_at: i64,
}

#[derive(Serialize)]
struct Medium {
    id: String,
    url: String,
    slide_index: i64,
    kind: String,
    alt: Option<String>,
    media_type: String,
}

impl Event {
    fn from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        let due_at = row.get::<_, Option<i64>>(8)?.map(instant);
        let local = due_at.map(|at| at.to_zoned(BRASILIA.clone()));
        Ok(Self {
            id: row.get(0)?,
            api_revision: row.get(1)?,
            clickup_id: row.get(2)?,
            title: row.get(3)?,
            channel: row.get(4)?,
            status: row.get(5)?,
            description: row.get(6)?,
            briefing: row.get(7)?,
            day: local.as_ref().map(Zoned::day),
            month: local.as_ref().map(Zoned::month),
            year: local.as_ref().map(Zoned::year),
            hour: local.map(|at| format!("{:02}:{:02}", at.hour(), at.minute())),
            due_at: due_at.map(rfc3339),
            editorial_tag: row.get(10)?,
            assignee_member_ids: vec![],
            assignees_names: vec![],
            media: vec![],
            created_by: row.get(11)?,
            created_by_name: row.get(12)?,
            created_at: rfc3339(instant(row.get(13)?)),
            updated_at: rfc3339(instant(row.get(14)?)),
            agenda_at: row.get(9)?,
        })
    }
}

fn instant(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn rfc3339(at: Timestamp) -> String {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    PRINTER.timestamp_to_string(&at)
}

/// ?1: null, or the member whose events to list; ?2, ?3: where the last page ended; ?4: the limit, in an
/// expression because SQLite plans a statement again for each bound limit.
const EVENTS: &str = "
SELECT e.id, e.api_revision, e.clickup_id, e.title, e.channel, e.status, e.description,
       e.briefing, e.due_at, e.agenda_at, e.editorial_tag, e.created_by, c.name, e.created_at,
       e.updated_at
FROM events e JOIN members c ON c.id = e.created_by
WHERE e.status = 'em aprovação' AND (e.agenda_at, e.id) > (?2, ?3)
  AND (?1 IS NULL OR e.created_by = ?1 OR EXISTS (
      SELECT 1 FROM event_assignees v WHERE v.event_id = e.id AND v.member_id = ?1))
ORDER BY e.agenda_at, e.id LIMIT ?4 + 0";

/// ?1: a JSON array of event ids.
const ASSIGNEES: &str = "
SELECT a.event_id, m.id, m.name
FROM event_assignees a JOIN members m ON m.id = a.member_id
WHERE a.event_id IN (SELECT value FROM json_each(?1))
ORDER BY a.event_id, a.position";

/// ?1: the same.
const MEDIA: &str = "
SELECT x.event_id, x.media_id, x.slide_index, x.kind, x.alt, x.media_type
FROM event_media x
WHERE x.event_id IN (SELECT value FROM json_each(?1))
ORDER BY x.event_id, x.slide_index";

/// Lists the events that wait for approval.
pub async fn read(
    State(app): State<App>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<impl IntoResponse, Refused> {
    let answer = app.read(|db| {
        let caller = authorize(db, &headers, "approve", "lider")?;
        list(
            db,
            &app.links,
            &caller,
            query.as_deref().unwrap_or_default(),
        )
    })?;
    let body = serde_json::to_vec(&answer)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body))
}

fn list(db: &Connection, links: &Links, caller: &Caller, query: &str) -> Result<Answer, Refused> {
    let input = Input::read(query)?;
    let (agenda_at, id) = match &input.cursor {
        None => (i64::MIN, String::new()),
        Some(cursor) => position(cursor).ok_or_else(|| Refused::Invalid("cursor".into()))?,
    };
    let mut found = db.prepare_cached(EVENTS)?;
    let found = found.query_map(
        params![
            (!caller.sees_all_events).then_some(&caller.member_id),
            agenda_at,
            id,
            i64::try_from(input.limit + 1).unwrap_or(i64::MAX),
        ],
        Event::from_row,
    )?;
    let mut events: Vec<Event> = found.collect::<Result<_, _>>()?;
    let more = events.len() > input.limit;
    events.truncate(input.limit);

    let ids: Vec<&str> = events.iter().map(|event| event.id.as_str()).collect();
    let ids = serde_json::to_string(&ids)?;
    let mut by_id: HashMap<String, &mut Event> = events
        .iter_mut()
        .map(|event| (event.id.clone(), event))
        .collect();
    let mut people = db.prepare_cached(ASSIGNEES)?;
    let mut people = people.query([&ids])?;
    while let Some(row) = people.next()? {
        if let Some(event) = by_id.get_mut(row.get_ref(0)?.as_str()?) {
            event.assignee_member_ids.push(row.get(1)?);
            event.assignees_names.push(row.get(2)?);
        }
    }
    let now = now();
    let mut media = db.prepare_cached(MEDIA)?;
    let mut media = media.query([&ids])?;
    while let Some(row) = media.next()? {
        if let Some(event) = by_id.get_mut(row.get_ref(0)?.as_str()?) {
            let id: String = row.get(1)?;
            event.media.push(Medium {
                url: links.url(&id, now),
                id,
                slide_index: row.get(2)?,
                kind: row.get(3)?,
                alt: row.get(4)?,
                media_type: row.get(5)?,
            });
        }
    }

    let next_cursor = match events.last().filter(|_| more) {
        Some(last) => {
            let json = serde_json::to_vec(&(last.agenda_at, &last.id))?;
            Some(URL_SAFE_NO_PAD.encode(json))
        }
        None => None,
    };
    Ok(Answer {
        pendentes: events,
        next_cursor,
    })
}

fn position(cursor: &str) -> Option<(i64, String)> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()
}
