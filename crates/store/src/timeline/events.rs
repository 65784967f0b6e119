//! Events and their sessions.
//!
//! An event belongs to a session, and a session to the person last identified in it. `record_events`
//! first inserts or locks the sessions of a batch, in the order of their names. Then it inserts the
//! events that are not stored yet, and finally extends the sessions by only these events, so that a
//! repeated event changes nothing.
//!
//! On PostgreSQL the key of `timeline_events` contains the instant, because the table is partitioned by
//! the instant. A repeated event with another instant may be in another partition. A query under the
//! lock of the session, bounded by the first and last event of the session, finds the repeated event
//! there.

use std::{borrow::Cow, collections::BTreeSet};

use domain::{
    PersonId, TimelineSessionId,
    time::Millis,
    timeline::{Channel, TimelineEventKind},
};
use sea_orm::Value;

use super::partitions;
use crate::{
    Bind, Conn, Result, Row,
    many::{ROWS, bind_rows},
    sqlite::Cell,
    turns::is_postgres,
};

/// An event reported by a site.
#[derive(Debug, Clone)]
pub struct NewEvent<'a> {
    /// The session id in the browser.
    pub session: Cow<'a, str>,
    /// The event's id, unique within the session.
    pub id: Cow<'a, str>,
    pub kind: TimelineEventKind,
    pub occurred_at: Millis,
    pub person: Option<PersonId>,
    pub product: Option<Cow<'a, str>>,
    pub launch: Option<Cow<'a, str>>,
    /// The channel that the visit came from, if the event contains it.
    pub channel: Option<Channel>,
    /// The details as JSON.
    pub detail: Option<String>,
}

impl NewEvent<'_> {
    #[must_use]
    pub fn into_owned(self) -> NewEvent<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        NewEvent {
            session: owned(self.session),
            id: owned(self.id),
            kind: self.kind,
            occurred_at: self.occurred_at,
            person: self.person,
            product: self.product.map(owned),
            launch: self.launch.map(owned),
            channel: self.channel,
            detail: self.detail,
        }
    }
}

/// A session with its events of a batch. If the session is already stored, the other fields are the
/// stored values, extended by the new events.
#[derive(Debug)]
struct Session<'a> {
    id: TimelineSessionId,
    name: &'a str,
    /// When a person was identified in the session, and which person.
    identified: Option<(Millis, PersonId)>,
    first_at: Millis,
    last_at: Millis,
    /// Whether the session was already stored before this batch.
    is_known: bool,
    /// The events not stored yet, ordered by id.
    events: Vec<&'a NewEvent<'a>>,
}

impl<'a> Session<'a> {
    /// Creates a session from its events; the list is not empty.
    fn new(id: TimelineSessionId, events: &[&'a NewEvent<'a>]) -> Self {
        let first = events[0];
        let mut session = Self {
            id,
            name: &first.session,
            identified: None,
            first_at: first.occurred_at,
            last_at: first.occurred_at,
            is_known: false,
            events: events.to_vec(),
        };
        session.extend(events);
        session
    }

    /// Adds events. The latest identification wins, because a person may correct a mistyped e-mail
    /// address. The order of arrival does not matter.
    fn extend(&mut self, events: &[&NewEvent<'_>]) {
        for event in events {
            self.first_at = self.first_at.min(event.occurred_at);
            self.last_at = self.last_at.max(event.occurred_at);
            if let Some(person) = &event.person {
                let named = Some((event.occurred_at, person.clone()));
                self.identified = self.identified.take().max(named);
            }
        }
    }
}

/// Records events and returns the number of new ones. Events whose session and id are already
/// stored are ignored, even if their data differs.
pub async fn record_events(db: &Conn<'_>, events: &[NewEvent<'_>], now: Millis) -> Result<usize> {
    partitions::create_missing(db, events.iter().map(|event| event.occurred_at)).await?;
    let mut new = 0;
    for batch in events.chunks(ROWS) {
        new += record_batch(db, batch, now).await?;
    }
    Ok(new)
}

