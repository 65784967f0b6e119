//! Listing events that wait for approval: the input, the queries and the response.

use std::{collections::HashMap, sync::LazyLock};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::{Timestamp, Zoned, fmt::temporal::DateTimePrinter, tz::TimeZone};
use serde::Serialize;

use crate::caller::Refused;

static BRASILIA: LazyLock<TimeZone> = LazyLock::new(|| {
    TimeZone::get("America/Sao_Paulo").expect("the bundled time zone database has it")
});

pub struct Input {
    pub limit: usize,
    cursor: Option<String>,
}

impl Input {
    pub fn parse_query(query: &str) -> Result<Self, Refused> {
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
pub struct Event {
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
    pub assignee_member_ids: Vec<String>,
    pub assignees_names: Vec<String>,
    pub media: Vec<Medium>,
    created_by: String,
    created_by_name: String,
    created_at: String,
    updated_at: String,
    #[serde(skip)]
    agenda_at: i64,
}

#[derive(Serialize)]
pub struct Medium {
    pub id: String,
    pub url: String,
    pub slide_index: i64,
    pub kind: String,
    pub alt: Option<String>,
    pub media_type: String,
}

/// A row of the query [`EVENTS`], in the order of its columns.
pub struct Stored {
    pub id: String,
    pub api_revision: i64,
    pub clickup_id: Option<String>,
    pub title: String,
    pub channel: String,
    pub status: String,
    pub description: Option<String>,
    pub briefing: Option<String>,
    pub due_at: Option<i64>,
    pub agenda_at: i64,
    pub editorial_tag: Option<String>,
    pub created_by: String,
    pub created_by_name: String,
    pub created_at: i64,
    pub updated_at: i64,
}

impl From<Stored> for Event {
    fn from(row: Stored) -> Self {
        let due_at = row.due_at.map(to_timestamp);
        let local = due_at.map(|at| at.to_zoned(BRASILIA.clone()));
        Self {
            id: row.id,
            api_revision: row.api_revision,
            clickup_id: row.clickup_id,
            title: row.title,
            channel: row.channel,
            status: row.status,
            description: row.description,
            briefing: row.briefing,
            day: local.as_ref().map(Zoned::day),
            month: local.as_ref().map(Zoned::month),
            year: local.as_ref().map(Zoned::year),
            hour: local.map(|at| format!("{:02}:{:02}", at.hour(), at.minute())),
            due_at: due_at.map(to_rfc3339),
            editorial_tag: row.editorial_tag,
            assignee_member_ids: vec![],
            assignees_names: vec![],
            media: vec![],
            created_by: row.created_by,
            created_by_name: row.created_by_name,
            created_at: to_rfc3339(to_timestamp(row.created_at)),
            updated_at: to_rfc3339(to_timestamp(row.updated_at)),
            agenda_at: row.agenda_at,
        }
    }
}

fn to_timestamp(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn to_rfc3339(at: Timestamp) -> String {
    const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
    PRINTER.timestamp_to_string(&at)
}

/// Lists events. ?1: null, or the member whose events to list; ?2 and ?3: the cursor; ?4: the
/// limit. The limit is part of an expression, because SQLite would compile the statement again for
/// each new value of a plain bound limit.
pub const EVENTS: &str = "
SELECT e.id, e.api_revision, e.clickup_id, e.title, e.channel, e.status, e.description,
       e.briefing, e.due_at, e.agenda_at, e.editorial_tag, e.created_by, c.name, e.created_at,
       e.updated_at
FROM events e JOIN members c ON c.id = e.created_by
WHERE e.status = 'em aprovação' AND (e.agenda_at, e.id) > (?2, ?3)
  AND (?1 IS NULL OR e.created_by = ?1 OR EXISTS (
      SELECT 1 FROM event_assignees v WHERE v.event_id = e.id AND v.member_id = ?1))
ORDER BY e.agenda_at, e.id LIMIT ?4 + 0";

/// Lists assignees. ?1: a JSON array of event ids.
pub const ASSIGNEES: &str = "
SELECT a.event_id, m.id, m.name
FROM event_assignees a JOIN members m ON m.id = a.member_id
WHERE a.event_id IN (SELECT value FROM json_each(?1))
ORDER BY a.event_id, a.position";

/// Lists media. ?1: a JSON array of event ids.
pub const MEDIA: &str = "
SELECT x.event_id, x.media_id, x.slide_index, x.kind, x.alt, x.media_type
FROM event_media x
WHERE x.event_id IN (SELECT value FROM json_each(?1))
ORDER BY x.event_id, x.slide_index";

impl Input {
    /// Returns the position in the cursor: where the previous page ended.
    pub fn cursor_position(&self) -> Result<(i64, String), Refused> {
        match &self.cursor {
            None => Ok((i64::MIN, String::new())),
            Some(cursor) => decode_cursor(cursor).ok_or_else(|| Refused::Invalid("cursor".into())),
        }
    }

    /// Returns the limit of the query: one row more than the page, to find out whether there is a next
    /// page.
    pub fn limit_plus_one(&self) -> i64 {
        i64::try_from(self.limit + 1).unwrap_or(i64::MAX)
    }
}

/// The events of a page. Their assignees and media are added after the query.
pub struct Page {
    events: Vec<Event>,
    by_id: HashMap<String, usize>,
    more: bool,
}

impl Page {
    pub fn from_events(mut events: Vec<Event>, input: &Input) -> Self {
        let more = events.len() > input.limit;
        events.truncate(input.limit);
        let ids = events.iter().enumerate();
        let by_id = ids.map(|(at, event)| (event.id.clone(), at)).collect();
        Self {
            events,
            by_id,
            more,
        }
    }

    /// Returns the ids of the page's events, as a JSON array.
    pub fn ids_json(&self) -> Result<String, Refused> {
        let ids: Vec<&str> = self.events.iter().map(|event| event.id.as_str()).collect();
        Ok(serde_json::to_string(&ids)?)
    }

    /// Finds the event with this id.
    pub fn find_event(&mut self, id: &str) -> Option<&mut Event> {
        self.events.get_mut(*self.by_id.get(id)?)
    }

    /// Returns the response body.
    pub fn response_body(self) -> Result<Vec<u8>, Refused> {
        let next_cursor = match self.events.last().filter(|_| self.more) {
            Some(last) => {
                let json = serde_json::to_vec(&(last.agenda_at, &last.id))?;
                Some(URL_SAFE_NO_PAD.encode(json))
            }
            None => None,
        };
        Ok(serde_json::to_vec(&Answer {
            pendentes: self.events,
            next_cursor,
        })?)
    }
}

fn decode_cursor(cursor: &str) -> Option<(i64, String)> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()
}