async fn record_batch(db: &Conn<'_>, events: &[NewEvent<'_>], now: Millis) -> Result<usize> {
    let mut sessions = group_by_session(events, now);
    insert_or_load_sessions(db, &mut sessions).await?;
    remove_stored_events(db, &mut sessions).await?;
    let new = insert_events(db, &sessions, now).await?;
    let mut known: Vec<_> = sessions.into_iter().filter(|one| one.is_known).collect();
    known.retain(|session| !session.events.is_empty());
    for session in &mut known {
        let events = std::mem::take(&mut session.events);
        session.extend(&events);
    }
    update_sessions(db, &known).await?;
    Ok(new)
}

/// Groups events by session, without duplicates. The sessions are in the order of their names, and
/// their ids have the same order.
fn group_by_session<'a>(events: &'a [NewEvent<'a>], now: Millis) -> Vec<Session<'a>> {
    let mut ordered: Vec<_> = events.iter().collect();
    // The sort is stable: among events with the same key, the first to arrive is kept.
    ordered.sort_by_key(|event| (&event.session, &event.id));
    ordered.dedup_by_key(|event| (&event.session, &event.id));
    let sessions = || ordered.chunk_by(|one, other| one.session == other.session);
    let mut ids: Vec<_> = sessions().map(|_| TimelineSessionId::new(now)).collect();
    // Rows that are inserted in key order change only a few pages.
    ids.sort_unstable();
    let sessions = ids.into_iter().zip(sessions());
    sessions
        .map(|(id, events)| Session::new(id, events))
        .collect()
}

/// Inserts new sessions, and loads the stored state of existing ones.
///
/// On PostgreSQL this locks all rows in the order of their names. If two callers have the same session,
/// the second one waits and then sees the events of the first one.
async fn insert_or_load_sessions(db: &Conn<'_>, sessions: &mut [Session<'_>]) -> Result<()> {
    for row in insert_new_and_select_existing(db, sessions).await? {
        let name: String = row.try_get("", "session")?;
        let id: TimelineSessionId = row.try_get("", "id")?;
        let place = sessions.binary_search_by(|session| session.name.cmp(&name));
        let session = place.ok().map(|place| &mut sessions[place]);
        let Some(session) = session.filter(|session| session.id != id) else {
            continue;
        };
        let person: Option<PersonId> = row.try_get("", "person")?;
        let identified_at: Option<Millis> = row.try_get("", "identified_at")?;
        session.id = id;
        session.identified = identified_at.zip(person);
        session.first_at = row.try_get("", "first_at")?;
        session.last_at = row.try_get("", "last_at")?;
        session.is_known = true;
    }
    Ok(())
}

/// Inserts new sessions. Returns the rows of the sessions that already existed, and possibly rows of the
/// new sessions too.
async fn insert_new_and_select_existing(
    db: &Conn<'_>,
    sessions: &[Session<'_>],
) -> Result<Vec<Row>> {
    let rows = sessions.iter().map(|session| {
        let identified = session.identified.as_ref();
        let row: [Cell<'_>; 6] = [
            session.id.as_str().into(),
            session.name.into(),
            identified.map(|(_, person)| person.as_str()).into(),
            identified.map(|(at, _)| *at).into(),
            session.first_at.into(),
            session.last_at.into(),
        ];
        row
    });
    let rows: Vec<_> = rows.collect();
    let columns = "id, session, person, identified_at, first_at, last_at";
    let into = format!("INTO timeline_sessions ({columns})");
    if is_postgres(db) {
        let (rows, values) = bind_rows(rows.iter().map(|row| row.map(Value::from)));
        let sql = format!(
            "INSERT {into} VALUES {rows} ON CONFLICT (session) DO UPDATE SET stale = 1
             RETURNING {columns}"
        );
        return Ok(db.fetch_all(&sql, values).await?);
    }
    let unless_there = "ON CONFLICT (session) DO NOTHING";
    let inserted = db.insert((&into, unless_there), &rows).await?;
    if usize::try_from(inserted) == Ok(rows.len()) {
        return Ok(vec![]);
    }
    let (names, values) = bind_rows(sessions.iter().map(|session| [session.name.into()]));
    let sql = format!("SELECT {columns} FROM timeline_sessions WHERE session IN (VALUES {names})");
    Ok(db.fetch_all(&sql, values).await?)
}

/// Removes events that are already stored from the batch. New sessions have no stored events.
///
/// PostgreSQL alone does not detect a repeated event with another instant, because the key of a
/// partitioned table contains the instant.
async fn remove_stored_events(db: &Conn<'_>, sessions: &mut [Session<'_>]) -> Result<()> {
    let known = || sessions.iter().filter(|session| session.is_known);
    let first_at = known().map(|session| session.first_at).min();
    let last_at = known().map(|session| session.last_at).max();
    let (Some(first_at), Some(last_at)) = (first_at, last_at) else {
        return Ok(());
    };
    let keys = known().flat_map(|session| {
        let key = |event: &&NewEvent<'_>| [session.id.value(), (&*event.id).into()];
        session.events.iter().map(key)
    });
    let (keys, mut values) = bind_rows(keys);
    let mut sql = format!(
        "SELECT session_id, id FROM timeline_events WHERE (session_id, id) IN (VALUES {keys})"
    );
    if is_postgres(db) {
        // The range limits the partitions to search.
        values.extend([first_at.into(), last_at.into()]);
        let (from, to) = (values.len() - 1, values.len());
        let range = format!(" AND occurred_at BETWEEN ${from} AND ${to}");
        sql.push_str(&range);
    }
    let mut there = BTreeSet::new();
    for row in db.fetch_all(&sql, values).await? {
        let session: String = row.try_get("", "session_id")?;
        there.insert((session, row.try_get::<String>("", "id")?));
    }
    for session in sessions.iter_mut().filter(|session| session.is_known) {
        let id = session.id.as_str();
        let is_new =
            |event: &&NewEvent<'_>| !there.contains(&(id.to_owned(), event.id.to_string()));
        session.events.retain(is_new);
    }
    Ok(())
}

/// Inserts events that do not exist yet and returns the number inserted.
async fn insert_events(db: &Conn<'_>, sessions: &[Session<'_>], now: Millis) -> Result<usize> {
    let events = sessions.iter().flat_map(|session| {
        let of_session = |event| (session.id.as_str(), event);
        session.events.iter().map(of_session)
    });
    let rows = events.map(|(session, event)| {
        let row: [Cell<'_>; 10] = [
            session.into(),
            (&*event.id).into(),
            event.occurred_at.into(),
            now.into(),
            event.kind.as_str().into(),
            event.person.as_ref().map(PersonId::as_str).into(),
            event.product.as_deref().into(),
            event.launch.as_deref().into(),
            event.channel.map(Channel::as_str).into(),
            event.detail.as_deref().into(),
        ];
        row
    });
    let rows: Vec<_> = rows.collect();
    let into = "INTO timeline_events (session_id, id, occurred_at, received_at, kind, person,
        product, launch, channel, detail)";
    db.insert((into, ""), &rows).await?;
    Ok(rows.len())
}

async fn update_sessions(db: &Conn<'_>, sessions: &[Session<'_>]) -> Result<()> {
    let rows = sessions.iter().map(|session| {
        let row: [Value; 5] = [
            session.id.value(),
            session
                .identified
                .as_ref()
                .map(|(_, person)| person.as_str())
                .into(),
            session.identified.as_ref().map(|(at, _)| *at).into(),
            session.first_at.into(),
            session.last_at.into(),
        ];
        row
    });
    let (rows, values) = bind_rows(rows);
    if values.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "WITH changed (id, person, identified_at, first_at, last_at) AS (VALUES {rows})
         UPDATE timeline_sessions SET person = changed.person,
            identified_at = changed.identified_at, first_at = changed.first_at,
            last_at = changed.last_at, stale = 1
         FROM changed WHERE timeline_sessions.id = changed.id"
    );
    db.run(&sql, values).await?;
    Ok(())
}
